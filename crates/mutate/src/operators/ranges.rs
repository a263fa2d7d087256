//! Ranges end one later or one earlier, and begin one later.
//!
//! `a..b` and `a..=b` are of different types, so what changes is the bound: `a..b + 1` is
//! `a..=b` wherever neither overflows. What is no number is refused by the compiler.

use super::{Arm, Node, Operator};
use crate::site::{Level, operands};
use syn::{Expr, RangeLimits};

pub(super) const OPERATOR: Operator = Operator {
    name: "ranges",
    what: "a range takes in one more at its end, one less at its end, or one less at its start",
    look: |node, finder| {
        let Node::Expression(Expr::Range(range)) = node else { return };
        let at = finder.range(&range.limits);
        if let Some(end) = &range.end {
            let (becomes, runs) = match range.limits {
                RangeLimits::HalfOpen(_) => ("..=", "__0 + 1"),
                RangeLimits::Closed(_) => ("..", "__0 - 1"),
            };
            let arm = Arm { runs: runs.to_owned(), at, becomes: becomes.to_owned() };
            let span = finder.range(&**end);
            let pieces = operands(&[("", span.clone())], "__0".to_owned());
            finder.propose(span, Level::Condition, pieces, vec![arm]);
        }
        if let Some(start) = &range.start {
            // A literal meets its neighbours anyway.
            if matches!(**start, Expr::Lit(_)) {
                return;
            }
            let span = finder.range(&**start);
            let becomes = format!("({} + 1)", finder.text(&span));
            let arm = Arm { runs: "__0 + 1".to_owned(), at: span.clone(), becomes };
            let pieces = operands(&[("", span.clone())], "__0".to_owned());
            finder.propose(span, Level::Condition, pieces, vec![arm]);
        }
    },
};
