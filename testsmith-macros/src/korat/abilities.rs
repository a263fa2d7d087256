//! What a twin can do because its type can: compare, hash, print, clone, and
//! call methods that are not compiled for it.
//!
//! Nothing says how the user's `==` compares, so the twin asks it: both sides
//! are copied into real values, which reads all of them. Only `clone` is made
//! for the twin itself, since its result must be one. A bound on a type
//! without parameters must hold when it is declared, unless it is quantified:
//! `for<'a> Node: PartialEq` waits until somebody compares.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Generics;

pub fn of_twin(twin: &Ident, real: &TokenStream, generics: &Generics) -> TokenStream {
    let (start, arguments, clause) = generics.split_for_impl();
    let predicates = clause.map(|clause| &clause.predicates).into_iter().flatten();
    let predicates: Vec<_> = predicates.collect();
    let quiet = super::quiet();
    let value = quote!(::testsmith::korat::twin::real::<#real>);
    let implement = |ability: TokenStream, methods: TokenStream| {
        quote! {
            #[automatically_derived]
            #quiet
            impl #start #ability for #twin #arguments
            where
                #(#predicates,)*
                for<'korat> #real: #ability,
            {
                #methods
            }
        }
    };
    let abilities = abilities(&value).into_iter();
    let mut all: TokenStream =
        abilities.map(|(ability, methods)| implement(ability, methods)).collect();
    all.extend(quote! {
        /// Methods that are not compiled for the twin run on a real value.
        #[automatically_derived]
        #quiet
        impl #start ::std::ops::Deref for #twin #arguments #clause {
            type Target = #real;

            fn deref(&self) -> &#real {
                #value(self)
            }
        }
    });
    all
}

/// Each trait with its methods; `value` makes the real value of a twin.
fn abilities(value: &TokenStream) -> [(TokenStream, TokenStream); 8] {
    let prints = quote!(f: &mut ::std::fmt::Formatter<'_>);
    [
        (
            quote!(::std::cmp::PartialEq),
            quote! {
                fn eq(&self, other: &Self) -> bool { *#value(self) == *#value(other) }
            },
        ),
        (quote!(::std::cmp::Eq), quote!()),
        (
            quote!(::std::cmp::PartialOrd),
            quote! {
                fn partial_cmp(&self, other: &Self) -> ::std::option::Option<::std::cmp::Ordering> {
                    ::std::cmp::PartialOrd::partial_cmp(#value(self), #value(other))
                }
            },
        ),
        (
            quote!(::std::cmp::Ord),
            quote! {
                fn cmp(&self, other: &Self) -> ::std::cmp::Ordering {
                    ::std::cmp::Ord::cmp(#value(self), #value(other))
                }
            },
        ),
        (
            quote!(::std::hash::Hash),
            quote! {
                fn hash<KoratHasher: ::std::hash::Hasher>(&self, state: &mut KoratHasher) {
                    ::std::hash::Hash::hash(#value(self), state);
                }
            },
        ),
        (
            quote!(::std::fmt::Debug),
            quote! {
                fn fmt(&self, #prints) -> ::std::fmt::Result {
                    ::std::fmt::Debug::fmt(#value(self), f)
                }
            },
        ),
        (
            quote!(::std::fmt::Display),
            quote! {
                fn fmt(&self, #prints) -> ::std::fmt::Result {
                    ::std::fmt::Display::fmt(#value(self), f)
                }
            },
        ),
        (
            quote!(::std::clone::Clone),
            quote! {
                fn clone(&self) -> Self { ::testsmith::korat::TwinType::duplicate(self) }
            },
        ),
    ]
}

/// The traits that every twin has if its type has them, so that an
/// implementation in a `#[korat]` block need not be compiled a second time.
pub fn has(name: &str) -> bool {
    ["PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Debug", "Display", "Clone"].contains(&name)
}
