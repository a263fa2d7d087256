//! An API that is hard to call and to write about does not end a run.

mod support;

use serde_json::Value;
use support::{Fixture, findings, stderr, stdout};

#[test]
fn every_operation_is_called_and_one_cause_is_one_finding() {
    let fixture = Fixture::copy("awkward");
    let output = fixture.run(&["--calls", "60000", "--format", "json", "--no-regressions"]);
    let told = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(100), "{told}");
    let findings = findings(&output);
    let violations: Vec<&str> = findings
        .iter()
        .filter(|finding| finding["severity"] == "violation")
        .map(|finding| finding["what"].as_str().expect("a text"))
        .collect();
    // The same code for eight types, and a message that quotes what it was given.
    assert_eq!(violations.len(), 1, "{violations:#?}");
    assert!(violations[0].contains("Tail>::tail panicked"), "{violations:#?}");
    let hidden = |c: char| c.is_control() || ('\u{200b}'..='\u{206f}').contains(&c);
    assert!(!violations[0].contains(hidden), "{violations:#?}");
    // Also what only an alias names, and what has a size only for some arguments.
    let listed: Value =
        serde_json::from_str(&stdout(&fixture.run(&["list", "--format", "json"]))).expect("JSON");
    assert_eq!(listed["skips"], serde_json::json!([]), "{listed:#}");
}
