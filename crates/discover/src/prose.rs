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
/// Words of memory that is not given back, and of that which is.
const KEPT: &[&str] = &["forget", "forgets", "forgotten", "leak", "leaked", "leaking", "leaks"];
const FREED: &[&str] =
    &["deallocated", "destructor", "destructors", "dropped", "freed", "reclaimed", "released"];
/// Words of what has no end, and of what has one.
const ENDLESS: &[&str] = &["endlessly", "forever", "indefinitely", "infinitely"];
const ENDS: &[&str] = &["end", "ends", "return", "returns", "stop", "stops", "terminates"];
/// Words of what waits for somebody else.
const WAITS: &[&str] =
    &["block", "blocked", "blocks", "blocking", "park", "parks", "spin", "spins", "wait", "waits"];
/// What may stand behind "does not return" where that is all it does not.
const ASIDE: &[&str] = &["at", "before", "if", "normally", "on", "to", "unless", "until", "when"];
/// Words that say when something is to be called.
const WHEN: &[&str] = &["after", "before", "must", "twice"];

/// Words that demand something of a caller, in one or several.
const DEMANDS: &[&[&str]] = &[
    &["must"],
    &["precondition"],
    &["preconditions"],
    &["assumes"],
    &["is", "assumed"],
    &["are", "assumed"],
    &["has", "to", "be"],
    &["have", "to", "be"],
    &["needs", "to", "be"],
    &["need", "to", "be"],
    &["make", "sure"],
    &["always", "give"],
    &["always", "pass"],
    &["always", "provide"],
    &["always", "supply"],
    &["always", "use"],
];

/// Whether a sentence demands something of whoever calls a function.
pub(crate) fn demands(sentence: &str) -> bool {
    let sentence = sentence.to_ascii_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let words: Vec<&str> =
        sentence.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
    DEMANDS.iter().any(|wanted| words.windows(wanted.len()).any(|words| words == *wanted))
}

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

/// Whether a sentence says that what is given may be a number that is none.
pub(crate) fn gives_nan(text: &str) -> bool {
    const GIVES: [&str; 8] =
        ["be", "become", "becomes", "give", "gives", "produces", "returns", "yields"];
    sentences(text).iter().any(|sentence| {
        let has = |wanted: &[&str]| sentence.iter().any(|word| wanted.contains(&word.as_str()));
        has(&["nan", "nans"]) && has(&GIVES) && !sentence.iter().any(|word| is_negation(word))
    })
}

/// Whether a sentence says that memory is not freed.
pub(crate) fn keeps_memory(text: &str) -> bool {
    let has = |sentence: &[String], words: &[&str]| {
        sentence.iter().any(|word| words.contains(&word.as_str()))
    };
    sentences(text).iter().any(|sentence| match sentence.iter().any(|word| is_negation(word)) {
        true => has(sentence, FREED),
        false => has(sentence, KEPT),
    })
}

/// Whether a sentence says that it does not return of itself.
pub(crate) fn is_endless(text: &str) -> bool {
    let goes_on = |sentence: &Vec<String>, at: usize| {
        let next = sentence.get(at + 1).map(String::as_str);
        let denied = at > 0 && is_negation(&sentence[at - 1]);
        denied && next.is_none_or(|next| ASIDE.contains(&next))
    };
    sentences(text).iter().any(|sentence| {
        let has = |words: &[&str]| sentence.iter().any(|word| words.contains(&word.as_str()));
        let waits = has(WAITS) && has(&["until"]) && !sentence.iter().any(|w| is_negation(w));
        waits
            || sentence.iter().enumerate().any(|(at, word)| match word.as_str() {
                word if ENDLESS.contains(&word) => !sentence[..at].iter().any(|w| is_negation(w)),
                word => ENDS.contains(&word) && goes_on(sentence, at),
            })
    })
}

