//! Contracts: the attributes that check conditions around functions.
//!
//! The constraint that shapes all of this: an attribute sees one item and no
//! types. So everything is decided from syntax, the user's tokens keep their
//! spans, and whatever the compiler can judge is left to it.
//!
//! The phases: [`gather`] takes all contract attributes of an item, [`clause`]
//! reads them, [`restrictions`] refuses what a condition may not do, [`old`] finds
//! what must be captured, [`function`], [`checks`] and [`broken`] write the checks
//! around the body (which [`body`] wraps, [`pinned`] where `self` is; [`places`], [`plain_calls`] and [`tracking`]
//! tell what it may reach), [`explain`] writes the cold path, [`record`] and
//! [`precheck`] write what tools read. [`invariant`] and [`traits`] do the same
//! for whole blocks.
//!
//! ```text
//! #[requires(n > 0)]
//! #[ensures(ret < old(n))]
//! pub fn f(n: u32) -> u32 { n - 1 }
//! ```
//! becomes, shortened:
//! ```text
//! #[cfg_attr(debug_assertions, track_caller)]
//! pub fn f(n: u32) -> u32 {
//!     #[cfg(debug_assertions)]
//!     {
//!         static CLAUSES: [StaticClause; 2] = [..];
//!         let scope = Scope::begin(!Known(&raw const n).is_plain());
//!         if scope.active() {
//!             if !holds(&CLAUSES[0], || n > 0) { let n = n; broken(&CLAUSES[0], .., &|notes| ..); }
//!         }
//!         let old_0 = if scope.active() { Some(ToOwned::to_owned(&n)) } else { None };
//!         scope.body();
//!         let ret: u32 = run(|| -> u32 { n - 1 });
//!         if scope.active() {
//!             if !holds(&CLAUSES[1], || ret < *captured(&old_0)) { .. }
//!         }
//!         ret
//!     }
//!     #[cfg(not(debug_assertions))]
//!     { n - 1 }
//! }
//! #[doc(hidden)] pub const __TESTSMITH_CONTRACT_f_..: &'static str = "..";
//! #[doc(hidden)] pub fn __testsmith_requires_f(n: &u32) -> Result<(), u32> { .. }
//! ```

mod body;
mod broken;
mod checks;
mod clause;
mod explain;
mod function;
mod gate;
mod gather;
mod invariant;
mod names;
mod old;
mod pinned;
mod places;
mod plain_calls;
mod precheck;
mod record;
mod refuse;
mod restrictions;
mod site;
pub(crate) mod text;
mod tracking;
mod traits;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Item, ItemFn, TraitItemFn};

pub(crate) use clause::Kind;
use function::{Host, Setting};
pub(crate) use gather::Contract;
pub use invariant::upheld_names;
use restrictions::Neighbours;

/// Where the expansions find what they call.
fn runtime() -> TokenStream {
    quote!(::testsmith::contracts::check)
}

/// The same, placed so that a panic raised there is reported at the clause.
fn runtime_at(span: Span) -> TokenStream {
    quote_spanned!(span=> ::testsmith::contracts::check)
}

/// Expands any of the attributes. On an error the item is kept as it was, so
/// that one mistake does not cause a hundred messages.
pub fn attribute(name: &str, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = match name {
        "contract_trait" => traits::expand(arguments, item.clone()),
        _ => on_item(name, arguments, item.clone()),
    };
    expanded.unwrap_or_else(|error| {
        let error = error.into_compile_error();
        let item = without_our_attributes(item);
        quote!(#error #item)
    })
}

/// Expands `loop_invariant!`.
pub fn loop_invariant(arguments: TokenStream) -> TokenStream {
    invariant::of_loop(arguments).unwrap_or_else(syn::Error::into_compile_error)
}

fn on_item(name: &str, arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    if let Ok(function) = syn::parse2::<ItemFn>(item.clone()) {
        return on_function(name, arguments, function);
    }
    if let Ok(method) = syn::parse2::<TraitItemFn>(item.clone()) {
        let error = "a method without a body belongs to a trait: put `#[contract_trait]` on the \
                     trait and on its implementations";
        return Err(syn::Error::new(method.sig.ident.span(), error));
    }
    let kind = gather::clause_kind(name);
    match (syn::parse2::<Item>(item)?, kind) {
        (Item::Impl(block), Some((clause::Kind::Invariant, gate))) => {
            invariant::on_impl(gate, arguments, block)
        }
        (Item::Struct(item), Some((clause::Kind::Invariant, gate))) => {
            invariant::on_type(gate, arguments, invariant::Declared::of_struct(item))
        }
        (Item::Enum(item), Some((clause::Kind::Invariant, gate))) => {
            invariant::on_type(gate, arguments, invariant::Declared::of_enum(item))
        }
        (item, Some((clause::Kind::Invariant, _))) => Err(syn::Error::new_spanned(
            item,
            "an invariant belongs on an `impl` block, a `struct`, an `enum` or a function",
        )),
        (item, _) => Err(syn::Error::new_spanned(
            item,
            format!("`#[{name}]` belongs on a function or method"),
        )),
    }
}

fn on_function(name: &str, arguments: TokenStream, mut item: ItemFn) -> syn::Result<TokenStream> {
    if name == "skip_invariant" {
        let error =
            "`#[skip_invariant]` belongs on a method of an `impl` block marked `#[invariant]`";
        return Err(syn::Error::new(item.sig.ident.span(), error));
    }
    let mut contract = Contract::default();
    contract.add(name, arguments)?;
    contract.take(&mut item.attrs)?;
    let name = item.sig.ident.unraw().to_string();
    let neighbours = Neighbours::default();
    let setting = Setting { host: Host::Unknown, name, neighbours: &neighbours, invariant: None };
    let expanded = function::expand(item, contract, setting)?;
    let (function, siblings) = (expanded.function, expanded.siblings);
    Ok(quote!(#function #siblings))
}

/// The item as it was, so that code which uses it still finds it. Our other
/// attributes go, or each of them would report the same mistake again.
fn without_our_attributes(item: TokenStream) -> TokenStream {
    use quote::ToTokens;
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Fn(mut function)) => {
            let _ = Contract::default().take(&mut function.attrs);
            function.to_token_stream()
        }
        Ok(Item::Impl(mut block)) => {
            for item in &mut block.items {
                if let syn::ImplItem::Fn(method) = item {
                    let _ = Contract::default().take(&mut method.attrs);
                }
            }
            block.to_token_stream()
        }
        Ok(Item::Trait(mut definition)) => {
            for item in &mut definition.items {
                if let syn::TraitItem::Fn(method) = item {
                    let _ = Contract::default().take(&mut method.attrs);
                }
            }
            definition.to_token_stream()
        }
        _ => item,
    }
}
