//! Associated types, where they can be known without a compiler.
//!
//! Local impls are matched by unification; a short table knows the standard
//! library. What stays unresolved is left as a qualified path, which rustc
//! will normalise itself.

use crate::implementors;
use testsmith_model::api::{Api, Generics, Impl, ParamKind};
use testsmith_model::troubled;
use testsmith_model::ty::{Arg, Lifetime, Substitution, TraitRef, Ty, unify, unify_arg};

/// Projections inside projections end somewhere.
const MAX_DEPTH: usize = 8;

/// Replaces every associated type that is known.
pub fn normalize(api: &Api, ty: &Ty) -> Ty {
    normalize_at(api, ty, 0)
}

fn normalize_at(api: &Api, ty: &Ty, depth: usize) -> Ty {
    ty.map(&mut |ty| match &ty {
        Ty::Assoc { self_ty, trait_, name } if depth < MAX_DEPTH => {
            match lookup(api, self_ty, trait_.as_deref(), name) {
                Some(found) => normalize_at(api, &found, depth + 1),
                None => ty,
            }
        }
        _ => ty,
    })
}

fn lookup(api: &Api, self_ty: &Ty, trait_: Option<&TraitRef>, name: &str) -> Option<Ty> {
    let find = |trait_: Option<&TraitRef>| {
        let (of_one, of_all) = match trait_ {
            Some(trait_) => (api.impls_of(&trait_.path), None),
            None => (&[][..], Some(api.impls.values().flatten())),
        };
        let found = of_one.iter().chain(of_all.into_iter().flatten()).filter_map(|known| {
            let (_, target) = known.assoc.iter().find(|(n, _)| n == name)?;
            let mut with = Substitution::new();
            let agrees = unify(&known.for_, self_ty, &mut with)
                && trait_args_agree(known, trait_, &mut with)
                && implementors::plausible(api, known, &with);
            let mut detail = 0;
            known.for_.walk(&mut |ty| detail += usize::from(!matches!(ty, Ty::Param(_))));
            agrees.then(|| (detail, target.substitute(&with).substitute(&self_is(self_ty))))
        });
        // `impl Walk for &List<T>` says more than `impl Walk for &W`.
        found.max_by_key(|(detail, _)| *detail).map(|(_, target)| target)
    };
    if let Some(found) = find(trait_) {
        return Some(found);
    }
    // An associated type may be named through a trait that only inherits it.
    let local = trait_.is_some_and(|trait_| api.traits.contains_key(&trait_.path));
    let inherited = if local { find(None) } else { None };
    inherited.or_else(|| std_projection(self_ty, trait_, name))
}

/// `I::Output` where `I: SliceIndex<[T]>`: the trait has the arguments of the bound.
pub fn with_trait_arguments(ty: &Ty, generics: &[Generics]) -> Ty {
    ty.map(&mut |ty| {
        let Ty::Assoc { self_ty, trait_: Some(trait_), name } = &ty else { return ty };
        let Ty::Param(param) = &**self_ty else { return ty };
        let mut bounds = generics.iter().flat_map(|generics| generics.bounds_on(param));
        let bound = bounds.find_map(|bound| bound.as_trait().filter(|b| b.path == trait_.path));
        match bound {
            Some(bound) if trait_.args.is_empty() && !bound.args.is_empty() => Ty::Assoc {
                self_ty: self_ty.clone(),
                trait_: Some(Box::new(TraitRef { assoc: vec![], ..bound.clone() })),
                name: name.clone(),
            },
            _ => ty,
        }
    })
}

fn self_is(self_ty: &Ty) -> Substitution {
    Substitution::from([("Self".to_owned(), Arg::Type(self_ty.clone()))])
}

fn trait_args_agree(known: &Impl, wanted: Option<&TraitRef>, with: &mut Substitution) -> bool {
    let Some(wanted) = wanted else { return true };
    let pairs = known.trait_.args.iter().zip(&wanted.args);
    pairs.into_iter().all(|(pattern, concrete)| unify_arg(pattern, concrete, with))
}

const INTEGERS: [&str; 12] =
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"];

pub fn is_integer(ty: &Ty) -> bool {
    matches!(ty, Ty::Prim(name) if INTEGERS.contains(&name.as_str()))
}

pub fn is_float(ty: &Ty) -> bool {
    matches!(ty, Ty::Prim(name) if name == "f32" || name == "f64")
}

const FLATTEN: &str = "std::iter::Flatten";

/// The iterator over those of a list of options that are there.
pub fn flatten_of(item: Ty) -> Ty {
    let options = Ty::adt("std::option::Option", vec![item]);
    Ty::adt(FLATTEN, vec![Ty::adt("std::vec::IntoIter", vec![options])])
}

