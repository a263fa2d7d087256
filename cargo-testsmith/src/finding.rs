//! Findings: failing sequences, one for each class and way to get there, the smallest kept.

use crate::candidate::{Candidate, Claim, Confirmed};
use crate::emit::{Emitted, Expected};
use crate::replay::describe;
use crate::selection::Selection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use testsmith_judge::{
    Failing, Known, Severity, Support, Verdict, depends_on_a_position, is_given_data, judge,
    judge_with, way,
};
use testsmith_model::outcome::{Ending, MemoryError, Outcome, Phase};
use testsmith_model::{Callee, Plan, Sequence, Step};
use testsmith_render::{Style, Test, TestEnding, Watch, name_of};

#[derive(Clone, Debug)]
pub struct Finding {
    pub name: String,
    pub failing: Failing,
    pub sequence: Sequence,
    pub outcome: Outcome,
    /// The operation that failed, as in the documentation.
    pub operation: String,
    /// The file of the law whose claim it is about.
    pub law: Option<String>,
    /// How far the type keeps the claim, where that is a convention.
    pub support: Option<Support>,
    /// The calls without which values keep it.
    pub kept_without: Vec<String>,
    /// The calls that it takes to get there.
    pub way: BTreeSet<String>,
    /// Other operations that were seen to fail in the same class, after these calls.
    pub siblings: BTreeSet<String>,
    /// Calls that the search had made when it was first seen; none where it was
    /// not the search that saw it.
    pub after: Option<u64>,
    pub style: Style,
    /// Its test as it stands in the file that was verified, once it was.
    pub text: Option<String>,
    /// Whether there was no time to check its test, so that none is written.
    pub waits: bool,
    /// The types of the fakes that its sequence makes.
    pub fakes: BTreeSet<String>,
    /// For an exception to what nearly all calls keep, the most similar calls that keep it.
    pub passing: Option<Sequence>,
}

impl Finding {
    /// What was confirmed, told; none if it passes.
    pub fn new(plan: &Plan, confirmed: Confirmed) -> Option<Finding> {
        let Confirmed { sequence, outcome, failing, after, .. } = confirmed;
        let failing = failing?;
        let step = outcome.step as usize;
        let callee = callee_at(plan, &sequence, step);
        let law = match callee {
            Some(Callee::Claim { law, .. }) => law.clone(),
            _ => None,
        };
        let operation = shown(callee);
        let what = match &outcome.ending {
            Ending::Panicked(_) => "panics",
            Ending::Broken => "is broken",
            Ending::Differs { .. } => "differs",
            Ending::Unguarded { .. } => "misuses memory without checks",
            Ending::Exception { .. } => "is an exception",
            Ending::TimedOut { .. } => "does not return",
            Ending::Memory(MemoryError::Leak) => "leaks",
            Ending::Memory(MemoryError::InvalidText) => "makes no text",
            Ending::Memory(MemoryError::InvalidValue) => "makes no value",
            Ending::Memory(_) => "misuses memory",
            _ => "ends the process",
        };
        let name = name_of(plan, &sequence, step, what);
        let way = way(plan, &sequence, step);
        let fakes = fakes_in(plan, &sequence);
        Some(Finding {
            name,
            failing,
            sequence,
            outcome,
            operation,
            law,
            support: None,
            kept_without: vec![],
            way,
            siblings: BTreeSet::new(),
            after,
            style: Style::Plain,
            text: None,
            waits: false,
            fakes,
            passing: None,
        })
    }

    /// Whether it is about a convention that does not hold, which is a violation only where
    /// the type keeps it otherwise.
    pub fn needs_support(&self) -> bool {
        let law = self.law.as_deref().and_then(testsmith_plan::law);
        self.failing.severity == Severity::Violation
            && self.outcome.ending == Ending::Broken
            && law.is_some_and(|law| law.is_a_convention())
    }

    /// Judges it again, knowing how far the type keeps the convention.
    pub fn weigh(&mut self, plan: &Plan, (support, without): (Support, Vec<String>)) {
        self.support = Some(support);
        self.kept_without = without;
        let known = Known { support: self.support, ..Known::default() };
        let verdict = judge_with(plan, &self.sequence, &self.outcome, known);
        if let Verdict::Failing(failing) = verdict {
            self.failing = failing;
        }
    }

