//! A function returns at once, with a value that its written type suggests.
//!
//! The guard stands before the first statement; the body itself is not touched.

use super::{Arm, Node, Operator, values};
use crate::site::{Level, before};
use syn::ReturnType;

pub(super) const OPERATOR: Operator = Operator {
    name: "bodies",
    what: "a function returns at once, with a value of its type",
    look: |node, finder| {
        let Node::Function(signature, block) = node else { return };
        let Some(span) = finder.inside(block) else { return };
        let values = match &signature.output {
            ReturnType::Default => vec!["()".to_owned()],
            ReturnType::Type(_, ty) => values::of(ty),
        };
        let arm = |value: String| Arm {
            runs: format!("return {value}"),
            at: span.clone(),
            becomes: value,
        };
        let arms = values.into_iter().map(arm).collect();
        finder.propose(span.clone(), Level::Body, before(&span), arms);
    },
};
