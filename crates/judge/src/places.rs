//! Values that say where to look: spans, edits, ranges of a type of the crate's own.
//!
//! Whoever puts such a value together can name a place that is not there, as with an index.
//! What gave the value out has nothing to complain of when it gets it back.

use crate::arguments::{made_from, number};
use crate::guesses::names_an_index_or_size;
use crate::positions::is_range;
use std::collections::BTreeSet;
use testsmith_model::operation::{Input, OperationKind};
use testsmith_model::sequence::Literal;
use testsmith_model::ty::Ty;
use testsmith_model::{Plan, Sequence, Step};

/// Whether the step `here`, or one that made something for it, used a value that says where
/// together with something that had no part in making it.
pub(crate) fn carried(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let carriers = carriers(plan);
    if carriers.is_empty() {
        return false;
    }
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let makers = made_from(&steps, here);
    let says_where = |slot: usize| {
        let ty = &plan.ty(steps[slot].ty(plan)).ty;
        ty.any(|ty| ty.path().is_some_and(|path| carriers.contains(path)))
    };
    // There are no places in numbers and the like.
    let may_hold = |slot: usize| {
        let plain = matches!(&plan.ty(steps[slot].ty(plan)).ty, Ty::Prim(name) if name != "str");
        !plain && !says_where(slot)
    };
    (0..steps.len()).filter(|at| *at == here || makers[*at]).any(|at| {
        let Step::Call(op, _) = steps[at] else { return false };
        let given: Vec<usize> = steps[at].args(at).collect();
        let is_used = |place: usize| {
            let parts = made_from(&steps, place);
            let mut wholes = given.iter().copied().filter(|slot| may_hold(*slot)).peekable();
            wholes.peek().is_some() && !wholes.any(|whole| parts[whole])
        };
        plan.operation(*op).kind != OperationKind::Constructor
            && given.iter().any(|slot| says_where(*slot) && is_used(*slot))
    })
}

/// The types of the crate, by path, that are put together from public fields one of which is a
/// place by its name.
fn carriers(plan: &Plan) -> BTreeSet<&str> {
    let own = format!("{}::", plan.krate);
    let is_place = |input: &Input| {
        plan.ty(input.ty).ty == Ty::prim("usize") && names_an_index_or_size(&input.name)
    };
    let constructors = plan.operations.iter().filter(|op| op.kind == OperationKind::Constructor);
    constructors
        .filter(|operation| operation.inputs.iter().any(is_place))
        .filter_map(|operation| plan.ty(operation.output).ty.path())
        .filter(|path| path.starts_with(&own))
        .collect()
}

/// Whether one of these indices was told to a call that the step `here` was made from, together
/// with the text or the list that it is an index into.
pub(crate) fn told_before(plan: &Plan, sequence: &Sequence, here: usize, indices: &[i128]) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let makers = made_from(&steps, here);
    // A type of the crate's own knows what it holds.
    let is_plain = |slot: usize| match plan.ty(steps[slot].ty(plan)).ty.behind_references() {
        Ty::Prim(name) => name == "str",
        Ty::Slice(_) | Ty::Array(..) => true,
        ty => ty.path().is_some_and(|path| path.starts_with("std::")),
    };
    (0..here.min(steps.len())).filter(|at| makers[*at]).any(|at| {
        let given: Vec<usize> = steps[at].args(at).collect();
        let told = |slot: &usize| number(steps[*slot], None).is_some_and(|n| indices.contains(&n));
        given.iter().any(told) && given.iter().any(|slot| is_plain(*slot))
    })
}

/// Whether a call that the step `here` was made from was told a place in a text that does not lie
/// in that text: beyond its end, inside a letter, or from behind to before. What something else told
/// lies where it may.
pub(crate) fn told_outside(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let makers = made_from(&steps, here);
    let number = |slot: usize| number(steps[slot], None).and_then(|n| usize::try_from(n).ok());
    (0..here.min(steps.len())).filter(|at| makers[*at]).any(|at| {
        let Step::Call(op, _) = steps[at] else { return false };
        let given: Vec<(usize, &Input)> =
            steps[at].args(at).zip(&plan.operation(*op).inputs).collect();
        let texts = || given.iter().filter_map(|(slot, _)| text_of(plan, &steps, *slot));
        given.iter().any(|(slot, input)| {
            let ty = &plan.ty(input.ty).ty;
            let ends: Vec<usize> = match is_range(ty) {
                true => steps[*slot].args(*slot).filter_map(number).collect(),
                false if *ty == Ty::prim("usize") && names_a_spot(&input.name) => {
                    number(*slot).into_iter().collect()
                }
                false => vec![],
            };
            if is_range(ty) && ends.is_empty() && steps[*slot].args(*slot).next().is_some() {
                let parts = made_from(&steps, *slot);
                let known = given.iter().any(|(text, _)| parts[*text]);
                return texts().next().is_some() && !known;
            }
            let backwards = !ends.is_sorted();
            let lies_in = |text: &str| ends.iter().all(|end| text.is_char_boundary(*end));
            !ends.is_empty() && texts().next().is_some() && (backwards || !texts().any(lies_in))
        })
    })
}

/// The text that a slot is, or looks at, where the test has spelled it.
fn text_of<'s>(plan: &Plan, steps: &[&'s Step], slot: usize) -> Option<&'s str> {
    let is_text = |slot: usize| match plan.ty(steps[slot].ty(plan)).ty.behind_references() {
        Ty::Prim(name) => name == "str",
        ty => ty.path() == Some("std::string::String"),
    };
    match steps[slot] {
        Step::Literal(_, Literal::Str(text)) => Some(text),
        Step::Call(..) if is_text(slot) => {
            let mut seen = steps[slot].args(slot).filter(|arg| is_text(*arg));
            seen.next().and_then(|arg| text_of(plan, steps, arg))
        }
        _ => None,
    }
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
