//! Which expressions may be evaluated a second time, as a closure.
//!
//! Macros see names, not types, so the answer is careful: an expression counts
//! only if it assigns nothing, borrows nothing mutably, leaves by no `return`
//! or `?`, calls no method on a variable that may change by it, and moves no
//! variable that is not known to be copied. What is refused is evaluated as it
//! stands, once.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Pat, Stmt, Type, UnOp};

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    /// Using it by value leaves it as it is.
    pub copied: bool,
    /// It is a shared reference, so what a pattern binds in it is one too.
    pub reference: bool,
    /// It may change, or change something, by a method call.
    pub mutable: bool,
}

/// The variables in scope, innermost last.
#[derive(Clone, Default)]
pub struct Locals(pub Vec<Local>);

/// Methods that change nothing and take what they are called on by reference.
const LOOKING: &[&str] = &[
    "as_deref",
    "as_ptr",
    "as_ref",
    "as_slice",
    "contains",
    "contains_key",
    "ends_with",
    "first",
    "get",
    "is_empty",
    "is_none",
    "is_null",
    "is_some",
    "is_sorted",
    "iter",
    "korat_read",
    "last",
    "len",
    "starts_with",
    "upgrade",
    "windows",
];

/// Methods that may change something behind a shared reference, or advance
/// what they are called on.
const CHANGING: &[&str] = &[
    "borrow_mut",
    "fetch_add",
    "fetch_sub",
    "get_mut",
    "get_or_init",
    "get_or_insert",
    "insert",
    "lock",
    "next",
    "push",
    "push_back",
    "replace",
    "replace_with",
    "send",
    "set",
    "store",
    "swap",
    "take",
    "try_borrow_mut",
    "update",
    "write",
];

/// Methods whose results are copied.
const COPIED_RESULTS: &[&str] = &[
    "abs_diff",
    "all",
    "any",
    "as_deref",
    "as_ptr",
    "as_ref",
    "as_slice",
    "contains",
    "contains_key",
    "count",
    "is_empty",
    "is_none",
    "is_none_or",
    "is_null",
    "is_some",
    "is_some_and",
    "is_sorted",
    "len",
    "pow",
];

/// Whether a method is called like one that every predicate uses of std.
pub fn is_of_std(method: &str) -> bool {
    let more = ["clone", "eq", "map", "ne", "unwrap", "unwrap_or", "unwrap_or_default"];
    [LOOKING, CHANGING, COPIED_RESULTS, &more].iter().any(|names| names.contains(&method))
}

impl Locals {
    pub fn find(&self, name: &str) -> Option<&Local> {
        self.0.iter().rev().find(|local| local.name == name)
    }

    fn of<'a>(&'a self, expr: &Expr) -> Option<&'a Local> {
        self.find(&variable(expr)?)
    }

    pub fn add(&mut self, name: String, copied: bool, reference: bool, mutable: bool) {
        self.0.push(Local { name, copied, reference, mutable });
    }

    /// Adds what a pattern binds in values of which `copied` and `reference`
    /// are known.
    pub fn bind(&mut self, pat: &Pat, copied: bool, reference: bool) {
        let mut names = Names(Vec::new());
        names.visit_pat(pat);
        for (name, mutable) in names.0 {
            let copied = copied || reference;
            // What is neither may be a reference to something that changes.
            self.add(name, copied, reference, mutable || !copied);
        }
    }

    /// Adds what `let pat = init` binds.
    pub fn bind_let(&mut self, pat: &Pat, init: Option<&Expr>) {
        match (pat, init) {
            (Pat::Type(typed), _) => {
                let copied = is_copied_type(&typed.ty);
                let reference =
                    matches!(&*typed.ty, Type::Reference(to) if to.mutability.is_none());
                self.bind(&typed.pat, copied, reference);
            }
            (Pat::Tuple(parts), Some(Expr::Tuple(values)))
                if parts.elems.len() == values.elems.len() =>
            {
                for (part, value) in parts.elems.iter().zip(&values.elems) {
                    self.bind_let(part, Some(value));
                }
            }
            (pat, Some(init)) => {
                let reference = self.is_reference(init);
                let copied = reference || matches!(pat, Pat::Ident(_)) && self.is_copied(init);
                self.bind(pat, copied, reference);
            }
            (pat, None) => self.bind(pat, false, false),
        }
    }

    /// Whether the value of an expression is surely a shared reference.
    pub fn is_reference(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Reference(reference) => reference.mutability.is_none(),
            Expr::Paren(inside) => self.is_reference(&inside.expr),
            Expr::Path(_) => self.of(expr).is_some_and(|local| local.reference),
            _ => false,
        }
    }

    /// Whether the value of an expression is surely of a type that is copied.
    /// What is read from behind a reference by value is, or it would not
    /// compile.
    fn is_copied(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) | Expr::Cast(_) | Expr::Index(_) => true,
            Expr::Reference(reference) => reference.mutability.is_none(),
            Expr::Paren(inside) => self.is_copied(&inside.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) || self.is_copied(&unary.expr),
            Expr::Binary(binary) => compares(&binary.op) || self.is_copied(&binary.left),
            Expr::Path(_) => self.of(expr).is_some_and(|local| local.copied),
            Expr::Tuple(tuple) => tuple.elems.iter().all(|part| self.is_copied(part)),
            Expr::MethodCall(call) => COPIED_RESULTS.iter().any(|known| call.method == known),
            Expr::Closure(closure) => closure.capture.is_none() && self.is_repeatable(expr),
            Expr::If(choice) => {
                let then = tail(&choice.then_branch).is_some_and(|tail| self.is_copied(tail));
                let otherwise = choice.else_branch.as_ref();
                then && otherwise.is_some_and(|(_, otherwise)| self.is_copied(otherwise))
            }
            Expr::Block(block) => tail(&block.block).is_some_and(|tail| self.is_copied(tail)),
            Expr::Unsafe(block) => tail(&block.block).is_some_and(|tail| self.is_copied(tail)),
            _ => false,
        }
    }

    /// Whether evaluating an expression again, in a closure, is the same as
    /// evaluating it once in place.
    pub fn is_repeatable(&self, expr: &Expr) -> bool {
        let mut purity = Purity { locals: self, inner: Vec::new(), pure: true };
        purity.visit_expr(expr);
        purity.pure
    }
}

