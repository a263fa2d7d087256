//! `&`, `|`, `^`, `<<` and `>>` become one another.

use super::{Operator, swap_operator};

pub(super) const OPERATOR: Operator = Operator {
    name: "bits",
    what: "an operator on bits becomes another",
    look: |node, finder| swap_operator(node, finder, "", others),
};

fn others(operator: &str) -> &'static [&'static str] {
    match operator {
        "&" => &["|", "^"],
        "|" => &["&", "^"],
        "^" => &["&", "|"],
        "<<" => &[">>"],
        ">>" => &["<<"],
        _ => &[],
    }
}
