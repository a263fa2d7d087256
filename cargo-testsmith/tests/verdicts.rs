//! Each rule of the policy decides what it is there for.

mod support;

use serde_json::Value;
use support::{Fixture, findings, root, stderr};

#[test]
fn each_panic_is_judged_by_the_rule_for_it() {
    let fixture = Fixture::copy("verdicts");
    let args = ["--calls", "150000", "--seed", "1", "--quiet", "--no-write", "--format", "json"];
    let output = fixture.run(&args);
    let findings = findings(&output);
    assert!(!findings.is_empty(), "{}", stderr(&output));
    let text = |finding: &Value, field: &str| finding[field].as_str().expect("a text").to_owned();
    let expected = std::fs::read_to_string(root().join("fixtures/verdicts/expected.txt"))
        .expect("the list is there");
    for line in expected.lines() {
        let (path, rule) = line.split_once(" | ").expect("a path and a rule");
        let about: Vec<String> = findings
            .iter()
            .filter(|finding| text(finding, "operation").contains(path))
            .map(|finding| text(finding, "rule"))
            .collect();
        let wanted: &[&str] = if rule == "nothing" { &[] } else { &[rule] };
        assert_eq!(about, wanted, "{path}: {findings:#?}");
    }
}
