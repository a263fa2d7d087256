//! Names for tests, modules and variables, taken from operations and types.

use std::collections::HashMap;
use testsmith_model::ty::{TraitRef, Ty};
use testsmith_model::{Callee, Plan, Sequence, Step};

/// A name for the test of a sequence: the operation at a step and what it does.
pub fn name_of(plan: &Plan, sequence: &Sequence, step: usize, what: &str) -> String {
    let name = match sequence.steps().nth(step) {
        Some(Step::Call(op, _)) => short_name(&plan.operation(*op).callee),
        _ => "a literal".to_owned(),
    };
    snake(&format!("{name} {what}"))
}

/// Of `a::b::Shelf::put` the last two words say enough: `Shelf put`.
pub fn short_name(callee: &Callee) -> String {
    let name = match callee {
        Callee::Claim { claim, .. } => claim,
        Callee::TraitMember { trait_, name, .. } if name == "fmt" => match trait_.name() {
            "Display" => "display",
            "Debug" => "debug",
            _ => name,
        },
        callee => callee.name(),
    };
    match owner_of(callee) {
        Some(owner) => format!("{owner} {name}"),
        None => name.to_owned(),
    }
}

/// The type that a callable belongs to, by its last name: of
/// `<a::Shelf<T> as b::Trait>::get` and of `a::Shelf::get` it is `Shelf`. A free
/// function has none.
pub fn owner_of(callee: &Callee) -> Option<String> {
    let name = type_name(callee.of()?)?;
    name.starts_with(char::is_uppercase).then(|| name.to_owned())
}

fn type_name(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Ref { inner, .. } => type_name(inner),
        // A box of ours is about what is in it.
        Ty::Adt { path, .. } if path.starts_with("std::") && ty.type_arg(0).is_some() => {
            type_name(ty.type_arg(0)?)
        }
        Ty::Adt { .. } => Some(ty.name()),
        Ty::Param(name) => Some(name),
        Ty::Dyn { bounds, .. } => bounds.first().map(TraitRef::name),
        _ => None,
    }
}

/// `IndexMap` as `index_map`, and `XMLNode` as `xml_node`.
pub fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_alphanumeric() {
            let begins = chars.peek().is_some_and(char::is_ascii_lowercase);
            let inside = out.ends_with(|last: char| last.is_ascii_lowercase());
            if c.is_ascii_uppercase() && (lower || inside && begins) {
                out.push('_');
            }
            lower = c.is_ascii_lowercase() || c.is_ascii_digit();
            out.push(c.to_ascii_lowercase());
        } else {
            lower = false;
            if !out.ends_with('_') && !out.is_empty() {
                out.push('_');
            }
        }
    }
    out.trim_matches('_').to_owned()
}

/// Words that cannot name a variable or a module.
const TAKEN: [&str; 40] = [
    "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "main", "match", "mod", "move", "mut", "priv", "pub", "ref", "return", "self",
    "static", "struct", "try", "type", "use",
];
const ALSO_TAKEN: [&str; 8] =
    ["super", "trait", "true", "typeof", "union", "unsafe", "where", "while"];

/// The name itself where Rust allows it.
pub fn allowed(name: String) -> String {
    let taken = TAKEN.contains(&name.as_str()) || ALSO_TAKEN.contains(&name.as_str());
    let digit = name.starts_with(|c: char| c.is_ascii_digit());
    if taken || digit || name.is_empty() { format!("a_{name}") } else { name }
}

/// A value is named after its type, with a number from the second one on.
#[derive(Default)]
pub(crate) struct Variables {
    count: HashMap<String, usize>,
}

impl Variables {
    pub(crate) fn name(&mut self, ty: &Ty) -> String {
        let base = variable(ty);
        let n = self.count.entry(base.clone()).or_default();
        *n += 1;
        if *n == 1 { base } else { format!("{base}_{n}") }
    }
}

fn variable(ty: &Ty) -> String {
    allowed(match ty {
        Ty::Adt { .. } => snake(ty.name()),
        Ty::Prim(name) if name == "bool" => "flag".to_owned(),
        Ty::Prim(name) if name == "char" => "letter".to_owned(),
        Ty::Prim(name) if name == "str" => "text".to_owned(),
        Ty::Prim(_) => "number".to_owned(),
        Ty::Ref { inner, .. } => variable(inner),
        Ty::Slice(_) => "slice".to_owned(),
        Ty::Array(..) => "array".to_owned(),
        Ty::Tuple(items) if items.is_empty() => "unit".to_owned(),
        Ty::Tuple(_) => "pair".to_owned(),
        _ => "value".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_snake_case() {
        assert_eq!(snake("IndexMap swap_remove panics"), "index_map_swap_remove_panics");
        assert_eq!(snake("XMLNode of HTML"), "xml_node_of_html");
        assert_eq!(snake("equal values have equal hashes"), "equal_values_have_equal_hashes");
        assert_eq!(variable(&Ty::adt("a::BitVec", vec![])), "bit_vec");
        assert_eq!(variable(&Ty::adt("a::Match", vec![])), "a_match");
    }

    #[test]
    fn a_callable_is_known_by_its_type_and_its_name() {
        let shelf = || Ty::adt("a::Shelf", vec![Ty::Param("T".into())]);
        let of_trait = |of: Ty, trait_: &str, name: &str| Callee::TraitMember {
            of,
            trait_: TraitRef::new(trait_, vec![]),
            name: name.into(),
        };
        assert_eq!(short_name(&Callee::member(&shelf(), "put")), "Shelf put");
        let index = of_trait(shelf(), "std::ops::Index", "index");
        assert_eq!(short_name(&index), "Shelf index");
        let by_reference = of_trait(Ty::shared(shelf()), "IntoIterator", "into_iter");
        assert_eq!(short_name(&by_reference), "Shelf into_iter");
        assert_eq!(short_name(&of_trait(shelf(), "std::fmt::Debug", "fmt")), "Shelf debug");
        assert_eq!(short_name(&Callee::item("a::b::total")), "total");
        assert_eq!(owner_of(&Callee::item("a::b::total")), None);
        let boxed = of_trait(Ty::adt("std::boxed::Box", vec![shelf()]), "Clone", "clone");
        assert_eq!(owner_of(&boxed).as_deref(), Some("Shelf"));
        let array = Ty::Array(Box::new(shelf()), "N".into());
        assert_eq!(owner_of(&of_trait(array, "std::cmp::PartialEq", "eq")), None);
        let claim = Callee::Claim { claim: "Eq is reflexive".into(), of: shelf(), law: None };
        assert_eq!(short_name(&claim), "Shelf Eq is reflexive");
    }
}
