//! Whether documentation says that a function panics.
//!
//! A mention is not enough: "never panics" and an example that calls
//! `panic!` say something else.

use crate::prose::{is_negation, sentences};

/// Words that make "may panic" of what follows.
const MAY: &[&str] = &["will", "may", "can", "could", "would", "might", "shall", "should", "to"];
/// How far before the verb such a word is looked for.
const REACH: usize = 5;

/// Whether there is a heading about panics.
pub(crate) fn has_section(text: &str) -> bool {
    text.lines().any(|line| line.starts_with('#') && line.to_ascii_lowercase().contains("panic"))
}

/// Whether a sentence outside code says that it panics.
pub(crate) fn says_so(text: &str) -> bool {
    sentences(text).iter().any(|sentence| verb(sentence).is_some())
}

/// What a sentence speaks of, before it says "panics", if it is not the call itself.
const LATER: &[&str] = &[
    "calling",
    "calls",
    "iterating",
    "iteration",
    "iterator",
    "later",
    "methods",
    "returned",
    "subsequent",
    "use",
    "using",
];

/// Whether a sentence says that what it makes panics later.
pub(crate) fn announces(text: &str) -> bool {
    sentences(text).iter().any(|sentence| {
        let before = verb(sentence).map_or(&[][..], |at| &sentence[..at]);
        before.iter().any(|word| LATER.contains(&word.as_str()))
    })
}

/// Where a sentence says "panics", or that it may.
fn verb(words: &[String]) -> Option<usize> {
    (0..words.len()).find(|at| {
        let before = &words[at.saturating_sub(REACH)..*at];
        let verb = match words[*at].as_str() {
            "panics" => true,
            "panic" => before.last().is_some_and(|last| MAY.contains(&last.as_str())),
            _ => false,
        };
        verb && !before.iter().any(|word| is_negation(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_says_it_panics_is_told_from_one_that_mentions_it() {
        for text in [
            "Panics if the index is out of bounds.",
            "Takes the first.\nThis method will panic when there is none.",
            "Returns the sum, and panics on overflow.",
            "Not for large numbers.\n\nIt may panic.",
        ] {
            assert!(says_so(text), "{text}");
        }
        for text in [
            "This function never panics.",
            "Does not panic; `None` is returned.",
            "Returns `None` instead of panicking.",
            "Like `take`, but without panics.",
            "A hook for a panic of another thread.",
            "Adds one.\n```\npanic!(\"it panics\");\n```\nThat is all.",
            "It can't panic.",
        ] {
            assert!(!says_so(text), "{text}");
        }
    }

    #[test]
    fn what_is_made_may_panic_later() {
        assert!(announces("The returned iterator panics if `n` is zero."));
        assert!(announces("Calling `next` on it will panic."));
        assert!(!announces("Panics if `n` is zero."));
        assert!(!announces("Panics if the iterator has more items than there is room."));
        assert!(!announces("The returned iterator never panics."));
    }

    #[test]
    fn a_heading_is_a_section() {
        assert!(has_section("Adds.\n\n# Panics\n\nOn overflow."));
        assert!(!has_section("Adds, panics on overflow."));
    }
}
