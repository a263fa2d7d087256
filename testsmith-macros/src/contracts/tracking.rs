//! How much of a call the thread has to know.
//!
//! Decided from what clauses and body show: nothing where no other contract can be
//! reached, a counter where only the body may reach one, everything else otherwise. The
//! run-time half is `testsmith::contracts::scope`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, Ident};

use super::checks::{Checks, Route, running};
use super::clause::{Clause, Condition, Kind};
use super::places::{self, Place};
use super::site::scope;
use super::{body, names, plain_calls, runtime};

impl Checks<'_> {
    /// How the call is entered: whether evaluating what comes before the body
    /// can reach other contracts.
    pub(super) fn enter(&self) -> Ident {
        let requires = self.clauses.iter().filter(|clause| clause.kind != Kind::Ensures);
        let calls = self.invariant.is_some_and(|plan| plan.before && !plan.plain)
            || self.watch
            || requires.into_iter().any(|clause| self.calls(clause.condition.expr()))
            || self.olds.captured.iter().any(|old| self.calls(&old.expr));
        format_ident!("{}", if calls { "enter" } else { "begin" })
    }

    pub(super) fn calls_after(&self) -> bool {
        let ensures = self.clauses.iter().filter(|clause| clause.kind != Kind::Requires);
        self.watch
            || self.invariant.is_some_and(|plan| !plan.plain)
            || ensures.into_iter().any(|clause| self.calls(clause.condition.expr()))
    }

    /// How much of the call the thread has to know, and whether a pure function is
    /// compared this time. Nothing if neither its clauses nor its body can reach another
    /// contract: then nobody asks how deep it is. A body that works only on plain values
    /// cannot change what it was given, either.
    pub(super) fn tracking(&self) -> TokenStream {
        let runtime = runtime();
        let plain = match places::of(&self.item.block, &self.parameters) {
            Some(places) => {
                let known = places.iter().map(|place| match place {
                    Place::Variable(expr) => {
                        quote!((&#runtime::Known(&raw const #expr)).is_plain())
                    }
                    Place::Constant(expr) => {
                        quote!((&#runtime::Known(::core::ptr::from_ref(&#expr))).is_plain())
                    }
                });
                quote!({ use #runtime::{AnyOther as _, OfStandard as _}; true #(&& #known)* })
            }
            None => quote!(false),
        };
        let least = if self.reaches() {
            quote!(#runtime::Tracking::Whole)
        } else if self.is_total() {
            quote_spanned! {Span::mixed_site()=>
                if plain { #runtime::Tracking::Nothing } else { #runtime::Tracking::Body }
            }
        } else {
            quote_spanned! {Span::mixed_site()=>
                if plain { #runtime::Tracking::Nothing } else { #runtime::Tracking::Whole }
            }
        };
        let least = if self.watch {
            // Comparing values for purity calls their `Debug`.
            quote_spanned!(Span::mixed_site()=> if due { #runtime::Tracking::Whole } else { #least })
        } else {
            least
        };
        let due = self.watch.then(|| {
            quote_spanned! {Span::mixed_site()=>
                #[allow(unused_variables)]
                let due = !plain && __TESTSMITH_SAMPLER.due(&__TESTSMITH_CALLS);
            }
        });
        quote_spanned! {Span::mixed_site()=>
            #[allow(unused_imports, unused_variables, clippy::all, clippy::pedantic)]
            let plain = #plain;
            #due
            #[allow(clippy::all, clippy::pedantic)]
            let tracking = #least;
        }
    }

    /// Whether evaluating the clauses may reach another contract.
    pub(super) fn reaches(&self) -> bool {
        self.invariant.is_some_and(|plan| !plan.plain)
            || self.clauses.iter().any(|clause| self.calls(clause.condition.expr()))
            || self.olds.captured.iter().any(|old| self.calls(&old.expr))
    }

    /// Whether all clauses can be evaluated at any time, even while another clause is
    /// evaluated or the object is at work, so that nothing has to be known before. One that
    /// panics then is caught like any other, and is not due. What `old` captures must have
    /// a value, and an invariant may have none only where it is due.
    pub(super) fn is_total(&self) -> bool {
        let standard = self.standard();
        let captured = |expr: &Expr| {
            plain_calls::is_query(expr, &standard)
                || matches!(expr, Expr::Path(path) if standard.iter().any(|name| path.path.is_ident(name)))
        };
        let plain = |clause: &Clause| matches!(clause.condition, Condition::Plain(_));
        let object = self.invariant.filter(|plan| plan.object.is_some());
        self.clauses.iter().all(plain)
            && self.olds.captured.iter().all(|old| captured(&old.expr))
            && self.invariant.is_none_or(|plan| plan.total)
            && object.is_none_or(|_| !places::hands_out_self(&self.item.block))
    }

    /// Whether evaluating an expression may reach another contract.
    pub(super) fn calls(&self, expr: &Expr) -> bool {
        plain_calls::calls(expr, &self.standard())
    }

    /// The variables that are seen to have types of the standard library.
    pub(super) fn standard(&self) -> Vec<String> {
        let standard = self.parameters.iter().filter(|parameter| parameter.standard);
        let mut standard: Vec<String> = standard.map(|p| p.ident.to_string()).collect();
        if names::is_standard(&body::result_type(&self.item.sig.output)) {
            standard.push("ret".to_owned());
        }
        standard
    }

    pub(super) fn mark(&self) -> TokenStream {
        let Some((object, total)) =
            self.invariant.and_then(|plan| Some((plan.object.as_ref()?, plan.total)))
        else {
            return TokenStream::new();
        };
        let (runtime, scope, running) = (runtime(), scope(), running());
        let object = quote!(#runtime::Object::of(#object));
        let shared = self.route == Route::Future || places::hands_out_self(&self.item.block);
        quote!(let #running = #runtime::Running::mark(&#scope, #object, #shared, #total);)
    }
}
