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

/// A fake by each of a few seeds; nothing for other types.
pub fn makers(api: &Api, ty: &Ty) -> Vec<Draft> {
    if !api.is_fake(ty) {
        return vec![];
    }
    let by_seed = |seed: u32| {
        let call = format!("{ty}::with_seed({seed})");
        row(&call, &call, vec![], ty)
    };
    (0..SEEDS).map(by_seed).collect()
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
