//! Collects what can be called: functions, methods, constructors, constants.

use crate::constants;
use crate::contracts;
use crate::documented::{docs, docs_in_trait};
use crate::fakes;
use crate::paths::{Paths, is_hidden};
use crate::types::Types;
use rustdoc_types as doc;
use rustdoc_types::{Id, Item, ItemEnum, StructKind, VariantKind, Visibility};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use testsmith_model::Callee;
use testsmith_model::api::*;
use testsmith_model::skip::{Reason, Skip};
use testsmith_model::ty::{Arg, Bound, Lifetime, Substitution, TraitRef, Ty};

pub fn collect<'c>(krate: &'c doc::Crate, paths: Paths<'c>) -> Api {
    let public: BTreeMap<Id, String> = paths.public().collect();
    let mut collector = Collector {
        types: Types {
            constants: constants::named(krate, &paths),
            krate,
            paths,
            naming: Cell::new(false),
        },
        guarded: contracts::guarded(krate),
        fakes: fakes::of(krate),
        api: Api {
            krate: krate.index[&krate.root].name.clone().unwrap_or_default(),
            version: krate.crate_version.clone().unwrap_or_default(),
            ..Api::default()
        },
    };
    for (id, path) in &public {
        if let Some(item) = krate.index.get(id) {
            collector.item(item, path);
        }
    }
    // Not only those of public types: `impl TryFrom<Big> for u8` is theirs too.
    let mut impls: Vec<&Item> = krate.index.values().filter(|item| item.crate_id == 0).collect();
    impls.sort_by_key(|item| item.id);
    for item in impls {
        if let ItemEnum::Impl(impl_) = &item.inner
            && !is_hidden(item)
        {
            let derived = item.attrs.contains(&doc::Attribute::AutomaticallyDerived);
            collector.implementation(impl_, derived);
        }
    }
    collector.api.callables.sort_by_cached_key(|it| (it.callee.to_string(), it.place.clone()));
    collector.api.foreign_paths = collector.types.paths.foreign();
    collector.api.reexports = collector.types.paths.reexports();
    collector.api.internals = collector.types.paths.internals();
    let shown = collector.fakes.iter().filter_map(|id| public.get(id));
    let fake = |path: &String| Fake { path: path.clone(), mounted: None };
    collector.api.fakes = shown.map(fake).collect();
    collector.api
}

struct Collector<'c> {
    types: Types<'c>,
    /// Functions whose preconditions can be asked for.
    guarded: HashSet<Id>,
    /// Types that answer whatever the contracts of a trait allow.
    fakes: BTreeSet<Id>,
    api: Api,
}

