//! The attributes and derives of testsmith.
//!
//! Each capability has a module of its own; this file holds only the entry
//! points that the compiler requires at the crate root.
#![forbid(unsafe_code)]

mod contracts;
#[cfg(test)]
mod expansions;
mod fake;
mod korat;
mod oracle;
mod put;

use proc_macro::TokenStream;

/// Entry points that differ only in the name by which the attribute is known.
macro_rules! contract_attributes {
    ($($(#[$documentation:meta])* $name:ident)*) => {$(
        $(#[$documentation])*
        #[proc_macro_attribute]
        pub fn $name(arguments: TokenStream, item: TokenStream) -> TokenStream {
            contracts::attribute(stringify!($name), arguments.into(), item.into()).into()
        }
    )*};
}

contract_attributes! {
    /// A precondition: what the caller must see to.
    ///
    /// `#[requires(condition, "message")]`; several conditions may be given,
    /// separated by commas, and the attribute may be repeated.
    requires
    /// [`macro@requires`], checked with debug assertions only.
    debug_requires
    /// [`macro@requires`], checked under `cfg(test)` only.
    test_requires
    /// A postcondition: what the function promises when it returns.
    ///
    /// The result is `ret`, or the parameter of a closure, which then has it by
    /// reference: `#[ensures(ret > 0)]`, `#[ensures(|r| *r > 0)]`. `old(e)` is the
    /// value `e` had before the call; `unchanged(e)` is short for `e == old(e)`.
    ensures
    /// [`macro@ensures`], checked with debug assertions only.
    debug_ensures
    /// [`macro@ensures`], checked under `cfg(test)` only.
    test_ensures
    /// What always holds between calls.
    ///
    /// On an `impl` block with a condition: checked after constructors, before
    /// and after public methods that take `&mut self`, and before those that
    /// take `self`. On a `struct` or `enum`: declares the condition once, and
    /// every `impl` block marked `#[invariant]`, without a condition, checks it.
    /// On a function: a precondition and a postcondition in one.
    invariant
    /// [`macro@invariant`], checked with debug assertions only.
    debug_invariant
    /// [`macro@invariant`], checked under `cfg(test)` only.
    test_invariant
    /// Leaves one method of an `#[invariant]` block unchecked.
    skip_invariant
    /// A query: it looks and changes nothing.
    ///
    /// `&mut` parameters are refused. At run time sampled calls compare what the
    /// function was given before and after, unless `#[pure(unchecked)]` is said,
    /// for instance because of a cache.
    pure
    /// A function for specifications only, compiled only where contracts are.
    model
    /// Several clauses in one attribute: `#[contract(requires(..), ensures(..))]`.
    contract
    /// On a trait and on each of its `impl` blocks: the contracts written on the
    /// methods of the trait hold for every implementation.
    contract_trait
}

/// Marks a function of the test code as an oracle: it says whether a value, or
/// a pair of values, is right, and `cargo testsmith` asks it about all it makes.
///
/// `pub fn name(value: &T) -> bool`, or `(&T, &T)`, or with the verdict as a
/// `Result<(), E>` whose error says why not. The function is left as it is.
#[proc_macro_attribute]
pub fn oracle(arguments: TokenStream, item: TokenStream) -> TokenStream {
    oracle::attribute(arguments.into(), item.into()).into()
}

/// What holds in every round of a loop: `loop_invariant!(condition, "message")`
/// where the round begins.
#[proc_macro]
pub fn loop_invariant(arguments: TokenStream) -> TokenStream {
    contracts::loop_invariant(arguments.into()).into()
}

/// Turns a function with parameters into a test for all inputs.
///
/// See the chapter on puts and the module `testsmith::put`.
#[proc_macro_attribute]
pub fn put(arguments: TokenStream, item: TokenStream) -> TokenStream {
    // The file is asked of the attribute itself: the items made from it have no place.
    let file = proc_macro::Span::call_site().file();
    put::attribute(arguments.into(), item.into(), &file)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Decodes values of a type from bytes, field by field.
#[proc_macro_derive(Input, attributes(input))]
pub fn input(item: TokenStream) -> TokenStream {
    put::derive_input(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

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

/// On a trait, above `#[contract_trait]`: makes a type `Fake<Trait>` that implements it by
/// nothing but the contracts. See the chapter on fakes.
#[proc_macro_attribute]
pub fn fake(arguments: TokenStream, item: TokenStream) -> TokenStream {
    fake::attribute(arguments.into(), item.into()).into()
}

/// For `#[fake]` alone: hands the definition of a supertrait on.
#[doc(hidden)]
#[proc_macro]
pub fn __fake_with(state: TokenStream) -> TokenStream {
    fake::with(state.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes an enum a value that fakes can be given and can answer.
#[proc_macro_derive(FakeValue)]
pub fn derive_fake_value(input: TokenStream) -> TokenStream {
    fake::derive(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
