//! What is large in a sequence on purpose: lists made in one step, and long texts.
//!
//! How many elements a list has is no number that the code under test was given.

use crate::arguments;
use crate::guesses::is_large;
use testsmith_model::operation::{OperationKind, SIZE};
use testsmith_model::outcome::{Ending, Outcome, Value};
use testsmith_model::sequence::Literal;
use testsmith_model::{Plan, Sequence, Step};

/// Per step up to `here`: whether it is a number that only says how large a list is.
pub(crate) fn sizes(plan: &Plan, sequence: &Sequence, here: usize) -> Vec<bool> {
    let mut sizes = vec![false; here + 1];
    for (at, step) in sequence.steps().take(here + 1).enumerate() {
        let Step::Call(op, _) = step else { continue };
        let operation = plan.operation(*op);
        if operation.kind != OperationKind::Builder {
            continue;
        }
        for (arg, input) in step.args(at).zip(&operation.inputs) {
            sizes[arg] |= input.name == SIZE;
        }
    }
    sizes
}

/// Whether the sequence starts from a large number, or made one.
pub(crate) fn is_there(
    plan: &Plan,
    sequence: &Sequence,
    outcome: &Outcome,
    sizes: &[bool],
) -> bool {
    let here = outcome.step as usize;
    // No number is too large to divide by.
    let by_zero = matches!(&outcome.ending, Ending::Panicked(panic)
        if panic.message.contains("zero"));
    let made: &[Value] = if by_zero { &[] } else { &outcome.values };
    let starts = sequence.steps().take(here).enumerate().any(|(at, step)| {
        let ty = &plan.ty(step.ty(plan)).ty;
        !sizes[at] && arguments::number(step, made.get(at)).is_some_and(|n| is_large(n, ty))
    });
    starts || arguments::hold_large_numbers(plan, sequence, here, made)
}

/// The most elements that a list or a text of the sequence was made of at once.
pub(crate) fn largest(sequence: &Sequence, sizes: &[bool]) -> u128 {
    let elements = |(at, step): (usize, &Step)| match step {
        Step::Literal(_, Literal::Int(number)) if sizes[at] => number.unsigned_abs(),
        Step::Literal(_, Literal::Str(text)) => text.len() as u128,
        _ => 0,
    };
    sequence.steps().take(sizes.len()).enumerate().map(elements).max().unwrap_or(0)
}
