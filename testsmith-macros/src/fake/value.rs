//! `#[derive(FakeValue)]`: enums that fakes can be given and can answer.

use super::runtime;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Ident, Variant};

pub fn derive(input: TokenStream) -> syn::Result<TokenStream> {
    let input: DeriveInput = syn::parse2(input)?;
    let name = &input.ident;
    let Data::Enum(data) = &input.data else {
        let error = "only an enum can be a value of fakes";
        return Err(syn::Error::new_spanned(name, error));
    };
    if !input.generics.params.is_empty() {
        let error = "an enum with parameters cannot be a value of fakes";
        return Err(syn::Error::new_spanned(&input.generics, error));
    }
    if data.variants.is_empty() {
        let error = "an enum without variants has no values";
        return Err(syn::Error::new_spanned(name, error));
    }
    let runtime = runtime();
    let words = name.unraw().to_string();
    let described = data.variants.iter().map(described);
    let shown = data.variants.iter().enumerate().map(|(number, it)| shown(number, it));
    let made = data.variants.iter().enumerate().map(|(number, it)| made(number, it));
    Ok(quote! {
        impl #runtime::FakeValue for #name {
            fn sort(sorts: &mut #runtime::Sorts) -> #runtime::Sort {
                let path = ::std::any::type_name::<Self>();
                sorts.enumeration(path, #words, |sorts| {
                    let _ = &sorts;
                    ::std::vec![#(#described),*]
                })
            }

            fn to_concrete(&self) -> #runtime::Concrete {
                match self {
                    #(#shown)*
                }
            }

            fn from_concrete(
                concrete: &#runtime::Concrete,
            ) -> ::std::option::Option<Self> {
                let (number, fields) = #runtime::fields_of(concrete)?;
                let mut fields = fields.into_iter();
                let _ = &mut fields;
                match number {
                    #(#made)*
                    _ => ::std::option::Option::None,
                }
            }
        }
    })
}

/// A name for each field, and how it is called; nothing in `Variant(a, b)`.
fn fields(variant: &Variant) -> Vec<(Ident, String)> {
    let name = |(n, field): (usize, &syn::Field)| {
        let words = field.ident.as_ref().map(|name| name.unraw().to_string());
        (format_ident!("field_{}", n), words.unwrap_or_default())
    };
    variant.fields.iter().enumerate().map(name).collect()
}

/// The variant with its fields bound to, or made of, their names.
fn with_names(variant: &Variant) -> TokenStream {
    let name = &variant.ident;
    let names = fields(variant).into_iter().map(|(name, _)| name);
    match &variant.fields {
        Fields::Unit => quote!(Self::#name),
        Fields::Unnamed(_) => quote!(Self::#name(#(#names),*)),
        Fields::Named(of) => {
            let own = of.named.iter().map(|field| &field.ident);
            quote!(Self::#name { #(#own: #names),* })
        }
    }
}

fn described(variant: &Variant) -> TokenStream {
    let runtime = runtime();
    let name = variant.ident.unraw().to_string();
    let words = fields(variant).into_iter().map(|(_, words)| words);
    let types = variant.fields.iter().map(|field| &field.ty);
    quote!((#name, ::std::vec![#((#words, <#types as #runtime::FakeValue>::sort(sorts))),*]))
}

fn shown(number: usize, variant: &Variant) -> TokenStream {
    let runtime = runtime();
    let (pattern, name) = (with_names(variant), variant.ident.unraw().to_string());
    let fields = fields(variant)
        .into_iter()
        .map(|(name, words)| quote!((#words, #runtime::FakeValue::to_concrete(#name))));
    quote!(#pattern => #runtime::variant(#number, #name, ::std::vec![#(#fields),*]),)
}

fn made(number: usize, variant: &Variant) -> TokenStream {
    let runtime = runtime();
    let value = with_names(variant);
    let names = fields(variant).into_iter().map(|(name, _)| name);
    quote! {
        #number => {
            #(let #names = #runtime::FakeValue::from_concrete(fields.next()?)?;)*
            ::std::option::Option::Some(#value)
        }
    }
}
