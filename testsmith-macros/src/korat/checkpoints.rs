//! Where a predicate may go on after a failure, instead of from its start.
//!
//! ```ignore
//! fn rep_ok(&self) -> bool {
//!     let size = self.count();
//!     if size != self.size { return false; }
//!     self.ordered() && korat::sorted(&self.items)
//! }
//! ```
//! When one of the three checks fails the predicate fails, whatever comes
//! after. Each of them becomes a closure that is evaluated again if fields that
//! it read first have other values to try:
//! ```ignore
//!     // `must` is an argument
//!     if !guard(must, || !(size != (*self.size))) { return false; }
//!     guard(must, || self.__korat_ordered(must))
//!         && guard(must.undirected(), || sorted(must, ..))
//! ```
//! `must` says that the function was called where its failure is that of the
//! predicate; `necessary` hands that on to what it calls. A function fails by
//! `false`, `None` or an error.
//!
//! Runs on the code of the twin. Nothing here changes what a predicate says:
//! what `purity` does not let pass stays as it is.

use std::collections::{HashMap, HashSet};

use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, FnArg, ImplItem, ImplItemFn, Pat, ReturnType, Stmt, Type, UnOp, parse_quote,
};

use super::necessary::is_generator;
use super::purity::{Locals, is_copied_type, variable};

/// How a function says that the structure is not valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    False,
    None,
    /// The error may be made of fields, so it is made for every candidate and
    /// nothing is repeated.
    Error,
}

/// The bodies with checkpoints of those functions of a block that have any use
/// for the word; `worded` are those of which that is known.
pub fn with_checkpoints(
    items: &[ImplItem],
    failures: &HashMap<String, Failure>,
    worded: &HashSet<String>,
) -> HashMap<String, Block> {
    let mut bodies = HashMap::new();
    for item in items {
        let ImplItem::Fn(function) = item else { continue };
        let name = function.sig.ident.to_string();
        let Some(&failure) = failures.get(&name) else { continue };
        let locals = parameters(function);
        let mut body = function.block.clone();
        Checkpoints { failures, worded, failure, locals }.body(&mut body);
        if !quote!(#body).to_string().contains("__must") {
            continue;
        }
        if failure == Failure::Error {
            body.stmts.insert(0, parse_quote!(let __must = __must.once();));
        }
        bodies.insert(name, body);
    }
    bodies
}

/// How a function fails, unless it changes what it is called on.
pub fn failure(function: &ImplItemFn) -> Option<Failure> {
    let changes = function.sig.receiver().is_some_and(|this| {
        this.mutability.is_some() || this.reference.is_none() || this.colon_token.is_some()
    });
    let ReturnType::Type(_, ty) = &function.sig.output else { return None };
    let Type::Path(path) = &**ty else { return None };
    match path.path.segments.last()?.ident.to_string().as_str() {
        _ if changes => None,
        "bool" => Some(Failure::False),
        "Option" => Some(Failure::None),
        name if name.ends_with("Result") => Some(Failure::Error),
        _ => None,
    }
}

fn parameters(function: &ImplItemFn) -> Locals {
    let mut locals = Locals::default();
    locals.add("self".to_owned(), true, true, false);
    for input in &function.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let borrowed = match &*typed.ty {
            Type::Reference(reference) => Some(reference.mutability.is_some()),
            _ => None,
        };
        let before = locals.0.len();
        locals.bind(&typed.pat, is_copied_type(&typed.ty), borrowed == Some(false));
        for local in &mut locals.0[before..] {
            local.mutable |= borrowed == Some(true);
        }
    }
    locals
}

pub struct Checkpoints<'a> {
    /// How the functions of the block fail.
    pub failures: &'a HashMap<String, Failure>,
    /// Those of them that take the word.
    pub worded: &'a HashSet<String>,
    /// How the function at hand fails.
    pub failure: Failure,
    pub locals: Locals,
}

