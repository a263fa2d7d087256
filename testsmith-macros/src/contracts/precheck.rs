//! Writes the hidden function that asks whether a call would be legal.
//!
//! It takes every argument by shared reference, evaluates the preconditions, and
//! says which one fails first: a tool learns that a call is illegal without
//! moving the arguments and without paying for a panic. In the clauses `x`
//! becomes `(*x)` for every parameter that was taken by value.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, FieldValue, FnArg, Ident, Macro, Member, Pat, PatType, Receiver, Signature};
use syn::{Type, Visibility};
use syn::{parse_quote, parse_quote_spanned};

use super::clause::{Clause, Condition, Kind};
use super::names::{self, SelfKind};
use super::{gate, runtime};

/// The name of the function, and the function.
pub struct Precheck {
    pub name: Ident,
    pub function: TokenStream,
}

/// `None` where there is nothing to ask or a parameter cannot be borrowed so.
pub fn write(
    signature: &Signature,
    name: &str,
    clauses: &[Clause],
    visibility: &Visibility,
) -> Option<Precheck> {
    let requires: Vec<(usize, &Clause)> =
        clauses.iter().enumerate().filter(|(_, clause)| clause.kind == Kind::Requires).collect();
    if requires.is_empty() || signature.variadic.is_some() {
        return None;
    }
    let Borrowed { inputs, bindings, by_value } = Borrowed::of(signature)?;
    let runtime = runtime();
    let checks = requires.iter().filter_map(|(index, clause)| {
        let Condition::Plain(expr) = &clause.condition else { return None };
        let mut expr = expr.clone();
        let inside = names::bound_inside(&expr);
        let names = by_value.iter().filter(|name| !inside.contains(name)).cloned().collect();
        Behind { names }.visit_expr_mut(&mut expr);
        let cfg = clause.gate.cfg();
        let index = u32::try_from(*index).ok()?;
        Some(quote! {
            #[cfg(#cfg)]
            if !#runtime::is_met(|| -> bool { #expr }) {
                return ::core::result::Result::Err(#index);
            }
        })
    });
    let ident = format_ident!("__testsmith_requires_{name}");
    let parameters = &signature.generics.params;
    let generics = (!parameters.is_empty()).then(|| quote!(<#parameters>));
    let where_clause = &signature.generics.where_clause;
    let cfg = gate::any(requires.iter().map(|(_, clause)| clause.gate));
    // The clauses of an unsafe function may rely on what its caller vouches for.
    let unsafety = &signature.unsafety;
    let function = quote! {
        #[cfg(#cfg)]
        #[doc(hidden)]
        #[allow(unused, unsafe_op_in_unsafe_fn, clippy::all, clippy::pedantic)]
        #visibility #unsafety fn #ident #generics (#(#inputs),*) -> ::core::result::Result<(), u32>
        #where_clause
        {
            #(#bindings)*
            #(#checks)*
            ::core::result::Result::Ok(())
        }
    };
    Some(Precheck { name: ident, function })
}

/// The parameters, each by shared reference.
#[derive(Default)]
struct Borrowed {
    inputs: Vec<TokenStream>,
    /// Statements that take patterns apart.
    bindings: Vec<TokenStream>,
    /// Names that stood for values and now stand for references.
    by_value: Vec<String>,
}

impl Borrowed {
    fn of(signature: &Signature) -> Option<Borrowed> {
        let mut borrowed = Borrowed::default();
        for (position, input) in signature.inputs.iter().enumerate() {
            match input {
                FnArg::Receiver(receiver) => borrowed.receiver(receiver)?,
                FnArg::Typed(typed) => borrowed.parameter(position, typed)?,
            }
        }
        Some(borrowed)
    }

    fn receiver(&mut self, receiver: &Receiver) -> Option<()> {
        self.inputs.push(match names::self_kind(receiver) {
            SelfKind::Shared | SelfKind::Unique => borrowed_receiver(receiver)?,
            SelfKind::Value => {
                self.by_value.push("self".to_owned());
                quote!(&self)
            }
            SelfKind::Typed { .. } => return None,
        });
        Some(())
    }

    fn parameter(&mut self, position: usize, typed: &PatType) -> Option<()> {
        let (pattern, ty) = (simple(&typed.pat)?, &typed.ty);
        let named = matches!(pattern, Pat::Ident(_));
        if let (Type::Reference(reference), true) = (&**ty, named) {
            let (lifetime, inner) = (&reference.lifetime, &reference.elem);
            self.inputs.push(quote!(#pattern: &#lifetime #inner));
            return Some(());
        }
        let bound = names::bound(&pattern);
        self.by_value.extend(bound.iter().map(|bound| bound.ident.to_string()));
        if named {
            self.inputs.push(quote!(#pattern: &#ty));
        } else {
            let whole = format_ident!("__testsmith_argument_{position}");
            self.inputs.push(quote!(#whole: &#ty));
            self.bindings.push(quote!(let #pattern = #whole;));
        }
        Some(())
    }
}

/// `&mut self` becomes `&self`; lifetimes stay.
fn borrowed_receiver(receiver: &Receiver) -> Option<TokenStream> {
    let (_, lifetime) = receiver.reference.as_ref()?;
    Some(quote!(&#lifetime self))
}

/// The pattern without `mut`, if it can be matched through a reference.
fn simple(pattern: &Pat) -> Option<Pat> {
    struct Simple {
        possible: bool,
    }
    impl VisitMut for Simple {
        fn visit_pat_mut(&mut self, pattern: &mut Pat) {
            match pattern {
                Pat::Ident(ident) => {
                    self.possible &= ident.by_ref.is_none() && ident.subpat.is_none();
                    ident.mutability = None;
                }
                Pat::Tuple(_)
                | Pat::TupleStruct(_)
                | Pat::Struct(_)
                | Pat::Wild(_)
                | Pat::Rest(_)
                | Pat::Paren(_)
                | Pat::Slice(_) => {}
                _ => self.possible = false,
            }
            visit_mut::visit_pat_mut(self, pattern);
        }
    }
    let mut pattern = pattern.clone();
    let mut simple = Simple { possible: true };
    simple.visit_pat_mut(&mut pattern);
    simple.possible.then_some(pattern)
}

/// Writes `(*x)` for `x`.
struct Behind {
    names: Vec<String>,
}

impl Behind {
    fn has(&self, ident: &Ident) -> bool {
        self.names.iter().any(|name| ident == name)
    }

    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut after_dot = false;
        let mut result = TokenStream::new();
        for token in tokens {
            let dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
            match token {
                TokenTree::Ident(ident) if self.has(&ident) && !after_dot => {
                    result.extend(quote!((*#ident)));
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    result.extend([TokenTree::Group(inner)]);
                }
                other => result.extend([other]),
            }
            after_dot = dot;
        }
        result
    }
}

impl VisitMut for Behind {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Path(path) = expr
            && let Some(ident) = path.path.get_ident()
            && self.has(ident)
        {
            *expr = parse_quote_spanned!(ident.span()=> (*#ident));
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        if let Member::Named(name) = &field.member
            && field.colon_token.is_none()
            && self.has(name)
        {
            *field = parse_quote!(#name: (*#name));
            return;
        }
        visit_mut::visit_field_value_mut(self, field);
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        call.tokens = self.tokens(call.tokens.clone());
    }
}
