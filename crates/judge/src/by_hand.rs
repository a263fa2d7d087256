//! Values that a test puts together from public fields, which nobody has checked.

use testsmith_model::api::Shape;
use testsmith_model::call::Form;
use testsmith_model::operation::{Mode, Operation, OperationKind};
use testsmith_model::{Plan, TypeId};

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
