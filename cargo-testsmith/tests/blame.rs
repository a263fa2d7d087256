//! Who is to blame for a failure is told from what the caller gave: each row of the fixture is
//! judged by its rule, and nothing else is.

mod support;

use serde_json::Value;
use support::{Fixture, findings, rules, stderr};

#[test]
fn what_nobody_asked_for_is_a_violation_and_what_looks_alike_is_not() {
    let fixture = Fixture::copy("blame");
    let args = ["--calls", "300000", "--seed", "1", "--quiet", "--no-write", "--format", "json"];
    let output = fixture.run(&args);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let findings = findings(&output);
    let text = |finding: &Value, key: &str| finding[key].as_str().expect("a text").to_owned();
    for (path, rule) in rules("blame") {
        let is_it = |finding: &&Value| text(finding, "operation").starts_with(&path);
        let about: Vec<String> =
            findings.iter().filter(is_it).map(|finding| text(finding, "rule")).collect();
        assert_eq!(about, [rule], "{path}: {findings:#?}");
    }
}
