//! Whether documentation says that a function panics.
//!
//! A mention is not enough: "never panics" and an example that calls
//! `panic!` say something else.

/// Words that make "may panic" of what follows.
const MAY: &[&str] = &["will", "may", "can", "could", "would", "might", "shall", "should", "to"];
/// Words that turn what follows round.
const NOT: &[&str] = &[
    "not", "never", "no", "cannot", "without", "nor", "avoid", "avoids", "instead", "rather",
    "unlike", "neither", "prevent", "prevents",
];
/// How far before the verb such a word is looked for.
const REACH: usize = 5;

/// Whether there is a heading about panics.
pub(crate) fn has_section(text: &str) -> bool {
    text.lines().any(|line| line.starts_with('#') && line.to_ascii_lowercase().contains("panic"))
}

/// Whether a sentence outside code says that it panics.
pub(crate) fn says_so(text: &str) -> bool {
    let mut code = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code {
            // An empty line ends a sentence as well.
            prose += if line.trim().is_empty() { ". " } else { line };
            prose.push(' ');
        }
    }
    let prose = prose.to_ascii_lowercase();
    prose.split(['.', ';', '!', '?']).any(sentence_says_so)
}

fn sentence_says_so(sentence: &str) -> bool {
    let words: Vec<&str> =
        sentence.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-').collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let turned = |word: &&str| NOT.contains(word) || word.ends_with("n't");
    words.iter().enumerate().any(|(at, word)| {
        let before = &words[at.saturating_sub(REACH)..at];
        let verb = match *word {
            "panics" => true,
            "panic" => before.last().is_some_and(|last| MAY.contains(last)),
            _ => false,
        };
        verb && !before.iter().any(turned)
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
    fn a_heading_is_a_section() {
        assert!(has_section("Adds.\n\n# Panics\n\nOn overflow."));
        assert!(!has_section("Adds, panics on overflow."));
    }
}
