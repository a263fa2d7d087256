//! Takes a candidate to a small sequence that keeps its claim: seen in a fresh
//! process, made small, and seen in a fresh process again.
//!
//! A failure that needs what earlier sequences left behind is not one that a
//! test can show.

use super::vary::{Whose, varied};
use super::{Candidate, Claim, Confirmed, Search, Workers};
use crate::budget::is_late;
use std::path::Path;
use std::time::Instant;
use testsmith_engines::shrink::shrink;
use testsmith_lab::Error;
use testsmith_model::message::Component;
use testsmith_model::outcome::Ending;
use testsmith_model::{Builder, Edit, Plan, Sequence};

pub struct Confirmer<'c> {
    pub workers: Workers<'c>,
    pub plan: &'c Plan,
    /// The folder of the crate: places inside are told relative to it.
    pub root: &'c Path,
    /// What may stand for what makes a value.
    pub components: &'c [Component],
    /// When this ends; never where calls are counted, since each candidate takes a
    /// bounded number of tries anyway.
    pub until: Option<Instant>,
}

/// One candidate is made smaller for at most this part of the time that is left for
/// all: one whose calls hang takes all that it is given.
const SHARE: u32 = 4;

/// How much longer than in the search a call may take before it is said not to return.
const PATIENTLY: f64 = 10.0;
/// And how much while such a sequence is made small, since each try takes all of it.
const SHORTLY: f64 = 0.25;

impl Confirmer<'_> {
    /// Takes the candidates of a search until there is no time left, but always the
    /// first. An interruption keeps what is done.
    pub fn confirm_all(&mut self, search: &mut dyn Search) -> Result<Vec<Confirmed>, Error> {
        let mut all = vec![];
        let mut begun = false;
        loop {
            if std::mem::replace(&mut begun, true) && is_late(self.until) {
                return Ok(all);
            }
            let next = search.propose(&mut self.workers);
            let confirmed = next.and_then(|candidate| {
                candidate.map(|candidate| self.confirm(&candidate)).transpose()
            });
            match confirmed {
                Err(Error::Interrupted) | Ok(None) => return Ok(all),
                Ok(Some(confirmed)) => {
                    search.learn(confirmed.as_ref());
                    all.extend(confirmed);
                }
                Err(why) => return Err(why),
            }
        }
    }

    /// Confirms one candidate and makes it small.
    fn confirm(&mut self, candidate: &Candidate) -> Result<Option<Confirmed>, Error> {
        let Candidate { sequence, step, claim, after } = candidate;
        // A clone may have stood for steps that a test cannot have.
        if Builder::new(self.plan).append(sequence).is_err() {
            return Ok(None);
        }
        let Some(first) = self.look(claim, sequence, true)? else { return Ok(None) };
        // Where it failed in a fresh process is where it fails.
        let step = if first.failing.is_some() { first.outcome.step as usize } else { *step };
        let endless = matches!(first.outcome.ending, Ending::TimedOut { .. });
        let small = if endless {
            self.patiently(SHORTLY, |confirmer| confirmer.smaller(claim, sequence, step))?
        } else {
            self.smaller(claim, sequence, step)?
        };
        let (small, claim) = match claim {
            Claim::Reaches { panics, .. } => self.tidied(claim, *panics, small)?,
            Claim::Fails { .. } | Claim::Differs { .. } => (small, claim.clone()),
        };
        let look = match endless {
            // What only takes long returns by then.
            true => self.patiently(PATIENTLY, |confirmer| confirmer.look(&claim, &small, true))?,
            false => self.look(&claim, &small, true)?,
        };
        Ok(look.map(|look| Confirmed {
            sequence: small,
            outcome: look.outcome,
            failing: look.failing,
            points: look.points,
            after: *after,
        }))
    }

    /// Lets calls take so many times as long as otherwise, meanwhile.
    fn patiently<T>(
        &mut self,
        times: f64,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.workers.checked.set_patience(times);
        let done = work(self);
        self.workers.checked.set_patience(1.0);
        done
    }

    /// Runs a sequence; nothing if it does not keep the claim, or if the worker
    /// refuses it, as it does by its loan rules.
    fn look(
        &mut self,
        claim: &Claim,
        sequence: &Sequence,
        afresh: bool,
    ) -> Result<Option<super::claim::Look>, Error> {
        let (plan, root) = (self.plan, self.root);
        let look = match afresh {
            true => self.workers.look_afresh(plan, root, claim, sequence),
            false => self.workers.look(plan, root, claim, sequence),
        };
        match look {
            Err(Error::Worker(_)) => Ok(None),
            look => look,
        }
    }

    fn smaller(
        &mut self,
        claim: &Claim,
        sequence: &Sequence,
        step: usize,
    ) -> Result<Sequence, Error> {
        let (plan, components) = (self.plan, self.components);
        let now = Instant::now();
        let end = self.until.map(|until| now + until.saturating_duration_since(now) / SHARE);
        let mut error = None;
        let mut keeps = |candidate: &Sequence| {
            if error.is_some() || is_late(end) {
                return false;
            }
            match self.look(claim, candidate, false) {
                Ok(look) => look.is_some(),
                Err(why) => {
                    error = Some(why);
                    false
                }
            }
        };
        let small = shrink(plan, sequence, step, components, &mut keeps);
        match error {
            Some(why) => Err(why),
            None => Ok(small),
        }
    }

    /// For a test of what the crate does now: different numbers where all are
    /// zero, and nothing that has nothing to do with its last call. What it reaches
    /// less then is left to others.
    fn tidied(
        &mut self,
        claim: &Claim,
        panics: bool,
        mut small: Sequence,
    ) -> Result<(Sequence, Claim), Error> {
        for whose in [Whose::Everybodys, Whose::Held] {
            if let Some(varied) = varied(self.plan, &small, whose)
                && self.look(claim, &varied, false)?.is_some()
            {
                small = varied;
                break;
            }
        }
        let ends_so = Claim::Reaches { points: vec![], panics };
        let edit = Edit::of(&small);
        let alone = edit.needed(self.plan, edit.len() - 1).build(self.plan).ok();
        match alone.filter(|alone| *alone != small) {
            Some(alone) if self.look(&ends_so, &alone, false)?.is_some() => Ok((alone, ends_so)),
            _ => Ok((small, claim.clone())),
        }
    }
}
