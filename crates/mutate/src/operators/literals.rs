//! A literal becomes its neighbour: numbers one more and one less, truth its opposite, text
//! empty or another.
//!
//! Formats and messages of macros are no literals of the code. Bytes and characters stay.

use super::{Arm, Node, Operator};
use crate::constants::OTHER_TEXT;
use crate::site::{Level, whole};
use syn::{Expr, ExprUnary, Lit, UnOp};

pub(super) const OPERATOR: Operator = Operator {
    name: "literals",
    what: "a literal becomes its neighbour",
    look: |node, finder| {
        let Node::Expression(expression) = node else { return };
        let (literal, sign) = match expression {
            Expr::Lit(literal) => (&literal.lit, ""),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
                Expr::Lit(literal) => (&literal.lit, "-"),
                _ => return,
            },
            _ => return,
        };
        let span = finder.range(*expression);
        let arm = |value: String| Arm { runs: value.clone(), at: span.clone(), becomes: value };
        let arms = neighbours(literal, sign).into_iter().map(arm).collect();
        finder.propose(span.clone(), Level::Expression, whole(&span), arms);
    },
};

fn neighbours(literal: &Lit, sign: &str) -> Vec<String> {
    match literal {
        Lit::Int(number) => {
            let Ok(value) = number.base10_parse::<u128>() else { return vec![] };
            let suffix = number.suffix();
            let less = value.checked_sub(1).map(|less| format!("{sign}{less}{suffix}"));
            let more = value.checked_add(1).map(|more| format!("{sign}{more}{suffix}"));
            more.into_iter().chain(less).collect()
        }
        Lit::Float(number) => match number.base10_parse::<f64>() {
            Ok(value) => vec![format!("{sign}{:?}{}", value + 1.0, number.suffix())],
            Err(_) => vec![],
        },
        Lit::Bool(truth) => vec![(!truth.value).to_string()],
        Lit::Str(text) if text.value().is_empty() => vec![OTHER_TEXT.to_owned()],
        Lit::Str(_) => vec!["\"\"".to_owned()],
        _ => vec![],
    }
}
