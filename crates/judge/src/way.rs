//! What it takes to get to a failure.
//!
//! Failures in one place are not always one defect: a list can be corrupt because of one
//! call or of another, and panic in the same line. So a failure has a *way*: the calls
//! without which it does not come about. Two failures of one
//! class whose ways have nothing in common are two defects.
//!
//! Which of several plain makers (`new`, `default`) a value came from does not matter; and
//! what only leads from a value to the one that fails is no part of the way: the iterators of a
//! list break one law for one reason, whichever of them it is seen with.

use std::collections::BTreeSet;
use testsmith_model::call::Form;
use testsmith_model::operation::{Input, Mode, Operation, OperationKind};
use testsmith_model::ty::Ty;
use testsmith_model::{Edit, EditStep, Plan, Sequence, Step, TypeId};

/// The names of the calls that a step needs, but for its own, for those that make a value of
/// nothing or of numbers, or a variant of what it holds, that lend the items of one, or that lead to its receiver from the value
/// that this is a part or a view of. One that is handed nothing but data needs none: it does not
/// matter who wrote a text or a number.
pub fn way(plan: &Plan, sequence: &Sequence, step: usize) -> BTreeSet<String> {
    let edit = Edit::of(sequence);
    let is_own = |arg: &u32| own_path(plan, edit.steps[*arg as usize].ty(plan)).is_some();
    if !edit.steps.get(step).is_some_and(|step| step.args().iter().any(is_own)) {
        return BTreeSet::new();
    }
    let needed = edit.needed(plan, step);
    let last = needed.len() - 1;
    let (views, _) = looked_through(plan, &needed, last);
    let call = |(here, step): (usize, &EditStep)| match step {
        EditStep::Call(op, _) if here != last && !views.contains(&here) => {
            let operation = plan.operation(*op);
            let aside = matches!(operation.kind, OperationKind::Builder | OperationKind::Law)
                || is_a_variant(plan, operation);
            let plain = |input: &Input| matches!(plan.ty(input.ty).ty, Ty::Prim(_));
            let from_nothing = operation.inputs.iter().all(plain);
            // The items of a value, as a slice or a text, are data like any other.
            let output = &plan.ty(operation.output).ty;
            let lends_data = output.borrows() && own_path(plan, operation.output).is_none();
            (!aside && !from_nothing && !lends_data).then(|| operation.callee.name().to_owned())
        }
        _ => None,
    };
    needed.steps.iter().enumerate().filter_map(call).collect()
}

/// Whether an operation puts a variant of an enum together, which runs no code of the crate.
fn is_a_variant(plan: &Plan, operation: &Operation) -> bool {
    let Form::Constructor { path, .. } = &operation.call.form else { return false };
    plan.ty(operation.output).ty.path().is_some_and(|made| made != path)
}

/// Whether a failure with this way comes about as one that is known: that needs nothing, or they
/// have a call in common. There are many ways to fill a collection.
pub fn is_same_way(known: &BTreeSet<String>, way: &BTreeSet<String>) -> bool {
    known.is_empty() || !known.is_disjoint(way)
}

/// Whether a call is handed data by the test, a number or a text, which may be what it fails
/// of. One that is handed nothing has nobody else to blame, so what explains that one is no
/// reason why this one fails.
pub fn is_given_data(plan: &Plan, sequence: &Sequence, step: usize) -> bool {
    let Some(Step::Call(op, _)) = sequence.steps().nth(step) else { return false };
    let is_data = |input: &Input| matches!(plan.ty(input.ty).ty.behind_references(), Ty::Prim(_));
    plan.operation(*op).inputs.iter().any(is_data)
}

/// The path of the type whose value a step is about in the end: of an iterator, the
/// collection that it runs over.
pub(crate) fn root(plan: &Plan, sequence: &Sequence, step: usize) -> Option<String> {
    let edit = Edit::of(sequence);
    if step >= edit.len() { None } else { looked_through(plan, &edit, step).1 }
}

