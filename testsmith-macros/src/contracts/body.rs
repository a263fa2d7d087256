//! Ways to run a function's body so that something can follow it.
//!
//! - As a closure that is called once: `return` and `?` stay as they are, also
//!   those that come out of macros.
//! - As an `async` block, polled in place.
//! - As a labelled block, in a `const fn` and where the user tracks the caller,
//!   because closures cannot be used there. `return` becomes `break`; a `?` or a
//!   macro that might return could leave unseen, so they are refused.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, Lifetime, ReturnType, Type, parse_quote_spanned};

use super::runtime;

/// The result type with every `impl Trait` left to inference.
pub fn result_type(output: &ReturnType) -> Type {
    struct Opaque;
    impl VisitMut for Opaque {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            if matches!(ty, Type::ImplTrait(_)) {
                *ty = parse_quote_spanned!(ty.span()=> _);
            } else {
                visit_mut::visit_type_mut(self, ty);
            }
        }
    }
    match output {
        ReturnType::Default => parse_quote_spanned!(Span::call_site()=> ()),
        ReturnType::Type(_, ty) => {
            let mut ty = (**ty).clone();
            Opaque.visit_type_mut(&mut ty);
            ty
        }
    }
}

pub fn never_returns(output: &ReturnType) -> bool {
    matches!(output, ReturnType::Type(_, ty) if matches!(&**ty, Type::Never(_)))
}

/// The body as it stands, in a place where its braces are not needed. They are marked
/// as ours, because the compiler would tell the user to remove them.
pub fn in_place(block: &Block) -> Block {
    let mut block = block.clone();
    let span = block.brace_token.span.join();
    block.brace_token = syn::token::Brace(Span::mixed_site().located_at(span));
    block
}

/// The body as a closure that is called once.
pub fn closure(block: &Block, output: &ReturnType) -> TokenStream {
    let runtime = runtime();
    match output {
        ReturnType::Default => quote!(#runtime::run(|| #block)),
        ReturnType::Type(..) => {
            let ty = result_type(output);
            quote!(#runtime::run(|| -> #ty #block))
        }
    }
}

/// The body as a future that is polled one level deeper.
pub fn future(
    block: &Block,
    output: &ReturnType,
    moves: bool,
    object: &TokenStream,
) -> TokenStream {
    let runtime = runtime();
    let ty = result_type(output);
    let statements = &block.stmts;
    let moves = moves.then(|| quote!(move));
    // The first statement never runs; it tells inference what `?` converts to.
    let hint = quote_spanned! {Span::mixed_site()=>
        #[allow(unreachable_code, clippy::diverging_sub_expression, clippy::empty_loop)]
        if false {
            let never: #ty = loop {};
            return never;
        }
    };
    quote! {
        #runtime::deeper(::core::pin::pin!(async #moves { #hint #(#statements)* }), #object).await
    }
}

/// The body as a labelled block.
pub fn labelled(block: &Block) -> syn::Result<TokenStream> {
    struct Returns {
        label: Lifetime,
        error: Option<syn::Error>,
    }
    impl Returns {
        fn refuse(&mut self, at: Span, what: &str) {
            let error = format!(
                "{what} may leave this function without its postconditions being checked; in a \
                 `const fn` and under `#[track_caller]` write an explicit `return`"
            );
            self.error.get_or_insert(syn::Error::new(at, error));
        }
    }
    impl VisitMut for Returns {
        fn visit_expr_mut(&mut self, expr: &mut Expr) {
            match expr {
                Expr::Closure(_) | Expr::Async(_) | Expr::Const(_) => return,
                Expr::Try(attempt) => self.refuse(attempt.question_token.span(), "`?`"),
                _ => {}
            }
            visit_mut::visit_expr_mut(self, expr);
            if let Expr::Return(leave) = expr {
                let (label, value) = (&self.label, &leave.expr);
                *expr = parse_quote_spanned!(leave.return_token.span=> break #label #value);
            }
        }

        fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
            if !is_known(call) || mentions_return(call.tokens.clone()) {
                self.refuse(call.path.span(), "this macro");
            }
        }

        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
    }
    let label = Lifetime::new("'testsmith_body", Span::mixed_site());
    let mut block = block.clone();
    let mut returns = Returns { label: label.clone(), error: None };
    returns.visit_block_mut(&mut block);
    match returns.error {
        Some(error) => Err(error),
        None => Ok(quote!(#label: #block)),
    }
}

/// Macros of the standard library that never return from the function.
fn is_known(call: &syn::Macro) -> bool {
    const KNOWN: [&str; 16] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "concat",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "env",
        "format_args",
        "line",
        "matches",
        "panic",
        "stringify",
        "todo",
        "unreachable",
        "vec",
    ];
    call.path.segments.last().is_some_and(|last| KNOWN.iter().any(|known| last.ident == known))
}

fn mentions_return(tokens: TokenStream) -> bool {
    let text = tokens.to_token_stream().to_string();
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "return")
        || text.contains('?')
}
