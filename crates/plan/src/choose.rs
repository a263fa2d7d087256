//! Chooses a concrete type for each parameter of a callable.
//!
//! Bounds give hints, the menu gives the rest, and rustc has the last word:
//! a choice here is a proposal, cheap to make and cheap to refuse.

use crate::aliases;
use crate::implementors::implementors;
use crate::resolve;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use testsmith_model::api::{Api, Callable, Generics, ParamKind};
use testsmith_model::troubled;
use testsmith_model::ty::{Arg, Bound, Lifetime, Substitution, TraitRef, Ty, unify};

/// One try at all parameters of a callable.
#[derive(Clone, Debug)]
pub struct Menu {
    /// For the first free parameter, and for the others unless said otherwise.
    pub first: Ty,
    pub others: Option<Ty>,
    /// The number of the menu; also decides the lengths of arrays.
    pub turn: usize,
    /// Which implementor of a local trait.
    pub pick: usize,
    /// Which of several equally good types, where more than one is wanted.
    pub variant: usize,
    /// The search for implementors is deep and asked the same again and again.
    pub found: Rc<RefCell<HashMap<Wanted, Vec<Ty>>>>,
    pub patience: Rc<Patience>,
    /// Whether a fake is better than a real implementation.
    pub fakes_first: bool,
}

/// How many more impls may be looked at, for one callable and with this menu at all. Where
/// nearly everything implements a trait out of what implements it, the search has no end.
#[derive(Debug)]
pub struct Patience {
    callable: Cell<usize>,
    menu: Cell<usize>,
}

const PATIENCE_FOR_ONE: usize = 20_000;
const PATIENCE_FOR_ALL: usize = 400_000;

impl Default for Patience {
    fn default() -> Patience {
        Patience { callable: Cell::new(PATIENCE_FOR_ONE), menu: Cell::new(PATIENCE_FOR_ALL) }
    }
}

impl Patience {
    fn renew(&self) {
        self.callable.set(PATIENCE_FOR_ONE);
    }

    /// Takes a step, if there is one left.
    pub fn step(&self) -> bool {
        let left = self.callable.get() > 0 && self.menu.get() > 0;
        if left {
            self.callable.set(self.callable.get() - 1);
            self.menu.set(self.menu.get() - 1);
        }
        left
    }
}

/// Traits that a type must implement, and how deep the search is already.
pub type Wanted = (Vec<TraitRef>, usize);

/// The menus in the order in which they are tried.
pub fn menus() -> Vec<Menu> {
    let string = || Ty::adt("std::string::String", vec![]);
    let bytes = || Ty::adt("std::vec::Vec", vec![Ty::prim("u8")]);
    let int = || Ty::prim("i32");
    let float = || Ty::prim("f64");
    let rows: Vec<(Ty, Option<Ty>, usize)> = vec![
        (int(), None, 0),
        (string(), None, 0),
        (Ty::prim("u64"), None, 0),
        (int(), None, 1),
        (float(), None, 0),
        (int(), Some(string()), 0),
        (Ty::prim("u8"), None, 0),
        (Ty::prim("usize"), None, 0),
        (Ty::prim("u32"), None, 0),
        (Ty::prim("bool"), None, 0),
        (Ty::prim("char"), None, 0),
        (bytes(), None, 0),
        (Ty::Tuple(vec![int(), string()]), None, 0),
        (float(), None, 1),
        (int(), None, 2),
        (int(), None, 3),
        (int(), None, 4),
        (string(), None, 1),
    ];
    let menu = |(turn, (first, others, pick))| Menu {
        first,
        others,
        turn,
        pick,
        variant: 0,
        found: Rc::default(),
        patience: Rc::default(),
        fakes_first: false,
    };
    rows.into_iter().enumerate().map(menu).collect()
}

/// The menus are asked in batches: the first settles most callables, and each
/// further run of the compiler costs more than a few more candidates in it.
pub const BATCHES: [std::ops::Range<usize>; 3] = [0..1, 1..6, 6..18];

