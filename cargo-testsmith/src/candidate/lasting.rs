//! Values that are others each time they are made, as what a clock says or a random source gives.
//!
//! A test with one of them fails today and may not tomorrow, and tells its reader nothing. So
//! what makes such a value is replaced by another way to make one, if the claim holds with
//! that as well. Nothing is known of names here: a value is run twice and seen to differ.

use super::{Claim, Confirmer};
use testsmith_engines::shrink::made_otherwise;
use testsmith_lab::Error;
use testsmith_model::{Edit, Plan, Sequence};

/// Values of one sequence that are replaced.
const MAX_REPLACED: usize = 3;
/// Ways that are tried for one of them.
const MAX_WAYS: usize = 24;

impl Confirmer<'_> {
    /// The sequence without values that do not last, as far as others will do.
    pub(super) fn lasting(
        &mut self,
        claim: &Claim,
        mut sequence: Sequence,
        right: bool,
    ) -> Result<Sequence, Error> {
        for _ in 0..MAX_REPLACED {
            let Some(step) = self.first_that_varies(&sequence)? else { break };
            let ways = made_otherwise(self.plan, &sequence, step, self.components);
            let mut lasting = None;
            for way in ways.into_iter().take(MAX_WAYS) {
                if self.keeps(claim, &way, right)? && self.first_that_varies(&way)?.is_none() {
                    lasting = Some(way);
                    break;
                }
            }
            match lasting {
                Some(way) => sequence = way,
                None => break,
            }
        }
        Ok(sequence)
    }

    /// The first call before the last whose value is another when it is made again, though it was
    /// given the same.
    fn first_that_varies(&mut self, sequence: &Sequence) -> Result<Option<usize>, Error> {
        let Some(before) = without_the_last(self.plan, sequence) else { return Ok(None) };
        let mut seen = vec![];
        for _ in 0..2 {
            match self.workers.checked.run(&before, true) {
                Err(Error::Worker(_)) => return Ok(None),
                outcome => seen.push(outcome?.values),
            }
        }
        let differ = |step: &usize| {
            let text = |run: usize| seen[run].get(*step).and_then(|value| value.text.as_ref());
            text(0).zip(text(1)).is_some_and(|(one, other)| one != other)
        };
        Ok((0..before.len()).find(differ))
    }
}

/// The steps before the last, if there are any.
pub(super) fn without_the_last(plan: &Plan, sequence: &Sequence) -> Option<Sequence> {
    let edit = Edit::of(sequence);
    let last = edit.len().checked_sub(1).filter(|last| *last > 0)?;
    let before: Vec<bool> = (0..edit.len()).map(|at| at < last).collect();
    edit.keep(&before).build(plan).ok()
}
