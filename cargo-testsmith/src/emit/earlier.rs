//! The regression tests of an earlier run against the crate as it is now.
//!
//! A test that was true and no longer is shows a change. It must not vanish
//! just because a new run would write another one in its place.

use super::source::{TestItem, TestSource};
use anyhow::Result;
use std::collections::BTreeMap;
use testsmith_lab::{CompileError, Lab, Profile, TestBuild, TestSources};

/// A test on disk that the crate does not pass any more.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Changed {
    pub test: String,
    pub why: String,
}

/// Each round takes out what does not compile.
const MAX_BUILDS: usize = 8;
/// An import is not at fault if what used it is not asked any more.
const LINTS: &str = "allow(unused_imports, dead_code)";

/// Runs those tests of the modules on disk that are not also among the new
/// ones, and says which fail.
pub fn changed(
    lab: &Lab,
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Result<Vec<Changed>> {
    let mut changed = vec![];
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for (module, text) in old {
        match TestSource::read(text) {
            Ok(source) => files
                .extend(without_known(&source, new.get(module)).map(|text| (module.clone(), text))),
            Err(why) => changed
                .push(Changed { test: module.clone(), why: format!("it does not compile: {why}") }),
        }
    }
    for _ in 0..MAX_BUILDS {
        if files.is_empty() {
            break;
        }
        let sources = TestSources { files: &files, folder: None, lints: LINTS };
        match lab.build_tests(Profile::Unoptimised, &sources)? {
            TestBuild::Built(program) => {
                let results = program.run(&[])?;
                if let Some(why) = &results.unwatched {
                    anyhow::bail!("the regression tests cannot be run safely here: {why}");
                }
                for (path, _) in results.passed.iter().filter(|(_, passed)| !**passed) {
                    let why = reason(&results.output, path);
                    changed.push(Changed { test: path.clone(), why: format!("it fails: {why}") });
                }
                break;
            }
            TestBuild::Refused(refusals) => take_out(&mut files, &refusals, &mut changed),
        }
    }
    Ok(changed)
}

/// A module without the tests that are the same in the new suite; none if that
/// leaves nothing to ask.
fn without_known(source: &TestSource, new: Option<&String>) -> Option<String> {
    let known = new.and_then(|text| TestSource::read(text).ok());
    let is_known = |test: &TestItem| {
        known.as_ref().is_some_and(|known| known.tests.iter().any(|other| other.text == test.text))
    };
    let rest = source.tests.iter().any(|test| !is_known(test));
    rest.then(|| source.without(is_known))
}

/// Takes the tests that do not compile out of their modules, or a whole module if
/// it is none of its tests that does not.
fn take_out(
    files: &mut BTreeMap<String, String>,
    refusals: &[CompileError],
    changed: &mut Vec<Changed>,
) {
    let mut modules: BTreeMap<&str, Vec<&CompileError>> = BTreeMap::new();
    for refusal in refusals {
        modules.entry(&refusal.module).or_default().push(refusal);
    }
    for (module, refusals) in modules {
        let Some(source) = files.get(module).and_then(|text| TestSource::read(text).ok()) else {
            files.remove(module);
            continue;
        };
        // Above the first test: an import that is gone takes all of them along.
        let outside = refusals.iter().find(|refusal| source.test_at(refusal.line).is_none());
        let why_not = |test: &TestItem| {
            let at = |refusal: &&&CompileError| source.test_at(refusal.line) == Some(test);
            refusals.iter().find(at).or(outside).map(|refusal| refusal.why.as_str())
        };
        for test in &source.tests {
            if let Some(why) = why_not(test) {
                let why = format!("it does not compile: {why}");
                changed.push(Changed { test: format!("{module}::{}", test.name), why });
            }
        }
        match source.tests.iter().all(|test| why_not(test).is_some()) {
            true => drop(files.remove(module)),
            false => {
                let rest = source.without(|test| why_not(test).is_some());
                files.insert(module.to_owned(), rest);
            }
        }
    }
}

/// The first line that a failed test printed of its own.
fn reason(output: &str, path: &str) -> String {
    let words = output.split(&format!("---- {path} stdout ----")).nth(1).unwrap_or_default();
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    // Where it panicked is the line before what it said.
    let said: Vec<&str> =
        lines.by_ref().filter(|line| !line.starts_with("thread '")).take(3).collect();
    match said.as_slice() {
        [] => "it did not end as before".to_owned(),
        said => said.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! About.\n\nuse a::Shelf;\n\n/// One.\n#[test]\nfn one() {\n    x();\n}\n\n\
                        #[test]\nfn two() {\n    y();\n}\n";

    #[test]
    fn an_error_takes_out_its_test_or_the_whole_module() {
        let check = |at: &str, left: &[&str], gone: &[&str]| {
            let line = TEXT.lines().position(|line| line.contains(at)).unwrap() + 1;
            let refusal = CompileError { module: "shelf".to_owned(), line, why: "why".to_owned() };
            let mut files = BTreeMap::from([("shelf".to_owned(), TEXT.to_owned())]);
            let mut changed = vec![];
            take_out(&mut files, &[refusal.clone(), refusal], &mut changed);
            let sources: Vec<TestSource> =
                files.values().map(|text| TestSource::read(text).unwrap()).collect();
            let rest: Vec<&str> = sources
                .iter()
                .flat_map(|s| s.tests.iter().map(|test| test.name.as_str()))
                .collect();
            assert_eq!(rest, left);
            assert_eq!(changed.iter().map(|c| c.test.as_str()).collect::<Vec<_>>(), gone);
        };
        check("y();", &["one"], &["shelf::two"]);
        check("use a::Shelf", &[], &["shelf::one", "shelf::two"]);
    }

    #[test]
    fn tests_that_the_new_suite_has_too_are_not_asked_again() {
        let source = TestSource::read(TEXT).unwrap();
        assert_eq!(without_known(&source, Some(&TEXT.to_owned())), None);
        let new = TEXT.replace("y()", "z()");
        let rest = without_known(&source, Some(&new)).unwrap();
        assert!(rest.contains("fn two") && !rest.contains("fn one"), "{rest}");
    }
}
