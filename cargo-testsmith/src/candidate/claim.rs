//! Looks whether a sequence keeps a claim, by running it.
//!
//! The only place that knows how each kind of claim is seen: on one build, on
//! two, or with its coverage. Decides nothing about which sequence is next.

use super::{Claim, NearContract};
use crate::finding::relative;
use crate::replay::describe;
use crate::suite::{Points, is_documented_panic};
use std::path::Path;
use std::time::{Duration, Instant};
use testsmith_judge::{Failing, Verdict, is_same_way, judge, way};
use testsmith_lab::{Error, Supervisor};
use testsmith_model::observation::{Row, Watching};
use testsmith_model::outcome::{Ending, Outcome};
use testsmith_model::ty::Ty;
use testsmith_model::{Plan, Sequence, Step};

/// What takes longer is no test that people like to run.
const MAX_TEST: Duration = Duration::from_millis(200);

/// Who runs the sequences of a search.
pub struct Workers<'w> {
    /// With overflow checks and debug assertions.
    pub checked: &'w mut Supervisor,
    /// Without them, where builds are compared.
    pub released: Option<&'w mut Supervisor>,
    /// What edges mean, where coverage is looked at.
    pub points: Option<&'w Points>,
    /// Whether slow tests are refused: never where calls are counted.
    pub only_fast: bool,
}

/// One run of a sequence that kept its claim.
pub(super) struct Look {
    pub(super) outcome: Outcome,
    pub(super) failing: Option<Failing>,
    pub(super) points: Vec<u32>,
}

impl Workers<'_> {
    /// Runs a sequence in processes of its own.
    pub(super) fn look_afresh(
        &mut self,
        plan: &Plan,
        root: &Path,
        claim: &Claim,
        sequence: &Sequence,
    ) -> Result<Option<Look>, Error> {
        self.renew();
        // The time that a process takes to start is not that of the test.
        let only_fast = std::mem::replace(&mut self.only_fast, false);
        let look = self.look(plan, root, claim, sequence);
        self.only_fast = only_fast;
        self.renew();
        look
    }

    /// Runs a sequence; nothing if it does not keep the claim.
    pub(super) fn look(
        &mut self,
        plan: &Plan,
        root: &Path,
        claim: &Claim,
        sequence: &Sequence,
    ) -> Result<Option<Look>, Error> {
        let seen = match claim {
            Claim::Fails { class, severity, known } => {
                let outcome = relative(self.checked.run(sequence, false)?, root);
                failing(plan, sequence, outcome)
                    .filter(|(failing, _)| failing.class == *class && failing.severity <= *severity)
                    .filter(|(_, outcome)| {
                        let way = way(plan, sequence, outcome.step as usize);
                        !known.iter().any(|known| is_same_way(known, &way))
                    })
            }
            Claim::Differs { class } => {
                let outcome = self.difference(plan, sequence)?;
                outcome
                    .filter(|outcome| outcome.step as usize + 1 == sequence.len())
                    .and_then(|outcome| failing(plan, sequence, relative(outcome, root)))
                    .filter(|(failing, _)| failing.class == *class)
            }
            Claim::Unguarded { class } => {
                let outcome = self.unguarded(sequence, root)?;
                outcome
                    .filter(|outcome| outcome.step as usize + 1 == sequence.len())
                    .and_then(|outcome| failing(plan, sequence, outcome))
                    .filter(|(failing, _)| failing.class == *class)
            }
            Claim::Reaches { points: wanted, panics } => {
                let Some((outcome, points)) = self.reached(plan, sequence)? else {
                    return Ok(None);
                };
                let has = |point: &u32| points.binary_search(point).is_ok();
                let keeps =
                    (outcome.ending != Ending::Completed) == *panics && wanted.iter().all(has);
                return Ok(keeps.then_some(Look { outcome, failing: None, points }));
            }
            Claim::Excepts(near) => match self.keeps(near, sequence)? {
                Some((outcome, false)) => failing(plan, sequence, outcome),
                _ => None,
            },
        };
        let look = |(failing, outcome)| Look { outcome, failing: Some(failing), points: vec![] };
        Ok(seen.map(look))
    }

    /// What differs first between the builds, as an outcome of both together.
    pub fn difference(
        &mut self,
        plan: &Plan,
        sequence: &Sequence,
    ) -> Result<Option<Outcome>, Error> {
        let Some(released) = &mut self.released else { return Ok(None) };
        let checked = self.checked.run(sequence, true)?;
        let released = released.run(sequence, true)?;
        Ok(difference(plan, sequence, &checked, &released))
    }

    /// What a check keeps from misusing memory, as an outcome of both builds together.
    pub fn unguarded(
        &mut self,
        sequence: &Sequence,
        root: &Path,
    ) -> Result<Option<Outcome>, Error> {
        let Some(released) = &mut self.released else { return Ok(None) };
        let unchecked = released.run(sequence, false)?;
        if !unchecked.ending.is_misuse_of_memory() {
            return Ok(None);
        }
        let checked = relative(self.checked.run(sequence, false)?, root);
        let Ending::Panicked(_) = checked.ending else { return Ok(None) };
        let stopped = describe(&checked.ending, checked.phase);
        let ending =
            Ending::Unguarded { stopped, unchecked: describe(&unchecked.ending, unchecked.phase) };
        Ok(Some(Outcome { ending, ..unchecked }))
    }

    /// How a sequence ends and what it reaches; nothing if it is not one for a
    /// test of what the crate does now.
    pub fn reached(
        &mut self,
        plan: &Plan,
        sequence: &Sequence,
    ) -> Result<Option<(Outcome, Vec<u32>)>, Error> {
        let begin = Instant::now();
        let (outcome, edges) = self.checked.trace(sequence)?;
        if self.only_fast && begin.elapsed() > MAX_TEST {
            return Ok(None);
        }
        let fits =
            outcome.ending == Ending::Completed || is_documented_panic(plan, sequence, &outcome);
        let points = self.points.map(|points| points.reached(&edges)).unwrap_or_default();
        Ok(fits.then_some((outcome, points)))
    }

    /// How a sequence ends, and whether its last call keeps what nearly all keep; nothing
    /// if it does not come so far, or if the clause does not speak of it.
    pub fn keeps(
        &mut self,
        near: &NearContract,
        sequence: &Sequence,
    ) -> Result<Option<(Outcome, bool)>, Error> {
        let watching = Watching { watches: near.watches.clone(), rows_each: u32::MAX };
        let own = near.watches.len().saturating_sub(1);
        let observed = self.checked.observe_one(&watching, sequence)?;
        let Some(attempt) = observed.attempts.into_iter().next() else { return Ok(None) };
        let last = sequence.len().saturating_sub(1);
        let Some(outcome) = attempt.outcome.filter(|o| o.ending == Ending::Completed) else {
            return Ok(None);
        };
        let meant = |row: &&Row| row.watch as usize == own && row.step as usize == last;
        let Some(row) = observed.rows.iter().find(meant) else { return Ok(None) };
        let answers = [row.before.as_slice(), &row.after].concat();
        let NearContract { clause, words, cause, held, broken, .. } = near;
        let holds = clause.holds(|column| answers[column]);
        let ending = Ending::Exception {
            clause: words.clone(),
            held: *held,
            broken: *broken,
            cause: cause.clone(),
        };
        let outcome = Outcome { ending, step: last as u32, ..outcome };
        Ok(holds.map(|holds| (outcome, holds)))
    }

    fn renew(&mut self) {
        self.checked.renew();
        if let Some(released) = &mut self.released {
            released.renew();
        }
    }
}

