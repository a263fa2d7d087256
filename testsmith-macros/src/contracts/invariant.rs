//! Invariants of types.
//!
//! A condition on a `struct` or `enum` becomes one hidden method of the type;
//! `impl` blocks marked `#[invariant]` call it. A condition on an `impl` block
//! belongs to that block alone: a hidden method beside it, or, in an
//! implementation of a trait, a closure inside each method.
//!
//! Checked after constructors (any public function whose result holds `Self`),
//! before and after public methods that take `&mut self`, before those that take
//! `self`. Not afterwards where the result still borrows the object: the
//! compiler would not allow it, and the next call checks it before it starts.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Generics, Ident, ImplItem, ImplItemFn, Item, ItemEnum, ItemFn, ItemImpl, ItemStruct};
use syn::{Lifetime, ReturnType, Signature, Type, Visibility};

use super::clause::{self, Clause, Kind};
use super::explain::Explainer;
use super::function::{self, Host, InvariantPlan, Setting};
use super::gate::Gate;
use super::gather::Contract;
use super::names::{self, SelfKind};
use super::old::Olds;
use super::restrictions::{self, Neighbours};
use super::site;
use super::{plain_calls, record, runtime, runtime_at, text, traits};

/// The hidden method that a condition on the type itself becomes.
const DECLARED: &str = "__testsmith_invariant";
/// The hidden method that answers instead of panicking: `derive(Input)` filters by it.
const UPHELD: &str = "__testsmith_upheld";

/// A type definition with what is needed to add an `impl` block to it.
pub struct Declared {
    item: Item,
    ident: Ident,
    generics: Generics,
}

impl Declared {
    pub fn of_struct(item: ItemStruct) -> Declared {
        let (ident, generics) = (item.ident.clone(), item.generics.clone());
        Declared { item: Item::Struct(item), ident, generics }
    }

    pub fn of_enum(item: ItemEnum) -> Declared {
        let (ident, generics) = (item.ident.clone(), item.generics.clone());
        Declared { item: Item::Enum(item), ident, generics }
    }

    /// Takes the other invariants written on the type.
    fn take(&mut self, contract: &mut Contract) -> syn::Result<()> {
        match &mut self.item {
            Item::Struct(item) => contract.take(&mut item.attrs),
            Item::Enum(item) => contract.take(&mut item.attrs),
            _ => Ok(()),
        }
    }
}

pub fn on_type(
    gate: Gate,
    arguments: TokenStream,
    mut declared: Declared,
) -> syn::Result<TokenStream> {
    let mut contract = Contract {
        clauses: clause::parse(Kind::Invariant, gate, arguments)?,
        ..Contract::default()
    };
    declared.take(&mut contract)?;
    for clause in &contract.clauses {
        restrictions::check(clause, &Neighbours::default())?;
    }
    let (item, ident) = (&declared.item, &declared.ident);
    let (generics, parameters, bounds) = declared.generics.split_for_impl();
    let method = method(&Ident::new(DECLARED, Span::call_site()), &contract.clauses);
    let upheld = upheld(&Ident::new(UPHELD, Span::call_site()), &contract.clauses);
    let name = ident.to_string();
    let constant = constant("type", &name, &contract.clauses, &syn::parse_quote!(pub));
    Ok(quote! {
        #item
        #[doc(hidden)]
        impl #generics #ident #parameters #bounds {
            #constant
            #method
            #upheld
        }
    })
}

/// The check of a loop invariant, where it stands.
pub fn of_loop(arguments: TokenStream) -> syn::Result<TokenStream> {
    let clauses = clause::parse(Kind::Loop, Gate::DEFAULT, arguments)?;
    for clause in &clauses {
        restrictions::check(clause, &Neighbours::default())?;
    }
    let runtime = runtime();
    let checks = all_checks(&clauses);
    let cfg = Gate::DEFAULT.cfg();
    // What only the loop's invariant looks at is used, also where nothing is checked.
    let variables = names::variables(clauses.iter().map(|clause| clause.condition.expr()));
    let used = (!variables.is_empty())
        .then(|| quote!(#[cfg(not(#cfg))] if false { #(let _ = &#variables;)* }));
    Ok(quote! {
        {
            #[cfg(#cfg)]
            {
                let during = #runtime::within(|| ());
                #checks
            }
            #used
        }
    })
}

fn constant(item: &str, name: &str, clauses: &[Clause], visibility: &Visibility) -> TokenStream {
    let subject = record::RecordedItem {
        item,
        name,
        pure: false,
        model: false,
        precheck: None,
        conditions: Vec::new(),
    };
    record::constant(&subject, clauses, visibility)
}

/// The hidden method that evaluates every clause on `self`. Where checks are
/// off it does nothing, so that callers need not know.
fn method(name: &Ident, clauses: &[Clause]) -> TokenStream {
    let runtime = runtime();
    let checks = all_checks(clauses);
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, unused_variables, clippy::all, clippy::pedantic)]
        #[inline]
        pub fn #name(&self, during: #runtime::During) { #checks }
    }
}

