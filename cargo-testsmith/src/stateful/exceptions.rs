//! Exceptions to what nearly all calls keep, as candidates.
//!
//! Beside each one that was confirmed it looks for the most similar calls that keep the
//! clause: an exception is small when nothing can be left out, so one number or one call
//! less shows where it begins.

use super::Learned;
use crate::candidate::{Candidate, Claim, Confirmed, NearContract, Search, Workers};
use std::collections::VecDeque;
use testsmith_infer::{Near, nearby};
use testsmith_lab::Error;
use testsmith_model::{Plan, Sequence};

/// So many near-contracts of a crate are looked at; the most telling come first.
const MOST: usize = 6;

/// An exception on its way.
pub(crate) struct Exception {
    near: NearContract,
    sequence: Sequence,
    /// Similar calls that were seen to keep the clause.
    passing: Sequence,
}

/// The exceptions that were seen, the most telling first.
pub(crate) fn exceptions(learned: &Learned) -> Vec<Exception> {
    let mut told: Vec<String> = vec![];
    let mut all = vec![];
    for near in learned.near.iter().cloned() {
        let Near { contract, broken, cause, exception, passing } = near;
        let name = learned.data.name(&contract);
        // Another instance of the same function says no more.
        if told.contains(&name) {
            continue;
        }
        told.push(name);
        let near = NearContract {
            watches: learned.data.watches_for(contract.watch),
            clause: contract.clause,
            words: learned.data.words(&contract),
            cause: cause.join(" && "),
            held: contract.support,
            broken,
        };
        all.push(Exception { near, sequence: exception, passing });
    }
    all.truncate(MOST);
    all
}

/// Proposes them, and looks beside those that were confirmed.
pub(crate) struct Exceptions<'p> {
    plan: &'p Plan,
    left: VecDeque<Exception>,
    proposed: Option<Exception>,
    /// What was confirmed last, small.
    confirmed: Option<Sequence>,
    /// For what was confirmed, calls that keep the clause.
    pub(crate) passing: Vec<(Sequence, Sequence)>,
}

impl<'p> Exceptions<'p> {
    pub(crate) fn new(plan: &'p Plan, all: Vec<Exception>) -> Exceptions<'p> {
        let left = all.into();
        Exceptions { plan, left, proposed: None, confirmed: None, passing: vec![] }
    }

    /// The most similar calls that keep what the confirmed ones do not.
    fn look_beside(&mut self, workers: &mut Workers) -> Result<(), Error> {
        let (Some(one), Some(small)) = (self.proposed.take(), self.confirmed.take()) else {
            return Ok(());
        };
        for sequence in nearby(self.plan, &small).into_iter().chain([one.passing]) {
            let kept = match workers.keeps(&one.near, &sequence) {
                // The rules of borrowing refuse it.
                Err(Error::Worker(_)) => None,
                kept => kept?,
            };
            if matches!(kept, Some((_, true))) {
                self.passing.push((small, sequence));
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Search for Exceptions<'_> {
    fn propose(&mut self, workers: &mut Workers) -> Result<Option<Candidate>, Error> {
        self.look_beside(workers)?;
        let Some(one) = self.left.pop_front() else { return Ok(None) };
        let candidate = Candidate {
            sequence: one.sequence.clone(),
            step: one.sequence.len().saturating_sub(1),
            claim: Claim::Excepts(Box::new(one.near.clone())),
            after: None,
        };
        self.proposed = Some(one);
        Ok(Some(candidate))
    }

    fn learn(&mut self, confirmed: Option<&Confirmed>) {
        self.confirmed = confirmed.map(|confirmed| confirmed.sequence.clone());
    }
}
