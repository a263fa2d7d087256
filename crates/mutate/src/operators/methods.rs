//! A method becomes another one of the standard library with the same signature.
//!
//! The receiver is taken as the method takes it, and all is evaluated before it is chosen. A
//! method of the same name elsewhere is refused by the compiler, or is a mutant all the same.

use super::{Arm, Finder, Node, Operator, Variable};
use crate::site::{Level, operands};
use syn::{Expr, Type};

pub(super) const OPERATOR: Operator = Operator {
    name: "methods",
    what: "a method of the standard library becomes its counterpart",
    look: |node, finder| {
        let Node::Expression(expression @ Expr::MethodCall(call)) = node else { return };
        let name = call.method.to_string();
        let Some((by, other)) = counterpart(&name, call.args.len()) else { return };
        if call.turbofish.is_some() {
            return;
        }
        let by = if by == "&mut " && is_reference(finder, &call.receiver) { "&mut *" } else { by };
        let mut all = vec![(by, finder.range(&*call.receiver))];
        all.extend(call.args.iter().map(|argument| ("", finder.range(argument))));
        let arguments: Vec<String> = (1..all.len()).map(crate::names::operand).collect();
        let written = |name: &str| format!("__0.{name}({})", arguments.join(", "));
        let arm =
            Arm { runs: written(other), at: finder.range(&call.method), becomes: other.to_owned() };
        let pieces = operands(&all, written(&name));
        finder.propose(finder.range(*expression), Level::Expression, pieces, vec![arm]);
    },
};

/// Whether it is known that the receiver is a reference already.
fn is_reference(finder: &Finder, receiver: &Expr) -> bool {
    let Expr::Path(path) = receiver else { return false };
    let is_it = |known: &&Variable| path.path.is_ident(&known.name);
    let known = finder.variables.iter().rev().find(is_it);
    known.is_some_and(|known| matches!(known.ty, Type::Reference(_)))
}

/// Pairs: how the receiver is taken, how many arguments there are, and the two names.
const PAIRS: &[(&str, usize, &str, &str)] = &[
    ("", 1, "min", "max"),
    ("", 1, "wrapping_add", "wrapping_sub"),
    ("", 1, "saturating_add", "saturating_sub"),
    ("", 1, "checked_add", "checked_sub"),
    ("", 1, "overflowing_add", "overflowing_sub"),
    ("", 1, "rotate_left", "rotate_right"),
    ("", 0, "floor", "ceil"),
    ("", 0, "leading_zeros", "trailing_zeros"),
    ("", 0, "count_ones", "count_zeros"),
    ("&", 0, "is_some", "is_none"),
    ("&", 0, "is_ok", "is_err"),
    ("&", 0, "first", "last"),
    ("&", 0, "front", "back"),
    ("&", 1, "starts_with", "ends_with"),
    ("&", 0, "trim_start", "trim_end"),
    ("&", 1, "strip_prefix", "strip_suffix"),
    ("&", 1, "find", "rfind"),
    ("&", 0, "to_lowercase", "to_uppercase"),
    ("&", 0, "to_ascii_lowercase", "to_ascii_uppercase"),
    ("&", 0, "is_ascii_lowercase", "is_ascii_uppercase"),
    ("&", 0, "is_positive", "is_negative"),
    ("&", 0, "first_key_value", "last_key_value"),
    ("&mut ", 1, "push_front", "push_back"),
    ("&mut ", 0, "pop_front", "pop_back"),
    ("&mut ", 0, "first_mut", "last_mut"),
    ("&mut ", 0, "pop_first", "pop_last"),
];

fn counterpart(name: &str, arguments: usize) -> Option<(&'static str, &'static str)> {
    PAIRS.iter().filter(|(_, count, _, _)| *count == arguments).find_map(|(by, _, one, other)| {
        match name {
            name if name == *one => Some((*by, *other)),
            name if name == *other => Some((*by, *one)),
            _ => None,
        }
    })
}
