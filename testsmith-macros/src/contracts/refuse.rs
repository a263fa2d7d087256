//! Postconditions that cannot mean what they say, refused where they stand.
//!
//! The compiler would refuse most of them too, but in terms of closures that nobody
//! wrote. What a clause may not do by itself is in [`super::restrictions`].

use quote::ToTokens;
use syn::Expr;

use super::checks::Checks;
use super::clause::Kind;
use super::invariant::holds_borrow_of_self;
use super::names::{self, SelfKind};
use super::{body, text};

impl Checks<'_> {
    /// A by-value parameter that the body may change has no clear meaning in a
    /// postcondition.
    pub(super) fn refuse_changed_parameters(&self) -> syn::Result<()> {
        let own_self = names::receiver(&self.item.sig)
            .filter(|receiver| receiver.reference.is_none() && receiver.mutability.is_some())
            // `mut self: Pin<&mut Self>` is still a borrow of the same object.
            .filter(|_| self.self_kind != Some(SelfKind::Typed { unique: true, owned: false }))
            .map(|_| "self".to_owned());
        let mutable = self.parameters.iter().filter(|parameter| parameter.mutable);
        let mutable = mutable.map(|parameter| parameter.ident.to_string()).chain(own_self);
        let mutable: Vec<String> = mutable.collect();
        for clause in self.clauses.iter().filter(|clause| clause.kind == Kind::Ensures) {
            let expr = self.olds.lower(clause.condition.expr());
            for name in &mutable {
                if let Some(span) = names::mention(&expr, name) {
                    let error = format!(
                        "`{name}` is `mut`, so the body may have changed it by now: say \
                         `old({name})` for the value it was called with"
                    );
                    return Err(syn::Error::new(span, error));
                }
            }
        }
        Ok(())
    }

    /// A borrow of what the body may change would see the change, or be in its way.
    pub(super) fn refuse_old_borrows(&self) -> syn::Result<()> {
        for old in &self.olds.captured {
            let Expr::Reference(reference) = &old.expr else { continue };
            let Some(root) = names::root(&reference.expr) else { continue };
            let own = root == "self" && self.self_kind == Some(SelfKind::Unique);
            let mut unique = self.parameters.iter().filter(|parameter| parameter.unique_reference);
            if own || unique.any(|parameter| parameter.ident == *root) {
                let place = text::of(reference.expr.to_token_stream());
                let error = format!(
                    "this borrows what the body may change: say `old({place})` for a copy, or \
                     `old(..)` of what is to be compared, such as its length"
                );
                return Err(syn::Error::new(old.span, error));
            }
        }
        Ok(())
    }

    pub(super) fn refuse_promises_of_no_return(&self) -> syn::Result<()> {
        let promise = self.clauses.iter().find(|clause| clause.kind != Kind::Requires);
        match promise {
            Some(clause) if body::never_returns(&self.item.sig.output) => Err(syn::Error::new(
                clause.span,
                "this function never returns, so nothing can be checked afterwards",
            )),
            _ => Ok(()),
        }
    }

    /// A result that borrows from `&mut self` is all that can be looked at afterwards; the
    /// compiler would say so in terms of closures that nobody wrote.
    pub(super) fn refuse_borrowed_self(&self) -> syn::Result<()> {
        let unique = matches!(self.self_kind, Some(SelfKind::Unique));
        if !unique || !holds_borrow_of_self(&self.item.sig, false) {
            return Ok(());
        }
        for clause in self.clauses.iter().filter(|clause| clause.kind == Kind::Ensures) {
            let expr = self.olds.lower(clause.condition.expr());
            if let Some(span) = names::mention(&expr, "self") {
                let error = "the result still borrows `self`, so only the result can be looked \
                             at: say `ret`, or `old(..)` for what was before the call";
                return Err(syn::Error::new(span, error));
            }
        }
        Ok(())
    }
}
