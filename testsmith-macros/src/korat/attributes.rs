//! The `#[korat(..)]` attributes inside a derived type.

use syn::{Attribute, Expr, Ident, LitStr, Result};

/// What is said about a type.
#[derive(Default)]
pub struct TypeAttributes {
    /// `objects = expr`: how many objects pointers may share.
    pub objects: Option<Expr>,
    /// `unconstrained`: a generic type without a `rep_ok`.
    pub unconstrained: bool,
}

/// What is said about a field.
#[derive(Default)]
pub struct FieldAttributes {
    /// `values = expr`: the domain.
    pub values: Option<Expr>,
    /// `len = expr`: the lengths of a vector.
    pub len: Option<Expr>,
    /// `index(arena)`: the name of the vector this points into.
    pub index: Option<String>,
    /// `arena`: index fields point into this vector.
    pub arena: bool,
    /// `skip`: the default value of its type in every structure.
    pub skip: bool,
    /// `default = expr`: this value in every structure.
    pub default: Option<Expr>,
}

pub fn of_type(attributes: &[Attribute]) -> Result<TypeAttributes> {
    let mut found = TypeAttributes::default();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("korat")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("objects") {
                found.objects = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("unconstrained") {
                found.unconstrained = true;
            } else {
                return Err(meta.error("on a type, write `objects = ..` or `unconstrained`"));
            }
            Ok(())
        })?;
    }
    Ok(found)
}

pub fn of_field(attributes: &[Attribute]) -> Result<FieldAttributes> {
    let mut found = FieldAttributes::default();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("korat")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("values") {
                found.values = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("len") {
                found.len = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("skip") {
                found.skip = true;
            } else if meta.path.is_ident("default") {
                found.default = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("arena") {
                found.arena = true;
            } else if meta.path.is_ident("index") {
                if meta.input.peek(syn::Token![=]) {
                    found.index = Some(meta.value()?.parse::<LitStr>()?.value());
                } else {
                    let inside;
                    syn::parenthesized!(inside in meta.input);
                    found.index = Some(inside.parse::<Ident>()?.to_string());
                }
            } else {
                return Err(meta.error(
                    "on a field, write `values = ..`, `len = ..`, `arena`, `index(arena_field)`, `skip` \
                     or `default = ..`",
                ));
            }
            Ok(())
        })?;
    }
    Ok(found)
}
