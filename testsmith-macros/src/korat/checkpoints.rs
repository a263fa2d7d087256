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
//!     let must = take_must();
//!     if !guard(must, || !(size != (*self.size))) { return false; }
//!     guard(must, || { must_next(must); self.ordered() }) && guard(plain, || sorted(..))
//! ```
//! `must` says that the function was called where its failure is that of the
//! predicate; `must_next` hands that on to a method of the same block. A
//! function fails by `false` or `None`.
//!
//! Runs on the code of the twin. Nothing here changes what a predicate says:
//! what `purity` does not let pass stays as it is.

use std::collections::HashMap;

use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, FnArg, ImplItem, ImplItemFn, ItemImpl, Pat, ReturnType, Stmt, Type, UnOp,
    parse_quote,
};

use super::purity::{Locals, is_copied_type, variable};

/// How a function says that the structure is not valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Failure {
    False,
    None,
}

/// Adds checkpoints to the functions of a block.
pub fn add(block: &mut ItemImpl) {
    let mut failures = HashMap::new();
    for item in &block.items {
        if let ImplItem::Fn(function) = item
            && let Some(failure) = failure(function)
        {
            failures.insert(function.sig.ident.to_string(), failure);
        }
    }
    for item in &mut block.items {
        if let ImplItem::Fn(function) = item
            && let Some(failure) = failure(function)
        {
            let locals = parameters(function);
            let mut checkpoints = Checkpoints { failures: &failures, failure, locals };
            checkpoints.body(&mut function.block);
            let take: [Stmt; 2] = [
                parse_quote!(let __must = ::testsmith::korat::twin::take_must();),
                parse_quote!(let __plain = ::testsmith::korat::twin::undirected(__must);),
            ];
            function.block.stmts.splice(0..0, take);
        }
    }
}

