//! A search for sequences that do something else on a build without overflow
//! checks and debug assertions.
//!
//! Arithmetic that overflows does not complete with the checks, so it is judged
//! as the panic it is and not reported here a second time.

use crate::budget::is_late;
use crate::candidate::{Candidate, Claim, Confirmed, Search, Workers};
use std::collections::BTreeSet;
use std::time::Instant;
use testsmith_judge::{Verdict, judge};
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::Walk;
use testsmith_model::outcome::Ending;
use testsmith_model::{Plan, Sequence};

/// This many sequences are compared, and no more.
const MAX_SEQUENCES: u32 = 2000;
const MAX_LENGTH: u32 = 12;
/// Gathering them takes at most this part of the time.
const SHARE: u32 = 2;

/// Proposes one candidate for each operation whose results are not the same,
/// until one of them is confirmed.
pub(super) struct Comparison<'c> {
    plan: &'c Plan,
    sequences: std::vec::IntoIter<Sequence>,
    proposed: String,
    /// The classes of which one was confirmed.
    confirmed: BTreeSet<String>,
    until: Option<Instant>,
}

impl<'c> Comparison<'c> {
    /// Gathers legal sequences to compare with, until then.
    pub(super) fn new(
        plan: &'c Plan,
        checked: &mut Supervisor,
        seed: u64,
        until: Option<Instant>,
    ) -> Result<Comparison<'c>, Error> {
        let walk = Walk {
            seed,
            max_sequences: MAX_SEQUENCES.into(),
            max_calls: u64::MAX,
            max_length: MAX_LENGTH,
            keep: MAX_SEQUENCES,
            ..Walk::default()
        };
        let now = Instant::now();
        checked.until = until.map(|until| now + until.saturating_duration_since(now) / SHARE);
        let mut sequences = vec![];
        checked.walk(&walk, &mut |sequence, outcome| {
            if outcome.ending == Ending::Completed {
                sequences.push(sequence);
            }
        })?;
        Ok(Comparison {
            plan,
            sequences: sequences.into_iter(),
            proposed: String::new(),
            confirmed: BTreeSet::new(),
            until,
        })
    }
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
            let step = outcome.step as usize;
            let steps = sequence.steps().take(step + 1).cloned().collect();
            return Ok(Some(Candidate {
                sequence: Sequence::from_steps(steps),
                step,
                claim: Claim::Differs { class: failing.class },
                after: None,
            }));
        }
        Ok(None)
    }

    fn learn(&mut self, confirmed: Option<&Confirmed>) {
        if confirmed.is_some() {
            self.confirmed.insert(std::mem::take(&mut self.proposed));
        }
    }
}