    /// The calls that spoil the values that it is about, where they are known.
    pub fn spoilers(&self) -> &[String] {
        let spoils = self.support.is_some_and(Support::is_spoiled);
        if spoils { &self.kept_without } else { &[] }
    }

    /// Whether it is an exception to what nearly all calls keep; no test can say that it
    /// must not be one.
    pub fn is_exception(&self) -> bool {
        matches!(self.outcome.ending, Ending::Exception { .. })
    }

    /// What happened, in a clause.
    pub fn what(&self) -> String {
        match &self.outcome.ending {
            Ending::Broken => format!("does not hold: {}", self.operation),
            Ending::Differs { .. } | Ending::Unguarded { .. } | Ending::Exception { .. } => {
                format!("{}: {}", self.operation, describe(&self.outcome.ending, Phase::Calling))
            }
            ending => format!("{} {}", self.operation, describe(ending, self.outcome.phase)),
        }
    }

    /// Whether it says of a check that stops a call what would happen without, and the other only
    /// that the check stops it.
    pub fn tells(&self, other: &Finding) -> bool {
        let Ending::Unguarded { stopped, .. } = &self.outcome.ending else { return false };
        self.operation == other.operation
            && *stopped == describe(&other.outcome.ending, other.outcome.phase)
    }

    /// Why it counts: the rule's reason, and what the law is good for.
    pub fn reason(&self) -> String {
        let broken = self.outcome.ending == Ending::Broken;
        let law = self.law.as_deref().and_then(testsmith_plan::law).filter(|_| broken);
        let why = law.map(|law| format!("; {}", law.why)).unwrap_or_default();
        let without = match self.kept_without.as_slice() {
            [] => String::new(),
            calls => format!(", and for all that were made without {}", calls.join(" or ")),
        };
        let support = self.support.map(|support| {
            format!("; it holds for {} of {} other values{without}", support.held, support.all())
        });
        let cause = match &self.outcome.ending {
            Ending::Exception { cause, .. } if !cause.is_empty() => format!("; where {cause}"),
            _ => String::new(),
        };
        format!("{}{why}{cause}{}", self.failing.reason, support.unwrap_or_default())
    }
}

/// The types of the fakes that a sequence makes.
fn fakes_in(plan: &Plan, sequence: &Sequence) -> BTreeSet<String> {
    let made = sequence.steps().filter_map(|step| match step {
        Step::Call(op, _) if plan.makes_a_fake(*op) => Some(plan.operation(*op).output),
        _ => None,
    });
    made.map(|ty| plan.ty(ty).ty.name().to_owned()).collect()
}

impl Emitted for Finding {
    fn test(&self) -> Test<'_> {
        let what = self.what();
        let why = match self.failing.severity {
            Severity::Violation => format!("A violation: {}.", self.reason()),
            Severity::Suspicious | Severity::Illegal => format!("Suspicious: {}.", self.reason()),
        };
        let mut comment = vec![what, why];
        if !self.fakes.is_empty() {
            let fakes: Vec<String> = self.fakes.iter().map(|name| format!("`{name}`")).collect();
            comment.push(format!(
                "It uses {}, made by `#[fake]`: what that answers is what its contracts allow.",
                fakes.join(" and ")
            ));
        }
        let mut shows = None;
        if let Ending::Differs { checked, .. } = &self.outcome.ending {
            comment
                .push("It passes with `cargo test` and fails with `cargo test --release`.".into());
            shows = checked.clone();
        }
        if let Ending::Unguarded { .. } = &self.outcome.ending {
            let how = "It panics with `cargo test`; `cargo test --release -- --ignored` shows what \
                       happens without the checks.";
            comment.push(how.into());
        }
        Test {
            name: self.name.clone(),
            comment,
            sequence: &self.sequence,
            ending: match (&self.outcome.ending, shows) {
                (Ending::Memory(MemoryError::InvalidText | MemoryError::InvalidValue), _) => {
                    TestEnding::Valid
                }
                (Ending::Memory(error), _) => TestEnding::Watched(match error {
                    MemoryError::Leak => Watch::Leaks,
                    MemoryError::DroppedTwice | MemoryError::DeadElement => Watch::Elements,
                    _ => Watch::Heap,
                }),
                (Ending::TimedOut { .. }, _) => TestEnding::Hangs,
                (Ending::Unguarded { .. }, _) => TestEnding::IgnoredUnchecked {
                    why: "misuses the memory of the whole test process".to_owned(),
                },
                (ending, _) if ending.is_fatal() => {
                    TestEnding::Ignored { why: "ends the whole test process".to_owned() }
                }
                (_, Some(text)) => TestEnding::Shows { text },
                (_, None) => TestEnding::Open,
            },
            seen: &[],
            style: self.style,
        }
    }

    fn set_style(&mut self, style: Style) {
        self.style = style;
    }

    fn expected(&self) -> Expected {
        match &self.outcome.ending {
            Ending::Differs { .. } => Expected::FailsReleased,
            Ending::TimedOut { .. } => Expected::Hangs,
            ending if ending.is_fatal() => Expected::EndsTheProcess,
            _ => Expected::Fails,
        }
    }
}

