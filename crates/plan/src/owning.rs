//! Further instances of generic types: of texts, and of elements that know whether they live.
//!
//! An element that owns nothing can be dropped twice, or never, and nobody
//! sees it. So the methods of generic types are also called with elements that
//! own memory. Elements of the test that may panic where they are cloned or
//! compared show what a call leaves behind that is interrupted so.

use crate::Planner;
use crate::choose::Menu;
use crate::draft::{Draft, interrupted};
use std::collections::{BTreeMap, BTreeSet};
use testsmith_model::api::{Callable, CallableKind, ParamKind};
use testsmith_model::troubled;
use testsmith_model::ty::{Bound, Ty};

/// So many callables get one more instance, those of the types with the fewest first: each
/// costs time to compile and calls that others do not get.
const MAX_OWNING: usize = 64;
/// And so many get one with elements of the test.
const MAX_COUNTED: usize = 64;
/// And so many of what was derived for the same types.
const MAX_DERIVED: usize = 32;
/// The menu of texts.
const TEXTS: usize = 1;

impl Planner {
    /// The methods of generic types once more, with other elements.
    pub(crate) fn owning(&mut self) -> Vec<Draft> {
        if std::mem::replace(&mut self.owned, true) {
            return vec![];
        }
        let of_type = |callable: &Callable| {
            let of = callable.callee.of().filter(|of| is_generic(of))?;
            let path = of.path().filter(|path| self.api.types.contains_key(*path))?;
            (callable.kind == CallableKind::Inherent).then(|| path.to_owned())
        };
        let texts = self.menus[TEXTS].clone();
        let mut drafts = self.once_more(&self.chosen(of_type, MAX_OWNING), &texts);
        let counted = Menu { first: troubled::counted(), ..self.menus[0].clone() };
        // What is not generic has no elements.
        let of_elements = |callable: &Callable| {
            let owner = callable.callee.of().and_then(Ty::path).map(str::to_owned);
            let called = !matches!(
                callable.kind,
                CallableKind::Field(_) | CallableKind::Constant | CallableKind::Static
            );
            let wanted = called && has_types(callable) && !callable.derived;
            wanted.then(|| owner.unwrap_or_else(|| callable.callee.to_string()))
        };
        let mut chosen = self.chosen(of_elements, MAX_COUNTED);
        chosen.extend(self.derived_for(&chosen));
        for mut draft in self.once_more(&chosen, &counted) {
            // No caller has such elements; what the API is and promises others show.
            draft.core = false;
            let callable = draft.callable.map(|number| &self.api.callables[number as usize]);
            // What nobody wrote has no errors of its own on the way.
            let may_leave_half = callable.is_some_and(|it| calls_back(it) && !it.derived);
            if !draft.panics_by_design && may_leave_half {
                drafts.extend(interrupted(draft.clone()));
            }
            drafts.push(draft);
        }
        let tight = self.tight();
        drafts.extend(tight.into_iter().filter(|draft| self.is_new(draft)));
        drafts
    }

    /// What the compiler derived for the types that own these callables: it copies and compares
    /// every element that a field holds, whether that is still one or not.
    fn derived_for(&self, chosen: &BTreeSet<u32>) -> Vec<u32> {
        let callable = |number: u32| &self.api.callables[number as usize];
        let owner = |number: u32| callable(number).callee.of().and_then(Ty::path);
        let owners: BTreeSet<&str> = chosen.iter().filter_map(|number| owner(*number)).collect();
        let is_one = |number: &u32| {
            let known = owner(*number).is_some_and(|path| owners.contains(path));
            known && callable(*number).derived && has_types(callable(*number))
        };
        let accepted = self.accepted.iter().filter_map(|draft| draft.callable);
        let derived: BTreeSet<u32> = accepted.filter(is_one).collect();
        derived.into_iter().take(MAX_DERIVED).collect()
    }

    /// The accepted callables of each owner, all of them or none: half of a type is of little
    /// use, since what makes its values may be missing. So many in all, those of the owners
    /// with the fewest first.
    fn chosen(&self, owner: impl Fn(&Callable) -> Option<String>, most: usize) -> BTreeSet<u32> {
        let mut by_owner: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        for number in self.accepted.iter().filter_map(|draft| draft.callable) {
            if let Some(owner) = owner(&self.api.callables[number as usize]) {
                by_owner.entry(owner).or_default().insert(number);
            }
        }
        let mut owners: Vec<BTreeSet<u32>> = by_owner.into_values().collect();
        owners.sort_by_key(BTreeSet::len);
        let mut chosen = BTreeSet::new();
        for numbers in owners {
            if chosen.len() + numbers.len() > most {
                break;
            }
            chosen.extend(numbers);
        }
        chosen
    }

