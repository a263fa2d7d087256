//! What a clause may not do.
//!
//! A clause only looks. Most of that is left to the compiler, which sees it
//! inside a closure that may not change anything; here is what can be said more
//! clearly from the syntax: assignments, `&mut`, leaving the function, and calls
//! of methods that the same block shows not to be pure.

use std::collections::HashMap;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprMethodCall, Signature};

use super::clause::{Clause, Kind};
use super::names::{self, SelfKind};

/// What a block shows of its methods.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MethodTraits {
    pub pure: bool,
    pub takes: Option<SelfKind>,
}

/// The methods of the block a clause stands in, as far as they are visible.
#[derive(Default)]
pub struct Neighbours(HashMap<String, MethodTraits>);

impl Neighbours {
    pub fn add(&mut self, signature: &Signature, pure: bool) {
        let takes = names::receiver(signature).map(names::self_kind);
        self.0.insert(signature.ident.to_string(), MethodTraits { pure, takes });
    }

    /// A block that marks any method holds its clauses to the marked ones.
    fn disciplined(&self) -> bool {
        self.0.values().any(|method| method.pure)
    }
}

/// Refuses clauses that do more than look.
pub fn check(clause: &Clause, neighbours: &Neighbours) -> syn::Result<()> {
    let expr = clause.condition.expr();
    let mut visitor = Conduct {
        clause,
        neighbours,
        local: names::bound_inside(expr),
        closures: 0,
        loops: 0,
        error: None,
    };
    visitor.visit_expr(expr);
    match visitor.error {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

struct Conduct<'a> {
    clause: &'a Clause,
    neighbours: &'a Neighbours,
    local: Vec<String>,
    closures: usize,
    loops: usize,
    error: Option<syn::Error>,
}

impl Conduct<'_> {
    fn refuse(&mut self, at: &impl Spanned, why: impl std::fmt::Display) {
        let error = syn::Error::new(at.span(), why);
        match &mut self.error {
            Some(errors) => errors.combine(error),
            None => self.error = Some(error),
        }
    }

    /// Variables of the clause itself may be changed.
    fn is_local(&self, expr: &Expr) -> bool {
        names::root(expr).is_some_and(|root| self.local.contains(&root.to_string()))
    }

    fn refuse_change(&mut self, target: &Expr) {
        if !self.is_local(target) {
            self.refuse(target, "a contract only looks: it may not change anything");
        }
    }
}

impl<'ast> Visit<'ast> for Conduct<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Assign(assign) => self.refuse_change(&assign.left),
            Expr::Binary(binary) if assigns(&binary.op) => self.refuse_change(&binary.left),
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.refuse_change(&reference.expr);
            }
            Expr::Return(_) if self.closures == 0 => {
                self.refuse(expr, "a contract is a condition: it may not return from the function");
            }
            Expr::Try(attempt) if self.closures == 0 => {
                self.refuse(
                    &attempt.question_token,
                    "a contract is a condition: `?` would leave the function",
                );
            }
            Expr::Await(wait) if self.closures == 0 => {
                self.refuse(&wait.await_token, "a contract is evaluated at once: it may not await");
            }
            Expr::Break(_) | Expr::Continue(_) if self.loops == 0 => {
                self.refuse(expr, "there is no loop in this contract to leave");
            }
            Expr::Call(call) if is_old(&call.func) && self.clause.kind != Kind::Ensures => {
                let kind = self.clause.kind.word();
                let error =
                    format!("`old(..)` only means something after the call; this is `{kind}`");
                self.refuse(&call.func, error);
            }
            _ => {}
        }
        match expr {
            Expr::Closure(_) | Expr::Async(_) => {
                self.closures += 1;
                visit::visit_expr(self, expr);
                self.closures -= 1;
            }
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                self.loops += 1;
                visit::visit_expr(self, expr);
                self.loops -= 1;
            }
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let on_self = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
        let method = self.neighbours.0.get(&call.method.to_string()).copied();
        if let (true, Some(method)) = (on_self, method)
            && !method.pure
        {
            let name = &call.method;
            let changes = matches!(
                method.takes,
                Some(SelfKind::Unique | SelfKind::Typed { unique: true, .. })
            );
            if changes {
                self.refuse(name, format!("`{name}` takes `&mut self`: a contract only looks"));
            } else if self.neighbours.disciplined() {
                let error = format!("a contract calls pure methods only: mark `{name}` `#[pure]`");
                self.refuse(name, error);
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Whether an expression is the bare word `old`.
pub fn is_old(function: &Expr) -> bool {
    matches!(function, Expr::Path(path) if path.path.is_ident("old"))
}

fn assigns(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
