//! The attributes and derives of testsmith.
//!
//! Each capability has a module of its own; this file holds only the entry
//! points that the compiler requires at the crate root.
#![forbid(unsafe_code)]

mod put;

/// Turns a function with parameters into a test for all inputs.
///
/// See the chapter on puts and the module `testsmith::put`.
#[proc_macro_attribute]
pub fn put(
    arguments: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    // The file is asked of the attribute itself: the items made from it have no place.
    let file = proc_macro::Span::call_site().file();
    put::attribute(arguments.into(), item.into(), &file)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Decodes values of a type from bytes, field by field.
#[proc_macro_derive(Input, attributes(input))]
pub fn input(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    put::derive_input(item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
