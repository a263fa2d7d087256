//! A build without overflow checks and debug assertions has to give the same
//! results.

mod support;

use serde_json::Value;
use support::{Fixture, findings, rules, stderr, stdout};

const RULE: &str = "different results";

#[test]
fn results_that_differ_without_checks_are_found_and_nothing_twice() {
    let fixture = Fixture::copy("release");
    let args = [
        "--calls",
        "20000",
        "--compare-release",
        "--quiet",
        "--no-regressions",
        "--format",
        "json",
    ];
    let output = fixture.run(&args);
    assert_eq!(output.status.code(), Some(100), "{}{}", stdout(&output), stderr(&output));
    let findings = findings(&output);
    let differing: Vec<&Value> =
        findings.iter().filter(|finding| finding["rule"] == RULE).collect();
    assert_eq!(differing.len(), 1, "{findings:#?}");
    let (operation, rule) = &rules("release")[0];
    assert_eq!((operation.as_str(), rule.as_str()), ("release::Pile::take_two", RULE));
    assert_eq!(differing[0]["operation"], operation.as_str());
    assert_eq!(differing[0]["severity"], "violation");
    let about_mean: Vec<&Value> =
        findings.iter().filter(|finding| finding["operation"] == "release::mean").collect();
    assert_eq!(about_mean.len(), 1, "the overflow is told once: {findings:#?}");
    let file = fixture.path().join("tests/testsmith_failures.rs");
    let written = std::fs::read_to_string(file).expect("a file of tests");
    assert!(written.contains("fails with `cargo test --release`"), "{written}");
    assert!(
        written.contains("assert_eq!(format!(\"{:?}\", pile.take_two()), \"0\");"),
        "{written}"
    );
}

#[test]
fn what_only_overflow_checks_keep_from_misusing_memory_is_a_violation() {
    let fixture = Fixture::copy("release");
    let args = ["--calls", "20000", "--compare-release", "--quiet", "--no-regressions"];
    let output = fixture.run(&[&args[..], &["--format", "json"]].concat());
    let findings = findings(&output);
    let severities = |operation: &str| -> Vec<String> {
        let about = findings.iter().filter(|finding| finding["operation"] == operation);
        about.map(|finding| finding["severity"].as_str().expect("a word").to_owned()).collect()
    };
    assert_eq!(severities("release::sum_of"), ["violation"], "{findings:#?}");
    assert!(!severities("release::pixel_of").contains(&"violation".to_owned()), "{findings:#?}");
}

#[test]
fn a_build_that_cannot_be_compared_with_is_told() {
    let manifest =
        "[package]\nname = \"gone\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let library = "#[cfg(debug_assertions)]\npub fn only_checked(n: u8) -> u8 { n / 2 }\n\
                   pub fn always(n: u8) -> u8 { n / 3 }\n";
    let fixture = Fixture::make("gone", manifest, Some(library));
    let args = ["--calls", "1000", "--compare-release", "--no-regressions"];
    let output = fixture.run(&args);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("nothing is compared") && told.contains("gone::only_checked"), "{told}");
    let screen = stdout(&output);
    assert!(screen.contains("not compared with a build without overflow checks"), "{screen}");
    let output = fixture.run(&[&args[..], &["--quiet", "--format", "json"]].concat());
    let printed = stdout(&output);
    let summary = printed.lines().last().expect("a summary");
    let summary: Value = serde_json::from_str(summary).expect("JSON");
    let why = summary["not_compared"].as_str().expect("a reason");
    assert!(why.starts_with("gone::only_checked: "), "{why}");
}
