//! A thousand random sequences of calls on fakes, and nothing that breaks a contract.
//!
//! Everything is checked twice: by the contracts themselves, which hold for fakes as for any
//! implementation, and by conditions written out here, which know nothing of clauses.

mod random;

use random::{CALLS, SEQUENCES, sequences};
use subject_fakes::feed::{Delivery, FakeLiveSource, FakeSubscriber, LiveSource, Subscriber};
use subject_fakes::*;

#[test]
fn stacks_keep_their_contracts() {
    let (mut pushed, mut popped) = (0, 0);
    sequences(FakeStack::with_seed, |stack, random| {
        let (len, capacity, top) = (stack.len(), stack.capacity(), stack.top());
        assert!(len <= capacity && (1..=40).contains(&capacity));
        assert_eq!((stack.is_empty(), stack.is_full()), (len == 0, len == capacity));
        assert_eq!((stack.len(), stack.top()), (len, top), "asked twice, answered once");
        if random.below(2) == 0 && len < capacity {
            let item = random.below(1 << 32) as u32 as i32;
            stack.push(item);
            assert_eq!((stack.len(), stack.top()), (len + 1, Some(item)));
            pushed += 1;
        } else {
            assert_eq!(stack.pop(), top);
            assert_eq!(stack.len(), len.saturating_sub(1));
            assert_eq!(stack.top().is_some(), stack.len() > 0);
            popped += 1;
        }
        assert_eq!(stack.capacity(), capacity);
    });
    assert!(pushed > 300 && popped > 300, "{pushed} pushed, {popped} popped");
}

#[test]
fn clocks_keep_their_contracts() {
    let mut moved = 0;
    sequences(FakeClock::with_seed, |clock, random| {
        let (before, zone) = (clock.now(), clock.zone().to_owned());
        assert!(before >= 1000);
        assert!(zone.len() == 3 && zone.chars().all(|c| c.is_ascii_uppercase()), "{zone}");
        if random.below(2) == 0 {
            let seconds = random.below(3601) as u16;
            clock.sleep(seconds);
            assert_eq!(clock.now(), before + u64::from(seconds));
        } else {
            let read = clock.read();
            assert!(before <= read && read <= clock.now() && clock.now() - before <= 5);
            moved += u32::from(clock.now() > before);
        }
        assert_eq!(clock.now(), clock.now());
        assert_eq!(clock.zone(), zone, "nothing speaks of the zone, so it stays");
    });
    assert!(moved > 50, "to look takes time, now and then: {moved}");
}

#[test]
fn sources_keep_their_contracts() {
    let mut lines = std::collections::BTreeSet::new();
    sequences(FakeSource::with_seed, |source, random| {
        let (name, left) = (source.name(), source.left());
        let fits = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!((1..=12).contains(&name.len()) && fits(&name), "{name}");
        if random.below(4) == 0 {
            let to = ["a", "some-name", "twelve-chars"][random.below(3) as usize];
            source.rename(to);
            assert_eq!((source.name(), source.left()), (to.to_owned(), left));
        } else {
            let line = source.next_line();
            assert_eq!(line.is_some(), left > 0);
            if let Some(line) = line {
                assert!(line.starts_with("> "), "{line}");
                assert_eq!(source.left(), left - 1);
                lines.insert(line);
            }
            assert_eq!(source.name(), name);
        }
    });
    assert!(lines.len() > 20, "{lines:?}");
}

#[test]
fn accounts_keep_their_contracts() {
    let (mut taken, mut refused) = (0, 0);
    sequences(FakeAccount::with_seed, |account, random| {
        let (balance, overdraft) = (account.balance(), account.overdraft());
        let frozen = account.is_frozen();
        assert!((0..=500).contains(&overdraft) && balance >= -overdraft);
        let most = if random.below(3) == 0 { 1_000_000 } else { 20 };
        let amount = 1 + random.below(most) as u32;
        if random.below(2) == 0 {
            assert_eq!(account.deposit(amount), balance + i64::from(amount));
            assert_eq!(account.balance(), balance + i64::from(amount));
        } else {
            let answer = account.withdraw(amount);
            let allowed = !frozen && balance + overdraft >= i64::from(amount);
            assert_eq!(answer.is_ok(), allowed);
            let less = if allowed { i64::from(amount) } else { 0 };
            assert_eq!(account.balance(), balance - less);
            if frozen {
                assert_eq!(answer, Err(Refusal::Frozen));
            }
            taken += u32::from(allowed);
            refused += u32::from(!allowed);
        }
        assert_eq!((account.overdraft(), account.is_frozen()), (overdraft, frozen));
    });
    assert!(taken > 50 && refused > 50, "{taken} taken, {refused} refused");
}

