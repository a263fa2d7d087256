//! Fakes: types that implement a trait by its contracts alone.
//!
//! They are the last resort. Where a real implementation can be made, its values are worth
//! more than any answer that a contract allows. Which type is a fake was discovered; here
//! they become implementors of their traits, and get values.

use crate::Planner;
use crate::builders::row;
use crate::choose::Menu;
use crate::draft::Draft;
use std::collections::BTreeSet;
use std::rc::Rc;
use testsmith_model::api::{Api, Callable, Generics, Impl, ParamKind, TraitDef};
use testsmith_model::operation::Operation;
use testsmith_model::skip::{Reason, Skip};
use testsmith_model::ty::{Bound, TraitRef, Ty};

/// Each seed is another implementation. More of them cost draws that others do not get.
const SEEDS: u32 = 8;

/// Makes fakes of the test code implementors of the traits that they are for. What a trait
/// provides is called on a fake of that very trait, and only where no real type implements it.
pub fn settle(api: &mut Api) {
    let callables = std::mem::take(&mut api.callables);
    let is_wanted = |callable: &Callable| {
        let of_fake = callable.self_ty.as_ref().filter(|ty| api.is_fake(ty));
        let (Some(ty), Some(trait_)) = (of_fake, &callable.trait_) else { return true };
        let is_its_own = ty.name().strip_prefix("Fake") == Some(trait_.name());
        is_its_own && api.impls_of(&trait_.path).iter().all(|known| api.is_fake(&known.for_))
    };
    let wanted = callables.into_iter().filter(is_wanted).collect();
    api.callables = wanted;
    for fake in api.fakes.clone() {
        let Some(path) = fake.mounted.and_then(|mounted| meant(api, &mounted.of)) else { continue };
        let known = Impl {
            trait_: TraitRef::new(&path, vec![]),
            for_: Ty::adt(&fake.path, vec![]),
            generics: Generics::default(),
            assoc: vec![],
        };
        api.impls.entry(path.clone()).or_default().push(known);
        let generics = Generics::default();
        let def = TraitDef { path: path.clone(), generics, is_dyn_compatible: true };
        api.traits.entry(path).or_insert(def);
    }
}

/// The trait that is meant by the words of a test file: one that the crate has, or asks for.
fn meant(api: &Api, written: &str) -> Option<String> {
    let asked = api.callables.iter().flat_map(traits_of).map(|trait_| trait_.path);
    let all: BTreeSet<String> = api.traits.keys().cloned().chain(asked).collect();
    let last = |path: &str| path.rsplit("::").next().map(str::to_owned);
    let same = all.iter().find(|path| *path == written);
    same.or_else(|| all.iter().find(|path| last(path) == last(written))).cloned()
}

/// The traits that a callable asks of its parameters, by bounds and behind `dyn` and `impl`.
fn traits_of(callable: &Callable) -> Vec<TraitRef> {
    let mut found: Vec<TraitRef> = vec![];
    let mut take = |bounds: &[Bound]| {
        found.extend(bounds.iter().filter_map(Bound::as_trait).cloned());
    };
    for generics in &callable.generics {
        for param in &generics.params {
            if let ParamKind::Type { bounds, .. } = &param.kind {
                take(bounds);
            }
        }
        generics.predicates.iter().for_each(|(_, bounds)| take(bounds));
    }
    for (_, ty) in &callable.inputs {
        ty.walk(&mut |ty| match ty {
            Ty::Impl(bounds) => take(bounds),
            Ty::Dyn { bounds, .. } => {
                take(&bounds.iter().cloned().map(Bound::Trait).collect::<Vec<Bound>>());
            }
            _ => {}
        });
    }
    found
}

/// A fake by each of a few seeds, or behind a pointer to what it implements; nothing for other
/// types.
pub fn makers(api: &Api, ty: &Ty) -> Vec<Draft> {
    if !api.is_fake(ty) {
        return behind(api, ty).into_iter().collect();
    }
    let by_seed = |seed: u32| {
        let call = format!("{ty}::with_seed({seed})");
        row(&call, &call, vec![], ty)
    };
    (0..SEEDS).map(by_seed).collect()
}

