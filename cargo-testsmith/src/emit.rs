//! Writes tests into the user's tree, and never over what a person changed.
//!
//! Every test was compiled and run in fresh processes before it is written;
//! one that does not compile, or does not fail each time, is left out and
//! counted.

use crate::finding::Finding;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;
use testsmith_lab::{Lab, TestRun};
use testsmith_model::Plan;
use testsmith_model::operation::Mount;
use testsmith_render::{Test, test_file};

/// The name of the file of failing tests.
pub const FAILURES: &str = "testsmith_failures.rs";

/// How often a test has to fail in fresh processes before it is kept.
pub const RUNS: usize = 3;

/// Keeps the findings whose tests compile and fail every time. Returns the
/// names of the others.
pub fn verify(lab: &Lab, plan: &Plan, findings: &mut Vec<Finding>) -> Result<Vec<String>> {
    let mut bad: BTreeSet<String> = BTreeSet::new();
    for _ in 0..RUNS {
        // What does not compile is taken out until the rest does.
        loop {
            let good: Vec<&Finding> =
                findings.iter().filter(|finding| !bad.contains(&finding.name)).collect();
            if good.is_empty() {
                break;
            }
            let tests: Vec<Test> = good.iter().map(|finding| finding.test()).collect();
            let source = test_file(plan, &tests);
            match lab.test(&source)? {
                TestRun::Refused(errors) => {
                    let names: BTreeSet<String> =
                        errors.keys().filter_map(|line| name_at(&source, *line)).collect();
                    if names.is_empty() {
                        anyhow::bail!("a file of tests does not compile: {errors:?}");
                    }
                    bad.extend(names);
                }
                TestRun::Ran { results, .. } => {
                    let passed = |finding: &&&Finding| {
                        finding.ignored.is_none() && results.get(&finding.name) != Some(&false)
                    };
                    bad.extend(good.iter().filter(passed).map(|finding| finding.name.clone()));
                    break;
                }
            }
        }
    }
    findings.retain(|finding| !bad.contains(&finding.name));
    Ok(bad.into_iter().collect())
}

/// The name of the test that a line belongs to.
fn name_at(source: &str, line: usize) -> Option<String> {
    let before = source.lines().take(line).collect::<Vec<_>>();
    let head = before.iter().rev().find(|text| text.starts_with("fn "))?;
    let name = head.strip_prefix("fn ")?.split('(').next()?;
    Some(name.to_owned())
}

/// Who a file belongs to.
#[derive(Debug, PartialEq, Eq)]
pub enum State {
    Missing,
    /// As we wrote it.
    Ours,
    /// Changed by somebody since, or never ours.
    Edited,
}

const MARK: &str = "// Written by cargo testsmith. Edit it and it is yours: ";

/// The first line names the hash of the rest.
pub fn state_of(file: &Path) -> Result<State> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(State::Missing),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", file.display()));
        }
    };
    let ours = text
        .strip_prefix(MARK)
        .and_then(|rest| rest.split_once('\n'))
        .is_some_and(|(mark, rest)| mark == mark_of(rest));
    Ok(if ours { State::Ours } else { State::Edited })
}

fn mark_of(text: &str) -> String {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    format!("it is only replaced while this number is right: {:016x}", hasher.finish())
}

/// What became of the file.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    Yes,
    Nothing,
    /// An old file of ours was removed, since nothing is found any more.
    Removed,
    /// It was edited, so it stays as it is.
    Kept,
}

/// Writes, updates or removes the file of failing tests.
pub fn write(file: &Path, plan: &Plan, findings: &[Finding]) -> Result<Written> {
    let why = || format!("cannot write {}", file.display());
    match (state_of(file)?, findings.is_empty()) {
        (State::Edited, _) => Ok(Written::Kept),
        (State::Missing, true) => Ok(Written::Nothing),
        (State::Ours, true) => {
            std::fs::remove_file(file).with_context(why)?;
            Ok(Written::Removed)
        }
        (_, false) => {
            let tests: Vec<Test> = findings.iter().map(Finding::test).collect();
            let mut body = test_file(plan, &tests);
            let refers = |mount: &&Mount| body.contains(&format!("{}::", mount.module));
            let mounts: Vec<String> =
                plan.mounts.iter().filter(refers).map(|mount| mount.item(file.parent())).collect();
            for mount in mounts {
                body.push('\n');
                body.push_str(&mount);
            }
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder).with_context(why)?;
            }
            let text = format!("{MARK}{}\n{body}", mark_of(&body));
            std::fs::write(file, text).with_context(why)?;
            Ok(Written::Yes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_ours_until_somebody_touches_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FAILURES);
        assert_eq!(state_of(&file).unwrap(), State::Missing);
        let body = "#[test]\nfn f() {}\n";
        std::fs::write(&file, format!("{MARK}{}\n{body}", mark_of(body))).unwrap();
        assert_eq!(state_of(&file).unwrap(), State::Ours);
        std::fs::write(&file, format!("{MARK}{}\n{body}// mine", mark_of(body))).unwrap();
        assert_eq!(state_of(&file).unwrap(), State::Edited);
    }

    #[test]
    fn a_line_belongs_to_the_test_above_it() {
        let source = "#[test]\nfn one() {\n    x\n}\n\n#[test]\nfn two() {\n    y\n}\n";
        assert_eq!(name_at(source, 3).as_deref(), Some("one"));
        assert_eq!(name_at(source, 8).as_deref(), Some("two"));
        assert_eq!(name_at(source, 1), None);
    }
}
