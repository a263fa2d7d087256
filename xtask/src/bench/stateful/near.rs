//! Exceptions to what nearly all calls keep: what is reported of published crates.
//!
//! On sound versions every report is one too many. On versions with a known bug a report
//! counts if the version without the bug does not have it; whether it tells of that bug is
//! for people to say, so all are printed.

use super::faults::published;
use crate::bench::{CRATES, known_bugs, report_of};
use anyhow::{Context, Result};
use serde_json::Value;

/// `near CALLS [known [NAME …] | NAME@VERSION …]`
pub(super) fn run(calls: u64, wanted: &[String]) -> Result<()> {
    println!("{calls} random calls, and what stateful testing makes beside them");
    if let Some(("known", names)) = wanted.split_first().map(|(word, rest)| (word.as_str(), rest)) {
        return known(calls, names);
    }
    let all: Vec<&str> = match wanted {
        [] => CRATES.to_vec(),
        some => some.iter().map(String::as_str).collect(),
    };
    let mut reports = 0;
    for krate in &all {
        match search(krate, calls) {
            Ok(found) => {
                println!("{krate:<32} {:>3} reports", found.len());
                found.iter().for_each(|one| println!("{one}"));
                reports += found.len();
            }
            Err(error) => println!("{krate:<32} {error:#}"),
        }
    }
    println!("{reports} reports in {} crates", all.len());
    Ok(())
}

/// Versions with a known bug, and those of them without where something was told.
fn known(calls: u64, names: &[String]) -> Result<()> {
    for (krate, buggy, fixed) in known_bugs::versions(names)? {
        let of = |version: &str| search(&format!("{krate}@{version}"), calls);
        match of(&buggy) {
            Ok(found) if found.is_empty() => println!("{krate} {buggy}: nothing"),
            Ok(found) => {
                let sound = if fixed.is_empty() { vec![] } else { of(&fixed)? };
                println!("{krate} {buggy}: {} reports, {fixed}: {}", found.len(), sound.len());
                found.iter().for_each(|one| println!("{one}"));
                sound.iter().for_each(|one| println!("in {fixed}: {one}"));
            }
            Err(error) => println!("{krate} {buggy}: {error:#}"),
        }
    }
    Ok(())
}

/// What is reported of one crate, each with the calls that show it.
fn search(krate: &str, calls: u64) -> Result<Vec<String>> {
    let mut command = published(krate)?;
    command.args(["--no-write", "--no-regressions", "--format", "json", "--seed", "0"]);
    command.args(["--calls", &calls.to_string()]);
    let (findings, _) = report_of(&command.output().context("cargo-testsmith is built")?)?;
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let is_exception = |finding: &&Value| text(finding, "class").starts_with("exception: ");
    let told = |finding: &Value| {
        let (what, why) = (text(finding, "what"), text(finding, "reason"));
        format!("  {what}\n  {why}\n{}\n  passes:\n{}", text(finding, "test"), finding["passing"])
    };
    Ok(findings.iter().filter(is_exception).map(told).collect())
}
