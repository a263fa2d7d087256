//! `?` no longer returns: it panics.
//!
//! The value in front of it is evaluated as before. What is written to a formatter fails only
//! if its reader does, which tests have no means to bring about; that stays.

use super::{Arm, Node, Operator};
use crate::site::{Level, operands};
use syn::Expr;

pub(super) const OPERATOR: Operator = Operator {
    name: "errors",
    what: "`?` panics where it would return",
    look: |node, finder| {
        let Node::Expression(expression @ Expr::Try(tried)) = node else { return };
        if is_formatting(&tried.expr) {
            return;
        }
        let arm = Arm {
            runs: "__0.unwrap()".to_owned(),
            at: finder.range(&tried.question_token),
            becomes: ".unwrap()".to_owned(),
        };
        let pieces = operands(&[("", finder.range(&*tried.expr))], "__0?".to_owned());
        finder.propose(finder.range(*expression), Level::Expression, pieces, vec![arm]);
    },
};

fn is_formatting(tried: &Expr) -> bool {
    let name = match tried {
        Expr::Macro(call) => call.mac.path.segments.last().map(|last| last.ident.to_string()),
        Expr::MethodCall(call) => Some(call.method.to_string()),
        _ => None,
    };
    let names = ["write", "writeln", "write_str", "write_char", "write_fmt"];
    name.is_some_and(|name| names.contains(&name.as_str()))
}
