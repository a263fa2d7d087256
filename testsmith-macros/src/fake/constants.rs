//! Constants that clauses speak of.
//!
//! A macro cannot see what `MOST` is; the code that it writes can. So whatever is written
//! like a constant is handed to the description with its value.

use super::method::Faked;
use std::collections::BTreeMap;
use syn::visit::Visit;
use syn::{ExprPath, Path};

/// By the words that clauses use.
pub fn of(methods: &[Faked]) -> BTreeMap<String, Path> {
    let mut found = Found(BTreeMap::new());
    for clause in methods.iter().flat_map(|method| &method.clauses) {
        found.visit_expr(clause);
    }
    found.0
}

struct Found(BTreeMap<String, Path>);

impl<'a> Visit<'a> for Found {
    fn visit_expr_path(&mut self, expr: &'a ExprPath) {
        let words: Vec<String> =
            expr.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // `u8::MAX` is known anyway.
        let of_number = words.len() >= 2 && is_number(&words[words.len() - 2]);
        if expr.qself.is_none() && !of_number && words.last().is_some_and(|it| is_constant(it)) {
            self.0.insert(words.join("::"), expr.path.clone());
        }
    }
}

fn is_constant(word: &str) -> bool {
    word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase)
}

fn is_number(word: &str) -> bool {
    let width = word.strip_prefix(['u', 'i', 'f']).unwrap_or_default();
    width == "size" || (!width.is_empty() && width.chars().all(|c| c.is_ascii_digit()))
}
