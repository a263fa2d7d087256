//! The fields of a derived type: what each of them contributes to the twin.
//!
//! A field that is skipped or has a default is the same in every structure, so
//! its type need not be enumerable: the twin refers to one value of it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Field, Fields, Member, Result, Type};

use super::attributes::{self, FieldAttributes};

/// A field, named for the expansion.
pub struct Part {
    pub member: Member,
    pub binding: Ident,
    /// Its name in a finitization.
    pub name: String,
    /// Its name in the source.
    pub written: String,
    pub field: Field,
    pub attributes: FieldAttributes,
}

pub fn parts(fields: &Fields) -> Result<Vec<Part>> {
    fields.iter().enumerate().map(|(at, field)| Part::new(at, field)).collect()
}

impl Part {
    fn new(at: usize, field: &Field) -> Result<Self> {
        let attributes = attributes::of_field(&field.attrs)?;
        let (member, written) = match &field.ident {
            Some(ident) => (Member::Named(ident.clone()), ident.to_string()),
            None => (Member::Unnamed(at.into()), at.to_string()),
        };
        let name = written.trim_start_matches("r#").to_owned();
        let binding = format_ident!("field_{name}");
        Ok(Part { member, binding, name, written, field: field.clone(), attributes })
    }

    fn ty(&self) -> &Type {
        &self.field.ty
    }

    /// The value that the field has in every structure, if it has one.
    fn fixed(&self) -> Option<TokenStream> {
        match &self.attributes.default {
            Some(value) => Some(value.to_token_stream()),
            None => self.attributes.skip.then(|| quote!(::std::default::Default::default())),
        }
    }

    /// The type of the field in the twin.
    pub fn twin_type(&self) -> TokenStream {
        let ty = self.ty();
        match self.fixed() {
            Some(_) => quote_spanned!(ty.span()=> ::testsmith::korat::twin::Fixed<#ty>),
            None => quote_spanned! {ty.span()=>
                ::testsmith::korat::Lazy<<#ty as ::testsmith::korat::Korat>::Twin>
            },
        }
    }

    pub fn share(&self, place: &TokenStream) -> TokenStream {
        quote!(::testsmith::korat::TwinType::share(#place))
    }

    pub fn duplicate(&self, place: &TokenStream) -> TokenStream {
        quote!(::testsmith::korat::TwinType::duplicate(#place))
    }

    pub fn reach(&self, place: &TokenStream) -> Option<TokenStream> {
        self.fixed().is_none().then(|| quote!(reach.cell(#place);))
    }

    pub fn realize(&self, place: &TokenStream) -> TokenStream {
        let ty = self.ty();
        let cell = quote_spanned!(ty.span()=> realizer.field::<#ty>(#place));
        self.fixed().unwrap_or(cell)
    }

    pub fn deep(&self, place: &TokenStream) -> Option<TokenStream> {
        let ty = self.ty();
        self.fixed().is_none().then(|| quote_spanned!(ty.span()=> deep.field::<#ty>(#place)))
    }

    pub fn types(&self) -> Option<TokenStream> {
        let ty = self.ty();
        self.fixed().is_none().then(|| quote_spanned!(ty.span()=> types.field::<#ty>();))
    }

    pub fn show(&self, place: &TokenStream) -> TokenStream {
        self.shown(quote!(::testsmith::korat::TwinType::show(#place, shower)))
    }

    pub fn show_real(&self, place: &TokenStream) -> TokenStream {
        let span = self.ty().span();
        self.shown(quote_spanned!(span=> ::testsmith::korat::Korat::show_real(#place, shower)))
    }

    /// How the field is shown, given how its value is: what tells slots of an
    /// arena from other elements and indexes from other numbers.
    fn shown(&self, value: TokenStream) -> TokenStream {
        let name = &self.name;
        if let Some(fixed) = self.fixed() {
            let text = fixed.to_string().replace(":: ", "::").replace(" ::", "::");
            let text = text.trim_start_matches("::").replace(" (", "(").replace("( )", "()");
            return quote!(::testsmith::korat::Shown::Atom(#text.to_owned()));
        }
        match &self.attributes.index {
            Some(arena) => quote!(::testsmith::korat::Shown::index(#arena, #value)),
            None if self.attributes.arena => {
                quote!(::testsmith::korat::Shown::arena(#name, #value))
            }
            None => value,
        }
    }

    /// The expression that builds the field's cell.
    pub fn build(&self, owner: &str) -> Result<TokenStream> {
        let (ty, name) = (self.ty(), &self.name);
        let span = ty.span();
        if let Some(value) = self.fixed() {
            return Ok(quote_spanned!(span=> builder.fixed::<#ty>(#value)));
        }
        let built = if self.attributes.arena {
            let element = vec_element(ty)?;
            quote_spanned!(span=> builder.arena_field::<#element>(#owner, #name))
        } else if let Some(arena) = &self.attributes.index {
            quote_spanned!(span=> builder.index_field::<#ty>(#owner, #name, #arena))
        } else if let Some(values) = &self.attributes.values {
            quote_spanned!(span=> builder.field_with::<#ty>(#owner, #name, |scope: i64| {
                ::std::iter::IntoIterator::into_iter(#values)
                    .map(::std::convert::Into::<::testsmith::korat::Plain>::into)
                    .collect()
            }))
        } else {
            quote_spanned!(span=> builder.field::<#ty>(#owner, #name))
        };
        Ok(match &self.attributes.len {
            None => built,
            Some(len) => quote_spanned!(span=> {
                #[allow(unused_variables)]
                let scope: i64 = builder.scope();
                builder.with_len(#owner, #name, #len, |builder| #built)
            }),
        })
    }
}

/// The element type of a field marked as an arena.
fn vec_element(ty: &Type) -> Result<&Type> {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && last.ident == "Vec"
        && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(syn::GenericArgument::Type(element)) = arguments.args.first()
    {
        return Ok(element);
    }
    Err(syn::Error::new(ty.span(), "an arena is a `Vec<..>` field"))
}
