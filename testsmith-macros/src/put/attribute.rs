//! The expansion of `#[put]`.
//!
//! The function stays as it is, callable with arguments; beside it comes a
//! module of the same name, in tests only:
//!
//! ```text
//! fn adding(list: Vec<i32>, x: i32) { … }
//! #[cfg(test)]
//! mod adding {
//!     use super::*;
//!     fn run(source: &mut Source<'_>) {
//!         let list: Vec<i32> = source.parameter("list", LIMITS, Input::decode);
//!         let x: i32 = source.parameter("x", LIMITS, Input::decode);
//!         source.complete();
//!         super::adding(list, x);
//!     }
//!     fn __testsmith_put(bytes: &[u8]) { run(&mut Source::new(bytes)) }
//!     #[used] static EXPLORED: fn(&[u8]) = __testsmith_put;
//!     const IDENTITY: &str = …;   // what whoever builds it says that it is
//!     fn __testsmith_identity(bytes: &[u8]) { is_identity(bytes, IDENTITY) }
//!     #[test] fn put() { check(&Put { … }) }
//!     include!("…/tests/puts/src/list.adding.rs");   // if it exists
//! }
//! ```
//!
//! `__testsmith_put` is what an exploration enters; nothing calls it, so it is
//! kept by `#[used]`. The included file holds the closed tests of earlier
//! explorations; they may call private functions because they are inside.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, FnArg, Ident, ItemFn, Pat, Type};

use super::options::Options;

/// How one parameter is decoded and passed on.
struct Parameter {
    name: Ident,
    pass: TokenStream,
    write: TokenStream,
    decode: TokenStream,
    max_bytes: TokenStream,
    bound: String,
}

pub fn attribute(
    arguments: TokenStream,
    item: TokenStream,
    file: &str,
) -> syn::Result<TokenStream> {
    let mut options: Options = syn::parse2(arguments)?;
    let mut function: ItemFn = syn::parse2(item)?;
    let of_test = attributes_of_test(&mut function.attrs, &mut options)?;
    let signature = &function.sig;
    if let Some(token) = &signature.unsafety {
        let text = "a put is a safe function: write `unsafe { .. }` inside it";
        return Err(syn::Error::new(token.span, text));
    }
    if let Some(bad) = signature.asyncness.map(|token| token.span) {
        return Err(syn::Error::new(bad, "a put is an ordinary function, not an async one"));
    }
    if !signature.generics.params.is_empty() {
        let text = "a put has no generic parameters: its inputs have concrete types";
        return Err(syn::Error::new_spanned(&signature.generics, text));
    }
    // A result nobody looks at would let a failure pass for a success.
    if let syn::ReturnType::Type(_, ty) = &signature.output {
        return Err(syn::Error::new_spanned(ty, "a put returns nothing: it asserts, or unwraps"));
    }
    let mut parameters = vec![];
    for argument in &signature.inputs {
        parameters.push(parameter(argument, &options)?);
    }
    let bounded = options.lens.iter().map(|(name, _)| name);
    let listed = options.values.iter().map(|(name, _)| name);
    for name in bounded.chain(listed) {
        if !parameters.iter().any(|parameter| parameter.name == *name) {
            return Err(syn::Error::new(name.span(), format!("no parameter is called {name}")));
        }
    }
    let module = module(&function, &options, &parameters, &of_test, file);
    // What a put is about comes by value or by reference, as it reads best.
    Ok(quote! {
        #[cfg_attr(not(test), allow(dead_code))]
        #[allow(clippy::needless_pass_by_value)]
        #function
        #module
    })
}

/// Takes what is meant for the test: `#[should_panic]` becomes the option, `#[ignore]`
/// goes to the test that is made.
fn attributes_of_test(
    attributes: &mut Vec<Attribute>,
    options: &mut Options,
) -> syn::Result<Vec<Attribute>> {
    let mut of_test = Vec::new();
    let mut kept = Vec::with_capacity(attributes.len());
    for attribute in attributes.drain(..) {
        let path = attribute.path();
        if path.is_ident("should_panic") {
            options.take_should_panic(&attribute)?;
        } else if path.is_ident("ignore") {
            of_test.push(attribute);
        } else if path.is_ident("test") {
            let text = "a put is a test already: leave out `#[test]`";
            return Err(syn::Error::new_spanned(attribute, text));
        } else {
            kept.push(attribute);
        }
    }
    *attributes = kept;
    Ok(of_test)
}