/// What stands for a closure in a substitution: the compiler infers it.
pub fn closure_marker() -> Ty {
    Ty::Unknown("_".into())
}

pub struct Chooser<'a> {
    pub api: &'a Api,
    pub generics: &'a [Generics],
    pub menu: &'a Menu,
    free: usize,
    /// What `Self` means in the bounds.
    self_ty: Substitution,
    /// Parameters that stand inside the receiver or the result.
    named: HashSet<String>,
    /// How many variants the callable offers, as seen so far.
    pub variants: usize,
}

/// Items of items of …
const MAX_DEPTH: usize = 2;

impl<'a> Chooser<'a> {
    pub fn new(api: &'a Api, generics: &'a [Generics], menu: &'a Menu) -> Chooser<'a> {
        let (self_ty, named) = (Substitution::new(), HashSet::new());
        Chooser { api, generics, menu, free: 0, self_ty, named, variants: 1 }
    }

    /// Chooses for all parameters of the callable, starting from what is fixed.
    pub fn substitution(&mut self, callable: &Callable, fixed: &Substitution) -> Substitution {
        let given = fixed.iter().map(|(name, arg)| (name.clone(), tied(arg.clone())));
        let mut with: Substitution = given.collect();
        self.named = named_parameters(callable);
        self.menu.patience.renew();
        if let Some(self_ty) = &callable.self_ty {
            resolve::take_defaults(self.api, self_ty, &mut with);
            self.self_ty.insert("Self".to_owned(), Arg::Type(self_ty.clone()));
        }
        let chosen = with.clone();
        aliases::take(self, callable, &mut with);
        let named: Vec<String> =
            with.keys().filter(|name| !chosen.contains_key(*name)).cloned().collect();
        let params: Vec<_> = self.generics.iter().flat_map(|g| &g.params).collect();
        // Parameters that others depend on come first; the last pass takes all.
        for last in [false, false, true] {
            for param in &params {
                if with.contains_key(&param.name) {
                    continue;
                }
                let chosen = match &param.kind {
                    ParamKind::Lifetime => continue,
                    ParamKind::Const { ty, .. } => Some(Arg::Const(self.constant(ty))),
                    ParamKind::Type { .. } => {
                        let bounds = self.bounds_on(&param.name);
                        if !last
                            && (self.depends_on_unknown(&bounds, &with)
                                || self.depends_on_unknown(&self.item_bounds(&param.name), &with)
                                || self.follows_another(&param.name, &with))
                        {
                            continue;
                        }
                        Some(Arg::Type(self.choose(&param.name, &bounds, &with, 0)))
                    }
                };
                if let Some(chosen) = chosen {
                    with.insert(param.name.clone(), tied(chosen));
                    self.bind_associated(&param.name, &mut with);
                }
            }
        }
        // What an alias writes out speaks of the other parameters.
        for name in named {
            let whole = with[&name].substitute(&with);
            with.insert(name, whole);
        }
        with
    }

    /// `G: Graph<Node = N>` with `G` not chosen yet: `N` follows from it.
    fn follows_another(&self, name: &str, with: &Substitution) -> bool {
        let params = self.generics.iter().flat_map(|g| &g.params);
        params.filter(|param| param.name != name && !with.contains_key(&param.name)).any(|param| {
            let bounds = self.bounds_on(&param.name);
            bounds.iter().filter_map(Bound::as_trait).any(|trait_| {
                self.is_local(trait_)
                    && trait_.assoc.iter().any(|(_, ty)| *ty == Ty::Param(name.to_owned()))
            })
        })
    }

    /// Settles the parameters that are associated types of the one just chosen.
    fn bind_associated(&self, name: &str, with: &mut Substitution) {
        let Some(Arg::Type(chosen)) = with.get(name).cloned() else { return };
        for bound in self.bounds_on(name) {
            let Some(trait_) = bound.as_trait().filter(|trait_| self.is_local(trait_)) else {
                continue;
            };
            for (assoc, ty) in &trait_.assoc {
                let Ty::Param(follower) = ty else { continue };
                let plain = TraitRef { assoc: vec![], ..trait_.substitute(with) };
                let projection = Ty::Assoc {
                    self_ty: Box::new(chosen.clone()),
                    trait_: Some(Box::new(plain)),
                    name: assoc.clone(),
                };
                let found = resolve::normalize(self.api, &projection);
                if !matches!(found, Ty::Assoc { .. }) {
                    with.entry(follower.clone()).or_insert(Arg::Type(found));
                }
            }
        }
    }

    fn is_local(&self, trait_: &TraitRef) -> bool {
        self.api.traits.contains_key(&trait_.path)
    }

    pub fn bounds_on(&self, name: &str) -> Vec<Bound> {
        let bounds = self.generics.iter().flat_map(|g| g.bounds_on(name));
        let mut bounds: Vec<Bound> = bounds.cloned().collect();
        for bound in &mut bounds {
            if let Bound::Trait(trait_) = bound {
                *trait_ = trait_.substitute(&self.self_ty);
            }
        }
        bounds
    }

    fn depends_on_unknown(&self, bounds: &[Bound], with: &Substitution) -> bool {
        let unknown =
            |ty: &Ty| ty.any(|ty| matches!(ty, Ty::Param(name) if !with.contains_key(name)));
        bounds.iter().filter_map(Bound::as_trait).any(|trait_| {
            // What a local trait's associated types are follows from the choice.
            trait_.args.iter().filter_map(Arg::as_type).any(unknown)
                || !self.is_local(trait_) && trait_.assoc.iter().any(|(_, ty)| unknown(ty))
        })
    }

    pub fn constant(&self, ty: &Ty) -> String {
        match ty {
            Ty::Prim(name) if name == "bool" => self.menu.turn.is_multiple_of(2).to_string(),
            Ty::Prim(name) if name == "char" => "'x'".to_owned(),
            _ => ["4", "2", "8", "1", "16", "3", "32", "5"][self.menu.turn % 8].to_owned(),
        }
    }

    /// A type for something with these bounds, named or not.
    pub fn choose(
        &mut self,
        name: &str,
        bounds: &[Bound],
        with: &Substitution,
        depth: usize,
    ) -> Ty {
        let known = |trait_: &TraitRef| {
            trait_.substitute(with).map(&mut |ty| resolve::normalize(self.api, &ty))
        };
        let traits: Vec<TraitRef> = bounds.iter().filter_map(Bound::as_trait).map(known).collect();
        if let Some((inputs, output)) = traits.iter().find_map(TraitRef::signature) {
            // A closure has no type that could be written down, a function
            // pointer has. Where that does not do, the next menu lets go of it.
            if self.named.contains(name) && self.menu.turn.is_multiple_of(2) {
                let pointer = Ty::FnPtr { inputs: inputs.to_vec(), output: Box::new(output) };
                return resolve::normalize(self.api, &pointer);
            }
            return closure_marker();
        }
        // A trait of the crate's own may have the name of one that everybody knows.
        let (own, known): (Vec<&TraitRef>, Vec<&TraitRef>) =
            traits.iter().partition(|trait_| self.is_local(trait_));
        let by_name = known.iter().find_map(|it| self.by_std_trait(name, it, &traits, with, depth));
        if let Some(chosen) = by_name {
            return resolve::normalize(self.api, &chosen);
        }
        if let Some(chosen) = self.by_reverse_bound(name, with) {
            return chosen;
        }
        let mut found = implementors(self, &traits, depth);
        if let Some(last) = found.len().checked_sub(1) {
            return found.swap_remove(self.menu.pick.min(last));
        }
        let by_name = own.iter().find_map(|it| self.by_std_trait(name, it, &traits, with, depth));
        match by_name {
            Some(chosen) => resolve::normalize(self.api, &chosen),
            None => self.next_of_menu(),
        }
    }

    fn next_of_menu(&mut self) -> Ty {
        self.free += 1;
        match (&self.menu.others, self.free) {
            (Some(others), 2..) => others.clone(),
            _ => self.menu.first.clone(),
        }
    }

    fn variant_of(&mut self, choices: &[Ty]) -> Ty {
        self.variants = self.variants.max(choices.len());
        choices[self.menu.variant.min(choices.len() - 1)].clone()
    }

    fn by_std_trait(
        &mut self,
        name: &str,
        trait_: &TraitRef,
        all: &[TraitRef],
        with: &Substitution,
        depth: usize,
    ) -> Option<Ty> {
        let known = |ty: &Ty| !ty.any(|ty| matches!(ty, Ty::Param(_)));
        let arg = trait_.type_arg(0).filter(|ty| known(ty)).cloned();
        let vec_of = |item: Ty| Ty::adt("std::vec::Vec", vec![item]);
        match trait_.name() {
            "IntoIterator" => {
                let item = self.item(name, all, with, depth);
                let shy = resolve::flatten_of(item.clone());
                Some(self.iterator(name, vec![vec_of(item.clone()), shy], item))
            }
            "IntoParallelIterator" => Some(vec_of(self.item(name, all, with, depth))),
            "Iterator" | "DoubleEndedIterator" | "ExactSizeIterator" | "FusedIterator" => {
                let item = self.item(name, all, with, depth);
                let plain = Ty::adt("std::vec::IntoIter", vec![item.clone()]);
                Some(self.iterator(name, vec![plain], item))
            }
            "RangeBounds" => {
                let bound = arg.unwrap_or_else(|| Ty::prim("usize"));
                let range = |name: &str| Ty::adt(&format!("std::ops::{name}"), vec![bound.clone()]);
                let choices = [
                    range("Range"),
                    range("RangeTo"),
                    range("RangeFrom"),
                    range("RangeInclusive"),
                    Ty::adt("std::ops::RangeFull", vec![]),
                ];
                Some(self.variant_of(&choices))
            }
            "SliceIndex" => {
                let choices =
                    [Ty::adt("std::ops::Range", vec![Ty::prim("usize")]), Ty::prim("usize")];
                Some(self.variant_of(&choices))
            }
            "AsRef" | "Borrow" | "AsMut" | "BorrowMut" => Some(match arg? {
                Ty::Prim(name) if name == "str" => Ty::adt("std::string::String", vec![]),
                Ty::Slice(item) => vec_of(*item),
                Ty::Adt { path, .. } if path == "std::path::Path" => {
                    Ty::adt("std::path::PathBuf", vec![])
                }
                Ty::Adt { path, .. } if path == "std::ffi::OsStr" => {
                    Ty::adt("std::ffi::OsString", vec![])
                }
                other => other,
            }),
            "Into" | "TryInto" | "From" | "TryFrom" | "Equivalent" | "Comparable" => {
                arg.filter(|ty| *ty != Ty::Param(name.to_owned()))
            }
            "BuildHasher" => Some(Ty::adt("std::hash::RandomState", vec![])),
            "Hasher" => Some(Ty::adt("std::hash::DefaultHasher", vec![])),
            "FromIterator" | "Extend" => {
                let item = arg.unwrap_or_else(|| self.menu.first.clone());
                Some(vec_of(item))
            }
            "Error" => Some(Ty::adt("std::fmt::Error", vec![])),
            "Future" | "IntoFuture" => {
                let output = trait_.assoc("Output").map(|ty| ty.substitute(with));
                let output = output.filter(known).unwrap_or_else(|| self.menu.first.clone());
                Some(Ty::adt("std::future::Ready", vec![output]))
            }
            // Numeric traits of other crates, by the names that all of them use.
            "Float" | "FloatCore" | "FloatConst" | "Real" if !self.is_local(trait_) => {
                let choices = [Ty::prim("f64"), Ty::prim("f32")];
                Some(choices[self.menu.turn % 2].clone())
            }
            "Unsigned" if !self.is_local(trait_) => Some(Ty::prim("u32")),
            "ToString" | "Display" if trait_.path.starts_with("std::") && all.len() == 1 => {
                let choices = [Ty::prim("i32"), Ty::adt("std::string::String", vec![])];
                Some(self.variant_of(&choices[..]))
            }
            _ => self.by_io_trait(trait_, all),
        }
    }

    /// One of these iterators, or one of the test that may panic midway. A shy one knows little
    /// about how many items it has: code that trusts `size_hint` too much goes wrong with it.
    /// What keeps its iterator, by its type, is called back when nothing catches that.
    fn iterator(&mut self, name: &str, mut choices: Vec<Ty>, item: Ty) -> Ty {
        if !self.named.contains(name) {
            choices.push(troubled::items_of(item));
        }
        self.variant_of(&choices)
    }

    /// What is written to, and what is read from.
    fn by_io_trait(&mut self, trait_: &TraitRef, all: &[TraitRef]) -> Option<Ty> {
        let bytes = || Ty::adt("std::vec::Vec", vec![Ty::prim("u8")]);
        match trait_.name() {
            "Write" if trait_.path.contains("fmt") => Some(Ty::adt("std::string::String", vec![])),
            // The second is soon full, and says so.
            "Write" => {
                let array = Ty::Array(Box::new(Ty::prim("u8")), "8".to_owned());
                let full = Ty::adt("std::io::Cursor", vec![array]);
                Some(self.variant_of(&[bytes(), full]))
            }
            // The second reads less than it is asked for where its parts meet.
            "Read" | "BufRead" if !all.iter().any(|trait_| trait_.name() == "Seek") => {
                let cursor = Ty::adt("std::io::Cursor", vec![bytes()]);
                let chain = Ty::adt("std::io::Chain", vec![cursor.clone(), cursor.clone()]);
                Some(self.variant_of(&[cursor, chain]))
            }
            "Read" | "BufRead" | "Seek" => Some(Ty::adt("std::io::Cursor", vec![bytes()])),
            _ => None,
        }
    }

    /// The item type of an iterator: as bound, or by the bounds on `I::Item`.
    fn item(&mut self, name: &str, all: &[TraitRef], with: &Substitution, depth: usize) -> Ty {
        if let Some(item) = all.iter().find_map(|trait_| trait_.assoc("Item")) {
            let item = resolve::normalize(self.api, item);
            if let Ty::Param(_) = item {
                return self.menu.first.clone();
            }
            return item;
        }
        let bounds = self.item_bounds(name);
        if bounds.is_empty() || depth >= MAX_DEPTH {
            return self.menu.first.clone();
        }
        let bounds: Vec<Bound> =
            bounds.into_iter().map(|bound| self.with_conversions(bound, name)).collect();
        self.choose("Item of the iterator", &bounds, with, depth + 1)
    }

    /// The bounds on `I::Item`.
    fn item_bounds(&self, name: &str) -> Vec<Bound> {
        let predicates = self.generics.iter().flat_map(|g| &g.predicates);
        let of_item = predicates.filter(|(ty, _)| is_item_of(ty, name));
        of_item.flat_map(|(_, bounds)| bounds.clone()).collect()
    }

    /// `I::Item: Trait` and `<I::Item as Trait>::Id: Into<X>` say that `Id` may
    /// be `X`.
    fn with_conversions(&self, bound: Bound, name: &str) -> Bound {
        let iterator = name;
        let Bound::Trait(mut trait_) = bound else { return bound };
        for (ty, bounds) in self.generics.iter().flat_map(|g| &g.predicates) {
            let Ty::Assoc { self_ty, name, .. } = ty else { continue };
            if !is_item_of(self_ty, iterator)
                || !self.is_local(&trait_)
                || trait_.assoc(name).is_some()
            {
                continue;
            }
            let into = bounds.iter().filter_map(Bound::as_trait).find(|t| t.name() == "Into");
            if let Some(target) = into.and_then(|trait_| trait_.type_arg(0)) {
                trait_.assoc.push((name.clone(), target.clone()));
            }
        }
        Bound::Trait(trait_)
    }

    /// `K: Borrow<Q>` says that `Q` may be `K`, or whatever an impl lends.
    fn by_reverse_bound(&self, name: &str, with: &Substitution) -> Option<Ty> {
        let naming = |bounds: &'a [Bound]| {
            bounds.iter().filter_map(Bound::as_trait).find(|trait_| {
                let converts = ["Borrow", "AsRef", "Into", "From", "PartialEq", "PartialOrd"];
                converts.contains(&trait_.name())
                    && trait_.type_arg(0) == Some(&Ty::Param(name.to_owned()))
            })
        };
        for generics in self.generics {
            for (ty, bounds) in &generics.predicates {
                let Some(trait_) = naming(bounds).filter(|_| *ty != Ty::Param(name.to_owned()))
                else {
                    continue;
                };
                let chosen = resolve::normalize(self.api, &ty.substitute(with));
                if !chosen.any(|ty| matches!(ty, Ty::Param(_))) {
                    return Some(self.converted(&chosen, trait_).unwrap_or(chosen));
                }
            }
            for param in &generics.params {
                if let ParamKind::Type { bounds, .. } = &param.kind
                    && param.name != name
                    && naming(bounds).is_some()
                    && let Some(Arg::Type(chosen)) = with.get(&param.name)
                {
                    return Some(chosen.clone());
                }
            }
        }
        None
    }

