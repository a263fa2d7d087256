//! What is written in the parentheses of `#[fake(..)]`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Path, Token};

#[derive(Default)]
pub struct Options {
    /// The trait of another crate that the one below only repeats, with contracts.
    pub of: Option<Path>,
    /// Supertraits that the user implements for the fake.
    pub by_hand: Vec<Path>,
}

const FORM: &str = "`#[fake]` takes `of = path::to::Trait`, for a trait that was written elsewhere, \
                    and `by_hand(Supertrait)`, for supertraits that you implement for the fake";

impl Options {
    pub fn read(arguments: TokenStream) -> syn::Result<Options> {
        let refused = syn::Error::new_spanned(&arguments, FORM);
        syn::parse2(arguments).map_err(|_| refused)
    }

    pub fn is_by_hand(&self, path: &Path) -> bool {
        self.by_hand.contains(path)
    }
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Options> {
        let mut options = Options::default();
        while !input.is_empty() {
            let word: syn::Ident = input.parse()?;
            if word == "of" {
                input.parse::<Token![=]>()?;
                options.of = Some(input.parse()?);
            } else if word == "by_hand" {
                let inside;
                syn::parenthesized!(inside in input);
                let paths = Punctuated::<Path, Token![,]>::parse_terminated(&inside)?;
                options.by_hand.extend(paths);
            } else {
                return Err(input.error(FORM));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}
