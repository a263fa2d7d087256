//! From rustdoc's types to ours.

use crate::constants::number;
use crate::paths::Paths;
use rustdoc_types as doc;
use std::cell::Cell;
use std::collections::BTreeMap;
use testsmith_model::api::{Generics, Param, ParamKind};
use testsmith_model::ty::{Arg, Bound, Lifetime, Substitution, TraitRef, Ty, unify_arg};

pub struct Types<'c> {
    pub krate: &'c doc::Crate,
    pub paths: Paths<'c>,
    /// What the constants of the crate are called elsewhere.
    pub constants: BTreeMap<String, String>,
    /// Whether an alias is being looked for.
    pub naming: Cell<bool>,
}

/// An alias that expands to itself would not end.
const MAX_ALIASES: usize = 16;

impl Types<'_> {
    /// A constant as an argument, as code outside of the crate writes it.
    fn constant(&self, expr: &str) -> Arg {
        let bare = expr.trim_start_matches('{').trim_end_matches('}').trim();
        let name = bare.rsplit("::").next().unwrap_or(bare);
        let named = self.constants.get(name).cloned();
        Arg::Const(named.or_else(|| number(bare)).unwrap_or_else(|| expr.to_owned()))
    }

    pub fn ty(&self, ty: &doc::Type) -> Ty {
        self.ty_at(ty, 0)
    }

    fn ty_at(&self, ty: &doc::Type, aliases: usize) -> Ty {
        let inner = |ty: &doc::Type| Box::new(self.ty_at(ty, aliases));
        match ty {
            doc::Type::Primitive(name) if name == "never" => Ty::prim("!"),
            doc::Type::Primitive(name) if name == "unit" => Ty::unit(),
            doc::Type::Primitive(name) => Ty::prim(name),
            doc::Type::Generic(name) => Ty::Param(name.clone()),
            doc::Type::ResolvedPath(path) => self.resolved(path, aliases),
            doc::Type::Tuple(items) => {
                Ty::Tuple(items.iter().map(|item| self.ty_at(item, aliases)).collect())
            }
            doc::Type::Slice(item) => Ty::Slice(inner(item)),
            doc::Type::Array { type_, len } => Ty::Array(inner(type_), len.clone()),
            doc::Type::RawPointer { is_mutable, type_ } => {
                Ty::Ptr { mutable: *is_mutable, inner: inner(type_) }
            }
            doc::Type::BorrowedRef { lifetime: name, is_mutable, type_ } => Ty::Ref {
                lifetime: lifetime(name.as_deref()),
                mutable: *is_mutable,
                inner: inner(type_),
            },
            doc::Type::FunctionPointer(pointer) => Ty::FnPtr {
                inputs: pointer.sig.inputs.iter().map(|(_, ty)| self.ty(ty)).collect(),
                output: Box::new(self.output(pointer.sig.output.as_ref())),
            },
            doc::Type::DynTrait(object) => Ty::Dyn {
                bounds: object.traits.iter().map(|t| self.trait_ref(&t.trait_)).collect(),
                lifetime: object.lifetime.as_deref().map(|name| lifetime(Some(name))),
            },
            doc::Type::ImplTrait(bounds) => Ty::Impl(self.bounds(bounds)),
            doc::Type::QualifiedPath { name, self_type, trait_, .. } => Ty::Assoc {
                self_ty: inner(self_type),
                trait_: trait_
                    .as_ref()
                    .filter(|path| {
                        !path.path.is_empty() || self.paths.importable(path.id).is_some()
                    })
                    .map(|path| Box::new(self.trait_ref(path))),
                name: name.clone(),
            },
            doc::Type::Infer => Ty::Unknown("_".into()),
            doc::Type::Pat { type_, .. } => self.ty_at(type_, aliases),
        }
    }

    /// The names of the variants of an enum that are shown, if none of them has fields.
    pub fn fieldless(&self, def: &doc::Enum, is_hidden: fn(&doc::Item) -> bool) -> Vec<String> {
        let plain = |item: &&doc::Item| match &item.inner {
            doc::ItemEnum::Variant(variant) => matches!(variant.kind, doc::VariantKind::Plain),
            _ => false,
        };
        let items = def.variants.iter().filter_map(|id| self.krate.index.get(id));
        let items: Vec<&doc::Item> = items.collect();
        if def.has_stripped_variants || !items.iter().all(plain) {
            return vec![];
        }
        let shown = items.iter().filter(|item| !is_hidden(item));
        shown.filter_map(|item| item.name.clone()).collect()
    }

    /// Nothing written as an output is `()`.
    pub fn output(&self, output: Option<&doc::Type>) -> Ty {
        output.map_or_else(Ty::unit, |ty| self.ty(ty))
    }

    fn resolved(&self, path: &doc::Path, aliases: usize) -> Ty {
        let (mut args, _) = self.args(path.args.as_deref());
        let item = self.krate.index.get(&path.id).map(|item| &item.inner);
        if let Some(doc::ItemEnum::TypeAlias(alias)) = item
            && aliases < MAX_ALIASES
        {
            let target = self.expand(alias, &args, aliases);
            // What only the alias makes importable keeps its name.
            if !(self.paths.is_public(path.id) && self.has_no_name(&target)) {
                return target;
            }
            self.fill(&alias.generics, &mut args);
        }
        match item {
            Some(doc::ItemEnum::Struct(def)) => self.fill(&def.generics, &mut args),
            Some(doc::ItemEnum::Enum(def)) => self.fill(&def.generics, &mut args),
            Some(doc::ItemEnum::Union(def)) => self.fill(&def.generics, &mut args),
            _ => {}
        }
        match self.paths.importable(path.id) {
            Some(text) => std_alias(&text, &args).unwrap_or(Ty::Adt { path: text, args }),
            None => {
                let named = self.by_alias(path.id, &args);
                named.unwrap_or_else(|| Ty::Unknown(path.path.clone()))
            }
        }
    }

    /// A type that cannot be imported, by the name that a public alias gives it.
    fn by_alias(&self, id: doc::Id, args: &[Arg]) -> Option<Ty> {
        // What an alias is of may be made of other such types, and of itself.
        let nested = self.naming.replace(true);
        let named = if nested { None } else { self.alias_of(id, args) };
        self.naming.set(nested);
        named
    }

    fn alias_of(&self, id: doc::Id, args: &[Arg]) -> Option<Ty> {
        let each = |(name, path): (doc::Id, String)| {
            let doc::ItemEnum::TypeAlias(alias) = &self.krate.index.get(&name)?.inner else {
                return None;
            };
            let doc::Type::ResolvedPath(target) = &alias.type_ else { return None };
            if target.id != id {
                return None;
            }
            let (written, _) = self.args(target.args.as_deref());
            let mut with = Substitution::new();
            let same = written.len() == args.len()
                && written
                    .iter()
                    .zip(args)
                    .all(|(written, arg)| unify_arg(written, arg, &mut with));
            let params = alias.generics.params.iter();
            let own: Option<Vec<Arg>> = params.map(|param| with.remove(&param.name)).collect();
            own.filter(|_| same).map(|args| Ty::Adt { path, args })
        };
        self.paths.public().find_map(each)
    }

    fn expand(&self, alias: &doc::TypeAlias, args: &[Arg], aliases: usize) -> Ty {
        let target = self.ty_at(&alias.type_, aliases + 1);
        target.substitute(&self.bind(&alias.generics, args))
    }

    /// What the parameters of a definition stand for, given these arguments;
    /// the rest have their defaults.
    fn bind(&self, generics: &doc::Generics, args: &[Arg]) -> Substitution {
        let mut with = Substitution::new();
        let mut given = args.iter().filter(|arg| !matches!(arg, Arg::Lifetime(_)));
        for param in &generics.params {
            let default = match &param.kind {
                doc::GenericParamDefKind::Lifetime { .. } => continue,
                doc::GenericParamDefKind::Type { default, .. } => {
                    default.as_ref().map(|ty| Arg::Type(self.default(ty).substitute(&with)))
                }
                doc::GenericParamDefKind::Const { default, .. } => {
                    default.as_ref().map(|expr| self.constant(expr))
                }
            };
            if let Some(arg) = given.next().cloned().or(default) {
                with.insert(param.name.clone(), arg);
            }
        }
        with
    }

    /// Writes out the arguments that were left to their defaults: `Map<K, V>`
    /// and `Map<K, V, RandomState>` are one type and shall look like one.
    fn fill(&self, generics: &doc::Generics, args: &mut Vec<Arg>) {
        let lifetimes = args.iter().filter(|arg| matches!(arg, Arg::Lifetime(_))).count();
        let mut with = self.bind(generics, args);
        let values = generics.params.iter().filter(|param| !is_lifetime(param));
        for (n, param) in values.enumerate() {
            let at = lifetimes + n;
            match (args.get_mut(at), with.remove(&param.name)) {
                (Some(Arg::Type(ty)), _) if has_default(param) && self.is_lost(ty) => {
                    *ty = Ty::Omitted;
                }
                (None, Some(default)) => args.push(default),
                (None, None) => return,
                (Some(_), _) => {}
            }
        }
    }

    fn default(&self, ty: &doc::Type) -> Ty {
        let ty = self.ty(ty);
        if self.is_lost(&ty) { Ty::Omitted } else { ty }
    }

    /// Whether a part of the type cannot be written outside the crate.
    fn has_no_name(&self, ty: &Ty) -> bool {
        self.is_lost(ty) || ty.any(|ty| matches!(ty, Ty::Unknown(_)))
    }

    fn is_lost(&self, ty: &Ty) -> bool {
        ty.any(|ty| ty.path().is_some_and(|path| self.paths.is_lost(path)))
    }

    pub fn trait_ref(&self, path: &doc::Path) -> TraitRef {
        let (args, assoc) = self.args(path.args.as_deref());
        let text = self.paths.importable(path.id).unwrap_or_else(|| path.path.clone());
        TraitRef { path: text, args, assoc }
    }

    fn args(&self, args: Option<&doc::GenericArgs>) -> (Vec<Arg>, Vec<(String, Ty)>) {
        match args {
            None | Some(doc::GenericArgs::ReturnTypeNotation) => (vec![], vec![]),
            Some(doc::GenericArgs::Parenthesized { inputs, output }) => {
                let inputs = inputs.iter().map(|ty| self.ty(ty)).collect();
                let output = self.output(output.as_ref());
                (vec![Arg::Type(Ty::Tuple(inputs))], vec![("Output".to_owned(), output)])
            }
            Some(doc::GenericArgs::AngleBracketed { args, constraints }) => {
                let each = |arg: &doc::GenericArg| match arg {
                    doc::GenericArg::Lifetime(name) => Arg::Lifetime(lifetime(Some(name))),
                    doc::GenericArg::Type(ty) => Arg::Type(self.ty(ty)),
                    doc::GenericArg::Const(constant) => self.constant(&constant.expr),
                    doc::GenericArg::Infer => Arg::Type(Ty::Unknown("_".into())),
                };
                let equal = |constraint: &doc::AssocItemConstraint| match &constraint.binding {
                    doc::AssocItemConstraintKind::Equality(doc::Term::Type(ty)) => {
                        Some((constraint.name.clone(), self.ty(ty)))
                    }
                    _ => None,
                };
                (args.iter().map(each).collect(), constraints.iter().filter_map(equal).collect())
            }
        }
    }

    pub fn bounds(&self, bounds: &[doc::GenericBound]) -> Vec<Bound> {
        let each = |bound: &doc::GenericBound| match bound {
            doc::GenericBound::TraitBound { trait_, modifier, .. } => Some(match modifier {
                doc::TraitBoundModifier::Maybe => Bound::Maybe(self.trait_ref(trait_).path),
                _ => Bound::Trait(self.trait_ref(trait_)),
            }),
            doc::GenericBound::Outlives(name) => Some(Bound::Outlives(lifetime(Some(name)))),
            doc::GenericBound::Use(_) => None,
        };
        bounds.iter().filter_map(each).collect()
    }

    pub fn generics(&self, generics: &doc::Generics) -> Generics {
        let mut ours = Generics::default();
        for param in &generics.params {
            let kind = match &param.kind {
                doc::GenericParamDefKind::Lifetime { outlives } => {
                    let pairs = outlives.iter().map(|other| (param.name.clone(), other.clone()));
                    ours.outlives.extend(pairs);
                    ParamKind::Lifetime
                }
                doc::GenericParamDefKind::Type { bounds, default, is_synthetic } => {
                    ParamKind::Type {
                        bounds: self.bounds(bounds),
                        default: default.as_ref().map(|ty| self.default(ty)),
                        synthetic: *is_synthetic,
                    }
                }
                doc::GenericParamDefKind::Const { type_, default } => {
                    ParamKind::Const { ty: self.ty(type_), default: default.clone() }
                }
            };
            ours.params.push(Param { name: param.name.clone(), kind });
        }
        for predicate in &generics.where_predicates {
            match predicate {
                doc::WherePredicate::BoundPredicate { type_, bounds, .. } => {
                    ours.predicates.push((self.ty(type_), self.bounds(bounds)));
                }
                doc::WherePredicate::LifetimePredicate { lifetime, outlives } => {
                    let pairs = outlives.iter().map(|other| (lifetime.clone(), other.clone()));
                    ours.outlives.extend(pairs);
                }
                doc::WherePredicate::EqPredicate { .. } => {}
            }
        }
        ours
    }
}

fn lifetime(name: Option<&str>) -> Lifetime {
    match name {
        None | Some("'_") => Lifetime::Elided,
        Some("'static") => Lifetime::Static,
        Some(name) => Lifetime::Named(name.to_owned()),
    }
}

fn is_lifetime(param: &doc::GenericParamDef) -> bool {
    matches!(param.kind, doc::GenericParamDefKind::Lifetime { .. })
}

fn has_default(param: &doc::GenericParamDef) -> bool {
    matches!(param.kind, doc::GenericParamDefKind::Type { default: Some(_), .. })
}

/// Aliases of the standard library that hide an error type.
fn std_alias(path: &str, args: &[Arg]) -> Option<Ty> {
    let result = |ok: Ty, error: &str| {
        Some(Ty::adt("std::result::Result", vec![ok, Ty::adt(error, vec![])]))
    };
    match path {
        "std::fmt::Result" => result(Ty::unit(), "std::fmt::Error"),
        "std::io::Result" => result(args.first()?.as_type()?.clone(), "std::io::Error"),
        _ => None,
    }
}
