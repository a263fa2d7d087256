//! One cause is one finding, with all that shows it listed under it, and two causes that end
//! in one line are two.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use support::{Fixture, findings, stderr, stdout};

const ARGS: [&str; 6] = ["--calls", "200000", "--seed", "0", "--quiet", "--no-write"];

/// The texts in a list.
fn texts(list: &Value) -> BTreeSet<&str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text")).collect()
}

/// The panics of the crate's own code in these methods.
fn found_in<'f>(findings: &'f [Value], methods: &str) -> Vec<&'f Value> {
    let is_there = |finding: &&Value| {
        finding["place"]["file"] == "src/lib.rs"
            && finding["operation"].as_str().is_some_and(|path| path.starts_with(methods))
    };
    findings.iter().filter(is_there).collect()
}

#[test]
fn a_line_that_two_calls_lead_to_is_two_findings_and_the_methods_are_listed() {
    let fixture = Fixture::copy("causes");
    let output = fixture.run(&[&ARGS[..], &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let findings = findings(&output);
    let of_tape = found_in(&findings, "causes::Tape::");
    let ways: BTreeSet<BTreeSet<&str>> =
        of_tape.iter().map(|finding| texts(&finding["way"])).collect();
    let wanted = [BTreeSet::from(["halve", "push"]), BTreeSet::from(["skip"])];
    assert_eq!(ways, BTreeSet::from(wanted), "{of_tape:#?}");
    assert_eq!(of_tape.len(), 2, "{of_tape:#?}");
    let skip = of_tape.iter().find(|finding| texts(&finding["way"]).contains("skip"));
    let skip = skip.expect("one of the two");
    let mut methods = texts(&skip["siblings"]);
    methods.insert(skip["operation"].as_str().expect("a text"));
    let tape = ["finish", "is_at", "peek", "read"].map(|name| format!("causes::Tape::{name}"));
    let all: BTreeSet<&str> = tape.iter().map(String::as_str).collect();
    assert!(methods.is_superset(&all), "{methods:?}");
}

#[test]
fn what_fails_by_itself_is_not_explained_by_what_was_given_a_number() {
    let fixture = Fixture::copy("causes");
    let output = fixture.run(&[&ARGS[..], &["--format", "json"]].concat());
    let findings = findings(&output);
    let of_sack = found_in(&findings, "causes::Sack::");
    let operations: BTreeSet<&str> =
        of_sack.iter().map(|finding| finding["operation"].as_str().expect("a text")).collect();
    let wanted = ["causes::Sack::tighten", "causes::Sack::widen"];
    assert_eq!(operations, BTreeSet::from(wanted), "{of_sack:#?}");
    assert_eq!(of_sack.len(), 2, "{of_sack:#?}");
}

#[test]
fn a_law_that_the_iterators_of_a_collection_break_is_broken_once() {
    let fixture = Fixture::copy("causes");
    let output = fixture.run(&ARGS);
    let told = stdout(&output);
    let lines = || told.lines().map(str::trim);
    let broken = lines().filter(|line| line.starts_with("violation: does not hold: size_hint"));
    assert_eq!(broken.count(), 1, "{told}");
    let also = lines().filter(|line| line.starts_with("also: size_hint bounds the items, for"));
    assert_eq!(also.count(), 2, "{told}");
    // Nor is a panic of the standard library in two views of one thing told twice.
    let views = |line: &&str| line.contains("causes::Upper") || line.contains("causes::Lower");
    let panics = lines().filter(|line| line.starts_with("violation:")).filter(views);
    assert_eq!(panics.count(), 1, "{told}");
}

/// What is given up in the same words everywhere is told twice; what is said otherwise counts
/// for itself.
#[test]
fn one_state_that_many_methods_refuse_is_not_told_for_each() {
    let manifest = "[package]\nname = \"dial\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                    [workspace]\n";
    let method = |(n, words): (usize, &str)| {
        format!(
            "    pub fn part_{n}(&self) -> usize {{\n        match self.open {{\n            \
             false => {n},\n            true => unreachable!({words}),\n        }}\n    }}\n"
        )
    };
    let words = ["", "", "", "", "", "\"for another reason\""];
    let methods: String = words.into_iter().enumerate().map(method).collect();
    let library = format!(
        "#[derive(Default)]\npub struct Dial {{\n    open: bool,\n}}\n\nimpl Dial {{\n    \
         pub fn turn(&mut self) {{\n        self.open = !self.open;\n    }}\n{methods}}}\n"
    );
    let fixture = Fixture::make("dial", manifest, Some(&library));
    let output = fixture.run(&[&ARGS[..], &["--format", "json"]].concat());
    let findings = findings(&output);
    let parts = found_in(&findings, "dial::Dial::part_");
    let said = |finding: &&&Value| finding["what"].as_str().is_some_and(|s| s.contains("another"));
    assert_eq!((parts.len(), parts.iter().filter(said).count()), (3, 1), "{parts:#?}");
    let mut told = BTreeSet::new();
    for finding in &parts {
        told.extend(texts(&finding["siblings"]));
        told.insert(finding["operation"].as_str().expect("a text"));
    }
    let told: BTreeSet<&str> = told.into_iter().filter(|path| path.contains("part_")).collect();
    assert_eq!(told.len(), words.len(), "{parts:#?}");
}

/// What a call leaves in disorder is told once, whatever comes upon it; what fails without that
/// call counts for itself.
#[test]
fn a_state_that_a_call_spoils_is_told_once() {
    let manifest = "[package]\nname = \"crates\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                    [workspace]\n";
    let library = r#"
/// A row of bottles.
#[derive(Clone, Debug, Default)]
pub struct Row {
    bottles: Vec<u8>,
    len: usize,
}

impl Row {
    pub fn push(&mut self, bottle: u8) {
        self.bottles.push(bottle);
        self.len += 1;
    }

    pub fn pop(&mut self) -> Option<u8> {
        self.len = self.len.saturating_sub(1);
        self.bottles.pop()
    }

    pub fn turn(&mut self) {
        self.bottles.reverse();
    }

    /// Throws everything away.
    pub fn spill(&mut self) {
        self.bottles.clear();
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn iter(&self) -> std::slice::Iter<'_, u8> {
        self.bottles.iter()
    }

    pub fn first(&self) -> Option<u8> {
        (self.len > 0).then(|| self.bottles[0])
    }

    pub fn last(&self) -> Option<u8> {
        (self.len > 0).then(|| self.bottles[self.len - 1])
    }

    pub fn sum(&self) -> u32 {
        (0..self.len).map(|n| u32::from(self.bottles[n])).sum()
    }

    pub fn half(&self) -> Option<u8> {
        let half = self.bottles.len() / 2;
        (half > 1).then(|| self.bottles[half * 2])
    }
}
"#;
    let fixture = Fixture::make("crates", manifest, Some(library));
    let output = fixture.run(&[&ARGS[..], &["--format", "json"]].concat());
    let findings = findings(&output);
    let is_violation = |finding: &&Value| finding["severity"] == "violation";
    let violations: Vec<&Value> = findings.iter().filter(is_violation).collect();
    let (spilt, others): (Vec<&Value>, Vec<&Value>) =
        violations.iter().partition(|finding| texts(&finding["way"]).contains("spill"));
    assert_eq!(spilt.len(), 1, "{spilt:#?}");
    let told = texts(&spilt[0]["siblings"]);
    let told = told.iter().filter(|operation| operation.starts_with("crates::Row::")).count();
    assert!(told >= 2, "{spilt:#?}");
    let operations: Vec<&str> = others.iter().filter_map(|one| one["operation"].as_str()).collect();
    assert_eq!(operations, ["crates::Row::half"], "{others:#?}");
}
