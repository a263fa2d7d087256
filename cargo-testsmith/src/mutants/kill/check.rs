//! Compiles and runs what was chosen: it has to pass on the original and to fail on its mutants.
//!
//! On the original as every test that is written; on the mutants in the copy that holds them
//! all, in a process for each. What fails on none is left out, and the rest is compiled and run
//! again: the bytes that come out are bytes that were run, on both.

use super::Kill;
use super::killer::{Killer, TARGET};
use crate::emit::{Destination, LeftOut, killers, marked, merged, verify};
use crate::mutants::pool::Hand;
use crate::pipeline::Session;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use testsmith_lab::mutants::{End, RECORDING, Run, TestExecutable};
use testsmith_render::Test;

#[derive(Default)]
pub struct Checked {
    pub killers: Vec<Killer>,
    /// The file; none if there is nothing new to write.
    pub text: Option<String>,
    pub left_out: Vec<LeftOut>,
    /// Processes that ran a test with a mutant on, and what they cost.
    pub processes: Processes,
}

#[derive(Clone, Copy, Default)]
pub struct Processes {
    pub count: usize,
    pub cpu: Duration,
}

/// What is left out changes the file, so that all is run again; mostly nothing is.
const MAX_ROUNDS: usize = 4;
/// How much more than without a mutant a test may take, and what it may take in any case.
const TIMES: u32 = 10;
const CPU_AT_LEAST: Duration = Duration::from_secs(1);
const VISITS_AT_LEAST: u64 = 1_000_000;
/// What only waits uses no processor; it gets this much more of our time.
const WAITING: Duration = Duration::from_secs(5);
/// Without a mutant nothing takes so long.
const LIMIT: Duration = Duration::from_secs(60);

const UNNOTICED: &str = "it does not fail on the mutant that it was written for";
const UNSETTLED: &str = "the file around it did not settle";

/// `earlier` is the file of an earlier run, whose tests stay.
pub fn check(
    kill: &Kill,
    session: &Session,
    mut chosen: Vec<Killer>,
    earlier: Option<&str>,
    until: Option<Instant>,
) -> Result<Checked> {
    let mut checked = Checked::default();
    let compose = |tests: &[&Test]| {
        let new = killers(&session.plan, tests);
        let text = earlier.and_then(|earlier| merged(earlier, &new)).unwrap_or(new);
        BTreeMap::from([(TARGET.to_owned(), text)])
    };
    for _ in 0..MAX_ROUNDS {
        if chosen.is_empty() {
            return Ok(checked);
        }
        session
            .console
            .say(&format!("checking {} tests, on the original and on mutants", chosen.len()));
        let to = Destination { compose: &compose, folder: None, lints: "deny(warnings)", until };
        let mut verified = verify(&session.lab, &mut chosen, &to)?;
        checked.left_out.append(&mut verified.left_out);
        let Some(text) = verified.files.remove(TARGET) else { return Ok(checked) };
        let noticed = noticed(kill, &chosen, &text, &mut checked.processes)?;
        let holds = chosen.iter().zip(&noticed).all(|(killer, seen)| killer.kills == *seen);
        if holds {
            return Ok(Checked { killers: chosen, text: Some(text), ..checked });
        }
        let pairs = chosen.into_iter().zip(noticed);
        let (kept, gone): (Vec<_>, Vec<_>) = pairs.partition(|(_, seen)| !seen.is_empty());
        let left_out = |(killer, _): (Killer, _)| out(&killer, UNNOTICED);
        checked.left_out.extend(gone.into_iter().map(left_out));
        chosen = kept.into_iter().map(|(killer, seen)| killer.with(seen, kill.sources)).collect();
    }
    checked.left_out.extend(chosen.iter().map(|killer| out(killer, UNSETTLED)));
    Ok(checked)
}

fn out(killer: &Killer, why: &str) -> LeftOut {
    LeftOut { name: killer.name().to_owned(), why: why.to_owned() }
}

/// By test, those of its mutants that it fails on, in the copy that holds them.
fn noticed(
    kill: &Kill,
    chosen: &[Killer],
    text: &str,
    processes: &mut Processes,
) -> Result<Vec<BTreeSet<u32>>> {
    let path = kill.tree.build_test(TARGET, &marked(text))?;
    let listed = kill.tests.list(TARGET, &path)?;
    let executable = listed.context("the tests that were written are not listed")?;
    let ends = kill.pool.each(chosen.len(), |hand, n| fails_on(hand, &executable, &chosen[n]))?;
    for (_, cost) in &ends {
        processes.count += cost.count;
        processes.cpu += cost.cpu;
    }
    Ok(ends.into_iter().map(|(noticed, _)| noticed).collect())
}

fn fails_on(
    hand: &mut Hand,
    executable: &TestExecutable,
    killer: &Killer,
) -> Result<(BTreeSet<u32>, Processes)> {
    let (mut noticed, mut processes) = (BTreeSet::new(), Processes::default());
    let tests = [killer.name()];
    let first = Run { mutant: RECORDING, tests: &tests, visits: u64::MAX, cpu: LIMIT, wall: LIMIT };
    let plain = hand.run(executable, &first)?;
    let Some(plain) = plain.filter(|plain| plain.end == End::Passed) else {
        return Ok((noticed, processes));
    };
    let cpu = plain.cpu * TIMES + CPU_AT_LEAST;
    let visits = plain.visits.saturating_mul(TIMES.into()).saturating_add(VISITS_AT_LEAST);
    for mutant in &killer.kills {
        let run = Run { mutant: *mutant, tests: &tests, visits, cpu, wall: cpu * 2 + WAITING };
        let Some(end) = hand.run(executable, &run)? else { continue };
        processes.count += 1;
        processes.cpu += end.cpu;
        if end.end != End::Passed {
            noticed.insert(*mutant);
        }
    }
    Ok((noticed, processes))
}
