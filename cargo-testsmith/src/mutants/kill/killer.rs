//! A test that fails on mutants, and the words for that.

use crate::emit::{Emitted, Expected};
use crate::mutants::sources::Sources;
use crate::suite::Regression;
use std::collections::BTreeSet;
use testsmith_mutate::Mutant;
use testsmith_render::{Style, Test};

/// A test of what the original does, which fails on these mutants.
#[derive(Clone)]
pub struct Killer {
    pub regression: Regression,
    pub kills: BTreeSet<u32>,
    /// The one that its comment is about, while it kills it.
    first: u32,
    /// What would make it fail, in words.
    fails_if: String,
}

/// The target of the file.
pub const TARGET: &str = "testsmith_mutants";

impl Killer {
    pub fn new(
        regression: Regression,
        kills: BTreeSet<u32>,
        first: u32,
        sources: &Sources,
    ) -> Killer {
        let first = if kills.contains(&first) { first } else { *kills.first().unwrap_or(&first) };
        let fails_if = fails_if(first, kills.len(), sources);
        Killer { regression, kills, first, fails_if }
    }

    /// The same, of which only this is left.
    pub fn with(self, kills: BTreeSet<u32>, sources: &Sources) -> Killer {
        Killer::new(self.regression, kills, self.first, sources)
    }

    pub fn name(&self) -> &str {
        &self.regression.name
    }

    /// As the tests of the user are told.
    pub fn path(&self) -> String {
        format!("{TARGET}::{}", self.name())
    }

    /// Tests of one type stand together.
    pub fn key(&self) -> (&str, &str) {
        (&self.regression.filed.module, &self.regression.name)
    }
}

impl Emitted for Killer {
    fn test(&self) -> Test<'_> {
        let test = self.regression.test();
        let mut comment = vec![self.regression.comment.clone()];
        comment.extend(wrapped(&self.fails_if));
        Test { comment, ..test }
    }

    fn set_style(&mut self, style: Style) {
        self.regression.style = style;
    }

    fn expected(&self) -> Expected {
        Expected::Passes
    }
}

/// Longer pieces of code are cut.
const MAX_CODE: usize = 50;

/// `Fails if `a < b` in `f` becomes `a <= b`, and on 3 other changes.`
fn fails_if(first: u32, kills: usize, sources: &Sources) -> String {
    let Some((file, mutant)) = sources.mutant(first) else { return String::new() };
    let rest = match kills {
        0 | 1 => String::new(),
        2 => ", and on one other change".to_owned(),
        more => format!(", and on {} other changes", more - 1),
    };
    format!("Fails if {}{rest}.", change(&file.source.text, mutant))
}

/// Lines that are not too wide for a comment.
fn wrapped(text: &str) -> Vec<String> {
    const WIDTH: usize = 92;
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always one");
        if !line.is_empty() && line.chars().count() + word.chars().count() >= WIDTH {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines
}

/// What a mutant does, after `if`.
fn change(text: &str, mutant: &Mutant) -> String {
    let (before, after) = (code(&text[mutant.range.clone()]), code(&mutant.replacement));
    let function = last_words(&mutant.function);
    match (mutant.operator, before.as_str(), after.as_str()) {
        ("bodies", _, "()") => format!("`{function}` does nothing"),
        ("bodies", _, after) => format!("`{function}` returns {after} at once"),
        (_, before, "") => format!("{before} in `{function}` is left out"),
        (_, "", after) => format!("{after} is added in `{function}`"),
        (_, before, after) => format!("{before} in `{function}` becomes {after}"),
    }
}

/// A piece of code on one line, in quotes.
fn code(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = without_modules(&words.join(" "));
    if line.is_empty() {
        return line;
    }
    let short: String = line.chars().take(MAX_CODE).collect();
    let short = if short.len() < line.len() { format!("{short}…") } else { short };
    let quote = if short.contains('`') { "``" } else { "`" };
    format!("{quote}{short}{quote}")
}

/// `Ordering::Less` of `core::cmp::Ordering::Less`, as a replacement has to name it.
fn without_modules(code: &str) -> String {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("core::") {
        text.push_str(before);
        if text.ends_with(is_inside) {
            text.push_str("core::");
            rest = after;
        } else {
            text.truncate(text.trim_end_matches("::").len());
            rest = after.split_once("::").map_or(after, |(_, rest)| rest);
        }
    }
    text + rest
}

/// `Deck::take` of `deck::Deck::take`.
fn last_words(path: &str) -> String {
    let words: Vec<&str> = path.split("::").collect();
    words[words.len().saturating_sub(2)..].join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_wider_than_code() {
        let text = "word ".repeat(60);
        let lines = wrapped(text.trim());
        assert!(lines.len() > 2 && lines.iter().all(|line| line.len() <= 92), "{lines:#?}");
        assert_eq!(lines.join(" "), text.trim());
    }

    #[test]
    fn code_is_told_as_a_person_would_write_it() {
        assert_eq!(code("a\n    + b"), "`a + b`");
        assert_eq!(code("Some(::core::cmp::Ordering::Less)"), "`Some(Ordering::Less)`");
        assert_eq!(code("::core::default::Default::default()"), "`Default::default()`");
        assert_eq!(code("Some(core::cmp::Ordering::Less)"), "`Some(Ordering::Less)`");
        assert_eq!(code("core::default::Default::default()"), "`Default::default()`");
        assert_eq!(code("score::of(self)"), "`score::of(self)`");
        assert_eq!(code(" "), "");
        assert_eq!(last_words("a::Deck::take"), "Deck::take");
    }
}
