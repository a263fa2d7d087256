//! `#[korat_test]`: a test function run on every valid input of a scope.
//!
//! ```ignore
//! #[korat_test(scope = 6, info = 1..=6)]
//! fn remove_keeps_the_rest(mut tree: SearchTree, info: i32) { .. }
//! ```
//! expands to
//! ```ignore
//! #[test]
//! fn remove_keeps_the_rest() {
//!     fn body(mut tree: SearchTree, info: i32) { .. }
//!     let finitization = Finitization::new(6).field("input.1", 1..=6);
//!     Test { name, parameters: &["tree", "info"], finitization, .. }
//!         .black_box::<(SearchTree, i32)>(|(tree, info)| body(tree, info), calls);
//! }
//! ```
//! where `calls` asks each parameter's type for public calls that build its
//! value, if it lists any.
//!
//! With `white_box` the body is compiled for the twins instead, and its reads
//! prune the search together with those of `rep_ok`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, FnArg, Ident, ItemFn, Pat, PatIdent, Result, Token, Type};

use super::rewrite::Rewriter;
use super::tokens_or_errors;

pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    tokens_or_errors(expand(arguments, item))
}

/// One `name = value` or bare `name`.
struct Argument {
    name: Ident,
    value: Option<Expr>,
}

impl syn::parse::Parse for Argument {
    fn parse(input: syn::parse::ParseStream) -> Result<Self> {
        let name = input.parse()?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Argument { name, value })
    }
}

/// What the attribute says.
struct Settings {
    finitization: TokenStream,
    /// How long one input may take.
    seconds: Expr,
    /// How long all may take.
    total: Option<Expr>,
    white_box: bool,
    allow_empty: bool,
    panics_are_invalid: bool,
}

