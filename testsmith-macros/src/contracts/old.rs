//! `old(e)`: the value `e` had before the call.
//!
//! Each different expression is captured once, after the preconditions held and
//! before the body runs: a variable or field by clone, any other expression by
//! what it evaluates to. `unchanged(e)` is short for `e == old(e)`.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Macro, parse_quote_spanned};

use super::clause::{Clause, Condition, Kind};
use super::gate::Gate;
use super::names::{self, Parameter};
use super::restrictions::is_old;
use super::{runtime_at, text};

/// One captured value.
pub struct Old {
    pub ident: Ident,
    pub expr: Expr,
    /// As written, with the `old`.
    pub label: String,
    /// The gates of the clauses that need it.
    pub gates: Vec<Gate>,
    pub span: Span,
}

/// All values that the postconditions of one function capture.
#[derive(Default)]
pub struct Olds {
    pub captured: Vec<Old>,
    /// In a `const fn` values are captured bare, without asking whether they are
    /// needed.
    pub bare: bool,
}

/// Writes `unchanged(a, b)` as `(a == old(a)) && (b == old(b))`.
pub fn expand_unchanged(clause: &mut Clause) {
    struct Unchanged;
    impl VisitMut for Unchanged {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            visit_mut::visit_expr_mut(self, expr);
            let Expr::Call(call) = expr else { return };
            let named = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("unchanged"));
            if !named || call.args.is_empty() {
                return;
            }
            let span = call.func.span();
            let parts = call.args.iter().map(|part| quote_spanned!(span=> (#part == old(#part))));
            *expr = parse_quote_spanned!(span=> (#(#parts)&&*));
        }
    }
    if clause.kind == Kind::Ensures {
        match &mut clause.condition {
            Condition::Plain(expr) => Unchanged.visit_expr_mut(expr),
            Condition::OfResult(closure) => Unchanged.visit_expr_mut(&mut closure.body),
        }
    }
}

impl Olds {
    /// Notes what a clause captures.
    pub fn collect(&mut self, clause: &Clause, parameters: &[Parameter]) -> syn::Result<()> {
        let mut expr = clause.condition.expr().clone();
        let mut inside = names::bound_inside(&expr);
        if let Condition::OfResult(closure) = &clause.condition {
            inside.extend(closure.inputs.iter().flat_map(|pattern| {
                names::bound(pattern).into_iter().map(|pattern| pattern.ident.to_string())
            }));
        }
        inside.retain(|name| parameters.iter().all(|parameter| parameter.ident != name));
        inside.push("ret".to_owned());
        let mut collector = Collector { olds: self, inside, gate: clause.gate, error: None };
        collector.visit_expr_mut(&mut expr);
        collector.error.map_or(Ok(()), Err)
    }

    /// Replaces each `old(e)` in an expression by what was captured.
    pub fn lower(&self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        Lowering(self).visit_expr_mut(&mut expr);
        expr
    }

    /// The captured values that an expression mentions.
    pub fn mentioned(&self, expr: &Expr) -> Vec<&Old> {
        let lowered = self.lower(expr).to_token_stream();
        let mentions = |old: &&Old| {
            names::mention_in_tokens(lowered.clone(), &old.ident.to_string()).is_some()
        };
        self.captured.iter().filter(mentions).collect()
    }

    fn find(&self, label: &str) -> Option<&Old> {
        self.captured.iter().find(|old| old.label == label)
    }

    /// The captured value, placed where `old` was written: whatever the compiler has to
    /// say of it, such as that it cannot be moved, is said there.
    fn place(&self, old: &Old, span: Span) -> TokenStream {
        let (ident, runtime) = (&old.ident, runtime_at(span));
        match self.bare {
            true => quote!(#ident),
            false => quote_spanned!(span=> (*#runtime::captured(&#ident))),
        }
    }
}

struct Collector<'a> {
    olds: &'a mut Olds,
    inside: Vec<String>,
    gate: Gate,
    error: Option<syn::Error>,
}

/// Inside `old` all is old already: `old(old(x) + 1)` is `old(x + 1)`.
fn flatten(argument: &Expr) -> Expr {
    struct Flatten;
    impl VisitMut for Flatten {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            while let Expr::Call(call) = expr
                && is_old(&call.func)
                && call.args.len() == 1
            {
                *expr = call.args[0].clone();
            }
            visit_mut::visit_expr_mut(self, expr);
        }
    }
    let mut argument = argument.clone();
    Flatten.visit_expr_mut(&mut argument);
    argument
}

impl Collector<'_> {
    fn capture(&mut self, argument: &Expr) {
        let argument = &flatten(argument);
        if let Some((name, span)) = self
            .inside
            .iter()
            .find_map(|name| names::mention(argument, name).map(|span| (name, span)))
        {
            let mut error =
                format!("`old(..)` is captured before the call, where `{name}` does not exist yet");
            if name != "ret" {
                error.push_str("; capture the whole and look inside it: `old(values.clone())[i]`");
            }
            self.error.get_or_insert(syn::Error::new(span, error));
            return;
        }
        let label = label(argument);
        if let Some(old) = self.olds.captured.iter_mut().find(|old| old.label == label) {
            old.gates.push(self.gate);
            return;
        }
        let span = argument.span();
        let ident = format_ident!(
            "__testsmith_old_{}",
            self.olds.captured.len(),
            span = Span::mixed_site()
        );
        self.olds.captured.push(Old {
            ident,
            expr: argument.clone(),
            label,
            gates: vec![self.gate],
            span,
        });
    }
}

fn label(argument: &Expr) -> String {
    format!("old({})", text::of(flatten(argument).to_token_stream()))
}

impl VisitMut for Collector<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Call(call) = expr
            && is_old(&call.func)
        {
            match call.args.len() {
                1 => self.capture(&call.args[0]),
                _ => {
                    let error = syn::Error::new(call.func.span(), "`old` takes one expression");
                    self.error.get_or_insert(error);
                }
            }
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        in_tokens(call.tokens.clone(), &mut |argument| {
            self.capture(argument);
            None
        });
    }
}

struct Lowering<'a>(&'a Olds);

impl VisitMut for Lowering<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Call(call) = expr
            && is_old(&call.func)
            && let Some(old) = call.args.first().and_then(|argument| self.0.find(&label(argument)))
        {
            *expr = Expr::Verbatim(self.0.place(old, call.func.span()));
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        call.tokens = in_tokens(call.tokens.clone(), &mut |argument| {
            self.0.find(&label(argument)).map(|old| self.0.place(old, argument.span()))
        });
    }
}

