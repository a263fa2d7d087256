//! Every type that misuses memory is reported for its error, with a test that fails by
//! itself, and no type that does not.

mod support;

use serde_json::Value;
use std::process::Command;
use support::{Fixture, build_folder, findings, root, rules, stderr};

/// The rows of the fixture: a type, and what it does, in one of these words.
fn rows() -> Vec<(String, Vec<String>)> {
    let file = root().join("fixtures/memory/expected.txt");
    let text = std::fs::read_to_string(file).expect("the list is there");
    let row = |line: &str| {
        let (ty, what) = line.split_once(' ').expect("a type and what it does");
        (format!("memory::{ty}"), what.split(" | ").map(str::to_owned).collect())
    };
    text.lines().map(row).collect()
}

#[test]
fn every_memory_error_is_found_with_a_test_that_fails_and_no_sound_type_is_reported() {
    let fixture = Fixture::copy("memory");
    let args = ["--calls", "1000000", "--seed", "1", "--quiet", "--suspicious", "--format", "json"];
    let output = fixture.run(&args);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let findings = findings(&output);
    let text = |finding: &Value, key: &str| finding[key].as_str().expect("a text").to_owned();
    let tests = std::fs::read_to_string(fixture.path().join("tests/testsmith_failures.rs"))
        .expect("tests were written");
    for (ty, words) in rows() {
        let is_it = |finding: &&Value| {
            let operation = text(finding, "operation");
            operation.contains(&format!("{ty}::")) || operation.contains(&format!("{ty}<"))
        };
        let found: Vec<&Value> = findings.iter().filter(is_it).collect();
        let told = found.iter().find(|finding| {
            let what = text(finding, "what");
            words.iter().any(|words| what.contains(words))
        });
        let told = told.unwrap_or_else(|| panic!("{ty} {words:?}: {found:#?} of {findings:#?}"));
        let test = format!("fn {}()", text(told, "name"));
        assert!(tests.contains(&test), "no {test}");
    }
    for finding in &findings {
        assert!(!text(finding, "operation").contains("::Sound"), "{finding:#?}");
        // What a test only makes to hand it over is none of the crate's.
        let leaks = text(finding, "rule") == "leak";
        assert!(!leaks || text(finding, "operation").contains("memory::"), "{finding:#?}");
        let rule = text(finding, "rule");
        let ruled = rules("memory")
            .into_iter()
            .find(|(ty, _)| text(finding, "operation").contains(ty.as_str()));
        assert!(ruled.is_none_or(|(_, expected)| rule == expected), "{finding:#?}");
    }
    // Without the tool, on a plain build.
    let alone = Command::new(env!("CARGO"))
        .args(["test", "--test", "testsmith_failures"])
        .current_dir(fixture.path())
        .env("CARGO_TARGET_DIR", build_folder().join("alone"))
        .output()
        .expect("cargo runs");
    let printed = String::from_utf8_lossy(&alone.stdout);
    // What ends the process is not run unless it is asked for.
    let ends = |line: &&str| line.ends_with("... FAILED") || line.contains("... ignored");
    let failed = printed.lines().filter(ends).count();
    assert_eq!(failed, tests.matches("#[test]").count(), "{printed}");
}
