//! What the test itself says about where to look.

use crate::signs::names_a_place;
use testsmith_model::operation::{Input, Mode};
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

/// Whether the call at a step was given a key that nobody has given out, alone or
/// inside of something else.
pub(crate) fn makes_up_a_key(plan: &Plan, sequence: &Sequence, at: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(at + 1).collect();
    let Some(Step::Call(op, back)) = steps.get(at) else { return false };
    let operation = plan.operation(*op);
    back.iter().zip(&operation.inputs).any(|(distance, input)| {
        let arg = at.checked_sub(*distance as usize);
        let key = operation.docs.ids.contains(&input.name) || names_a_place(&input.name);
        key && arg.is_some_and(|arg| is_made_up(plan, &steps, arg))
    })
}

/// Whether a value is made of literals and constants alone: whoever gives out
/// keys is asked by reference.
fn is_made_up(plan: &Plan, steps: &[&Step], slot: usize) -> bool {
    let Step::Call(op, back) = steps[slot] else { return true };
    let args = back.iter().filter_map(|distance| slot.checked_sub(*distance as usize));
    let by_value = |input: &Input| input.mode == Mode::Own && !plan.ty(input.ty).is_reference;
    plan.operation(*op).inputs.iter().all(by_value)
        && args.into_iter().all(|arg| is_made_up(plan, steps, arg))
}
