//! Why a clause failed: the same clause once more, noting what it sees.
//!
//! ```text
//! self.len() == old(self.len()) + 1 && self.ok
//! ```
//! becomes, in the cold path only,
//! ```text
//! (match (&(self.len()), &((*old_0) + 1)) {
//!     (left, right) => { notes.value("self.len()", ..); notes.value(..); *left == *right }
//! }) && { notes.value("self.ok", ..); self.ok }
//! ```
//! Short-circuits stay, so nothing is evaluated that the clause itself would not
//! evaluate. Closures and blocks are not looked into, except that a failing
//! `forall` names the item for which it failed.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprCall, ExprField, ExprMethodCall, ExprPath, ExprUnary, Macro, UnOp};

use super::clause::{Clause, Condition};
use super::names;
use super::old::Olds;
use super::restrictions::is_old;
use super::{runtime, text};

/// What an explanation may refer to.
pub struct Explainer<'a> {
    pub olds: &'a Olds,
    /// Variables whose values are worth showing.
    pub locals: Vec<String>,
    /// The name under which the result is bound.
    pub result: TokenStream,
}

impl Explainer<'_> {
    /// The statements of the explanation; their value is whether the clause held.
    pub fn clause(&self, clause: &Clause) -> TokenStream {
        let runtime = runtime();
        let olds = self.olds.mentioned(clause.condition.expr()).into_iter().map(|old| {
            let (label, ident) = (&old.label, &old.ident);
            quote_spanned!(Span::mixed_site()=> notes.old(#label, (&#runtime::Show(#runtime::captured(&#ident))).text());)
        });
        let held = match &clause.condition {
            Condition::Plain(expr) => self.top(expr),
            Condition::OfResult(closure) => {
                let (inputs, result) = (&closure.inputs, &self.result);
                let mut locals = self.locals.clone();
                locals.extend(closure.inputs.iter().flat_map(|pattern| {
                    names::bound(pattern).into_iter().map(|bound| bound.ident.to_string())
                }));
                let inner = Explainer { olds: self.olds, locals, result: self.result.clone() };
                let body = inner.top(&closure.body);
                quote_spanned!(Span::mixed_site()=> #runtime::explain_result(&#result, |#inputs| #body))
            }
        };
        quote_spanned!(Span::mixed_site()=> #(#olds)* #held)
    }

    fn top(&self, expr: &Expr) -> TokenStream {
        match peel(expr) {
            Expr::Binary(_) | Expr::Unary(_) => self.condition(expr),
            Expr::Call(call) if quantifier(call) => self.condition(expr),
            _ => self.leaf(expr, false),
        }
    }

    /// An expression of type `bool` that notes what it sees.
    fn condition(&self, expr: &Expr) -> TokenStream {
        match peel(expr) {
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
                let (left, right) = (self.condition(&binary.left), self.condition(&binary.right));
                quote_spanned!(Span::mixed_site()=> (#left && #right))
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Or(_)) => {
                let (left, right) = (self.condition(&binary.left), self.condition(&binary.right));
                quote_spanned!(Span::mixed_site()=> (#left || #right))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let inner = self.condition(&unary.expr);
                quote_spanned!(Span::mixed_site()=> (!#inner))
            }
            Expr::Binary(binary) if compares(&binary.op) => {
                self.comparison(&binary.left, &binary.op, &binary.right)
            }
            Expr::Call(call) if quantifier(call) => self.for_all(call),
            Expr::Lit(_) => expr.to_token_stream(),
            _ => self.leaf(expr, true),
        }
    }

    fn comparison(&self, left: &Expr, operator: &BinOp, right: &Expr) -> TokenStream {
        let places = self.places(left).chain(self.places(right)).collect::<TokenStream>();
        let note_left = note(left, &quote_spanned!(Span::mixed_site()=> left));
        let note_right = note(right, &quote_spanned!(Span::mixed_site()=> right));
        let (left, right) = (self.olds.lower(left), self.olds.lower(right));
        quote_spanned! {Span::mixed_site()=>
            (match (&(#left), &(#right)) {
                (left, right) => {
                    #places
                    #note_left
                    #note_right
                    *left #operator *right
                }
            })
        }
    }

    /// `forall(items, condition)`, stopping at the first item that fails.
    fn for_all(&self, call: &ExprCall) -> TokenStream {
        let runtime = runtime();
        let items = self.olds.lower(&call.args[0]);
        let condition = self.olds.lower(&call.args[1]);
        let label = match &call.args[1] {
            Expr::Closure(closure) => text::of(closure.inputs.to_token_stream()),
            _ => "item".to_owned(),
        };
        let label = format!("{label} (the first that fails)");
        quote_spanned! {Span::mixed_site()=>
            ({
                let mut text = ::core::option::Option::None;
                let all = #runtime::forall(
                    ::core::iter::Iterator::inspect(
                        ::core::iter::IntoIterator::into_iter(#items),
                        |item| text = (&#runtime::Show(item)).text(),
                    ),
                    #condition,
                );
                if !all {
                    notes.value(#label, text);
                }
                all
            })
        }
    }

    fn leaf(&self, expr: &Expr, note_outcome: bool) -> TokenStream {
        let places = self.places(expr).collect::<TokenStream>();
        let lowered = self.olds.lower(expr);
        let note_outcome =
            note_outcome.then(|| note(expr, &quote_spanned!(Span::mixed_site()=> &outcome)));
        quote_spanned! {Span::mixed_site()=>
            ({
                #places
                let outcome: bool = #lowered;
                #note_outcome
                outcome
            })
        }
    }

    /// Notes for the variables and fields an expression reads.
    fn places(&self, expr: &Expr) -> impl Iterator<Item = TokenStream> + use<> {
        let mut places = Places { locals: &self.locals, found: Vec::new() };
        // The expression itself is noted by whoever asks.
        match peel(expr) {
            Expr::Path(_) | Expr::Field(_) => {}
            Expr::Unary(unary) if is_local_deref(unary) => {}
            inner => places.visit_expr(inner),
        }
        let notes: Vec<TokenStream> = places
            .found
            .iter()
            .map(|place| note(place, &quote_spanned!(Span::mixed_site()=> &#place)))
            .collect();
        notes.into_iter()
    }
}

fn note(expr: &Expr, value: &TokenStream) -> TokenStream {
    if matches!(peel(expr), Expr::Lit(_)) || is_negative_literal(expr) {
        return TokenStream::new();
    }
    if let Expr::Call(call) = peel(expr)
        && is_old(&call.func)
    {
        // Shown with the other values from before the call.
        return TokenStream::new();
    }
    let label = text::of(peel(expr).to_token_stream());
    let runtime = runtime();
    let span = Span::mixed_site();
    quote_spanned!(span=> notes.value(#label, (&#runtime::Show(#value)).text());)
}

/// `*x` for a variable `x`.
fn is_local_deref(unary: &ExprUnary) -> bool {
    matches!(unary.op, UnOp::Deref(_))
        && matches!(&*unary.expr, Expr::Path(path) if path.path.get_ident().is_some())
}

fn is_negative_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Unary(unary) if matches!(&*unary.expr, Expr::Lit(_)))
}

/// The expression without its parentheses.
fn peel(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(paren) => peel(&paren.expr),
        Expr::Group(group) => peel(&group.expr),
        other => other,
    }
}

fn compares(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

fn quantifier(call: &ExprCall) -> bool {
    let named =
        |path: &ExprPath| path.path.segments.last().is_some_and(|last| last.ident == "forall");
    call.args.len() == 2 && matches!(&*call.func, Expr::Path(path) if named(path))
}

struct Places<'a> {
    locals: &'a [String],
    found: Vec<Expr>,
}

impl Places<'_> {
    fn is_local(&self, name: &syn::Ident) -> bool {
        name == "self" || self.locals.contains(&name.to_string())
    }

    fn add(&mut self, place: Expr) {
        if !self.found.contains(&place) {
            self.found.push(place);
        }
    }
}

impl<'ast> Visit<'ast> for Places<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        // `self` as a whole is among the arguments.
        if let Some(name) = path.path.get_ident()
            && name != "self"
            && self.is_local(name)
        {
            self.add(Expr::Path(path.clone()));
        }
    }

    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        let is_chain = matches!(&*field.base, Expr::Path(_) | Expr::Field(_));
        match names::root(&field.base) {
            Some(root) if is_chain && self.is_local(root) => self.add(Expr::Field(field.clone())),
            _ => visit::visit_expr_field(self, field),
        }
    }

    fn visit_expr_unary(&mut self, unary: &'ast ExprUnary) {
        // Behind a reference is what counts.
        match names::root(&unary.expr) {
            Some(root) if is_local_deref(unary) && self.is_local(root) => {
                self.add(Expr::Unary(unary.clone()));
            }
            _ => visit::visit_expr_unary(self, unary),
        }
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if !is_old(&call.func) {
            call.args.iter().for_each(|argument| self.visit_expr(argument));
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.visit_expr(&call.receiver);
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        for name in self.locals {
            if let Some(span) = names::mention_in_tokens(call.tokens.clone(), name) {
                let ident = match name.strip_prefix("r#") {
                    Some(raw) => syn::Ident::new_raw(raw, span),
                    None => syn::Ident::new(name, span),
                };
                self.add(syn::parse_quote_spanned!(Span::mixed_site()=> #ident));
            }
        }
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    fn visit_block(&mut self, _: &'ast syn::Block) {}
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
