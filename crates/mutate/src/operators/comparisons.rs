//! `==`, `!=`, `<`, `<=`, `>` and `>=` become one another.
//!
//! They look at their operands through references, and so does what stands there instead.

use super::{Operator, swap_operator};

pub(super) const OPERATOR: Operator = Operator {
    name: "comparisons",
    what: "a comparison becomes another",
    look: |node, finder| swap_operator(node, finder, "&", others),
};

fn others(operator: &str) -> &'static [&'static str] {
    match operator {
        "==" => &["!="],
        "!=" => &["=="],
        "<" => &["<=", ">", "=="],
        "<=" => &["<", ">", "=="],
        ">" => &[">=", "<", "=="],
        ">=" => &[">", "<", "=="],
        _ => &[],
    }
}
