//! Further instances of callables, where the first ones do not meet.
//!
//! A callable may have been accepted with types whose values nothing makes.
//! Then either another callable is asked to make them, or the callable itself
//! is asked to take what others make.

use crate::draft::Draft;
use crate::{MAX_NESTING, Planner, Purpose, literals, nesting};
use std::collections::{BTreeSet, HashSet};
use testsmith_model::api::{Impl, Param, ParamKind};
use testsmith_model::operation::{Input, Mode};
use testsmith_model::ty::{Arg, Bound, Substitution, Ty, unify};

/// Each callable is tried with this many of the types that others make.
const MAX_SUPPLIED: usize = 3;
/// And with this many of those that the package writes out.
const MAX_EXAMPLES: usize = 4;

impl Planner {
    pub(crate) fn instances(&mut self) -> Vec<Draft> {
        let reach = self.reach();
        let unmet = self.unmet(&reach);
        let mut drafts = self.supplied(&reach, &unmet);
        let examples = unmet.iter().flat_map(|number| self.of_examples(*number));
        drafts.extend(examples.map(|(_, draft)| draft));
        drafts.extend(self.demanded(&reach, &unmet));
        drafts.extend(self.with_fakes(&unmet));
        drafts.extend(self.owning());
        // New operations may need builders of their own.
        drafts.extend(self.builders());
        drafts
    }

    /// Instances of pending callables on types that the package writes out, those that it
    /// writes most often first.
    pub(crate) fn by_example(&self) -> Vec<(Purpose, Draft)> {
        let each = |number: &u32| self.of_examples(*number);
        self.pending.iter().flat_map(each).collect()
    }

    /// The same, of those callables alone that ask for a type by a trait of another crate: what the
    /// package itself chooses of its implementors is better than any of them.
    pub(crate) fn by_foreign_example(&self) -> Vec<(Purpose, Draft)> {
        let wanted = self.pending.iter().filter(|number| !self.met_elsewhere(**number).is_empty());
        wanted.flat_map(|number| self.of_examples(*number)).collect()
    }

    /// Whether a trait is another crate's, by its path or, where this one only hands it on, by who
    /// implements it.
    fn is_met_elsewhere(&self, path: &str) -> bool {
        let known = self.api.impls_of(path);
        let by_others =
            |known: &Impl| known.for_.path().is_some_and(|path| self.api.is_elsewhere(path));
        self.api.is_elsewhere(path) || !known.is_empty() && known.iter().all(by_others)
    }

    fn of_examples(&self, number: u32) -> Vec<(Purpose, Draft)> {
        let mut drafts = vec![];
        for (n, with) in self.example_arguments(number).into_iter().enumerate() {
            let found = self.drafts_of(number, &self.menus[0], &with);
            drafts.extend(found.into_iter().flatten().map(|draft| (Purpose::Call(n), draft)));
        }
        drafts
    }

    /// What the examples say about the parameters of a callable.
    fn example_arguments(&self, number: u32) -> Vec<Substitution> {
        let callable = &self.api.callables[number as usize];
        let inputs = callable.inputs.iter().map(|(_, ty)| ty);
        let mut found: Vec<Substitution> = vec![];
        for ty in callable.self_ty.iter().chain(inputs).chain([&callable.output]) {
            ty.walk(&mut |pattern| {
                let Some(path) = pattern.path() else { return };
                for example in self.api.examples.iter().filter(|ty| ty.path() == Some(path)) {
                    let mut with = Substitution::new();
                    let fits = unify(pattern, example, &mut with);
                    with.retain(|_, arg| !matches!(arg, Arg::Lifetime(_)));
                    if fits && !with.is_empty() && !found.contains(&with) {
                        found.push(with);
                    }
                }
            });
        }
        found.truncate(MAX_EXAMPLES);
        found.extend(self.foreign_arguments(number));
        found
    }

    /// Where a bound is a trait of another crate, what the package uses of others may meet it.
    fn foreign_arguments(&self, number: u32) -> Vec<Substitution> {
        let params = self.met_elsewhere(number);
        if params.is_empty() {
            return vec![];
        }
        let each = |ty: &Ty| {
            let chosen = |name: &String| (name.clone(), Arg::Type(ty.clone()));
            params.iter().map(chosen).collect()
        };
        self.api.foreign_types.iter().map(each).collect()
    }

