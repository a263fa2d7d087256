//! Code that uses traits which nobody has implemented, tested.

use subject_fakes::audit::{Unmoved, careless_transfer, transfer};
use subject_fakes::feed::{FakeLiveSource, FakeSubscriber, LiveSource, Round, Subscriber, round};
use subject_fakes::stock::{FakeShelf, FakeThermometer, Shelf, Thermometer, clear, is_warm};
use subject_fakes::{Account, FakeAccount, Refusal};

#[test]
fn a_round_hands_on_all_that_is_pending_or_says_why_not() {
    let mut ends = [0; 3];
    for seed in 0..60 {
        let mut source = FakeLiveSource::with_seed(seed);
        let mut subscriber = FakeSubscriber::with_seed(seed + 100);
        let before = subscriber.received();
        let end = round(&mut source, &mut subscriber);
        let received = subscriber.received() - before;
        match end {
            Round::Done { delivered, .. } => {
                assert_eq!((source.pending(), delivered), (0, received));
                ends[0] += 1;
            }
            Round::NotConnected => {
                assert!(!source.is_connected());
                ends[1] += 1;
            }
            Round::SubscriberGone { delivered } => {
                assert_eq!((subscriber.is_gone(), delivered), (true, received));
                ends[2] += 1;
            }
        }
    }
    assert!(ends.iter().all(|times| *times > 0), "every way to end was taken: {ends:?}");
}

#[test]
fn a_round_of_a_busy_source_takes_one_message_after_the_other() {
    let mut source = FakeLiveSource::in_state("is_connected() && pending() == 3");
    let mut subscriber = FakeSubscriber::in_state("!is_gone()");
    round(&mut source, &mut subscriber);
    let taken = source.calls().iter().filter(|call| call.method == "take").count();
    let delivered = subscriber.calls().iter().filter(|call| call.method == "deliver").count();
    assert!((1..=3).contains(&taken) && delivered >= taken);
}

#[test]
fn a_transfer_keeps_the_sum() {
    for seed in 0..40 {
        let mut from = FakeAccount::with_seed(seed);
        let mut to = FakeAccount::with_seed(seed + 1000);
        let before = from.balance() + to.balance();
        let moved = transfer(&mut from, &mut to, 5);
        assert_eq!(from.balance() + to.balance(), before, "{moved:?}");
    }
    let mut frozen = FakeAccount::in_state("is_frozen() && balance() > 50");
    let mut to = FakeAccount::default();
    assert_eq!(transfer(&mut frozen, &mut to, 5), Err(Unmoved::Refused(Refusal::Frozen)));
    assert_eq!(transfer(&mut frozen, &mut to, 0), Err(Unmoved::NoAmount));
    assert!(to.calls().is_empty(), "{to:?}");
}

#[test]
fn a_shelf_is_cleared_of_what_it_held() {
    for seed in 0..20 {
        let mut shelf = FakeShelf::with_seed(seed);
        let held: Vec<u16> = shelf.weights().to_vec();
        let sum = clear(&mut shelf);
        // Only the first is told by the contract; what comes after it may be another.
        assert_eq!(
            shelf.calls().iter().filter(|call| call.method == "take").count(),
            held.len() + 1
        );
        assert!(sum >= held.first().copied().map_or(0, u32::from), "{shelf:?}");
    }
}

#[test]
fn it_is_warm_as_soon_as_it_was_measured_so() {
    let mut warm = 0;
    for seed in 0..30 {
        let mut thermometer = FakeThermometer::in_state_with_seed("degrees() < 0.0", seed);
        let is_warm = is_warm(&mut thermometer, 20.0);
        assert_eq!(is_warm, thermometer.degrees() >= 20.0);
        warm += u32::from(is_warm);
    }
    assert!((1..30).contains(&warm), "{warm}");
}

/// The bug is found by an account that refuses, which a hand-written mock would have to be
/// told to do.
#[test]
fn a_careless_transfer_is_found_out() {
    let makes_money = |seed: &u64| {
        let mut from = FakeAccount::with_seed(*seed);
        let mut to = FakeAccount::with_seed(seed + 1000);
        let before = from.balance() + to.balance();
        careless_transfer(&mut from, &mut to, 5);
        from.balance() + to.balance() != before
    };
    assert!((0..40).any(|seed| makes_money(&seed)));
}
