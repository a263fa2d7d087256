//! Whether the position that a failing call was given was right: all that its value counts is
//! asked in a process of its own, just before the call.

use super::Workers;
use testsmith_judge::{Counts, counts, is_right};
use testsmith_lab::Error;
use testsmith_model::outcome::{Ending, Outcome, Phase};
use testsmith_model::{Edit, EditStep, Plan, Sequence};

impl Workers<'_> {
    /// Whether the call that panicked was given a position that lies within all that its value
    /// counts; not if there is nothing to ask, or no answer.
    pub(super) fn has_right_position(
        &mut self,
        plan: &Plan,
        sequence: &Sequence,
        outcome: &Outcome,
    ) -> Result<bool, Error> {
        let here = outcome.step as usize;
        let panicked = matches!(outcome.ending, Ending::Panicked(_));
        let mut edit = Edit::of(sequence);
        let Some(EditStep::Call(op, args)) = edit.steps.get(here).cloned() else {
            return Ok(false);
        };
        if !panicked || outcome.phase != Phase::Calling {
            return Ok(false);
        }
        let Some(Counts { position, queries }) = counts(plan, op) else { return Ok(false) };
        edit.steps.truncate(here);
        let asked = queries.iter().map(|query| EditStep::Call(*query, vec![args[0]]));
        edit.steps.extend(asked);
        let Ok(asking) = edit.build(plan) else { return Ok(false) };
        let answers = match self.checked.run(&asking, true) {
            Err(Error::Worker(_)) => return Ok(false),
            answers => answers?,
        };
        let shown = |at: usize| answers.values.get(at)?.text.as_deref();
        let counted: Option<Vec<u128>> =
            (here..here + queries.len()).map(|at| shown(at)?.parse().ok()).collect();
        let completed = answers.ending == Ending::Completed;
        let given = shown(args[position] as usize);
        Ok(completed
            && given.zip(counted).is_some_and(|(given, counted)| is_right(given, &counted)))
    }
}
