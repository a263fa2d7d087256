//! What a crate offers to its users, before any type is chosen.
//!
//! Everything generic stays generic here; choosing types is planning.

use crate::branch::Branch;
use crate::callee::Callee;
use crate::skip::Skip;
use crate::ty::{Bound, TraitRef, Ty};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default)]
pub struct Api {
    /// The name of the library as code imports it.
    pub krate: String,
    pub version: String,
    /// The edition of the package, which its tests are compiled with.
    pub edition: String,
    pub callables: Vec<Callable>,
    /// Local and re-exported types, by importable path.
    pub types: BTreeMap<String, TypeDef>,
    /// Local traits, by importable path.
    pub traits: BTreeMap<String, TraitDef>,
    /// Implementations of traits, by the path of the trait.
    pub impls: BTreeMap<String, Vec<Impl>>,
    pub literals: Literals,
    /// What functions compare to decide what they do.
    pub branches: Vec<Branch>,
    /// Instances of generic types that the package writes out itself.
    pub examples: Vec<Ty>,
    /// Types of other crates that the package uses in its code and examples.
    pub foreign_types: Vec<Ty>,
    pub skips: Vec<Skip>,
    pub contracts: Vec<Contract>,
    /// The user's own claims about values.
    pub oracles: Vec<Oracle>,
    /// Types that answer whatever the contracts of a trait allow.
    pub fakes: Vec<Fake>,
    /// Paths of local types without a size of their own, as the compiler said.
    pub unsized_types: BTreeSet<String>,
    /// Definition paths of other crates' items that the API mentions.
    pub foreign_paths: BTreeMap<String, ForeignKind>,
    /// What it shows of other crates as its own.
    pub reexports: Vec<Reexport>,
    /// Paths of modules and items that are public for the crate's own sake, as they say.
    pub internals: Vec<String>,
}

/// An item of another crate that can be imported from this one, or all items of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reexport {
    /// Where it is defined, from the name of its crate on.
    pub of: Vec<String>,
    /// The path of the item here, or of the module that has all of those.
    pub at: Vec<String>,
    pub is_glob: bool,
}

impl Reexport {
    /// The name of the other crate.
    pub fn library(&self) -> &str {
        self.of.first().map_or("", String::as_str)
    }

    /// Whether it is that crate as a whole, by its name: what it offers is its own affair.
    pub fn is_a_crate(&self) -> bool {
        self.of.len() == 1 && !self.is_glob
    }
}

/// What stands at a path of another crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKind {
    Type,
    Trait,
}

impl Api {
    /// The implementations of one trait.
    pub fn impls_of(&self, trait_path: &str) -> &[Impl] {
        self.impls.get(trait_path).map_or(&[], Vec::as_slice)
    }

    /// Whether a type is a fake of a trait.
    pub fn is_fake(&self, ty: &Ty) -> bool {
        ty.path().is_some_and(|path| self.fakes.iter().any(|fake| fake.path == path))
    }

    /// Whether a path is neither of this crate nor of the standard library.
    pub fn is_elsewhere(&self, path: &str) -> bool {
        let library = path.split("::").next().unwrap_or_default();
        library != self.krate && !matches!(library, "std" | "core" | "alloc")
    }

    /// Takes in what another crate offers under paths of this one.
    pub fn add(&mut self, other: Api) {
        let known: BTreeSet<String> =
            self.callables.iter().map(|callable| callable.callee.to_string()).collect();
        let new = |callable: &Callable| !known.contains(&callable.callee.to_string());
        self.callables.extend(other.callables.into_iter().filter(new));
        self.callables.sort_by_cached_key(|it| (it.callee.to_string(), it.place.clone()));
        for (path, def) in other.types {
            self.types.entry(path).or_insert(def);
        }
        for (path, def) in other.traits {
            self.traits.entry(path).or_insert(def);
        }
        for (path, impls) in other.impls {
            self.impls.entry(path).or_default().extend(impls);
        }
        self.foreign_paths.extend(other.foreign_paths);
    }

    /// Unsized types can only be passed behind a pointer.
    pub fn is_unsized(&self, ty: &Ty) -> bool {
        ty.is_unsized() || ty.path().is_some_and(|path| self.unsized_types.contains(path))
    }
}

