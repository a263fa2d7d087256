//! Functions that take a word: who may do what since their failure is the
//! predicate's.
//!
//! ```ignore
//! fn ordered(&self) -> bool { .. }
//! ```
//! becomes
//! ```ignore
//! fn __korat_ordered<const __REPEATS: bool>(&self, __must: Must<__REPEATS>) -> bool { .. }
//!
//! fn ordered(&self) -> bool {
//!     let __word = take_must(ORDERED);
//!     if __word.repeats() { .. } else { .. }
//! }
//! ```
//! The first has the body with checkpoints, and without them when `__REPEATS`
//! is false. The second has the old name and looks whether a word was left for
//! it. Nothing can be added to the functions of a trait, and code that the
//! macro has not seen may call them; they take no word.

use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, FnArg, ImplItem, ImplItemFn, ItemImpl, parse_quote};

use super::checkpoints::{failure, with_checkpoints};
use super::necessary::{with_word, word_for};

/// Splits the functions of a block that have any use for a word, and lets the
/// others take away what was not meant for them.
pub fn split(block: &mut ItemImpl) {
    let mut failures = HashMap::new();
    for item in &block.items {
        if let ImplItem::Fn(function) = item
            && let Some(failure) = failure(function)
            && block.trait_.is_none()
        {
            failures.insert(function.sig.ident.to_string(), failure);
        }
    }
    // Who calls only functions without use for a word has no use for it.
    let mut worded: HashSet<String> = failures.keys().cloned().collect();
    let mut bodies = loop {
        let bodies = with_checkpoints(&block.items, &failures, &worded);
        if bodies.len() == worded.len() {
            break bodies;
        }
        worded.retain(|name| bodies.contains_key(name));
    };
    let mut looking = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        if let Some(body) = bodies.remove(&function.sig.ident.to_string()) {
            function.block = body;
            looking.push(ImplItem::Fn(take_word(function)));
        } else {
            let forget = parse_quote!(::testsmith::korat::twin::forget_must(););
            function.block.stmts.insert(0, forget);
        }
    }
    block.items.extend(looking);
}

/// Makes a function one that takes the word; returns the one that looks for it.
fn take_word(function: &mut ImplItemFn) -> ImplItemFn {
    let mut looking = function.clone();
    let must = quote!(::testsmith::korat::twin::Must<__REPEATS>);
    function.sig.inputs.push(parse_quote!(__must: #must));
    function.sig.generics.params.push(parse_quote!(const __REPEATS: bool));
    function.sig.ident = with_word(&function.sig.ident);
    let mut arguments: Vec<Expr> = Vec::new();
    for (at, input) in looking.sig.inputs.iter_mut().enumerate() {
        match input {
            FnArg::Receiver(_) => arguments.push(parse_quote!(self)),
            FnArg::Typed(typed) => {
                let name = format_ident!("__argument{at}");
                *typed.pat = parse_quote!(#name);
                arguments.push(parse_quote!(#name));
            }
        }
    }
    let generics = looking.sig.generics.params.iter().filter_map(|parameter| match parameter {
        syn::GenericParam::Type(ty) => Some(&ty.ident),
        syn::GenericParam::Const(constant) => Some(&constant.ident),
        syn::GenericParam::Lifetime(_) => None,
    });
    let generics: Vec<_> = generics.collect();
    let (inner, name) = (&function.sig.ident, word_for(&looking.sig.ident.to_string()));
    let call = |repeats: bool, word: TokenStream| {
        let call = quote!(Self::#inner::<#(#generics,)* #repeats>(#(#arguments,)* #word));
        match function.sig.unsafety {
            // Whoever calls the one calls the other.
            Some(_) => quote!(unsafe { #call }),
            None => call,
        }
    };
    let (again, once) = (call(true, quote!(__word.again())), call(false, quote!(__word.once())));
    looking.block = parse_quote!({
        let __word = ::testsmith::korat::twin::take_must(#name);
        if __word.repeats() { #again } else { #once }
    });
    looking
}
