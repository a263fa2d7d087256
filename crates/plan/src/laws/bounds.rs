//! The bounds of laws over traits: whether a type may keep them, and how the compiler is asked.
//!
//! To be told that a type lacks a trait takes the compiler longer than anything else, so what
//! the documentation lists is looked at first.

use super::law;
use crate::draft::Draft;
use testsmith_model::Callee;
use testsmith_model::api::{Api, Impl};
use testsmith_model::ty::Ty;

/// Whether a type may implement all traits that these bounds ask of it.
pub(super) fn may_hold(api: &Api, ty: &Ty, bounds: &str) -> bool {
    traits(bounds).into_iter().all(|name| may_implement(api, ty, name))
}

/// The names of the traits that `T` itself has to implement by these bounds, which come
/// before those of its associated types.
fn traits(bounds: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = bounds.split(|c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && matches!(c, '+' | ',')
    });
    let own = parts.map(str::trim).take_while(|part| !part.starts_with("T::"));
    let name = |part: &'_ str| -> usize { part.find('<').unwrap_or(part.len()) };
    own.map(|part| part.strip_prefix("T: ").unwrap_or(part))
        .map(|part| part[..name(part)].rsplit("::").next().unwrap_or(part))
        .collect()
}

/// Whether a type of the crate may implement a trait of the standard library, as far as the
/// documentation lists impls: to be told by the compiler that it does not takes long. Types of
/// which no impl is known are believed.
fn may_implement(api: &Api, ty: &Ty, name: &str) -> bool {
    let is_for = |known: &Impl| known.for_.path().is_none() || known.for_.path() == ty.path();
    let of_std = |path: &str, name: &str| {
        let library = path.split("::").next().unwrap_or_default();
        matches!(library, "std" | "core" | "alloc") && path.rsplit("::").next() == Some(name)
    };
    let has = |name: &str| {
        api.impls.iter().any(|(path, impls)| of_std(path, name) && impls.iter().any(is_for))
    };
    let is_known = || api.impls.values().flatten().any(|known| known.for_.path() == ty.path());
    has(name) || (name == "IntoIterator" && has("Iterator")) || !is_known()
}

/// What the compiler has to be asked about a law over traits: whether the values have those.
/// It compiles for all types that do, and looking at it again for each takes long.
pub fn question(draft: &Draft) -> Option<String> {
    let Callee::Claim { law: Some(file), .. } = &draft.callee else { return None };
    let law = law(file).filter(|law| law.speaks_of_traits_alone())?;
    let bounds = law.bounds.as_ref()?;
    let of = if law.owned { "T" } else { "&T" };
    let parameters: Vec<String> = (0..law.values).map(|n| format!("a{n}: {of}")).collect();
    let values: Vec<String> = (0..law.values).map(|n| format!("a{n}")).collect();
    // The name tells laws over the same traits apart.
    Some(format!(
        "{{ fn {file}<T>({}) -> bool where {bounds} {{ loop {{}} }} {file}({}) }}",
        parameters.join(", "),
        values.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::ty::TraitRef;

    #[test]
    fn a_law_over_traits_is_for_types_that_may_have_them() {
        let bounds = "T: Clone + Extend<<T as IntoIterator>::Item> + std::hash::Hash, T::Item: Eq";
        assert_eq!(traits(bounds), ["Clone", "Extend", "Hash"]);
        let ty = Ty::adt("a::Bag", vec![]);
        let mut api = Api::default();
        assert!(may_implement(&api, &ty, "Clone"), "nothing is known of it");
        let mut add = |trait_: &str| {
            let path = trait_.to_owned();
            let trait_ = TraitRef { path: path.clone(), args: vec![], assoc: vec![] };
            let (for_, generics) = (ty.clone(), Default::default());
            let known = Impl { trait_, for_, generics, assoc: vec![] };
            api.impls.entry(path).or_default().push(known);
        };
        add("std::iter::Iterator");
        assert!(may_implement(&api, &ty, "Iterator") && may_implement(&api, &ty, "IntoIterator"));
        assert!(!may_implement(&api, &ty, "Clone"));
        assert!(may_implement(&api, &Ty::adt("a::Box", vec![]), "Clone"));
    }
}
