//! Conditions of `if`, `while` and arms become `true`, `false`, or their opposite.
//!
//! Temporaries of a condition end with it, so all of it can be chosen. A comparison and a
//! negation have an opposite by another operator already; a condition with a pattern in it
//! stays.

use super::{Arm, Node, Operator};
use crate::site::{Level, whole};
use syn::{Expr, Lit, UnOp};

pub(super) const OPERATOR: Operator = Operator {
    name: "conditions",
    what: "a condition becomes true, false or its opposite",
    look: |node, finder| {
        let Node::Condition(condition) = node else { return };
        let is_constant =
            matches!(condition, Expr::Lit(literal) if matches!(literal.lit, Lit::Bool(_)));
        if is_constant {
            return;
        }
        let span = finder.range(*condition);
        let arm = |becomes: String| Arm { runs: becomes.clone(), at: span.clone(), becomes };
        let mut arms = vec![arm("true".to_owned()), arm("false".to_owned())];
        let has_opposite = match condition {
            Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)),
            Expr::Binary(_) => true,
            _ => false,
        };
        if !has_opposite {
            arms.push(arm(format!("!({})", finder.text(&span))));
        }
        finder.propose(span.clone(), Level::Condition, whole(&span), arms);
    },
};
