//! Types as data: generic ones as discovered, concrete ones as planned.
//!
//! A type is written down the way a person could import it; the path is its
//! identity. Nothing is normalised here: rustc is the judge of what a type
//! means.

mod print;
mod unify;

pub use unify::{unify, unify_arg};

pub use print::Erased;

use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ty {
    /// `i32`, `str`, `!` …
    Prim(String),
    /// A type parameter, `Self` included.
    Param(String),
    /// A struct, enum or union.
    Adt {
        path: String,
        args: Vec<Arg>,
    },
    Ref {
        lifetime: Lifetime,
        mutable: bool,
        inner: Box<Ty>,
    },
    Ptr {
        mutable: bool,
        inner: Box<Ty>,
    },
    Slice(Box<Ty>),
    Array(Box<Ty>, String),
    Tuple(Vec<Ty>),
    FnPtr {
        inputs: Vec<Ty>,
        output: Box<Ty>,
    },
    Dyn {
        bounds: Vec<TraitRef>,
        lifetime: Option<Lifetime>,
    },
    Impl(Vec<Bound>),
    /// `<self_ty as trait_>::name`.
    Assoc {
        self_ty: Box<Ty>,
        trait_: Option<Box<TraitRef>>,
        name: String,
    },
    /// Something that has no name we could write.
    Unknown(String),
    /// The default of a type's last parameter where it has no name we could
    /// write: the argument is left out.
    Omitted,
    /// An argument that has no name we could write, of a type that an alias names: with
    /// it, the type around it is this one.
    Within(Box<Ty>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Arg {
    Lifetime(Lifetime),
    Type(Ty),
    Const(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Lifetime {
    Static,
    Named(String),
    /// Left out in the signature, or erased in a concrete type.
    Elided,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TraitRef {
    pub path: String,
    /// For `Fn(A, B) -> C`: one tuple argument, and `Output = C` below.
    pub args: Vec<Arg>,
    pub assoc: Vec<(String, Ty)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bound {
    Trait(TraitRef),
    /// `?Sized`
    Maybe(String),
    Outlives(Lifetime),
}

/// What type and const parameters stand for.
pub type Substitution = BTreeMap<String, Arg>;

impl Ty {
    pub fn unit() -> Ty {
        Ty::Tuple(vec![])
    }

    pub fn prim(name: &str) -> Ty {
        Ty::Prim(name.to_owned())
    }

    pub fn adt(path: &str, args: Vec<Ty>) -> Ty {
        Ty::Adt { path: path.to_owned(), args: args.into_iter().map(Arg::Type).collect() }
    }

    pub fn shared(inner: Ty) -> Ty {
        Ty::Ref { lifetime: Lifetime::Elided, mutable: false, inner: Box::new(inner) }
    }

    pub fn exclusive(inner: Ty) -> Ty {
        Ty::Ref { lifetime: Lifetime::Elided, mutable: true, inner: Box::new(inner) }
    }

    pub fn is_unit(&self) -> bool {
        matches!(self, Ty::Tuple(items) if items.is_empty())
    }

    /// The path of a struct or enum.
    pub fn path(&self) -> Option<&str> {
        match self {
            Ty::Adt { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The last word of the path of a struct or enum; nothing for other types.
    pub fn name(&self) -> &str {
        self.path().map_or("", last_word)
    }

    /// The `n`-th type argument of a struct or enum.
    pub fn type_arg(&self, n: usize) -> Option<&Ty> {
        match self {
            Ty::Adt { args, .. } => args.iter().filter_map(Arg::as_type).nth(n),
            _ => None,
        }
    }

    /// Unsized types can only be passed behind a pointer. What a projection stands for
    /// is not known here, and a pointer will do for it either way.
    pub fn is_unsized(&self) -> bool {
        match self {
            Ty::Prim(name) => name == "str",
            Ty::Slice(_) | Ty::Dyn { .. } | Ty::Assoc { .. } => true,
            Ty::Adt { path, .. } => {
                matches!(path.as_str(), "std::path::Path" | "std::ffi::OsStr" | "std::ffi::CStr")
            }
            _ => false,
        }
    }

    /// Calls `visit` on this type and on every type inside it.
    pub fn walk<'t>(&'t self, visit: &mut dyn FnMut(&'t Ty)) {
        visit(self);
        match self {
            Ty::Prim(_) | Ty::Param(_) | Ty::Unknown(_) | Ty::Omitted => {}
            Ty::Adt { args, .. } => walk_args(args, visit),
            Ty::Ref { inner, .. }
            | Ty::Ptr { inner, .. }
            | Ty::Slice(inner)
            | Ty::Within(inner)
            | Ty::Array(inner, _) => inner.walk(visit),
            Ty::Tuple(items) => items.iter().for_each(|item| item.walk(visit)),
            Ty::FnPtr { inputs, output } => {
                inputs.iter().for_each(|input| input.walk(visit));
                output.walk(visit);
            }
            Ty::Dyn { bounds, .. } => bounds.iter().for_each(|bound| bound.walk(visit)),
            Ty::Impl(bounds) => bounds.iter().for_each(|bound| {
                if let Bound::Trait(trait_) = bound {
                    trait_.walk(visit)
                }
            }),
            Ty::Assoc { self_ty, trait_, .. } => {
                self_ty.walk(visit);
                if let Some(trait_) = trait_ {
                    trait_.walk(visit)
                }
            }
        }
    }

    /// The type behind all references.
    pub fn behind_references(&self) -> &Ty {
        match self {
            Ty::Ref { inner, .. } => inner.behind_references(),
            ty => ty,
        }
    }

    pub fn any(&self, mut test: impl FnMut(&Ty) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |ty| found |= test(ty));
        found
    }

    /// Rebuilds the type bottom-up: `change` sees each rebuilt part.
    pub fn map(&self, change: &mut dyn FnMut(Ty) -> Ty) -> Ty {
        let mut boxed = |ty: &Ty| Box::new(ty.map(change));
        let rebuilt = match self {
            Ty::Prim(_) | Ty::Param(_) | Ty::Unknown(_) | Ty::Omitted => self.clone(),
            Ty::Ref { lifetime, mutable, inner } => {
                Ty::Ref { lifetime: lifetime.clone(), mutable: *mutable, inner: boxed(inner) }
            }
            Ty::Ptr { mutable, inner } => Ty::Ptr { mutable: *mutable, inner: boxed(inner) },
            Ty::Slice(inner) => Ty::Slice(boxed(inner)),
            Ty::Within(inner) => Ty::Within(boxed(inner)),
            Ty::Array(inner, len) => Ty::Array(boxed(inner), len.clone()),
            Ty::Adt { path, args } => Ty::Adt { path: path.clone(), args: map_args(args, change) },
            Ty::Tuple(items) => Ty::Tuple(items.iter().map(|item| item.map(change)).collect()),
            Ty::FnPtr { inputs, output } => Ty::FnPtr {
                inputs: inputs.iter().map(|input| input.map(change)).collect(),
                output: Box::new(output.map(change)),
            },
            Ty::Dyn { bounds, lifetime } => Ty::Dyn {
                bounds: bounds.iter().map(|bound| bound.map(change)).collect(),
                lifetime: lifetime.clone(),
            },
            Ty::Impl(bounds) => Ty::Impl(bounds.iter().map(|bound| bound.map(change)).collect()),
            Ty::Assoc { self_ty, trait_, name } => Ty::Assoc {
                self_ty: boxed(self_ty),
                trait_: trait_.as_ref().map(|trait_| Box::new(trait_.map(change))),
                name: name.clone(),
            },
        };
        change(rebuilt)
    }

    /// Puts the chosen types and constants in the place of parameters.
    pub fn substitute(&self, with: &Substitution) -> Ty {
        self.map(&mut |ty| match &ty {
            Ty::Param(name) => match with.get(name) {
                Some(Arg::Type(chosen)) => chosen.clone(),
                Some(Arg::Const(text)) => Ty::Unknown(text.clone()),
                _ => ty,
            },
            Ty::Array(inner, len) => match with.get(len.trim_matches(['{', '}', ' '])) {
                Some(Arg::Const(text)) => Ty::Array(inner.clone(), text.clone()),
                _ => ty,
            },
            Ty::Adt { args, .. } if args.iter().any(|arg| arg.within().is_some()) => {
                args.iter().find_map(Arg::within).expect("one of them is").clone()
            }
            Ty::Adt { path, args } if args.iter().any(|arg| !matches!(arg, Arg::Type(_))) => {
                let args = args.iter().map(|arg| replace_arg(arg, with)).collect();
                Ty::Adt { path: path.clone(), args }
            }
            Ty::Ref { lifetime, mutable, inner } => Ty::Ref {
                lifetime: replace_lifetime(lifetime, with),
                mutable: *mutable,
                inner: inner.clone(),
            },
            _ => ty,
        })
    }

    /// The same type with every lifetime but `'static` erased.
    pub fn erase_lifetimes(&self) -> Ty {
        self.with_lifetimes(&Lifetime::Elided)
    }

    /// The same type with this lifetime in the place of all but `'static`.
    pub fn with_lifetimes(&self, lifetime: &Lifetime) -> Ty {
        let replace = |old: &Lifetime| match old {
            Lifetime::Static => Lifetime::Static,
            _ => lifetime.clone(),
        };
        self.map(&mut |ty| match ty {
            Ty::Ref { lifetime, mutable, inner } => {
                Ty::Ref { lifetime: replace(&lifetime), mutable, inner }
            }
            Ty::Adt { path, args } => {
                let args = args.into_iter().map(|arg| match arg {
                    Arg::Lifetime(lifetime) => Arg::Lifetime(replace(&lifetime)),
                    arg => arg,
                });
                Ty::Adt { path, args: args.collect() }
            }
            Ty::Dyn { bounds, lifetime } => {
                Ty::Dyn { bounds, lifetime: lifetime.as_ref().map(replace) }
            }
            ty => ty,
        })
    }

    /// The type as it stands before `::`: `a::Shelf::<i32>`; nothing for what is
    /// no path.
    pub fn as_prefix(&self) -> Option<String> {
        match self {
            Ty::Adt { path, .. } => {
                let text = self.to_string();
                let arguments = &text[path.len()..];
                let separator = if arguments.is_empty() { "" } else { "::" };
                Some(format!("{path}{separator}{arguments}"))
            }
            Ty::Prim(name) if name != "!" => Some(name.clone()),
            _ => None,
        }
    }

    /// Whether a value of this type may hold a borrow.
    pub fn borrows(&self) -> bool {
        self.any(|ty| match ty {
            Ty::Ref { lifetime, .. } => *lifetime != Lifetime::Static,
            Ty::Adt { args, .. } => args
                .iter()
                .any(|arg| matches!(arg, Arg::Lifetime(lifetime) if *lifetime != Lifetime::Static)),
            Ty::Dyn { lifetime, .. } => {
                lifetime.as_ref().is_some_and(|lifetime| *lifetime != Lifetime::Static)
            }
            _ => false,
        })
    }

    /// The type as written where every lifetime must be `'static`: inside the
    /// arena, where loans are tracked by us and not by the compiler.
    pub fn erased(&self) -> Erased<'_> {
        Erased(self)
    }
}

impl Arg {
    pub fn as_type(&self) -> Option<&Ty> {
        match self {
            Arg::Type(ty) => Some(ty),
            _ => None,
        }
    }

    /// The type that a type with this argument is, where only an alias names it.
    fn within(&self) -> Option<&Ty> {
        match self {
            Arg::Type(Ty::Within(whole)) => Some(whole),
            _ => None,
        }
    }

    /// Puts what was chosen in the place of parameters.
    pub fn substitute(&self, with: &Substitution) -> Arg {
        match self {
            Arg::Type(ty) => Arg::Type(ty.substitute(with)),
            arg => replace_arg(arg, with),
        }
    }
}

impl TraitRef {
    pub fn new(path: &str, args: Vec<Ty>) -> TraitRef {
        TraitRef {
            path: path.to_owned(),
            args: args.into_iter().map(Arg::Type).collect(),
            assoc: vec![],
        }
    }

    pub fn name(&self) -> &str {
        last_word(&self.path)
    }

    pub fn type_arg(&self, n: usize) -> Option<&Ty> {
        self.args.iter().filter_map(Arg::as_type).nth(n)
    }

    pub fn assoc(&self, name: &str) -> Option<&Ty> {
        self.assoc.iter().find(|(n, _)| n == name).map(|(_, ty)| ty)
    }

    /// The inputs and the output of `Fn(..) -> ..` and its kin.
    pub fn signature(&self) -> Option<(&[Ty], Ty)> {
        let is_fn = matches!(self.name(), "Fn" | "FnMut" | "FnOnce");
        match self.type_arg(0) {
            Some(Ty::Tuple(inputs)) if is_fn => {
                Some((inputs, self.assoc("Output").cloned().unwrap_or_else(Ty::unit)))
            }
            _ => None,
        }
    }

    fn walk<'t>(&'t self, visit: &mut dyn FnMut(&'t Ty)) {
        walk_args(&self.args, visit);
        self.assoc.iter().for_each(|(_, ty)| ty.walk(visit));
    }

    pub fn map(&self, change: &mut dyn FnMut(Ty) -> Ty) -> TraitRef {
        TraitRef {
            path: self.path.clone(),
            args: map_args(&self.args, change),
            assoc: self.assoc.iter().map(|(n, ty)| (n.clone(), ty.map(change))).collect(),
        }
    }

    pub fn substitute(&self, with: &Substitution) -> TraitRef {
        TraitRef {
            path: self.path.clone(),
            args: self.args.iter().map(|arg| arg.substitute(with)).collect(),
            assoc: self.assoc.iter().map(|(n, ty)| (n.clone(), ty.substitute(with))).collect(),
        }
    }
}

impl Bound {
    fn map(&self, change: &mut dyn FnMut(Ty) -> Ty) -> Bound {
        match self {
            Bound::Trait(trait_) => Bound::Trait(trait_.map(change)),
            bound => bound.clone(),
        }
    }

    pub fn as_trait(&self) -> Option<&TraitRef> {
        match self {
            Bound::Trait(trait_) => Some(trait_),
            _ => None,
        }
    }
}

fn last_word(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Replaces a constant or a lifetime argument by what it stands for.
fn replace_arg(arg: &Arg, with: &Substitution) -> Arg {
    match arg {
        Arg::Const(name) => match with.get(name.trim_matches(['{', '}', ' '])) {
            Some(chosen @ Arg::Const(_)) => chosen.clone(),
            _ => arg.clone(),
        },
        Arg::Lifetime(lifetime) => Arg::Lifetime(replace_lifetime(lifetime, with)),
        Arg::Type(_) => arg.clone(),
    }
}

fn replace_lifetime(lifetime: &Lifetime, with: &Substitution) -> Lifetime {
    match lifetime {
        Lifetime::Named(name) => match with.get(name) {
            Some(Arg::Lifetime(chosen)) => chosen.clone(),
            _ => lifetime.clone(),
        },
        _ => lifetime.clone(),
    }
}

fn walk_args<'t>(args: &'t [Arg], visit: &mut dyn FnMut(&'t Ty)) {
    args.iter().filter_map(Arg::as_type).for_each(|ty| ty.walk(visit));
}

fn map_args(args: &[Arg], change: &mut dyn FnMut(Ty) -> Ty) -> Vec<Arg> {
    let each = |arg: &Arg| match arg {
        Arg::Type(ty) => Arg::Type(ty.map(change)),
        arg => arg.clone(),
    };
    args.iter().map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_prints_as_rust_source() {
        let map = Ty::adt("indexmap::IndexMap", vec![Ty::prim("i32"), Ty::shared(Ty::prim("str"))]);
        assert_eq!(map.to_string(), "indexmap::IndexMap<i32, &str>");
        assert_eq!(map.erased().to_string(), "indexmap::IndexMap<i32, &'static str>");
        assert_eq!(Ty::Tuple(vec![Ty::prim("u8")]).to_string(), "(u8,)");
        assert_eq!(Ty::unit().to_string(), "()");
    }

    #[test]
    fn a_function_pointer_stays_general_when_lifetimes_are_erased() {
        let inputs = vec![Ty::shared(Ty::prim("u8"))];
        let pointer = Ty::FnPtr { inputs, output: Box::new(Ty::prim("bool")) };
        let pair = Ty::Tuple(vec![pointer, Ty::shared(Ty::prim("u8"))]);
        assert_eq!(pair.erased().to_string(), "(fn(&u8) -> bool, &'static u8)");
    }

    #[test]
    fn substitution_reaches_array_lengths_and_nested_parameters() {
        let with = Substitution::from([
            ("T".to_owned(), Arg::Type(Ty::prim("u8"))),
            ("N".to_owned(), Arg::Const("4".to_owned())),
        ]);
        let ty = Ty::Adt {
            path: "a::V".into(),
            args: vec![
                Arg::Type(Ty::Array(Box::new(Ty::Param("T".into())), "N".into())),
                Arg::Const("N".into()),
            ],
        };
        assert_eq!(ty.substitute(&with).to_string(), "a::V<[u8; 4], 4>");
    }

    #[test]
    fn only_static_references_hold_no_borrow() {
        let plain = Ty::shared(Ty::prim("str"));
        let fixed = Ty::Ref {
            lifetime: Lifetime::Static,
            mutable: false,
            inner: Box::new(Ty::prim("str")),
        };
        assert!(plain.borrows());
        assert!(!fixed.borrows());
    }
}
