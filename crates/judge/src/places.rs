//! Values that say where to look: spans, edits, ranges of a type of the crate's own.
//!
//! Whoever puts such a value together can name a place that is not there, as with an index.
//! What gave the value out has nothing to complain of when it gets it back.

use crate::arguments::{made_from, number};
use crate::guesses::names_an_index_or_size;
use testsmith_model::operation::{Input, OperationKind};
use testsmith_model::ty::Ty;
use testsmith_model::{Plan, Sequence, Step};

/// Whether the step `here`, or one that made something for it, used a value that says where
/// together with something that had no part in making it.
pub(crate) fn carried(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let makers = made_from(&steps, here);
    (0..steps.len()).filter(|at| *at == here || makers[*at]).any(|at| {
        let Step::Call(op, _) = steps[at] else { return false };
        let operation = plan.operation(*op);
        let given: Vec<(usize, &Input)> = steps[at].args(at).zip(&operation.inputs).collect();
        let is_used = |(place, input): &(usize, &Input)| {
            says_where(plan, &plan.ty(input.ty).ty) && {
                let parts = made_from(&steps, *place);
                let holds = |slot: &usize| may_hold(plan, &plan.ty(steps[*slot].ty(plan)).ty);
                let mut wholes = given.iter().map(|(slot, _)| *slot).filter(holds).peekable();
                wholes.peek().is_some() && !wholes.any(|whole| parts[whole])
            }
        };
        operation.kind != OperationKind::Constructor && given.iter().any(is_used)
    })
}

/// Whether a call was told a place beyond all memory.
pub(crate) fn far(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let Some(Step::Call(op, _)) = steps.get(here) else { return false };
    let given = steps[here].args(here).zip(&plan.operation(*op).inputs);
    let is_far = |(arg, input): (usize, &Input)| {
        let beyond = number(steps[arg], None).is_some_and(|n| n.unsigned_abs() >> 62 > 0);
        beyond && plan.ty(input.ty).ty == Ty::prim("usize") && names_a_spot(&input.name)
    };
    given.into_iter().any(is_far)
}

/// Whether a parameter of this name is a place or a stretch, and nothing that is asked for:
/// room for more than there is memory may be refused.
fn names_a_spot(name: &str) -> bool {
    const ASKED_FOR: [&str; 5] = ["capacity", "count", "n", "size", "width"];
    names_an_index_or_size(name) && !name.split('_').any(|word| ASKED_FOR.contains(&word))
}

/// Whether a type, or one inside of it, is put together from public fields one of which is a
/// place by its name.
fn says_where(plan: &Plan, ty: &Ty) -> bool {
    let own = format!("{}::", plan.krate);
    let carries = |ty: &Ty| {
        let Some(path) = ty.path().filter(|path| path.starts_with(&own)) else { return false };
        plan.operations.iter().any(|operation| {
            let place = |input: &Input| {
                plan.ty(input.ty).ty == Ty::prim("usize") && names_an_index_or_size(&input.name)
            };
            operation.kind == OperationKind::Constructor
                && plan.ty(operation.output).ty.path() == Some(path)
                && operation.inputs.iter().any(place)
        })
    };
    ty.any(carries)
}

/// Whether there may be places in a value: it is no number and the like, and says no places.
fn may_hold(plan: &Plan, ty: &Ty) -> bool {
    let plain = matches!(ty, Ty::Prim(name) if name != "str");
    !plain && !says_where(plan, ty)
}
