//! A test that can be written without a clock is written without one.

mod support;

use support::{Fixture, findings, stderr};

#[test]
fn what_a_clock_says_is_replaced_where_something_else_shows_the_same() {
    let fixture = Fixture::copy("clock");
    let args = ["--calls", "20000", "--quiet", "--no-write", "--format", "json"];
    let output = fixture.run(&args);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let findings = findings(&output);
    let test_of = |operation: &str| {
        let found = findings.iter().find(|finding| finding["operation"] == operation);
        found.unwrap_or_else(|| panic!("{operation}: {findings:#?}"))["test"].to_string()
    };
    let of_stamp = test_of("clock::Stamp::hour");
    assert!(of_stamp.contains("Stamp::of(") && !of_stamp.contains("now"), "{of_stamp}");
    // There is no other way.
    let of_pulse = test_of("clock::Pulse::hour");
    assert!(of_pulse.contains("Pulse::now()"), "{of_pulse}");
}
