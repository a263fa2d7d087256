//! A search for sequences that do something else on a build without overflow
//! checks and debug assertions.
//!
//! Arithmetic that overflows does not complete with the checks, so it is judged
//! as the panic it is and not reported here a second time, unless the check is all
//! that keeps it from misusing memory: for that the other build is searched as well.

use crate::budget::is_late;
use crate::candidate::{Candidate, Claim, Confirmed, Search, Workers};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;
use testsmith_judge::{Verdict, judge};
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::Walk;
use testsmith_model::outcome::Ending;
use testsmith_model::{Heuristic, Heuristics, OpId, Plan, Sequence};

/// This many sequences are compared, and no more.
const MAX_SEQUENCES: u32 = 2000;
const MAX_LENGTH: u32 = 12;
/// Gathering them takes at most this part of the time, and so does the search without checks
/// of what is left.
const SHARE: u32 = 2;
/// Calls of that search: in one walk, and in all of them where there is a clock.
const CALLS_A_ROUND: u64 = 100_000;
const MAX_CALLS: u64 = 3_000_000;
const MAX_SEARCHED_LENGTH: u32 = 20;
/// Each worker that is lost takes time to replace, and one place is enough.
const MAX_DEATHS: u32 = 12;
const MAX_MISUSES: usize = 64;
/// The memory of one in so many sequences is watched.
const WATCH_EVERY: u32 = 4;

/// Proposes one candidate for each operation whose results are not the same,
/// until one of them is confirmed.
pub(super) struct Comparison<'c> {
    plan: &'c Plan,
    root: &'c Path,
    sequences: std::vec::IntoIter<Sequence>,
    /// What misuses memory without the checks, once that was searched for.
    misuses: Option<std::vec::IntoIter<Sequence>>,
    excluded: Vec<OpId>,
    seed: u64,
    proposed: String,
    /// The classes of which one was confirmed.
    confirmed: BTreeSet<String>,
    until: Option<Instant>,
}

impl<'c> Comparison<'c> {
    /// Gathers legal sequences to compare with, until then.
    pub(super) fn new(
        (plan, root): (&'c Plan, &'c Path),
        checked: &mut Supervisor,
        (seed, excluded): (u64, Vec<OpId>),
        until: Option<Instant>,
    ) -> Result<Comparison<'c>, Error> {
        let walk = Walk {
            seed,
            max_sequences: MAX_SEQUENCES.into(),
            max_calls: u64::MAX,
            max_length: MAX_LENGTH,
            keep: MAX_SEQUENCES,
            // Fakes answer otherwise where contracts are not checked.
            avoid: plan.op_ids().filter(|op| plan.makes_a_fake(*op)).collect(),
            ..Walk::default()
        };
        checked.until = share_until(until);
        let mut sequences = vec![];
        checked.walk(&walk, &mut |sequence, outcome| {
            if outcome.ending == Ending::Completed {
                sequences.push(sequence);
            }
        })?;
        Ok(Comparison {
            plan,
            root,
            sequences: sequences.into_iter(),
            misuses: None,
            excluded,
            seed,
            proposed: String::new(),
            confirmed: BTreeSet::new(),
            until,
        })
    }
}

/// A part of the time that is left until then.
fn share_until(until: Option<Instant>) -> Option<Instant> {
    let now = Instant::now();
    until.map(|until| now + until.saturating_duration_since(now) / SHARE)
}

impl Comparison<'_> {
    /// Searches the build without checks for sequences that misuse memory. Where calls are
    /// counted it is one walk.
    fn search(&self, workers: &mut Workers) -> Result<Vec<Sequence>, Error> {
        let Some(released) = &mut workers.released else { return Ok(vec![]) };
        released.until = share_until(self.until);
        released.patience = MAX_DEATHS;
        let mut misuses = vec![];
        let rounds = if self.until.is_some() { MAX_CALLS / CALLS_A_ROUND } else { 1 };
        for round in 0..rounds {
            let fakes = self.plan.op_ids().filter(|op| self.plan.makes_a_fake(*op));
            let walk = Walk {
                seed: self.seed.wrapping_add(round),
                max_sequences: u64::MAX,
                max_calls: CALLS_A_ROUND,
                max_length: MAX_SEARCHED_LENGTH,
                failures: true,
                avoid: self.excluded.iter().copied().chain(fakes).collect(),
                watch_every: WATCH_EVERY,
                heuristics: Heuristics::ALL.without(Heuristic::Interruptions),
                ..Walk::default()
            };
            let walked = released.walk(&walk, &mut |sequence, outcome| {
                if outcome.ending.is_misuse_of_memory() {
                    misuses.push(up_to(&sequence, outcome.step));
                }
            });
            match walked {
                // Whatever it did to its worker, this is the end of the search alone.
                Err(Error::Worker(_)) => break,
                walked => walked?,
            };
            let dead = released.deaths >= MAX_DEATHS;
            if released.is_late() || dead || misuses.len() >= MAX_MISUSES {
                break;
            }
        }
        released.until = None;
        misuses.sort_by_key(Sequence::len);
        misuses.truncate(MAX_MISUSES);
        Ok(misuses)
    }

    /// The next of them that a check stops, and in which no other was confirmed.
    fn unguarded(&mut self, workers: &mut Workers) -> Result<Option<Candidate>, Error> {
        let mut misuses = match self.misuses.take() {
            Some(misuses) => misuses,
            None => self.search(workers)?.into_iter(),
        };
        let mut found = None;
        for sequence in misuses.by_ref() {
            if is_late(self.until) {
                break;
            }
            let outcome = match workers.unguarded(&sequence, self.root) {
                Err(Error::Worker(_)) => continue,
                outcome => outcome?,
            };
            let Some(outcome) = outcome else { continue };
            let sequence = up_to(&sequence, outcome.step);
            let Verdict::Failing(failing) = judge(self.plan, &sequence, &outcome) else { continue };
            if !self.confirmed.contains(&failing.class) {
                self.proposed = failing.class.clone();
                let (step, claim) =
                    (outcome.step as usize, Claim::Unguarded { class: failing.class });
                found = Some(Candidate { sequence, step, claim, after: None });
                break;
            }
        }
        self.misuses = Some(misuses);
        Ok(found)
    }
}

/// A sequence without what comes after a step.
fn up_to(sequence: &Sequence, step: u32) -> Sequence {
    Sequence::from_steps(sequence.steps().take(step as usize + 1).cloned().collect())
}

impl Search for Comparison<'_> {
    fn propose(&mut self, workers: &mut Workers) -> Result<Option<Candidate>, Error> {
        for sequence in self.sequences.by_ref() {
            if is_late(self.until) {
                break;
            }
            let Some(outcome) = workers.difference(self.plan, &sequence)? else { continue };
            let Verdict::Failing(failing) = judge(self.plan, &sequence, &outcome) else { continue };
            if self.confirmed.contains(&failing.class) {
                continue;
            }
            self.proposed = failing.class.clone();
            return Ok(Some(Candidate {
                sequence: up_to(&sequence, outcome.step),
                step: outcome.step as usize,
                claim: Claim::Differs { class: failing.class },
                after: None,
            }));
        }
        if is_late(self.until) { Ok(None) } else { self.unguarded(workers) }
    }

    fn learn(&mut self, confirmed: Option<&Confirmed>) {
        if confirmed.is_some() {
            self.confirmed.insert(std::mem::take(&mut self.proposed));
        }
    }
}
