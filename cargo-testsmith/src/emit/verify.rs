//! Compiles tests and runs them in fresh processes, together and alone.
//!
//! A test is first tried as a person would write it, and if that is not what
//! the worker ran, with every type and path written out.

use anyhow::Result;
use std::collections::BTreeMap;
use testsmith_lab::{Lab, Profile, TestBuild, TestProgram, TestResults};
use testsmith_render::{Style, Test, TestEnding};

/// What can be written down as a test.
pub trait Emitted {
    fn test(&self) -> Test<'_>;
    fn set_style(&mut self, style: Style);
}

/// A test and what is expected of it.
struct Draft<'d> {
    test: Test<'d>,
    /// Whether it has to pass, or to fail.
    passes: bool,
    left_out: Option<String>,
}

impl Draft<'_> {
    /// Writes it out in full, or leaves it out if that was already so.
    fn demote(&mut self, why: &str) {
        match self.test.style {
            Style::Plain => self.test.style = Style::Explicit,
            Style::Explicit => self.leave_out(why),
        }
    }

    fn leave_out(&mut self, why: &str) {
        self.left_out.get_or_insert_with(|| why.to_owned());
    }

    fn is_ignored(&self) -> bool {
        matches!(self.test.ending, TestEnding::Ignored { .. })
    }
}

/// A test that is not written, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub name: String,
    pub why: String,
}

/// Runs with all tests in one process.
pub const RUNS: usize = 3;
/// Runs of a failing test alone: what fails by a chance of the hasher passes now
/// and then. What a passing test asserts was seen several times before.
const RUNS_ALONE: usize = 20;
/// The compiler tells of types first, then of borrows, then of lints, and each
/// test is tried in two ways; a few more make it safe.
const MAX_BUILDS: usize = 8;

const HARMFUL: &str = "it changes files, uses the network or starts programs";
const REFUSED: &str = "it does not compile";
const WRONG: &str = "it does not show what was seen";
const FLAKY: &str = "it does not end in the same way each time";
const DEPENDENT: &str = "it depends on the tests that run beside it";

/// Settles how each test is written: all have to pass, or all to fail. Returns
/// those that cannot be kept, which are also gone from `tests`. `compose` writes
/// the tests into one source in which every name is told once.
pub fn verify<T: Emitted>(
    lab: &Lab,
    tests: &mut Vec<T>,
    passes: bool,
    compose: &dyn Fn(&[&Test]) -> String,
) -> Result<Vec<LeftOut>> {
    let mut drafts: Vec<Draft> =
        tests.iter().map(|test| Draft { test: test.test(), passes, left_out: None }).collect();
    if let Some(program) = settle(lab, &mut drafts, compose)? {
        for run in 1..RUNS {
            // In one thread the order is that of the names.
            let threads = if run == 1 { "--test-threads=1" } else { "--test-threads=4" };
            check(&mut drafts, &program.run(&[threads])?, FLAKY);
        }
        let runs = if passes { 1 } else { RUNS_ALONE };
        run_alone(&mut drafts, &program, runs, |draft, results| {
            let passed = by_name(results).get(&draft.test.name).copied();
            match draft.is_ignored() {
                // It ends the process, so nothing is said of it.
                true if results.was_stopped => Some(HARMFUL),
                true => (passed == Some(true)).then_some(WRONG),
                false => (passed != Some(draft.passes)).then_some(DEPENDENT),
            }
        })?;
    }
    let ends: Vec<(Option<LeftOut>, Style)> = drafts
        .into_iter()
        .map(|draft| {
            let name = draft.test.name;
            (draft.left_out.map(|why| LeftOut { name, why }), draft.test.style)
        })
        .collect();
    let mut out = vec![];
    let mut ends = ends.into_iter();
    tests.retain_mut(|test| match ends.next() {
        Some((None, style)) => {
            test.set_style(style);
            true
        }
        Some((Some(left), _)) => {
            out.push(left);
            false
        }
        None => false,
    });
    Ok(out)
}

