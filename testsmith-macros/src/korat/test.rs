//! `#[korat_test]`: a test function run on every valid input of a scope.
//!
//! ```ignore
//! #[korat_test(scope = 6, info = 1..=6)]
//! fn remove_keeps_the_rest(mut tree: SearchTree, info: i32) { .. }
//! ```
//! expands to
//! ```ignore
//! #[test]
//! fn remove_keeps_the_rest() {
//!     fn body(mut tree: SearchTree, info: i32) { .. }
//!     let finitization = Finitization::new(6).field("input.1", 1..=6);
//!     Test { name, parameters: &["tree", "info"], finitization, .. }
//!         .black_box::<(SearchTree, i32)>(|(tree, info)| body(tree, info), calls);
//! }
//! ```
//! where `calls` asks each parameter's type for public calls that build its
//! value, if it lists any.
//!
//! With `white_box` the body is compiled for the twins instead, and its reads
//! prune the search together with those of `rep_ok`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, FnArg, Ident, ItemFn, Pat, Result, Token, Type};

use super::rewrite::Rewriter;
use super::tokens_or_errors;

pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tokens_or_errors(expand(arguments, item))
}

/// One `name = value` or bare `name`.
struct Argument {
    name: Ident,
    value: Option<Expr>,
}

impl syn::parse::Parse for Argument {
    fn parse(input: syn::parse::ParseStream) -> Result<Self> {
        let name = input.parse()?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Argument { name, value })
    }
}

fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let arguments = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(arguments)?;
    let function: ItemFn = syn::parse2(item)?;
    let (names, types) = parameters(&function)?;
    let mut scope: Option<Expr> = None;
    let mut finitization: Option<Expr> = None;
    let mut seconds: Expr = syn::parse_quote!(10);
    let mut white_box = false;
    let mut domains = TokenStream::new();
    for Argument { name, value } in arguments {
        let at = names.iter().position(|parameter| *parameter == name);
        match (name.to_string().as_str(), value, at) {
            (_, Some(value), Some(at)) => {
                let path = format!("input.{at}");
                domains.extend(quote!(let finitization = finitization.field(#path, #value);));
            }
            ("scope", Some(value), _) => scope = Some(value),
            ("finitization", Some(value), _) => finitization = Some(value),
            ("timeout_seconds", Some(value), _) => seconds = value,
            ("white_box", None, _) => white_box = true,
            _ => {
                return Err(syn::Error::new(
                    name.span(),
                    "expected `scope = ..`, `finitization = ..`, `timeout_seconds = ..`, \
                     `white_box`, or a parameter and its values",
                ));
            }
        }
    }
    let finitization = match (finitization, scope) {
        (Some(expr), _) => quote!(#expr),
        (None, Some(scope)) => quote!(::testsmith::korat::Finitization::new(#scope)),
        (None, None) => {
            let text = "say how large inputs may be: `#[korat_test(scope = 4)]`";
            return Err(syn::Error::new(function.sig.ident.span(), text));
        }
    };
    let name = &function.sig.ident;
    let attributes = &function.attrs;
    let texts: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let at = (0..names.len()).map(syn::Index::from);
    let call = if white_box {
        white(&function, &names, &types)?
    } else {
        black(&function, &names, &types)
    };
    Ok(quote! {
        #[test]
        #(#attributes)*
        fn #name() {
            let finitization = #finitization;
            #domains
            let test = ::testsmith::korat::Test {
                name: concat!(module_path!(), "::", stringify!(#name)),
                parameters: &[#(#texts),*],
                finitization,
                timeout: ::std::time::Duration::from_secs(#seconds),
            };
            fn calls(
                input: &(#(#types,)*),
                bounds: &::testsmith::korat::Bounds,
            ) -> ::std::vec::Vec<::std::option::Option<::std::string::String>> {
                #[allow(unused_imports)]
                use ::testsmith::korat::twin::{Listed as _, Sequence, Unlisted as _};
                ::std::vec![
                    #((&Sequence { wanted: &input.#at, name: #texts, bounds }).text()),*
                ]
            }
            #call
        }
    })
}

fn parameters(function: &ItemFn) -> Result<(Vec<Ident>, Vec<Type>)> {
    let mut names = Vec::new();
    let mut types = Vec::new();
    for input in &function.sig.inputs {
        match input {
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(name) => {
                    names.push(name.ident.clone());
                    types.push((*typed.ty).clone());
                }
                other => return Err(syn::Error::new_spanned(other, "give the parameter a name")),
            },
            FnArg::Receiver(receiver) => {
                return Err(syn::Error::new_spanned(receiver, "a test is a free function"));
            }
        }
    }
    if names.is_empty() || names.len() > 6 {
        let text = "a structure test has one to six parameters: its inputs";
        return Err(syn::Error::new(function.sig.ident.span(), text));
    }
    Ok((names, types))
}

fn black(function: &ItemFn, names: &[Ident], types: &[Type]) -> TokenStream {
    let (inputs, output, block) = (&function.sig.inputs, &function.sig.output, &function.block);
    quote! {
        fn body(#inputs) #output #block
        test.black_box::<(#(#types,)*)>(|(#(#names,)*)| { body(#(#names),*); }, calls);
    }
}

fn white(function: &ItemFn, names: &[Ident], types: &[Type]) -> Result<TokenStream> {
    let mut block = function.block.clone();
    let own = &function.sig.ident;
    let mut errors = Vec::new();
    Rewriter::new(own, &[], &mut errors).visit_block_mut(&mut block);
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let at = (0..names.len()).map(syn::Index::from);
    Ok(quote! {
        #[allow(warnings, clippy::all)]
        fn twin_body(input: &<(#(#types,)*) as ::testsmith::korat::Korat>::Twin) {
            use ::testsmith::korat::twin::{Elements as _, ReadCell as _, ReadPlain as _};
            #(let mut #names = ::testsmith::korat::TwinType::share(&*input.#at);)*
            #block
        }
        fn fails(input: &<(#(#types,)*) as ::testsmith::korat::Korat>::Twin) -> bool {
            ::testsmith::korat::Test::fails::<(#(#types,)*)>(input, twin_body)
        }
        test.white_box::<(#(#types,)*)>(fails, calls);
    })
}
