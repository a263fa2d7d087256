//! `#[fake]`: an implementation of a trait by nothing but its contracts.
//!
//! The attribute stands above `#[contract_trait]`, so that it sees the clauses before they
//! become checks. It leaves the trait as it is and adds a type whose methods ask the solver;
//! that type carries `#[contract_trait]` itself, so what it answers is checked like what
//! anyone else would. Everything is decided from syntax: whether a named type is a value
//! that fakes can handle is left to the compiler.
//!
//! ```text
//! #[fake]
//! #[contract_trait]
//! pub trait Pile {
//!     #[pure] fn len(&self) -> usize;
//!     #[ensures(self.len() == old(self.len()) + n)] fn put(&mut self, n: usize);
//! }
//! ```
//! adds, shortened:
//! ```text
//! #[derive(Clone)]
//! pub struct FakePile { worn: ::testsmith::fakes::Worn }
//! impl FakePile {
//!     fn description() -> &'static Description { static .. = Describing::new("Pile", "FakePile")
//!         .method(Method { name: "len", pure: true, ret: <usize as FakeValue>::sort, .. }) .. }
//!     pub fn with_seed(seed: u64) -> Self { .. }
//!     pub fn in_state(condition: &str) -> Self { .. }
//!     pub fn calls(&self) -> Vec<Call> { .. }
//! }
//! #[::testsmith::contract_trait]
//! impl Pile for FakePile {
//!     fn len(&self) -> usize { self.worn.ask("len", vec![]) }
//!     fn put(&mut self, n: usize) { self.worn.call("put", vec![n.to_concrete()]) }
//! }
//! ```

mod constants;
mod method;
mod options;
mod value;

pub use value::derive;

use method::Faked;
use options::Options;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, ItemTrait, Path, TraitItem};

