//! Contracts on traits.
//!
//! ```text
//! #[contract_trait] trait Pile { #[requires(n > 0)] fn take(&mut self, n: usize); }
//! ```
//! becomes a trait whose `take` is a provided method that checks and then calls
//! `__write_contract_trait_above_this_impl_for_take`, which implementations must
//! provide. The same attribute on an implementation renames its methods
//! accordingly. An implementation without the attribute does not compile,
//! because the renamed method is missing, and the compiler says its name at the
//! implementation: no implementation can escape the contract unnoticed.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Block, FnArg, GenericParam, Ident, ImplItem, ImplItemFn, Item, ItemFn};
use syn::{ItemImpl, Meta};
use syn::{ItemTrait, Pat, Signature, TraitItem, TraitItemFn, Visibility, parse_quote};

use super::clause::Clause;
use super::function::{self, Host, Setting};
use super::gate::Gate;
use super::gather::Contract;
use super::restrictions::Neighbours;
use super::{names, precheck, record};

pub fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    if !arguments.is_empty() {
        return Err(syn::Error::new_spanned(arguments, "`#[contract_trait]` takes no arguments"));
    }
    match syn::parse2::<Item>(item)? {
        Item::Trait(definition) => on_trait(definition),
        Item::Impl(block) if block.trait_.is_some() => on_impl(block),
        other => {
            let error = "`#[contract_trait]` belongs on a trait or on an implementation of one";
            Err(syn::Error::new_spanned(other, error))
        }
    }
}

