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
mod supertraits;
mod value;

pub use supertraits::with;
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
    let options = Options::read(arguments.clone())?;
    let definition: ItemTrait = syn::parse2(item).map_err(|error| {
        syn::Error::new(error.span(), "`#[fake]` belongs on a trait with contracts")
    })?;
    let is_contract_trait =
        |path: &Path| path.segments.last().is_some_and(|segment| segment.ident == "contract_trait");
    if !definition.attrs.iter().any(|attribute| is_contract_trait(attribute.path())) {
        let error = "`#[fake]` stands above `#[contract_trait]`: it needs the contracts as they \
                     are written";
        return Err(syn::Error::new_spanned(&definition.ident, error));
    }
    let asked = supertraits::asked_for(&definition, &options)?;
    let handing_on = supertraits::handing_on(&arguments, &definition);
    let path = definition.ident.clone().into();
    let faking = Faking::new(path, definition, options)?;
    let description = faking.description();
    let written = match asked.is_empty() {
        true => write(&[faking])?,
        false => {
            let definition = &faking.definition;
            supertraits::ask(&asked, &quote!(), &quote!({ { #arguments } { #definition } }))
        }
    };
    Ok(quote!(#handing_on #description #written))
}

/// A trait that a fake implements.
struct Faking {
    path: Path,
    definition: ItemTrait,
    options: Options,
    methods: Vec<Faked>,
}

impl Faking {
    fn new(path: Path, definition: ItemTrait, options: Options) -> syn::Result<Faking> {
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
            None => Ok(Faking { path, definition, options, methods }),
        }
    }

    /// The implementations of it, and of the trait that it repeats.
    fn implementations(&self, fake: &Ident) -> TokenStream {
        let Faking { path, definition, .. } = self;
        let conditions = definition.attrs.iter().filter(|it| it.path().is_ident("cfg"));
        let conditions: Vec<_> = conditions.collect();
        let own: Vec<&Faked> = self.methods.iter().filter(|it| it.body.is_none()).collect();
        let answered = own.iter().map(|method| method.implementation());
        let of_another = self.options.of.as_ref().map(|of| {
            let forwarded = own.iter().map(|method| method.forwarded(path));
            quote! {
                #(#conditions)*
                impl #of for #fake {
                    #(#forwarded)*
                }
            }
        });
        quote! {
            #(#conditions)*
            #[::testsmith::contract_trait]
            impl #path for #fake {
                #(#answered)*
            }

            #of_another
        }
    }

    /// The function that describes the trait to the solver. It has the name of the trait, so
    /// that who imports that has it as well; what clauses speak of is in scope only here.
    fn description(&self) -> TokenStream {
        let (runtime, name) = (runtime(), &self.definition.ident);
        let fake = format_ident!("Fake{}", name);
        let conditions = self.definition.attrs.iter().filter(|it| it.path().is_ident("cfg"));
        let described = self.methods.iter().map(Faked::description);
        let constants = constants::of(&self.methods).into_iter().map(|(words, path)| {
            let value = match path.segments.first().filter(|first| first.ident == "Self") {
                Some(_) => {
                    let rest: Vec<_> = path.segments.iter().skip(1).collect();
                    match rest.first().is_some_and(|first| self.has_constant(&first.ident)) {
                        true => quote!(<#fake as #name>::#(#rest)::*),
                        false => quote!(<#fake>::#(#rest)::*),
                    }
                }
                None => quote!(#path),
            };
            quote!(.constant(#words, &#value))
        });
        quote! {
            #(#conditions)*
            #[doc(hidden)]
            #[allow(non_snake_case, dead_code)]
            pub(crate) fn #name(describing: #runtime::Describing) -> #runtime::Describing {
                describing
                    #(#described)*
                    #(#constants)*
            }
        }
    }

    fn has_constant(&self, name: &Ident) -> bool {
        self.definition
            .items
            .iter()
            .any(|item| matches!(item, TraitItem::Const(constant) if constant.ident == *name))
    }
}

/// What no fake can be made of.
fn refuse_shape(definition: &ItemTrait) -> syn::Result<()> {
    let name = &definition.ident;
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

/// The fake of the first of these traits, which implements them all.
fn write(fakings: &[Faking]) -> syn::Result<TokenStream> {
    refuse_namesakes(fakings)?;
    let (runtime, definition) = (runtime(), &fakings[0].definition);
    let fake = format_ident!("Fake{}", definition.ident);
    let ty = written_type(fakings, &fake);
    let implementations = fakings.iter().map(|faking| faking.implementations(&fake));
    let conditions = definition.attrs.iter().filter(|it| it.path().is_ident("cfg"));
    let conditions: Vec<_> = conditions.collect();
    Ok(quote! {
        #ty

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

        #(#implementations)*
    })
}

/// The type, with what it has beside its traits.
fn written_type(fakings: &[Faking], fake: &Ident) -> TokenStream {
    let (runtime, definition) = (runtime(), &fakings[0].definition);
    let (name, visibility) = (&definition.ident, &definition.vis);
    let (words, fake_words) = (name.to_string(), fake.to_string());
    let paths = fakings.iter().map(|faking| &faking.path);
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
                    ::std::sync::LazyLock::new(|| {
                        let describing = #runtime::Describing::new(#words, #fake_words);
                        #(let describing = #paths(describing);)*
                        describing.done()
                    });
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
    }
}

/// Answers are kept by the names of queries.
fn refuse_namesakes(fakings: &[Faking]) -> syn::Result<()> {
    for (n, faking) in fakings.iter().enumerate() {
        for method in &faking.methods {
            let is_same = |other: &&Faked| other.name() == method.name();
            let mut before = fakings[..n].iter();
            let other = before.find(|other| other.methods.iter().any(|it| is_same(&it)));
            if let Some(other) = other {
                let error = format!(
                    "`{}` and `{}` both have a method `{}`: a fake would not know which is asked",
                    other.definition.ident,
                    faking.definition.ident,
                    method.name()
                );
                return Err(syn::Error::new_spanned(&other.definition.ident, error));
            }
        }
    }
    Ok(())
}
