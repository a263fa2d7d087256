//! `#[korat(calls)]` on a public `impl` block: what can be called to build a
//! value.
//!
//! ```ignore
//! #[korat(calls)]
//! impl Tree {
//!     pub fn new() -> Self { .. }
//!     pub fn add(&mut self, info: i32) -> bool { .. }
//! }
//! ```
//! expands to the block as written and
//! ```ignore
//! impl Calls for Tree {
//!     fn calls(api: &mut Api<Self>) {
//!         api.start("Tree::new", &[], |(): ()| Tree::new());
//!         api.change("add", &[Argument { of: "i32", borrowed: false }],
//!             |mut this: Self, (info,): (i32,)| { this.add(info); this });
//!     }
//! }
//! ```
//! Left out are functions that are not public, take arguments that are not
//! made of plain values, or neither make nor change the value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, Result, ReturnType, Type, Visibility};

use super::twin_impl::own_name;

pub fn calls(item: TokenStream) -> Result<TokenStream> {
    let block: ItemImpl = syn::parse2(item)?;
    let own = own_name(&block.self_ty)?;
    if !block.generics.params.is_empty() {
        let text = "the calls of a generic type cannot be listed: its arguments are not known";
        return Err(syn::Error::new_spanned(&block.generics, text));
    }
    let mut listed = TokenStream::new();
    for item in &block.items {
        if let ImplItem::Fn(function) = item {
            listed.extend(call(function, &own.to_string()));
        }
    }
    if listed.is_empty() {
        let text = "no public function here makes or changes a value with plain arguments";
        return Err(syn::Error::new_spanned(&block.self_ty, text));
    }
    let ty = &block.self_ty;
    Ok(quote! {
        #[automatically_derived]
        impl ::testsmith::korat::Calls for #ty {
            fn calls(api: &mut ::testsmith::korat::Api<Self>) {
                #listed
            }
        }
    })
}

/// The statement that lists one function, if it can be called.
fn call(function: &ImplItemFn, own: &str) -> Option<TokenStream> {
    let signature = &function.sig;
    let plain = matches!(function.vis, Visibility::Public(_))
        && signature.generics.type_params().next().is_none()
        && signature.asyncness.is_none()
        && signature.unsafety.is_none();
    if !plain {
        return None;
    }
    let mut receiver = None;
    let mut parameters = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(this) => receiver = Some(this),
            FnArg::Typed(typed) => parameters.push(parameter(&typed.pat, &typed.ty, &parameters)?),
        }
    }
    let name = &signature.ident;
    let makes = matches!(&signature.output, ReturnType::Type(_, ty) if is_own(ty, own));
    let types = parameters.iter().map(|parameter| &parameter.ty);
    let bindings: Vec<_> = parameters.iter().map(|parameter| &parameter.binding).collect();
    let passed: Vec<_> = parameters.iter().map(|parameter| &parameter.passed).collect();
    let how = parameters.iter().map(|Parameter { of, borrowed, .. }| {
        quote!(::testsmith::korat::twin::Argument { of: #of, borrowed: #borrowed })
    });
    let inputs = quote!((#(#bindings,)*): (#(#types,)*));
    let arguments = quote!(&[#(#how),*]);
    let text = match receiver {
        None => format!("{own}::{name}"),
        Some(_) => name.to_string(),
    };
    Some(match receiver {
        None if makes => quote! {
            api.start(#text, #arguments, |#inputs| Self::#name(#(#passed),*));
        },
        Some(this) if this.reference.is_some() && this.mutability.is_some() => quote! {
            api.change(#text, #arguments, |mut this: Self, #inputs| {
                let _ = this.#name(#(#passed),*);
                this
            });
        },
        _ => return None,
    })
}

/// A parameter made of plain values.
struct Parameter {
    binding: syn::Ident,
    /// The owned type that is enumerated.
    ty: Type,
    /// The expression that is passed.
    passed: TokenStream,
    of: String,
    borrowed: bool,
}

fn parameter(pattern: &Pat, ty: &Type, before: &[Parameter]) -> Option<Parameter> {
    let binding = match pattern {
        Pat::Ident(name) => name.ident.clone(),
        _ => format_ident!("argument_{}", before.len()),
    };
    let (target, borrowed) = match ty {
        Type::Reference(reference) if reference.mutability.is_none() => (&*reference.elem, true),
        Type::Reference(_) => return None,
        other => (other, false),
    };
    let owned: Type = match target {
        Type::Slice(slice) => {
            let element = &slice.elem;
            syn::parse_quote!(::std::vec::Vec<#element>)
        }
        Type::Path(path) if borrowed && path.path.is_ident("str") => {
            syn::parse_quote!(::std::string::String)
        }
        other => other.clone(),
    };
    let of = plain_type(target)?;
    let passed = if borrowed { quote!(&#binding) } else { quote!(#binding) };
    Some(Parameter { binding, ty: owned, passed, of, borrowed })
}

/// The plain type that a type is made of: itself, or what it contains.
fn plain_type(ty: &Type) -> Option<String> {
    const PLAIN: &[&str] = &[
        "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
        "bool", "char",
    ];
    match ty {
        Type::Slice(slice) => plain_type(&slice.elem),
        Type::Array(array) => plain_type(&array.elem),
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            let name = last.ident.to_string();
            if PLAIN.contains(&name.as_str()) {
                return Some(name);
            }
            match (name.as_str(), &last.arguments) {
                ("String" | "str", _) => Some("char".to_owned()),
                ("Option" | "Vec", syn::PathArguments::AngleBracketed(arguments)) => {
                    match arguments.args.first()? {
                        syn::GenericArgument::Type(inside) => plain_type(inside),
                        _ => None,
                    }
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_own(ty: &Type, own: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last()
        .is_some_and(|last| last.ident == "Self" || last.ident == own))
}
