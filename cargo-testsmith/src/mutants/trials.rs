//! Judges the mutants: each by the tests that reach it, the likeliest killer first.
//!
//! A mutant that no test reaches survives without a run, and what the last run found out still
//! holds where nothing that it depends on changed.

use super::baseline::Baseline;
use super::build::Built;
use super::choose::Chosen;
use super::kept::{Kept, Known};
use super::pool::{Hand, Pool};
use super::sources::Sources;
use crate::args::Mutants;
use crate::console::Console;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use testsmith_lab::mutants::{End, Run, RunEnd};

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// A test failed.
    Killed {
        by: String,
    },
    /// It ended the process, or ran out of memory.
    Crashed {
        by: String,
        signal: i32,
    },
    /// It would not have ended.
    TimedOut {
        by: String,
    },
    Survived,
    Unreached,
    /// The compiler refused it.
    Withdrawn {
        why: String,
    },
}

pub struct Trial {
    pub mutant: u32,
    pub verdict: Verdict,
    /// Tests that reach it.
    pub reached_by: Vec<usize>,
    /// Whether the verdict is that of the last run.
    pub is_kept: bool,
    /// Processes that it took.
    pub runs: usize,
    pub cpu: Duration,
}

/// A process may take in further tests while they would add no more than twice what the mutant
/// has cost so far, or this.
const CHEAP: Duration = Duration::from_millis(2);
/// What a process costs beside its tests.
const FORK: Duration = Duration::from_micros(500);
/// How much longer than without mutants a run may take, and what it may take in any case.
const TIMES: u32 = 10;
const AT_LEAST: Duration = Duration::from_millis(250);
const VISITS_AT_LEAST: u64 = 1_000_000;
/// What only waits uses no processor; it gets this much more of our time.
const WAITING: Duration = Duration::from_secs(5);

/// What is known before the first trial.
pub struct Before<'b> {
    pub sources: &'b Sources,
    pub chosen: &'b Chosen,
    pub built: &'b Built,
    pub baseline: &'b Baseline,
    pub kept: &'b Kept,
}

pub fn run(
    before: &Before,
    options: &Mutants,
    pool: &Pool,
    console: &Console,
) -> Result<Vec<Trial>> {
    let Before { sources, chosen, built, baseline, kept } = *before;
    let mutants: Vec<_> = sources.mutants().filter(|(_, m)| chosen.contains(&m.id)).collect();
    let is_written = |id: &u32| chosen.contains(id) && !built.withdrawn.contains_key(id);
    let touched = kept.touched(baseline, is_written);
    let kills: Kills = Mutex::default();
    let (done, survived) = (AtomicUsize::new(0), AtomicUsize::new(0));
    console.say(&format!("judging {} mutants", mutants.len() - built.withdrawn.len()));
    pool.each(mutants.len(), |hand, n| {
        let (file, mutant) = mutants[n];
        let none = |verdict| Trial {
            mutant: mutant.id,
            verdict,
            reached_by: vec![],
            is_kept: false,
            runs: 0,
            cpu: Duration::ZERO,
        };
        if let Some(why) = built.withdrawn.get(&mutant.id) {
            return Ok(none(Verdict::Withdrawn { why: why.clone() }));
        }
        let place = file.source.place_of(mutant.id);
        let Some(reached_by) = baseline.reached.get(&place) else {
            return Ok(none(Verdict::Unreached));
        };
        let mut order = order(reached_by, &mutant.function, baseline, &kills);
        match kept.known(mutant.id, reached_by, touched.as_ref(), baseline) {
            Known::Verdict(verdict) => {
                let reached_by = reached_by.clone();
                return Ok(Trial { reached_by, is_kept: true, ..none(verdict) });
            }
            Known::Killer(first) => order.sort_by_key(|test| *test != first),
            Known::Nothing => {}
        }
        let mut trial = Trial { reached_by: reached_by.clone(), ..none(Verdict::Survived) };
        judge(&mut trial, &order, baseline, options, hand, &mut |test, killed| {
            let mut kills = kills.lock().unwrap_or_else(PoisonError::into_inner);
            let known = kills.entry((mutant.function.clone(), test)).or_default();
            *known = (known.0 + u32::from(killed), known.1 + 1);
        })?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if trial.verdict == Verdict::Survived {
            survived.fetch_add(1, Ordering::Relaxed);
        }
        console.tell(&format!(
            "judging mutants: {done} of {}, {} survived",
            mutants.len() - built.withdrawn.len(),
            survived.load(Ordering::Relaxed)
        ));
        Ok(trial)
    })
}

/// By function and test: how many mutants it killed, of how many that it met.
type Kills = Mutex<BTreeMap<(String, usize), (u32, u32)>>;