/// Expands the attribute. On an error the trait is kept as it is, so that one mistake does
/// not cause a hundred messages.
pub fn attribute(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = expand(arguments, item.clone());
    let addition = expanded.unwrap_or_else(syn::Error::into_compile_error);
    quote!(#item #addition)
}

/// Where the expansions find what they call.
fn runtime() -> TokenStream {
    quote!(::testsmith::fakes)
}

fn expand(arguments: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let options = Options::read(arguments)?;
    let definition: ItemTrait = syn::parse2(item).map_err(|error| {
        syn::Error::new(error.span(), "`#[fake]` belongs on a trait with contracts")
    })?;
    refuse_shape(&definition)?;
    let mut methods = vec![];
    let mut errors: Option<syn::Error> = None;
    for item in &definition.items {
        let TraitItem::Fn(method) = item else { continue };
        match method::read(&definition.ident, method) {
            Ok(faked) => methods.extend(faked),
            Err(error) => match &mut errors {
                Some(errors) => errors.combine(error),
                None => errors = Some(error),
            },
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(write(&definition, &methods, &options)),
    }
}

/// What no fake can be made of.
fn refuse_shape(definition: &ItemTrait) -> syn::Result<()> {
    let name = &definition.ident;
    let is_contract_trait =
        |path: &Path| path.segments.last().is_some_and(|segment| segment.ident == "contract_trait");
    if !definition.attrs.iter().any(|attribute| is_contract_trait(attribute.path())) {
        let error = "`#[fake]` stands above `#[contract_trait]`: it needs the contracts as they \
                     are written";
        return Err(syn::Error::new_spanned(name, error));
    }
    if !definition.generics.params.is_empty() {
        let error =
            format!("a fake of `{name}` would have to choose its parameters: not supported");
        return Err(syn::Error::new_spanned(&definition.generics, error));
    }
    if definition.unsafety.is_some() {
        let error = format!("`{name}` is unsafe to implement: a fake cannot vouch for it");
        return Err(syn::Error::new_spanned(name, error));
    }
    for item in &definition.items {
        match item {
            TraitItem::Type(ty) => {
                let error = format!(
                    "`{name}` has the associated type `{}`, which a fake would have to choose: \
                     not supported",
                    ty.ident
                );
                return Err(syn::Error::new_spanned(&ty.ident, error));
            }
            TraitItem::Const(constant) if constant.default.is_none() => {
                let error = format!(
                    "`{name}` has the constant `{}` without a value, which a fake would have to \
                     choose: not supported",
                    constant.ident
                );
                return Err(syn::Error::new_spanned(&constant.ident, error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn write(definition: &ItemTrait, methods: &[Faked], options: &Options) -> TokenStream {
    let (runtime, name, visibility) = (runtime(), &definition.ident, &definition.vis);
    let fake = format_ident!("Fake{}", name);
    let description = description(name, &fake, methods);
    let own: Vec<&Faked> = methods.iter().filter(|method| method.body.is_none()).collect();
    let implementations = own.iter().map(|method| method.implementation());
    let of_another = options.of.as_ref().map(|of| {
        let forwarded = own.iter().map(|method| method.forwarded(name));
        quote! {
            impl #of for #fake {
                #(#forwarded)*
            }
        }
    });
    let title = format!("A fake of [`{name}`]: it answers whatever the contracts allow.");
    let conditions = definition.attrs.iter().filter(|it| it.path().is_ident("cfg"));
    let conditions: Vec<_> = conditions.collect();
    quote! {
        #(#conditions)*
        #[doc = #title]
        #[derive(Clone)]
        #[allow(dead_code)]
        #visibility struct #fake {
            worn: #runtime::Worn,
        }

        #(#conditions)*
        #[allow(dead_code)]
        impl #fake {
            fn description() -> &'static #runtime::Description {
                static DESCRIPTION: ::std::sync::LazyLock<#runtime::Description> =
                    ::std::sync::LazyLock::new(|| #description);
                &DESCRIPTION
            }

            /// A fake whose answers are those of a seed.
            #[must_use]
            #visibility fn with_seed(seed: u64) -> Self {
                Self { worn: #runtime::Worn::new(Self::description(), seed) }
            }

            /// A fake in a state in which a condition on its queries holds, as in
            /// `"len() == 3 && !is_full()"`.
            ///
            /// # Panics
            /// If there is no such state, or the condition is not understood.
            #[must_use]
            #visibility fn in_state(condition: &str) -> Self {
                Self::in_state_with_seed(condition, 0)
            }

            /// The same with answers of a seed.
            ///
            /// # Panics
            /// If there is no such state, or the condition is not understood.
            #[must_use]
            #visibility fn in_state_with_seed(condition: &str, seed: u64) -> Self {
                Self { worn: #runtime::Worn::in_state(Self::description(), seed, condition) }
            }

            /// The calls that were made so far, with arguments and answers.
            #[must_use]
            #visibility fn calls(&self) -> ::std::vec::Vec<#runtime::Call> {
                self.worn.calls()
            }
        }

        #(#conditions)*
        impl ::std::default::Default for #fake {
            fn default() -> Self {
                Self::with_seed(0)
            }
        }

        #(#conditions)*
        impl ::std::fmt::Debug for #fake {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                self.worn.show(f)
            }
        }

        #(#conditions)*
        impl #runtime::Faked for #fake {}

        #(#conditions)*
        #[::testsmith::contract_trait]
        impl #name for #fake {
            #(#implementations)*
        }

        #(#conditions)*
        #of_another
    }
}

/// The expression that describes the trait to the solver.
fn description(name: &Ident, fake: &Ident, methods: &[Faked]) -> TokenStream {
    let runtime = runtime();
    let (words, fake_words) = (name.to_string(), fake.to_string());
    let described = methods.iter().map(Faked::description);
    let constants = constants::of(methods).into_iter().map(|(words, path)| {
        let value = match path.segments.first().filter(|first| first.ident == "Self") {
            Some(_) => {
                let rest = path.segments.iter().skip(1);
                quote!(<#fake as #name>::#(#rest)::*)
            }
            None => quote!(#path),
        };
        quote!(.constant(#words, &#value))
    });
    quote! {
        #runtime::Describing::new(#words, #fake_words)
            #(#described)*
            #(#constants)*
            .done()
    }
}
