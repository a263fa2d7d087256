//! What is written in the parentheses of `#[fake(..)]`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::{Path, Token};

#[derive(Default)]
pub struct Options {
    /// The trait of another crate that the one below only repeats, with contracts.
    pub of: Option<Path>,
}

const FORM: &str = "`#[fake]` takes nothing but `of = path::to::Trait`, for a trait that was \
                    written elsewhere";

impl Options {
    pub fn read(arguments: TokenStream) -> syn::Result<Options> {
        if arguments.is_empty() {
            return Ok(Options::default());
        }
        let refused = syn::Error::new_spanned(&arguments, FORM);
        syn::parse2(arguments).map_err(|_| refused)
    }
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Options> {
        let word: syn::Ident = input.parse()?;
        if word != "of" {
            return Err(input.error(FORM));
        }
        input.parse::<Token![=]>()?;
        let of = Some(input.parse()?);
        input.parse::<Option<Token![,]>>()?;
        Ok(Options { of })
    }
}
