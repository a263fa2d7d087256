//! A variable becomes another visible one of the same written type.
//!
//! Only values of types that are copied are exchanged, and only where a value is used: places
//! that are borrowed, assigned or called upon stay.

use super::{Arm, Finder, Node, Operator};
use crate::site::{Level, whole};
use syn::{Expr, Type};

pub(super) const OPERATOR: Operator = Operator {
    name: "variables",
    what: "a variable becomes another of the same type",
    look: |node, finder| {
        let Node::Expression(Expr::Path(path)) = node else { return };
        let Some(name) = path.path.get_ident().map(ToString::to_string) else { return };
        let Some(here) = finder.variables.iter().rev().find(|known| known.name == name) else {
            return;
        };
        if !is_copied(&here.ty) {
            return;
        }
        let span = finder.range(&path.path);
        let others = others(finder, &name, &here.ty.clone());
        let arm = |other: String| Arm { runs: other.clone(), at: span.clone(), becomes: other };
        let arms = others.into_iter().map(arm).collect();
        finder.propose(span.clone(), Level::Expression, whole(&span), arms);
    },
};

/// The others that can be seen, the nearest first.
fn others(finder: &Finder, name: &str, ty: &Type) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    for known in finder.variables.iter().rev() {
        if known.name != name && known.ty == *ty && !found.contains(&known.name) {
            found.push(known.name.clone());
        }
    }
    found
}

/// Whether values of a written type are copied, as far as that is known everywhere.
pub(super) fn is_copied(ty: &Type) -> bool {
    const COPIED: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize",
    ];
    match ty {
        Type::Path(path) => COPIED.iter().any(|name| path.path.is_ident(name)),
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Paren(inner) => is_copied(&inner.elem),
        _ => false,
    }
}