    /// The parameters of a callable that other crates have the types for.
    fn met_elsewhere(&self, number: u32) -> Vec<String> {
        let generics = || self.api.callables[number as usize].generics.iter();
        let is_foreign = |bound: &Bound| {
            bound.as_trait().is_some_and(|trait_| self.is_met_elsewhere(&trait_.path))
        };
        let bounded = |param: &&Param| {
            let mut bounds = generics().flat_map(|generics| generics.bounds_on(&param.name));
            matches!(param.kind, ParamKind::Type { .. }) && bounds.any(is_foreign)
        };
        let params = generics().flat_map(|generics| &generics.params).filter(bounded);
        params.map(|param| param.name.clone()).collect()
    }

    /// What the package itself takes for the parameters that other crates have the types for.
    pub(crate) fn taken_from_elsewhere(&self, number: u32) -> Substitution {
        let params = self.met_elsewhere(number);
        if params.is_empty() {
            return Substitution::new();
        }
        let mut with = self.example_arguments(number).into_iter().next().unwrap_or_default();
        with.retain(|name, _| params.contains(name));
        with
    }

    /// Callables that no draft can call yet.
    fn unmet(&self, reach: &Reach) -> BTreeSet<u32> {
        let ready = |draft: &&Draft| reach.has_all(draft);
        let called: HashSet<u32> =
            self.accepted.iter().filter(ready).filter_map(|draft| draft.callable).collect();
        let refused = |number: &u32| self.pending.contains(number);
        let accepted = self.accepted.iter().filter_map(|draft| draft.callable);
        let all = accepted.chain((0..self.api.callables.len() as u32).filter(refused));
        all.filter(|number| !called.contains(number)).collect()
    }

    /// Instances that take the types which other callables make.
    fn supplied(&self, reach: &Reach, unmet: &BTreeSet<u32>) -> Vec<Draft> {
        let made: BTreeSet<&Ty> = reach.owned.iter().chain(&reach.shared).collect();
        let mut drafts = vec![];
        for &number in unmet {
            let callable = &self.api.callables[number as usize];
            let me = callable.self_ty.clone().map(|ty| ("Self".to_owned(), Arg::Type(ty)));
            let me: Substitution = me.into_iter().collect();
            let mut tried = 0;
            for (_, input) in &callable.inputs {
                let input = input.substitute(&me);
                let pattern = input.behind_references();
                let Some(path) = pattern.path() else { continue };
                for ty in made.iter().filter(|ty| ty.path() == Some(path)) {
                    let mut with = Substitution::new();
                    if tried < MAX_SUPPLIED
                        && unify(pattern, ty, &mut with)
                        && with.values().any(|arg| !matches!(arg, Arg::Lifetime(_)))
                    {
                        with.retain(|_, arg| !matches!(arg, Arg::Lifetime(_)));
                        tried += 1;
                        let found = self.drafts_of(number, &self.menus[0], &with);
                        drafts.extend(found.into_iter().flatten());
                    }
                }
            }
        }
        drafts
    }

    /// Instances whose result is a type that nothing makes yet.
    fn demanded(&self, reach: &Reach, unmet: &BTreeSet<u32>) -> Vec<Draft> {
        let mut missing: BTreeSet<&Ty> = BTreeSet::new();
        for draft in &self.accepted {
            if draft.callable.is_some_and(|number| !unmet.contains(&number)) {
                continue;
            }
            for Input { ty, mode, .. } in &draft.inputs {
                if !reach.has(ty, *mode) && nesting(ty) <= MAX_NESTING && !has_nested_references(ty)
                {
                    missing.insert(ty);
                }
            }
        }
        let mut drafts = vec![];
        for ty in missing {
            for (number, callable) in self.api.callables.iter().enumerate() {
                let mut with = Substitution::new();
                let output = match callable.self_ty.as_ref() {
                    Some(self_ty) => {
                        let me = Arg::Type(self_ty.clone());
                        callable.output.substitute(&Substitution::from([("Self".into(), me)]))
                    }
                    None => callable.output.clone(),
                };
                let makes = produced_by(&output)
                    .into_iter()
                    .any(|output| output.path() == ty.path() && unify(output, ty, &mut with));
                if makes && ty.path().is_some() && with.values().next().is_some() {
                    let found = self.drafts_of(number as u32, &self.menus[0], &with);
                    drafts.extend(found.into_iter().flatten());
                }
            }
        }
        drafts
    }

