//! The tests without mutants: they must pass, together and each alone, and what each reaches
//! is noted.

use super::build::Built;
use super::pool::Pool;
use crate::console::Console;
use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use testsmith_lab::mutants::{End, RECORDING, Run, RunEnd, TestExecutable, Tests};

/// What the tests do without mutants.
pub struct Baseline {
    pub executables: Vec<TestExecutable>,
    pub tests: Vec<Test>,
    /// By the first mutant of a place, the tests that reach it.
    pub reached: BTreeMap<u32, Vec<usize>>,
    /// Targets that were left out, and why.
    pub left_out: Vec<(String, &'static str)>,
    /// What this machine lacks to confine tests.
    pub missing: Vec<String>,
}

pub struct Test {
    pub executable: usize,
    pub name: String,
    pub visits: u64,
    pub cpu: Duration,
}

impl Baseline {
    /// A test as people find it: the target and the name.
    pub fn name(&self, test: usize) -> String {
        let Test { executable, name, .. } = &self.tests[test];
        format!("{}::{name}", self.executables[*executable].target)
    }
}

/// Without mutants nothing is cut short, unless it hangs.
const LIMIT: Duration = Duration::from_secs(600);

/// Where tests are going to be written, there need not be any before.
pub fn run(
    tests: &Tests,
    built: &Built,
    pool: &Pool,
    console: &Console,
    may_be_none: bool,
) -> Result<Baseline> {
    let (mut executables, mut left_out) = (vec![], vec![]);
    for (target, path) in &built.executables {
        match tests.list(target, path)? {
            None => left_out.push((target.clone(), "has a main function of its own")),
            Some(found) if found.tests.is_empty() => {}
            Some(found) => executables.push(found),
        }
    }
    let mut missing = BTreeSet::new();
    // What does not link the package cannot reach a mutant.
    let mut serving = vec![];
    let served = pool.each(executables.len(), |hand, n| {
        let server = hand.server(&executables[n])?;
        Ok(server.map(|server| server.missing.clone()))
    })?;
    for (executable, served) in executables.into_iter().zip(served) {
        match served {
            Some(lacks) => {
                missing.extend(lacks);
                serving.push(executable);
            }
            None => left_out.push((executable.target, "calls nothing of the package")),
        }
    }
    let executables = serving;
    let named = |(n, executable): (usize, &TestExecutable)| {
        let names = executable.tests.clone().into_iter();
        names.map(move |name| (n, name)).collect::<Vec<_>>()
    };
    let names: Vec<(usize, String)> = executables.iter().enumerate().flat_map(named).collect();
    if names.is_empty() && !may_be_none {
        bail!(no_tests(&left_out));
    }
    console.say(&format!("running {} tests without mutants", names.len()));
    let ends = pool.each(names.len(), |hand, n| {
        let (executable, name) = &names[n];
        let name = [name.as_str()];
        let end = hand.run(&executables[*executable], &run_of(RECORDING, &name))?;
        end.ok_or_else(|| anyhow::anyhow!("a test executable no longer starts"))
    })?;
    check_alone(&names, &ends)?;
    check_together(&executables, pool)?;
    let mut reached: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let mut tests = vec![];
    for (n, ((executable, name), end)) in names.into_iter().zip(ends).enumerate() {
        for place in end.reached {
            reached.entry(place).or_default().push(n);
        }
        tests.push(Test { executable, name, visits: end.visits, cpu: end.cpu });
    }
    let missing = missing.into_iter().collect();
    Ok(Baseline { executables, tests, reached, left_out, missing })
}

fn run_of<'t>(mutant: u32, tests: &'t [&'t str]) -> Run<'t> {
    Run { mutant, tests, visits: u64::MAX, cpu: LIMIT, wall: LIMIT }
}

fn no_tests(left_out: &[(String, &'static str)]) -> String {
    let mut text = "there are no tests that could notice a mutant".to_owned();
    for (target, why) in left_out {
        text.push_str(&format!("\n  {target} {why}"));
    }
    text
}

fn check_alone(names: &[(usize, String)], ends: &[RunEnd]) -> Result<()> {
    let failed: Vec<(&String, &RunEnd)> = names
        .iter()
        .zip(ends)
        .filter(|(_, end)| end.end != End::Passed)
        .map(|((_, name), end)| (name, end))
        .collect();
    let Some((name, end)) = failed.first() else { return Ok(()) };
    let all: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).take(10).collect();
    bail!(
        "{} of {} tests fail without any mutant, each run alone: {}\n\
         They may change files outside of the package, which is refused unless --no-sandbox is \
         given; or need another test to run before them. Of {name}:\n{}",
        failed.len(),
        names.len(),
        all.join(", "),
        told(end)
    )
}

/// Many tests are run in one process later.
fn check_together(executables: &[TestExecutable], pool: &Pool) -> Result<()> {
    pool.each(executables.len(), |hand, n| {
        let all: Vec<&str> = executables[n].tests.iter().map(String::as_str).collect();
        let mut rest = &all[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(Run::fitting(rest).max(1));
            let end = hand.run(&executables[n], &run_of(0, now))?;
            if let Some(end) = end.filter(|end| end.end != End::Passed) {
                bail!(
                    "the tests of {} pass each alone and fail together, without any mutant: they \
                     are flaky, or depend on each other\n{}",
                    executables[n].target,
                    told(&end)
                );
            }
            rest = later;
        }
        Ok(())
    })?;
    Ok(())
}

fn told(end: &RunEnd) -> String {
    match end.end {
        End::Late => "it did not end within ten minutes".to_owned(),
        End::Crashed(signal) => format!("signal {signal} ended it\n{}", end.output.trim()),
        _ => end.output.trim().to_owned(),
    }
}
