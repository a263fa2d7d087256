//! `#[korat]` on an `impl` block: the block, and the block again for the twin.
//!
//! ```ignore
//! #[korat]
//! impl Tree {
//!     fn rep_ok(&self) -> bool { self.size == count(&self.root) }
//! }
//! ```
//! expands to the block as written and
//! ```ignore
//! impl TreeTwin {
//!     fn rep_ok(&self) -> bool { enter(); (*self.size) == count(&(*self.root)) }
//! }
//! ```
//! Rust picks `Deref` or `DerefMut` for `(*e.f)`, whichever the use needs.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Ident, ImplItem, ItemImpl, Result, Type};

use super::rewrite::Rewriter;
use super::types::TypeRewriter;
use super::{abilities, bounds, predicate};
use super::{tokens_or_errors, twin_name};

pub fn twin_impl(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expanded = expand(arguments, item.clone());
    match expanded {
        Ok(twin) => quote!(#item #twin),
        Err(_) => {
            // The block itself stays, so that only our own error is shown.
            let error = tokens_or_errors(expanded);
            let stand_in = predicate::stand_in(&item);
            let item = predicate::mended(&item).unwrap_or(item);
            quote!(#item #stand_in #error)
        }
    }
}

fn expand(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    match arguments.to_string().as_str() {
        "" => {}
        "calls" => return super::calls::calls(item),
        _ => {
            let text = "write `#[korat]` for a predicate and what it calls, `#[korat(calls)]` for \
                        the public functions that build values";
            return Err(syn::Error::new_spanned(arguments, text));
        }
    }
    let span = item.span();
    let mut block: ItemImpl = syn::parse2(item).map_err(|_| {
        let text = "`#[korat]` goes on an `impl` block: put helpers of the predicate into one";
        syn::Error::new(span, text)
    })?;
    let own = own_name(&block.self_ty)?;
    if let Some((_, path, _)) = &block.trait_
        && path.segments.last().is_some_and(|last| abilities::has(&last.ident.to_string()))
    {
        return Ok(TokenStream::new());
    }
    let mut errors = Vec::new();
    let spelling = predicate::check(&block, &mut errors);
    bounds::extend_to_twins(&mut block.generics);
    let twin = twin_self(&block.self_ty)?;
    let real = std::mem::replace(&mut *block.self_ty, twin);
    for item in &mut block.items {
        rewrite_item(item, &own, &real, &mut errors);
    }
    super::split::split(&mut block);
    block.attrs.clear();
    if let Some(error) = errors.into_iter().reduce(|mut all, next| {
        all.combine(next);
        all
    }) {
        return Err(error);
    }
    let quiet = super::quiet();
    Ok(quote! {
        #[doc(hidden)]
        #quiet
        #block
        #spelling
    })
}

pub(super) fn own_name(ty: &Type) -> Result<Ident> {
    match ty {
        Type::Path(path) if path.qself.is_none() => {
            Ok(path.path.segments.last().expect("a path has segments").ident.clone())
        }
        other => Err(syn::Error::new_spanned(other, "expected an impl of a derived type")),
    }
}

/// `Node<T>` to `NodeTwin<T>`: the arguments stay real types.
pub(super) fn twin_self(ty: &Type) -> Result<Type> {
    let mut ty = ty.clone();
    if let Type::Path(path) = &mut ty {
        let last = path.path.segments.last_mut().expect("a path has segments");
        last.ident = twin_name(&last.ident);
    }
    Ok(ty)
}

fn rewrite_item(item: &mut ImplItem, own: &Ident, real: &Type, errors: &mut Vec<syn::Error>) {
    match item {
        ImplItem::Fn(function) => {
            function.attrs.retain(|attribute| attribute.path().is_ident("cfg"));
            let parameters = function.sig.generics.type_params();
            let kept: Vec<Ident> = parameters.map(|parameter| parameter.ident.clone()).collect();
            let mut rewriter = Rewriter::new(own, &kept, errors).within(real);
            rewriter.function(&mut function.sig, &mut function.block);
        }
        ImplItem::Const(constant) => {
            constant.attrs.retain(|attribute| attribute.path().is_ident("cfg"));
            let name = &constant.ident;
            constant.expr = syn::parse_quote!(<#real>::#name);
        }
        ImplItem::Type(associated) => {
            TypeRewriter { kept: &[] }.visit_type_mut(&mut associated.ty);
        }
        other => errors.push(syn::Error::new_spanned(
            other,
            "this item cannot be compiled for the twin; move it to another impl block",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expansion without blanks.
    fn expansion(item: TokenStream) -> String {
        twin_impl(TokenStream::new(), item).to_string().replace(' ', "")
    }

    fn check_error(item: TokenStream, expected: &str) {
        let error = expand(TokenStream::new(), item).expect_err("it cannot be rewritten");
        assert!(error.to_string().contains(expected), "{error}");
    }

    #[test]
    fn field_accesses_are_read_through_cells() {
        let text = expansion(quote! {
            impl Tree {
                fn rep_ok(&self) -> bool { self.left.size < self.size && self.pair.0 }
            }
        });
        assert!(text.contains("implTreeTwin{"), "{text}");
        assert!(text.contains("(*(*self.left).size)<(*self.size)"), "{text}");
        assert!(text.contains("*(&(*self.pair).0).korat_read()"), "{text}");
    }

    #[test]
    fn generators_get_the_cell_and_loops_spend_steps() {
        let text = expansion(quote! {
            impl Tree {
                fn rep_ok(&self) -> bool {
                    while self.more() {}
                    korat::holds(&self.size, korat::equal(self.count))
                }
            }
        });
        assert!(text.contains("twin::holds(__must.word(),&self.size,"), "{text}");
        assert!(text.contains("twin::equal((*self.count))"), "{text}");
        assert!(text.contains("whileself.more(){::testsmith::korat::twin::tick();}"), "{text}");
    }

    #[test]
    fn patterns_bind_fields_and_read_them_in_the_arm() {
        let text = expansion(quote! {
            impl Tree {
                fn depth(&self) -> usize {
                    match self { Tree::Leaf => 0, Tree::Fork(left, _) => left.depth() + 1 }
                }
            }
        });
        assert!(text.contains("Self::Fork(left,_)=>{letleft="), "{text}");
    }

    #[test]
    fn what_cannot_be_rewritten_says_what_to_write_instead() {
        check_error(
            quote!(impl T { fn f(&self) { match self { T::A(Some(x)) => {} } } }),
            "bind the field here and match on it",
        );
        check_error(
            quote!(impl T { fn f(&self) { my_macro!(self.size); } }),
            "write out what it expands to",
        );
        check_error(
            quote!(impl T { fn f(&self) -> bool { let s = self.size; korat::holds(&s, less(1)) } }),
            "name it in place",
        );
        check_error(quote!(impl T { async fn f(&self) {} }), "async");
        check_error(
            quote!(
                fn free() {}
            ),
            "goes on an `impl` block",
        );
        check_error(
            quote!(impl T { fn f(&self) { if let T { a } = self && *a > 1 {} } }),
            "nest another `if`",
        );
    }
}
