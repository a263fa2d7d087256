//! The type parameters of twins.
//!
//! What is asked of `T` is also asked of its twin, which is what a predicate
//! sees: `struct Sorted<T: Ord>` has the twin `SortedTwin<T: Ord + Korat> where
//! T::Twin: Ord`. `Self` in a field is the type itself, not its twin.

use proc_macro2::Span;
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{
    DeriveInput, GenericParam, Generics, Ident, Result, Type, TypeParamBound, WherePredicate,
    parse_quote,
};

/// Traits that say nothing about what a predicate can do with a value, or that
/// the twins of derived types cannot have.
const NOT_OF_TWINS: &[&str] =
    &["Korat", "Send", "Sync", "Sized", "Unpin", "Copy", "Default", "UnwindSafe", "RefUnwindSafe"];

/// The parameters of a derived type for its twin and for its implementations.
pub fn of_twin(generics: &Generics) -> Result<Generics> {
    let mut generics = generics.clone();
    if let Some(lifetime) = generics.lifetimes().next() {
        let text = "a type that borrows cannot be enumerated; use Box, Rc or an index";
        return Err(syn::Error::new_spanned(lifetime, text));
    }
    for parameter in generics.params.iter_mut() {
        match parameter {
            GenericParam::Type(parameter) => parameter.default = None,
            GenericParam::Const(parameter) => parameter.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    extend_to_twins(&mut generics);
    Ok(generics)
}

/// Asks of the twin of every type parameter what is asked of the parameter,
/// and of every parameter that it is enumerable.
pub fn extend_to_twins(generics: &mut Generics) {
    let mut moved: Vec<WherePredicate> = Vec::new();
    let names: Vec<Ident> = generics.type_params().map(|p| p.ident.clone()).collect();
    for parameter in generics.type_params_mut() {
        parameter.bounds =
            parameter.bounds.iter().filter(|b| !names_trait(b, "Korat")).cloned().collect();
        moved.extend(of_twin_parameter(&parameter.ident, parameter.bounds.iter()));
        parameter.bounds.push(parse_quote!(::testsmith::korat::Korat));
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Type(predicate) = predicate
            && let Type::Path(path) = &predicate.bounded_ty
            && let Some(name) = names.iter().find(|name| path.path.is_ident(*name))
        {
            moved.extend(of_twin_parameter(name, predicate.bounds.iter()));
        }
    }
    if !moved.is_empty() {
        generics.make_where_clause().predicates.extend(moved);
    }
}

fn of_twin_parameter<'a>(
    name: &Ident,
    bounds: impl Iterator<Item = &'a TypeParamBound>,
) -> Option<WherePredicate> {
    let kept = bounds.filter(|bound| {
        matches!(bound, TypeParamBound::Trait(_))
            && !NOT_OF_TWINS.iter().any(|known| names_trait(bound, known))
    });
    let kept: Vec<&TypeParamBound> = kept.collect();
    (!kept.is_empty()).then(|| parse_quote!(<#name as ::testsmith::korat::Korat>::Twin: #(#kept)+*))
}

fn names_trait(bound: &TypeParamBound, name: &str) -> bool {
    matches!(bound, TypeParamBound::Trait(bound)
        if bound.path.segments.last().is_some_and(|last| last.ident == name))
}

/// Writes the name of the type where its fields say `Self`.
pub fn spell_out_self(input: &mut DeriveInput) {
    let name = &input.ident;
    let arguments = input.generics.split_for_impl().1;
    let ty: Type = parse_quote!(#name #arguments);
    visit_mut::visit_data_mut(&mut SpellOut(ty), &mut input.data);
}

struct SpellOut(Type);

impl VisitMut for SpellOut {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self") => {
                let span = path.path.segments[0].ident.span();
                *ty = self.0.clone();
                if let Type::Path(path) = ty {
                    respan(path, span);
                }
            }
            other => visit_mut::visit_type_mut(self, other),
        }
    }
}

fn respan(path: &mut syn::TypePath, span: Span) {
    for segment in &mut path.path.segments {
        segment.ident.set_span(span);
    }
    let _ = quote!(#path);
}
