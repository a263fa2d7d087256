//! Chooses a concrete type for each parameter of a callable.
//!
//! Bounds give hints, the menu gives the rest, and rustc has the last word:
//! a choice here is a proposal, cheap to make and cheap to refuse.

use crate::resolve;
use testsmith_model::api::{Api, Callable, Generics, ParamKind};
use testsmith_model::ty::{Arg, Bound, Substitution, TraitRef, Ty};

/// One try at all parameters of a callable.
#[derive(Clone, Debug)]
pub struct Menu {
    /// For the first free parameter, and for the others unless said otherwise.
    pub first: Ty,
    pub others: Option<Ty>,
    /// Which implementor of a local trait, which length of an array.
    pub turn: usize,
    /// Which of several equally good types, where more than one is wanted.
    pub variant: usize,
}

/// The menus in the order in which they are tried.
pub fn menus() -> Vec<Menu> {
    let string = || Ty::adt("std::string::String", vec![]);
    let bytes = || Ty::adt("std::vec::Vec", vec![Ty::prim("u8")]);
    let rows: Vec<(Ty, Option<Ty>)> = vec![
        (Ty::prim("i32"), None),
        (string(), None),
        (Ty::prim("u64"), None),
        (Ty::prim("i32"), Some(string())),
        (Ty::prim("u8"), None),
        (Ty::prim("usize"), None),
        (Ty::prim("f64"), None),
        (Ty::prim("bool"), None),
        (bytes(), None),
        (Ty::prim("u32"), None),
        (Ty::prim("char"), None),
        (Ty::Tuple(vec![Ty::prim("i32"), string()]), None),
    ];
    let menu = |(turn, (first, others))| Menu { first, others, turn, variant: 0 };
    rows.into_iter().enumerate().map(menu).collect()
}

/// What stands for a closure in a substitution: the compiler infers it.
pub fn closure_marker() -> Ty {
    Ty::Unknown("_".into())
}

pub struct Chooser<'a> {
    pub api: &'a Api,
    pub generics: &'a [Generics],
    pub menu: &'a Menu,
    free: usize,
    /// How many variants the callable offers, as seen so far.
    pub variants: usize,
}

/// Implementors that need implementors that need …
const MAX_DEPTH: usize = 2;