    pub(crate) fn reach(&self) -> Reach {
        let mut reach = Reach::default();
        for draft in &self.accepted {
            for ty in draft.inputs.iter().map(|input| &input.ty).chain([&draft.output]) {
                if !literals::pool(ty, &self.api.literals).is_empty() {
                    reach.add(ty);
                }
            }
        }
        let mut waiting: Vec<&Draft> = self.accepted.iter().collect();
        loop {
            let before = waiting.len();
            waiting.retain(|draft| {
                let ready = reach.has_all(draft);
                if ready {
                    reach.add(&draft.output);
                }
                !ready
            });
            if waiting.len() == before {
                return reach;
            }
        }
    }
}

/// The types whose values can be had.
#[derive(Default)]
pub(crate) struct Reach {
    owned: HashSet<Ty>,
    /// Behind a shared or an exclusive reference.
    shared: HashSet<Ty>,
    exclusive: HashSet<Ty>,
}

impl Reach {
    fn add(&mut self, ty: &Ty) {
        if let Ty::Ref { mutable, inner, .. } = ty {
            self.shared.insert((**inner).clone());
            if *mutable {
                self.exclusive.insert((**inner).clone());
            }
        }
        self.owned.insert(ty.clone());
    }

    pub(crate) fn has_all(&self, draft: &Draft) -> bool {
        draft.inputs.iter().all(|input| self.has(&input.ty, input.mode))
    }

    pub(crate) fn has(&self, ty: &Ty, mode: Mode) -> bool {
        self.owned.contains(ty)
            || match mode {
                Mode::Own | Mode::Reborrow => false,
                Mode::Shared => self.shared.contains(ty),
                Mode::Exclusive => self.exclusive.contains(ty),
            }
    }
}

/// What a result of this type can be taken apart into.
fn produced_by(output: &Ty) -> Vec<&Ty> {
    match output.path() {
        Some("std::option::Option" | "std::result::Result") => {
            output.type_arg(0).into_iter().collect()
        }
        _ => match output {
            Ty::Tuple(items) => items.iter().collect(),
            _ => vec![output],
        },
    }
}

