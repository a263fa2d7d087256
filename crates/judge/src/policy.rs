//! The policy: rules in the order in which they are tried.

use crate::Severity::{self, Illegal, Suspicious, Violation};
use crate::facts::Facts;
use testsmith_model::operation::OperationKind;
use testsmith_model::outcome::Ending;

pub struct Rule {
    pub name: &'static str,
    pub severity: Severity,
    /// For the user: why it counts, or why not.
    pub reason: &'static str,
    pub applies: fn(&Facts) -> bool,
}

/// The first rule that applies decides.
pub static POLICY: &[Rule] = &[
    Rule {
        name: "broken law",
        severity: Violation,
        reason: "a law of a trait that the type implements does not hold",
        applies: |facts| facts.outcome.ending == Ending::Broken,
    },
    Rule {
        name: "out of memory",
        severity: Illegal,
        reason: "it asked for more memory than a test may use",
        applies: |facts| matches!(facts.outcome.ending, Ending::OutOfMemory { .. }),
    },
    Rule {
        name: "no return",
        severity: Illegal,
        reason: "it did not return in time",
        applies: |facts| matches!(facts.outcome.ending, Ending::TimedOut { .. }),
    },
    Rule {
        name: "ended the process",
        severity: Suspicious,
        reason: "it ends the process; perhaps that is its purpose",
        applies: |facts| matches!(facts.outcome.ending, Ending::Exited { .. }),
    },
    Rule {
        name: "abort or signal",
        severity: Violation,
        reason: "the process was ended by an abort or a fault, which safe code cannot ask for",
        applies: |facts| matches!(facts.outcome.ending, Ending::Signal { .. }),
    },
    Rule {
        name: "closure of the test",
        severity: Illegal,
        reason: "the closure that the test passed in panics by design",
        applies: |facts| facts.says(&["the closure panics"]),
    },
    Rule {
        name: "broken precondition",
        severity: Illegal,
        reason: "the call breaks a precondition that the function has written down",
        applies: |facts| facts.breaks_its_precondition(),
    },
    Rule {
        name: "broken contract",
        severity: Violation,
        reason: "a contract is broken inside, by the code that promised it",
        applies: |facts| facts.breaks_a_contract(),
    },
    Rule {
        name: "panic in a drop or while shown",
        severity: Violation,
        reason: "dropping and describing a value must never panic",
        applies: |facts| !facts.is_calling(),
    },
    Rule {
        name: "argument of the test",
        severity: Illegal,
        reason: "the panic comes from the standard library while the test makes an argument",
        applies: |facts| facts.kind() == Some(OperationKind::Builder),
    },
    Rule {
        name: "panic in a law",
        severity: Suspicious,
        reason: "comparing, hashing or iterating panics",
        applies: |facts| facts.kind() == Some(OperationKind::Law),
    },
    Rule {
        name: "panic while described",
        severity: Violation,
        reason: "Display, Debug and Hash must never panic",
        applies: |facts| facts.is_of_trait(&["Display", "Debug", "Hash"]),
    },
    Rule {
        name: "unreachable code was reached",
        severity: Violation,
        reason: "the code itself says that this cannot happen",
        applies: |facts| facts.says(&["entered unreachable code", "unreachable"]),
    },
    Rule {
        name: "cell borrowed twice",
        severity: Violation,
        reason: "a RefCell inside the crate is borrowed twice",
        applies: |facts| facts.says(&["already borrowed", "already mutably borrowed"]),
    },
    Rule {
        name: "documented panic",
        severity: Illegal,
        reason: "the documentation says that it panics",
        applies: |facts| facts.documents_panics(),
    },
    Rule {
        name: "not implemented",
        severity: Illegal,
        reason: "the code says that it is not written yet",
        applies: |facts| facts.says(&["not implemented", "not yet implemented"]),
    },
    Rule {
        name: "index",
        severity: Illegal,
        reason: "indexing panics by convention where there is nothing",
        applies: |facts| facts.is_of_trait(&["Index", "IndexMut"]),
    },
    Rule {
        name: "division by zero",
        severity: Illegal,
        reason: "operators panic on a division by zero by convention",
        applies: |facts| {
            facts.is_of_trait(&["Div", "Rem", "DivAssign", "RemAssign"])
                && facts.says(&["zero", "denominator"])
        },
    },
    Rule {
        name: "overflow of an operator",
        severity: Suspicious,
        reason: "arithmetic overflows; the operators of integers do so too",
        applies: |facts| {
            facts.is_of_trait(&[
                "Add",
                "Sub",
                "Mul",
                "Neg",
                "AddAssign",
                "SubAssign",
                "MulAssign",
                "Shl",
                "Shr",
                "Sum",
                "Product",
            ])
        },
    },
    Rule {
        name: "panic out of a promise",
        severity: Violation,
        reason: "it returns an Option or a Result, does not say that it panics, and panics",
        applies: |facts| facts.promises_failure(),
    },
    Rule {
        name: "overflow or index without a number",
        severity: Violation,
        reason: "arithmetic or an index inside goes wrong, and the caller gave no number",
        applies: |facts| {
            !facts.takes_a_number()
                && facts.says(&["with overflow", "index out of bounds", "out of range"])
        },
    },
    Rule {
        name: "failed assertion",
        severity: Suspicious,
        reason: "an assertion fails; it may be a check of the arguments",
        applies: |facts| facts.says(&["assertion"]),
    },
    Rule {
        name: "undocumented panic",
        severity: Suspicious,
        reason: "it panics and does not say so; the arguments may be misuse",
        applies: |_| true,
    },
];
