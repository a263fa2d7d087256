//! The attributes and derives of testsmith.
//!
//! Each capability has a module of its own; this file holds only the entry
//! points that the compiler requires at the crate root.
#![forbid(unsafe_code)]

mod korat;

use proc_macro::TokenStream;

/// Makes a type enumerable: see the `korat` chapter of the docs.
#[proc_macro_derive(Korat, attributes(korat))]
pub fn derive_korat(input: TokenStream) -> TokenStream {
    korat::derive(input.into()).into()
}

/// Compiles an `impl` block a second time for the twin of its type, so that
/// the structure search can run it.
#[proc_macro_attribute]
pub fn korat(arguments: TokenStream, item: TokenStream) -> TokenStream {
    korat::twin_impl(arguments.into(), item.into()).into()
}

/// Runs a function on every valid input within a scope, under `cargo test`.
#[proc_macro_attribute]
pub fn korat_test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    korat::test(arguments.into(), item.into()).into()
}
