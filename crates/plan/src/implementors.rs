//! Types that implement the traits of the crate under test.
//!
//! A small cousin of the compiler's own search: impls are matched by
//! unification and their bounds on local traits are followed a few steps.
//! Bounds on other crates' traits are taken on trust, because rustc is asked
//! about every choice anyway.

use crate::choose::{Chooser, Patience};
use crate::resolve;
use testsmith_model::api::{Api, Impl, ParamKind};
use testsmith_model::ty::{Arg, Bound, Substitution, TraitRef, Ty, unify};

/// Implementors that need implementors that need …
const MAX_DEPTH: usize = 2;
/// Bounds of impls are followed this far; what lies deeper is believed.
const MAX_STEPS: usize = 4;
/// Types with more parts than this are for nobody to read.
const MAX_SIZE: usize = 40;

/// The types that implement all of these local traits, simplest first.
pub fn implementors(chooser: &Chooser, traits: &[TraitRef], depth: usize) -> Vec<Ty> {
    let is_local = |trait_: &&TraitRef| chooser.api.traits.contains_key(&trait_.path);
    let local: Vec<TraitRef> = traits.iter().filter(is_local).cloned().collect();
    if depth > MAX_DEPTH || local.is_empty() {
        return vec![];
    }
    let wanted = (local, depth);
    if let Some(found) = chooser.menu.found.borrow().get(&wanted) {
        return found.clone();
    }
    let found = search(chooser, &wanted.0, depth);
    chooser.menu.found.borrow_mut().insert(wanted, found.clone());
    found
}

/// What makes one implementor worse than another, the gravest first.
type Complexity = (bool, usize, usize, bool, usize);

fn search(chooser: &Chooser, local: &[TraitRef], depth: usize) -> Vec<Ty> {
    let api = chooser.api;
    let mut found: Vec<(Complexity, Ty)> = vec![];
    let length = chooser.constant(&Ty::prim("usize"));
    for trait_ in local {
        for known in api.impls_of(&trait_.path) {
            if !chooser.menu.patience.step() {
                break;
            }
            for ty in instances(chooser, known, trait_, depth) {
                let menu = usize::from(ty != chooser.menu.first);
                let borrows = usize::from(ty.borrows());
                let mut size = 0;
                ty.walk(&mut |_| size += 1);
                // Many a crate has an impl for every length of an array, beginning
                // with none at all, which is the one where least can happen.
                let odd = matches!(&ty, Ty::Array(_, other) if *other != length);
                let is_worse = api.is_fake(&ty) != chooser.menu.fakes_first;
                let key = (is_worse, menu + 2 * borrows, size, odd, known.generics.params.len());
                // A reference to a reference only repeats what the inner one does.
                let doubled =
                    matches!(&ty, Ty::Ref { inner, .. } if matches!(**inner, Ty::Ref { .. }));
                if !doubled && size <= MAX_SIZE && !found.iter().any(|(_, other)| *other == ty) {
                    found.push((key, ty));
                }
            }
        }
    }
    let checks = Checks { api, patience: &chooser.menu.patience };
    found.retain(|(_, ty)| local.iter().all(|trait_| checks.holds(ty, trait_, 0)));
    found.sort_by_key(|(key, _)| *key);
    found.into_iter().map(|(_, ty)| ty).collect()
}

