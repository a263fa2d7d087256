//! `#[derive(Input)]`: field by field, variants by one byte.
//!
//! ```text
//! #[derive(Input)]
//! #[input(invariant = Self::is_sorted)]
//! struct List { head: Option<Box<Node>>, len: usize }
//! ```
//! A value that does not meet its invariant is refused, so a put is about the
//! values that do. Contracts' `#[invariant]` and a method `rep_ok` are found
//! without being named: the expansion calls them on the value, with a trait in
//! scope that has methods of the same names for every type. Methods of the type
//! itself come first, so the trait's are called only where there are none.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Expr, Fields, Ident, parse_quote};

use crate::contracts::upheld_names;

pub fn derive_input(item: TokenStream) -> syn::Result<TokenStream> {
    let item: DeriveInput = syn::parse2(item)?;
    let name = &item.ident;
    let text = name.to_string();
    let mut generics = item.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::testsmith::put::Input));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let (decode, size, write) = match &item.data {
        Data::Struct(data) => {
            let made = fields(&quote!(#name), &text, &data.fields);
            let (pattern, decode, size, write) = (made.pattern, made.decode, made.size, made.write);
            (decode, size, quote!(match self { #pattern => #write }))
        }
        Data::Enum(data) => {
            let count = data.variants.len();
            if count == 0 {
                return Err(syn::Error::new_spanned(name, "a type without values has no inputs"));
            }
            let (mut decodes, mut sizes, mut writes) = (vec![], vec![], vec![]);
            for (number, variant) in data.variants.iter().enumerate() {
                let ident = &variant.ident;
                let made =
                    fields(&quote!(#name::#ident), &format!("{text}::{ident}"), &variant.fields);
                let (pattern, decode, size, write) =
                    (made.pattern, made.decode, made.size, made.write);
                decodes.push(quote!(#number => #decode,));
                sizes.push(quote!(let largest = largest.max(#size);));
                writes.push(quote!(#pattern => #write,));
            }
            (
                quote!(match source.choice(#count) { #(#decodes)* _ => ::testsmith::put::reject() }),
                quote!({ let largest = 0usize; #(#sizes)* 1 + largest }),
                quote!(match self { #(#writes)* }),
            )
        }
        Data::Union(_) => {
            return Err(syn::Error::new_spanned(name, "the fields of a union overlap"));
        }
    };
    let check = check(invariant(&item)?);
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::testsmith::put::Input for #name #ty_generics #where_clause {
            fn decode(source: &mut ::testsmith::put::Source<'_>) -> Self {
                let value = source.nested(|source| #decode);
                #check
                value
            }
            fn max_bytes(limits: ::testsmith::put::Limits) -> usize {
                let Some(limits) = limits.deeper() else { return 0 };
                #size
            }
            fn expression(&self) -> ::std::string::String {
                #write
            }
        }
    })
}

/// Refuses a value that does not meet its invariants. One that is named takes the place
/// of `rep_ok`; what contracts say holds in any case.
fn check(named: Option<Expr>) -> TokenStream {
    let upheld: Vec<Ident> = upheld_names().collect();
    let own = match named {
        Some(invariant) => quote!({
            let invariant: fn(&Self) -> bool = #invariant;
            invariant(&value)
        }),
        None => quote!((&value).rep_ok()),
    };
    quote! {
        #[allow(dead_code)]
        trait Unrestricted {
            fn rep_ok(&self) -> bool { true }
            #(fn #upheld(&self) -> bool { true })*
        }
        impl<T: ?Sized> Unrestricted for T {}
        #[allow(clippy::needless_borrow, unstable_name_collisions)]
        let restricted = #own #(&& (&value).#upheld())*;
        if !restricted {
            ::testsmith::put::reject();
        }
    }
}

/// The pieces for one struct or variant.
struct Made {
    pattern: TokenStream,
    decode: TokenStream,
    size: TokenStream,
    write: TokenStream,
}

fn fields(path: &TokenStream, text: &str, fields: &Fields) -> Made {
    let locals: Vec<_> = (0..fields.len()).map(|index| format_ident!("field_{index}")).collect();
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let suffixes: Vec<String> = fields
        .iter()
        .enumerate()
        .map(|(index, field)| match &field.ident {
            Some(name) => format!(".{name}"),
            None => format!(".{index}"),
        })
        .collect();
    let decode_fields = quote! {
        #(let #locals = source.part(#suffixes, |source| {
            <#types as ::testsmith::put::Input>::decode(source)
        });)*
    };
    let size = quote!((0usize #(+ <#types as ::testsmith::put::Input>::max_bytes(limits))*));
    let written = quote!(#(<#types as ::testsmith::put::Input>::expression(#locals)),*);
    match fields {
        Fields::Named(named) => {
            let names: Vec<_> = named.named.iter().map(|field| &field.ident).collect();
            let labels: Vec<String> = names
                .iter()
                .map(|name| name.as_ref().map(ToString::to_string).unwrap_or_default())
                .collect();
            Made {
                pattern: quote!(#path { #(#names: #locals),* }),
                decode: quote!({ #decode_fields #path { #(#names: #locals),* } }),
                size,
                write: quote!({
                    let labels: &[&str] = &[#(#labels),*];
                    let values: &[::std::string::String] = &[#written];
                    let fields: ::std::vec::Vec<::std::string::String> =
                        labels.iter().zip(values).map(|(l, v)| format!("{l}: {v}")).collect();
                    format!("{} {{ {} }}", #text, fields.join(", "))
                }),
            }
        }
        Fields::Unnamed(_) => Made {
            pattern: quote!(#path(#(#locals),*)),
            decode: quote!({ #decode_fields #path(#(#locals),*) }),
            size,
            write: quote!({
                let values: &[::std::string::String] = &[#written];
                format!("{}({})", #text, values.join(", "))
            }),
        },
        Fields::Unit => Made {
            pattern: quote!(#path),
            decode: quote!(#path),
            size,
            write: quote!(::std::string::String::from(#text)),
        },
    }
}

/// The expression after `#[input(invariant = …)]`.
fn invariant(item: &DeriveInput) -> syn::Result<Option<Expr>> {
    let mut found = None;
    for attribute in item.attrs.iter().filter(|a| a.path().is_ident("input")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("invariant") {
                found = Some(meta.value()?.parse()?);
                Ok(())
            } else {
                Err(meta.error("the only option is `invariant = function`"))
            }
        })?;
    }
    Ok(found)
}
