//! What a type has under which names.

use crate::draft::Draft;
use testsmith_model::Callee;
use testsmith_model::api::{Api, Callable, Safety};
use testsmith_model::operation::{Input, Mode};
use testsmith_model::ty::Ty;

/// What `{x}` is in a name of this form.
pub(super) fn fits<'n>(name: &'n str, form: &str) -> Option<&'n str> {
    // A name in full leaves nothing open.
    let Some((before, after)) = form.split_once("{x}") else {
        return (name == form).then_some("");
    };
    let x = name.strip_prefix(before)?.strip_suffix(after)?;
    // A whole name stands for anything, and part of one begins and ends with a word.
    let bare = before.is_empty() && after.is_empty();
    (bare || !x.is_empty() || !(before.ends_with('_') || after.starts_with('_'))).then_some(x)
}

/// How many arguments a function of the type with this name takes, if it takes no value of it.
pub(super) fn makes_from(api: &Api, ty: &Ty, name: &str) -> Option<usize> {
    let is_it = |callable: &&Callable| {
        is_member(&callable.callee, ty, name)
            && callable.safety == Safety::Safe
            && callable.inputs.first().is_some_and(|(name, _)| name != "self")
    };
    api.callables.iter().find(is_it).map(|callable| callable.inputs.len())
}

/// Whether the crate implements a trait for the type or for references to it.
pub(super) fn implements(api: &Api, ty: &Ty, trait_: &str) -> bool {
    let path = |ty: &Ty| match ty {
        Ty::Ref { inner, .. } => inner.path().map(str::to_owned),
        ty => ty.path().map(str::to_owned),
    };
    ty.path().is_some() && api.impls_of(trait_).iter().any(|it| path(&it.for_) == path(ty))
}

/// Whether the crate lets a loop run over a reference to the type.
pub(super) fn shows_items_by_reference(api: &Api, ty: &Ty) -> bool {
    let is_one = |for_: &Ty| match for_ {
        Ty::Ref { inner, mutable: false, .. } => inner.path() == ty.path(),
        _ => false,
    };
    let impls = api.impls_of("std::iter::IntoIterator");
    ty.path().is_some() && impls.iter().any(|known| is_one(&known.for_))
}

/// The number of arguments of a method with this name, the value included.
pub(super) fn method(api: &Api, ty: &Ty, name: &str) -> Option<usize> {
    let is_it = |callable: &&Callable| {
        is_member(&callable.callee, ty, name)
            && callable.safety == Safety::Safe
            && !callable.inputs.is_empty()
    };
    api.callables.iter().find(is_it).map(|callable| callable.inputs.len())
}

/// Whether it is the member with this name of a type of the crate, whatever the
/// type's arguments.
pub(super) fn is_member(callee: &Callee, ty: &Ty, name: &str) -> bool {
    let same = |of: &Ty| of.path().is_some() && of.path() == ty.path();
    matches!(callee, Callee::Member { of, name: known } if known == name && same(of))
}

/// What a method of the type takes besides the value, as an accepted draft has it.
pub(super) fn arguments(ty: &Ty, name: &str, accepted: &[Draft]) -> Option<Vec<Ty>> {
    let is_it = |draft: &&Draft| {
        is_member(&draft.callee, ty, name)
            && !draft.panics_by_design
            && draft.inputs.first().is_some_and(|first| first.ty == *ty)
    };
    let found = accepted.iter().find(is_it)?;
    let passed = |input: &Input<Ty>| match input.mode {
        Mode::Own | Mode::Reborrow => input.ty.clone(),
        Mode::Shared => Ty::shared(input.ty.clone()),
        Mode::Exclusive => Ty::exclusive(input.ty.clone()),
    };
    Some(found.inputs[1..].iter().map(passed).collect())
}

/// How a method of the type takes its value, as an accepted draft has it.
pub(super) fn receives(ty: &Ty, name: &str, accepted: &[Draft]) -> Option<Mode> {
    let of_value = |draft: &Draft| {
        let first = draft.inputs.first().filter(|first| first.name == "self" && first.ty == *ty)?;
        (is_member(&draft.callee, ty, name) && !draft.panics_by_design).then_some(first.mode)
    };
    accepted.iter().find_map(of_value)
}