/// Conversions from collections of references ask for collections of
/// references to references, and so on without end.
fn has_nested_references(ty: &Ty) -> bool {
    ty.any(|ty| matches!(ty, Ty::Ref { inner, .. } if matches!(**inner, Ty::Ref { .. })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::Plan;
    use testsmith_model::api::{
        Api, Callable, CallableKind, Docs, Generics, Safety, TypeDef, TypeKind,
    };

    fn param(name: &str) -> Ty {
        Ty::Param(name.into())
    }

    fn callable(path: &str, params: &[&str], inputs: Vec<Ty>, output: Ty) -> Callable {
        let each = |name: &&str| Param {
            name: (*name).to_owned(),
            kind: ParamKind::Type { bounds: vec![], default: None, synthetic: false },
        };
        let generics =
            Generics { params: params.iter().map(each).collect(), ..Generics::default() };
        Callable {
            callee: testsmith_model::Callee::item(path),
            kind: CallableKind::Free,
            self_ty: None,
            trait_: None,
            generics: vec![generics],
            outer_generics: 0,
            inputs: inputs.into_iter().map(|ty| ("x".to_owned(), ty)).collect(),
            output,
            safety: Safety::Safe,
            is_async: false,
            derived: false,
            guarded: false,
            docs: Docs::default(),
            place: None,
        }
    }

    /// Plans with a compiler that accepts everything.
    fn check(callables: Vec<Callable>, expected: &[&str]) {
        check_with(vec![], callables, |_| true, expected);
    }

    /// Plans with these examples, and a compiler that accepts what it is told to.
    fn check_with(
        examples: Vec<Ty>,
        callables: Vec<Callable>,
        accepts: fn(&Draft) -> bool,
        expected: &[&str],
    ) {
        let foreign_types = vec![Ty::adt("b::Trait", vec![]), Ty::adt("b::Utc", vec![])];
        let mut api =
            Api { krate: "a".into(), callables, examples, foreign_types, ..Api::default() };
        for path in ["a::Entry", "a::Map"] {
            let kind = TypeKind::Struct;
            let def = TypeDef { path: path.into(), generics: Generics::default(), kind };
            api.types.insert(path.into(), def);
        }
        let mut planner = Planner::new(api);
        loop {
            let drafts = planner.propose();
            if drafts.is_empty() {
                break;
            }
            let objection = |draft: &Draft| (!accepts(draft)).then(|| "no".to_owned());
            let objections: Vec<_> = drafts.iter().map(objection).collect();
            planner.learn(&objections);
        }
        let plan: Plan = planner.finish();
        let calls: Vec<String> = plan
            .operations
            .iter()
            .filter(|operation| operation.core)
            .map(|operation| operation.call.full())
            .collect();
        assert_eq!(calls, expected);
    }

    #[test]
    fn a_callable_takes_the_instance_that_another_one_makes() {
        let entry = |of: Ty| Ty::adt("a::Entry", vec![of]);
        let make = callable("a::make", &[], vec![], entry(Ty::prim("u8")));
        let take = callable("a::take", &["T"], vec![entry(param("T"))], Ty::unit());
        check(vec![make, take], &["a::make()", "a::take::<u8>({0})"]);
    }

    #[test]
    fn a_callable_makes_the_instance_that_another_one_takes() {
        let map = |of: Ty| Ty::adt("a::Map", vec![of]);
        let make = callable("a::make", &["T"], vec![], map(param("T")));
        let take = callable("a::take", &[], vec![map(Ty::prim("u8"))], Ty::unit());
        check(vec![make, take], &["a::make::<i32>()", "a::make::<u8>()", "a::take({0})"]);
    }

    #[test]
    fn a_callable_takes_what_the_package_writes_out() {
        let entry = |of: Ty| Ty::adt("a::Entry", vec![of]);
        let marker = Ty::adt("b::Marker", vec![]);
        let make = callable("a::make", &["T"], vec![], entry(param("T")));
        let examples = vec![entry(Ty::prim("u8")), entry(marker)];
        // No menu has it.
        let accepts = |draft: &Draft| draft.call.full().contains("b::Marker");
        check_with(examples, vec![make], accepts, &["a::make::<b::Marker>()"]);
    }

    #[test]
    fn a_bound_of_another_crate_is_met_by_what_the_package_uses() {
        let mut make = callable("a::now_in", &["Z"], vec![], Ty::prim("u64"));
        let zone = testsmith_model::ty::TraitRef::new("b::Zone", vec![]);
        let param = &mut make.generics[0].params[0];
        param.kind =
            ParamKind::Type { bounds: vec![Bound::Trait(zone)], default: None, synthetic: false };
        let accepts = |draft: &Draft| draft.call.full().contains("b::Utc");
        check_with(vec![], vec![make], accepts, &["a::now_in::<b::Utc>()"]);
    }

    #[test]
    fn a_trait_is_of_those_who_implement_it() {
        let handed_on = |of: Ty| {
            let trait_ = testsmith_model::ty::TraitRef::new("a::Length", vec![]);
            let (generics, assoc) = (Generics::default(), vec![]);
            let known = Impl { generics, trait_, for_: of, assoc };
            let mut api = Api { krate: "a".into(), ..Api::default() };
            api.impls.insert("a::Length".into(), vec![known]);
            Planner::new(api).is_met_elsewhere("a::Length")
        };
        assert!(handed_on(Ty::adt("b::Zero", vec![])));
        assert!(!handed_on(Ty::adt("a::Zero", vec![])));
        assert!(!handed_on(Ty::prim("usize")));
        assert!(!handed_on(Ty::adt("std::string::String", vec![])));
    }
}
