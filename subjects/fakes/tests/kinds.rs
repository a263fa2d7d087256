//! The same as in `sequences.rs` for traits that extend others, with floats, lists and
//! arguments of types that fakes know nothing of, among them traits of another subject.

mod random;

use random::{sequences, sequences_of};
use std::collections::BTreeSet;
use subject_fakes::stock::*;
use subject_feeder::clock::{Clock, FakeClock};
use subject_feeder::encoder::{Encoder, FakeEncoder};
use subject_feeder::error::FeedError;
use subject_feeder::hub::{FakeSubscriber, Subscriber};
use subject_feeder::naming::{FakeNamed, LONGEST_NAME, Named};
use subject_feeder::packet::{Packet, Payload};
use subject_feeder::quality::Level;

/// Lists of texts are long formulas; fewer rounds say as much.
const ROUNDS_OF_TEXTS: u32 = 2;

#[test]
fn thermometers_keep_their_contracts() {
    let (mut colder, mut readings) = (0, BTreeSet::new());
    sequences(FakeThermometer::with_seed, |thermometer, random| {
        let (degrees, lowest) = (thermometer.degrees(), thermometer.lowest());
        let (tolerance, label) = (thermometer.tolerance(), thermometer.label().to_owned());
        assert!((-40.0..=60.0).contains(&degrees) && lowest <= degrees, "{thermometer:?}");
        assert!((0.0..2.0).contains(&tolerance) && (1..=8).contains(&label.len()));
        readings.insert(degrees.to_bits());
        match random.below(3) {
            0 => {
                let wanted = random.below(32) as f32 / 16.0;
                assert_eq!(thermometer.calibrate(wanted), tolerance > wanted);
                assert_eq!((thermometer.tolerance(), thermometer.degrees()), (wanted, degrees));
            }
            1 => {
                thermometer.relabel("cellar");
                assert_eq!((thermometer.label(), thermometer.lowest()), ("cellar", lowest));
            }
            _ => {
                let measured = thermometer.measure();
                assert_eq!(
                    (measured, thermometer.lowest()),
                    (thermometer.degrees(), if measured < lowest { measured } else { lowest },)
                );
                assert_eq!(thermometer.label(), label);
                colder += u32::from(measured < lowest);
            }
        }
    });
    assert!(colder > 20 && readings.len() > 50, "{colder} {}", readings.len());
}

#[test]
fn shelves_keep_their_contracts() {
    let (mut put, mut taken, mut filled) = (0, 0, 0);
    sequences(FakeShelf::with_seed, |shelf, random| {
        let (before, room) = (shelf.weights().to_vec(), shelf.room());
        assert!(before.len() <= room && (1..=6).contains(&room) && !before.contains(&0));
        let weight = 1 + random.below(500) as u16;
        assert_eq!(shelf.holds(weight), before.contains(&weight));
        match random.below(4) {
            0 => {
                let all: Vec<u16> =
                    (0..random.below(room as u64 + 1)).map(|n| n as u16 + 7).collect();
                shelf.fill(&all);
                assert_eq!(shelf.weights(), all);
                filled += 1;
            }
            1 => {
                let answer = shelf.take();
                assert_eq!(answer, before.first().copied());
                assert_eq!(shelf.weights().len(), before.len().saturating_sub(1));
                taken += 1;
            }
            _ if before.len() < room => {
                shelf.put(weight);
                assert_eq!(
                    (shelf.weights().len(), shelf.weights().last()),
                    (before.len() + 1, Some(&weight),)
                );
                put += 1;
            }
            _ => assert_eq!(shelf.weights(), before),
        }
        assert_eq!(shelf.room(), room);
    });
    assert!(put > 200 && taken > 100 && filled > 100, "{put} {taken} {filled}");
}

#[test]
fn notes_keep_their_contracts() {
    sequences_of(ROUNDS_OF_TEXTS, FakeNotes::with_seed, |notes, random| {
        let before = notes.words();
        assert!(before.len() <= 3);
        if before.len() < 3 {
            let word = ["", "eggs", "größer"][random.below(3) as usize];
            if word.len() <= 6 {
                notes.note(word);
                assert_eq!(notes.words().len(), before.len() + 1);
                assert_eq!(notes.words().last().map(String::as_str), Some(word));
            }
        }
        assert_eq!(notes.words(), notes.words());
    });
}

#[test]
fn what_has_a_name_or_a_time_keeps_its_contract() {
    let mut names = BTreeSet::new();
    sequences(FakeNamed::with_seed, |named, _| {
        let name = named.name().to_owned();
        assert!(!name.is_empty() && name.len() <= LONGEST_NAME);
        assert!(named.is_called(&name) && !named.is_called("some other name"));
        names.insert(name);
    });
    assert!(names.len() > 50, "{names:?}");
    sequences(FakeClock::with_seed, |clock, random| {
        let now = clock.now();
        let earlier = random.below(now + 1);
        assert_eq!((clock.since(earlier), clock.now()), (now - earlier, now));
    });
}

#[test]
fn subscribers_of_the_feeder_keep_their_contracts_and_what_they_said() {
    let mut shown = [0; 2];
    sequences(FakeSubscriber::with_seed, |subscriber, random| {
        let (received, credit) = (subscriber.received(), subscriber.credit());
        let name = subscriber.name().to_owned();
        let level = Level::ALL[random.below(4) as usize];
        let shows = subscriber.shows(level);
        shown[usize::from(shows)] += 1;
        assert!(shows || level != Level::Low);
        if credit > 0 && received < u32::MAX {
            subscriber.deliver(&Packet::new(7, 280, Payload::End));
            assert_eq!((subscriber.received(), subscriber.credit()), (received + 1, credit - 1));
        }
        assert_eq!((subscriber.shows(level), subscriber.name()), (shows, name.as_str()));
    });
    assert!(shown.iter().all(|times| *times > 100), "{shown:?}");
}

#[test]
fn encoders_keep_their_contracts() {
    let (mut done, mut refused) = (0, 0);
    let packet = Packet::new(3, 120, Payload::Video { frame: 3, key: true });
    sequences(FakeEncoder::with_seed, |encoder, _| {
        let (level, encoded) = (encoder.level(), encoder.encoded());
        match encoder.encode(&packet) {
            Ok(bytes) => {
                assert_eq!(encoder.encoded(), encoded + bytes as u64);
                done += 1;
            }
            Err(error) => {
                assert!(matches!(error, FeedError::Overloaded { .. }), "{error}");
                assert_eq!(encoder.encoded(), encoded);
                refused += 1;
            }
        }
        assert_eq!(encoder.level(), level);
    });
    assert!(done > 100 && refused > 100, "{done} {refused}");
}