/// A fake as an object, where nothing real implements its trait: `Box<dyn Meter>`.
fn behind(api: &Api, ty: &Ty) -> Option<Draft> {
    let (inner, constructor) = match (ty.path(), ty) {
        (Some("std::boxed::Box"), _) => (ty.type_arg(0)?, "Box::new"),
        (Some("std::rc::Rc"), _) => (ty.type_arg(0)?, "std::rc::Rc::new"),
        (Some("std::sync::Arc"), _) => (ty.type_arg(0)?, "std::sync::Arc::new"),
        (_, Ty::Ref { inner, .. }) => (&**inner, ""),
        _ => return None,
    };
    let Ty::Dyn { bounds, .. } = inner else { return None };
    let trait_ = bounds.iter().find(|bound| !matches!(bound.name(), "Send" | "Sync"))?;
    let known = api.impls_of(&trait_.path);
    let is_own = |known: &&Impl| known.for_.name().strip_prefix("Fake") == Some(trait_.name());
    let fake = known.iter().find(is_own).or(known.first())?.for_.clone();
    if !known.iter().all(|known| api.is_fake(&known.for_)) {
        return None;
    }
    let input = match ty {
        Ty::Ref { lifetime, mutable, .. } => {
            let inner = Box::new(fake);
            Ty::Ref { lifetime: lifetime.clone(), mutable: *mutable, inner }
        }
        _ => fake,
    };
    let given =
        if constructor.is_empty() { "{0}".to_owned() } else { format!("{constructor}({{0}})") };
    let call = format!("{given} as {}", ty.erase_lifetimes());
    Some(row(&call, &call, vec![input], ty))
}

impl Planner {
    /// Instances with fakes, of callables for which nothing makes the implementations that
    /// there are.
    pub(crate) fn with_fakes(&self, unmet: &BTreeSet<u32>) -> Vec<Draft> {
        if self.api.fakes.is_empty() {
            return vec![];
        }
        let first = &self.menus[0];
        let menu = Menu { fakes_first: true, found: Rc::default(), ..first.clone() };
        let takes_one = |draft: &Draft| {
            draft.inputs.iter().any(|input| input.ty.any(|ty| self.api.is_fake(ty)))
        };
        let found = unmet.iter().flat_map(|number| {
            self.drafts_of(*number, &menu, &Default::default()).into_iter().flatten()
        });
        found.filter(takes_one).collect()
    }
}

/// The better reason why a callable was refused, where a trait has no implementation at all.
pub fn missing(api: &Api, callable: &Callable, objection: &str) -> Option<(Reason, String)> {
    let is_unmet = |trait_: &TraitRef| {
        let own = api.traits.contains_key(&trait_.path);
        let elsewhere = api.is_elsewhere(&trait_.path)
            && objection.contains("is not satisfied")
            && objection.contains(trait_.name());
        trait_.signature().is_none() && api.impls_of(&trait_.path).is_empty() && (own || elsewhere)
    };
    let trait_ = traits_of(callable).into_iter().find(is_unmet)?;
    let (name, path) = (trait_.name(), &trait_.path);
    let of_one = format!("{name}::");
    let has_contracts = api.contracts.iter().any(|contract| contract.name.starts_with(&of_one));
    let remedy = if api.is_elsewhere(path) {
        format!(
            "`#[testsmith::fake(of = {path})]` on a trait in tests/ that repeats it with contracts"
        )
    } else if has_contracts {
        "it has contracts, and `#[testsmith::fake]` on it".to_owned()
    } else {
        "contracts on it and `#[testsmith::fake]`".to_owned()
    };
    Some((Reason::NoImplementation, format!("{path}; {remedy} may make something that does")))
}