/// What one item of an iterator or collection of the standard library is.
pub fn std_item(ty: &Ty) -> Option<Ty> {
    let arg = |n| ty.type_arg(n).cloned();
    let by = |lifetime: &Lifetime, mutable, inner: Ty| {
        Some(Ty::Ref { lifetime: lifetime.clone(), mutable, inner: Box::new(inner) })
    };
    match ty {
        Ty::Array(item, _) => Some((**item).clone()),
        Ty::Ref { lifetime, mutable, inner } => match &**inner {
            Ty::Slice(item) | Ty::Array(item, _) => by(lifetime, *mutable, (**item).clone()),
            Ty::Adt { path, .. } if is_sequence(path) => {
                by(lifetime, *mutable, inner.type_arg(0)?.clone())
            }
            _ => None,
        },
        Ty::Adt { path, args } => match path.as_str() {
            "std::ops::Range" | "std::ops::RangeInclusive" | "std::ops::RangeFrom"
                if is_integer(ty.type_arg(0)?) =>
            {
                arg(0)
            }
            _ if troubled::item_of(ty).is_some() => arg(0),
            // Only over options; see `flatten_of`.
            FLATTEN => ty.type_arg(0)?.type_arg(0)?.type_arg(0).cloned(),
            "std::str::Chars" => Some(Ty::prim("char")),
            "std::str::Bytes" => Some(Ty::prim("u8")),
            "std::slice::Iter" | "std::slice::IterMut" => match args.first() {
                Some(Arg::Lifetime(lifetime)) => by(lifetime, path.ends_with("Mut"), arg(0)?),
                _ => None,
            },
            "std::collections::BTreeMap" | "std::collections::HashMap" => {
                Some(Ty::Tuple(vec![arg(0)?, arg(1)?]))
            }
            "std::boxed::Box" => std_item(ty.type_arg(0)?),
            path if is_sequence(path) => arg(0),
            path if path.ends_with("::IntoIter") || path.ends_with("::Drain") => {
                match ty.type_arg(1) {
                    Some(_) if path.contains("map") => Some(Ty::Tuple(vec![arg(0)?, arg(1)?])),
                    _ => arg(0),
                }
                .filter(|_| path.starts_with("std::"))
            }
            _ => None,
        },
        Ty::Dyn { bounds, .. } => bounds.iter().find_map(|bound| bound.assoc("Item").cloned()),
        _ => None,
    }
}

fn is_sequence(path: &str) -> bool {
    matches!(
        path,
        "std::vec::Vec"
            | "std::collections::VecDeque"
            | "std::collections::BTreeSet"
            | "std::collections::HashSet"
            | "std::collections::BinaryHeap"
            | "std::collections::LinkedList"
            | "std::option::Option"
    )
}

fn std_projection(self_ty: &Ty, trait_: Option<&TraitRef>, name: &str) -> Option<Ty> {
    match (trait_.map(TraitRef::name), name) {
        (Some("IntoIterator" | "Iterator") | None, "Item") => std_item(self_ty),
        (Some("IntoIterator"), "IntoIter") => match self_ty {
            Ty::Adt { path, .. } if path == "std::vec::Vec" => {
                Some(Ty::adt("std::vec::IntoIter", vec![self_ty.type_arg(0)?.clone()]))
            }
            ty if troubled::item_of(ty).is_some() => Some(ty.clone()),
            Ty::Adt { path, .. }
                if path.contains("::IntoIter") || path.ends_with("Range") || path == FLATTEN =>
            {
                Some(self_ty.clone())
            }
            _ => None,
        },
        (Some("FromStr"), "Err") if is_integer(self_ty) => {
            Some(Ty::adt("std::num::ParseIntError", vec![]))
        }
        (Some("FromStr"), "Err") if is_float(self_ty) => {
            Some(Ty::adt("std::num::ParseFloatError", vec![]))
        }
        (Some("Deref" | "DerefMut"), "Target") => match self_ty.path()? {
            "std::boxed::Box" | "std::rc::Rc" | "std::sync::Arc" => self_ty.type_arg(0).cloned(),
            "std::vec::Vec" => Some(Ty::Slice(Box::new(self_ty.type_arg(0)?.clone()))),
            "std::string::String" => Some(Ty::prim("str")),
            _ => None,
        },
        (Some("BuildHasher"), "Hasher") if self_ty.path() == Some("std::hash::RandomState") => {
            Some(Ty::adt("std::hash::DefaultHasher", vec![]))
        }
        (Some("SliceIndex"), "Output") => {
            match (trait_?.args.first().and_then(Arg::as_type)?, self_ty.path()) {
                (Ty::Slice(item), None) if is_integer(self_ty) => Some((**item).clone()),
                (whole, Some(path)) if path.starts_with("std::ops::Range") => Some(whole.clone()),
                _ => None,
            }
        }
        (Some(_), "Output") if is_integer(self_ty) || is_float(self_ty) => Some(self_ty.clone()),
        _ => None,
    }
}

