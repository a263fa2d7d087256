//! What a check says about itself: the clause's identity, the call it happens in,
//! and the closure that explains it.
//!
//! Shared by functions, invariants and loops. Writes no control flow.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

use super::clause::{Clause, Kind, place};
use super::{record, runtime};

/// The name of the variable that holds the call's scope.
pub fn scope() -> Ident {
    Ident::new("scope", Span::mixed_site())
}

/// In which call a check happens.
pub fn during(name: &str, moment: &str) -> TokenStream {
    let (runtime, scope) = (runtime(), scope());
    let moment = Ident::new(moment, Span::call_site());
    quote! {
        #runtime::During {
            occasion: const {
                &#runtime::Occasion {
                    function: #name,
                    path: || #runtime::path_of(|| ()),
                    moment: #runtime::Moment::#moment,
                }
            },
            depth: #scope.depth(),
        }
    }
}

/// The cold closure around an explanation; `capture` is `move` or nothing.
pub fn explanation_closure(capture: &TokenStream, explanation: &TokenStream) -> TokenStream {
    let runtime = runtime();
    quote_spanned! {Span::mixed_site()=>
        &#capture |notes: &mut #runtime::Notes| -> bool {
            #[allow(unused_imports)]
            use #runtime::{WithDebug as _, WithoutDebug as _};
            let _ = &notes;
            #explanation
        }
    }
}

pub fn static_clause(clause: &Clause, index: usize, name: &str) -> TokenStream {
    let kind = match clause.kind {
        Kind::Requires => "Requires",
        Kind::Ensures => "Ensures",
        Kind::Invariant => "Invariant",
        Kind::Loop => "Loop",
    };
    static_entry(kind, index, name, &clause.text, &clause.message, clause.span)
}

pub fn static_entry(
    kind: &str,
    index: usize,
    name: &str,
    text: &str,
    message: &str,
    span: Span,
) -> TokenStream {
    let runtime = runtime();
    let kind = Ident::new(kind, Span::call_site());
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    let (file, line, column) = place(span);
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (line, column) = (number(line), number(column));
    quote! {
        #runtime::StaticClause {
            kind: #runtime::Kind::#kind,
            index: #index,
            function: #name,
            text: #text,
            message: #message,
            file: #file,
            line: #line,
            column: #column,
        }
    }
}

/// The whole message of a check in a `const fn`, in the form that
/// `testsmith::contracts::Violation` reads.
pub fn constant_message(clause: &Clause, index: usize, moment: &str, name: &str) -> TokenStream {
    let (promise, advice) = match (clause.kind, moment) {
        (Kind::Requires, _) => ("Pre-condition", "the caller does not meet it"),
        (Kind::Ensures, _) => ("Post-condition", "the body does not keep it"),
        (Kind::Invariant, "before") => ("Invariant (as pre-condition)", "it was already broken"),
        (Kind::Invariant | Kind::Loop, _) => {
            ("Invariant (as post-condition)", "the body does not keep it")
        }
    };
    let (file, line, column) = clause.place();
    let message =
        if clause.message.is_empty() { String::new() } else { format!("{}: ", clause.message) };
    let start = format!(
        "{promise} of {name} violated: {message}{}\n  {advice}\n  written at {file}:{line}:{column}\n  \
         [testsmith-contract 1; kind={}; moment={moment}; clause={index}; depth=0; name={name}; \
         place={file}:{line}:{column}; caller=; function=",
        clause.text,
        clause.kind.word(),
    );
    let end = format!(
        "::{name}; message={}; text={}]",
        record::escape(&clause.message),
        record::escape(&clause.text)
    );
    quote!(::core::concat!(#start, ::core::module_path!(), #end))
}
