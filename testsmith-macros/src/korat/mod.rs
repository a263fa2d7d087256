//! The macros of the structure search.
//!
//! `derive` writes the twin type, `twin_impl` compiles methods for it, `calls`
//! lists public ones, `test` wraps a test function. None of them knows about
//! searching.

mod abilities;
mod attributes;
mod bounds;
mod calls;
mod checkpoints;
mod derive;
mod necessary;
mod parts;
mod patterns;
mod predicate;
mod purity;
mod rewrite;
mod split;
mod test;
mod twin_impl;
mod types;

pub use derive::derive;
pub use test::test;
pub use twin_impl::twin_impl;

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

/// The name of the twin of a type.
fn twin_name(name: &Ident) -> Ident {
    let mut twin = format_ident!("{name}Twin");
    twin.set_span(name.span());
    twin
}

/// No lint looks at what is made from the user's code a second time. Lints that
/// people forbid are not named: to allow those would be an error.
fn quiet() -> TokenStream {
    quote::quote! {
        #[allow(
            warnings, unused, nonstandard_style, missing_debug_implementations,
            missing_copy_implementations, unreachable_pub, unnameable_types, unused_qualifications,
            clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction
        )]
    }
}

/// The tokens, or the errors as compile errors.
fn tokens_or_errors(result: syn::Result<TokenStream>) -> TokenStream {
    result.unwrap_or_else(|error| error.to_compile_error())
}
