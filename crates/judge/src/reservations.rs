//! What keeps a violation from being one.

use crate::Severity::Suspicious;
use crate::guesses::is_by_nothing;
use crate::policy::{Rule, overflows_its_stack};
use crate::words::{ARITHMETIC, ASSERTIONS};
use testsmith_model::outcome::Ending;

/// The rule of what depends on the answers of fakes.
pub(crate) const FAKES: &str = "answers of a fake";

/// What may become of a violation, whichever rule says that it is one.
pub static RESERVATIONS: &[Rule] = &[
    // The caller has to keep what its documentation asks for, and a test that was put together
    // at random does not.
    Rule {
        name: "unsafe call",
        severity: Suspicious,
        reason: "an unsafe function was called, as --unsafe asked for, and what it demands of its \
                 caller may not have been kept",
        applies: |facts| facts.unsafe_call,
    },
    // What is promised has to hold with every implementation that keeps its own contract, and
    // memory may not be misused whatever it answers.
    Rule {
        name: FAKES,
        severity: Suspicious,
        reason: "a fake of a trait answered, as its contracts allow and perhaps no implementation \
                 ever will; if one may, the code has to be ready for it, and if not, the contracts \
                 say too little",
        applies: |facts| {
            let fault = facts.outcome.ending.is_misuse_of_memory();
            let promised = facts.breaks_a_contract() || facts.is_an_oracle();
            facts.with_fake && !fault && !promised
        },
    },
    Rule {
        name: "internals",
        severity: Suspicious,
        reason: "it is public for the crate's own use, as its documentation says, and others may \
                 not know how to call it",
        applies: |facts| {
            let faults = matches!(facts.outcome.ending, Ending::Memory(_) | Ending::Signal { .. });
            facts.internal && !faults
        },
    },
    Rule {
        name: "hidden parts",
        severity: Suspicious,
        reason: "it takes a value that was put together from fields which the documentation hides",
        applies: |facts| facts.of_hidden_parts,
    },
    Rule {
        name: "index that was told before",
        severity: Suspicious,
        reason: "the index that goes wrong was given by the test to what made the value, together \
                 with a text or a list that it may not fit",
        applies: |facts| facts.told_before || facts.told_outside && facts.panic().is_some(),
    },
    Rule {
        name: "number that is none",
        severity: Suspicious,
        reason: "something is unwrapped that is not there, an assertion fails or the stack does not \
                 suffice, and the test gave a number that is none, or infinite, or as good as that, \
                 of which one is easily made",
        applies: |facts| {
            let nothing = facts.panic().is_some_and(|panic| is_by_nothing(&panic.message));
            let asserts = facts.panics_by(&ASSERTIONS);
            // Numbers that are none come of ordinary ones, too, and who asks for them expects some.
            asserts && facts.says(&["is_nan()", "is_finite()"])
                || facts.given_nan && (nothing || asserts || overflows_its_stack(facts))
        },
    },
    Rule {
        name: "function named by the message",
        severity: Suspicious,
        reason: "what it says when it panics names a function that anybody can call, and so tells \
                 its caller how that is to be used",
        applies: |facts| facts.speaks_to_its_caller(),
    },
    Rule {
        name: "lists that have to fit",
        severity: Suspicious,
        reason: "arithmetic or an index goes wrong in a value that was made of several lists of \
                 the test, which may have to fit each other",
        applies: |facts| facts.of_several_lists && facts.says(&ARITHMETIC),
    },
    Rule {
        name: "what the crate tells itself",
        severity: Suspicious,
        reason: "the test put together what the crate itself gives out one after the other, and \
                 such may only come in some order",
        applies: |facts| {
            facts.spoken_for && facts.is_calling() && facts.panic().is_some() && {
                facts.is_unreachable() || facts.panics_by(&ASSERTIONS) || facts.refuses_in_words()
            }
        },
    },
    Rule {
        name: "values of different owners",
        severity: Suspicious,
        reason: "it refuses in words of its own to bring two values together that belong to \
                 different ones",
        applies: |facts| facts.of_two_owners && facts.refuses_in_words(),
    },
    Rule {
        name: "closures that have to fit",
        severity: Suspicious,
        reason: "it was handed several closures of the test, whose answers may have to fit each \
                 other",
        applies: |facts| facts.takes_several_closures() && facts.panic().is_some(),
    },
];