/// What is called at a step.
pub(crate) fn callee_at<'p>(
    plan: &'p Plan,
    sequence: &Sequence,
    step: usize,
) -> Option<&'p Callee> {
    match sequence.steps().nth(step) {
        Some(Step::Call(op, _)) => Some(&plan.operation(*op).callee),
        _ => None,
    }
}

fn shown(callee: Option<&Callee>) -> String {
    callee.map_or_else(|| "a literal".to_owned(), Callee::to_string)
}

/// A failure as the search saw it.
#[derive(Clone)]
pub struct Failure {
    pub failing: Failing,
    pub sequence: Sequence,
    pub outcome: Outcome,
    /// The calls that the failing one may need.
    pub way: BTreeSet<String>,
    /// Whether the failing call was handed data that may be to blame.
    pub given_data: bool,
    /// The operations that were seen to fail so.
    pub operations: BTreeSet<String>,
    /// Calls made when it was first seen.
    pub after: u64,
}

impl Failure {
    /// Whether another failure of its class comes about as this one does: it makes the same
    /// calls and more, is no graver, and is given no less.
    fn explains(&self, other: &Failure) -> bool {
        self.failing.severity <= other.failing.severity
            && self.given_data <= other.given_data
            && self.way.is_subset(&other.way)
    }

    /// Takes over what was seen of another failure that it explains.
    fn take_over(&mut self, other: &Failure) {
        self.operations.extend(other.operations.iter().cloned());
        self.after = self.after.min(other.after);
    }

    /// It as a candidate for a test, while these ways to its class are known.
    pub fn into_candidate(self, known: Vec<BTreeSet<String>>) -> Candidate {
        let Failing { class, severity, .. } = self.failing;
        Candidate {
            sequence: self.sequence,
            step: self.outcome.step as usize,
            claim: Claim::Fails { class, severity, known },
            after: Some(self.after),
        }
    }
}

/// How many ways to one class of failure are kept.
const MAX_WAYS: usize = 6;

/// The failures of a run by class, the gravest and the shortest first.
pub struct Findings {
    /// The folder of the crate: places inside are told relative to it.
    root: PathBuf,
    selection: Selection,
    by_class: BTreeMap<String, Vec<Failure>>,
    /// Calls made so far, as far as whoever searches has counted.
    pub calls: u64,
}

impl Findings {
    pub fn new(root: &Path, selection: Selection) -> Findings {
        let by_class = BTreeMap::new();
        Findings { root: root.to_owned(), selection, by_class, calls: 0 }
    }

    /// Takes a failure in if it is the first or the shortest of its class, or came about in
    /// another way.
    pub fn take(&mut self, plan: &Plan, sequence: Sequence, outcome: Outcome) {
        let outcome = relative(outcome, &self.root);
        let Verdict::Failing(failing) = judge(plan, &sequence, &outcome) else { return };
        let step = outcome.step as usize;
        let operation = shown(callee_at(plan, &sequence, step));
        // Whether a position was right is found out when the search is over.
        let illegal = failing.severity == Severity::Illegal
            && !depends_on_a_position(plan, &sequence, &outcome);
        if !self.selection.wants(&operation) || illegal {
            return;
        }
        let (way, operations) = (way(plan, &sequence, step), BTreeSet::from([operation]));
        let (given_data, after) = (is_given_data(plan, &sequence, step), self.calls);
        self.insert(Failure { failing, sequence, outcome, way, given_data, operations, after });
    }