impl Checkpoints<'_> {
    fn body(&mut self, block: &mut Block) {
        self.block(block, true);
    }

    /// Statement by statement; if `last`, the block's value is the function's.
    fn block(&mut self, block: &mut Block, last: bool) {
        let outside = self.locals.0.len();
        let count = block.stmts.len();
        for at in 0..count {
            let (before, after) = block.stmts.split_at_mut(at + 1);
            let value = last && after.len() == 1;
            let failure = self.failure;
            let is_tested = |name: &str| {
                after.first().is_some_and(|next| tests(next, name, value.then_some(failure)))
            };
            match &mut before[at] {
                Stmt::Local(local) => self.binding(local, is_tested),
                Stmt::Expr(expr, None) if last && at + 1 == count => self.last(expr),
                Stmt::Expr(expr, _) => self.statement(expr),
                Stmt::Item(_) | Stmt::Macro(_) => {}
            }
        }
        self.locals.0.truncate(outside);
    }

    fn binding(&mut self, local: &mut syn::Local, is_tested: impl Fn(&str) -> bool) {
        if let Some(init) = &mut local.init {
            if let Some((_, expr)) = &mut init.diverge
                && !self.leaves(expr)
            {
                self.visit_expr_mut(expr);
            }
            let leaves = init.diverge.as_ref().is_some_and(|(_, expr)| self.leaves(expr));
            if leaves && is_some(&local.pat) {
                // Of other expressions nobody knows whether they are references.
                if self.own_failure(&init.expr) == Some(Failure::None) {
                    *init.expr = self.optional(&init.expr);
                } else {
                    self.visit_expr_mut(&mut init.expr);
                    self.necessary_value(&mut init.expr);
                }
            } else if init.diverge.is_none()
                && let Pat::Ident(name) = &local.pat
                && is_tested(&name.ident.to_string())
                && !matches!(*init.expr, Expr::Path(_))
            {
                *init.expr = self.must(&init.expr);
            } else {
                self.visit_expr_mut(&mut init.expr);
            }
        }
        let init = local.init.as_ref().map(|init| &*init.expr);
        self.locals.bind_let(&local.pat, init);
    }

    /// A statement, or a value that is not the function's.
    fn statement(&mut self, expr: &mut Expr) {
        self.visit_expr_mut(expr);
    }

    /// The value of the function.
    pub fn last(&mut self, expr: &mut Expr) {
        match expr {
            Expr::If(choice) => {
                let outside = self.condition(choice);
                self.block(&mut choice.then_branch, true);
                self.locals.0.truncate(outside);
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    self.last(otherwise);
                }
            }
            Expr::Match(choice) => self.arms(choice, true),
            Expr::Block(block) => self.block(&mut block.block, true),
            Expr::Unsafe(block) => self.block(&mut block.block, true),
            Expr::Paren(inside) => self.last(&mut inside.expr),
            Expr::Return(_) | Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                self.statement(expr);
            }
            other if self.failure == Failure::False => *other = self.must(other),
            other if self.own_failure(other) == Some(Failure::None) => {
                *other = self.optional(other);
            }
            other => {
                self.visit_expr_mut(other);
                self.necessary_value(other);
            }
        }
    }

    /// What a condition binds is in scope until the length returned.
    fn condition(&mut self, choice: &mut syn::ExprIf) -> usize {
        let outside = self.locals.0.len();
        let fails = self.returns(&choice.then_branch) && choice.else_branch.is_none();
        self.bindings(&choice.cond);
        match &mut *choice.cond {
            condition if fails && !binds(condition) => {
                let good = self.must_not(condition);
                *condition = parse_quote!(!(#good));
            }
            // All before it is true when the last of a chain is asked.
            Expr::Binary(both)
                if fails && matches!(both.op, BinOp::And(_)) && !binds(&both.right) =>
            {
                let good = self.must_not(&both.right);
                *both.right = parse_quote!(!(#good));
            }
            _ => {}
        }
        outside
    }

    /// The names that the `let`s of a condition bind.
    fn bindings(&mut self, condition: &Expr) {
        match condition {
            Expr::Let(binding) => {
                let reference = self.locals.is_reference(&binding.expr);
                self.locals.bind(&binding.pat, false, reference);
            }
            Expr::Binary(both) => {
                self.bindings(&both.left);
                self.bindings(&both.right);
            }
            Expr::Paren(inside) => self.bindings(&inside.expr),
            _ => {}
        }
    }

    fn arms(&mut self, choice: &mut syn::ExprMatch, last: bool) {
        let reference = self.locals.is_reference(&choice.expr);
        self.visit_expr_mut(&mut choice.expr);
        for arm in &mut choice.arms {
            let outside = self.locals.0.len();
            self.locals.bind(&arm.pat, false, reference);
            if last {
                self.last(&mut arm.body);
            } else {
                self.statement(&mut arm.body);
            }
            self.locals.0.truncate(outside);
        }
    }

    fn looped(&mut self, pat: Option<(&Pat, &Expr)>, condition: Option<&Expr>, body: &mut Block) {
        let outside = self.locals.0.len();
        if let Some((pat, over)) = pat {
            let (copied, reference) = self.elements(over);
            self.locals.bind(pat, copied, reference);
        }
        if let Some(condition) = condition {
            self.bindings(condition);
        }
        self.block(body, false);
        self.locals.0.truncate(outside);
    }

    /// Whether the elements of a sequence are copied, and references.
    fn elements(&self, over: &Expr) -> (bool, bool) {
        match over {
            Expr::Range(_) => (true, false),
            Expr::Reference(_) => (true, true),
            Expr::Paren(inside) => self.elements(&inside.expr),
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "iter" | "windows" | "chunks" => (true, true),
                "enumerate" => (self.elements(&call.receiver).0, false),
                "rev" | "skip" | "take" => self.elements(&call.receiver),
                _ => (false, false),
            },
            other => (false, self.locals.is_reference(other)),
        }
    }

    /// Whether a block is `return` with the failure.
    fn returns(&self, block: &Block) -> bool {
        matches!(&block.stmts[..], [Stmt::Expr(expr, _)] if self.leaves(expr))
    }

    /// Whether an expression leaves the function with its failure.
    fn leaves(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Return(value) => value.expr.as_ref().is_some_and(|value| match &**value {
                Expr::Lit(literal) => {
                    matches!(&literal.lit, syn::Lit::Bool(value) if !value.value)
                        && self.failure == Failure::False
                }
                Expr::Path(path) => path.path.is_ident("None") && self.failure == Failure::None,
                value => is_error(value) && self.failure == Failure::Error,
            }),
            Expr::Block(block) => self.returns(&block.block),
            _ => false,
        }
    }

    /// A check whose failure is the predicate's.
    fn must(&mut self, expr: &Expr) -> Expr {
        match expr {
            Expr::Paren(inside) => self.must(&inside.expr),
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                let (left, right) = (self.must(&both.left), self.must(&both.right));
                parse_quote!((#left && #right))
            }
            Expr::Binary(both) if matches!(both.op, BinOp::Or(_)) => {
                let (left, right) = (&both.left, self.must(&both.right));
                self.guarded(expr, parse_quote!(#left || #right))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => self.must_not(&unary.expr),
            Expr::Lit(_) => expr.clone(),
            _ => {
                let mut check = expr.clone();
                self.necessary(&mut check);
                self.guarded(expr, check)
            }
        }
    }

    /// As `must`, for a check that must come out false.
    fn must_not(&mut self, expr: &Expr) -> Expr {
        match expr {
            Expr::Paren(inside) => self.must_not(&inside.expr),
            Expr::Binary(both) if matches!(both.op, BinOp::Or(_)) => {
                let (left, right) = (self.must_not(&both.left), self.must_not(&both.right));
                parse_quote!((#left && #right))
            }
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                let (left, right) = (&both.left, self.must_not(&both.right));
                self.guarded(expr, parse_quote!(!(#left) || #right))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => self.must(&unary.expr),
            _ => {
                let mut check = expr.clone();
                self.unnecessary(&mut check);
                self.guarded(expr, parse_quote!(!(#check)))
            }
        }
    }

    /// A check that can be made again if the original can.
    fn guarded(&self, original: &Expr, check: Expr) -> Expr {
        let repeats = self.failure != Failure::Error;
        if repeats && reads(original) && self.locals.is_repeatable(original) {
            let undirected = is_generator(original).then(|| quote!(.undirected()));
            parse_quote!(::testsmith::korat::twin::guard(__must #undirected, || #check))
        } else {
            parse_quote!((#check))
        }
    }

    /// As `must`, for a value that must not be `None`.
    fn optional(&mut self, expr: &Expr) -> Expr {
        let mut value = expr.clone();
        if self.locals.is_repeatable(expr) {
            self.necessary_value(&mut value);
            return parse_quote!(::testsmith::korat::twin::guard_option(__must, || #value));
        }
        self.visit_expr_mut(&mut value);
        self.necessary_value(&mut value);
        parse_quote!((#value))
    }
}

impl VisitMut for Checkpoints<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            // What a closure or an inner function returns is its own.
            Expr::Closure(_) | Expr::Async(_) => {}
            Expr::If(choice) => {
                let outside = self.condition(choice);
                self.block(&mut choice.then_branch, false);
                self.locals.0.truncate(outside);
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            Expr::Match(choice) => self.arms(choice, false),
            Expr::Block(block) => self.block(&mut block.block, false),
            Expr::Unsafe(block) => self.block(&mut block.block, false),
            Expr::Loop(repeat) => self.looped(None, None, &mut repeat.body),
            Expr::While(repeat) => {
                let condition = repeat.cond.clone();
                self.looped(None, Some(&condition), &mut repeat.body);
            }
            Expr::ForLoop(repeat) => {
                let (pat, over) = (repeat.pat.clone(), repeat.expr.clone());
                self.looped(Some((&pat, &over)), None, &mut repeat.body);
            }
            Expr::Return(value) => {
                if let Some(value) = &mut value.expr
                    && !matches!(**value, Expr::Lit(_))
                {
                    if self.failure == Failure::False {
                        **value = self.must(value);
                    } else {
                        self.visit_expr_mut(value);
                        self.necessary_value(value);
                    }
                }
            }
            Expr::Try(tried) if self.failure == Failure::None => {
                let value = self.optional(&tried.expr);
                *tried.expr = value;
            }
            Expr::Try(tried) if self.failure == Failure::Error => {
                self.visit_expr_mut(&mut tried.expr);
                self.necessary_value(&mut tried.expr);
            }
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.block(block, false);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Whether an expression may read a field: one that computes with variables
/// alone fails for all values that might be tried.
fn reads(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Lit(_) => false,
        Expr::Paren(inside) => reads(&inside.expr),
        Expr::Unary(unary) => reads(&unary.expr),
        Expr::Binary(binary) => reads(&binary.left) || reads(&binary.right),
        Expr::Cast(cast) => reads(&cast.expr),
        Expr::Index(index) => reads(&index.expr) || reads(&index.index),
        _ => true,
    }
}

/// Whether a statement fails unless a variable is true, before anything else:
/// `if !name { .. }`, `name.then_some(..)?`, or, as the value of the function,
/// `name && ..` and `name.then_some(..)`.
fn tests(statement: &Stmt, name: &str, value: Option<Failure>) -> bool {
    let is_name = |expr: &Expr| variable(expr).as_deref() == Some(name);
    let is_option = |expr: &Expr| {
        matches!(expr, Expr::MethodCall(call) if is_name(&call.receiver)
            && (call.method == "then_some" || call.method == "then"))
    };
    let Stmt::Expr(expr, semicolon) = statement else { return false };
    let first = |mut expr: &Expr, wanted: fn(&BinOp) -> bool| {
        while let Expr::Binary(both) = expr
            && wanted(&both.op)
        {
            expr = &both.left;
        }
        expr.clone()
    };
    match expr {
        // What happens then must be the failure and nothing else.
        Expr::If(choice) => {
            let fails = matches!(&choice.then_branch.stmts[..], [Stmt::Expr(Expr::Return(value), _)]
                if value.expr.as_ref().is_some_and(|value| is_failure(value)));
            let Expr::Unary(unary) = first(&choice.cond, |op| matches!(op, BinOp::Or(_))) else {
                return false;
            };
            let not = matches!(unary.op, UnOp::Not(_));
            fails && not && is_name(&unary.expr) && choice.else_branch.is_none()
        }
        Expr::Try(tried) => is_option(&tried.expr),
        _ if value.is_none() || semicolon.is_some() => false,
        Expr::Path(_) => is_name(expr) && value == Some(Failure::False),
        Expr::Binary(_) => is_name(&first(expr, |op| matches!(op, BinOp::And(_)))),
        other => is_option(other),
    }
}

fn is_failure(value: &Expr) -> bool {
    match value {
        Expr::Lit(literal) => matches!(&literal.lit, syn::Lit::Bool(value) if !value.value),
        Expr::Path(path) => path.path.is_ident("None"),
        other => is_error(other),
    }
}

/// Whether an expression is written `Err(..)`.
fn is_error(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(call)
        if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Err")))
}

/// Whether a pattern takes every `Some` and nothing else.
fn is_some(pat: &Pat) -> bool {
    let Pat::TupleStruct(pat) = pat else { return false };
    let irrefutable = |part: &Pat| matches!(part, Pat::Ident(_) | Pat::Wild(_));
    pat.path.is_ident("Some") && pat.elems.iter().all(irrefutable)
}

/// Whether a condition has a `let` in it.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(both) => binds(&both.left) || binds(&both.right),
        Expr::Paren(inside) => binds(&inside.expr),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syn::ItemImpl;

    use super::super::necessary::word_for;
    use super::super::split::split;
    use super::*;

    /// The code of a block with checkpoints, without blanks and paths.
    fn with_checkpoints(block: &str) -> String {
        let mut block: ItemImpl = syn::parse_str(block).expect("an impl block");
        split(&mut block);
        let text = quote!(#block).to_string().replace(' ', "");
        let text = text.replace("::testsmith::korat::twin::", "");
        ["rep_ok", "ordered", "depth", "count"].iter().fold(text, |text, name| {
            text.replace(&format!("{}u64", word_for(name)), &name.to_uppercase())
        })
    }

    #[test]
    fn checks_whose_failure_is_the_predicates_are_guarded() {
        let text = with_checkpoints(
            "impl T {
                fn rep_ok(&self) -> bool {
                    let size = (*self.size);
                    if size > 3 || !self.ordered() { return false; }
                    let Some(depth) = Self::depth(&(*self.root), 0) else { return false };
                    depth < size && self.ordered()
                }
                fn ordered(&self) -> bool { (*self.low) < (*self.high) }
                fn depth(link: &Link, so_far: usize) -> Option<usize> { Self::depth(link, so_far)? }
            }",
        );
        assert!(
            text.contains("if!(((!(size>3))&&guard(__must,||self.__korat_ordered(__must)"),
            "{text}"
        );
        assert!(
            text.contains("guard_option(__must,||Self::__korat_depth(&(*self.root),0,__must))"),
            "{text}"
        );
        assert!(
            text.contains("((depth<size)&&guard(__must,||self.__korat_ordered(__must)))"),
            "{text}"
        );
    }

    #[test]
    fn what_may_not_be_repeated_or_means_no_failure_stays() {
        let text = with_checkpoints(
            "impl T {
                fn rep_ok(&self) -> bool {
                    let mut seen = Vec::new();
                    if !seen.insert(1) { return false; }
                    if self.ordered() { return true; }
                    let found = self.items.iter().any(|item| self.ordered());
                    found == self.ordered()
                }
                fn ordered(&self) -> bool { true }
                fn count(&self) -> usize { if !self.ordered() { return 0; } 1 }
            }",
        );
        assert!(text.contains("if!((seen.insert(1))){returnfalse;}"), "{text}");
        assert!(text.contains("ifself.ordered(){returntrue;}"), "{text}");
        assert!(text.contains("any(|item|self.ordered())"), "{text}");
        assert!(text.contains("guard(__must,||found==self.ordered())"), "{text}");
        assert!(
            text.contains("fncount(&self)->usize{forget_must();if!self.ordered(){return0;}1}"),
            "{text}"
        );
    }
}