/// The types of the crate whose values a step is about, and those that these are views or
/// clones of. Two failures of one law are one cause if they have a type in common.
pub fn lineage(plan: &Plan, sequence: &Sequence, step: usize) -> BTreeSet<String> {
    let edit = Edit::of(sequence);
    let mut types = BTreeSet::new();
    let mut open = if step < edit.len() { vec![step] } else { vec![] };
    while let Some(at) = open.pop() {
        let own = |at: usize| own_path(plan, edit.steps[at].ty(plan));
        for from in edit.steps[at].args().iter().map(|arg| *arg as usize) {
            let Some(path) = own(from) else { continue };
            // Arguments come before their uses, so this ends.
            if at == step || own(at).as_ref() == Some(&path) || is_view(plan, &edit.steps[at], from)
            {
                types.insert(path);
                open.push(from);
            }
        }
    }
    types
}

/// The steps that lead to the receiver of a call from a value of another type of the crate,
/// and the type where they begin.
fn looked_through(plan: &Plan, edit: &Edit, last: usize) -> (BTreeSet<usize>, Option<String>) {
    let mut views = BTreeSet::new();
    let mut root: Option<String> = None;
    let mut at = last;
    loop {
        let args = edit.steps[at].args().iter();
        let owned = args.filter_map(|arg| {
            Some((*arg as usize, own_path(plan, edit.steps[*arg as usize].ty(plan))?))
        });
        let owned: Vec<(usize, String)> = owned.collect();
        // A clone is no view, but what it is a clone of may be one.
        let other = owned.iter().find(|(_, path)| root.as_ref() != Some(path));
        let Some((from, path)) = other.or(owned.first()).cloned() else {
            return (views, root);
        };
        if root.as_ref() == Some(&path) {
            at = from;
            continue;
        }
        if root.is_some() {
            if !is_view(plan, &edit.steps[at], from) {
                return (views, root);
            }
            views.insert(at);
        }
        root = Some(path);
        at = from;
    }
}

/// Whether what a step makes is its argument seen in another way: it borrows from it, or was
/// made by giving it up. What was copied out of it, or made of a copy of it, is a value of its
/// own.
fn is_view(plan: &Plan, step: &EditStep, from: usize) -> bool {
    let EditStep::Call(op, args) = step else { return false };
    let borrows = plan.ty(step.ty(plan)).ty.borrows();
    let shown = |input: &Input| {
        let info = plan.ty(input.ty);
        let by_value = input.mode == Mode::Own && !info.ty.borrows();
        if by_value { !info.abilities.copy } else { borrows }
    };
    let mut given = args.iter().zip(&plan.operation(*op).inputs);
    given.any(|(arg, input)| *arg as usize == from && shown(input))
}