fn failing(plan: &Plan, sequence: &Sequence, outcome: Outcome) -> Option<(Failing, Outcome)> {
    match judge(plan, sequence, &outcome) {
        Verdict::Failing(failing) => Some((failing, outcome)),
        Verdict::Passed => None,
    }
}

/// What differs first, as an outcome of both builds together. What completes with
/// the checks has to give the same results without them. Only values of types of
/// the standard library count: what a type of the crate shows of its inside may
/// differ by design.
fn difference(
    plan: &Plan,
    sequence: &Sequence,
    checked: &Outcome,
    released: &Outcome,
) -> Option<Outcome> {
    if checked.ending != Ending::Completed {
        return None;
    }
    let own = format!("{}::", plan.krate);
    let foreign = |step: &Step| match step {
        Step::Call(op, _) => {
            let operation = plan.operation(*op);
            let ty = &plan.ty(operation.output).ty;
            let shows_inside = operation.callee.is_trait_member("std::fmt::Debug", "fmt");
            let is_own = |ty: &Ty| ty.path().is_some_and(|path| path.starts_with(&own));
            !shows_inside && !ty.any(is_own)
        }
        Step::Literal(..) => false,
    };
    let pairs = checked.values.iter().zip(&released.values).zip(sequence.steps()).enumerate();
    let value = pairs.filter(|(_, (_, step))| foreign(step)).find_map(|(n, ((a, b), _))| {
        match (&a.text, &b.text) {
            (Some(a), Some(b)) if a != b => Some((n as u32, Some(a.clone()), b.clone())),
            _ => None,
        }
    });
    let (step, checked_text, released_text) = match value {
        Some(found) => found,
        None if released.ending == Ending::Completed => return None,
        None => (released.step, None, describe(&released.ending, released.phase)),
    };
    let ending = Ending::Differs { checked: checked_text, released: released_text };
    Some(Outcome { ending, step, ..checked.clone() })
}
