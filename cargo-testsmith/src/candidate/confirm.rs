//! Takes a candidate to a small sequence that keeps its claim: seen in a fresh
//! process, made small, seen again and again, and in a fresh process.
//!
//! A failure that needs what earlier sequences left behind is not one that a
//! test can show, nor is one that comes and goes with the keys of a hasher.

use super::steady;
use super::vary::{Whose, varied};
use super::{Candidate, Claim, Confirmed, Search, Workers};
use crate::budget::is_late;
use std::path::Path;
use std::time::{Duration, Instant};
use testsmith_engines::shrink::shrink;
use testsmith_judge::{Failing, Known, Severity, Verdict, is_by_nothing, is_by_zero, judge_with};
use testsmith_lab::Error;
use testsmith_model::message::Component;
use testsmith_model::outcome::{Ending, Outcome};
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
/// But always for so long: what has dozens of calls is of no use to anybody.
const LEAST: Duration = Duration::from_secs(4);

/// How much longer than in the search a call may take before it is said not to return.
const PATIENTLY: f64 = 10.0;
/// And how much while such a sequence is made small, since each try takes all of it.
const SHORTLY: f64 = 0.25;

impl Confirmer<'_> {
    /// Takes the candidates of a search until there is no time left, but always the
    /// first. An interruption keeps what is done. What is not steady is no news to the search,
    /// which may have another sequence for it, and comes last.
    pub fn confirm_all(&mut self, search: &mut dyn Search) -> Result<Vec<Confirmed>, Error> {
        let (mut all, mut unsteady) = (vec![], vec![]);
        let mut begun = false;
        loop {
            if std::mem::replace(&mut begun, true) && is_late(self.until) {
                break;
            }
            let next = search.propose(&mut self.workers);
            let confirmed = next.and_then(|candidate| {
                candidate.map(|candidate| self.confirm(&candidate)).transpose()
            });
            match confirmed {
                Err(Error::Interrupted) | Ok(None) => break,
                Ok(Some(confirmed)) => {
                    search.learn(confirmed.as_ref().filter(|confirmed| confirmed.steady));
                    let kind = if confirmed.as_ref().is_some_and(|confirmed| confirmed.steady) {
                        &mut all
                    } else {
                        &mut unsteady
                    };
                    kind.extend(confirmed);
                }
                Err(why) => return Err(why),
            }
        }
        all.append(&mut unsteady);
        Ok(all)
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
        let right = self.workers.has_right_position(self.plan, sequence, &first.outcome)?;
        let illegal = |failing: &Failing| failing.severity == Severity::Illegal;
        if !right && first.failing.as_ref().is_some_and(illegal) {
            return Ok(None);
        }
        let endless = matches!(first.outcome.ending, Ending::TimedOut { .. });
        let small = if endless {
            self.patiently(SHORTLY, |confirmer| confirmer.smaller(claim, sequence, step, right))?
        } else {
            let small = self.smaller(claim, sequence, step, right)?;
            self.lasting(claim, small, right)?
        };
        // A position that is right is right by what it was made of.
        let (small, claim) = match endless || right {
            true => (small, claim.clone()),
            false => self.spelled(claim, small)?,
        };
        let (small, claim) = match &claim {
            Claim::Reaches { panics, .. } => self.tidied(&claim, *panics, small)?,
            Claim::Fails { .. }
            | Claim::Differs { .. }
            | Claim::Unguarded { .. }
            | Claim::Excepts(_) => (small, claim),
        };
        // A passing test is seen again and again when its results are observed.
        let passes = matches!(claim, Claim::Reaches { .. });
        let steady = endless || passes || self.keeps_always(&claim, &small)?;
        let look = match endless {
            // What only takes long returns by then.
            true => self.patiently(PATIENTLY, |confirmer| confirmer.look(&claim, &small, true))?,
            false => self.look(&claim, &small, true)?,
        };
        let Some(look) = look else { return Ok(None) };
        let failing = match look.failing {
            Some(failing) => Some(self.judged_by_values(failing, &small, &look.outcome, right)?),
            None => None,
        };
        if failing.as_ref().is_some_and(|failing| failing.severity == Severity::Illegal) {
            return Ok(None);
        }
        Ok(Some(Confirmed {
            sequence: small,
            outcome: look.outcome,
            failing,
            points: look.points,
            after: *after,
            steady,
        }))
    }

    /// The verdict on a failure, now that the numbers count that its calls made on the way.
    fn judged_by_values(
        &mut self,
        failing: Failing,
        sequence: &Sequence,
        outcome: &Outcome,
        right: bool,
    ) -> Result<Failing, Error> {
        let known = Known { right_position: right, ..Known::default() };
        let failing = match judge_with(self.plan, sequence, outcome, known) {
            Verdict::Failing(judged) if right => judged,
            _ => failing,
        };
        let (counts, by_zero) = match &outcome.ending {
            Ending::Panicked(panic) => {
                let by_zero = is_by_zero(&panic.message);
                let counts = panic.message.contains("with overflow");
                (by_zero || counts || is_by_nothing(&panic.message), by_zero)
            }
            Ending::TimedOut { .. } => (true, false),
            _ => (false, false),
        };
        if !counts {
            return Ok(failing);
        }
        let by_one_zero =
            by_zero && self.workers.is_divided_by_one_zero(self.plan, sequence, outcome)?;
        let known = Known { by_one_zero, ..known };
        let edit = Edit::of(sequence);
        let before: Vec<bool> = (0..edit.len()).map(|at| at < outcome.step as usize).collect();
        let Ok(before) = edit.keep(&before).build(self.plan) else { return Ok(failing) };
        let values = match self.workers.checked.run(&before, true) {
            Err(Error::Worker(_)) => return Ok(failing),
            seen => seen?.values,
        };
        let outcome = Outcome { values, ..outcome.clone() };
        match judge_with(self.plan, sequence, &outcome, known) {
            Verdict::Failing(judged) => Ok(judged),
            Verdict::Passed => Ok(failing),
        }
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

    /// Whether a sequence keeps its claim however often it is run, as far as there is time
    /// to see.
    fn keeps_always(&mut self, claim: &Claim, sequence: &Sequence) -> Result<bool, Error> {
        let Some(first) = self.look(claim, sequence, true)? else { return Ok(false) };
        for run in 1..steady::runs(self.plan, sequence, &first.outcome.ending) {
            if run >= steady::FEWEST_RUNS && is_late(self.until) {
                break;
            }
            let afresh = steady::leaves_damage(&first.outcome.ending);
            if self.look(claim, sequence, afresh)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a sequence keeps the claim; a position that was right has to stay right.
    pub(super) fn keeps(
        &mut self,
        claim: &Claim,
        sequence: &Sequence,
        right: bool,
    ) -> Result<bool, Error> {
        match self.look(claim, sequence, false)? {
            Some(look) if right => {
                self.workers.has_right_position(self.plan, sequence, &look.outcome)
            }
            look => Ok(look.is_some()),
        }
    }

    fn smaller(
        &mut self,
        claim: &Claim,
        sequence: &Sequence,
        step: usize,
        right: bool,
    ) -> Result<Sequence, Error> {
        let (plan, components) = (self.plan, self.components);
        let now = Instant::now();
        let share = |until: Instant| (until.saturating_duration_since(now) / SHARE).max(LEAST);
        let end = self.until.map(|until| now + share(until));
        let mut error = None;
        let mut keeps = |candidate: &Sequence| {
            if error.is_some() || is_late(end) {
                return false;
            }
            match self.keeps(claim, candidate, right) {
                Ok(keeps) => keeps,
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
