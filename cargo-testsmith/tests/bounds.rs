//! What goes wrong where something is large or at its end is found, shown by a test that a
//! person would write, and judged by the rule for it; its neighbours are not reported.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use support::{Fixture, root, rules, stderr};

#[test]
fn large_things_and_right_positions_are_found_and_their_neighbours_are_not() {
    let fixture = Fixture::copy("bounds");
    let plain = ["--calls", "400000", "--quiet", "--suspicious", "--format", "json"];
    // Each module is searched by itself: the fewer operations, the less hangs on the draw. What is
    // large is drawn seldom, so it is searched twice; those tests are looked at, too.
    let searches = [
        ("bounds::rooms::", "1"),
        ("bounds::positions::", "1"),
        ("bounds::large::", "2"),
        ("bounds::large::", "3"),
    ];
    let mut findings = vec![];
    for (module, seed) in searches {
        let output = fixture.run(&[&plain[..], &["--only", module, "--seed", seed]].concat());
        assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
        findings.extend(support::findings(&output));
    }
    let text = |finding: &Value, key: &str| finding[key].as_str().expect("a text").to_owned();
    for (path, rule) in rules("bounds") {
        let is_it = |finding: &&Value| {
            let operation = text(finding, "operation");
            operation.ends_with(&path) || operation.contains(&format!("{path}::"))
        };
        let about: BTreeSet<String> =
            findings.iter().filter(is_it).map(|finding| text(finding, "rule")).collect();
        assert_eq!(about, BTreeSet::from([rule]), "{path}: {findings:#?}");
    }
    let silent = std::fs::read_to_string(root().join("fixtures/bounds/silent.txt"));
    for path in silent.expect("the list is there").lines() {
        let operation = |finding: &Value| text(finding, "operation");
        assert!(findings.iter().all(|finding| !operation(finding).contains(path)), "{path}");
    }
    let tests = std::fs::read_to_string(fixture.path().join("tests/testsmith_failures.rs"))
        .expect("tests were written");
    assert!(tests.contains("\"[\".repeat("), "{tests}");
    assert!(tests.contains(".collect::<Vec<_>>()") || tests.contains("vec!["), "{tests}");
    assert!(tests.lines().all(|line| line.len() < 200), "a literal is written out: {tests}");
}
