//! Supertraits: a fake of a trait has to implement them as well.
//!
//! A macro sees one item only, so the definition of a supertrait has to be handed on. Every
//! trait under `#[fake]` leaves a `macro_rules!` of its own name beside it, which whoever
//! imports the trait imports along; it calls what it is told with the definition added:
//!
//! ```text
//! #[fake] #[contract_trait] trait Meter { .. }
//! // leaves
//! macro_rules! __testsmith_fake_of_Meter {
//!     ($($state:tt)*) => { ::testsmith::__fake_with! { $($state)* { {} { trait Meter { .. } } } } }
//! }
//! pub(crate) use __testsmith_fake_of_Meter as Meter;
//!
//! #[fake] #[contract_trait] trait Dial: Meter + Debug { .. }
//! // asks by
//! Meter! { { Meter } {} { {} { trait Dial .. { .. } } } }
//! ```
//! The state is what remains to be asked, for which traits the last answers were, and all
//! definitions so far, each with the arguments of its attribute; the last is the newest. When
//! nothing remains the fake is written. Traits of the standard library that every fake has
//! are not asked for.

use super::Faking;
use super::options::Options;
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{ItemTrait, Path, TypeParamBound};

/// What every fake implements, or no impl is needed for.
const GIVEN: [&str; 10] = [
    "Send",
    "Sync",
    "Sized",
    "Unpin",
    "UnwindSafe",
    "RefUnwindSafe",
    "Debug",
    "Clone",
    "Default",
    "Any",
];
/// What a fake has no answer for.
const UNKNOWN: [&str; 28] = [
    "Copy",
    "Display",
    "PartialEq",
    "Eq",
    "PartialOrd",
    "Ord",
    "Hash",
    "Error",
    "Iterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "IntoIterator",
    "Extend",
    "FromIterator",
    "Read",
    "Write",
    "Seek",
    "BufRead",
    "Deref",
    "DerefMut",
    "Index",
    "AsRef",
    "AsMut",
    "Borrow",
    "Drop",
    "Future",
    "FromStr",
    "Hasher",
];

/// The supertraits that have to be asked for.
pub fn asked_for(definition: &ItemTrait, options: &Options) -> syn::Result<Vec<Path>> {
    let mut asked = vec![];
    for bound in &definition.supertraits {
        let TypeParamBound::Trait(bound) = bound else { continue };
        let path = &bound.path;
        let Some(last) = path.segments.last() else { continue };
        if options.is_by_hand(path) || GIVEN.iter().any(|name| last.ident == name) {
            continue;
        }
        let is_std = path.segments.len() > 1
            && ["std", "core", "alloc"].iter().any(|name| path.segments[0].ident == name);
        let error = if is_std || UNKNOWN.iter().any(|name| last.ident == name) {
            "of which a fake knows nothing"
        } else if !last.arguments.is_none() {
            "which has arguments: not supported"
        } else {
            asked.push(path.clone());
            continue;
        };
        let shown = path.to_token_stream().to_string().replace(' ', "");
        let error = format!(
            "`{}` extends `{shown}`, {error}; implement it for `Fake{0}` yourself and say so, \
             `#[fake(by_hand({shown}))]`",
            definition.ident
        );
        return Err(syn::Error::new_spanned(path, error));
    }
    Ok(asked)
}

/// What hands the definition on to those who extend the trait.
pub fn handing_on(arguments: &TokenStream, definition: &ItemTrait) -> TokenStream {
    let mut definition = definition.clone();
    definition.attrs.retain(|attribute| attribute.path().is_ident("cfg"));
    let conditions = definition.attrs.clone();
    definition.attrs.clear();
    for item in &mut definition.items {
        if let syn::TraitItem::Fn(method) = item {
            method.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
        }
    }
    let name = &definition.ident;
    let hidden = format_ident!("__testsmith_fake_of_{}", name);
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(unused_macros)]
        macro_rules! #hidden {
            ($($state:tt)*) => {
                ::testsmith::__fake_with! { $($state)* { { #arguments } { #definition } } }
            };
        }

        #(#conditions)*
        #[doc(hidden)]
        #[allow(unused_imports)]
        pub(crate) use #hidden as #name;
    }
}

/// Asks the first of these supertraits for its definition.
pub fn ask(asked: &[Path], answered: &TokenStream, known: &TokenStream) -> TokenStream {
    let (first, all) = (&asked[0], asked.iter().map(|path| quote!({ #path })));
    quote! {
        #first! { { #(#all)* } { #answered } { #known } }
    }
}

/// Takes the definition of a supertrait, and asks for the next or writes the fake.
pub fn with(state: TokenStream) -> syn::Result<TokenStream> {
    let mut parts = groups(here(state)).into_iter();
    let broken = || syn::Error::new(Span::call_site(), "this is for `#[fake]` to call");
    let mut next = || parts.next().ok_or_else(broken);
    let (asked, answered, known, newest) = (next()?, next()?, next()?, next()?);
    let mut asked: Vec<Path> =
        groups(asked).into_iter().map(syn::parse2).collect::<syn::Result<_>>()?;
    let mut answered: Vec<Path> =
        groups(answered).into_iter().map(syn::parse2).collect::<syn::Result<_>>()?;
    if asked.is_empty() {
        return Err(broken());
    }
    answered.push(asked.remove(0));
    let (arguments, definition) = read(newest.clone())?;
    for path in asked_for(&definition, &Options::read(arguments)?)? {
        if !asked.contains(&path) && !answered.contains(&path) {
            asked.push(path);
        }
    }
    let known = quote!(#known { #newest });
    if !asked.is_empty() {
        let answered = answered.iter().map(|path| quote!({ #path }));
        return Ok(ask(&asked, &quote!(#(#answered)*), &known));
    }
    let mut fakings = vec![];
    for (n, part) in groups(known).into_iter().enumerate() {
        let (arguments, definition) = read(part)?;
        let path = match n.checked_sub(1) {
            Some(n) => answered[n].clone(),
            None => definition.ident.clone().into(),
        };
        fakings.push(Faking::new(path, definition, Options::read(arguments)?)?);
    }
    super::write(&fakings)
}

/// The arguments of an attribute, and the trait below it.
fn read(part: TokenStream) -> syn::Result<(TokenStream, ItemTrait)> {
    let mut parts = groups(part).into_iter();
    let arguments = parts.next().unwrap_or_default();
    Ok((arguments, syn::parse2(parts.next().unwrap_or_default())?))
}

fn groups(tokens: TokenStream) -> Vec<TokenStream> {
    let each = |token: TokenTree| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    };
    tokens.into_iter().filter_map(each).collect()
}

/// The tokens as if they stood here: `self` of a signature and `self` of the body that is
/// written for it have to be the same.
fn here(tokens: TokenStream) -> TokenStream {
    let each = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let mut inside = Group::new(group.delimiter(), here(group.stream()));
            inside.set_span(group.span());
            token = TokenTree::Group(inside);
        }
        token.set_span(Span::call_site().located_at(token.span()));
        token
    };
    tokens.into_iter().map(each).collect()
}