    fn insert(&mut self, mut failure: Failure) {
        let weight = |failure: &Failure| weight(&failure.failing, &failure.sequence);
        let known = self.by_class.entry(failure.failing.class.clone()).or_default();
        if let Some(same) = known.iter_mut().find(|known| known.explains(&failure)) {
            if same.way == failure.way && weight(&failure) < weight(same) {
                std::mem::swap(same, &mut failure);
            }
            same.take_over(&failure);
        } else {
            let explained: Vec<Failure> =
                known.extract_if(.., |known| failure.explains(known)).collect();
            explained.iter().for_each(|explained| failure.take_over(explained));
            known.push(failure);
        }
        known.sort_by_key(weight);
        // What there is no room for is told with the first.
        for surplus in known.split_off(known.len().min(MAX_WAYS)) {
            known[0].take_over(&surplus);
        }
    }

    /// Takes in what another worker found.
    pub fn absorb(&mut self, other: Findings) {
        for failure in other.into_all().into_iter().flatten() {
            self.insert(failure);
        }
    }

    /// How many classes of failures there are.
    pub fn classes(&self) -> usize {
        self.by_class.len()
    }

    pub fn count(&self, severity: Severity) -> usize {
        let gravest = self.by_class.values().filter_map(|ways| ways.first());
        gravest.filter(|failure| failure.failing.severity == severity).count()
    }

    /// The failures of each class.
    pub fn into_all(self) -> Vec<Vec<Failure>> {
        self.by_class.into_values().collect()
    }
}

/// Where the calls are that a harness makes.
const THUNKS: &str = "thunks/src/lib.rs";

/// The outcome with the code at the place of its panic, and that place relative
/// to the crate's folder, so that what is written down holds on every machine.
pub fn relative(mut outcome: Outcome, root: &Path) -> Outcome {
    if let Ending::Panicked(panic) = &mut outcome.ending {
        panic.origin = crate::origin::of(panic).map(Box::new);
        // What says that its caller is to blame has no place but the call: our own code.
        if panic.file.replace('\\', "/").ends_with(THUNKS) {
            (panic.file, panic.line, panic.column) = (String::new(), 0, 0);
            panic.origin = None;
        } else if let Ok(inside) = Path::new(&panic.file).strip_prefix(root) {
            panic.own = true;
            panic.file = inside.display().to_string();
        } else if let Some((_, dependency)) = panic.file.split_once("/registry/src/") {
            // Of a dependency, the name with its version and the file say enough.
            let inside = dependency.split_once('/').map_or(dependency, |(_, inside)| inside);
            panic.file = inside.to_owned();
        }
    }
    outcome
}

/// What comes first: the grave before the suspicious, of those what is the least likely
/// to be misuse, and the small before the large.
pub fn weight(failing: &Failing, sequence: &Sequence) -> (Severity, usize, usize) {
    let rank = match failing.severity {
        Severity::Suspicious => failing.rank,
        Severity::Violation | Severity::Illegal => 0,
    };
    (failing.severity, rank, sequence.len())
}

/// Gives each finding a name of its own.
pub fn tell_apart(findings: &mut [Finding]) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for finding in findings {
        let base = finding.name.clone();
        let mut n = 1;
        while !taken.insert(finding.name.clone()) {
            n += 1;
            finding.name = format!("{base}_{n}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::outcome::Panic;

    fn place_of(file: &str) -> String {
        let panic = Panic { file: file.to_owned(), ..Panic::default() };
        let ending = Ending::Panicked(panic);
        let outcome =
            Outcome { ending, step: 0, phase: Phase::Calling, values: vec![], new_edges: 0 };
        match relative(outcome, Path::new("/home/me/shelf")).ending {
            Ending::Panicked(panic) => panic.file,
            _ => unreachable!("it was a panic"),
        }
    }

    #[test]
    fn places_are_told_without_the_folders_of_this_machine() {
        assert_eq!(place_of("/home/me/shelf/src/lib.rs"), "src/lib.rs");
        let dependency = "/home/me/.cargo/registry/src/index-0/num-1.2.3/src/lib.rs";
        assert_eq!(place_of(dependency), "num-1.2.3/src/lib.rs");
        assert_eq!(place_of("src/main.rs"), "src/main.rs");
        assert_eq!(place_of("thunks/src/lib.rs"), "", "a call of ours is no place");
    }
}
