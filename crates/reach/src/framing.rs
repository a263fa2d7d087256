//! Which queries are functions of others.
//!
//! Of a query whose contract says what it is, nothing has to be assumed when something
//! changes: its answer follows from those that it is made of.

use syn::{BinOp, Expr, UnOp};

/// Whether a postcondition determines the result: `ret == e`, `Some(&ret) == e`,
/// `ret + a == b`, or one of several such conditions joined by `&&`.
pub(crate) fn defines_result(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inner) => defines_result(&inner.expr),
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            defines_result(&binary.left) || defines_result(&binary.right)
        }
        Expr::Binary(binary) if matches!(binary.op, BinOp::Eq(_)) => {
            is_of_result(&binary.left) != is_of_result(&binary.right)
        }
        Expr::Path(_) => is_of_result(expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => is_of_result(&unary.expr),
        _ => false,
    }
}

/// The result, or something that it can be computed back from.
fn is_of_result(expr: &Expr) -> bool {
    match expr {
        Expr::Path(path) => path.path.is_ident("ret"),
        Expr::Paren(inner) => is_of_result(&inner.expr),
        Expr::Reference(inner) => is_of_result(&inner.expr),
        Expr::Unary(inner) => is_of_result(&inner.expr),
        Expr::Call(call) => {
            let wraps = |name| crate::translate::is_named(&call.func, name);
            (wraps("Some") || wraps("Ok")) && call.args.len() == 1 && is_of_result(&call.args[0])
        }
        Expr::Binary(binary) if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_)) => {
            is_of_result(&binary.left) != is_of_result(&binary.right)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_derived_where_its_contract_says_what_it_is() {
        let check = |text: &str, wanted: bool| {
            let expr = crate::parse::clause(text).unwrap();
            assert_eq!(defines_result(&expr), wanted, "{text}");
        };
        check("ret == self.len()", true);
        check("Some(&ret) == self.items().last()", true);
        check("ret + self.len() == self.limit()", true);
        check("ret == (self.len() == 0) && ret", true);
        check("ret >= self.len()", false);
        check("(ret == 0) == self.is_flat()", false);
        check("ret.len() == self.len()", false);
        check("self.is_empty() -> ret == Some(0)", false);
    }
}
