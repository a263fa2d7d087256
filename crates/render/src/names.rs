//! Names for tests, modules and variables, taken from operations and types.

use std::collections::HashMap;
use testsmith_model::ty::Ty;
use testsmith_model::{Plan, Sequence, Step};

/// A name for the test of a sequence: the operation at a step and what it does.
pub fn name_of(plan: &Plan, sequence: &Sequence, step: usize, what: &str) -> String {
    let path = match sequence.steps().nth(step) {
        Some(Step::Call(op, _)) => plan.operation(*op).path.clone(),
        _ => "a literal".to_owned(),
    };
    snake(&format!("{} {what}", short_path(&path)))
}

/// Of `a::b::Shelf::put` the last two words say enough: `Shelf put`.
pub fn short_path(path: &str) -> String {
    if let Some((law, ty)) = path.split_once(", for ") {
        return format!("{} {law}", last_word(ty));
    }
    let name = match path.rsplit("::").next().unwrap_or(path) {
        "fmt" if path.contains("::Display>") => "display".to_owned(),
        "fmt" if path.contains("::Debug>") => "debug".to_owned(),
        name => plain(name),
    };
    match owner_of(path) {
        Some(owner) => format!("{owner} {name}"),
        None => name,
    }
}

/// The type that a callable belongs to, by its last name: of
/// `<a::Shelf<T> as b::Trait>::get` and of `a::Shelf::get` it is `Shelf`. A free
/// function has none.
pub fn owner_of(path: &str) -> Option<String> {
    if let Some(inner) = path.strip_prefix('<') {
        let owner = inner.split(" as ").next().unwrap_or(inner);
        let owner = plain(&last_word(owner.trim_start_matches(['&', '['])));
        return (!owner.is_empty()).then_some(owner);
    }
    let mut words = path.rsplit("::").skip(1);
    let owner = plain(words.next()?);
    owner.chars().next().is_some_and(char::is_uppercase).then_some(owner)
}

fn plain(text: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() || c == '_' { c } else { ' ' };
    text.chars().map(letter).collect::<String>().trim().to_owned()
}

fn last_word(path: &str) -> String {
    let head = path.split('<').next().unwrap_or(path);
    head.rsplit("::").next().unwrap_or(head).to_owned()
}

/// `IndexMap` as `index_map`.
pub fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && lower {
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
        Ty::Adt { path, .. } => snake(&last_word(path)),
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
        assert_eq!(snake("equal values have equal hashes"), "equal_values_have_equal_hashes");
        assert_eq!(variable(&Ty::adt("a::BitVec", vec![])), "bit_vec");
        assert_eq!(variable(&Ty::adt("a::Match", vec![])), "a_match");
    }

    #[test]
    fn a_callable_is_known_by_its_type_and_its_name() {
        assert_eq!(short_path("a::b::Shelf::put"), "Shelf put");
        assert_eq!(short_path("<a::Shelf<T> as std::ops::Index<usize>>::index"), "Shelf index");
        assert_eq!(short_path("<&'s a::Shelf<T> as IntoIterator>::into_iter"), "Shelf into_iter");
        assert_eq!(short_path("a::b::total"), "total");
        assert_eq!(owner_of("a::b::total"), None);
        assert_eq!(owner_of("<Box<a::Slice<T>> as Clone>::clone").as_deref(), Some("Box"));
    }
}