    /// What an impl of the crate turns a type into: `i32` where
    /// `impl<K> Borrow<K> for Key<K>` and the type is `Key<i32>`.
    fn converted(&self, ty: &Ty, trait_: &TraitRef) -> Option<Ty> {
        self.api.impls_of(&trait_.path).iter().find_map(|known| {
            let mut with = Substitution::new();
            let target = known.trait_.type_arg(0)?;
            let target = unify(&known.for_, ty, &mut with)
                .then(|| resolve::normalize(self.api, &target.substitute(&with)))?;
            (!target.any(|ty| matches!(ty, Ty::Param(_)))).then_some(target)
        })
    }
}

/// Gives all lifetimes in chosen types one name. They are not elided ones of
/// the signature, and bounds may tie one parameter to another: taking them for
/// one region errs on the safe side.
fn tied(arg: Arg) -> Arg {
    let chosen = Lifetime::Named("the lifetime of chosen types".to_owned());
    match arg {
        Arg::Type(ty) => Arg::Type(ty.with_lifetimes(&chosen)),
        Arg::Lifetime(Lifetime::Elided) => Arg::Lifetime(chosen),
        arg => arg,
    }
}

fn is_item_of(ty: &Ty, iterator: &str) -> bool {
    matches!(ty, Ty::Assoc { self_ty, name, .. }
        if name == "Item" && **self_ty == Ty::Param(iterator.to_owned()))
}

/// The parameters whose types have to be written down: those inside the
/// receiver, the result, or a larger argument.
fn named_parameters(callable: &Callable) -> HashSet<String> {
    let plain = |ty: &&Ty| !matches!(ty, Ty::Param(_));
    let inputs = callable.inputs.iter().map(|(_, ty)| ty).filter(plain);
    let mut named = HashSet::new();
    for ty in inputs.chain(&callable.self_ty).chain([&callable.output]) {
        ty.walk(&mut |ty| {
            if let Ty::Param(name) = ty {
                named.insert(name.clone());
            }
        });
    }
    named
}

#[cfg(test)]
mod tests;