/// The hidden method that says whether every clause that is checked holds.
fn upheld(name: &Ident, clauses: &[Clause]) -> TokenStream {
    let checks = clauses.iter().map(|clause| {
        let (expr, cfg) = (clause.condition.expr(), clause.gate.cfg());
        quote!(#[cfg(#cfg)] if !(|| -> bool { #expr })() { return false; })
    });
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, unused_parens, unused_braces, clippy::all, clippy::pedantic)]
        pub fn #name(&self) -> bool { #(#checks)* true }
    }
}

/// A name for the answer of an `impl` block. A type may have several such blocks, which
/// cannot know of each other but by being expanded one after the other.
fn upheld_by_block(self_ty: &Type) -> Ident {
    static BLOCKS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
    let mut blocks = BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    let count = blocks.entry(type_name(self_ty)).or_default();
    *count += 1;
    format_ident!("{UPHELD}_{count}")
}

/// The names that blocks of a type may have given to their answers.
pub fn upheld_names() -> impl Iterator<Item = Ident> {
    /// No type has more blocks with an invariant of their own.
    const MOST_BLOCKS: usize = 8;
    let of_blocks = (1..=MOST_BLOCKS).map(|number| format_ident!("{UPHELD}_{number}"));
    std::iter::once(format_ident!("{UPHELD}")).chain(of_blocks)
}