impl Settings {
    fn parse(arguments: TokenStream, names: &[Ident], function: &ItemFn) -> Result<Settings> {
        let arguments = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(arguments)?;
        let (mut scope, mut finitization): (Option<Expr>, Option<Expr>) = (None, None);
        let mut domains = TokenStream::new();
        let mut settings = Settings {
            finitization: TokenStream::new(),
            seconds: syn::parse_quote!(10),
            total: None,
            white_box: false,
            allow_empty: false,
            panics_are_invalid: false,
        };
        for Argument { name, value } in arguments {
            let at = names.iter().position(|parameter| *parameter == name);
            match (name.to_string().as_str(), value, at) {
                (_, Some(value), Some(at)) => {
                    let path = format!("input.{at}");
                    domains.extend(quote!(let finitization = finitization.field(#path, #value);));
                }
                ("scope", Some(value), _) => scope = Some(value),
                ("finitization", Some(value), _) => finitization = Some(value),
                ("timeout_seconds", Some(value), _) => settings.seconds = value,
                ("total_seconds", Some(value), _) => settings.total = Some(value),
                ("white_box", None, _) => settings.white_box = true,
                ("allow_empty", None, _) => settings.allow_empty = true,
                ("panics", Some(value), _) => settings.panics_are_invalid = invalid(&value)?,
                _ => return Err(unknown(&name, names)),
            }
        }
        let bounds = match (finitization, scope) {
            (Some(expr), _) => quote!(#expr),
            (None, Some(scope)) => quote!(::testsmith::korat::Finitization::new(#scope)),
            (None, None) => {
                let text = "say how large inputs may be: `#[korat_test(scope = 4)]`";
                return Err(syn::Error::new(function.sig.ident.span(), text));
            }
        };
        settings.finitization = quote!({ let finitization = #bounds; #domains finitization });
        Ok(settings)
    }
}

/// The only thing that can be said of panics of `rep_ok`.
fn invalid(value: &Expr) -> Result<bool> {
    if let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = value
        && text.value() == "invalid"
    {
        return Ok(true);
    }
    let text = "write `panics = \"invalid\"`: candidates on which `rep_ok` panics are not valid";
    Err(syn::Error::new_spanned(value, text))
}

fn unknown(name: &Ident, parameters: &[Ident]) -> syn::Error {
    let parameters: Vec<String> = parameters.iter().map(|name| format!("`{name} = ..`")).collect();
    let text = format!(
        "`{name}` is neither a parameter nor a setting; write `scope = ..`, `finitization = ..`, \
         `timeout_seconds = ..` for one input, `total_seconds = ..` for all, `white_box`, \
         `allow_empty`, `panics = \"invalid\"`, or the values of a parameter: {}",
        parameters.join(", ")
    );
    syn::Error::new(name.span(), text)
}

fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let function: ItemFn = syn::parse2(item)?;
    if let Some(asyncness) = function.sig.asyncness {
        let text = "a structure test cannot be async: block on the future inside it";
        return Err(syn::Error::new(asyncness.span, text));
    }
    let parameters = parameters(&function)?;
    let names: Vec<Ident> = parameters.iter().map(|parameter| parameter.name.clone()).collect();
    let types: Vec<Type> = parameters.iter().map(|parameter| parameter.ty.clone()).collect();
    let settings = Settings::parse(arguments, &names, &function)?;
    let (name, attributes) = (&function.sig.ident, &function.attrs);
    let texts: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let type_texts: Vec<String> = types.iter().map(type_text).collect();
    let mutable = parameters.iter().map(|parameter| parameter.mutable);
    let at = (0..names.len()).map(syn::Index::from);
    let (functions, call) = if settings.white_box {
        white(&function, &parameters, &types)?
    } else {
        black(&function, &parameters, &types)
    };
    let Settings { finitization, seconds, total, allow_empty, panics_are_invalid, .. } = settings;
    let total = match total {
        None => quote!(::std::option::Option::None),
        Some(total) => quote! {
            ::std::option::Option::Some(::std::time::Duration::from_secs(#total))
        },
    };
    Ok(quote! {
        #[test]
        #(#attributes)*
        fn #name() {
            #functions
            fn calls(
                input: &(#(#types,)*),
                bounds: &::testsmith::korat::Bounds,
            ) -> ::std::vec::Vec<::std::option::Option<::std::string::String>> {
                #[allow(unused_imports)]
                use ::testsmith::korat::twin::{Listed as _, Sequence, Unlisted as _};
                ::std::vec![
                    #((&Sequence { wanted: &input.#at, name: #texts, bounds }).text()),*
                ]
            }
            let test = ::testsmith::korat::Test {
                name: concat!(module_path!(), "::", stringify!(#name)),
                parameters: &[
                    #(::testsmith::korat::twin::Parameter {
                        name: #texts, ty: #type_texts, mutable: #mutable
                    }),*
                ],
                finitization: #finitization,
                timeout: ::std::time::Duration::from_secs(#seconds),
                total: #total,
                allow_empty: #allow_empty,
                panics_are_invalid: #panics_are_invalid,
            };
            #call
        }
    })
}

/// A type as a person would write it.
fn type_text(ty: &Type) -> String {
    let text = quote!(#ty).to_string().replace(":: std :: vec :: Vec", "Vec");
    [" < ", "< ", " <", " >", " ,", ":: ", " ::", "& ", "[ ", " ]", "( ", " )", " ;"]
        .iter()
        .fold(text.replace(" < ", "<").replace(" > ", ">"), |text, spaced| {
            text.replace(spaced, spaced.trim())
        })
}

/// One input.
struct Parameter {
    name: Ident,
    /// The type of the value that is made for it.
    ty: Type,
    /// The `&` or `&mut` by which the body takes the value, if it borrows.
    borrow: Option<TokenStream>,
    /// Whether the body may change the value.
    mutable: bool,
}

impl Parameter {
    fn of(binding: &PatIdent, ty: &Type) -> Parameter {
        let name = binding.ident.clone();
        let Type::Reference(reference) = ty else {
            let mutable = binding.mutability.is_some();
            return Parameter { name, ty: ty.clone(), borrow: None, mutable };
        };
        let mutability = &reference.mutability;
        let mutable = mutability.is_some();
        let borrow = Some(quote!(& #mutability));
        match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") && mutability.is_none() => {
                Parameter { name, ty: syn::parse_quote!(&'static str), borrow: None, mutable }
            }
            Type::Slice(slice) => {
                let element = &slice.elem;
                let ty = syn::parse_quote!(::std::vec::Vec<#element>);
                Parameter { name, ty, borrow, mutable }
            }
            whole => Parameter { name, ty: whole.clone(), borrow, mutable },
        }
    }
}

fn parameters(function: &ItemFn) -> Result<Vec<Parameter>> {
    let mut parameters = Vec::new();
    for input in &function.sig.inputs {
        match input {
            FnArg::Typed(typed) => match &*typed.pat {
                Pat::Ident(name) => {
                    parameters.push(Parameter::of(name, &typed.ty));
                }
                other => return Err(syn::Error::new_spanned(other, "give the parameter a name")),
            },
            FnArg::Receiver(receiver) => {
                return Err(syn::Error::new_spanned(receiver, "a test is a free function"));
            }
        }
    }
    if parameters.is_empty() || parameters.len() > 6 {
        let text = "a structure test has one to six parameters: its inputs";
        return Err(syn::Error::new(function.sig.ident.span(), text));
    }
    Ok(parameters)
}

/// The function with the body, and the call that runs it on every input.
fn black(
    function: &ItemFn,
    parameters: &[Parameter],
    types: &[Type],
) -> (TokenStream, TokenStream) {
    let (inputs, output, block) = (&function.sig.inputs, &function.sig.output, &function.block);
    // A test takes its inputs as it is given them.
    let functions = quote! {
        #[allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps)]
        fn body(#inputs) #output #block
    };
    let (patterns, arguments): (Vec<TokenStream>, Vec<TokenStream>) = parameters
        .iter()
        .map(|Parameter { name, borrow, .. }| match borrow {
            Some(borrow) => (quote!(mut #name), quote!(#borrow #name)),
            None => (quote!(#name), quote!(#name)),
        })
        .unzip();
    let call = quote! {
        #[allow(unused_mut)]
        test.black_box::<(#(#types,)*)>(
            |(#(#patterns,)*)| ::testsmith::korat::twin::Returned::failure(body(#(#arguments),*)),
            calls,
        );
    };
    (functions, call)
}

fn white(
    function: &ItemFn,
    parameters: &[Parameter],
    types: &[Type],
) -> Result<(TokenStream, TokenStream)> {
    if let Some(at) = parameters.iter().position(|parameter| parameter.borrow.is_some()) {
        let text = "in a `white_box` test a parameter is taken by value";
        return Err(syn::Error::new_spanned(&function.sig.inputs[at], text));
    }
    let names = parameters.iter().map(|parameter| &parameter.name);
    let mut block = function.block.clone();
    let (own, output) = (&function.sig.ident, &function.sig.output);
    let mut errors = Vec::new();
    Rewriter::new(own, &[], &mut errors).visit_block_mut(&mut block);
    if let Some(error) = errors.into_iter().next() {
        return Err(error);
    }
    let at = (0..parameters.len()).map(syn::Index::from);
    let quiet = super::quiet();
    let functions = quote! {
        #quiet
        fn twin_body(input: &<(#(#types,)*) as ::testsmith::korat::Korat>::Twin) #output {
            use ::testsmith::korat::twin::{
                Elements as _, Patterned as _, PatternedArray as _, ReadCell as _, ReadPlain as _,
            };
            #(let mut #names = ::testsmith::korat::TwinType::share(&*input.#at);)*
            #block
        }
        fn fails(input: &<(#(#types,)*) as ::testsmith::korat::Korat>::Twin) -> bool {
            ::testsmith::korat::Test::fails::<(#(#types,)*), _>(input, twin_body)
        }
    };
    Ok((functions, quote!(test.white_box::<(#(#types,)*)>(fails, calls);)))
}
