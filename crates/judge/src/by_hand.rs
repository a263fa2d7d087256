//! Values that a test puts together from public fields, which nobody has checked.

use crate::arguments::made_from;
use testsmith_model::api::Shape;
use testsmith_model::call::Form;
use testsmith_model::operation::{Mode, Operation, OperationKind};
use testsmith_model::ty::Ty;
use testsmith_model::{Edit, EditStep, OpId, Plan, Sequence, Step, TypeId};

/// Whether the operation is a literal of a struct with named fields.
pub fn is_put_together(operation: &Operation) -> bool {
    matches!(operation.call.form, Form::Constructor { shape: Shape::Named, .. })
}

/// The type of the value that a call makes from its parts, or of which it hands out a part
/// to be changed.
pub fn constructs(call: &Operation) -> Option<TypeId> {
    match call.kind {
        OperationKind::Constructor => Some(call.output),
        OperationKind::Field => {
            call.inputs.first().filter(|input| input.mode == Mode::Exclusive).map(|input| input.ty)
        }
        _ => None,
    }
}

/// The paths of the types that calls put together.
pub fn assembled<'c>(plan: &Plan, calls: impl Iterator<Item = &'c Operation>) -> Vec<String> {
    calls.fold(vec![], |mut known, call| {
        known.extend(assembles(plan, call, &known));
        known
    })
}

/// The path of the type that a call puts together from several fields, or from one that was put
/// together so: a struct, or a variant whose fields have names.
fn assembles(plan: &Plan, call: &Operation, known: &[String]) -> Option<String> {
    let Form::Constructor { path, fields, .. } = &call.call.form else { return None };
    let made = plan.ty(call.output).ty.path()?;
    let whole = made == path || is_put_together(call);
    let is_known = |path: &str| known.iter().any(|known| known == path);
    let of_parts = |ty: TypeId| plan.ty(ty).ty.path().is_some_and(is_known);
    let several = fields.len() > 1 || call.inputs.iter().any(|input| of_parts(input.ty));
    (whole && several).then(|| made.to_owned())
}

/// Whether the step `here`, or a call that it depends on, was told by the test what the crate tells
/// itself: a variant of a kind of value that something of the crate gives out one after the other,
/// as a parser gives out events. In which order these come is for whoever gives them out.
pub(crate) fn speaks_for_the_crate(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let edit = Edit::of(sequence);
    if here >= edit.len() {
        return false;
    }
    let is_said = |op: OpId| {
        let operation = plan.operation(op);
        let Form::Constructor { path, .. } = &operation.call.form else { return false };
        let Some(made) = plan.ty(operation.output).ty.path() else { return false };
        made != path && plan.operations.iter().any(|source| gives_out(plan, source, made))
    };
    let said = |step: &Step| matches!(step, Step::Call(op, _) if is_said(*op));
    sequence.steps().take(here).any(said)
        && edit
            .needed(plan, here)
            .steps
            .iter()
            .any(|step| matches!(step, EditStep::Call(op, _) if is_said(*op)))
}

/// Whether an operation changes a value of another type of the crate, and gives one of this.
fn gives_out(plan: &Plan, source: &Operation, made: &str) -> bool {
    let is_made = |ty: &Ty| ty.any(|ty| ty.path() == Some(made));
    let own = format!("{}::", plan.krate);
    let from_another = source.inputs.first().is_some_and(|input| {
        let ty = &plan.ty(input.ty).ty;
        let is_own = ty.behind_references().path().is_some_and(|path| path.starts_with(&own));
        input.mode == Mode::Exclusive && is_own && !is_made(ty)
    });
    let of_code = !matches!(source.kind, OperationKind::Field | OperationKind::Law);
    of_code && from_another && is_made(&plan.ty(source.output).ty)
}

/// Whether a value that the step `here` depends on was made of several lists by a call that could
/// not say that they do not fit.
pub(crate) fn of_several_lists(plan: &Plan, sequence: &Sequence, here: usize) -> bool {
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    let makers = made_from(&steps, here);
    let own = format!("{}::", plan.krate);
    let is_list = |ty: TypeId| match plan.ty(ty).ty.behind_references() {
        Ty::Slice(_) => true,
        ty => ty.path() == Some("std::vec::Vec"),
    };
    (0..here.min(steps.len())).filter(|at| makers[*at]).any(|at| {
        let Step::Call(op, _) = steps[at] else { return false };
        let operation = plan.operation(*op);
        let made = plan.ty(operation.output).ty.path().is_some_and(|path| path.starts_with(&own));
        let lists = operation.inputs.iter().filter(|input| is_list(input.ty)).count();
        made && lists > 1 && operation.inputs.len() == lists
    })
}
