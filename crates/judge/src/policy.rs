//! The policy: rules in the order in which they are tried.

use crate::Severity::{self, Illegal, Suspicious, Violation};
use crate::facts::Facts;
use crate::words::{ARITHMETIC, ASSERTIONS, BOUNDS, INSIDE_A_LETTER, OPERATORS};
use testsmith_model::operation::OperationKind;
use testsmith_model::outcome::{Ending, MemoryError, Phase, STACK_OVERFLOW};

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
        name: "broken oracle",
        severity: Violation,
        reason: "an oracle in the test code of the crate does not hold",
        applies: |facts| facts.outcome.ending == Ending::Broken && facts.is_an_oracle(),
    },
    Rule {
        name: "law broken by hand",
        severity: Suspicious,
        reason: "a law does not hold for a value put together from public fields, which the type \
                 may not vouch for",
        applies: |facts| facts.outcome.ending == Ending::Broken && facts.by_hand,
    },
    Rule {
        name: "law broken after an interruption",
        severity: Suspicious,
        reason: "a law does not hold for a value after a call on it was interrupted by a panic of \
                 the test's own code, which it need not be ready for",
        applies: |facts| facts.outcome.ending == Ending::Broken && facts.interrupted,
    },
    Rule {
        name: "law broken through a back door",
        severity: Suspicious,
        reason: "a law does not hold after calls that take their caller's word, or a closure's, or \
                 that a key is theirs, which may not have been kept",
        applies: |facts| {
            facts.outcome.ending == Ending::Broken
                && (facts.back_door || (facts.answered && !facts.adapted) || facts.made_for_another)
        },
    },
    Rule {
        name: "query of what is shared",
        severity: Suspicious,
        reason: "it does not answer the same twice after calls that changed its value through a \
                 shared reference, which the value may be made for",
        applies: |facts| facts.outcome.ending == Ending::Broken && facts.shared_before,
    },
    Rule {
        name: "documented loss",
        severity: Suspicious,
        reason: "a law does not hold, and the documentation says that the type does not keep \
                 everything exactly",
        applies: |facts| facts.outcome.ending == Ending::Broken && facts.documents_loss(),
    },
    Rule {
        name: "convention that the type does not keep",
        severity: Suspicious,
        reason: "a convention does not hold, and does not hold for nearly all values of the type \
                 either; perhaps its methods mean something else",
        applies: |facts| facts.outcome.ending == Ending::Broken && facts.is_no_convention_here(),
    },
    Rule {
        name: "broken guess",
        severity: Suspicious,
        reason: "a claim does not hold that most types keep and some have reasons not to",
        applies: |facts| facts.outcome.ending == Ending::Broken && facts.is_weak(),
    },
    Rule {
        name: "broken law",
        severity: Violation,
        reason: "a law that types of its kind have to keep does not hold",
        applies: |facts| facts.outcome.ending == Ending::Broken,
    },
    Rule {
        name: "leak on purpose",
        severity: Illegal,
        reason: "memory is not freed, and the call says so, in words or by the type of what it gives",
        applies: |facts| is_leak(facts) && facts.keeps_memory,
    },
    Rule {
        name: "leak of an interrupted call",
        severity: Illegal,
        reason: "memory is not freed after a panic of the test's own code, which is safe",
        applies: |facts| is_leak(facts) && facts.interrupted,
    },
    Rule {
        name: "leak",
        severity: Suspicious,
        reason: "memory is not freed, however often it runs; that is safe, and seldom meant",
        applies: is_leak,
    },
    Rule {
        name: "memory error",
        severity: Violation,
        reason: "memory is used as it must not be, which safe code cannot ask for",
        applies: |facts| matches!(facts.outcome.ending, Ending::Memory(_)),
    },
    Rule {
        name: "different results",
        severity: Violation,
        reason: "the results with and without overflow checks and debug assertions are not the same",
        applies: |facts| matches!(facts.outcome.ending, Ending::Differs { .. }),
    },
    Rule {
        name: "memory error without checks",
        severity: Violation,
        reason: "only overflow checks or debug assertions, which users build without, keep it from \
                 using memory as it must not be",
        applies: |facts| matches!(facts.outcome.ending, Ending::Unguarded { .. }),
    },
    Rule {
        name: "exception to a near-contract",
        severity: Suspicious,
        reason: "nearly all calls promise it and these few do not, and neither the end of a scale \
                 nor a query says why; nobody has written that it must hold",
        applies: |facts| matches!(facts.outcome.ending, Ending::Exception { .. }),
    },
    Rule {
        name: "out of memory",
        severity: Illegal,
        reason: "it asked for more memory than a test may use",
        applies: |facts| matches!(facts.outcome.ending, Ending::OutOfMemory { .. }),
    },
    Rule {
        name: "wait without end",
        severity: Illegal,
        reason: "it waits for something that a single test does not give it",
        applies: |facts| matches!(facts.outcome.ending, Ending::TimedOut { waits: true, .. }),
    },
    Rule {
        name: "no return by design",
        severity: Illegal,
        reason: "it did not return in time, and was given a large number or something of many \
                 elements, or is not meant to return",
        applies: |facts| {
            let never = facts.never_returns() || facts.kind() == Some(OperationKind::Builder);
            let large = facts.large_number || facts.largest >= MANY;
            is_endless(facts) && (large || never)
        },
    },
    Rule {
        name: "no return that the test may have asked for",
        severity: Suspicious,
        reason: "it works without end; a closure of the test, an endless iterator, a key, a \
                 value that the test put together, one that it never gives back or a tolerance \
                 of nought may be why",
        applies: |facts| {
            let asked_for = facts.closures
                || facts.interrupted
                || facts.back_door
                || facts.by_hand
                || facts.made_up_keys
                || facts.made_for_another
                || facts.given_nothing_to_stop_at()
                || facts.kept_before
                || facts.is_of_trait(&[
                    "Iterator",
                    "DoubleEndedIterator",
                    "Extend",
                    "FromIterator",
                ]);
            is_endless(facts) && asked_for
        },
    },
    Rule {
        name: "no return",
        severity: Violation,
        reason: "it works without end, and was given nothing large",
        applies: is_endless,
    },
    Rule {
        name: "ended the process",
        severity: Suspicious,
        reason: "it ends the process; perhaps that is its purpose",
        applies: |facts| matches!(facts.outcome.ending, Ending::Exited { .. }),
    },
    Rule {
        name: "abort of an interrupted call",
        severity: Suspicious,
        reason: "it ends the process when code that was handed to it panics; perhaps it has to",
        applies: |facts| {
            let aborted = matches!(facts.outcome.ending, Ending::Signal { number: SIGABRT, .. });
            aborted && facts.is_calling() && facts.is_interrupted_here()
        },
    },
    Rule {
        name: "stack overflow of something large",
        severity: Suspicious,
        reason: "the stack does not suffice for something of thousands of elements, and the \
                 function promises no error that it could return instead",
        applies: |facts| {
            let refuses = facts.is_calling() && facts.returns_a_result();
            let drops = facts.outcome.phase == Phase::Dropping;
            overflows_its_stack(facts) && facts.largest >= THOUSANDS && !refuses && !drops
        },
    },
    Rule {
        name: "abort or signal",
        severity: Violation,
        reason: "the process was ended by an abort or a fault, which safe code cannot ask for",
        // What the test makes of the standard library may be too large for the stack.
        applies: |facts| {
            matches!(facts.outcome.ending, Ending::Signal { .. })
                && facts.kind() != Some(OperationKind::Builder)
        },
    },
    Rule {
        name: "fake without an answer",
        severity: Illegal,
        reason: "a fake of the test has no answer left that its contracts allow",
        applies: |facts| facts.is_a_fakes_own(),
    },
    Rule {
        name: "broken precondition",
        severity: Illegal,
        reason: "the call breaks a precondition that the function has written down",
        applies: |facts| facts.breaks_its_precondition(),
    },
    Rule {
        name: "invariant broken by the test",
        severity: Illegal,
        reason: "the test put the value together itself, against the invariant of its type",
        applies: |facts| facts.put_together_against_its_invariant(),
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
        applies: |facts| !facts.is_calling() && !facts.interrupted,
    },
    Rule {
        name: "argument of the test",
        severity: Illegal,
        reason: "it comes from the standard library while the test makes an argument",
        applies: |facts| facts.kind() == Some(OperationKind::Builder),
    },
    Rule {
        name: "panic in a convention",
        severity: Illegal,
        reason: "the methods that it calls are judged on their own",
        applies: |facts| facts.kind() == Some(OperationKind::Law) && facts.documents_panics(),
    },
    Rule {
        name: "place that a value carries",
        severity: Suspicious,
        reason: "arithmetic or an index goes wrong after a value that says where was used with \
                 something that had not given it out",
        applies: |facts| {
            let about_places = facts.says(&ARITHMETIC)
                || facts.says(&INSIDE_A_LETTER)
                || facts.says(&["out of bounds"]);
            facts.carried_place && about_places && !facts.documents_panics()
        },
    },
    Rule {
        name: "panic in a law",
        severity: Violation,
        reason: "comparing, hashing, showing and iterating must not panic, nor may an oracle",
        applies: |facts| {
            let asked_for = facts.back_door
                || facts.interrupted
                || facts.is_put_together_here()
                || facts.announced
                || facts.made_up_keys
                || facts.made_for_another
                || facts.refuses_its_caller()
                || (facts.large_number && facts.says(&["with overflow"]));
            let compares = facts.is_of_trait(&["PartialEq", "PartialOrd", "Ord"]);
            (facts.kind() == Some(OperationKind::Law) || compares) && !asked_for
        },
    },
    Rule {
        name: "panic while described",
        severity: Violation,
        reason: "Display, Debug and Hash must never panic",
        applies: |facts| {
            let runs_over = facts.near_the_end && facts.says(&["with overflow"]);
            let described = facts.is_of_trait(&["Display", "Debug", "Hash"]);
            let asked_for =
                facts.back_door || facts.interrupted || runs_over || facts.is_put_together_here();
            described && !asked_for
        },
    },
    Rule {
        name: "parameter that is not known",
        severity: Suspicious,
        reason: "the function itself says that it cannot be given such a parameter",
        applies: |facts| facts.is_unreachable() && facts.knows_no_such_parameter(),
    },
    Rule {
        name: "unreachable code was reached",
        severity: Violation,
        reason: "the code itself says that this cannot happen",
        applies: |facts| {
            facts.is_unreachable()
                && !facts.back_door
                && !facts.answered
                && !facts.interrupted
                && !facts.made_for_another
                && !facts.is_of_a_foreign_trait()
        },
    },
    Rule {
        name: "cell borrowed twice",
        severity: Violation,
        reason: "a RefCell inside the crate is borrowed twice",
        applies: |facts| {
            facts.says(&["already borrowed", "already mutably borrowed"]) && !facts.interrupted
        },
    },
    Rule {
        name: RIGHT_POSITION,
        severity: Violation,
        reason: "the index or the range that it was given lies within all that its value \
                 counts, and something inside goes wrong",
        applies: |facts| {
            let asked_for = facts.interrupted
                || facts.back_door
                || facts.answered
                || facts.made_up_keys
                || facts.made_for_another
                || facts.is_put_together_here()
                || facts.changes_and_documents_panics()
                || (facts.large_number && facts.says(&["with overflow"]));
            facts.right_position
                && (facts.says(&ARITHMETIC) || facts.asserts_inside())
                && !asked_for
        },
    },
    Rule {
        name: "documented panic",
        severity: Illegal,
        reason: "the documentation says that it panics",
        applies: |facts| facts.documents_panics(),
    },
    Rule {
        name: "announced panic",
        severity: Suspicious,
        reason: "the documentation of what made one of its values says that this panics later",
        applies: |facts| facts.announced,
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
        name: "assertion on the arguments",
        severity: Illegal,
        reason: "the function itself asserts something about its arguments",
        applies: |facts| {
            facts.panics_by(&ASSERTIONS) && facts.is_in_the_entry() && facts.mentions_an_argument()
        },
    },
    Rule {
        name: "made for another",
        severity: Suspicious,
        reason: "a key, a cursor or something computed before was made for another value than the \
                 one that it was used with, be it a clone or a part of that",
        applies: |facts| facts.made_for_another && facts.panic().is_some(),
    },
    Rule {
        name: "internal debug assertion",
        severity: Violation,
        reason: "a debug assertion inside fails, which the author holds to be impossible",
        applies: |facts| {
            let asked_for = facts.mentions_an_argument()
                || facts.interrupted
                || facts.answered
                || facts.is_of_a_foreign_trait()
                || facts.refuses_its_caller()
                || (facts.is_told_a_place() && facts.asserts_an_order())
                || (facts.is_of_trait(&OPERATORS)
                    && (facts.large_number || facts.says(&["overflow", "underflow"])));
            facts.panics_by(&["debug_assert", "debug_assert_eq", "debug_assert_ne"]) && !asked_for
        },
    },
    Rule {
        name: "division by zero",
        severity: Illegal,
        reason: "what divides panics on a division by zero by convention",
        applies: |facts| {
            (facts.divides() || facts.is_of_trait(&["Div", "Rem", "DivAssign", "RemAssign"]))
                && facts.says(&["zero", "denominator"])
                && !facts.is_checked()
        },
    },
    Rule {
        name: "overflow of an operator",
        severity: Suspicious,
        reason: "arithmetic overflows; the operators of integers do so too",
        applies: |facts| {
            facts.is_of_trait(&OPERATORS) || (facts.calculates() && facts.says(&["with overflow"]))
        },
    },
    Rule {
        name: "panic after an interruption",
        severity: Suspicious,
        reason: "it panics after a call was interrupted by a panic of the test's own code, which \
                 its value need not be ready for",
        applies: |facts| facts.interrupted,
    },
    Rule {
        name: "panic behind a back door",
        severity: Suspicious,
        reason: "it panics after calls that take their caller's word, which may not have been kept",
        applies: |facts| facts.back_door,
    },
    Rule {
        name: "argument named by the message",
        severity: Suspicious,
        reason: "what it says when it panics is about one of its arguments by name",
        applies: |facts| facts.says_a_parameter() && !facts.says(&ARITHMETIC),
    },
    Rule {
        name: "documented order",
        severity: Suspicious,
        reason: "the documentation says when it is to be called, which may not have been kept",
        applies: |facts| facts.documents_order(),
    },
    Rule {
        name: "documented demand",
        severity: Suspicious,
        reason: "the documentation says what one of its arguments must be, which may not have been \
                 kept",
        applies: |facts| facts.documents_demands(),
    },
    Rule {
        name: "panic of a value put together by hand",
        severity: Suspicious,
        reason: "its value was put together from several public fields, which may not fit together",
        applies: |facts| facts.is_put_together_here(),
    },
    Rule {
        name: "panic out of a promise",
        severity: Violation,
        reason: "it returns an Option or a Result, does not say that it panics, and panics",
        applies: |facts| {
            let asked_for = facts.made_up_keys
                || facts.interrupted
                || facts.is_meant()
                || facts.refuses_its_caller()
                || ((facts.near_the_end || facts.far_place) && facts.says(&["with overflow"]))
                || (facts.panics_by(&ASSERTIONS) && facts.mentions_an_argument())
                || facts.asserts_a_parameter()
                || (facts.numbered && facts.says(&INSIDE_A_LETTER))
                || (facts.returns_a_result() && facts.complains_of_a_given_index())
                || facts.refuses_in_a_macro()
                || ((facts.is_told_where() || facts.takes_a_list_of_places())
                    && (facts.says(&BOUNDS) || facts.says(&["capacity overflow"])))
                || (facts.answered && (facts.large_number || facts.panics_by(&ASSERTIONS)));
            facts.promises_failure() && !asked_for
        },
    },
    Rule {
        name: "arithmetic of a chosen type",
        severity: Suspicious,
        reason: "it computes by the operators of a type that its caller chooses, and a wider one \
                 would do",
        applies: |facts| {
            facts.says(&["with overflow"])
                && facts.operation.is_some_and(|operation| operation.chosen_numbers)
        },
    },
    Rule {
        name: "arithmetic or index that nobody asked for",
        severity: Violation,
        reason: "arithmetic or an index inside goes wrong, and the caller gave no index, no size, \
                 no large number and no zero to divide by",
        applies: |facts| {
            facts.says(&ARITHMETIC)
                && !facts.interrupted
                && !facts.takes_an_index_or_size()
                && !facts.fills_a_buffer()
                && !facts.large_number
                && !facts.divides_by_a_given_zero()
                && !(facts.given_a_share_beyond_the_whole() && facts.says(&BOUNDS))
                && !facts.is_a_difference()
        },
    },
    Rule {
        name: "text cut inside a letter",
        severity: Violation,
        reason: "a text is cut inside a letter of several bytes, and the caller gave no number \
                 that could say where",
        applies: |facts| {
            facts.says(&INSIDE_A_LETTER)
                && !facts.interrupted
                && !facts.numbered
                && !facts.takes_an_index_or_size()
        },
    },
    // From here on, what may be misuse: the likelier to be a defect, the earlier.
    Rule {
        name: "failed unwrap",
        severity: Suspicious,
        reason: "something inside is unwrapped that is not there; perhaps no caller was meant to \
                 get here in this state",
        applies: |facts| facts.says(&["called `Option::unwrap()`", "called `Result::unwrap()`"]),
    },
    Rule {
        name: "difference the wrong way round",
        severity: Suspicious,
        reason: "it gives what lies between two values as a number without a sign, and the first \
                 may have to come first",
        applies: |facts| facts.is_a_difference(),
    },
    Rule {
        name: "division by a given zero",
        severity: Suspicious,
        reason: "something is divided by a zero that the caller gave",
        applies: |facts| facts.says(&ARITHMETIC) && facts.divides_by_a_given_zero(),
    },
    Rule {
        name: "overflow of a large number",
        severity: Suspicious,
        reason: "arithmetic overflows, and the caller gave a large number",
        applies: |facts| facts.says(&ARITHMETIC) && facts.large_number,
    },
    Rule {
        name: "given index or size",
        severity: Suspicious,
        reason: "arithmetic or an index goes wrong; the index or size that was given may be out \
                 of range",
        applies: |facts| facts.says(&ARITHMETIC),
    },
    Rule {
        name: "failed assertion",
        severity: Suspicious,
        reason: "an assertion inside fails; it may be a check of what the caller handed on",
        applies: |facts| facts.panics_by(&ASSERTIONS) || facts.says(&["assertion"]),
    },
    Rule {
        name: "capacity overflow",
        severity: Suspicious,
        reason: "the size that was given is more than any collection can hold",
        applies: |facts| facts.says(&["capacity overflow"]),
    },
    Rule {
        name: "explicit panic",
        severity: Suspicious,
        reason: "the function itself panics on purpose, perhaps for arguments it does not want",
        applies: |facts| facts.is_meant(),
    },
    Rule {
        name: "undocumented panic",
        severity: Suspicious,
        reason: "it panics and does not say so; the arguments may be misuse",
        applies: |_| true,
    },
];

/// The rule about positions that were right.
pub(crate) const RIGHT_POSITION: &str = "panic at a right position";

/// Something of so many elements may well take an algorithm too long.
const MANY: u128 = 60;
/// No stack is made for a recursion of so many steps.
const THOUSANDS: u128 = 1000;

pub(crate) fn overflows_its_stack(facts: &Facts) -> bool {
    matches!(&facts.outcome.ending, Ending::Signal { note, .. } if note == STACK_OVERFLOW)
}

fn is_endless(facts: &Facts) -> bool {
    matches!(facts.outcome.ending, Ending::TimedOut { .. })
}

fn is_leak(facts: &Facts) -> bool {
    facts.outcome.ending == Ending::Memory(MemoryError::Leak)
}

/// The signal of an abort.
const SIGABRT: i32 = 6;