impl<'c> Collector<'c> {
    fn get(&self, id: &Id) -> Option<&'c Item> {
        self.types.krate.index.get(id)
    }

    fn items(&self, ids: &[Id]) -> Vec<&'c Item> {
        ids.iter().filter_map(|id| self.get(id)).collect()
    }

    fn item(&mut self, item: &'c Item, path: &str) {
        match &item.inner {
            ItemEnum::Function(function) => {
                let callee = Callee::item(path);
                let callable = self.function(item, function, CallableKind::Free, callee);
                self.api.callables.push(callable);
            }
            ItemEnum::Struct(def) => {
                self.type_def(path, &def.generics, TypeKind::Struct);
                self.struct_parts(item, def, path);
            }
            ItemEnum::Enum(def) => {
                let fieldless = self.types.fieldless(def, is_hidden);
                self.type_def(path, &def.generics, TypeKind::Enum { fieldless });
                self.variants(def, path);
            }
            ItemEnum::Union(def) => {
                self.type_def(path, &def.generics, TypeKind::Union);
            }
            ItemEnum::Trait(def) => {
                let generics = self.types.generics(&def.generics);
                let is_dyn_compatible = def.is_dyn_compatible;
                let def = TraitDef { path: path.to_owned(), generics, is_dyn_compatible };
                self.api.traits.insert(path.to_owned(), def);
            }
            ItemEnum::TypeAlias(def) => {
                let target = self.types.ty(&def.type_);
                self.type_def(path, &def.generics, TypeKind::Alias(target));
            }
            ItemEnum::Constant { type_, .. } => {
                self.constant(item, Callee::item(path), type_, None)
            }
            ItemEnum::Static(def) if !def.is_mutable && !def.is_unsafe => {
                let target = Box::new(self.types.ty(&def.type_));
                let output = Ty::Ref { lifetime: Lifetime::Static, mutable: false, inner: target };
                let callee = Callee::item(path);
                self.api.callables.push(self.bare(item, callee, CallableKind::Static, output));
            }
            _ => {}
        }
    }

    fn type_def(&mut self, path: &str, generics: &doc::Generics, kind: TypeKind) {
        let generics = self.types.generics(generics);
        let def = TypeDef { path: path.to_owned(), generics, kind };
        self.api.types.insert(path.to_owned(), def);
    }

    /// A callable without inputs or generics, to be filled in.
    fn bare(&self, item: &Item, callee: Callee, kind: CallableKind, output: Ty) -> Callable {
        let place = item
            .span
            .as_ref()
            .map(|span| (span.filename.to_string_lossy().into_owned(), span.begin.0 as u32));
        Callable {
            callee,
            kind,
            self_ty: None,
            trait_: None,
            generics: vec![],
            outer_generics: 0,
            inputs: vec![],
            output,
            safety: Safety::Safe,
            is_async: false,
            derived: false,
            guarded: false,
            docs: docs(item),
            place,
        }
    }

    fn function(
        &self,
        item: &Item,
        function: &doc::Function,
        kind: CallableKind,
        callee: Callee,
    ) -> Callable {
        let input = |(name, ty): &(String, doc::Type)| (name.clone(), self.types.ty(ty));
        let output = self.types.output(function.sig.output.as_ref());
        Callable {
            generics: vec![self.types.generics(&function.generics)],
            inputs: function.sig.inputs.iter().map(input).collect(),
            safety: if function.header.is_unsafe { Safety::Unsafe } else { Safety::Safe },
            is_async: function.header.is_async,
            guarded: self.guarded.contains(&item.id),
            ..self.bare(item, callee, kind, output)
        }
    }

    fn constant(&mut self, item: &Item, callee: Callee, ty: &doc::Type, owner: Option<&Owner>) {
        let output = self.types.ty(ty);
        let mut callable = self.bare(item, callee, CallableKind::Constant, output);
        if let Some(owner) = owner {
            callable.self_ty = Some(owner.self_ty.clone());
            callable.generics = vec![owner.generics.clone()];
            callable.outer_generics = 1;
        }
        self.api.callables.push(callable);
    }

    /// The type that the definition of a struct or enum stands for.
    fn self_type(&self, path: &str, generics: &Generics) -> Ty {
        let arg = |param: &Param| match param.kind {
            ParamKind::Lifetime => Arg::Lifetime(Lifetime::Named(param.name.clone())),
            ParamKind::Type { .. } => Arg::Type(Ty::Param(param.name.clone())),
            ParamKind::Const { .. } => Arg::Const(param.name.clone()),
        };
        Ty::Adt { path: path.to_owned(), args: generics.params.iter().map(arg).collect() }
    }

    fn struct_parts(&mut self, item: &'c Item, def: &'c doc::Struct, path: &str) {
        let generics = self.types.generics(&def.generics);
        let self_ty = self.self_type(path, &generics);
        let (ids, hidden, shape): (Vec<Option<Id>>, bool, Shape) = match &def.kind {
            StructKind::Unit => (vec![], false, Shape::Unit),
            StructKind::Tuple(ids) => (ids.clone(), false, Shape::Tuple),
            StructKind::Plain { fields, has_stripped_fields } => {
                (fields.iter().copied().map(Some).collect(), *has_stripped_fields, Shape::Named)
            }
        };
        let fields = self.fields(&ids, shape, true);
        let complete = fields.len() == ids.len() && !hidden;
        for (name, ty, field) in &fields {
            if is_hidden(field) {
                self.hidden(&Callee::member(&self_ty, name));
                continue;
            }
            let output =
                Ty::Ref { lifetime: Lifetime::Elided, mutable: false, inner: Box::new(ty.clone()) };
            let kind = CallableKind::Field(name.clone());
            let mut callable = self.bare(field, Callee::member(&self_ty, name), kind, output);
            callable.inputs = vec![("self".to_owned(), Ty::shared(self_ty.clone()))];
            callable.generics = vec![generics.clone()];
            callable.outer_generics = 1;
            callable.self_ty = Some(self_ty.clone());
            self.api.callables.push(callable);
        }
        let non_exhaustive = item.attrs.contains(&doc::Attribute::NonExhaustive);
        if complete && !non_exhaustive {
            let callee = Callee::item(path);
            self.constructor(item, callee, &self_ty, &generics, &fields, shape);
        }
    }

    /// The fields that code outside may name: name, type, item.
    fn fields(
        &self,
        ids: &[Option<Id>],
        shape: Shape,
        need_public: bool,
    ) -> Vec<(String, Ty, &'c Item)> {
        let mut fields = vec![];
        for (n, id) in ids.iter().enumerate() {
            let Some(item) = id.as_ref().and_then(|id| self.get(id)) else { continue };
            let ItemEnum::StructField(ty) = &item.inner else { continue };
            if need_public && item.visibility != Visibility::Public {
                continue;
            }
            let name = match shape {
                Shape::Tuple => n.to_string(),
                _ => item.name.clone().unwrap_or_default(),
            };
            fields.push((name, self.types.ty(ty), item));
        }
        fields
    }

    fn constructor(
        &mut self,
        item: &Item,
        callee: Callee,
        self_ty: &Ty,
        generics: &Generics,
        fields: &[(String, Ty, &Item)],
        shape: Shape,
    ) {
        let names = fields.iter().map(|(name, _, _)| name.clone()).collect();
        let kind = CallableKind::Constructor { fields: names, shape };
        let mut callable = self.bare(item, callee, kind, self_ty.clone());
        callable.inputs = fields.iter().map(|(name, ty, _)| (name.clone(), ty.clone())).collect();
        // Macros of the crate may put it together so, and others may not.
        callable.docs.hidden |= fields.iter().any(|(.., field)| is_hidden(field));
        callable.generics = vec![generics.clone()];
        callable.outer_generics = 1;
        callable.self_ty = Some(self_ty.clone());
        self.api.callables.push(callable);
    }

    fn variants(&mut self, def: &'c doc::Enum, path: &str) {
        let generics = self.types.generics(&def.generics);
        let self_ty = self.self_type(path, &generics);
        for item in self.items(&def.variants) {
            let ItemEnum::Variant(variant) = &item.inner else { continue };
            if is_hidden(item) {
                continue;
            }
            let callee = Callee::member(&self_ty, item.name.as_deref().unwrap_or_default());
            let (ids, hidden, shape): (Vec<Option<Id>>, bool, Shape) = match &variant.kind {
                VariantKind::Plain => (vec![], false, Shape::Unit),
                VariantKind::Tuple(ids) => (ids.clone(), false, Shape::Tuple),
                VariantKind::Struct { fields, has_stripped_fields } => {
                    let ids = fields.iter().copied().map(Some).collect();
                    (ids, *has_stripped_fields, Shape::Named)
                }
            };
            let fields = self.fields(&ids, shape, false);
            for (name, ty, _) in &fields {
                self.projection(item, &callee, &self_ty, &generics, name, ty, shape);
            }
            let non_exhaustive = item.attrs.contains(&doc::Attribute::NonExhaustive);
            if fields.len() == ids.len() && !hidden && !non_exhaustive {
                self.constructor(item, callee, &self_ty, &generics, &fields, shape);
            }
        }
    }

    #[expect(clippy::too_many_arguments)] // One row of a table, written as a call.
    fn projection(
        &mut self,
        item: &Item,
        variant: &Callee,
        self_ty: &Ty,
        generics: &Generics,
        field: &str,
        ty: &Ty,
        shape: Shape,
    ) {
        let callee = variant.renamed(&format!("{}::{field}", variant.name()));
        let (variant, field) = (variant.to_string(), field.to_owned());
        let kind = CallableKind::Projection { variant, field, shape };
        let mut callable = self.bare(item, callee, kind, ty.clone());
        callable.inputs = vec![("self".to_owned(), self_ty.clone())];
        callable.generics = vec![generics.clone()];
        callable.outer_generics = 1;
        callable.self_ty = Some(self_ty.clone());
        self.api.callables.push(callable);
    }

    fn implementation(&mut self, impl_: &'c doc::Impl, derived: bool) {
        if impl_.is_synthetic || impl_.blanket_impl.is_some() || impl_.is_negative {
            return;
        }
        let owner = Owner {
            self_ty: self.types.ty(&impl_.for_),
            generics: self.types.generics(&impl_.generics),
            trait_: impl_.trait_.as_ref().map(|path| self.types.trait_ref(path)),
            derived,
        };
        // Impls for types of the crate that nobody outside can name.
        if owner.self_ty.any(|ty| matches!(ty, Ty::Unknown(_))) {
            return;
        }
        // What the documentation hides is for nobody to call.
        let hidden = matches!(&impl_.for_, doc::Type::ResolvedPath(path)
            if self.get(&path.id).is_some_and(|item| item.crate_id == 0)
                && !self.types.paths.is_public(path.id));
        let is_fake = matches!(&impl_.for_, doc::Type::ResolvedPath(path)
            if self.fakes.contains(&path.id));
        let Some(trait_path) = &impl_.trait_ else {
            if !hidden && !is_fake {
                self.members(&owner, impl_, CallableKind::Inherent, &[]);
            }
            return;
        };
        // What values of fakes are to the solver is nothing to call.
        if fakes::is_ours(self.types.krate, trait_path.id) {
            return;
        }
        let definition = self.get(&trait_path.id).filter(|item| item.crate_id == 0);
        let known = Impl {
            trait_: owner.trait_.clone().expect("an impl of a trait names it"),
            for_: owner.self_ty.clone(),
            generics: owner.generics.clone(),
            assoc: self.assoc_types(impl_),
        };
        let ends = known.trait_.path == "std::ops::Drop";
        self.api.impls.entry(known.trait_.path.clone()).or_default().push(known);
        // What ends a value is called by ending it.
        if ends || hidden {
            return;
        }
        match definition.map(|item| &item.inner) {
            Some(ItemEnum::Trait(def)) => {
                if self.types.paths.is_public(trait_path.id) && is_fake {
                    self.provided(&owner, &fakes::written(&self.items(&impl_.items)), def);
                } else if self.types.paths.is_public(trait_path.id) {
                    let defined = self.items(&def.items);
                    self.members(&owner, impl_, CallableKind::LocalTrait, &defined);
                    let items = self.items(&impl_.items);
                    let own = items.iter().filter_map(|item| item.name.as_deref());
                    self.provided(&owner, &own.collect(), def);
                }
            }
            // How a fake is made, copied and shown is no code of the crate.
            _ if is_fake => {}
            _ => self.members(&owner, impl_, CallableKind::ForeignTrait, &[]),
        }
    }

    fn assoc_types(&self, impl_: &doc::Impl) -> Vec<(String, Ty)> {
        let each = |item: &Item| match &item.inner {
            ItemEnum::AssocType { type_: Some(ty), .. } => {
                Some((item.name.clone()?, self.types.ty(ty)))
            }
            _ => None,
        };
        self.items(&impl_.items).into_iter().filter_map(each).collect()
    }

    /// The functions and constants written in an impl block. What the trait of the crate
    /// that it implements hides is hidden, and documented if that documents it.
    fn members(
        &mut self,
        owner: &Owner,
        impl_: &'c doc::Impl,
        kind: CallableKind,
        defined: &[&'c Item],
    ) {
        for item in self.items(&impl_.items) {
            let inherent = kind == CallableKind::Inherent;
            if inherent && item.visibility != Visibility::Public {
                continue;
            }
            let callee = owner.callee(item);
            let in_trait = defined.iter().find(|defined| defined.name == item.name);
            if is_hidden(item) || in_trait.is_some_and(|defined| is_hidden(defined)) {
                self.hidden(&callee);
                continue;
            }
            match &item.inner {
                ItemEnum::Function(function) => {
                    self.method(owner, item, function, &kind, callee);
                    let callable = self.api.callables.last_mut().expect("just pushed");
                    if let Some(defined) = in_trait {
                        callable.docs.add(docs_in_trait(defined, function));
                    }
                }
                ItemEnum::AssocConst { type_, .. } if inherent => {
                    self.constant(item, callee, type_, Some(owner));
                }
                _ => {}
            }
        }
    }

    /// The methods that a local trait provides and the impl does not override.
    fn provided(&mut self, owner: &Owner, own: &HashSet<&str>, def: &'c doc::Trait) {
        let stands_for = self.trait_arguments(owner, def);
        for item in self.items(&def.items) {
            let ItemEnum::Function(function) = &item.inner else { continue };
            let name = item.name.as_deref().unwrap_or_default();
            if function.has_body && !own.contains(name) && !is_hidden(item) {
                let callee = owner.callee(item);
                self.method(owner, item, function, &CallableKind::LocalTrait, callee);
                let callable = self.api.callables.last_mut().expect("just pushed");
                substitute(callable, &stands_for);
            }
        }
    }

    /// What the parameters of a trait are in one impl of it.
    fn trait_arguments(&self, owner: &Owner, def: &doc::Trait) -> Substitution {
        let mut given = owner.trait_.iter().flat_map(|trait_| &trait_.args);
        let mut with = Substitution::new();
        for param in self.types.generics(&def.generics).params {
            let default = match param.kind {
                ParamKind::Type { default: Some(ty), .. } => Some(Arg::Type(ty)),
                _ => None,
            };
            if let Some(arg) = given.next().cloned().or(default) {
                with.insert(param.name, arg);
            }
        }
        with
    }

    fn method(
        &mut self,
        owner: &Owner,
        item: &Item,
        function: &doc::Function,
        kind: &CallableKind,
        callee: Callee,
    ) {
        let mut callable = self.function(item, function, kind.clone(), callee);
        callable.derived = owner.derived;
        callable.generics.insert(0, owner.generics.clone());
        callable.outer_generics = 1;
        callable.self_ty = Some(owner.self_ty.clone());
        callable.trait_ = owner.trait_.clone();
        if let Some(trait_) = &owner.trait_ {
            map_signature(&mut callable, &mut |ty| own_trait_in_full(ty, trait_));
        }
        self.api.callables.push(callable);
    }

    fn hidden(&mut self, callee: &Callee) {
        self.api.skips.push(Skip {
            path: callee.to_string(),
            reason: Reason::Hidden,
            detail: String::new(),
            core: false,
        });
    }
}