/// The last expression of a block, if it has no other statement.
fn tail(block: &syn::Block) -> Option<&Expr> {
    match &block.stmts[..] {
        [.., Stmt::Expr(expr, None)] => Some(expr),
        _ => None,
    }
}

fn compares(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_)
            | BinOp::And(_)
            | BinOp::Or(_)
    )
}

/// Types that are copied, by their names.
pub fn is_copied_type(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_copied_type),
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return false };
            let name = last.ident.to_string();
            match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) if name == "Option" => {
                    arguments.args.iter().all(|argument| {
                        matches!(argument, syn::GenericArgument::Type(ty) if is_copied_type(ty))
                    })
                }
                _ => {
                    let mut letters = name.chars();
                    let number = letters.next().is_some_and(|c| "iuf".contains(c))
                        && (letters.as_str() == "size"
                            || letters.as_str().parse::<u32>().is_ok());
                    number || name == "bool" || name == "char"
                }
            }
        }
        _ => false,
    }
}

/// The name, if the expression is a plain variable.
pub fn variable(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident().map(|i| i.to_string()),
        Expr::Paren(inside) => variable(&inside.expr),
        _ => None,
    }
}

/// The variable at the bottom of a chain of fields, indexes and calls.
fn root(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(_) => variable(expr),
        Expr::Paren(inside) => root(&inside.expr),
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        Expr::MethodCall(call) => root(&call.receiver),
        Expr::Unary(unary) => root(&unary.expr),
        Expr::Reference(reference) => root(&reference.expr),
        Expr::Try(tried) => root(&tried.expr),
        _ => None,
    }
}

/// The names that a pattern binds, and whether they are `mut`.
struct Names(Vec<(String, bool)>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.0.push((pat.ident.to_string(), pat.mutability.is_some()));
        visit::visit_pat_ident(self, pat);
    }
}

struct Purity<'a> {
    locals: &'a Locals,
    /// Names bound inside the expression: new at every evaluation.
    inner: Vec<String>,
    pure: bool,
}

