//! `!` and `-` are left out.
//!
//! A literal with a sign loses it here and meets its neighbours elsewhere.

use super::{Arm, Node, Operator};
use crate::site::{Level, operands};
use syn::{Expr, UnOp};

pub(super) const OPERATOR: Operator = Operator {
    name: "unary",
    what: "`!` and `-` are left out",
    look: |node, finder| {
        let Node::Expression(expression @ Expr::Unary(unary)) = node else { return };
        let operator = match unary.op {
            UnOp::Not(_) => "!",
            UnOp::Neg(_) => "-",
            _ => return,
        };
        let arm =
            Arm { runs: "__0".to_owned(), at: finder.range(&unary.op), becomes: String::new() };
        let pieces = operands(&[("", finder.range(&*unary.expr))], format!("{operator}__0"));
        finder.propose(finder.range(*expression), Level::Expression, pieces, vec![arm]);
    },
};