/// The types that one impl is for: of `impl<S: Once + Reset> Stream for S`, those that its
/// bounds are met by.
fn instances(chooser: &Chooser, known: &Impl, trait_: &TraitRef, depth: usize) -> Vec<Ty> {
    let Ty::Param(name) = &known.for_ else {
        return instance(chooser, known, trait_, depth).into_iter().collect();
    };
    if closure_of_blanket(known).is_some() {
        return instance(chooser, known, trait_, depth).into_iter().collect();
    }
    let mut with = Substitution::new();
    for (pattern, wanted) in known.trait_.args.iter().zip(&trait_.args) {
        if let (Arg::Type(pattern), Arg::Type(wanted)) = (pattern, wanted)
            && is_concrete(wanted)
            && !unify(pattern, wanted, &mut with)
        {
            return vec![];
        }
    }
    let bounds = known.generics.bounds_on(name);
    let mut traits: Vec<TraitRef> =
        bounds.into_iter().filter_map(Bound::as_trait).map(|t| t.substitute(&with)).collect();
    // What is asked of an associated type is asked of the trait that it is inherited from.
    for wanted in &mut traits {
        let own = chooser.api.impls_of(&wanted.path).iter().flat_map(|known| &known.assoc);
        let names: Vec<&String> = own.map(|(name, _)| name).collect();
        let asked = trait_.assoc.iter().filter(|(name, _)| names.contains(&name));
        wanted.assoc.extend(asked.cloned().collect::<Vec<_>>());
    }
    let mut found = implementors(chooser, &traits, depth + 1);
    found.truncate(MAX_BY_BOUNDS);
    found
}

/// Of those that an impl for all is for, the simplest.
const MAX_BY_BOUNDS: usize = 6;

/// The type that one impl is for, its parameters chosen.
fn instance(chooser: &Chooser, known: &Impl, trait_: &TraitRef, depth: usize) -> Option<Ty> {
    let closure = closure_of_blanket(known);
    if matches!(known.for_, Ty::Param(_) | Ty::Unknown(_)) && closure.is_none() {
        return None;
    }
    let api = chooser.api;
    let mut with = Substitution::new();
    for (pattern, wanted) in known.trait_.args.iter().zip(&trait_.args) {
        if let (Arg::Type(pattern), Arg::Type(wanted)) = (pattern, wanted)
            && is_concrete(wanted)
            && !unify(pattern, wanted, &mut with)
        {
            return None;
        }
    }
    // `NodeId = u32` says what the parameter behind `NodeId` must be.
    for (name, wanted) in trait_.assoc.iter().filter(|(_, wanted)| is_concrete(wanted)) {
        let pattern = known.assoc.iter().find(|(known, _)| known == name).map(|(_, ty)| ty);
        if let Some(pattern) = pattern
            && !pattern.any(|ty| matches!(ty, Ty::Assoc { .. }))
            && !unify(pattern, wanted, &mut with)
        {
            return None;
        }
    }
    if let Some(closure) = closure {
        let pointer = resolve::normalize(api, &closure.substitute(&with));
        return is_concrete(&pointer).then_some(pointer);
    }
    resolve::take_defaults(api, &known.for_, &mut with);
    let generics = std::slice::from_ref(&known.generics);
    let mut inner = Chooser::new(api, generics, chooser.menu);
    for param in &known.generics.params {
        if with.contains_key(&param.name) {
            continue;
        }
        let chosen = match &param.kind {
            ParamKind::Lifetime => continue,
            ParamKind::Const { ty, .. } => Arg::Const(chooser.constant(ty)),
            ParamKind::Type { .. } => {
                let bounds = inner.bounds_on(&param.name);
                Arg::Type(inner.choose(&param.name, &bounds, &with, depth + 1))
            }
        };
        with.insert(param.name.clone(), chosen);
    }
    Some(resolve::normalize(api, &known.for_.substitute(&with)))
}

/// `impl<F: Fn(N) -> bool> Filter<N> for F` makes function pointers filters.
fn closure_of_blanket(known: &Impl) -> Option<Ty> {
    let Ty::Param(name) = &known.for_ else { return None };
    let bounds = known.generics.bounds_on(name);
    let (inputs, output) =
        bounds.into_iter().filter_map(Bound::as_trait).find_map(TraitRef::signature)?;
    Some(Ty::FnPtr { inputs: inputs.to_vec(), output: Box::new(output) })
}

fn is_concrete(ty: &Ty) -> bool {
    !ty.any(|ty| matches!(ty, Ty::Param(_) | Ty::Assoc { .. } | Ty::Unknown(_)))
}