/// Fakes of the test code that no operation takes: one that is never used is told.
pub fn idle(api: &Api, operations: &[Operation<Ty>]) -> Vec<Skip> {
    let is_taken = |path: &str| {
        let mut inputs = operations.iter().flat_map(|operation| &operation.inputs);
        inputs.any(|input| input.ty.any(|ty| ty.path() == Some(path)))
    };
    let mounted = api.fakes.iter().filter(|fake| fake.mounted.is_some());
    let idle = mounted.filter(|fake| !is_taken(&fake.path));
    let skip = |fake: &testsmith_model::api::Fake| Skip {
        path: fake.path.clone(),
        reason: Reason::Unused,
        detail: String::new(),
        core: false,
    };
    idle.map(skip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::{Chooser, menus};
    use crate::implementors::implementors;
    use testsmith_model::api::{CallableKind, Contract, Fake, MountedFake, Param};

    /// A function that takes a till, by a bound.
    fn pay() -> Callable {
        let bounds = vec![Bound::Trait(TraitRef::new("a::Till", vec![]))];
        let kind = ParamKind::Type { bounds, default: None, synthetic: false };
        let params = vec![Param { name: "T".into(), kind }];
        Callable {
            callee: testsmith_model::Callee::item("a::pay"),
            kind: CallableKind::Free,
            self_ty: None,
            trait_: None,
            generics: vec![Generics { params, ..Generics::default() }],
            outer_generics: 0,
            inputs: vec![("till".into(), Ty::exclusive(Ty::Param("T".into())))],
            output: Ty::unit(),
            safety: testsmith_model::api::Safety::Safe,
            is_async: false,
            derived: false,
            guarded: false,
            docs: Default::default(),
            place: None,
        }
    }

    fn api(fakes: Vec<Fake>) -> Api {
        let mut api = Api { krate: "a".into(), callables: vec![pay()], fakes, ..Api::default() };
        let generics = Generics::default();
        let def = TraitDef { path: "a::Till".into(), generics, is_dyn_compatible: true };
        api.traits.insert("a::Till".into(), def);
        settle(&mut api);
        api
    }

    fn mounted() -> Fake {
        let place = ("tests/given.rs".to_owned(), 3);
        let mounted = MountedFake { module: "given".into(), of: "Till".into(), place };
        Fake { path: "given::FakeTill".into(), mounted: Some(mounted) }
    }

    #[test]
    fn a_fake_is_the_last_of_the_implementors_unless_it_is_asked_for() {
        let mut api = api(vec![mounted()]);
        let real = Impl {
            trait_: TraitRef::new("a::Till", vec![]),
            for_: Ty::adt("a::Drawer", vec![]),
            generics: Generics::default(),
            assoc: vec![],
        };
        api.impls.entry("a::Till".into()).or_default().push(real);
        let found = |fakes_first: bool| -> Vec<String> {
            let menu = Menu { fakes_first, ..menus()[0].clone() };
            let chooser = Chooser::new(&api, &[], &menu);
            let found = implementors(&chooser, &[TraitRef::new("a::Till", vec![])], 0);
            found.iter().map(Ty::to_string).collect()
        };
        assert_eq!(found(false), ["a::Drawer", "given::FakeTill"]);
        assert_eq!(found(true), ["given::FakeTill", "a::Drawer"]);
    }

    #[test]
    fn a_fake_is_made_by_several_seeds_and_nothing_else_is() {
        let api = api(vec![mounted()]);
        let made = makers(&api, &Ty::adt("given::FakeTill", vec![]));
        let calls: Vec<String> = made.iter().map(|draft| draft.call.full()).collect();
        assert_eq!((calls.len(), calls[7].as_str()), (8, "given::FakeTill::with_seed(7)"));
        assert!(makers(&api, &Ty::adt("a::Drawer", vec![])).is_empty());
    }

    #[test]
    fn a_trait_without_implementation_is_named_with_what_may_make_one() {
        let told = |api: &Api| missing(api, &pay(), "").map(|(_, detail)| detail);
        let mut bare = api(vec![]);
        let without = told(&bare).expect("nothing implements it");
        assert!(without.starts_with("a::Till; contracts on it and"), "{without}");
        let contract = Contract { name: "Till::open".into(), ..Contract::default() };
        bare.contracts.push(contract);
        let with = told(&bare).expect("nothing implements it");
        assert!(with.starts_with("a::Till; it has contracts, and"), "{with}");
        assert_eq!(told(&api(vec![mounted()])), None, "a fake does");
    }
}
