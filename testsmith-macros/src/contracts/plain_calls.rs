//! Which clauses cannot reach another contract.
//!
//! While a clause that calls code is evaluated, contracts met on the way must
//! rest, and saying so costs a little. Most clauses only ask `items.len()` or
//! compare numbers. A call counts as plain if its name is one of the standard
//! library's plain queries and the object is a field, or a variable whose type
//! is seen to be of the standard library. A user's own `len` behind a field can
//! still be called that way; its contract is then checked too, which is harmless:
//! a cycle of contracts always passes through a call that is not plain.

use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprCall, ExprMethodCall, Macro, UnOp};

use super::restrictions::is_old;

const QUERIES: [&str; 14] = [
    "len",
    "is_empty",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "unwrap",
    "as_ref",
    "as_str",
    "as_bytes",
    "as_slice",
    "capacity",
    "abs",
    "unsigned_abs",
];

/// Whether an expression calls anything that is not plain; `standard` are the
/// variables with types of the standard library.
pub fn calls(expr: &Expr, standard: &[String]) -> bool {
    let mut calls = Calls { standard, found: false };
    calls.visit_expr(expr);
    calls.found
}

/// Whether a condition has a value whatever state the object is in: comparisons
/// with literals or with what a query gives, and logic. Nothing that may panic.
pub fn is_total(expr: &Expr, standard: &[String]) -> bool {
    let is_total = |expr: &Expr| is_total(expr, standard);
    match expr {
        Expr::Lit(_) => true,
        Expr::Paren(paren) => is_total(&paren.expr),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)) && is_total(&unary.expr),
        Expr::Binary(binary) => match binary.op {
            BinOp::And(_) | BinOp::Or(_) => is_total(&binary.left) && is_total(&binary.right),
            BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_) => {
                let sides = [&*binary.left, &*binary.right];
                let known = |side: &Expr| {
                    is_query(side, standard)
                        || matches!(side, Expr::Lit(_))
                        || is_one_of(side, standard)
                };
                sides.iter().all(|side| known(side) || matches!(side, Expr::Field(_)))
                    && sides.iter().any(|side| known(side))
            }
            _ => false,
        },
        other => is_query(other, standard),
    }
}

/// A query that always has an answer, of a field or of a variable known to be standard.
pub fn is_query(expr: &Expr, standard: &[String]) -> bool {
    const TOTAL: [&str; 7] =
        ["len", "is_empty", "is_some", "is_none", "is_ok", "is_err", "capacity"];
    matches!(expr, Expr::MethodCall(call)
        if TOTAL.iter().any(|query| call.method == query)
            && call.args.is_empty()
            && (matches!(&*call.receiver, Expr::Field(_)) || is_one_of(&call.receiver, standard)))
}

/// Whether an expression is one of the variables.
fn is_one_of(expr: &Expr, variables: &[String]) -> bool {
    matches!(expr, Expr::Path(path)
        if path.path.get_ident().is_some_and(|name| variables.contains(&name.to_string())))
}

struct Calls<'a> {
    standard: &'a [String],
    found: bool,
}

impl Calls<'_> {
    fn is_plain(&self, call: &ExprMethodCall) -> bool {
        let known = QUERIES.iter().any(|query| call.method == query) && call.args.is_empty();
        known && self.is_plain_object(&call.receiver)
    }

    fn is_plain_object(&self, object: &Expr) -> bool {
        match object {
            Expr::Field(field) => matches!(&*field.base, Expr::Path(_) | Expr::Field(_)),
            Expr::Path(_) => is_one_of(object, self.standard),
            Expr::Paren(paren) => self.is_plain_object(&paren.expr),
            // `x.as_ref().unwrap()`: still what `x` was, wrapped.
            Expr::MethodCall(inner) => inner.method == "as_ref" && self.is_plain(inner),
            _ => false,
        }
    }
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.found |= !self.is_plain(call);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        // What `old` captures is evaluated elsewhere; constructors are plain.
        if is_old(&call.func) {
            return;
        }
        let constructs = matches!(&*call.func, Expr::Path(path)
            if ["Some", "Ok", "Err"].iter().any(|name| path.path.is_ident(name)));
        self.found |= !constructs;
        visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, _: &'ast Macro) {
        self.found = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: bool) {
        let expr: Expr = syn::parse_str(source).expect("it parses");
        assert_eq!(calls(&expr, &["v".to_owned()]), expected, "{source}");
    }

    #[test]
    fn a_condition_is_total_if_nothing_in_it_can_panic() {
        for (source, expected) in [
            ("self.items.len() <= self.limit && !self.items.is_empty()", true),
            ("self.limit > 0", true),
            ("self.items[0] > 0", false),
            ("self.items.len() + 1 <= self.limit", false),
            ("self.a == self.b", false),
            ("self.rep_ok()", false),
            ("v > 0 && v != v", true),
            ("x > y", false),
            ("x.len() > 1", false),
        ] {
            let expr: Expr = syn::parse_str(source).expect("it parses");
            assert_eq!(is_total(&expr, &["v".to_owned()]), expected, "{source}");
        }
    }

    #[test]
    fn plain_queries_of_fields_and_standard_values_are_plain() {
        check("self.items.len() + 1 > n", false);
        check("v.is_some() && *v.as_ref().unwrap() == Some(1).unwrap_or(2)", true);
        check("v.is_some() && *v.as_ref().unwrap() > 3", false);
        check("x.len() == 0", true);
        check("self.len() == old(self.len())", true);
        check("n == old(self.size())", false);
        check("v.unwrap().len() == 1", true);
        check("matches!(v, 1)", true);
        check("f(v)", true);
    }
}