fn on_trait(mut definition: ItemTrait) -> syn::Result<TokenStream> {
    let mut methods = Vec::new();
    let mut neighbours = Neighbours::default();
    for item in std::mem::take(&mut definition.items) {
        let TraitItem::Fn(mut method) = item else {
            definition.items.push(item);
            continue;
        };
        let mut contract = Contract::default();
        contract.take(&mut method.attrs)?;
        neighbours.add(&method.sig, contract.pure.is_some() || contract.model);
        methods.push((method, contract));
    }
    let mut records = TokenStream::new();
    for (method, contract) in methods {
        let name = method.sig.ident.unraw().to_string();
        let precheck =
            precheck::write(&method.sig, &name, &contract.clauses, &Visibility::Inherited);
        let qualified = format!("{}::{name}", definition.ident);
        let subject = record::RecordedItem {
            item: "trait-fn",
            name: &qualified,
            pure: contract.pure.is_some(),
            model: contract.model,
            precheck: precheck.as_ref().map(|precheck| precheck.name.to_string()),
            conditions: function::conditions(&method.attrs),
        };
        if !matches!(definition.vis, Visibility::Inherited) {
            records.extend(record::constant(&subject, &contract.clauses, &definition.vis));
        }
        definition.items.push(TraitItem::Fn(hidden(&method, &contract)));
        let wrapper = wrapper(&method)?;
        let setting = Setting { host: Host::Trait, name, neighbours: &neighbours, invariant: None };
        let expanded = function::expand(wrapper, contract, setting)?;
        definition.items.push(TraitItem::Verbatim(expanded.function));
        if let Some(precheck) = precheck {
            let (conditions, function) = (&subject.conditions, precheck.function);
            definition.items.push(TraitItem::Verbatim(quote!(#(#conditions)* #function)));
        }
    }
    Ok(quote!(#definition #records))
}

/// The method that implementations write.
fn hidden(method: &TraitItemFn, contract: &Contract) -> TraitItemFn {
    let mut hidden = method.clone();
    hidden.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    hidden.attrs.push(parse_quote!(#[doc(hidden)]));
    hidden.sig.ident = hidden_name(&method.sig.ident);
    if method.default.is_some() {
        melt(&mut hidden.attrs);
        for input in &mut hidden.sig.inputs {
            keep_used(input, &contract.clauses);
        }
    }
    hidden
}

/// A provided body whose parameter only a clause looks at: the clause is in the wrapper.
fn keep_used(input: &mut FnArg, clauses: &[Clause]) {
    let FnArg::Typed(typed) = input else { return };
    let names: Vec<Ident> = names::bound(&typed.pat).into_iter().map(|bound| bound.ident).collect();
    let mentioned = |clause: &Clause| {
        names
            .iter()
            .any(|name| names::mention(clause.condition.expr(), &name.to_string()).is_some())
    };
    if clauses.iter().any(mentioned) {
        typed.attrs.push(parse_quote!(#[allow(unused_variables)]));
    }
}

/// Where nothing is checked, the body becomes one with the wrapper, so that a call costs
/// no jump more than without contracts, through a trait object too.
fn melt(attributes: &mut Vec<Attribute>) {
    let refuses = |attribute: &Attribute| {
        let kept_apart = ["target_feature", "naked"];
        kept_apart.iter().any(|name| attribute.path().is_ident(name))
            || (is_inline(attribute) && !matches!(attribute.meta, Meta::Path(_)))
    };
    if attributes.iter().any(refuses) {
        return;
    }
    let cfg = Gate::DEFAULT.cfg();
    if let Some(hint) = attributes.iter_mut().find(|attribute| is_inline(attribute)) {
        *hint = parse_quote!(#[cfg_attr(#cfg, inline)]);
    }
    attributes.push(parse_quote!(#[cfg_attr(not(#cfg), inline(always))]));
    attributes.push(parse_quote!(#[allow(clippy::inline_always)]));
}

fn is_inline(attribute: &Attribute) -> bool {
    attribute.path().is_ident("inline")
}

/// What the compiler says is missing where an implementation lacks the attribute.
fn hidden_name(name: &Ident) -> Ident {
    format_ident!("__write_contract_trait_above_this_impl_for_{}", name)
}

/// The method that everyone calls: it forwards to the hidden one.
fn wrapper(method: &TraitItemFn) -> syn::Result<ItemFn> {
    let mut attrs = method.attrs.clone();
    if !attrs.iter().any(|attribute| attribute.path().is_ident("inline")) {
        attrs.push(parse_quote!(#[inline]));
    }
    if method.sig.unsafety.is_some() {
        // The caller vouches for the call; the wrapper adds no promise of its own.
        attrs.push(parse_quote!(#[allow(unsafe_op_in_unsafe_fn)]));
    }
    // A name says that the method does not look at the parameter, which is passed on.
    attrs.push(parse_quote!(#[allow(clippy::used_underscore_binding)]));
    let hidden = hidden_name(&method.sig.ident);
    let mut arguments: Vec<TokenStream> = Vec::new();
    let mut sig = method.sig.clone();
    for input in &mut sig.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                if receiver.reference.is_none() {
                    receiver.mutability = None;
                }
                arguments.push(quote!(self));
            }
            FnArg::Typed(typed) => match &mut *typed.pat {
                Pat::Ident(pattern) => {
                    pattern.mutability = None;
                    arguments.push(pattern.ident.to_token_stream());
                }
                other => {
                    let error = "give this parameter a name: the contract has to pass it on";
                    return Err(syn::Error::new_spanned(other, error));
                }
            },
        }
    }
    let turbofish = turbofish(&method.sig);
    let wait = method.sig.asyncness.map(|_| quote!(.await));
    let block: Block = parse_quote!({ Self::#hidden #turbofish (#(#arguments),*) #wait });
    Ok(ItemFn { attrs, vis: Visibility::Inherited, sig, block: Box::new(block) })
}

/// Type and constant parameters are passed on by name; lifetimes are inferred.
fn turbofish(signature: &Signature) -> TokenStream {
    let names: Vec<&Ident> = signature
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(ty) => Some(&ty.ident),
            GenericParam::Const(constant) => Some(&constant.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    if names.is_empty() { TokenStream::new() } else { quote!(::<#(#names),*>) }
}

/// Takes the methods out of a block, each with its contract, and notes which of
/// them a clause may call.
pub(super) fn take_methods(
    block: &mut ItemImpl,
) -> syn::Result<(Vec<(ImplItemFn, Contract)>, Neighbours)> {
    let mut methods = Vec::new();
    let mut neighbours = Neighbours::default();
    for item in std::mem::take(&mut block.items) {
        let ImplItem::Fn(mut method) = item else {
            block.items.push(item);
            continue;
        };
        let mut contract = Contract::default();
        contract.take(&mut method.attrs)?;
        neighbours.add(&method.sig, contract.pure.is_some() || contract.model);
        methods.push((method, contract));
    }
    Ok((methods, neighbours))
}

fn on_impl(mut block: ItemImpl) -> syn::Result<TokenStream> {
    let (methods, neighbours) = take_methods(&mut block)?;
    let mut records = TokenStream::new();
    for (method, contract) in methods {
        let ImplItemFn { mut attrs, vis, mut sig, block: body, .. } = method;
        let name = sig.ident.unraw().to_string();
        let conditions = function::conditions(&attrs);
        records.extend(record::of_implementation(&block, &name, &contract, conditions));
        melt(&mut attrs);
        let span = sig.ident.span();
        sig.ident = hidden_name(&sig.ident);
        sig.ident.set_span(span.resolved_at(Span::call_site()));
        let item = ItemFn { attrs, vis, sig, block: Box::new(body) };
        let setting =
            Setting { host: Host::TraitImpl, name, neighbours: &neighbours, invariant: None };
        block.items.push(ImplItem::Verbatim(function::expand(item, contract, setting)?.function));
    }
    Ok(quote!(#block #records))
}