/// The path of the first type of the crate under test in a type.
fn own_path(plan: &Plan, ty: TypeId) -> Option<String> {
    let own = format!("{}::", plan.krate);
    let mut found: Option<String> = None;
    plan.ty(ty).ty.any(|ty: &Ty| {
        if let Some(path) = ty.path().filter(|path| found.is_none() && path.starts_with(&own)) {
            found = Some(path.to_owned());
        }
        found.is_some()
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::{Abilities, Operation, TypeInfo};
    use testsmith_model::ty::{Arg, Lifetime};
    use testsmith_model::{Callee, OpId};

    const MAP: TypeId = TypeId(0);
    const ITER: TypeId = TypeId(1);
    const NOTHING: TypeId = TypeId(2);
    const NAME: TypeId = TypeId(3);
    const DAYS: TypeId = TypeId(4);

    /// `new() -> Map`, `insert(&mut Map)`, `drain(&mut Map)`, `iter(&Map) -> Iter`,
    /// `next(&mut Iter)`, `name(&Map) -> Name`, `show(&Name)`, `days() -> Days`,
    /// `called(Days) -> Name`, `count(&Map) -> bool`, `read(bool)`; days can be copied.
    fn plan() -> Plan {
        let info = |ty: Ty| TypeInfo::owned(ty, Default::default());
        let operation = |name: &str, inputs: &[(TypeId, Mode)], output| Operation {
            callee: Callee::item(name),
            ..Operation::of_types(inputs, output)
        };
        let lifetime = Arg::Lifetime(Lifetime::Elided);
        Plan {
            krate: "a".to_owned(),
            types: vec![
                info(Ty::adt("a::Map", vec![])),
                info(Ty::Adt { path: "a::Iter".to_owned(), args: vec![lifetime] }),
                info(Ty::prim("bool")),
                info(Ty::adt("a::Name", vec![])),
                TypeInfo::owned(
                    Ty::adt("a::Days", vec![]),
                    Abilities { copy: true, ..Abilities::default() },
                ),
            ],
            operations: vec![
                operation("a::new", &[], MAP),
                operation("a::insert", &[(MAP, Mode::Exclusive)], NOTHING),
                operation("a::drain", &[(MAP, Mode::Exclusive)], NOTHING),
                operation("a::iter", &[(MAP, Mode::Shared)], ITER),
                operation("a::next", &[(ITER, Mode::Exclusive)], NOTHING),
                operation("a::name", &[(MAP, Mode::Shared)], NAME),
                operation("a::show", &[(NAME, Mode::Shared)], NOTHING),
                operation("a::days", &[], DAYS),
                operation("a::called", &[(DAYS, Mode::Own)], NAME),
                operation("a::count", &[(MAP, Mode::Shared)], NOTHING),
                operation("a::read", &[(NOTHING, Mode::Own)], NOTHING),
            ],
            ..Plan::default()
        }
    }

    /// The way to the last of these calls, and its root.
    fn seen(calls: &[(u32, &[u32])]) -> (Vec<String>, Option<String>) {
        let steps = calls.iter().map(|(op, back)| Step::Call(OpId(*op), (*back).into())).collect();
        let (plan, sequence) = (plan(), Sequence::from_steps(steps));
        let last = calls.len() - 1;
        (way(&plan, &sequence, last).into_iter().collect(), root(&plan, &sequence, last))
    }

    #[test]
    fn the_way_is_what_is_needed_without_the_views_and_the_call_itself() {
        let map = Some("a::Map".to_owned());
        let calls: [(u32, &[u32]); 3] = [(0, &[]), (2, &[1]), (1, &[2])];
        assert_eq!(seen(&calls), (vec!["drain".into()], map.clone()));
        // Another map does not matter; the iterator is a view.
        let calls: [(u32, &[u32]); 5] = [(0, &[]), (0, &[]), (2, &[1]), (3, &[3]), (4, &[1])];
        assert_eq!(seen(&calls), (vec![], map));
        assert_eq!(seen(&[(0, &[])]), (vec![], None));
        // What is copied out of it is no view.
        let calls: [(u32, &[u32]); 3] = [(0, &[]), (5, &[1]), (6, &[1])];
        assert_eq!(seen(&calls), (vec!["name".into()], Some("a::Name".to_owned())));
        // Who told a number does not matter.
        let calls: [(u32, &[u32]); 3] = [(0, &[]), (9, &[1]), (10, &[1])];
        assert_eq!(seen(&calls).0, Vec::<String>::new());
        // Nor is what is made of a copy.
        let calls: [(u32, &[u32]); 3] = [(7, &[]), (8, &[1]), (6, &[1])];
        assert_eq!(seen(&calls), (vec!["called".into()], Some("a::Name".to_owned())));
    }
    #[test]
    fn a_view_is_of_the_lineage_of_what_it_shows() {
        let lineage = |calls: &[(u32, &[u32])]| -> Vec<String> {
            let steps = calls.iter().map(|(op, back)| Step::Call(OpId(*op), (*back).into()));
            let sequence = Sequence::from_steps(steps.collect());
            super::lineage(&plan(), &sequence, calls.len() - 1).into_iter().collect()
        };
        assert_eq!(lineage(&[(0, &[]), (3, &[1]), (4, &[1])]), ["a::Iter", "a::Map"]);
        assert_eq!(lineage(&[(0, &[]), (5, &[1]), (6, &[1])]), ["a::Name"]);
    }
}
