//! `--unsafe PATH`: unsafe functions are called if they are asked for, and
//! what comes of them is no violation.

mod support;

use serde_json::Value;
use support::{Fixture, stderr, stdout};

const CELLS: &str = "\
/// Numbers in a row.
#[derive(Clone, Debug, Default)]
pub struct Cells(Vec<u8>);

impl Cells {
    pub fn push(&mut self, cell: u8) {
        self.0.push(cell);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// # Safety
    /// There are more cells than `n`.
    pub unsafe fn at(&self, n: usize) -> u8 {
        assert!(n < self.0.len() + 1, \"the cells end before that\");
        // SAFETY: the caller has looked.
        unsafe { *self.0.get_unchecked(n) }
    }

    /// # Safety
    /// None is asked for.
    pub unsafe fn first(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The last cell, if there is one.
    pub fn last(&self) -> Option<u8> {
        Some(self.0[self.0.len() - 1])
    }
}
";

fn cells() -> Fixture {
    let manifest = "[package]\nname = \"cells\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                    [workspace]\n";
    Fixture::make("cells", manifest, Some(CELLS))
}

const CALLS: [&str; 6] = ["--calls", "20000", "--seed", "1", "--quiet", "--no-write"];

fn findings(text: &str) -> Vec<Value> {
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.filter(|event| event["event"] == "finding").collect()
}

#[test]
fn what_is_unsafe_is_called_when_asked_for_and_suspicious_at_most() {
    let fixture = cells();
    let listed = stdout(&fixture.run(&["list"]));
    assert!(listed.contains("is unsafe to call"), "{listed}");

    let args = [&CALLS[..], &["--format", "json", "--unsafe", "Cells::at"]].concat();
    let output = fixture.run(&args);
    let found = findings(&stdout(&output));
    let about = |name: &str| {
        let of =
            |finding: &&Value| finding["operation"].as_str().is_some_and(|p| p.ends_with(name));
        found.iter().find(of).unwrap_or_else(|| panic!("nothing of {name}: {}", stderr(&output)))
    };
    assert_eq!(about("Cells::at")["severity"], "suspicious");
    assert_eq!(about("Cells::at")["rule"], "unsafe call");
    let test = about("Cells::at")["test"].as_str().expect("a test");
    assert!(test.contains("unsafe { cells.at("), "{test}");
    // The function beside it is judged as ever, and what was not asked for is not called.
    assert_eq!(about("Cells::last")["severity"], "violation");
    assert!(!stdout(&output).contains("first()"), "{}", stdout(&output));

    // Without the option, the plan of the last run does not count.
    let safe = findings(&stdout(&fixture.run(&[&CALLS[..], &["--format", "json"]].concat())));
    assert_eq!(safe.len(), 1, "{safe:#?}");
}

#[test]
fn a_stored_sequence_says_which_unsafe_functions_it_calls() {
    let fixture = cells();
    let sequence = r#"{
        "crate": "cells", "version": "0.1.0", "unsafe": ["cells::Cells::first"],
        "steps": [
            { "call": "<cells::Cells as std::default::Default>::default()", "takes": [],
              "returns": "cells::Cells", "arguments": [] },
            { "call": "unsafe { <cells::Cells>::first({0}) }", "takes": ["&cells::Cells"],
              "returns": "std::option::Option<u8>", "arguments": [0] }
        ]
    }"#;
    std::fs::write(fixture.path().join("first.json"), sequence).expect("writable");
    let output = fixture.run(&["replay", "first.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("// None"), "{}", stdout(&output));
}

#[test]
fn a_path_that_is_no_unsafe_function_is_refused_with_a_hint() {
    let fixture = cells();
    for (path, hint) in [
        ("Cells::push", "it is safe, and called without being asked for"),
        ("Cells::att", "did you mean cells::Cells::at?"),
        ("nowhere", "`cargo testsmith list` shows what is unsafe to call"),
    ] {
        let output = fixture.run(&["list", "--unsafe", path]);
        assert_eq!(output.status.code(), Some(2), "{path}: {}", stderr(&output));
        assert!(stderr(&output).contains(hint), "{path}: {}", stderr(&output));
    }
}
