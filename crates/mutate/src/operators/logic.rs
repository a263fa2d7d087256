//! `&&` and `||` become each other, or one of their operands.
//!
//! The right operand is evaluated where the operator asks for it and nowhere else. A chain with
//! a pattern in it (`a && let Some(b) = c`) stays.

use super::{Arm, Node, Operator};
use crate::site::{Level, lazy};
use syn::{BinOp, Expr};

pub(super) const OPERATOR: Operator = Operator {
    name: "logic",
    what: "a logical operator becomes the other",
    look: |node, finder| {
        let Node::Expression(expression @ Expr::Binary(binary)) = node else { return };
        let (operator, other) = match binary.op {
            BinOp::And(_) => ("&&", "||"),
            BinOp::Or(_) => ("||", "&&"),
            _ => return,
        };
        if has_pattern(expression) {
            return;
        }
        let (left, right) = (finder.range(&*binary.left), finder.range(&*binary.right));
        let runs = format!("__0 {other} ({})", finder.text(&right));
        let arm = Arm { runs, at: finder.range(&binary.op), becomes: other.to_owned() };
        let pieces = lazy(&left, operator, &right);
        finder.propose(finder.range(expression), Level::Expression, pieces, vec![arm]);
    },
};

fn has_pattern(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(both) => has_pattern(&both.left) || has_pattern(&both.right),
        _ => false,
    }
}