/// Finds `old(e)` among the raw tokens of a macro call.
fn in_tokens(
    tokens: TokenStream,
    replace: &mut impl FnMut(&Expr) -> Option<TokenStream>,
) -> TokenStream {
    let mut result = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut after_dot = false;
    while let Some(token) = tokens.next() {
        let is_word = matches!(&token, TokenTree::Ident(word) if word == "old") && !after_dot;
        after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        if is_word
            && let Some(TokenTree::Group(group)) = tokens.peek()
            && group.delimiter() == Delimiter::Parenthesis
            && let Ok(argument) = syn::parse2::<Expr>(group.stream())
            && let Some(place) = replace(&argument)
        {
            tokens.next();
            result.extend(place);
            continue;
        }
        result.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), in_tokens(group.stream(), replace));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        }]);
    }
    result
}

/// How an expression is captured: places by clone, other values as they are.
pub fn capture(old: &Old, parameters: &[Parameter], self_is_unique: bool) -> TokenStream {
    let expr = &old.expr;
    let span = old.span;
    let behind_unique = match expr {
        Expr::Path(path) if path.path.is_ident("self") => self_is_unique,
        Expr::Path(path) => parameters
            .iter()
            .any(|parameter| parameter.unique_reference && path.path.is_ident(&parameter.ident)),
        _ => false,
    };
    if behind_unique {
        quote_spanned!(span=> ::std::borrow::ToOwned::to_owned(&*#expr))
    } else if is_place(expr) {
        quote_spanned!(span=> ::std::borrow::ToOwned::to_owned(&#expr))
    } else {
        expr.to_token_stream()
    }
}

fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => true,
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Deref(_)),
        Expr::Paren(paren) => is_place(&paren.expr),
        Expr::Group(group) => is_place(&group.expr),
        _ => false,
    }
}
