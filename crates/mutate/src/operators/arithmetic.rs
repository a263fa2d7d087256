//! `+`, `-`, `*`, `/` and `%` become one another.
//!
//! Operands are evaluated once; which operator is applied to them is chosen afterwards.

use super::{Operator, swap_operator};

pub(super) const OPERATOR: Operator = Operator {
    name: "arithmetic",
    what: "an arithmetic operator becomes another",
    look: |node, finder| swap_operator(node, finder, "", others),
};

fn others(operator: &str) -> &'static [&'static str] {
    match operator {
        "+" => &["-", "*"],
        "-" => &["+", "/"],
        "*" => &["+", "/"],
        "/" => &["*", "%"],
        "%" => &["/", "+"],
        _ => &[],
    }
}
