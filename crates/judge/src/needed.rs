//! What a step needs: the calls and numbers that it depends on, however far back.
//!
//! Only looks; what it means for a verdict is for the facts and the policy.

use crate::arguments::makers;
use crate::guesses::indices_in;
use testsmith_model::operation::Operation;
use testsmith_model::outcome::{Ending, Outcome, Phase};
use testsmith_model::sequence::Literal;
use testsmith_model::{Edit, EditStep, OpId, Plan, Sequence, Step, TypeId};

/// The indices that a panic complains of.
pub(crate) fn complained_of(outcome: &Outcome) -> Vec<i128> {
    match &outcome.ending {
        Ending::Panicked(panic) => indices_in(&panic.message),
        _ => vec![],
    }
}

/// Whether a step is such a call, or depends on one.
pub(crate) fn depends_on(
    plan: &Plan,
    sequence: &Sequence,
    here: usize,
    is_it: fn(&Operation) -> bool,
) -> bool {
    needed_of_kind(plan, sequence, here, is_it) > 0
}

/// Whether a type gives item by item, as far as the plan has that call.
pub(crate) fn is_iterator(plan: &Plan, ty: TypeId) -> bool {
    let is_next = |operation: &Operation| {
        operation.callee.is_trait_member("std::iter::Iterator", "next")
            && operation.inputs.first().is_some_and(|input| input.ty == ty)
    };
    plan.operations.iter().any(is_next)
}

/// Whether the test has an integer in what a step needs.
pub(crate) fn is_numbered(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let edit = Edit::of(sequence);
    let is_number = |step: &EditStep| matches!(step, EditStep::Literal(_, Literal::Int(_)));
    here < edit.len()
        && edit.steps.iter().any(is_number)
        && edit.needed(plan, here).steps.iter().any(is_number)
}

/// How many of the calls that a step needs are such, itself included.
fn needed_of_kind(
    plan: &Plan,
    sequence: &Sequence,
    here: usize,
    is_it: fn(&Operation) -> bool,
) -> usize {
    let is_it = |op: OpId| is_it(plan.operation(op));
    let edit = Edit::of(sequence);
    let such = |step: &&EditStep| matches!(step, EditStep::Call(op, _) if is_it(*op));
    if here >= edit.len() || !edit.steps.iter().any(|step| such(&step)) {
        return 0;
    }
    edit.needed(plan, here).steps.iter().filter(such).count()
}

/// Whether a call that a failure depends on was interrupted. One that panics by itself, and not by
/// the code of the test, was not.
pub(crate) fn is_interrupted(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> bool {
    let here = outcome.step as usize;
    let by_itself = matches!(&outcome.ending, Ending::Panicked(_))
        && outcome.phase == Phase::Calling
        && matches!(sequence.steps().nth(here),
            Some(Step::Call(op, _)) if plan.operation(*op).panics_by_design);
    needed_of_kind(plan, sequence, here, |call| call.panics_by_design) > usize::from(by_itself)
}

/// Whether the documentation of what made one of the arguments says that this panics later.
pub(crate) fn is_announced(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    makers(sequence, here).iter().any(|step| match step {
        Step::Call(op, _) => plan.operation(*op).docs.announces_panics,
        Step::Literal(..) => false,
    })
}