    /// Drafts of these callables with another menu, where that makes a difference.
    fn once_more(&self, numbers: &BTreeSet<u32>, menu: &Menu) -> Vec<Draft> {
        let of = |number: &u32| self.drafts_of(*number, menu, &self.taken_from_elsewhere(*number));
        let drafts = numbers.iter().flat_map(|number| of(number).into_iter().flatten());
        drafts.filter(|draft| self.is_new(draft)).collect()
    }

    /// Whether nothing that was accepted calls the same with the same.
    fn is_new(&self, draft: &Draft) -> bool {
        let same = |known: &Draft| {
            let alike = known.callable == draft.callable && known.inputs == draft.inputs;
            alike && known.output == draft.output
        };
        !self.accepted.iter().any(same)
    }
}

/// Whether a type has parameters that are types.
fn is_generic(ty: &Ty) -> bool {
    ty.type_arg(0).is_some()
}

/// Whether a callable has parameters that are types.
fn has_types(callable: &Callable) -> bool {
    let mut params = callable.generics.iter().flat_map(|generics| &generics.params);
    params.any(|param| matches!(param.kind, ParamKind::Type { .. }))
}

/// Whether a callable can do something with values of types that it does not know: some trait
/// is demanded of them that has methods.
fn calls_back(callable: &Callable) -> bool {
    let marks = ["Copy", "Send", "Sized", "Sync", "Unpin", "UnwindSafe", "RefUnwindSafe"];
    let acts = |bound: &Bound| bound.as_trait().is_some_and(|of| !marks.contains(&of.name()));
    callable.generics.iter().any(|generics| {
        generics.predicates.iter().any(|(_, bounds)| bounds.iter().any(acts))
            || generics.params.iter().any(|param| match &param.kind {
                ParamKind::Type { bounds, .. } => bounds.iter().any(acts),
                _ => false,
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::Callee;
    use testsmith_model::api::{Api, Docs, Generics, Param, Safety};
    use testsmith_model::ty::TraitRef;

    /// `fn a::sort<T: bound>(items: Vec<T>)`
    fn sort(bound: &str) -> Callable {
        let bounds = vec![Bound::Trait(TraitRef::new(bound, vec![]))];
        let kind = ParamKind::Type { bounds, default: None, synthetic: false };
        let generics =
            Generics { params: vec![Param { name: "T".into(), kind }], ..Generics::default() };
        Callable {
            callee: Callee::item("a::sort"),
            kind: CallableKind::Free,
            self_ty: None,
            trait_: None,
            generics: vec![generics],
            outer_generics: 0,
            inputs: vec![("items".into(), Ty::adt("std::vec::Vec", vec![Ty::Param("T".into())]))],
            output: Ty::unit(),
            safety: Safety::Safe,
            is_async: false,
            derived: false,
            guarded: false,
            docs: Docs::default(),
            place: None,
        }
    }

    /// How the callables are called by a plan of them alone.
    fn calls(callables: Vec<Callable>) -> Vec<String> {
        let api = Api { krate: "a".into(), callables, ..Api::default() };
        let mut planner = Planner::new(api);
        loop {
            let count = planner.propose().len();
            if count == 0 {
                break;
            }
            planner.learn(&vec![None; count]);
        }
        let operations = planner.finish().operations;
        let own = operations.iter().filter(|operation| operation.callable.is_some());
        own.map(|operation| operation.call.full()).collect()
    }

    #[test]
    fn what_is_derived_gets_elements_that_know_whether_they_live_where_its_type_does() {
        let bag = Ty::adt("a::Bag", vec![Ty::Param("T".into())]);
        let own = |name: &str, derived: bool| Callable {
            callee: Callee::member(&bag, name),
            kind: CallableKind::Inherent,
            self_ty: Some(bag.clone()),
            outer_generics: 1,
            derived,
            ..sort("std::clone::Clone")
        };
        let of_elements = |callables: Vec<Callable>| -> Vec<String> {
            calls(callables).into_iter().filter(|call| call.contains("Counted")).collect()
        };
        let both = of_elements(vec![own("sort", false), own("clone", true)]);
        let of = |name: &str| both.iter().filter(|call| call.contains(name)).count();
        // What a person wrote is interrupted, too.
        assert_eq!((of("::sort"), of("::clone")), (2, 1), "{both:?}");
        assert!(of_elements(vec![own("clone", true)]).is_empty(), "nothing else is called so");
    }

    #[test]
    fn what_can_call_back_is_interrupted_by_its_elements() {
        let plain = ["a::sort::<i32>({0})", "a::sort::<troubled::Counted>({0})"];
        assert_eq!(calls(vec![sort("std::marker::Send")]), plain);
        let interrupted = "troubled::after({1}, || { let _ = a::sort::<troubled::Counted>({0}); })";
        let mut all = calls(vec![sort("std::cmp::Ord")]);
        all.sort();
        assert_eq!(all, [plain[0], plain[1], interrupted]);
    }
}