/// Something that could be called, once its parameters have concrete types.
#[derive(Clone, Debug)]
pub struct Callable {
    pub callee: Callee,
    pub kind: CallableKind,
    /// The implementing type, for methods and associated functions.
    pub self_ty: Option<Ty>,
    pub trait_: Option<TraitRef>,
    /// Of the impl, of the trait for provided methods, and of the function itself.
    pub generics: Vec<Generics>,
    /// How many of `generics` belong to the surroundings, not to the function.
    pub outer_generics: usize,
    pub inputs: Vec<(String, Ty)>,
    pub output: Ty,
    pub safety: Safety,
    pub is_async: bool,
    /// Nobody wrote it: a derive did.
    pub derived: bool,
    /// A hidden companion beside it tells whether its preconditions hold.
    pub guarded: bool,
    pub docs: Docs,
    /// File and line of the definition.
    pub place: Option<(String, u32)>,
}

/// Whether it may be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Safety {
    #[default]
    Safe,
    Unsafe,
    /// It is unsafe, and the user asked for it by name.
    Asked,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallableKind {
    Free,
    Inherent,
    LocalTrait,
    ForeignTrait,
    /// `Path { a, b }`; the names are empty for `Path(a, b)`.
    Constructor {
        fields: Vec<String>,
        shape: Shape,
    },
    /// Takes a field of a variant out of an enum: variant path, field, number of fields.
    Projection {
        variant: String,
        field: String,
        shape: Shape,
    },
    /// Borrows a public field.
    Field(String),
    /// A public constant or associated constant.
    Constant,
    Static,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Shape {
    Unit,
    Tuple,
    Named,
}

impl Callable {
    /// Whether it makes a value of nothing but what it is given: a constant, a constructor, or
    /// an associated function that gives back its type.
    pub fn makes(&self) -> bool {
        match &self.kind {
            CallableKind::Constant | CallableKind::Static | CallableKind::Constructor { .. } => {
                true
            }
            CallableKind::Inherent => {
                let receives = self.inputs.first().is_some_and(|(name, _)| name == "self");
                let made = |ty: &Ty| self.self_ty.as_ref().and_then(Ty::path) == ty.path();
                !receives && self.self_ty.is_some() && self.output.any(made)
            }
            _ => false,
        }
    }

    /// Core callables are what a crate is about; std trait impls come on top.
    pub fn is_core(&self) -> bool {
        match &self.kind {
            CallableKind::Free | CallableKind::Inherent | CallableKind::LocalTrait => true,
            CallableKind::Constructor { shape, .. } => *shape != Shape::Unit,
            _ => false,
        }
    }
}

/// The companion of a function that tells whether its preconditions hold. It
/// takes every parameter by shared reference and gives a `Result`.
pub fn guard_name(function: &str) -> String {
    format!("__testsmith_requires_{function}")
}

/// What the documentation says that matters to a tester.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Docs {
    /// There is a `# Panics` section.
    pub panics_section: bool,
    /// A sentence says that it panics.
    #[cfg_attr(feature = "serde", serde(default))]
    pub says_it_panics: bool,
    /// The word panic stands somewhere.
    pub mentions_panic: bool,
    /// A sentence says that what it makes panics later.
    #[cfg_attr(feature = "serde", serde(default))]
    pub announces_panics: bool,
    /// A sentence says that something is not kept exactly.
    #[cfg_attr(feature = "serde", serde(default))]
    pub inexact: bool,
    /// A sentence says that what it gives may be a number that is none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gives_nan: bool,
    /// A sentence, or the type of what it gives, says that memory is not freed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub keeps_memory: bool,
    /// A sentence says that it does not return of itself.
    #[cfg_attr(feature = "serde", serde(default))]
    pub endless: bool,
    /// Of a claim of ours: many types have reasons not to keep it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub weak: bool,
    /// The words of sentences that say what has to be called when.
    #[cfg_attr(feature = "serde", serde(default))]
    pub order: Vec<String>,
    /// Parameters of which it says what they must be.
    pub demands: Vec<String>,
    /// Parameters that are, or hold, keys by the names of their types.
    pub ids: Vec<String>,
    pub deprecated: bool,
    pub hidden: bool,
}