#[test]
fn signals_keep_their_contracts() {
    let mut seen = [0; 3];
    sequences(FakeSignal::with_seed, |signal, random| {
        let (colour, announced) = (signal.colour(), signal.announced());
        seen[colour as usize] += 1;
        match announced {
            None => assert_ne!(colour, Colour::Amber),
            Some((next, seconds)) => {
                assert_eq!(colour, Colour::Amber);
                assert!(next != Colour::Amber && (1..=9).contains(&seconds));
            }
        }
        if random.below(4) == 0 {
            let to = if random.below(2) == 0 { Colour::Red } else { Colour::Green };
            signal.force(&to);
            assert_eq!(signal.colour(), to);
        } else {
            let next = announced.map_or(Colour::Amber, |(next, _)| next);
            assert_eq!(signal.step(), next);
            assert_eq!(signal.colour(), next);
        }
    });
    assert!(seen.iter().all(|times| *times > 100), "{seen:?}");
}

#[test]
fn registers_keep_their_contracts_and_what_they_said() {
    let names = ["a", "b", "total", "of-eight"];
    let mut known = std::collections::BTreeMap::new();
    let mut calls = 0;
    sequences(FakeRegister::with_seed, |register, random| {
        if register.calls().is_empty() {
            known.clear();
        }
        let key = names[random.below(4) as usize];
        let value = register.get(key);
        if let Some(before) = known.insert(key, value) {
            assert_eq!(value, before, "{key} was told before, and nothing has changed it");
        }
        assert_eq!(register.has(key), value.is_some());
        match value {
            Some(value) if random.below(2) == 0 => {
                assert_eq!(register.take(key), value);
                assert_eq!((register.has(key), register.get(key)), (false, None));
                known.insert(key, None);
            }
            value => {
                let number = random.below(1 << 32) as u32;
                assert_eq!(register.put(key, number), value);
                assert_eq!(register.get(key), Some(number));
                known.insert(key, Some(number));
            }
        }
        calls += 1;
    });
    assert_eq!(calls, SEQUENCES * u64::from(CALLS));
}

#[test]
fn live_sources_keep_their_contracts() {
    let (mut connected, mut failed, mut taken) = (0, 0, 0);
    sequences(FakeLiveSource::with_seed, |source, _| {
        let pending = source.pending();
        assert!(pending <= 20 && (source.is_connected() || pending == 0));
        if !source.is_connected() {
            let answer = source.connect();
            assert_eq!(answer.is_ok(), source.is_connected());
            assert!(answer.is_ok() || source.pending() == 0);
            connected += u32::from(answer.is_ok());
            failed += u32::from(answer.is_err());
        } else if pending > 0 {
            assert!(!source.take().is_empty());
            assert!(source.is_connected() && source.pending() == pending - 1);
            taken += 1;
        }
    });
    assert!(connected > 20 && failed > 5 && taken > 20, "{connected} {failed} {taken}");
}

#[test]
fn subscribers_keep_their_contracts() {
    let mut seen = [0; 3];
    sequences(FakeSubscriber::with_seed, |subscriber, _| {
        let received = subscriber.received();
        if subscriber.is_gone() {
            assert!(subscriber.is_gone(), "who is gone stays away");
            return;
        }
        let delivery = subscriber.deliver("a message that is much longer than the solver follows");
        assert_eq!(subscriber.is_gone(), delivery == Delivery::Gone);
        let more = u32::from(delivery == Delivery::Taken);
        assert_eq!(subscriber.received(), received + more);
        seen[delivery as usize] += 1;
    });
    assert!(seen.iter().all(|times| *times > 20), "{seen:?}");
}
