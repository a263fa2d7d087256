//! Calls in pairs: what a value was changed by, and right after it another call.
//!
//! In a walk two calls seldom meet on one value. Here the second is made in states in which
//! the first was seen, with the same numbers where it takes any.

use crate::data::{Data, Origin};
use testsmith_model::observation::Subject;
use testsmith_model::{Builder, OpId, Sequence, Step};

/// States in which one pair is tried.
const EACH: usize = 400;

impl Data<'_> {
    /// Sequences that end in a pair of calls, one of each pair in turn.
    pub fn drills(&self) -> Vec<Sequence> {
        let mut all: Vec<Vec<Sequence>> = vec![];
        for watch in &self.watches {
            let Subject::Pair { first, second } = watch.subject else { continue };
            let of_first = Subject::Call { op: first };
            let known = self.watches.iter().position(|watch| watch.subject == of_first);
            let origins: &[Origin] = known.map_or(&[], |n| &self.origins[n]);
            let every = origins.len().div_ceil(EACH).max(1);
            let some = origins.iter().step_by(every);
            all.push(some.filter_map(|origin| self.drill(origin, second)).collect());
        }
        let longest = all.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).flat_map(|n| all.iter().filter_map(move |one| one.get(n).cloned())).collect()
    }

    /// A call as it was seen, and another one on the same value.
    fn drill(&self, origin: &Origin, second: OpId) -> Option<Sequence> {
        let steps = self.sequences[origin.sequence as usize].steps();
        let steps: Vec<Step> = steps.take(origin.step as usize + 1).cloned().collect();
        let mut builder = Builder::new(self.plan);
        builder.append(&Sequence::from_steps(steps.clone())).ok()?;
        let mut args = vec![*origin.slots.first()?];
        for input in &self.plan.operation(second).inputs[1..] {
            let given = origin.slots[1..].iter().find_map(|slot| match &steps[*slot as usize] {
                Step::Literal(ty, literal) if *ty == input.ty => Some(literal.clone()),
                _ => None,
            });
            args.push(builder.literal(input.ty, given?).ok()?);
        }
        builder.call(second, &args).ok()?;
        Some(builder.finish())
    }
}