/// The checks of all clauses, where `during` is in scope.
fn all_checks(clauses: &[Clause]) -> TokenStream {
    let runtime = runtime();
    let olds = Olds::default();
    let checks = clauses.iter().enumerate().map(|(index, clause)| {
        let clause_site = site::static_clause(clause, index, "");
        let expr = clause.condition.expr();
        let explainer = Explainer { olds: &olds, locals: Vec::new(), result: TokenStream::new() };
        let own = Ident::new("self", Span::call_site());
        let note_self = quote_spanned! {Span::mixed_site()=>
            notes.value("self", (&#runtime::Show(#own)).text());
        };
        let explanation = explainer.clause(clause);
        let explain = match clause.kind {
            // Its `self` is a reference, which may be copied.
            Kind::Invariant => {
                let note_self = explanation_is_short(expr).then_some(note_self);
                site::explanation_closure(&quote!(move), &quote!(#note_self #explanation))
            }
            _ => site::explanation_closure(&TokenStream::new(), &explanation),
        };
        let cfg = clause.gate.cfg();
        let located = runtime_at(clause.span);
        let (broken, due) = match clause.kind {
            Kind::Invariant => {
                let broken = quote_spanned! {clause.span=>
                    #located::broken_for(&CLAUSE, during, #runtime::Object::of(#own), #explain)
                };
                (quote!((move || { #broken })()), quote!(during.is_due(#own)))
            }
            _ => {
                let violated =
                    quote_spanned!(clause.span=> #located::violated(&CLAUSE, during, #explain));
                let raises = quote!(#runtime::raises(&CLAUSE));
                (quote!(if #raises { (move || -> ! { #violated })(); }), quote!(true))
            }
        };
        let undefined =
            quote_spanned! {clause.span=> #located::undefined(&CLAUSE, during, #due, payload) };
        let check = if plain_calls::is_total(expr, &[]) {
            quote!(if !#runtime::holds(&CLAUSE, || -> bool { #expr }) { #broken })
        } else {
            quote! {
                match #runtime::attempt(&CLAUSE, || -> bool { #expr }) {
                    ::core::result::Result::Ok(true) => {}
                    ::core::result::Result::Ok(false) => { #broken }
                    ::core::result::Result::Err(payload) => (|| { #undefined })(),
                }
            }
        };
        quote! {
            #[cfg(#cfg)]
            #[allow(unused_parens, unused_braces, unreachable_code, clippy::all, clippy::pedantic)]
            {
                static CLAUSE: #runtime::StaticClause = #clause_site;
                #check
            }
        }
    });
    checks.collect()
}

/// Whether the clause names no field of its own, so that the whole object says
/// more than its parts.
fn explanation_is_short(expr: &syn::Expr) -> bool {
    !expr.to_token_stream().to_string().replace(' ', "").contains("self.")
        || matches!(expr, syn::Expr::MethodCall(_))
}

pub fn on_impl(
    gate: Gate,
    arguments: TokenStream,
    mut block: ItemImpl,
) -> syn::Result<TokenStream> {
    let mut contract = Contract::default();
    if !arguments.is_empty() {
        contract.clauses = clause::parse(Kind::Invariant, gate, arguments)?;
    }
    take_invariants(&mut contract, &mut block)?;
    let clauses = contract.clauses;
    let (methods, neighbours) = traits::take_methods(&mut block)?;
    for clause in &clauses {
        restrictions::check(clause, &neighbours)?;
    }
    let of_trait = block.trait_.is_some();
    let checker = Checker::choose(&clauses, of_trait);
    let mut siblings = TokenStream::new();
    let mut records = TokenStream::new();
    for (method, contract) in methods {
        let plan = plan(&method, &contract, &block, &checker, &clauses, gate)?;
        let ImplItemFn { attrs, vis, sig, block: body, .. } = method;
        let host = if of_trait { Host::TraitImpl } else { Host::Inherent };
        let name = sig.ident.unraw().to_string();
        let conditions = function::conditions(&attrs);
        records.extend(record::of_implementation(&block, &name, &contract, conditions));
        if contract.model {
            // Its body may be gone, and with it what marks the imports as used.
            let uses = function::uses(&contract);
            records.extend(quote!(const _: () = { #uses };));
        }
        let item = ItemFn { attrs, vis, sig, block: Box::new(body) };
        let setting = Setting { host, name, neighbours: &neighbours, invariant: plan };
        let expanded = function::expand(item, contract, setting)?;
        block.items.push(ImplItem::Verbatim(expanded.function));
        siblings.extend(expanded.siblings);
    }
    if let Checker::Method(name) = &checker
        && !clauses.is_empty()
    {
        block.items.push(ImplItem::Verbatim(method(name, &clauses)));
        let upheld = upheld(&upheld_by_block(&block.self_ty), &clauses);
        block.items.push(ImplItem::Verbatim(upheld));
        let visibility = syn::parse_quote!(pub);
        siblings.extend(constant("impl", &type_name(&block.self_ty), &clauses, &visibility));
    }
    if !siblings.is_empty() {
        block.items.push(ImplItem::Verbatim(siblings));
    }
    if of_trait && !clauses.is_empty() {
        let name = type_name(&block.self_ty);
        records.extend(constant("impl", &name, &clauses, &syn::parse_quote!(pub)));
    }
    Ok(quote!(#block #records))
}

/// Takes the other invariants that stand on the same block.
fn take_invariants(contract: &mut Contract, block: &mut ItemImpl) -> syn::Result<()> {
    contract.take(&mut block.attrs)
}

/// How the methods of a block check its invariant.
enum Checker {
    Method(Ident),
    /// In an implementation of a trait there is no room for another method.
    Closure,
}

impl Checker {
    fn choose(clauses: &[Clause], of_trait: bool) -> Checker {
        match clauses.first() {
            None => Checker::Method(Ident::new(DECLARED, Span::call_site())),
            Some(_) if of_trait => Checker::Closure,
            Some(clause) => {
                let (_, line, column) = clause.place();
                Checker::Method(format_ident!("{DECLARED}_{line}_{column}"))
            }
        }
    }
}

fn plan(
    method: &ImplItemFn,
    contract: &Contract,
    block: &ItemImpl,
    checker: &Checker,
    clauses: &[Clause],
    gate: Gate,
) -> syn::Result<Option<InvariantPlan>> {
    let public = block.trait_.is_some() || !matches!(method.vis, Visibility::Inherited);
    if !public || contract.skip_invariant || contract.model {
        return Ok(None);
    }
    let kind = names::receiver(&method.sig).map(names::self_kind);
    let changes = matches!(kind, Some(SelfKind::Unique | SelfKind::Typed { unique: true, .. }));
    let consumes = matches!(kind, Some(SelfKind::Value | SelfKind::Typed { owned: true, .. }));
    let object = match kind {
        Some(SelfKind::Value) => Some(quote!(&self)),
        Some(_) if changes || consumes => Some(quote!(&*self)),
        _ => None,
    };
    let is_drop = method.sig.ident == "drop" && block.trait_.is_some();
    let returns_borrow = borrows_self(&method.sig);
    let holds = Holding { self_ty: &block.self_ty, name: method.sig.ident.unraw().to_string() };
    let constant = method.sig.constness.is_some();
    let (setup, call) =
        if constant { (TokenStream::new(), TokenStream::new()) } else { checker.code(clauses) };
    let results = match &method.sig.output {
        ReturnType::Type(_, ty) => {
            let check = |place: &TokenStream| match constant {
                true => constant_checks(clauses, place, &holds.name),
                false => {
                    let during = site::during(&holds.name, "After");
                    quote!(#call(#place, #during);)
                }
            };
            holds.checks(ty, &result_place(contract), &check)
        }
        ReturnType::Default => None,
    };
    if object.is_none() && results.is_none() {
        return Ok(None);
    }
    if constant && clauses.is_empty() {
        let error = "a `const fn` cannot call the check of the type's invariant: write the condition \
                     on this `impl` block, or mark the function `#[skip_invariant]`";
        return Err(syn::Error::new(method.sig.ident.span(), error));
    }
    if constant && object.is_some() {
        let error = "the invariant cannot be checked around a `const` method: mark it \
                     `#[skip_invariant]`";
        return Err(syn::Error::new(method.sig.ident.span(), error));
    }
    Ok(Some(InvariantPlan {
        gate: clauses.first().map_or(gate, |clause| clause.gate),
        setup,
        checker: call,
        before: object.is_some(),
        plain: !clauses.is_empty()
            && !clauses.iter().any(|clause| plain_calls::calls(clause.condition.expr(), &[])),
        total: clauses.iter().all(|clause| plain_calls::is_total(clause.condition.expr(), &[])),
        after: changes && !is_drop && !returns_borrow,
        object,
        result_checks: results,
    }))
}

/// The name under which [`function`] binds the result, before it is bound.
fn result_place(contract: &Contract) -> TokenStream {
    let plain =
        contract.clauses.iter().filter(|clause| clause.kind == Kind::Ensures).find_map(|clause| {
            match &clause.condition {
                clause::Condition::Plain(expr) => names::mention(expr, "ret"),
                clause::Condition::OfResult(_) => None,
            }
        });
    let ident = match plain {
        Some(span) => Ident::new("ret", span),
        None => Ident::new("__testsmith_ret", Span::mixed_site()),
    };
    quote!(#ident)
}

impl Checker {
    /// What must come first, and what to call with `(&Self, During)`.
    fn code(&self, clauses: &[Clause]) -> (TokenStream, TokenStream) {
        let runtime = runtime();
        match self {
            Checker::Method(name) => {
                // Found where the type itself declares nothing, to say so.
                let undeclared = clauses
                    .is_empty()
                    .then(|| quote!(#[allow(unused_imports)] use #runtime::Undeclared as _;));
                (quote!(#undeclared), quote!(Self::#name))
            }
            Checker::Closure => {
                let name = Ident::new("invariant", Span::mixed_site());
                let this = Ident::new("__testsmith_this", Span::mixed_site());
                let checks = renamed(all_checks(clauses), &this);
                let setup = quote! {
                    #[allow(unused_variables)]
                    let #name = |#this: &Self, during: #runtime::During| { #checks };
                };
                (setup, quote!(#name))
            }
        }
    }
}

fn constant_checks(clauses: &[Clause], place: &TokenStream, name: &str) -> TokenStream {
    let this = Ident::new("__testsmith_this", Span::mixed_site());
    let checks = clauses.iter().enumerate().map(|(index, clause)| {
        let condition = renamed(clause.condition.expr().to_token_stream(), &this);
        let message = site::constant_message(clause, index, "after", name);
        let cfg = clause.gate.cfg();
        quote!(#[cfg(#cfg)] if !(#condition) { ::core::panic!("{}", #message); })
    });
    quote!({ let #this: &Self = #place; #(#checks)* })
}

/// The tokens with another word for `self`.
fn renamed(tokens: TokenStream, this: &Ident) -> TokenStream {
    let rename = |token: TokenTree| match token {
        TokenTree::Ident(word) if word == "self" => {
            let mut this = this.clone();
            this.set_span(this.span().located_at(word.span()));
            TokenTree::Ident(this)
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), renamed(group.stream(), this));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    };
    tokens.into_iter().map(rename).collect()
}

/// Finds the objects of the type inside a result.
struct Holding<'a> {
    self_ty: &'a Type,
    name: String,
}

impl Holding<'_> {
    fn is_self(&self, ty: &Type) -> bool {
        let text = ty.to_token_stream().to_string();
        text == "Self" || text == self.self_ty.to_token_stream().to_string()
    }

    /// Statements that check every `Self` that `place` holds.
    fn checks(
        &self,
        ty: &Type,
        place: &TokenStream,
        check: &dyn Fn(&TokenStream) -> TokenStream,
    ) -> Option<TokenStream> {
        if self.is_self(ty) {
            return Some(check(&quote!(&#place)));
        }
        let part = Ident::new("part", Span::mixed_site());
        let deeper = |ty: &Type, place: TokenStream| self.checks(ty, &place, check);
        match ty {
            Type::Reference(reference) => deeper(&reference.elem, quote!((*#place))),
            Type::Paren(paren) => deeper(&paren.elem, place.clone()),
            Type::Array(array) => {
                let inner = deeper(&array.elem, quote!((*#part)))?;
                Some(quote!(for #part in &#place { #inner }))
            }
            Type::Tuple(tuple) => {
                let parts = tuple.elems.iter().enumerate().filter_map(|(index, ty)| {
                    let index = syn::Index::from(index);
                    deeper(ty, quote!(#place.#index))
                });
                let parts: Vec<TokenStream> = parts.collect();
                (!parts.is_empty()).then(|| quote!(#(#parts)*))
            }
            Type::Path(path) => {
                let last = path.path.segments.last()?;
                let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else {
                    return None;
                };
                let syn::GenericArgument::Type(inner) = arguments.args.first()? else {
                    return None;
                };
                match last.ident.to_string().as_str() {
                    "Box" | "Rc" | "Arc" => deeper(inner, quote!((*#place))),
                    "Option" => {
                        let inner = deeper(inner, quote!((*#part)))?;
                        Some(
                            quote!(if let ::core::option::Option::Some(#part) = &#place { #inner }),
                        )
                    }
                    "Result" => {
                        let inner = deeper(inner, quote!((*#part)))?;
                        Some(quote!(if let ::core::result::Result::Ok(#part) = &#place { #inner }))
                    }
                    "Vec" | "VecDeque" => {
                        let inner = deeper(inner, quote!((*#part)))?;
                        Some(quote!(for #part in &#place { #inner }))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether the result may still borrow from `&mut self`, judged by its lifetimes.
fn borrows_self(signature: &Signature) -> bool {
    holds_borrow_of_self(signature, true)
}

/// Whether the result borrows from `self`; with `opaque`, an `impl Trait` counts, which
/// may or may not.
pub fn holds_borrow_of_self(signature: &Signature, opaque: bool) -> bool {
    struct Borrows<'a> {
        own: Option<&'a Lifetime>,
        opaque: bool,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Borrows<'_> {
        fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
            self.found |= reference.lifetime.is_none();
            visit::visit_type_reference(self, reference);
        }

        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            self.found |= lifetime.ident == "_" || Some(lifetime) == self.own;
        }

        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            // It captures every lifetime in scope.
            self.found |= self.opaque;
        }
    }
    let own = names::receiver(signature).and_then(|receiver| receiver.lifetime());
    let mut borrows = Borrows { own, opaque, found: false };
    borrows.visit_return_type(&signature.output);
    borrows.found
}

fn type_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => {
            path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string())
        }
        _ => text::of(ty.to_token_stream()),
    }
}
