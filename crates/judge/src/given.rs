//! What the test itself says about where to look.

use crate::signs::names_a_place;
use testsmith_model::operation::OperationKind;
use testsmith_model::sequence::Literal;
use testsmith_model::{Plan, Sequence, Step};

/// The literal numbers among the arguments of the step `here`.
pub(crate) fn numbers(sequence: &Sequence, here: usize) -> Vec<i128> {
    let Some(Step::Call(_, back)) = sequence.steps().nth(here) else { return vec![] };
    let number = |distance: &u32| match sequence.steps().nth(here.checked_sub(*distance as usize)?)
    {
        Some(Step::Literal(_, Literal::Int(number))) => Some(*number),
        _ => None,
    };
    back.iter().filter_map(number).collect()
}

/// Whether a call before the step `here` was given a key that no call of the crate
/// has made, alone or inside of something else.
pub(crate) fn makes_up_keys(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here).collect();
    steps.iter().enumerate().any(|(at, step)| {
        let Step::Call(op, back) = step else { return false };
        let operation = plan.operation(*op);
        back.iter().zip(&operation.inputs).any(|(distance, input)| {
            let arg = at.checked_sub(*distance as usize);
            let key = operation.docs.ids.contains(&input.name) || names_a_place(&input.name);
            key && arg.is_some_and(|arg| is_made_up(plan, &steps, arg))
        })
    })
}

/// Whether nothing but literals and the standard library has made a value.
fn is_made_up(plan: &Plan, steps: &[&Step], slot: usize) -> bool {
    match steps[slot] {
        Step::Literal(..) => true,
        Step::Call(op, back) => {
            plan.operation(*op).kind == OperationKind::Builder
                && back
                    .iter()
                    .filter_map(|distance| slot.checked_sub(*distance as usize))
                    .all(|arg| is_made_up(plan, steps, arg))
        }
    }
}
