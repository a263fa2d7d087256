//! Every law is broken by one type of its fixture and kept by another that
//! only seems to break it.

mod support;

use serde_json::Value;
use support::{Fixture, findings, stderr};
use testsmith_plan::Law;

/// The claims that were found broken, as `law, for type`, with how much that counts.
fn broken(fixture: &Fixture) -> Vec<(String, String)> {
    let args = ["--calls", "8000000", "--seed", "1", "--quiet", "--no-write", "--format", "json"];
    let output = fixture.run(&args);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let text = |finding: &Value, key: &str| finding[key].as_str().expect("a text").to_owned();
    let claim = |finding: &Value| (text(finding, "operation"), text(finding, "severity"));
    findings(&output).iter().map(claim).collect()
}

#[test]
fn every_broken_type_is_reported_for_its_law_and_no_sound_one_is() {
    let fixture = Fixture::copy("laws");
    let broken = broken(&fixture);
    let is_sound = |(claim, _): &&(String, String)| claim.contains("::Sound");
    let wrong: Vec<_> = broken.iter().filter(is_sound).collect();
    assert!(wrong.is_empty(), "reported, but sound: {wrong:#?}");
    let found = |file: &str, law: &Law| {
        let ty = format!(", for laws::{file}::Broken");
        let violations = broken.iter().filter(|(_, severity)| severity == "violation");
        let mut claims = violations.filter_map(|(claim, _)| claim.strip_suffix(&ty));
        claims.any(|claim| testsmith_plan::law(claim).is_some_and(|it| std::ptr::eq(it, law)))
    };
    let laws = testsmith_plan::LAWS.iter();
    let missed: Vec<&str> =
        laws.filter(|(file, law)| !found(file, law)).map(|(file, _)| *file).collect();
    assert!(missed.is_empty(), "not found: {missed:#?}, but only {broken:#?}");
}