/// `impl<K, V, S> IndexMap<K, V, S>`: `S` gets the default of the type.
pub fn take_defaults(api: &Api, self_ty: &Ty, with: &mut Substitution) {
    let Ty::Adt { path, args } = self_ty.behind_references() else { return };
    let args: Vec<&Arg> = args.iter().filter(|a| !matches!(a, Arg::Lifetime(_))).collect();
    for (n, default) in defaults_of(api, path) {
        if let Some(Arg::Type(Ty::Param(name))) = args.get(n)
            && !default.any(|ty| matches!(ty, Ty::Param(_)))
        {
            with.entry(name.clone()).or_insert_with(|| Arg::Type(default.clone()));
        }
    }
}

/// The defaults of a type's own parameters, by parameter name.
fn defaults_of<'a>(api: &'a Api, path: &str) -> Vec<(usize, &'a Ty)> {
    let Some(def) = api.types.get(path) else { return vec![] };
    let types = def.generics.params.iter().filter(|p| !matches!(p.kind, ParamKind::Lifetime));
    let default = |(n, param): (usize, &'a testsmith_model::api::Param)| match &param.kind {
        ParamKind::Type { default: Some(ty), .. } => Some((n, ty)),
        _ => None,
    };
    types.enumerate().filter_map(default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::api::{Generics, TraitDef};

    #[test]
    fn a_part_of_a_slice_is_an_item_or_a_slice() {
        let slice = Ty::Slice(Box::new(Ty::prim("u8")));
        let trait_ = TraitRef::new("std::slice::SliceIndex", vec![slice.clone()]);
        let part = |index: Ty| std_projection(&index, Some(&trait_), "Output");
        assert_eq!(part(Ty::prim("usize")), Some(Ty::prim("u8")));
        assert_eq!(part(Ty::adt("std::ops::RangeFull", vec![])), Some(slice));
        assert_eq!(part(Ty::adt("a::Index", vec![])), None);
    }

    #[test]
    fn items_of_std_iterators_are_known() {
        let iter = Ty::adt("std::vec::IntoIter", vec![Ty::prim("i32")]);
        let item = Ty::Assoc {
            self_ty: Box::new(iter),
            trait_: Some(Box::new(TraitRef::new("std::iter::Iterator", vec![]))),
            name: "Item".into(),
        };
        let option = Ty::adt("std::option::Option", vec![item]);
        let expected = Ty::adt("std::option::Option", vec![Ty::prim("i32")]);
        assert_eq!(normalize(&Api::default(), &option), expected);
    }

    #[test]
    fn the_more_detailed_impl_decides_an_associated_type() {
        let mut api = Api::default();
        let generics = Generics::default();
        let known = |for_: Ty, item: &str| Impl {
            trait_: TraitRef::new("a::Walk", vec![]),
            for_,
            generics: generics.clone(),
            assoc: vec![("Item".to_owned(), Ty::prim(item))],
        };
        let list = || Ty::adt("a::List", vec![]);
        let impls =
            vec![known(Ty::shared(Ty::Param("W".into())), "u8"), known(Ty::shared(list()), "u16")];
        api.impls.insert("a::Walk".into(), impls);
        let item = |of: Ty| Ty::Assoc {
            self_ty: Box::new(of),
            trait_: Some(Box::new(TraitRef::new("a::Walk", vec![]))),
            name: "Item".into(),
        };
        assert_eq!(normalize(&api, &item(Ty::shared(list()))), Ty::prim("u16"));
        assert_eq!(normalize(&api, &item(Ty::shared(Ty::prim("i8")))), Ty::prim("u8"));
    }

    #[test]
    fn an_associated_type_may_be_inherited() {
        let mut api = Api::default();
        let generics = Generics::default();
        for path in ["a::Base", "a::Sub"] {
            let def =
                TraitDef { path: path.into(), generics: generics.clone(), is_dyn_compatible: true };
            api.traits.insert(path.into(), def);
        }
        let known = Impl {
            trait_: TraitRef::new("a::Base", vec![]),
            for_: Ty::adt("a::Net", vec![]),
            generics,
            assoc: vec![("Id".to_owned(), Ty::prim("u8"))],
        };
        api.impls.insert("a::Base".into(), vec![known]);
        let id = Ty::Assoc {
            self_ty: Box::new(Ty::adt("a::Net", vec![])),
            trait_: Some(Box::new(TraitRef::new("a::Sub", vec![]))),
            name: "Id".into(),
        };
        assert_eq!(normalize(&api, &id), Ty::prim("u8"));
    }
}
