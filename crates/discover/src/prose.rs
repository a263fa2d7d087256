//! What documentation says in words, code left out.
//!
//! Guesses from words: whoever judges by them says so, and is never surer than suspicious.

/// Words that turn what follows round.
const NOT: &[&str] = &[
    "not", "never", "no", "cannot", "without", "nor", "avoid", "avoids", "instead", "rather",
    "unlike", "neither", "prevent", "prevents",
];
/// Words of a value that is not kept exactly.
const INEXACT: &[&str] = &[
    "approximate",
    "approximately",
    "approximates",
    "imprecise",
    "inexact",
    "lossily",
    "lossy",
    "precision",
    "rounded",
    "rounding",
    "rounds",
    "truncated",
    "truncates",
];
/// Words that say when something is to be called.
const WHEN: &[&str] = &["after", "before", "must", "twice"];

pub(crate) fn is_negation(word: &str) -> bool {
    NOT.contains(&word) || word.ends_with("n't")
}

/// The words of each sentence, in small letters.
pub(crate) fn sentences(text: &str) -> Vec<Vec<String>> {
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
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '-' | '_');
    let words = |sentence: &str| -> Vec<String> {
        let words = sentence.split(|c| !is_word(c)).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    prose.to_ascii_lowercase().split(['.', ';', '!', '?']).map(words).collect()
}

/// Whether a sentence says that something is not kept exactly.
pub(crate) fn is_inexact(text: &str) -> bool {
    let says = |sentence: &Vec<String>| {
        sentence.iter().any(|word| INEXACT.contains(&word.as_str()))
            && !sentence.iter().any(|word| is_negation(word))
    };
    sentences(text).iter().any(says)
}

/// The words of the sentences that say what has to be called when.
pub(crate) fn order(text: &str) -> Vec<String> {
    let about = |sentence: &Vec<String>| {
        let when = sentence.iter().any(|word| WHEN.contains(&word.as_str()));
        when && sentence.iter().any(|word| word == "called")
    };
    let mut words: Vec<String> = sentences(text).into_iter().filter(about).flatten().collect();
    words.sort();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rounded_is_not_exact_unless_it_is_denied() {
        assert!(is_inexact("Shows it, rounded to two places."));
        assert!(!is_inexact("Shows it without loss of precision."));
        assert!(!is_inexact("Shows it."));
    }

    #[test]
    fn an_order_of_calls_is_said_in_one_sentence() {
        assert!(order("Ends it. Must be called after `begin_row`.").contains(&"begin_row".into()));
        assert!(order("Ends what was begun. The closure is called for each.").is_empty());
    }
}
