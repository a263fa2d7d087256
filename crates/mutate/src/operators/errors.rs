//! `?` no longer returns: it panics.
//!
//! The value in front of it is evaluated as before.

use super::{Arm, Node, Operator};
use crate::site::{Level, operands};
use syn::Expr;

pub(super) const OPERATOR: Operator = Operator {
    name: "errors",
    what: "`?` panics where it would return",
    look: |node, finder| {
        let Node::Expression(expression @ Expr::Try(tried)) = node else { return };
        let arm = Arm {
            runs: "__0.unwrap()".to_owned(),
            at: finder.range(&tried.question_token),
            becomes: ".unwrap()".to_owned(),
        };
        let pieces = operands(&[("", finder.range(&*tried.expr))], "__0?".to_owned());
        finder.propose(finder.range(*expression), Level::Expression, pieces, vec![arm]);
    },
};
