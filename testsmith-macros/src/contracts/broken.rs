//! One clause of a function: its check, and what happens when it does not hold.
//!
//! Nearly every clause holds, so what counts is what the other case costs the path on
//! which nothing is wrong. One call that comes back if the clause was not due needs no
//! room on the stack before it is made; it must be given copies, because a variable that
//! is lent to it would have to lie in memory from the start. Where syntax does not show
//! that all can be copied, the panic is raised by a call that never comes back, which may
//! own what it looks at.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, Ident};

use super::checks::Checks;
use super::clause::{Clause, Condition, Kind};
use super::explain::Explainer;
use super::names::{self, Parameter, SelfKind};
use super::site::{during, explanation_closure, scope};
use super::{body, plain_calls, runtime, runtime_at};

impl Checks<'_> {
    pub(super) fn check(&self, index: usize, clause: &Clause, moment: &str) -> TokenStream {
        let runtime = runtime();
        let result = &self.result;
        let condition = match &clause.condition {
            Condition::Plain(expr) => {
                let expr = self.olds.lower(expr);
                quote!(|| -> bool { #expr })
            }
            Condition::OfResult(closure) => {
                let mut closure = closure.clone();
                *closure.body = self.olds.lower(&closure.body);
                quote!(|| -> bool { #runtime::with_result(&#result, #closure) })
            }
        };
        let broken = self.broken(index, clause, moment);
        let site = site(index);
        let cfg = clause.gate.cfg();
        let allow = quote!(#[allow(unused_parens, unused_braces, unreachable_code, clippy::all, clippy::pedantic)]);
        if plain_calls::is_total(clause.condition.expr(), &self.standard()) {
            return quote!(#[cfg(#cfg)] #allow if !#runtime::holds(#site, #condition) { #broken });
        }
        let undefined = self.undefined(index, clause.kind, clause.span, moment);
        quote_spanned! {Span::mixed_site()=>
            #[cfg(#cfg)]
            #allow
            match #runtime::attempt(#site, #condition) {
                ::core::result::Result::Ok(true) => {}
                ::core::result::Result::Ok(false) => { #broken }
                ::core::result::Result::Err(payload) => { #undefined }
            }
        }
    }

    /// What is done about a clause that does not hold.
    fn broken(&self, index: usize, clause: &Clause, moment: &str) -> TokenStream {
        let result = &self.result;
        let mut locals: Vec<String> =
            self.parameters.iter().map(|parameter| parameter.ident.to_string()).collect();
        if moment == "After" {
            locals.push(self.result.to_string());
        }
        let explainer = Explainer { olds: &self.olds, locals, result: quote!(#result) };
        let (explanation, arguments) =
            (explainer.clause(clause), self.argument_notes(moment == "Before"));
        let explanation = quote!(#arguments #explanation);
        let (during_value, during) =
            (during(self.name, moment), Ident::new("during", Span::mixed_site()));
        let (site, scope, span) = (site(index), scope(), clause.span);
        let located = runtime_at(span);
        // Inside a closure the panic is placed at the clause, not at the caller.
        let inside = clause.kind != Kind::Requires;
        if let Some(copies) = self.copies(&explanation) {
            // What is behind `&mut self` can only be lent.
            let moves = (self.self_kind != Some(SelfKind::Unique)).then(|| quote!(move));
            let explain = explanation_closure(&quote!(#moves), &explanation);
            let broken = quote_spanned! {span=> #located::broken(#site, #during, #explain) };
            let broken = if inside { quote!((|| { #broken })()) } else { broken };
            return quote! {{ #copies let #during = #during_value; #broken }};
        }
        let explain = explanation_closure(&quote!(move), &explanation);
        let violated = quote_spanned! {span=> #located::violated(#site, #during, #explain) };
        let violated = if inside { quote!((move || -> ! { #violated })()) } else { violated };
        quote! {
            if #scope.raises(#site) {
                let #during = #during_value;
                #violated
            }
        }
    }

    /// Copies of all that an explanation looks at, under the same names; nothing if
    /// something may not be copied.
    fn copies(&self, explanation: &TokenStream) -> Option<TokenStream> {
        let mentioned = |name: &str| names::mention_in_tokens(explanation.clone(), name).is_some();
        let by_reference =
            matches!(self.self_kind, None | Some(SelfKind::Shared | SelfKind::Unique));
        if !by_reference && mentioned("self") {
            return None;
        }
        let mut copies = TokenStream::new();
        for parameter in &self.parameters {
            let ident = &parameter.ident;
            if !mentioned(&ident.to_string()) {
                continue;
            }
            copies.extend(match parameter {
                Parameter { unique_reference: true, .. } => {
                    quote!(#[allow(unused_variables)] let #ident = &mut *#ident;)
                }
                Parameter { copied: true, .. } => {
                    quote!(#[allow(unused_variables)] let #ident = #ident;)
                }
                _ => return None,
            });
        }
        for old in &self.olds.captured {
            let ident = &old.ident;
            if mentioned(&ident.to_string()) {
                copies.extend(
                    self.is_copied(&old.expr)
                        .then(|| quote!(#[allow(unused_variables)] let #ident = #ident;))?,
                );
            }
        }
        let result = &self.result;
        if mentioned(&result.to_string()) {
            let copied = names::is_copied(&body::result_type(&self.item.sig.output));
            copies
                .extend(copied.then(|| quote!(#[allow(unused_variables)] let #result = #result;))?);
        }
        Some(copies)
    }

    /// Whether a captured value is sure to be one that can be copied.
    fn is_copied(&self, expr: &Expr) -> bool {
        let number = |parameter: &&Parameter| parameter.primitive;
        let mut numbers = self.parameters.iter().filter(number);
        plain_calls::is_query(expr, &self.standard())
            || matches!(expr, Expr::Path(path)
                if numbers.any(|parameter| path.path.is_ident(&parameter.ident)))
    }

    /// Raises that a clause panicked, with the panic's `payload`.
    pub(super) fn undefined(
        &self,
        index: usize,
        kind: Kind,
        span: Span,
        moment: &str,
    ) -> TokenStream {
        let (scope, during, located) = (scope(), during(self.name, moment), runtime_at(span));
        let payload = Ident::new("payload", Span::mixed_site());
        let site = site(index);
        let undefined = quote_spanned! {span=>
            #located::undefined(#site, #during, #scope.is_due(), #payload);
        };
        match kind {
            Kind::Requires => undefined,
            _ => quote!((|| { #undefined })();),
        }
    }

    /// Before the call every argument is there; afterwards only what cannot have
    /// been moved or changed is sure to be what the call was made with.
    fn argument_notes(&self, before: bool) -> TokenStream {
        let runtime = runtime();
        let kept = |parameter: &&Parameter| {
            before || (!parameter.mutable && (parameter.primitive || parameter.shared_reference))
        };
        let own = self.self_kind.filter(|kind| before || *kind == SelfKind::Shared);
        let own = own.map(|kind| {
            let own = Ident::new("self", Span::call_site());
            match kind {
                SelfKind::Shared | SelfKind::Unique => (own.to_string(), quote!(&*#own)),
                _ => (own.to_string(), quote!(&#own)),
            }
        });
        let names = self.parameters.iter().filter(kept).map(|parameter| {
            let ident = &parameter.ident;
            (ident.to_string(), quote!(&#ident))
        });
        let notes = own.into_iter().chain(names).map(|(label, value)| {
            quote_spanned! {Span::mixed_site()=>
                notes.argument(#label, (&#runtime::Show(#value)).text());
            }
        });
        notes.collect()
    }
}

fn site(index: usize) -> TokenStream {
    quote!(&__TESTSMITH_CLAUSES[#index])
}
