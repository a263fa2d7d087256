//! Whether a block has the `rep_ok` that it seems to be meant to have.
//!
//! A predicate that is misspelt or takes something else than `&self` is not
//! found by method lookup, and a type without a predicate is valid whatever is
//! in it. So both are refused here, at the user's own tokens.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, ReturnType, Type};

use super::twin_impl::twin_self;

const NAME: &str = "rep_ok";
/// How many letters a misspelt name may differ in.
const NEAR: usize = 2;

/// Notes what is wrong with the signature of `rep_ok`; returns items that
/// refuse to compile if a method is nearly called that and none is.
pub fn check(block: &ItemImpl, errors: &mut Vec<syn::Error>) -> Option<TokenStream> {
    if block.trait_.is_some() {
        return None;
    }
    let functions = block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let mut near = None;
    for function in functions {
        if function.sig.ident == NAME {
            errors.extend(signature(function).err());
            return None;
        }
        if is_near(&function.sig.ident.to_string()) && takes_only_self(function) {
            near = Some(&function.sig.ident);
        }
    }
    let near = near?;
    if !block.generics.params.is_empty() {
        return None;
    }
    let (real, twin) = (&block.self_ty, twin_self(&block.self_ty).ok()?);
    Some(quote_spanned! {near.span()=>
        const _: fn() = || {
            #[allow(unused_imports)]
            use ::testsmith::korat::twin::AnythingGoes as _;
            ::testsmith::korat::twin::spelled::<#real, #twin, _>(|#near| #near.rep_ok());
        };
    })
}

/// A predicate for a twin whose own was refused, so that one mistake is not
/// reported a second time by what looks for it.
pub fn stand_in(item: &TokenStream) -> Option<TokenStream> {
    let block: ItemImpl = syn::parse2(item.clone()).ok()?;
    let has_one = block.items.iter().any(|item| match item {
        ImplItem::Fn(function) => function.sig.ident == NAME,
        _ => false,
    });
    if !has_one || block.trait_.is_some() || !block.generics.params.is_empty() {
        return None;
    }
    let twin = twin_self(&block.self_ty).ok()?;
    Some(quote! {
        #[doc(hidden)]
        impl #twin {
            #[allow(dead_code)]
            pub fn rep_ok(&self) -> bool { true }
        }
    })
}

/// The block with a predicate that can be asked in the place of one that was
/// refused, so that those who ask do not report it a second time.
pub fn mended(item: &TokenStream) -> Option<TokenStream> {
    let mut block: ItemImpl = syn::parse2(item.clone()).ok()?;
    let refused = block.items.iter_mut().find_map(|item| match item {
        ImplItem::Fn(function) if function.sig.ident == NAME => Some(function),
        _ => None,
    })?;
    signature(refused).err()?;
    let (vis, name) = (&refused.vis, &refused.sig.ident);
    *refused = syn::parse_quote!(#vis fn #name(&self) -> bool { true });
    Some(quote!(#[allow(dead_code)] #block))
}

fn signature(function: &ImplItemFn) -> syn::Result<()> {
    let signature = &function.sig;
    let text = "the search asks `fn rep_ok(&self) -> bool`; it only looks, and may return a \
                `Result` instead";
    let shared =
        |receiver: &syn::Receiver| receiver.reference.is_some() && receiver.mutability.is_none();
    match signature.inputs.first() {
        Some(FnArg::Receiver(receiver)) if shared(receiver) => {}
        Some(other) => return Err(syn::Error::new_spanned(other, text)),
        None => return Err(syn::Error::new(signature.ident.span(), text)),
    }
    if let Some(second) = signature.inputs.iter().nth(1) {
        return Err(syn::Error::new_spanned(second, text));
    }
    match &signature.output {
        ReturnType::Type(_, ty) if answers(ty) => Ok(()),
        ReturnType::Type(_, ty) => Err(syn::Error::new_spanned(ty, text)),
        ReturnType::Default => Err(syn::Error::new(signature.ident.span(), text)),
    }
}

/// Whether a type is written like one that says yes or no. An alias that ends
/// in `Result` is one, as far as its name tells.
fn answers(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last()
        .is_some_and(|last| last.ident == "bool" || last.ident.to_string().ends_with("Result")))
}

fn takes_only_self(function: &ImplItemFn) -> bool {
    let receiver = matches!(function.sig.inputs.first(), Some(FnArg::Receiver(_)));
    receiver && function.sig.inputs.len() == 1
}

/// Whether a name is `rep_ok` but for a few letters, its case, or words such
/// as `is` before it.
fn is_near(name: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace('_', "");
    let name = plain(name);
    let name =
        ["is", "check", "has"].iter().find_map(|word| name.strip_prefix(word)).unwrap_or(&name);
    distance(name, &plain(NAME)) <= NEAR
}

/// The number of letters to change, add or take away, or neighbours to swap.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut least =
                    (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn names_that_are_meant_to_be_rep_ok_are_told_from_others() {
        for near in ["repok", "rep_okay", "repOk", "reep_ok", "rep_ko", "is_rep_ok", "req_ok"] {
            assert!(is_near(near), "{near}");
        }
        for far in ["is_empty", "len", "depth", "rep_ok_of_the_rest", "ordered", "repair"] {
            assert!(!is_near(far), "{far}");
        }
    }
}
