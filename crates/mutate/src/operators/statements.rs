//! A statement is left out: a call, an assignment, a `return`, a macro.
//!
//! `let` has to stay, since its names are used, and so has what a block ends with that must
//! not end. What prints or logs is for people, and no test
//! would miss it.

use super::{Arm, Node, Operator};
use crate::site::{Level, statement};
use syn::{Expr, Stmt};

pub(super) const OPERATOR: Operator = Operator {
    name: "statements",
    what: "a statement is left out",
    look: |node, finder| {
        let Node::Statement(whole) = node else { return };
        let is_wanted = match whole {
            Stmt::Expr(expression, Some(_)) => !matches!(
                expression,
                Expr::Macro(_) | Expr::Let(_) | Expr::Verbatim(_) | Expr::Path(_) | Expr::Lit(_)
            ),
            Stmt::Macro(call) if call.semi_token.is_some() => {
                let name = call.mac.path.segments.last().map(|last| last.ident.to_string());
                name.is_some_and(|name| !FOR_PEOPLE.contains(&name.as_str()))
            }
            _ => false,
        };
        let span = finder.range(*whole);
        if is_wanted && !finder.needed.contains(&span) {
            let arm = Arm { runs: String::new(), at: span.clone(), becomes: String::new() };
            finder.propose(span.clone(), Level::Statement, statement(&span), vec![arm]);
        }
    },
};

/// Macros that print and log.
const FOR_PEOPLE: &[&str] = &[
    "dbg", "debug", "eprint", "eprintln", "error", "info", "log", "print", "println", "trace",
    "warn",
];