/// Whoever is likely to kill for little comes first: killed in the same function so far, and
/// how long it takes.
fn order(tests: &[usize], function: &str, baseline: &Baseline, kills: &Kills) -> Vec<usize> {
    let kills = kills.lock().unwrap_or_else(PoisonError::into_inner);
    let worth = |test: usize| {
        let known = kills.get(&(function.to_owned(), test));
        let (killed, met) = known.copied().unwrap_or_default();
        let likely = (f64::from(killed) + 0.5) / f64::from(met + 1);
        likely / (baseline.tests[test].cpu + FORK).as_secs_f64()
    };
    let mut order: Vec<(f64, usize)> = tests.iter().map(|test| (worth(*test), *test)).collect();
    order.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
    order.into_iter().map(|(_, test)| test).collect()
}

/// The next tests of one process: all of one executable.
fn next_batch(rest: &[usize], baseline: &Baseline, spent: Duration) -> Vec<usize> {
    let of = |test: usize| &baseline.tests[test];
    let of_it = rest.iter().copied().filter(|test| of(*test).executable == of(rest[0]).executable);
    let (mut batch, mut cost) = (vec![], Duration::ZERO);
    for test in of_it {
        cost += of(test).cpu;
        // The first one mostly kills.
        if !batch.is_empty() && (spent.is_zero() || cost > CHEAP.max(spent * 2)) {
            break;
        }
        batch.push(test);
    }
    let names: Vec<&str> = batch.iter().map(|test| of(*test).name.as_str()).collect();
    batch.truncate(Run::fitting(&names).max(1));
    batch
}

fn judge(
    trial: &mut Trial,
    order: &[usize],
    baseline: &Baseline,
    options: &Mutants,
    hand: &mut Hand,
    learn: &mut dyn FnMut(usize, bool),
) -> Result<()> {
    let mut rest = order.to_vec();
    while !rest.is_empty() {
        let batch = &next_batch(&rest, baseline, trial.cpu)[..];
        rest.retain(|test| !batch.contains(test));
        let names: Vec<&str> =
            batch.iter().map(|test| baseline.tests[*test].name.as_str()).collect();
        let executable = &baseline.executables[baseline.tests[batch[0]].executable];
        let run = limited(trial.mutant, &names, batch, baseline, options);
        let end = hand.run(executable, &run)?;
        let Some(end) = end else { continue };
        trial.runs += 1;
        trial.cpu += end.cpu;
        let killer = (end.end != End::Passed).then(|| killer(&end, batch, &names));
        batch.iter().for_each(|test| learn(*test, Some(*test) == killer));
        let Some(killer) = killer else { continue };
        let by = baseline.name(killer);
        trial.verdict = match end.end {
            End::Looped | End::Late => Verdict::TimedOut { by },
            End::Crashed(signal) => Verdict::Crashed { by, signal },
            End::Failed | End::Passed => Verdict::Killed { by },
        };
        return Ok(());
    }
    Ok(())
}

fn limited<'t>(
    mutant: u32,
    tests: &'t [&'t str],
    batch: &[usize],
    baseline: &Baseline,
    options: &Mutants,
) -> Run<'t> {
    let of = |test: &usize| &baseline.tests[*test];
    let visits: u64 = batch.iter().map(|test| of(test).visits).sum();
    let usual: Duration = batch.iter().map(|test| of(test).cpu).sum();
    let cpu = options.timeout.unwrap_or(usual * TIMES + AT_LEAST);
    let visits = visits.saturating_mul(TIMES.into()).saturating_add(VISITS_AT_LEAST);
    Run { mutant, tests, visits, cpu, wall: cpu * 2 + WAITING }
}

/// The test that failed first, as far as the output says; in any case one of the batch.
fn killer(end: &RunEnd, batch: &[usize], names: &[&str]) -> usize {
    let failed = |line: &str| {
        let (name, result) = line.strip_prefix("test ")?.split_once(" ...")?;
        let name = name.trim_end_matches(" - should panic");
        let is_ok = result.trim() == "ok";
        (!is_ok).then(|| names.iter().position(|known| *known == name)).flatten()
    };
    batch[end.output.lines().find_map(failed).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_killer_is_the_test_that_failed_or_did_not_end() {
        let check = |output: &str| {
            let end = RunEnd {
                end: End::Failed,
                visits: 0,
                cpu: Duration::ZERO,
                output: output.to_owned(),
                reached: vec![],
            };
            killer(&end, &[5, 6, 7], &["a", "b", "c"])
        };
        assert_eq!(check("running 3 tests\ntest a ... ok\ntest b ... FAILED\ntest c ... ok\n"), 6);
        assert_eq!(check("test a ... ok\ntest b - should panic ... ok\ntest c ... "), 7);
        assert_eq!(check("nothing of this kind"), 5);
    }
}
