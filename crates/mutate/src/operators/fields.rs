//! A field of `self` becomes another field of the same type.
//!
//! As variables: only what is copied, and only where its value is used. The structure has to
//! stand in the same file.

use super::variables::is_copied;
use super::{Arm, Node, Operator, Variable};
use crate::site::{Level, whole};
use std::collections::BTreeMap;
use syn::{Expr, Item, Member};

pub(super) const OPERATOR: Operator = Operator {
    name: "fields",
    what: "a field becomes another of the same type",
    look: |node, finder| {
        let Node::Expression(expression @ Expr::Field(field)) = node else { return };
        let Member::Named(name) = &field.member else { return };
        let is_self = matches!(&*field.base, Expr::Path(base) if base.path.is_ident("self"));
        let known = finder.self_type.as_ref().and_then(|ty| finder.structures.get(ty));
        let Some(fields) = known.filter(|_| is_self) else { return };
        let Some(here) = fields.iter().find(|known| *name == known.name) else { return };
        if !is_copied(&here.ty) {
            return;
        }
        let at = finder.range(name);
        let others = fields.iter().filter(|other| other.ty == here.ty && other.name != here.name);
        let arm = |other: &Variable| Arm {
            runs: format!("self.{}", other.name),
            at: at.clone(),
            becomes: other.name.clone(),
        };
        let arms = others.map(arm).collect();
        let span = finder.range(*expression);
        finder.propose(span.clone(), Level::Expression, whole(&span), arms);
    },
};

/// The named fields of the structures of a file, also in its modules.
pub(super) fn structures(items: &[Item]) -> BTreeMap<String, Vec<Variable>> {
    let mut found = BTreeMap::new();
    for item in items {
        match item {
            Item::Struct(structure) => {
                let field = |field: &syn::Field| {
                    let name = field.ident.as_ref()?.to_string();
                    Some(Variable { name, ty: field.ty.clone() })
                };
                let fields = structure.fields.iter().filter_map(field).collect();
                found.insert(structure.ident.to_string(), fields);
            }
            Item::Mod(module) => {
                let inside = module.content.as_ref().map(|(_, items)| structures(items));
                found.extend(inside.unwrap_or_default());
            }
            _ => {}
        }
    }
    found
}
