//! The checks around one body, written out.
//!
//! Where what is checked, in which order, and how the body is run in between.
//! Decides nothing about what a clause may say: by now every clause is legal.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, Ident, ItemFn};

use super::clause::{Clause, Condition, Kind};
use super::function::{InvariantPlan, Setting};
use super::gate::{self, Gate};
use super::gather::{Contract, Purity};
use super::names::{self, Parameter, SelfKind};
use super::old::{self, Olds};
use super::site::{
    constant_message, during, explanation_closure, scope, static_clause, static_entry,
};
use super::{body, plain_calls, runtime};

/// How the body is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// In place: nothing follows it.
    Inline,
    Closure,
    Future,
    /// A labelled block, and checks that a `const fn` can make.
    Constant,
    Labelled,
}

pub struct Checks<'a> {
    pub(super) item: &'a ItemFn,
    pub(super) name: &'a str,
    pub(super) clauses: &'a [Clause],
    pub(super) invariant: Option<&'a InvariantPlan>,
    pub(super) watch: bool,
    pub(super) parameters: Vec<Parameter>,
    pub(super) self_kind: Option<SelfKind>,
    pub(super) olds: Olds,
    pub(super) result: Ident,
    pub(super) route: Route,
    /// The function reports its caller, so that preconditions can name it.
    pub tracks_caller: bool,
}

impl<'a> Checks<'a> {
    pub fn new(
        item: &'a ItemFn,
        contract: &'a Contract,
        setting: &'a Setting<'_>,
    ) -> syn::Result<Self> {
        let signature = &item.sig;
        let parameters = names::parameters(signature);
        let mut olds = Olds { bare: signature.constness.is_some(), ..Olds::default() };
        for clause in contract.clauses.iter().filter(|clause| clause.kind == Kind::Ensures) {
            olds.collect(clause, &parameters)?;
        }
        let simple = signature.constness.is_none() && signature.asyncness.is_none();
        let watch = contract.pure == Some(Purity::Checked) && simple;
        let mut checks = Checks {
            item,
            name: &setting.name,
            clauses: &contract.clauses,
            invariant: setting.invariant.as_ref(),
            watch,
            self_kind: names::receiver(signature).map(names::self_kind),
            result: result_name(&contract.clauses, &parameters)?,
            parameters,
            olds,
            route: Route::Inline,
            tracks_caller: false,
        };
        checks.refuse_changed_parameters()?;
        checks.refuse_old_borrows()?;
        checks.refuse_promises_of_no_return()?;
        checks.refuse_borrowed_self()?;
        checks.choose_route();
        Ok(checks)
    }

    /// Where anything is checked; nothing if there is nothing to check.
    pub fn cfg(&self) -> Option<TokenStream> {
        let gates = self.clauses.iter().map(|clause| clause.gate);
        let gates = gates.chain(self.invariant.map(|plan| plan.gate));
        let gates: Vec<Gate> = gates.chain(self.watch.then_some(Gate::DEFAULT)).collect();
        (!gates.is_empty()).then(|| gate::any(gates))
    }

    pub(super) fn has_post(&self) -> bool {
        self.watch
            || self.clauses.iter().any(|clause| clause.kind != Kind::Requires)
            || self.invariant.is_some_and(|plan| plan.after || plan.result_checks.is_some())
    }

    fn choose_route(&mut self) {
        let signature = &self.item.sig;
        let tracked = has_attribute(&self.item.attrs, &["track_caller"]);
        let plain_abi = signature.abi.is_none()
            && signature.ident != "main"
            && !has_attribute(&self.item.attrs, &["no_mangle", "export_name", "naked", "test"])
            && !self.item.attrs.iter().any(|attribute| attribute.path().is_ident("unsafe"));
        self.route = if signature.constness.is_some() {
            Route::Constant
        } else if signature.asyncness.is_some() {
            Route::Future
        } else if body::never_returns(&signature.output) {
            Route::Inline
        } else if tracked {
            if self.has_post() { Route::Labelled } else { Route::Inline }
        } else if self.has_post() || plain_abi {
            Route::Closure
        } else {
            Route::Inline
        };
        // The body is a closure then, so its own panics keep their places.
        let demands = self.clauses.iter().any(|clause| clause.kind == Kind::Requires);
        self.tracks_caller = self.route == Route::Closure && plain_abi && demands;
    }

    pub fn block(&self) -> syn::Result<TokenStream> {
        match self.route {
            Route::Constant => self.constant_block(),
            Route::Future => Ok(self.future_block()),
            Route::Inline | Route::Closure | Route::Labelled => self.plain_block(),
        }
    }

