//! The search of a run: walks until the budget is spent, and keeps what failed.

use crate::args::Run;
use crate::console::Progress;
use crate::finding::Findings;
use crate::pipeline::Session;
use anyhow::Result;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use testsmith_judge::Severity;
use testsmith_lab::coverage::Sources;
use testsmith_lab::{Build, Error, Limits, Supervisor};
use testsmith_model::message::Walk;
use testsmith_model::{OpId, Plan};

/// Calls between two looks at the clock.
const CALLS_A_ROUND: u64 = 100_000;
const MAX_LENGTH: u32 = 20;

#[derive(Clone, Default)]
pub(super) struct Tally {
    pub(super) calls: u64,
    pub(super) sequences: u64,
    pub(super) panics: u64,
    pub(super) deaths: u32,
    /// Per operation, how often it completed.
    pub(super) completed: Vec<u32>,
}

pub(super) struct Search<'s> {
    pub(super) options: &'s Run,
    /// Operations that the user does not want called.
    pub(super) excluded: Vec<OpId>,
    pub(super) findings: Findings,
    pub(super) tally: Tally,
}

/// What a search leaves.
pub(super) struct Searched {
    pub(super) findings: Findings,
    pub(super) tally: Tally,
    /// Lines covered, of those compiled in.
    pub(super) coverage: Option<(usize, usize)>,
    pub(super) supervisor: Supervisor,
}

pub(super) type Optimised<'t> = std::thread::ScopedJoinHandle<'t, Option<Build>>;

impl Search<'_> {
    /// Walks until the budget is spent. An interruption keeps what was found.
    pub(super) fn run(
        mut self,
        mut supervisor: Supervisor,
        harness: &Path,
        interrupt: &AtomicBool,
        session: &Session,
        mut optimised: Option<Optimised<'_>>,
    ) -> Result<Searched> {
        let begin = Instant::now();
        let mut left = self.options.calls.unwrap_or(u64::MAX);
        let mut round = 0;
        let mut covered = None;
        while left > 0 && !interrupt.load(Ordering::Acquire) {
            if self.options.calls.is_none() && begin.elapsed() >= self.options.budget {
                break;
            }
            if let Some(built) = optimised.take_if(|handle| handle.is_finished()) {
                // Lines are exact without optimisation only, so they are read now.
                covered = coverage(&mut supervisor, harness, session);
                if let Ok(Some(Build::Done { harness, .. })) = built.join()
                    && let Ok(faster) = session.another(&harness, Limits::default())
                {
                    session.say("going on with an optimised build");
                    self.tally.deaths += supervisor.deaths;
                    supervisor = faster;
                }
            }
            let Some(calls) = self.round(&mut supervisor, &session.plan, left, round)? else {
                break;
            };
            left = left.saturating_sub(calls.max(1));
            round += 1;
            if session.console.is_due() {
                self.tell(begin, &mut supervisor, session);
            }
        }
        self.tally.deaths += supervisor.deaths;
        let coverage = covered.or_else(|| coverage(&mut supervisor, harness, session));
        Ok(Searched { findings: self.findings, tally: self.tally, coverage, supervisor })
    }

    /// One walk; the number of calls it made, or nothing if interrupted.
    fn round(
        &mut self,
        supervisor: &mut Supervisor,
        plan: &Plan,
        left: u64,
        round: u64,
    ) -> Result<Option<u64>> {
        let walk = Walk {
            seed: self.options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(round),
            max_sequences: u64::MAX,
            max_calls: CALLS_A_ROUND.min(left),
            max_length: MAX_LENGTH,
            failures: true,
            avoid: self.excluded.clone(),
            ..Walk::default()
        };
        let findings = &mut self.findings;
        let walked = supervisor.walk(&walk, &mut |sequence, outcome| {
            findings.take(plan, sequence, outcome);
        });
        let walked = match walked {
            Err(Error::Interrupted) => return Ok(None),
            walked => walked?,
        };
        self.tally.calls += walked.calls;
        self.tally.sequences += walked.sequences;
        self.tally.panics += walked.panics;
        self.tally.completed.resize(plan.operations.len(), 0);
        for (sum, n) in self.tally.completed.iter_mut().zip(&walked.completed) {
            *sum = sum.saturating_add(*n);
        }
        Ok(Some(walked.calls))
    }

    fn tell(&self, begin: Instant, supervisor: &mut Supervisor, session: &Session) {
        // Asking reads the counters, which must not depend on the clock where
        // calls are counted.
        let edges = match self.options.calls {
            Some(_) => None,
            None => supervisor.edges().ok().map(|(_, taken)| taken.len()),
        };
        session.console.progress(&Progress {
            seconds: begin.elapsed().as_secs(),
            calls: self.tally.calls,
            sequences: self.tally.sequences,
            edges,
            violations: self.findings.count(Severity::Violation),
            suspicious: self.findings.count(Severity::Suspicious),
        });
    }
}

/// Lines of the crate covered by the last worker, of those compiled in.
fn coverage(
    supervisor: &mut Supervisor,
    harness: &Path,
    session: &Session,
) -> Option<(usize, usize)> {
    let (edges, taken) = supervisor.edges().ok()?;
    let sources = Sources::read(harness, &edges, &session.package.sources).ok()?;
    let taken: std::collections::HashSet<usize> = taken.iter().map(|e| *e as usize).collect();
    let summary = sources.summary(|edge| taken.contains(&edge));
    Some((summary.lines_covered(), summary.lines()))
}