/// How a function fails, unless it changes what it is called on.
fn failure(function: &ImplItemFn) -> Option<Failure> {
    let changes = function.sig.receiver().is_some_and(|this| {
        this.mutability.is_some() || this.reference.is_none() || this.colon_token.is_some()
    });
    let ReturnType::Type(_, ty) = &function.sig.output else { return None };
    let Type::Path(path) = &**ty else { return None };
    match path.path.segments.last()?.ident.to_string().as_str() {
        _ if changes => None,
        "bool" => Some(Failure::False),
        "Option" => Some(Failure::None),
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

struct Checkpoints<'a> {
    failures: &'a HashMap<String, Failure>,
    /// How the function at hand fails.
    failure: Failure,
    locals: Locals,
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
            let is_tested = |name: &str| after.first().is_some_and(|next| tests(next, name));
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
            let leaves = init.diverge.as_ref().is_some_and(|(_, expr)| self.leaves(expr));
            // Of other expressions nobody knows whether they are references.
            let called = self.callee(&init.expr) == Some(Failure::None);
            if leaves && called && is_some(&local.pat) {
                *init.expr = self.optional(&init.expr);
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
    fn last(&mut self, expr: &mut Expr) {
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
            other if self.callee(other) == Some(Failure::None) => *other = self.optional(other),
            other => self.visit_expr_mut(other),
        }
    }

    /// What a condition binds is in scope until the length returned.
    fn condition(&mut self, choice: &mut syn::ExprIf) -> usize {
        let outside = self.locals.0.len();
        if self.returns(&choice.then_branch) && choice.else_branch.is_none() && !binds(&choice.cond)
        {
            let good = self.must_not(&choice.cond);
            *choice.cond = parse_quote!(!(#good));
        } else {
            self.bindings(&choice.cond);
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
                _ => false,
            }),
            Expr::Block(block) => self.returns(&block.block),
            _ => false,
        }
    }

    /// How the function fails that an expression calls: one of this block, on
    /// the same object.
    fn callee(&self, expr: &Expr) -> Option<Failure> {
        match expr {
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { return None };
                let segments = &path.path.segments;
                let own = segments.len() == 2 && segments[0].ident == "Self";
                own.then(|| self.failures.get(&segments[1].ident.to_string()).copied())?
            }
            Expr::MethodCall(call) if variable(&call.receiver).as_deref() == Some("self") => {
                self.failures.get(&call.method.to_string()).copied()
            }
            _ => None,
        }
    }

    /// A call of a function of this block whose failure is the predicate's.
    fn hand_on(&self, expr: &Expr) -> Expr {
        let mut call = expr.clone();
        let arguments = match &mut call {
            Expr::Call(call) => &mut call.args,
            Expr::MethodCall(call) => &mut call.args,
            _ => return call,
        };
        let next = quote!(::testsmith::korat::twin::must_next(__must););
        if arguments.iter().all(is_quiet) {
            return parse_quote!({ #next #call });
        }
        // What arguments call must not take the word that is for the callee.
        let mutable = |argument: &Expr| {
            let local = variable(argument).and_then(|name| self.locals.find(&name).cloned());
            local.is_some_and(|local| local.mutable && !local.copied)
        };
        if arguments.iter().any(mutable) {
            return call;
        }
        let values: Vec<Expr> = arguments.iter().cloned().collect();
        let names: Vec<syn::Ident> =
            (0..values.len()).map(|at| quote::format_ident!("__argument{at}")).collect();
        for (argument, name) in arguments.iter_mut().zip(&names) {
            *argument = parse_quote!(#name);
        }
        parse_quote!(match (#(#values,)*) { (#(#names,)*) => { #next #call } })
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
            Expr::Binary(both)
                if matches!(both.op, BinOp::Eq(_))
                    && self.callee(&both.left) == Some(Failure::None)
                    && is_some_value(&both.right) =>
            {
                let (call, value) = (self.hand_on(&both.left), &both.right);
                self.guarded(expr, parse_quote!((#call) == #value))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => self.must_not(&unary.expr),
            Expr::MethodCall(call)
                if call.method == "is_some"
                    && self.callee(&call.receiver) == Some(Failure::None) =>
            {
                let call = self.hand_on(&call.receiver);
                self.guarded(expr, parse_quote!((#call).is_some()))
            }
            Expr::Lit(_) => expr.clone(),
            _ if self.callee(expr) == Some(Failure::False) => {
                self.guarded(expr, self.hand_on(expr))
            }
            _ => self.guarded(expr, expr.clone()),
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
            _ => self.guarded(expr, parse_quote!(!(#expr))),
        }
    }

    /// A check that can be made again if the original can.
    fn guarded(&self, original: &Expr, check: Expr) -> Expr {
        if reads(original) && self.locals.is_repeatable(original) {
            // A generator that directs the search has no failures to repeat.
            let when = if is_generator(original) { quote!(__plain) } else { quote!(__must) };
            parse_quote!(::testsmith::korat::twin::guard(#when, || #check))
        } else {
            parse_quote!((#check))
        }
    }

    /// As `must`, for a value that must not be `None`.
    fn optional(&mut self, expr: &Expr) -> Expr {
        let called = self.callee(expr) == Some(Failure::None);
        let value = if called { self.hand_on(expr) } else { expr.clone() };
        if self.locals.is_repeatable(expr) {
            return parse_quote!(::testsmith::korat::twin::guard_option(__must, || #value));
        }
        let mut value: Expr = parse_quote!((#value));
        self.visit_expr_mut(&mut value);
        value
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
                if let (Some(value), Failure::False) = (&mut value.expr, self.failure)
                    && !matches!(**value, Expr::Lit(_))
                {
                    **value = self.must(value);
                }
            }
            Expr::Try(tried) if self.failure == Failure::None => {
                let value = self.optional(&tried.expr);
                *tried.expr = value;
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

/// Whether an expression is nothing but the call of a generator.
fn is_generator(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    let segments = &path.path.segments;
    segments.len() == 4 && segments[0].ident == "testsmith" && segments[2].ident == "twin"
}

/// Whether a statement is `if !name { .. }`.
fn tests(statement: &Stmt, name: &str) -> bool {
    let Stmt::Expr(Expr::If(choice), _) = statement else { return false };
    let Expr::Unary(unary) = &*choice.cond else { return false };
    // What happens then must be the failure and nothing else.
    let fails = matches!(&choice.then_branch.stmts[..], [Stmt::Expr(Expr::Return(value), _)]
        if value.expr.as_ref().is_some_and(|value| is_failure(value)));
    matches!(unary.op, UnOp::Not(_))
        && variable(&unary.expr).as_deref() == Some(name)
        && choice.else_branch.is_none()
        && fails
}

fn is_failure(value: &Expr) -> bool {
    match value {
        Expr::Lit(literal) => matches!(&literal.lit, syn::Lit::Bool(value) if !value.value),
        Expr::Path(path) => path.path.is_ident("None"),
        _ => false,
    }
}

/// Whether a pattern takes every `Some` and nothing else.
fn is_some(pat: &Pat) -> bool {
    let Pat::TupleStruct(pat) = pat else { return false };
    let irrefutable = |part: &Pat| matches!(part, Pat::Ident(_) | Pat::Wild(_));
    pat.path.is_ident("Some") && pat.elems.iter().all(irrefutable)
}

/// Whether an expression is written `Some(..)`.
fn is_some_value(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(call)
        if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")))
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

/// Whether evaluating an argument calls no function.
fn is_quiet(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(inside) => is_quiet(&inside.expr),
        Expr::Field(field) => is_quiet(&field.base),
        Expr::Unary(unary) => is_quiet(&unary.expr),
        Expr::Reference(reference) => is_quiet(&reference.expr),
        Expr::Binary(binary) => is_quiet(&binary.left) && is_quiet(&binary.right),
        Expr::Cast(cast) => is_quiet(&cast.expr),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of a block with checkpoints, without blanks and paths.
    fn with_checkpoints(block: &str) -> String {
        let mut block: ItemImpl = syn::parse_str(block).expect("an impl block");
        add(&mut block);
        let text = quote!(#block).to_string().replace(' ', "");
        text.replace("::testsmith::korat::twin::", "")
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
                fn ordered(&self) -> bool { true }
                fn depth(link: &Link, so_far: usize) -> Option<usize> { Self::depth(link, so_far)? }
            }",
        );
        assert!(text.contains("if!(((!(size>3))&&guard(__must,||{must_next"), "{text}");
        assert!(text.contains("guard_option(__must,||{must_next(__must);Self::depth("), "{text}");
        assert!(text.contains("((depth<size)&&guard(__must,||{"), "{text}");
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
        assert!(text.contains("fncount(&self)->usize{if!self.ordered(){return0;}1}"), "{text}");
    }
}
