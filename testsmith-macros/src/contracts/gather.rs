//! Collects the contract attributes of an item.
//!
//! The first attribute to be expanded takes its siblings with it, so that the
//! clauses of a function are numbered in the order in which they are written and
//! are checked together.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Meta, Path, Token};

use super::clause::{self, Clause, Kind};
use super::gate::Gate;

/// Everything the attributes of a function say.
#[derive(Default)]
pub struct Contract {
    pub clauses: Vec<Clause>,
    pub pure: Option<Purity>,
    pub model: bool,
    pub skip_invariant: bool,
    /// The paths of the attributes taken, whose imports must still count as used, and
    /// where.
    pub taken: Vec<(Path, Option<TokenStream>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purity {
    Checked,
    Unchecked,
}

/// The kind and gate an attribute stands for, if it holds clauses.
pub fn clause_kind(name: &str) -> Option<(Kind, Gate)> {
    let (gate, rest) = match name.split_once('_') {
        Some(("debug", rest)) => (Gate::DEBUG, rest),
        Some(("test", rest)) => (Gate::TEST, rest),
        _ => (Gate::DEFAULT, name),
    };
    let kind = match rest {
        "requires" => Kind::Requires,
        "ensures" => Kind::Ensures,
        "invariant" => Kind::Invariant,
        _ => return None,
    };
    Some((kind, gate))
}

impl Contract {
    /// Adds what one attribute says; false if it is none of ours.
    pub fn add(&mut self, name: &str, arguments: TokenStream) -> syn::Result<bool> {
        if let Some((kind, gate)) = clause_kind(name) {
            self.clauses.extend(clause::parse(kind, gate, arguments)?);
            return Ok(true);
        }
        match name {
            "pure" => self.pure = Some(purity(arguments)?),
            "model" => self.model = true,
            "skip_invariant" => self.skip_invariant = true,
            "contract" => {
                let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
                for meta in parser.parse2(arguments)? {
                    let (name, arguments) = named(&meta);
                    let known = clause_kind(&name).is_some() && self.add(&name, arguments)?;
                    if !known {
                        let error = "expected `requires(..)`, `ensures(..)` or `invariant(..)`";
                        return Err(syn::Error::new(meta.span(), error));
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes our attributes out of a list.
    pub fn take(&mut self, attributes: &mut Vec<Attribute>) -> syn::Result<()> {
        let mut kept = Vec::with_capacity(attributes.len());
        for attribute in attributes.drain(..) {
            if attribute.path().is_ident("cfg_attr") {
                kept.extend(self.take_conditional(attribute)?);
                continue;
            }
            let ours = is_ours(attribute.path()) && {
                let (name, arguments) = named(&attribute.meta);
                self.add(&name, arguments)?
            };
            if ours {
                self.taken.push((attribute.path().clone(), None));
            } else {
                kept.push(attribute);
            }
        }
        *attributes = kept;
        Ok(())
    }

    /// Takes our clauses out of a `cfg_attr`, which the compiler has not decided yet when a
    /// whole block is read; gives back what is left of it.
    fn take_conditional(&mut self, attribute: Attribute) -> syn::Result<Option<Attribute>> {
        let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
        let Ok(metas) = attribute.parse_args_with(parser) else { return Ok(Some(attribute)) };
        let mut metas = metas.into_iter();
        let Some(predicate) = metas.next().map(ToTokens::into_token_stream) else {
            return Ok(Some(attribute));
        };
        let mut rest = Vec::new();
        let mut took = false;
        for meta in metas {
            let (name, arguments) = named(&meta);
            if !is_ours(meta.path()) {
                rest.push(meta);
            } else if clause_kind(&name).is_some() || name == "contract" {
                let before = self.clauses.len();
                self.add(&name, arguments)?;
                for clause in &mut self.clauses[before..] {
                    clause.gate = clause.gate.only_where(&predicate);
                }
                self.taken.push((meta.path().clone(), Some(predicate.clone())));
                took = true;
            } else if ["pure", "model", "skip_invariant"].contains(&name.as_str()) {
                let error = format!(
                    "`{name}` cannot depend on a `cfg` here, because the whole block is read \
                     before it is decided: write `#[{name}]`"
                );
                return Err(syn::Error::new_spanned(meta, error));
            } else {
                rest.push(meta);
            }
        }
        if !took {
            return Ok(Some(attribute));
        }
        Ok((!rest.is_empty()).then(|| syn::parse_quote!(#[cfg_attr(#predicate, #(#rest),*)])))
    }
}

/// The path of an attribute written by its bare name or through this crate.
fn is_ours(path: &Path) -> bool {
    path.segments.len() == 1
        || path.segments.first().is_some_and(|first| first.ident == "testsmith")
}

/// The last word of the path and the tokens in parentheses.
fn named(meta: &Meta) -> (String, TokenStream) {
    let name = meta.path().segments.last().map(|segment| segment.ident.to_string());
    let arguments = match meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    };
    (name.unwrap_or_default(), arguments)
}

fn purity(arguments: TokenStream) -> syn::Result<Purity> {
    if arguments.is_empty() {
        return Ok(Purity::Checked);
    }
    match arguments.to_string().as_str() {
        "unchecked" => Ok(Purity::Unchecked),
        _ => Err(syn::Error::new(arguments.span(), "expected `#[pure]` or `#[pure(unchecked)]`")),
    }
}