/// Runs each test that is left so many times in a process of its own, and leaves
/// it out for what `judge` has against it.
fn run_alone(
    drafts: &mut [Draft],
    program: &TestProgram,
    runs: usize,
    judge: impl Fn(&Draft, &TestResults) -> Option<&'static str>,
) -> Result<()> {
    let paths = paths(program)?;
    for draft in drafts.iter_mut().filter(|draft| draft.left_out.is_none()) {
        let path = paths.get(&draft.test.name).unwrap_or(&draft.test.name);
        // The only one of its name, whether it is ignored or not.
        for run in 0..runs {
            let results = program.run(&["--include-ignored", "--exact", path])?;
            if let Some(why) = judge(draft, &results) {
                draft.leave_out(if run == 0 || why == HARMFUL { why } else { FLAKY });
                break;
            }
        }
    }
    Ok(())
}

/// Compiles and runs until every draft that is left ends as it should.
fn settle(
    lab: &Lab,
    drafts: &mut [Draft],
    compose: &dyn Fn(&[&Test]) -> String,
) -> Result<Option<TestProgram>> {
    for _ in 0..MAX_BUILDS {
        let tests: Vec<&Test> =
            drafts.iter().filter(|draft| draft.left_out.is_none()).map(|d| &d.test).collect();
        if tests.is_empty() {
            return Ok(None);
        }
        let source = compose(&tests);
        match lab.build_tests(Profile::Unoptimised, &source)? {
            TestBuild::Refused(errors) => {
                let mut told = BTreeMap::new();
                for (line, why) in &errors {
                    if let Some(name) = name_at(&source, *line) {
                        told.entry(name).or_insert_with(|| format!("{REFUSED}: {why}"));
                    }
                }
                if told.is_empty() {
                    anyhow::bail!("a file of tests does not compile: {errors:?}");
                }
                demote(drafts, &told);
            }
            TestBuild::Built(program) => {
                let results = program.run(&[])?;
                if results.was_stopped {
                    run_alone(drafts, &program, 1, |_, results| {
                        results.was_stopped.then_some(HARMFUL)
                    })?;
                    continue;
                }
                let results = by_name(&results);
                let wrong: BTreeMap<String, String> = drafts
                    .iter()
                    .filter(|draft| draft.left_out.is_none() && !draft.is_ignored())
                    .filter(|draft| results.get(&draft.test.name) != Some(&draft.passes))
                    .map(|draft| (draft.test.name.clone(), WRONG.to_owned()))
                    .collect();
                if wrong.is_empty() {
                    return Ok(Some(program));
                }
                demote(drafts, &wrong);
            }
        }
    }
    for draft in drafts {
        draft.leave_out(REFUSED);
    }
    Ok(None)
}

/// Demotes the drafts that are named, for what is told of them.
fn demote(drafts: &mut [Draft], told: &BTreeMap<String, String>) {
    for draft in drafts.iter_mut() {
        if let Some(why) = told.get(&draft.test.name) {
            draft.demote(why);
        }
    }
}

fn check(drafts: &mut [Draft], results: &TestResults, why: &str) {
    let results = by_name(results);
    for draft in drafts.iter_mut().filter(|draft| !draft.is_ignored()) {
        if results.get(&draft.test.name) != Some(&draft.passes) {
            draft.leave_out(why);
        }
    }
}

/// Results by the last word of their paths.
fn by_name(results: &TestResults) -> BTreeMap<String, bool> {
    let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
    results.passed.iter().map(|(path, passed)| (last(path), *passed)).collect()
}

/// The paths of all tests inside the program, modules included, by their names.
fn paths(program: &TestProgram) -> Result<BTreeMap<String, String>> {
    let listed = program.run(&["--list", "--format=terse"])?.output;
    let paths = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    let named = |path: &str| (path.rsplit("::").next().unwrap_or(path).to_owned(), path.to_owned());
    Ok(paths.map(named).collect())
}

/// The name of the test that a line belongs to.
pub(super) fn name_at(source: &str, line: usize) -> Option<String> {
    let before = source.lines().take(line).collect::<Vec<_>>();
    let head = before.iter().rev().find(|text| text.starts_with("fn "))?;
    let name = head.strip_prefix("fn ")?.split('(').next()?;
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_belongs_to_the_test_above_it() {
        let source = "#[test]\nfn one() {\n    x\n}\n\n#[test]\nfn two() {\n    y\n}\n";
        assert_eq!(name_at(source, 3).as_deref(), Some("one"));
        assert_eq!(name_at(source, 8).as_deref(), Some("two"));
        assert_eq!(name_at(source, 1), None);
    }
}