/// Whether the bounds on the parameters of an impl can hold, looked at one
/// step deep: this also serves the search for associated types itself.
pub fn plausible(api: &Api, known: &Impl, with: &Substitution) -> bool {
    // A name that only another crate knows may stand for anything.
    let is_known = |path: &str| path.starts_with("std::") || api.types.contains_key(path);
    let implemented = |ty: &Ty, trait_: &TraitRef| {
        !api.traits.contains_key(&trait_.path)
            || ty.path().is_some_and(|path| !is_known(path))
            || api
                .impls_of(&trait_.path)
                .iter()
                .any(|other| unify(&other.for_, ty, &mut Substitution::new()))
    };
    known.generics.params.iter().all(|param| match with.get(&param.name) {
        Some(Arg::Type(ty)) if is_concrete(ty) => {
            let bounds = known.generics.bounds_on(&param.name);
            bounds.into_iter().filter_map(Bound::as_trait).all(|trait_| implemented(ty, trait_))
        }
        _ => true,
    })
}

/// Checks whether a type implements a trait, as far as local impls can tell. What there is no
/// patience for is believed.
struct Checks<'a> {
    api: &'a Api,
    patience: &'a Patience,
}

impl Checks<'_> {
    fn holds(&self, ty: &Ty, trait_: &TraitRef, steps: usize) -> bool {
        let known = self.api.traits.contains_key(&trait_.path);
        if !known || steps > MAX_STEPS || !is_concrete(ty) {
            return true;
        }
        let mut impls = self.api.impls_of(&trait_.path).iter();
        impls.any(|known| !self.patience.step() || self.applies(known, ty, trait_, steps))
    }

    fn applies(&self, known: &Impl, ty: &Ty, trait_: &TraitRef, steps: usize) -> bool {
        let mut with = Substitution::new();
        if !unify(&known.for_, ty, &mut with) {
            return false;
        }
        let args = known.trait_.args.iter().zip(&trait_.args);
        let args_agree = args.into_iter().all(|(pattern, wanted)| match (pattern, wanted) {
            (Arg::Type(pattern), Arg::Type(wanted)) if is_concrete(wanted) => {
                pattern.any(|ty| matches!(ty, Ty::Assoc { .. }))
                    || unify(pattern, wanted, &mut with)
            }
            _ => true,
        });
        if !args_agree {
            return false;
        }
        with.insert("Self".to_owned(), Arg::Type(ty.clone()));
        let concrete = |ty: &Ty| resolve::normalize(self.api, &ty.substitute(&with));
        for (name, wanted) in trait_.assoc.iter().filter(|(_, wanted)| is_concrete(wanted)) {
            let found =
                known.assoc.iter().find(|(known, _)| known == name).map(|(_, ty)| concrete(ty));
            let differs = |found: &Ty| found.erase_lifetimes() != wanted.erase_lifetimes();
            if found.is_some_and(|found| is_concrete(&found) && differs(&found)) {
                return false;
            }
        }
        let bounds_hold = |ty: &Ty, bounds: &[Bound]| {
            let ty = concrete(ty);
            let traits = bounds.iter().filter_map(Bound::as_trait);
            traits.into_iter().all(|trait_| self.holds(&ty, &trait_.substitute(&with), steps + 1))
        };
        let written = known.generics.predicates.iter().all(|(ty, bounds)| bounds_hold(ty, bounds));
        written
            && known.generics.params.iter().all(|param| match &param.kind {
                ParamKind::Type { bounds, .. } => {
                    bounds_hold(&Ty::Param(param.name.clone()), bounds)
                }
                _ => true,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::menus;
    use testsmith_model::api::{Generics, Param, TraitDef};

    fn param(name: &str) -> Ty {
        Ty::Param(name.to_owned())
    }

    fn generics(params: &[(&str, &[&str])]) -> Generics {
        let bound = |path: &&str| Bound::Trait(TraitRef::new(path, vec![]));
        let each = |(name, bounds): &(&str, &[&str])| Param {
            name: (*name).to_owned(),
            kind: ParamKind::Type {
                bounds: bounds.iter().map(bound).collect(),
                default: None,
                synthetic: false,
            },
        };
        Generics { params: params.iter().map(each).collect(), ..Generics::default() }
    }

    /// Three traits: `Walk` for `&List<T>` and for wrappers of walkers, `Mark`
    /// for `List<T>` and for references to what is marked; and `Fixed` for arrays
    /// of some lengths.
    fn api() -> Api {
        let list = || Ty::adt("a::List", vec![param("T")]);
        let mut api = Api::default();
        for path in ["a::Walk", "a::Mark", "a::Fixed"] {
            let generics = Generics::default();
            let def = TraitDef { path: path.to_owned(), generics, is_dyn_compatible: true };
            api.traits.insert(path.to_owned(), def);
        }
        let mut add = |path: &str, for_: Ty, generics: Generics, assoc: Vec<(String, Ty)>| {
            let known = Impl { trait_: TraitRef::new(path, vec![]), for_, generics, assoc };
            api.impls.entry(path.to_owned()).or_default().push(known);
        };
        let item = vec![("Item".to_owned(), param("T"))];
        add(
            "a::Walk",
            Ty::adt("a::Wrap", vec![param("W")]),
            generics(&[("W", &["a::Walk"])]),
            vec![],
        );
        add("a::Walk", Ty::shared(list()), generics(&[("T", &[])]), item);
        add("a::Mark", list(), generics(&[("T", &[])]), vec![]);
        for length in ["0", "1", "2", "4", "8"] {
            let array = Ty::Array(Box::new(param("T")), length.to_owned());
            add("a::Fixed", array, generics(&[("T", &[])]), vec![]);
        }
        add("a::Mark", Ty::shared(param("M")), generics(&[("M", &["a::Mark"])]), vec![]);
        api
    }

    #[test]
    fn who_meets_the_bounds_of_an_impl_for_all_implements_it() {
        let mut api = api();
        let path = "a::Both".to_owned();
        let def =
            TraitDef { path: path.clone(), generics: Generics::default(), is_dyn_compatible: true };
        api.traits.insert(path.clone(), def);
        let known = Impl {
            trait_: TraitRef::new("a::Both", vec![]),
            for_: param("S"),
            generics: generics(&[("S", &["a::Walk", "a::Mark"])]),
            assoc: vec![],
        };
        api.impls.insert(path, vec![known]);
        let menus = menus();
        let chooser = Chooser::new(&api, &[], &menus[0]);
        let found = implementors(&chooser, &[TraitRef::new("a::Both", vec![])], 0);
        assert_eq!(found.iter().map(Ty::to_string).collect::<Vec<_>>(), ["&a::List<i32>"]);
    }

    fn check(traits: &[TraitRef], expected: &[&str]) {
        let (api, menus) = (api(), menus());
        let chooser = Chooser::new(&api, &[], &menus[0]);
        let found = implementors(&chooser, traits, 0);
        let found: Vec<String> = found.iter().map(Ty::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_implementor_of_two_traits_implements_both() {
        let traits = [TraitRef::new("a::Walk", vec![]), TraitRef::new("a::Mark", vec![])];
        check(&traits, &["&a::List<i32>"]);
    }

    #[test]
    fn an_array_of_the_usual_length_comes_before_an_empty_one() {
        let fixed = TraitRef::new("a::Fixed", vec![]);
        check(&[fixed], &["[i32; 4]", "[i32; 0]", "[i32; 1]", "[i32; 2]", "[i32; 8]"]);
    }

    #[test]
    fn an_associated_type_that_is_given_chooses_the_parameter() {
        let mut walk = TraitRef::new("a::Walk", vec![]);
        walk.assoc.push(("Item".to_owned(), Ty::prim("u8")));
        let mark = TraitRef::new("a::Mark", vec![]);
        check(&[walk, mark], &["&a::List<u8>"]);
    }
}