impl Docs {
    /// What another text says holds too.
    pub fn add(&mut self, other: Docs) {
        self.ids.extend(other.ids);
        self.panics_section |= other.panics_section;
        self.says_it_panics |= other.says_it_panics;
        self.mentions_panic |= other.mentions_panic;
        self.announces_panics |= other.announces_panics;
        self.inexact |= other.inexact;
        self.gives_nan |= other.gives_nan;
        self.keeps_memory |= other.keeps_memory;
        self.endless |= other.endless;
        self.order.extend(other.order);
    }
}

#[derive(Clone, Debug, Default)]
pub struct Generics {
    pub params: Vec<Param>,
    pub predicates: Vec<(Ty, Vec<Bound>)>,
    /// `'a: 'b`
    pub outlives: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: String,
    pub kind: ParamKind,
}

#[derive(Clone, Debug)]
pub enum ParamKind {
    Lifetime,
    Type { bounds: Vec<Bound>, default: Option<Ty>, synthetic: bool },
    Const { ty: Ty, default: Option<String> },
}

impl Generics {
    /// All bounds on a type parameter, wherever they are written.
    pub fn bounds_on(&self, name: &str) -> Vec<&Bound> {
        let own = self.params.iter().filter(|param| param.name == name);
        let own = own.flat_map(|param| match &param.kind {
            ParamKind::Type { bounds, .. } => bounds.as_slice(),
            _ => &[],
        });
        let is_it = |ty: &Ty| matches!(ty, Ty::Param(n) if n == name);
        let written = self.predicates.iter().filter(|(ty, _)| is_it(ty));
        own.chain(written.flat_map(|(_, bounds)| bounds)).collect()
    }
}

#[derive(Clone, Debug)]
pub struct TypeDef {
    pub path: String,
    pub generics: Generics,
    pub kind: TypeKind,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Struct,
    /// The names of its variants, if none of them has fields.
    Enum {
        fieldless: Vec<String>,
    },
    Union,
    Alias(Ty),
}

#[derive(Clone, Debug)]
pub struct TraitDef {
    pub path: String,
    pub generics: Generics,
    pub is_dyn_compatible: bool,
}

/// An implementation of a trait, local or foreign.
#[derive(Clone, Debug)]
pub struct Impl {
    pub trait_: TraitRef,
    pub for_: Ty,
    pub generics: Generics,
    pub assoc: Vec<(String, Ty)>,
}

/// The contract written on an item, as the library leaves it in the docs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contract {
    /// `fn`, `trait-fn`, `impl-fn`, `type` or `impl`.
    pub item: String,
    pub name: String,
    /// The last word of the type whose `impl` block it stands in; empty elsewhere.
    #[cfg_attr(feature = "serde", serde(default))]
    pub of: String,
    /// Marked as pure or as a model.
    pub pure: bool,
    pub clauses: Vec<Clause>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clause {
    /// `requires`, `ensures` or `invariant`.
    pub kind: String,
    /// The number that a violation reports.
    pub index: u32,
    pub place: String,
    pub text: String,
    pub message: String,
}

/// A function in the user's test code that says whether a value, or a pair of
/// values, is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oracle {
    /// The module that its file is mounted as.
    pub module: String,
    pub name: String,
    /// The last word of the type it is about.
    pub subject: String,
    /// How many values it takes, each as `&T`.
    pub values: usize,
    /// Whether it returns a `Result` instead of a `bool`.
    pub fallible: bool,
    /// File and line.
    pub place: (String, u32),
}

/// A type that `#[fake]` has made: it implements a trait, by its contracts alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fake {
    /// The path of the type; one of the test code begins with the module that its file is
    /// mounted as.
    pub path: String,
    pub mounted: Option<MountedFake>,
}

/// What else is known of a fake that stands in the user's test code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountedFake {
    /// The module that its file is mounted as.
    pub module: String,
    /// The trait that it is a fake of, as it is written there.
    pub of: String,
    /// File and line.
    pub place: (String, u32),
}

/// Literals that stand in the crate's source and documentation.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    pub ints: Vec<i128>,
    pub floats: Vec<f64>,
    pub chars: Vec<char>,
    pub strings: Vec<String>,
}