    fn plain_block(&self) -> syn::Result<TokenStream> {
        let runtime = runtime();
        let statics = self.statics();
        let scope = scope();
        let enter = self.enter();
        let invariant_setup = self.invariant.map(|plan| &plan.setup);
        let mark = self.mark();
        let before = self.before();
        let captures = self.captures(&quote!(#scope.active()));
        let watches = self.watches();
        let tracking = self.tracking();
        let start = quote_spanned! {Span::mixed_site()=>
            #statics
            #invariant_setup
            #tracking
            let #scope = #runtime::Scope::#enter(tracking);
            #mark
            if #scope.active() { #before }
            #captures
            #watches
            let inside = #scope.body();
        };
        let end = quote_spanned!(Span::mixed_site()=> ::core::mem::drop(inside););
        let pinned = self.pins().then(|| self.pinned()).flatten();
        let block = pinned.as_ref().map_or(&*self.item.block, |pinned| &pinned.body);
        let output = &self.item.sig.output;
        let run = match self.route {
            Route::Labelled => body::labelled(block)?,
            Route::Closure => body::closure(block, output),
            _ => {
                let block = body::in_place(block);
                return Ok(quote!({ #start #block }));
            }
        };
        let (result, ty) = (&self.result, body::result_type(output));
        let after = match &pinned {
            Some(pinned) => pinned.following(self.after()),
            None => self.after(),
        };
        let resume = self.calls_after().then(|| quote!(#scope.after();));
        let lent = pinned.map(|pinned| pinned.start);
        Ok(quote! {{
            #start
            #lent
            #[allow(clippy::let_unit_value, clippy::redundant_closure_call)]
            let #result: #ty = #run;
            #end
            if #scope.active() { #resume #after }
            #result
        }})
    }

    fn future_block(&self) -> TokenStream {
        let runtime = runtime();
        let statics = self.statics();
        let (scope, active) = (scope(), format_ident!("active", span = Span::mixed_site()));
        let running = running();
        let invariant_setup = self.invariant.map(|plan| &plan.setup);
        let mark = self.mark();
        let (before, captures) = (self.before(), self.captures(&quote!(#active)));
        let (outermost, object) = match self.invariant.and_then(|plan| plan.object.as_ref()) {
            Some(object) => (
                quote!(#running.outermost()),
                quote!(::core::option::Option::Some(#runtime::Object::of(#object))),
            ),
            None => (quote!(false), quote!(::core::option::Option::None)),
        };
        let moves = !self.post_needs_parameters();
        let object_name = Ident::new("object", Span::mixed_site());
        let name = quote!(#object_name);
        let run = body::future(&self.item.block, &self.item.sig.output, moves, &name);
        let (result, ty) = (&self.result, body::result_type(&self.item.sig.output));
        let after = self.after();
        quote_spanned! {Span::mixed_site()=> {
            #statics
            #invariant_setup
            let #scope = #runtime::Scope::enter(#runtime::Tracking::Whole);
            let #active = #scope.active();
            #mark
            if #active { #before }
            #captures
            #[allow(unused_variables)]
            let outermost = #outermost;
            let #object_name = #object;
            ::core::mem::drop(#scope);
            #[allow(clippy::let_unit_value)]
            let #result: #ty = #run;
            if #active {
                let #scope = #runtime::Scope::enter(#runtime::Tracking::Whole);
                #after
                ::core::mem::drop(#scope);
            }
            #result
        }}
    }

    fn constant_block(&self) -> syn::Result<TokenStream> {
        let setup = self.invariant.map(|plan| &plan.setup);
        let mut before = TokenStream::new();
        let mut after = TokenStream::new();
        for (index, clause) in self.clauses.iter().enumerate() {
            if clause.kind != Kind::Ensures {
                before.extend(self.constant_check(index, clause, "before"));
            }
            if clause.kind != Kind::Requires {
                after.extend(self.constant_check(index, clause, "after"));
            }
        }
        let captures = self.olds.captured.iter().map(|old| {
            let (ident, expr) = (&old.ident, &old.expr);
            let cfg = gate::any(old.gates.iter().copied());
            quote!(#[cfg(#cfg)] let #ident = #expr;)
        });
        let block = &self.item.block;
        if !self.has_post() {
            let block = body::in_place(block);
            return Ok(quote!({ #setup #before #block }));
        }
        let run = body::labelled(block)?;
        let (result, ty) = (&self.result, body::result_type(&self.item.sig.output));
        let checks = self.invariant.and_then(|plan| plan.result_checks.as_ref());
        Ok(quote!({ #setup #before #(#captures)* let #result: #ty = #run; #after #checks #result }))
    }

    /// A check in a `const fn`: the message is fixed when compiling, because
    /// nothing can be formatted there.
    fn constant_check(&self, index: usize, clause: &Clause, moment: &str) -> TokenStream {
        let condition = match &clause.condition {
            Condition::Plain(expr) => {
                let expr = self.olds.lower(expr);
                quote!(#expr)
            }
            Condition::OfResult(closure) => {
                // A closure cannot be called here; its parameter can be bound.
                let (pattern, body) = (&closure.inputs[0], self.olds.lower(&closure.body));
                let pattern = match pattern {
                    syn::Pat::Type(typed) => &typed.pat,
                    other => other,
                };
                let result = &self.result;
                quote!({ let #pattern = &#result; #body })
            }
        };
        let message = constant_message(clause, index, moment, self.name);
        let cfg = clause.gate.cfg();
        quote! {
            #[cfg(#cfg)]
            #[allow(unused_parens, clippy::nonminimal_bool)]
            if !(#condition) { ::core::panic!("{}", #message); }
        }
    }

    fn statics(&self) -> TokenStream {
        let runtime = runtime();
        let entries: Vec<TokenStream> = self
            .clauses
            .iter()
            .enumerate()
            .map(|(index, clause)| static_clause(clause, index, self.name))
            .collect();
        let count = entries.len();
        let sampler = self.watch.then(|| {
            quote! {
                static __TESTSMITH_SAMPLER: #runtime::Sampler = #runtime::Sampler::new();
                ::std::thread_local! {
                    static __TESTSMITH_CALLS: ::core::cell::Cell<u32> =
                        const { ::core::cell::Cell::new(0) };
                }
            }
        });
        quote! {
            static __TESTSMITH_CLAUSES: [#runtime::StaticClause; #count] = [#(#entries),*];
            #sampler
        }
    }

    fn before(&self) -> TokenStream {
        let mut checks = TokenStream::new();
        if let Some(plan) = self.invariant
            && plan.before
            && let Some(object) = &plan.object
        {
            let (running, checker) = (running(), &plan.checker);
            let during = during(self.name, "Before");
            checks.extend(quote!(if #running.outermost() { #checker(#object, #during); }));
        }
        for (index, clause) in self.clauses.iter().enumerate() {
            if clause.kind != Kind::Ensures {
                checks.extend(self.check(index, clause, "Before"));
            }
        }
        checks
    }

    fn after(&self) -> TokenStream {
        let mut checks = TokenStream::new();
        for (index, clause) in self.clauses.iter().enumerate() {
            if clause.kind != Kind::Requires {
                checks.extend(self.check(index, clause, "After"));
            }
        }
        if let Some(plan) = self.invariant {
            if let (true, Some(object)) = (plan.after, &plan.object) {
                let outermost = match self.route {
                    Route::Future => quote_spanned!(Span::mixed_site()=> outermost),
                    _ => {
                        let running = running();
                        quote!(#running.outermost())
                    }
                };
                let (checker, during) = (&plan.checker, during(self.name, "After"));
                checks.extend(quote!(if #outermost { #checker(#object, #during); }));
            }
            checks.extend(plan.result_checks.clone());
        }
        checks.extend(self.watch_checks());
        checks
    }

    fn captures(&self, active: &TokenStream) -> TokenStream {
        let unique = matches!(self.self_kind, Some(SelfKind::Unique));
        let standard = self.standard();
        let captures = self.olds.captured.iter().map(|old| {
            let value = old::capture(old, &self.parameters, unique);
            let (ident, cfg) = (&old.ident, gate::any(old.gates.iter().copied()));
            let value = match plain_calls::is_query(&old.expr, &standard) {
                true => quote!(::core::option::Option::Some(#value)),
                false => self.capture(old, &value),
            };
            quote! {
                #[cfg(#cfg)]
                #[allow(unused_parens, clippy::all, clippy::pedantic)]
                let #ident = if #active {
                    #value
                } else {
                    ::core::option::Option::None
                };
            }
        });
        captures.collect()
    }

    /// A value for `old(..)` whose evaluation may panic: that is the clause's fault, and
    /// neither the caller's nor the body's. Where the clause is not due there is none.
    fn capture(&self, old: &old::Old, value: &TokenStream) -> TokenStream {
        let runtime = runtime();
        let mentions = |clause: &&Clause| {
            let mentioned = self.olds.mentioned(clause.condition.expr());
            clause.kind == Kind::Ensures && mentioned.iter().any(|other| other.ident == old.ident)
        };
        let index = self.clauses.iter().position(|clause| mentions(&clause)).unwrap_or(0);
        let undefined = self.undefined(index, Kind::Ensures, old.span, "Before");
        quote_spanned! {Span::mixed_site()=>
            match #runtime::capture(|| #value) {
                ::core::result::Result::Ok(value) => ::core::option::Option::Some(value),
                ::core::result::Result::Err(payload) => { #undefined ::core::option::Option::None }
            }
        }
    }

    /// What a pure function was given by reference.
    fn watched(&self) -> Vec<TokenStream> {
        let own = match self.self_kind {
            Some(SelfKind::Shared) => Some(quote!(&*self)),
            _ => None,
        };
        let shared = self.parameters.iter().filter(|parameter| parameter.shared_reference);
        let shared = shared.map(|parameter| {
            let ident = &parameter.ident;
            quote!(&*#ident)
        });
        if self.watch { own.into_iter().chain(shared).collect() } else { Vec::new() }
    }

    fn watches(&self) -> TokenStream {
        let runtime = runtime();
        let watches = self.watched().into_iter().enumerate().map(|(number, value)| {
            let ident = watch_name(number);
            quote_spanned! {Span::mixed_site()=>
                let #ident = if due {
                    use #runtime::{ByDebug as _, ByEquality as _, ByNothing as _};
                    ::core::option::Option::Some((&&&#runtime::Watch(#value)).snapshot())
                } else {
                    ::core::option::Option::None
                };
            }
        });
        watches.collect()
    }

    fn watch_checks(&self) -> TokenStream {
        let runtime = runtime();
        let index = self.clauses.len();
        let span = self.item.sig.ident.span();
        let checks = self.watched().into_iter().enumerate().map(|(number, value)| {
            let ident = watch_name(number);
            let text = value.to_string().replace(['&', '*', ' '], "") + " is unchanged";
            let clause = static_entry("Pure", index, self.name, &text, "", span);
            let during = during(self.name, "After");
            let explain = explanation_closure(&TokenStream::new(), &quote!(false));
            quote_spanned! {Span::mixed_site()=>
                if let ::core::option::Option::Some(before) = &#ident {
                    use #runtime::{ByDebug as _, ByEquality as _, ByNothing as _};
                    static PURE: #runtime::StaticClause = #clause;
                    if !#runtime::holds(&PURE, || (&&&#runtime::Watch(#value)).same(before))
                        && #runtime::raises(&PURE)
                    {
                        (|| -> ! { #runtime::violated(&PURE, #during, #explain) })();
                    }
                }
            }
        });
        let checks: TokenStream = checks.collect();
        quote!(#[allow(clippy::all, clippy::pedantic)] { #checks })
    }

    fn post_needs_parameters(&self) -> bool {
        if self.invariant.is_some_and(|plan| plan.after) {
            return true;
        }
        let own = self.self_kind.map(|_| "self".to_owned());
        let names = self.parameters.iter().map(|parameter| parameter.ident.to_string());
        let names: Vec<String> = names.chain(own).collect();
        let ensures = self.clauses.iter().filter(|clause| clause.kind != Kind::Requires);
        ensures.into_iter().any(|clause| {
            let expr = self.olds.lower(clause.condition.expr());
            names.iter().any(|name| names::mention(&expr, name).is_some())
        })
    }
}

/// The name of the result: the user's own `ret` where a clause mentions it.
fn result_name(clauses: &[Clause], parameters: &[Parameter]) -> syn::Result<Ident> {
    let hidden = parameters.iter().any(|parameter| parameter.ident == "ret");
    let mut mentions =
        clauses.iter().filter(|clause| clause.kind == Kind::Ensures).filter_map(|clause| {
            match &clause.condition {
                Condition::Plain(expr) => names::mention(expr, "ret"),
                Condition::OfResult(_) => None,
            }
        });
    match mentions.next() {
        Some(span) if hidden => Err(syn::Error::new(
            span,
            "a parameter is called `ret` too: rename it, or write `|result| ..`",
        )),
        Some(span) => Ok(Ident::new("ret", span)),
        None => Ok(Ident::new("__testsmith_ret", Span::mixed_site())),
    }
}

fn has_attribute(attributes: &[Attribute], names: &[&str]) -> bool {
    attributes.iter().any(|attribute| names.iter().any(|name| attribute.path().is_ident(name)))
}

pub(super) fn running() -> Ident {
    Ident::new("running", Span::mixed_site())
}

fn watch_name(number: usize) -> Ident {
    format_ident!("watch_{}", number, span = Span::mixed_site())
}
