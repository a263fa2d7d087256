//! What keeps a violation from being one.

use crate::Severity::Suspicious;
use crate::policy::Rule;
use testsmith_model::outcome::Ending;

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
];
