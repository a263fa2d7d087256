//! Fakes in a run: traits that nobody has implemented are given to functions all the same, what
//! only the freedom of a fake made fail is no violation, and what cannot be called says why.

mod support;

use std::collections::BTreeMap;
use support::{Fixture, findings, root, rules, stderr, stdout};

/// A copy of the fixture, which finds the library where it is.
fn fixture() -> Fixture {
    let fixture = Fixture::copy("fakes");
    let file = fixture.path().join("Cargo.toml");
    let manifest = std::fs::read_to_string(&file).expect("a manifest");
    let library = root().join("testsmith").display().to_string();
    std::fs::write(&file, manifest.replace("../../testsmith", &library)).expect("writable");
    fixture
}

#[test]
fn what_only_a_fakes_freedom_made_fail_is_suspicious_and_broken_promises_are_violations() {
    let fixture = fixture();
    let output = fixture.run(&["--calls", "6000", "--seed", "1", "--quiet", "--format", "json"]);
    assert_eq!(output.status.code(), Some(100), "{}{}", stdout(&output), stderr(&output));
    let found: BTreeMap<String, (String, String)> = findings(&output)
        .iter()
        .map(|finding| {
            let word = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
            (word("operation"), (word("rule"), word("severity")))
        })
        .collect();
    // Nobody has to mend anything where a fake has no answer.
    let expected: BTreeMap<String, (String, String)> = rules("fakes")
        .into_iter()
        .filter(|(_, rule)| rule != "fake without an answer")
        .map(|(path, rule)| {
            let severity = if rule == "answers of a fake" { "suspicious" } else { "violation" };
            (path, (rule, severity.to_owned()))
        })
        .collect();
    assert_eq!(found, expected);
    let file = fixture.path().join("tests/testsmith_failures.rs");
    let written = std::fs::read_to_string(file).expect("a file of tests");
    let said =
        written.matches("made by `#[fake]`: what that answers is what its contracts").count();
    assert_eq!(said, written.matches("#[test]").count(), "{written}");
    assert!(written.contains("FakeMeter::with_seed("), "{written}");
    assert!(written.contains("#[path = \"given.rs\"]\nmod given;"), "{written}");
    // What a fake answered is nothing that a suite should insist on.
    let suite = fixture.path().join("tests/testsmith_regressions");
    for module in std::fs::read_dir(suite).expect("a suite").flatten() {
        let text = std::fs::read_to_string(module.path()).expect("a module");
        assert!(!text.contains("Fake"), "{text}");
    }
}

#[test]
fn a_real_implementation_is_preferred_and_a_missing_one_is_named() {
    let output = fixture().run(&["list", "--quiet"]);
    let text = stdout(&output);
    let has = |line: &str| assert!(text.contains(line), "{line}\n{text}{}", stderr(&output));
    has("fakes::watts(&fakes::Bulb)");
    has("fakes::has_power(&fakes::FakeSocket)");
    has("fakes::add_twice(&mut fakes::FakeMeter)");
    has("fakes::gauge(Box::new(fakes::FakeMeter))");
    has("<fakes::Panel<fakes::FakeMeter>>::new(fakes::FakeMeter)");
    has("fakes::highest(std::vec::Vec<std::boxed::Box<dyn fakes::Meter>>)");
    has("fakes::print_two(&mut given::FakePrinter)");
    has("fakes::is_stocked(&given::FakeTray)");
    // What a trait provides is code of the crate; what a fake answers is not.
    has("<fakes::FakeMeter as fakes::Meter>::half(&fakes::FakeMeter)");
    assert!(!text.contains("Meter>::level") && !text.contains("with_seed"), "{text}");
    has("fakes::is_reached  needs a trait that nothing implements: fakes::Antenna; it has \
         contracts, and `#[testsmith::fake]` on it may make something that does");
    has(
        "fakes::greet  needs a trait that nothing implements: fakes::Speaker; contracts on it and \
         `#[testsmith::fake]` may make something that does",
    );
}

#[test]
fn a_trait_of_another_crate_without_a_fake_is_named_with_what_would_make_one() {
    let fixture = fixture();
    std::fs::remove_file(fixture.path().join("tests/given.rs")).expect("it is there");
    let output = fixture.run(&["list", "--quiet"]);
    let text = stdout(&output);
    let line = "fakes::is_stocked  needs a trait that nothing implements: paper::Tray; \
                `#[testsmith::fake(of = paper::Tray)]` on a trait in tests/ that repeats it with \
                contracts may make something that does";
    assert!(text.contains(line), "{text}{}", stderr(&output));
}
