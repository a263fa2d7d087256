//! From outcomes to verdicts.
//!
//! Only this crate calls an outcome a violation, suspicious or illegal. The
//! policy is a table of rules in the order in which they are tried; the first
//! that applies decides, and its words are what the user reads.
#![forbid(unsafe_code)]

mod arguments;
mod by_hand;
mod checks;
mod class;
mod contract;
mod facts;
mod fakes;
mod guesses;
mod large;
mod made_for_another;
mod needed;
mod places;
mod policy;
mod positions;
mod refusals;
mod reservations;
mod support;
mod way;
mod words;

pub use facts::Facts;
pub use guesses::{is_by_nothing, is_by_zero};
pub use policy::{POLICY, Rule};
pub use positions::{Counts, counts, is_right};
pub use reservations::RESERVATIONS;
pub use support::{Asked, Support};
pub use way::{is_given_data, is_same_way, lineage, way};

use testsmith_model::outcome::{Ending, Outcome};
use testsmith_model::{Plan, Sequence, Step};

/// How sure we are that somebody has to mend something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A promise of the language, of a trait or of the function is broken.
    Violation,
    /// An undocumented panic that may be misuse.
    Suspicious,
    /// The caller asked for it.
    Illegal,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Severity::Violation => "violation",
            Severity::Suspicious => "suspicious",
            Severity::Illegal => "illegal",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failing(Failing),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    pub severity: Severity,
    /// The rule that decided, by name.
    pub rule: &'static str,
    /// Its place in the policy: of suspicious failures, the lower, the likelier
    /// a defect.
    pub rank: usize,
    /// Why it counts, or why it may be misuse.
    pub reason: &'static str,
    /// Failures of one class are one finding.
    pub class: String,
}

/// What is known of a failure that takes further calls to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// How far the type keeps the claim that is broken.
    pub support: Option<Support>,
    /// The position that was given lies within all that its value counts.
    pub right_position: bool,
    /// Of several zeros that were given one is enough to divide by zero.
    pub by_one_zero: bool,
}

/// What to think of an outcome.
pub fn judge(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> Verdict {
    judge_with(plan, sequence, outcome, Known::default())
}

/// The same, with what is known besides.
pub fn judge_with(plan: &Plan, sequence: &Sequence, outcome: &Outcome, known: Known) -> Verdict {
    if matches!(outcome.ending, Ending::Completed | Ending::Inapplicable) {
        return Verdict::Passed;
    }
    let mut facts = Facts::new(plan, sequence, outcome);
    facts.support = known.support;
    facts.right_position = known.right_position;
    facts.by_one_zero = known.by_one_zero;
    let rank =
        POLICY.iter().position(|rule| (rule.applies)(&facts)).expect("the last rule takes all");
    let rule = match &POLICY[rank] {
        rule if rule.severity == Severity::Violation => {
            RESERVATIONS.iter().find(|it| (it.applies)(&facts)).unwrap_or(rule)
        }
        // Whatever else may be the reason, that one is told.
        rule if rule.severity == Severity::Suspicious && facts.with_fake => {
            let of_fakes = |it: &&Rule| it.name == reservations::FAKES && (it.applies)(&facts);
            RESERVATIONS.iter().find(of_fakes).unwrap_or(rule)
        }
        rule => rule,
    };
    Verdict::Failing(Failing {
        severity: rule.severity,
        rule: rule.name,
        rank,
        reason: rule.reason,
        class: facts.class(),
    })
}

/// Whether a failure that the caller seems to have asked for would be a violation if the
/// position that was given is right.
pub fn depends_on_a_position(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> bool {
    let op = match sequence.steps().nth(outcome.step as usize) {
        Some(Step::Call(op, _)) => *op,
        _ => return false,
    };
    let known = Known { right_position: true, ..Known::default() };
    let verdict = judge_with(plan, sequence, outcome, known);
    matches!(verdict, Verdict::Failing(failing) if failing.rule == policy::RIGHT_POSITION)
        && counts(plan, op).is_some()
}