impl<'a> Chooser<'a> {
    pub fn new(api: &'a Api, generics: &'a [Generics], menu: &'a Menu) -> Chooser<'a> {
        Chooser { api, generics, menu, free: 0, variants: 1 }
    }

    /// Chooses for all parameters of the callable, starting from what is fixed.
    pub fn substitution(&mut self, callable: &Callable, fixed: &Substitution) -> Substitution {
        let mut with = fixed.clone();
        self.take_defaults(callable, &mut with);
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
                        if !last && self.depends_on_unknown(&bounds, &with) {
                            continue;
                        }
                        Some(Arg::Type(self.choose(&param.name, &bounds, &with, 0)))
                    }
                };
                if let Some(chosen) = chosen {
                    with.insert(param.name.clone(), chosen);
                }
            }
        }
        with
    }

    /// `impl<K, V, S> IndexMap<K, V, S>`: `S` gets the default of the type.
    fn take_defaults(&self, callable: &Callable, with: &mut Substitution) {
        let mut owner = match &callable.self_ty {
            Some(ty) => ty,
            None => return,
        };
        while let Ty::Ref { inner, .. } = owner {
            owner = inner;
        }
        let Ty::Adt { path, args } = owner else { return };
        let args: Vec<&Arg> = args.iter().filter(|a| !matches!(a, Arg::Lifetime(_))).collect();
        for (n, default) in resolve::defaults_of(self.api, path) {
            if let Some(Arg::Type(Ty::Param(name))) = args.get(n)
                && !default.any(|ty| matches!(ty, Ty::Param(_)))
            {
                with.entry(name.clone()).or_insert_with(|| Arg::Type(default.clone()));
            }
        }
    }

    fn bounds_on(&self, name: &str) -> Vec<Bound> {
        self.generics.iter().flat_map(|g| g.bounds_on(name)).cloned().collect()
    }

    fn depends_on_unknown(&self, bounds: &[Bound], with: &Substitution) -> bool {
        let unknown =
            |ty: &Ty| ty.any(|ty| matches!(ty, Ty::Param(name) if !with.contains_key(name)));
        bounds.iter().filter_map(Bound::as_trait).any(|trait_| {
            trait_.args.iter().filter_map(Arg::as_type).any(unknown)
                || trait_.assoc.iter().any(|(_, ty)| unknown(ty))
        })
    }

    fn constant(&self, ty: &Ty) -> String {
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
        let traits: Vec<TraitRef> =
            bounds.iter().filter_map(Bound::as_trait).map(|t| t.substitute(with)).collect();
        if traits.iter().any(|trait_| trait_.signature().is_some()) {
            return closure_marker();
        }
        for trait_ in &traits {
            let chosen = self.by_std_trait(name, trait_, &traits, with, depth);
            if let Some(chosen) = chosen {
                return resolve::normalize(self.api, &chosen);
            }
        }
        if let Some(chosen) = self.by_reverse_bound(name, with) {
            return chosen;
        }
        for trait_ in &traits {
            if let Some(chosen) = self.implementor(trait_, depth) {
                return chosen;
            }
        }
        self.next_of_menu()
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
            "IntoIterator" | "IntoParallelIterator" => {
                Some(vec_of(self.item(name, all, with, depth)))
            }
            "Iterator" | "DoubleEndedIterator" | "ExactSizeIterator" | "FusedIterator" => {
                let item = self.item(name, all, with, depth);
                Some(Ty::adt("std::vec::IntoIter", vec![item]))
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
            "Write" if trait_.path.contains("fmt") => Some(Ty::adt("std::string::String", vec![])),
            "Write" => Some(vec_of(Ty::prim("u8"))),
            "Read" | "BufRead" => {
                let cursor = "std::io::Cursor";
                Some(Ty::adt(cursor, vec![vec_of(Ty::prim("u8"))]))
            }
            "Seek" => Some(Ty::adt("std::io::Cursor", vec![vec_of(Ty::prim("u8"))])),
            "FromIterator" | "Extend" => {
                let item = arg.unwrap_or_else(|| self.menu.first.clone());
                Some(vec_of(item))
            }
            "Error" => Some(Ty::adt("std::fmt::Error", vec![])),
            "ToString" | "Display" if trait_.path.starts_with("std::") && all.len() == 1 => {
                let choices = [Ty::prim("i32"), Ty::adt("std::string::String", vec![])];
                Some(self.variant_of(&choices[..]))
            }
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
        let is_item = |ty: &Ty| {
            matches!(ty, Ty::Assoc { self_ty, name: item, .. }
                if item == "Item" && **self_ty == Ty::Param(name.to_owned()))
        };
        let bounds: Vec<Bound> = self
            .generics
            .iter()
            .flat_map(|g| &g.predicates)
            .filter(|(ty, _)| is_item(ty))
            .flat_map(|(_, bounds)| bounds.clone())
            .collect();
        if bounds.is_empty() || depth >= MAX_DEPTH {
            return self.menu.first.clone();
        }
        self.choose("Item of the iterator", &bounds, with, depth + 1)
    }

    /// `K: Borrow<Q>` says that `Q` may be `K`.
    fn by_reverse_bound(&self, name: &str, with: &Substitution) -> Option<Ty> {
        let names_it = |bounds: &[Bound]| {
            bounds.iter().filter_map(Bound::as_trait).any(|trait_| {
                matches!(trait_.name(), "Borrow" | "AsRef" | "Into" | "PartialEq" | "PartialOrd")
                    && trait_.type_arg(0) == Some(&Ty::Param(name.to_owned()))
            })
        };
        for generics in self.generics {
            for (ty, bounds) in &generics.predicates {
                if names_it(bounds) && *ty != Ty::Param(name.to_owned()) {
                    let chosen = resolve::normalize(self.api, &ty.substitute(with));
                    if !chosen.any(|ty| matches!(ty, Ty::Param(_))) {
                        return Some(chosen);
                    }
                }
            }
            for param in &generics.params {
                if let ParamKind::Type { bounds, .. } = &param.kind
                    && param.name != name
                    && names_it(bounds)
                    && let Some(Arg::Type(chosen)) = with.get(&param.name)
                {
                    return Some(chosen.clone());
                }
            }
        }
        None
    }

    /// A type that implements a local trait, simplest first.
    pub fn implementor(&mut self, trait_: &TraitRef, depth: usize) -> Option<Ty> {
        if !self.api.traits.contains_key(&trait_.path) || depth > MAX_DEPTH {
            return None;
        }
        let mut found: Vec<(usize, usize, Ty)> = vec![];
        for known in self.api.impls.iter().filter(|known| known.trait_.path == trait_.path) {
            if matches!(known.for_, Ty::Param(_) | Ty::Unknown(_)) {
                continue;
            }
            let generics = std::slice::from_ref(&known.generics);
            let mut inner = Chooser::new(self.api, generics, self.menu);
            let mut with = Substitution::new();
            for param in &known.generics.params {
                match &param.kind {
                    ParamKind::Lifetime => {}
                    ParamKind::Const { ty, .. } => {
                        with.insert(param.name.clone(), Arg::Const(self.constant(ty)));
                    }
                    ParamKind::Type { .. } => {
                        let bounds = inner.bounds_on(&param.name);
                        let chosen = inner.choose(&param.name, &bounds, &with, depth + 1);
                        with.insert(param.name.clone(), Arg::Type(chosen));
                    }
                }
            }
            let for_ = resolve::normalize(self.api, &known.for_.substitute(&with));
            let is_menu = usize::from(for_ != self.menu.first);
            let borrows = usize::from(for_.borrows());
            found.push((is_menu + 2 * borrows, known.generics.params.len(), for_));
        }
        found.sort_by_key(|(menu, params, _)| (*menu, *params));
        found.dedup_by(|a, b| a.2 == b.2);
        let turn = self.menu.turn.min(found.len().checked_sub(1)?);
        Some(found.swap_remove(turn).2)
    }
}
