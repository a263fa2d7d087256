//! `cargo testsmith replay`: stored sequences, call by call.

mod support;

use cargo_testsmith::pipeline::Session;
use cargo_testsmith::stored::Stored;
use support::{Fixture, stderr, stdout};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::Walk;

const SWAP: &str = r#"{
  "crate": "shelf",
  "version": "0.1.0",
  "steps": [
    {
      "call": "<shelf::Shelf<i32>>::new()",
      "takes": [],
      "returns": "shelf::Shelf<i32>",
      "arguments": []
    },
    { "type": "usize", "literal": { "int": "3" } },
    {
      "call": "<shelf::Shelf<i32>>::swap_with_last({0}, {1})",
      "takes": ["&mut shelf::Shelf<i32>", "usize"],
      "returns": "std::option::Option<()>",
      "arguments": [0, 1]
    }
  ]
}
"#;

#[test]
fn a_failing_sequence_is_shown_up_to_its_failure() {
    let fixture = Fixture::copy("shelf");
    let file = fixture.path().join("swap.json");
    std::fs::write(&file, SWAP).expect("writable");
    let output = fixture.run(&["replay", "swap.json"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(100), "{text}{}", stderr(&output));
    assert!(text.contains("let mut v0: shelf::Shelf<i32> = <shelf::Shelf<i32>>::new();"), "{text}");
    assert!(text.contains("// Shelf { things: [] }"), "{text}");
    assert!(text.contains("v0.swap_with_last(v1)"), "{text}");
    assert!(text.contains("attempt to subtract with overflow"), "{text}");
    let released = fixture.run(&["replay", "swap.json", "--release"]);
    assert!(stdout(&released).contains("index out of bounds"), "{}", stdout(&released));
}

#[test]
fn a_sequence_that_makes_no_sense_is_refused_with_its_step() {
    let fixture = Fixture::copy("shelf");
    let broken = SWAP.replace("[0, 1]", "[0, 0]");
    std::fs::write(fixture.path().join("broken.json"), broken).expect("writable");
    let output = fixture.run(&["replay", "broken.json"]);
    assert_eq!(output.status.code(), Some(101));
    assert!(stderr(&output).contains("step 2 is not legal"), "{}", stderr(&output));
    let missing = fixture.run(&["replay", "missing.json"]);
    assert!(stderr(&missing).contains("cannot read the sequence missing.json"));
}

#[test]
fn what_a_walk_saw_is_seen_again_from_a_stored_file() {
    let fixture = Fixture::copy("shelf");
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut supervisor = session.supervise(&harness, WorkerLimits::default()).expect("it starts");
    let walk = Walk {
        seed: 5,
        max_sequences: 50,
        max_calls: 1000,
        max_length: 12,
        keep: 50,
        ..Walk::default()
    };
    let mut kept = vec![];
    supervisor.walk(&walk, &mut |s, o| kept.push((s, o))).expect("the walk ends");
    assert_eq!(kept.len(), 50);
    let file = fixture.path().join("stored.json");
    for (sequence, outcome) in kept {
        Stored::new(&session.plan, &sequence).write(&file).expect("writable");
        let read = Stored::read(&file).expect("readable").sequence(&session.plan).expect("legal");
        assert_eq!(read, sequence);
        let again = supervisor.run(&read, true).expect("it runs");
        assert_eq!((again.ending, again.values), (outcome.ending, outcome.values));
    }
}

#[test]
fn the_same_seed_walks_the_same_way() {
    let fixture = Fixture::copy("shelf");
    let mut session = Session::open(&fixture.target(), Default::default()).expect("it is planned");
    let harness = session.build(Profile::Unoptimised).expect("it builds");
    let mut run = || {
        let mut supervisor =
            session.supervise(&harness, WorkerLimits::default()).expect("it starts");
        let walk = Walk {
            seed: 9,
            max_sequences: 300,
            max_calls: 5000,
            max_length: 20,
            keep: 300,
            ..Walk::default()
        };
        let mut kept = vec![];
        supervisor.walk(&walk, &mut |s, o| kept.push((s, o))).expect("the walk ends");
        kept
    };
    assert_eq!(run(), run());
}