/// Whether a sentence says that something is public for the crate's own sake and for nobody
/// else's.
pub(crate) fn is_internal(text: &str) -> bool {
    // Under a heading of its own stands how something is made, for those who want to know.
    let headless: Vec<&str> =
        text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let follows = |sentence: &[String], first: &[&str], then: &[&str], within: usize| {
        sentence.iter().enumerate().any(|(at, word)| {
            let next = sentence.iter().skip(at + 1).take(within);
            first.contains(&word.as_str())
                && next.into_iter().any(|word| then.contains(&word.as_str()))
        })
    };
    sentences(&headless.join("\n")).iter().any(|sentence| {
        let meant = ["designed", "intended", "meant", "supposed"];
        let used = ["directly", "public", "publicly", "usage", "use", "used", "users"];
        let denied = |word: &String| is_negation(word);
        let not_meant = sentence.iter().any(denied)
            && follows(sentence, &meant, &used, 4)
            && !follows(sentence, &used, &["if", "in", "when", "where", "with", "without"], 2);
        let own = follows(sentence, &["only"], &meant, 1)
            && follows(sentence, &["this"], &["crate", "library"], 1);
        let details = matches!(sentence.as_slice(), [first, second, ..]
            if first == "implementation" && second.starts_with("detail"));
        details || follows(sentence, &["internal"], &["api", "use", "usage"], 1) || not_meant || own
    })
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
    fn what_a_caller_has_to_keep_is_demanded() {
        assert!(demands("`n` must be even") && demands("Precondition: n is even"));
        assert!(demands("For consistent results, always supply the same `s`"));
        assert!(demands("It assumes that `list` is sorted"));
        assert!(!demands("Always gives `n`, whatever was assumed") && !demands("Makes `n` even"));
    }

    #[test]
    fn a_number_that_is_none_may_be_given() {
        assert!(gives_nan("This produces `NaN` values when the magnitude is `0`."));
        assert!(!gives_nan("Never returns NaN.") && !gives_nan("Leaves out what is NaN."));
    }

    #[test]
    fn memory_is_kept_where_it_is_leaked_or_not_freed() {
        assert!(keeps_memory("Leaks the box."));
        assert!(keeps_memory("The items will never be dropped."));
        assert!(!keeps_memory("Gives it back, so that nothing can leak, not even its items."));
        assert!(!keeps_memory("The items are dropped."));
        assert!(!keeps_memory("Does not change it."));
    }

    #[test]
    fn what_is_there_for_the_crate_itself_is_internal() {
        assert!(is_internal("Implementation details of this crate."));
        assert!(is_internal("They are exposed, although they are not designed for such usage."));
        assert!(is_internal("This struct is only designed to be working with this crate."));
        assert!(is_internal("For internal use. May change."));
        assert!(is_internal("It is not meant to be used directly."));
        assert!(!is_internal("A set that is designed for use in small programs."));
        assert!(!is_internal("An internal node of the tree."));
        assert!(!is_internal("A stack.\n\n# Implementation details\n\nIt wraps a list."));
        assert!(!is_internal("The order of its items is an implementation detail."));
        assert!(!is_internal("It is not meant to be used with numbers that are too large."));
        assert!(!is_internal("Only positive numbers are used by this crate."));
    }

    #[test]
    fn what_is_said_never_to_return_is_endless() {
        assert!(is_endless("Counts and never stops."));
        assert!(is_endless("Serves clients; does not return unless there is an error."));
        assert!(is_endless("Blocks forever."));
        assert!(is_endless("Spins until the cell contains a value."));
        assert!(!is_endless("Tries once, and does not block until there is one."));
        assert!(!is_endless("Reads until there is nothing left."));
        assert!(!is_endless("Does not return the old value."));
        assert!(!is_endless("Never waits forever."));
        assert!(!is_endless("Runs all tasks until none is left, and returns."));
    }

    #[test]
    fn an_order_of_calls_is_said_in_one_sentence() {
        assert!(order("Ends it. Must be called after `begin_row`.").contains(&"begin_row".into()));
        assert!(order("Ends what was begun. The closure is called for each.").is_empty());
    }
}
