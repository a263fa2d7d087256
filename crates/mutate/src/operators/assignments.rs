//! `+=` and its like become one another.
//!
//! The whole statement is chosen: in which order the two sides are evaluated depends on their
//! types, which nobody knows here. One that is no statement stays.

use super::{Arm, Node, Operator, is_assigning};
use crate::site::{Level, statement};
use syn::{Expr, Stmt};

pub(super) const OPERATOR: Operator = Operator {
    name: "assignments",
    what: "an assigning operator becomes another",
    look: |node, finder| {
        let Node::Statement(whole @ Stmt::Expr(Expr::Binary(binary), Some(_))) = node else {
            return;
        };
        if !is_assigning(&binary.op) {
            return;
        }
        let (span, at) = (finder.range(*whole), finder.range(&binary.op));
        let operator = finder.text(&at);
        let arm = |other: &&str| {
            let (before, after) = (span.start..at.start, at.end..span.end);
            let runs = format!("{}{other}{}", finder.text(&before), finder.text(&after));
            Arm { runs, at: at.clone(), becomes: (*other).to_owned() }
        };
        let arms = others(operator).iter().map(arm).collect();
        finder.propose(span.clone(), Level::Statement, statement(&span), arms);
    },
};

fn others(operator: &str) -> &'static [&'static str] {
    match operator {
        "+=" => &["-=", "*="],
        "-=" => &["+=", "/="],
        "*=" => &["+=", "/="],
        "/=" => &["*=", "%="],
        "%=" => &["/=", "+="],
        "&=" => &["|=", "^="],
        "|=" => &["&=", "^="],
        "^=" => &["&=", "|="],
        "<<=" => &[">>="],
        ">>=" => &["<<="],
        _ => &[],
    }
}
