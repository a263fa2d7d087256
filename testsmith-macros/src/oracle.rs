//! The mark of an oracle.
//!
//! The tool finds oracles in the source; the compiler only has to let the mark
//! stand on functions and nowhere else. Their signatures are the tool's matter.

use proc_macro2::TokenStream;
use quote::ToTokens;

pub fn attribute(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let refused = |error: syn::Error| {
        let error = error.into_compile_error();
        quote::quote! { #error #item }
    };
    if !arguments.is_empty() {
        return refused(syn::Error::new_spanned(arguments, "an oracle takes no arguments"));
    }
    match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(function) => function.into_token_stream(),
        Err(_) => refused(syn::Error::new_spanned(&item, "an oracle has to be a function")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn a_function_is_left_as_it_is() {
        let function = quote! { pub fn f(a: &A) -> bool { true } };
        assert_eq!(attribute(quote! {}, function.clone()).to_string(), function.to_string());
    }

    #[test]
    fn anything_else_is_refused() {
        let text = attribute(quote! {}, quote! { struct A; }).to_string();
        assert!(text.contains("an oracle has to be a function"), "{text}");
        let text = attribute(quote! { deep }, quote! { fn f() {} }).to_string();
        assert!(text.contains("takes no arguments"), "{text}");
    }
}
