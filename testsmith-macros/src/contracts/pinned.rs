//! Bodies that take `self: Pin<&mut Self>`.
//!
//! A pinned reference is not lent again by itself, as a plain one is: a body that says
//! `self.get_mut()` or `self.project()` takes it away from whatever is looked at
//! afterwards. So the body gets one of its own,
//! ```text
//! let mut this = self;
//! let ret = run(|| { let mut inner = this.as_mut(); .. });
//! ```
//! with `inner` where the body says `self`, and what follows looks at `this`.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Ident, Item, Macro, Path, Type};

use super::checks::{Checks, Route};
use super::invariant::holds_borrow_of_self;
use super::names::{self, SelfKind};

/// A body with a pinned reference of its own.
pub(super) struct Pinned {
    /// Statements that come before it.
    pub start: TokenStream,
    pub body: Block,
    this: Ident,
}

impl Pinned {
    /// What follows the body.
    pub fn following(&self, tokens: TokenStream) -> TokenStream {
        renamed(tokens, &self.this)
    }
}

impl Checks<'_> {
    /// Whether the body is given a pinned reference of its own.
    pub fn pins(&self) -> bool {
        matches!(self.route, Route::Closure | Route::Labelled)
            && self.has_post()
            && self.pinned().is_some()
    }

    /// Nothing where `self` is taken otherwise, or is gone with the result.
    pub(super) fn pinned(&self) -> Option<Pinned> {
        let signature = &self.item.sig;
        let receiver = names::receiver(signature)?;
        let pin = matches!(&*receiver.ty, Type::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == "Pin"));
        let unique = self.self_kind == Some(SelfKind::Typed { unique: true, owned: false });
        if !pin || !unique || holds_borrow_of_self(signature, true) {
            return None;
        }
        let (this, inner) =
            (Ident::new("this", Span::mixed_site()), Ident::new("inner", Span::mixed_site()));
        let mut body = (*self.item.block).clone();
        let mut renaming = Renaming { inner: inner.clone(), possible: true };
        renaming.visit_block_mut(&mut body);
        let own = Ident::new("self", Span::call_site());
        let lent: syn::Stmt = syn::parse_quote! {
            #[allow(unused_mut, unused_variables)]
            let mut #inner = #this.as_mut();
        };
        body.stmts.insert(0, lent);
        let start = quote!(#[allow(unused_mut)] let mut #this = #own;);
        renaming.possible.then_some(Pinned { start, body, this })
    }
}

/// Writes another word for `self`, but not inside items, which have their own.
struct Renaming {
    inner: Ident,
    /// A text such as `"{self:?}"` cannot be made to mean another variable.
    possible: bool,
}

impl VisitMut for Renaming {
    fn visit_path_mut(&mut self, path: &mut Path) {
        match path.get_ident() {
            Some(own) if own == "self" => {
                let span = self.inner.span().located_at(own.span());
                *path = Ident::new(&self.inner.to_string(), span).into();
            }
            _ => visit_mut::visit_path_mut(self, path),
        }
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        self.possible &= !call.tokens.to_token_stream().to_string().contains("{self");
        call.tokens = renamed(call.tokens.clone(), &self.inner);
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}

/// The tokens with another word for `self`; `self::name` is a path and stays.
fn renamed(tokens: TokenStream, word: &Ident) -> TokenStream {
    let mut result = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let path = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        result.extend([match token {
            TokenTree::Ident(own) if own == "self" && !path => {
                let span = word.span().located_at(own.span());
                TokenTree::Ident(Ident::new(&word.to_string(), span))
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), renamed(group.stream(), word));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        }]);
    }
    result
}
