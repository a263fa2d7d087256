//! What the compiler and the runner say, by the names of the tests that it is about.

use super::source::TestSource;
use std::collections::BTreeMap;
use testsmith_lab::{CompileError, TestResults};

/// Errors by the names of the tests that they are in. A file that is no Rust names none.
pub(super) fn named(
    files: &BTreeMap<String, String>,
    refusals: &[CompileError],
) -> BTreeMap<String, String> {
    let mut told = BTreeMap::new();
    for refusal in refusals {
        let source = files.get(&refusal.module).and_then(|text| TestSource::read(text).ok());
        if let Some(test) = source.as_ref().and_then(|source| source.test_at(refusal.line)) {
            told.entry(test.name.clone()).or_insert_with(|| refusal.why.clone());
        }
    }
    told
}

/// Whether the process got as far as to begin its one test.
pub(super) fn ran_one(results: &TestResults) -> bool {
    results.output.lines().any(|line| line == "running 1 test")
}

pub(super) fn last_word(path: &str) -> String {
    path.rsplit("::").next().unwrap_or(path).to_owned()
}

/// Results by the last word of their paths.
pub(super) fn by_name(results: &TestResults) -> BTreeMap<String, bool> {
    results.passed.iter().map(|(path, passed)| (last_word(path), *passed)).collect()
}