/// `Self::Output` in an impl of `Add<u8>` means that of `Add<u8>`, though
/// rustdoc leaves the argument out.
fn own_trait_in_full(ty: Ty, own: &TraitRef) -> Ty {
    match ty {
        Ty::Assoc { self_ty, trait_: Some(trait_), name }
            if *self_ty == Ty::Param("Self".into())
                && trait_.path == own.path
                && trait_.args.is_empty() =>
        {
            Ty::Assoc { self_ty, trait_: Some(Box::new(own.clone())), name }
        }
        ty => ty,
    }
}

fn map_signature(callable: &mut Callable, change: &mut dyn FnMut(Ty) -> Ty) {
    for (_, ty) in &mut callable.inputs {
        *ty = ty.map(change);
    }
    callable.output = callable.output.map(change);
}

fn substitute(callable: &mut Callable, with: &Substitution) {
    for (_, ty) in &mut callable.inputs {
        *ty = ty.substitute(with);
    }
    callable.output = callable.output.substitute(with);
    let in_bounds = |bounds: &mut Vec<Bound>| {
        for bound in bounds {
            if let Bound::Trait(trait_) = bound {
                *trait_ = trait_.substitute(with);
            }
        }
    };
    for generics in callable.generics.iter_mut().skip(callable.outer_generics) {
        for param in &mut generics.params {
            if let ParamKind::Type { bounds, .. } = &mut param.kind {
                in_bounds(bounds);
            }
        }
        for (ty, bounds) in &mut generics.predicates {
            *ty = ty.substitute(with);
            in_bounds(bounds);
        }
    }
}

/// What the functions of an impl block share.
struct Owner {
    self_ty: Ty,
    generics: Generics,
    trait_: Option<TraitRef>,
    derived: bool,
}

impl Owner {
    fn callee(&self, item: &Item) -> Callee {
        let (of, name) = (self.self_ty.clone(), item.name.clone().unwrap_or_default());
        match self.trait_.clone() {
            None => Callee::Member { of, name },
            Some(trait_) => Callee::TraitMember { of, trait_, name },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn self_output(trait_: TraitRef) -> Ty {
        Ty::Assoc {
            self_ty: Box::new(Ty::Param("Self".into())),
            trait_: Some(Box::new(trait_)),
            name: "Output".into(),
        }
    }

    #[test]
    fn an_associated_type_of_self_is_that_of_the_impl_at_hand() {
        let own = TraitRef::new("a::Join", vec![Ty::prim("u8")]);
        let bare = self_output(TraitRef::new("a::Join", vec![]));
        assert_eq!(own_trait_in_full(bare, &own), self_output(own.clone()));
        let other = self_output(TraitRef::new("a::Other", vec![]));
        assert_eq!(own_trait_in_full(other.clone(), &own), other);
    }
}