/// The tokens as they read one module further inside: `super::T` is `super::super::T`
/// there, and `self::T` is `super::T`.
fn one_module_deeper(tokens: TokenStream) -> TokenStream {
    let mut result = TokenStream::new();
    let mut in_path = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let colon = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ':');
        let leads = !in_path && tokens.peek().is_some_and(colon);
        in_path = colon(&token);
        match token {
            TokenTree::Ident(word) if leads && word == "super" => {
                result.extend(quote_spanned!(word.span()=> super::super));
            }
            TokenTree::Ident(word) if leads && word == "self" => {
                result.extend(quote_spanned!(word.span()=> super));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), one_module_deeper(group.stream()));
                inner.set_span(group.span());
                result.extend([TokenTree::Group(inner)]);
            }
            other => result.extend([other]),
        }
    }
    result
}

fn parameter(argument: &FnArg, options: &Options) -> syn::Result<Parameter> {
    let FnArg::Typed(typed) = argument else {
        return Err(syn::Error::new_spanned(argument, "a put is a function, not a method"));
    };
    let Pat::Ident(pattern) = &*typed.pat else {
        return Err(syn::Error::new_spanned(&typed.pat, "a parameter of a put has a plain name"));
    };
    let ty: Type = syn::parse2(one_module_deeper(typed.ty.to_token_stream()))?;
    let name = pattern.ident.clone();
    let len = options.len_of(&name);
    let depth = options.depth;
    let limits = quote!(::testsmith::put::Limits { len: #len, depth: #depth });
    let text = name.to_string();
    let (owned, pass, write) = owned(&ty, &name);
    if let Some(values) = options.values_of(&name) {
        let count = values.len();
        let texts: Vec<String> = values.iter().map(|value| quote!(#value).to_string()).collect();
        let written = texts.clone();
        let values = values.iter().map(|value| one_module_deeper(value.to_token_stream()));
        let numbers = 0..count;
        let decode = quote! {
            let index = source.parameter(#text, #limits, |source| source.choice(#count));
            let #name: #owned = match index { #(#numbers => #values,)* _ => unreachable!() };
        };
        let by_reference = matches!(ty, Type::Reference(_));
        let write = if by_reference {
            quote!(format!("&{}", [#(#written),*][index]))
        } else {
            quote!([#(#written),*][index].to_owned())
        };
        let bound = format!("{text} among {count} candidate values");
        return Ok(Parameter { name, pass, write, decode, max_bytes: quote!(1), bound });
    }
    let decode = quote! {
        let mut #name: #owned = source.parameter(#text, #limits, |source| {
            <#owned as ::testsmith::put::Input>::decode(source)
        });
    };
    let max_bytes = quote!(<#owned as ::testsmith::put::Input>::max_bytes(#limits));
    let bound = if is_sized(&ty) {
        String::new()
    } else {
        format!("{text}: at most {len} elements, {depth} levels")
    };
    Ok(Parameter { name, pass, write, decode, max_bytes, bound })
}

/// The owned type behind a parameter, how it is passed, how it is written down.
fn owned(ty: &Type, name: &Ident) -> (TokenStream, TokenStream, TokenStream) {
    // With the type written out, what is wrong with it is said of it, once.
    let expression =
        |ty: &TokenStream| quote!(<#ty as ::testsmith::put::Input>::expression(&#name));
    let Type::Reference(reference) = ty else {
        let ty = quote!(#ty);
        let expression = expression(&ty);
        return (ty, quote!(#name), expression);
    };
    let (pass, prefix) = match reference.mutability {
        Some(_) => (quote!(&mut #name), "&mut "),
        None => (quote!(&#name), "&"),
    };
    let write = |ty: TokenStream| {
        let expression = expression(&ty);
        (ty, quote!(format!("{}{}", #prefix, #expression)))
    };
    let (ty, write) = match &*reference.elem {
        Type::Path(path) if path.path.is_ident("str") => {
            (quote!(::std::string::String), quote!(format!("{:?}", #name)))
        }
        Type::Slice(slice) => {
            let element = &slice.elem;
            write(quote!(::std::vec::Vec<#element>))
        }
        other => write(quote!(#other)),
    };
    (ty, pass, write)
}

/// Whether a type is surely of one size, so that no bound need be mentioned.
fn is_sized(ty: &Type) -> bool {
    const PLAIN: &[&str] = &[
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "bool", "char", "f32", "f64",
    ];
    match ty {
        Type::Path(path) => PLAIN.iter().any(|plain| path.path.is_ident(plain)),
        Type::Reference(reference) => is_sized(&reference.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_sized),
        Type::Array(array) => is_sized(&array.elem),
        _ => false,
    }
}

fn module(
    function: &ItemFn,
    options: &Options,
    parameters: &[Parameter],
    of_test: &[Attribute],
    file: &str,
) -> TokenStream {
    let name = &function.sig.ident;
    let text = name.to_string();
    let decode: Vec<_> = parameters.iter().map(|p| &p.decode).collect();
    let pass: Vec<_> = parameters.iter().map(|p| &p.pass).collect();
    let max_bytes: Vec<_> = parameters.iter().map(|p| &p.max_bytes).collect();
    let decode_and_write = parameters.iter().map(|p| {
        let (decode, write) = (&p.decode, &p.write);
        quote!(#decode arguments.push(#write);)
    });
    let bounds: Vec<&str> =
        parameters.iter().map(|p| p.bound.as_str()).filter(|b| !b.is_empty()).collect();
    let bounds = bounds.join(", ");
    let (cases, allow_empty) = (options.cases, options.allow_empty);
    let expectation = match &options.should_panic {
        None => quote!(Returns),
        Some(None) => quote!(Panics),
        Some(Some(text)) => quote!(PanicsWith(#text)),
    };
    let entries = entries(options);
    let stem = case_stem(file, &text);
    let store = format!("{stem}.cases");
    let included = included(&stem);
    quote! {
        #[cfg(test)]
        #[allow(unused_imports, unused_mut, unused_variables, clippy::all)]
        mod #name {
            use super::*;

            fn run(source: &mut ::testsmith::put::Source<'_>) {
                #(#decode)*
                source.complete();
                super::#name(#(#pass),*);
            }

            fn call(source: &mut ::testsmith::put::Source<'_>) -> ::std::string::String {
                let mut arguments: ::std::vec::Vec<::std::string::String> = ::std::vec::Vec::new();
                #(#decode_and_write)*
                format!("{}({})", #text, arguments.join(", "))
            }

            fn max_bytes() -> usize {
                0 #(+ #max_bytes)*
            }

            #entries

            #[test]
            #(#of_test)*
            fn put() {
                ::testsmith::put::check(&::testsmith::put::Put {
                    module: module_path!(),
                    name: #text,
                    manifest_dir: env!("CARGO_MANIFEST_DIR"),
                    file: file!(),
                    line: line!(),
                    expectation: ::testsmith::put::Expectation::#expectation,
                    cases: #cases,
                    run,
                    call,
                    max_bytes,
                    bounds: #bounds,
                    store: #store,
                    allow_empty: #allow_empty,
                    identity: IDENTITY,
                });
            }

            #included
        }
    }
}

/// What an exploration looks for in the bitcode: the put, what its panic has to say, and
/// what was built.
fn entries(options: &Options) -> TokenStream {
    let text_check = match &options.should_panic {
        Some(Some(expected)) => quote! {
            fn __testsmith_text(arguments: ::core::fmt::Arguments<'_>) -> bool {
                ::testsmith::put::text_matches(arguments, #expected)
            }
            #[used]
            static TEXT: fn(::core::fmt::Arguments<'_>) -> bool = __testsmith_text;
        },
        _ => TokenStream::new(),
    };
    quote! {
        fn __testsmith_put(bytes: &[u8]) {
            run(&mut ::testsmith::put::Source::new(bytes))
        }

        #[used]
        static EXPLORED: fn(&[u8]) = __testsmith_put;

        #text_check

        /// What was built, in the words of whoever asked for the build.
        const IDENTITY: &str = match ::core::option_env!("TESTSMITH_IDENTITY") {
            ::core::option::Option::Some(identity) => identity,
            ::core::option::Option::None => "",
        };

        fn __testsmith_identity(bytes: &[u8]) {
            ::testsmith::put::is_identity(bytes, IDENTITY)
        }

        #[used]
        static IDENTIFIED: fn(&[u8]) = __testsmith_identity;
    }
}

/// Where what belongs to a put is kept, from the manifest's folder.
fn case_stem(file: &str, name: &str) -> String {
    let file = std::path::Path::new(file);
    let parts: Vec<String> = file
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    // Paths come from the workspace's root or from the package's: what counts is from
    // `src` or `tests` on.
    let start = parts.iter().rposition(|part| part == "src" || part == "tests").unwrap_or(0);
    format!("tests/puts/{}.{name}", parts[start..].join("."))
}

/// The closed tests written by an exploration, if there are any.
fn included(stem: &str) -> TokenStream {
    let Ok(folder) = std::env::var("CARGO_MANIFEST_DIR") else { return TokenStream::new() };
    let path = std::path::Path::new(&folder).join(format!("{stem}.rs"));
    if !path.is_file() {
        return TokenStream::new();
    }
    let path = path.to_string_lossy().into_owned();
    quote!(include!(#path);)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(arguments: TokenStream, item: TokenStream) -> String {
        attribute(arguments, item, "src/lib.rs").expect_err("it is refused").to_string()
    }

    #[test]
    fn what_a_put_cannot_be_is_said() {
        let none = TokenStream::new;
        let text = refused(
            none(),
            quote!(
                fn f(x: u8) -> Result<(), ()> {
                    Ok(())
                }
            ),
        );
        assert_eq!(text, "a put returns nothing: it asserts, or unwraps");
        let text = refused(
            none(),
            quote!(
                fn f<T>(x: T) {}
            ),
        );
        assert!(text.starts_with("a put has no generic parameters"), "{text}");
        let text = refused(
            none(),
            quote!(
                fn f(&self) {}
            ),
        );
        assert_eq!(text, "a put is a function, not a method");
        let text = refused(
            quote!(len(y = 3)),
            quote!(
                fn f(x: Vec<u8>) {}
            ),
        );
        assert_eq!(text, "no parameter is called y");
        let text = refused(
            quote!(size = 3),
            quote!(
                fn f(x: Vec<u8>) {}
            ),
        );
        assert!(text.starts_with("no option of a put is called size"), "{text}");
        let text = refused(
            none(),
            quote!(
                #[test]
                fn f(x: u8) {}
            ),
        );
        assert_eq!(text, "a put is a test already: leave out `#[test]`");
        let text = refused(
            none(),
            quote!(
                unsafe fn f(x: u8) {}
            ),
        );
        assert_eq!(text, "a put is a safe function: write `unsafe { .. }` inside it");
        let text = refused(
            quote!(should_panic),
            quote!(
                #[should_panic]
                fn f(x: u8) {}
            ),
        );
        assert!(text.starts_with("said twice"), "{text}");
        let text = refused(
            quote!(len = 300),
            quote!(
                fn f(x: Vec<u8>) {}
            ),
        );
        assert_eq!(text, "a length is one byte: at most 255");
    }

    #[test]
    fn paths_are_read_one_module_further_inside() {
        let check = |source: &str, expected: &str| {
            let tokens = one_module_deeper(source.parse().expect("it lexes")).to_string();
            let expected: TokenStream = expected.parse().expect("it lexes");
            assert_eq!(tokens, expected.to_string());
        };
        check("Vec<super::T>", "Vec<super::super::T>");
        check("self::T", "super::T");
        check("super::super::T", "super::super::super::T");
        check("(crate::T, &[super::U; 3])", "(crate::T, &[super::super::U; 3])");
    }

    #[test]
    fn cases_lie_under_the_path_of_the_source() {
        let stem = case_stem("subjects/puts/src/inner/list.rs", "adding");
        assert_eq!(stem, "tests/puts/src.inner.list.adding");
    }
}