impl Purity<'_> {
    /// What is known of a variable from outside of the expression: of one that
    /// was not seen, the worst.
    fn outer(&self, name: Option<String>) -> Option<Local> {
        let name = name.filter(|name| !self.inner.contains(name))?;
        let known = self.locals.find(&name).cloned();
        known.or_else(|| {
            let is_variable = name.starts_with(|c: char| c.is_lowercase() || c == '_');
            is_variable.then_some(Local { name, copied: false, reference: false, mutable: true })
        })
    }

    fn bind(&mut self, pat: &Pat) {
        let mut names = Names(Vec::new());
        names.visit_pat(pat);
        self.inner.extend(names.0.into_iter().map(|(name, _)| name));
    }

    /// A place that is looked at and not moved: a bare variable may be.
    fn place(&mut self, expr: &Expr) {
        if variable(expr).is_none() {
            self.visit_expr(expr);
        }
    }

    fn method(&mut self, call: &syn::ExprMethodCall) {
        let named = |names: &[&str]| names.iter().any(|known| call.method == known);
        let looking = named(LOOKING);
        let mutable = self.outer(root(&call.receiver)).is_some_and(|local| local.mutable);
        let moved = self.outer(variable(&call.receiver)).is_some_and(|local| !local.copied);
        self.pure &= !named(CHANGING) && (looking || !mutable && !moved);
        self.place(&call.receiver);
        call.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    /// The tokens of `matches!`, which are not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Punct(punct) => self.pure &= punct.as_char() != '?',
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    let leaves = ["mut", "return", "break", "continue", "move"];
                    self.pure &= !leaves.contains(&name.as_str())
                        && (self.locals.find(&name).is_none()
                            || self.outer(Some(name)).is_none_or(|l| l.copied && !l.mutable));
                }
                TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Purity<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Path(_) => {
                let local = self.outer(variable(expr));
                self.pure &= local.is_none_or(|local| local.copied);
            }
            Expr::Reference(reference) => {
                self.pure &= reference.mutability.is_none();
                self.place(&reference.expr);
            }
            Expr::Field(field) => self.place(&field.base),
            Expr::Unary(unary) => self.place(&unary.expr),
            Expr::Cast(cast) => self.place(&cast.expr),
            Expr::Index(index) => {
                self.place(&index.expr);
                self.visit_expr(&index.index);
            }
            Expr::Binary(binary) if compares(&binary.op) => {
                self.place(&binary.left);
                self.place(&binary.right);
            }
            Expr::Binary(binary) => {
                let plain = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];
                let op = quote::ToTokens::to_token_stream(&binary.op).to_string();
                self.pure &= plain.contains(&op.as_str());
                visit::visit_expr_binary(self, binary);
            }
            Expr::Call(call) => {
                // A name that is no variable is a function's.
                let callee = variable(&call.func).filter(|name| self.locals.find(name).is_some());
                self.pure &= self.outer(callee).is_none_or(|local| !local.mutable);
                self.place(&call.func);
                call.args.iter().for_each(|argument| self.visit_expr(argument));
            }
            Expr::MethodCall(call) => self.method(call),
            Expr::Closure(closure) => {
                self.pure &= closure.capture.is_none();
                let outside = self.inner.len();
                closure.inputs.iter().for_each(|input| self.bind(input));
                self.visit_expr(&closure.body);
                self.inner.truncate(outside);
            }
            Expr::Block(_) | Expr::If(_) | Expr::Match(_) | Expr::Let(_) | Expr::Unsafe(_) => {
                visit::visit_expr(self, expr);
            }
            Expr::Array(_) | Expr::Tuple(_) | Expr::Lit(_) | Expr::Paren(_) | Expr::Range(_) => {
                visit::visit_expr(self, expr);
            }
            Expr::Macro(call) if call.mac.path.is_ident("matches") => {
                self.tokens(call.mac.tokens.clone());
            }
            _ => self.pure = false,
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let outside = self.inner.len();
        visit::visit_block(self, block);
        self.inner.truncate(outside);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        // A binding that leaves is no value.
        self.pure &= local.init.as_ref().is_none_or(|init| init.diverge.is_none());
        visit::visit_local(self, local);
        self.bind(&local.pat);
    }

    fn visit_expr_let(&mut self, binding: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, binding);
        self.bind(&binding.pat);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let outside = self.inner.len();
        self.bind(&arm.pat);
        visit::visit_arm(self, arm);
        self.inner.truncate(outside);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        self.pure &= !matches!(stmt, Stmt::Macro(_) | Stmt::Item(_));
        visit::visit_stmt(self, stmt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeatable(expr: &str) -> bool {
        let mut locals = Locals::default();
        locals.add("number".to_owned(), true, false, true);
        locals.add("list".to_owned(), false, false, true);
        locals.add("owned".to_owned(), false, false, false);
        locals.add("node".to_owned(), true, true, false);
        locals.is_repeatable(&syn::parse_str(expr).expect("an expression"))
    }

    #[test]
    fn looking_may_be_done_again() {
        for expr in [
            "(*node.key) < number + 1",
            "list.contains(&number) || owned.is_empty()",
            "twin::holds(&node.key, |key| *key > number && list.len() > 1)",
            "if number > 1 { let next = (*node.next); other(next) } else { owned == node }",
            "matches!((*node.key), 1 | 2)",
        ] {
            assert!(repeatable(expr), "{expr}");
        }
    }

    #[test]
    fn what_changes_moves_or_leaves_may_not() {
        for expr in [
            "list.insert(number)",
            "list.pop().is_some()",
            "consume(owned)",
            "owned.into_iter().all(|item| item)",
            "{ number += 1; number > 2 }",
            "change(&mut list)",
            "node.check()?",
            "node.seen.borrow_mut().insert(1)",
            "{ return false; }",
            "node.iter().all(move |item| list.contains(item))",
            "my_macro!(number)",
        ] {
            assert!(!repeatable(expr), "{expr}");
        }
    }
}
