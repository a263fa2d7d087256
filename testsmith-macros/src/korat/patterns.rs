//! Patterns over twins.
//!
//! A pattern that takes a derived type apart binds cells, not values. The
//! bindings are read right after the match succeeds, by a `let` that shadows
//! them. A cell cannot be matched any deeper: that is an error that says so.

use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Pat};

use super::types::{Imported, TypeRewriter, twin_path};

/// Rewrites the pattern and returns the bindings that must be touched.
pub fn rewrite(
    pat: &mut Pat,
    own: &Ident,
    kept: &[Ident],
    imported: &Imported,
    errors: &mut Vec<syn::Error>,
) -> Vec<Ident> {
    let mut patterns = Patterns { own, kept, imported, errors, bound: Vec::new() };
    patterns.visit_pat_mut(pat);
    patterns.bound
}

struct Patterns<'a> {
    own: &'a Ident,
    kept: &'a [Ident],
    imported: &'a Imported,
    errors: &'a mut Vec<syn::Error>,
    bound: Vec<Ident>,
}

impl VisitMut for Patterns<'_> {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        match pat {
            Pat::TupleStruct(tuple) if is_std(&tuple.path) => {
                for element in &mut tuple.elems {
                    self.visit_pat_mut(element);
                }
            }
            Pat::TupleStruct(tuple) => {
                self.rename(&mut tuple.path);
                for element in &mut tuple.elems {
                    self.cell(element);
                }
            }
            Pat::Struct(fields) => {
                self.rename(&mut fields.path);
                for field in &mut fields.fields {
                    self.cell(&mut field.pat);
                }
            }
            Pat::Path(path) => {
                if let Some(twin) = twin_path(&path.path, self.own, self.imported) {
                    path.path = twin;
                }
            }
            Pat::Type(typed) => {
                self.visit_pat_mut(&mut typed.pat);
                TypeRewriter { kept: self.kept }.visit_type_mut(&mut typed.ty);
            }
            other => visit_mut::visit_pat_mut(self, other),
        }
    }
}

impl Patterns<'_> {
    fn rename(&mut self, path: &mut syn::Path) {
        if let Some(twin) = twin_path(path, self.own, self.imported) {
            *path = twin;
        }
    }

    /// A pattern in the place of a field.
    fn cell(&mut self, pat: &mut Pat) {
        match pat {
            Pat::Wild(_) | Pat::Rest(_) => {}
            Pat::Ident(binding) if binding.by_ref.is_none() && binding.subpat.is_none() => {
                binding.mutability = None;
                self.bound.push(binding.ident.clone());
            }
            Pat::Ident(binding) => self.errors.push(syn::Error::new_spanned(
                binding,
                "in a `#[korat]` impl block a field is bound by its name alone; \
                 bind it and take it apart with a nested `match` or `if let`",
            )),
            other => self.errors.push(syn::Error::new_spanned(
                other,
                "in a `#[korat]` impl block a pattern cannot look inside a field of a derived \
                 type; bind the field here and match on it in a nested `match` or `if let`",
            )),
        }
    }
}

fn is_std(path: &syn::Path) -> bool {
    let last = &path.segments.last().expect("a path has segments").ident;
    ["Some", "Ok", "Err", "Reverse"].iter().any(|known| last == known)
}

/// Whether a pattern takes a slice apart.
pub fn is_slice(pat: &Pat) -> bool {
    match pat {
        Pat::Slice(_) => true,
        Pat::Paren(inside) => is_slice(&inside.pat),
        Pat::Reference(inside) => is_slice(&inside.pat),
        Pat::Or(any) => any.cases.iter().any(is_slice),
        Pat::Ident(binding) => binding.subpat.as_ref().is_some_and(|(_, pat)| is_slice(pat)),
        _ => false,
    }
}
