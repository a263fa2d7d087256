//! One finding for each cause.
//!
//! The search keeps failures of one class that came about after different calls, because one
//! line can be reached for two reasons. Which calls a failure really needs is known once it is
//! small; what makes those too needs no finding of its own, and is listed under that one.

use crate::candidate::{Candidate, Confirmed, Search, Workers};
use crate::finding::{Failure, Finding, Findings, callee_at, weight};
use std::collections::{BTreeSet, VecDeque};
use testsmith_judge::{Failing, Severity, is_given_data, is_same_way, lineage, way};
use testsmith_lab::Error;
use testsmith_model::outcome::{Ending, Outcome, STACK_OVERFLOW};
use testsmith_model::ty::TraitRef;
use testsmith_model::{Callee, Plan, Sequence};

/// So many causes are told of one line: there are many ways to fill a collection.
const MAX_CAUSES: usize = 2;

/// The failures of a search, those first that are the first of their class.
pub(super) struct Causes<'c> {
    plan: &'c Plan,
    left: VecDeque<Failure>,
    /// The operations of the failure that was proposed last.
    proposed: BTreeSet<String>,
    /// That one, if it ended the process, and those of its kind that were not seen again.
    tried: Option<Failure>,
    lost: VecDeque<Failure>,
    /// What was confirmed, in its order.
    confirmed: Vec<Cause>,
}

struct Cause {
    class: String,
    claim: Option<BrokenClaim>,
    refusal: Option<String>,
    elsewhere: Option<(String, u32, String)>,
    arithmetic: Option<String>,
    severity: Severity,
    way: BTreeSet<String>,
    given_data: bool,
    operations: BTreeSet<String>,
}

/// A law that does not hold, or an end of the process that has no place, and the types that this is
/// about: the iterators over the slice of a list break it for the reason for which those of the
/// list do.
struct BrokenClaim {
    claim: String,
    types: BTreeSet<String>,
}

impl BrokenClaim {
    fn of(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> Option<BrokenClaim> {
        let step = outcome.step as usize;
        match callee_at(plan, sequence, step) {
            Some(Callee::Claim { claim, law, .. }) if outcome.ending == Ending::Broken => {
                let types = lineage(plan, sequence, step);
                let law = law.as_deref().and_then(testsmith_plan::law);
                let first =
                    law.and_then(|law| law.follows.as_deref()).and_then(testsmith_plan::law);
                let claim = first.map_or(claim, |first| &first.name).clone();
                Some(BrokenClaim { claim, types })
            }
            callee => BrokenClaim::of_an_end(plan, sequence, outcome, callee),
        }
    }

    /// Panics that meet in no place that is known, for the same types, do so in one. So does what
    /// overflows the stack where values are compared, copied or shown, or a law asks for that.
    fn of_an_end(
        plan: &Plan,
        sequence: &Sequence,
        outcome: &Outcome,
        callee: Option<&Callee>,
    ) -> Option<BrokenClaim> {
        let Ending::Signal { number, note } = &outcome.ending else { return None };
        let mut types = lineage(plan, sequence, outcome.step as usize);
        let of = callee.and_then(Callee::of).and_then(|of| of.behind_references().path());
        types.extend(of.map(str::to_owned));
        let unplaced = note.contains("while panicking") && !note.contains(" at ");
        let unplaced = unplaced || note == STACK_OVERFLOW && callee.is_some_and(is_basic);
        unplaced.then(|| BrokenClaim { claim: format!("signal {number}, {note}"), types })
    }

    fn is_same(one: &Option<BrokenClaim>, other: &Option<BrokenClaim>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => {
                one.claim == other.claim && !one.types.is_disjoint(&other.types)
            }
            _ => false,
        }
    }
}

/// Whether a call is a law, or of a trait that laws are about.
fn is_basic(callee: &Callee) -> bool {
    const TRAITS: [&str; 7] =
        ["Clone", "Debug", "Display", "Hash", "Ord", "PartialEq", "PartialOrd"];
    let basic = |trait_: &TraitRef| TRAITS.contains(&trait_.name());
    matches!(callee, Callee::Claim { .. }) || callee.trait_().is_some_and(basic)
}

/// Whether it is about nothing but a law: that is broken, or what the law asks panics outside of
/// the crate's own code, as the standard library does where a size is said to be exact.
fn is_about_a_law(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> bool {
    let elsewhere = match &outcome.ending {
        Ending::Broken => return true,
        Ending::Panicked(panic) => !panic.own,
        _ => false,
    };
    let callee = callee_at(plan, sequence, outcome.step as usize);
    elsewhere && matches!(callee, Some(Callee::Claim { .. }))
}

/// What code says that gives up in the same words in many places of one file, for values of one
/// type: they were not made for that.
fn refusal(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> Option<String> {
    const MACROS: [&str; 4] = ["panic", "todo", "unimplemented", "unreachable"];
    let Ending::Panicked(panic) = &outcome.ending else { return None };
    let origin = panic.origin.as_deref()?;
    let (name, _) = origin.statement.split_once('!')?;
    let callee = callee_at(plan, sequence, outcome.step as usize)?;
    let of = callee.of()?.behind_references().path()?;
    MACROS
        .contains(&name.rsplit("::").next().unwrap_or(name).trim())
        .then(|| format!("{}, {}, {of}", panic.file, origin.statement))
}

/// Arithmetic that goes wrong, as it is written, in a file and for values of one type: what was
/// copied from one function to another goes wrong in both.
fn arithmetic(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> Option<String> {
    let Ending::Panicked(panic) = &outcome.ending else { return None };
    let statement = &panic.origin.as_deref()?.statement;
    let goes_wrong = panic.own && panic.message.starts_with("attempt to ");
    let named = |part: &str| part.trim().starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut operands = statement.split(['+', '-', '*', '/', '%']);
    let of_names = operands.clone().count() > 1 && operands.all(named);
    let callee = callee_at(plan, sequence, outcome.step as usize)?;
    let of = callee.of()?.behind_references().path()?;
    (goes_wrong && of_names)
        .then(|| format!("{}, {}, {statement}, {of}", panic.message, panic.file))
}

/// The place of a panic in the standard library or another crate, and what was called: whatever is
/// said there, of too large a number or of one below zero, nobody looked before.
fn place_elsewhere(
    plan: &Plan,
    sequence: &Sequence,
    outcome: &Outcome,
) -> Option<(String, u32, String)> {
    let Ending::Panicked(panic) = &outcome.ending else { return None };
    let callee = callee_at(plan, sequence, outcome.step as usize)?;
    let elsewhere = !panic.own && !panic.file.is_empty();
    elsewhere.then(|| (panic.file.clone(), panic.line, callee.to_string()))
}

impl<'c> Causes<'c> {
    pub(super) fn new(plan: &'c Plan, findings: Findings) -> Causes<'c> {
        let mut classes: Vec<VecDeque<Failure>> =
            findings.into_all().into_iter().map(VecDeque::from).collect();
        // The gravest and the smallest first.
        classes.sort_by_key(|ways| ways.front().map(|one| weight(&one.failing, &one.sequence)));
        let mut left = VecDeque::new();
        while !classes.is_empty() {
            left.extend(classes.iter_mut().filter_map(VecDeque::pop_front));
            classes.retain(|ways| !ways.is_empty());
        }
        Causes {
            plan,
            left,
            proposed: BTreeSet::new(),
            tried: None,
            lost: VecDeque::new(),
            confirmed: vec![],
        }
    }

    /// Whether something ended a process and was not seen to do so again: an optimised build may
    /// need no stack where the tests do.
    pub(super) fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Proposes that once more, before what there was no time for.
    pub(super) fn again(&mut self) {
        self.lost.append(&mut self.left);
        std::mem::swap(&mut self.lost, &mut self.left);
    }

    /// Whether something that was confirmed explains a failure, which is listed under it then.
    fn is_explained(&mut self, failure: &Failure) -> bool {
        let Failing { class, severity, .. } = &failure.failing;
        let known = self.confirmed.iter().filter(|cause| cause.class == *class).count();
        // One way is enough of what is only suspicious, and of a law, which says what is wrong.
        let enough = *severity == Severity::Suspicious
            || is_about_a_law(self.plan, &failure.sequence, &failure.outcome)
            || known >= MAX_CAUSES;
        let claim = BrokenClaim::of(self.plan, &failure.sequence, &failure.outcome);
        let refusal = refusal(self.plan, &failure.sequence, &failure.outcome);
        let elsewhere = place_elsewhere(self.plan, &failure.sequence, &failure.outcome);
        let arithmetic = arithmetic(self.plan, &failure.sequence, &failure.outcome);
        let said = |cause: &&Cause| refusal.is_some() && cause.refusal == refusal;
        let often = self.confirmed.iter().filter(said).count() >= MAX_CAUSES;
        let explains = |cause: &&mut Cause| {
            let covers = enough
                || cause.given_data <= failure.given_data && is_same_way(&cause.way, &failure.way);
            let same = cause.class == *class && covers
                || BrokenClaim::is_same(&cause.claim, &claim)
                || elsewhere.is_some() && cause.elsewhere == elsewhere
                || arithmetic.is_some() && cause.arithmetic == arithmetic
                || often && cause.refusal == refusal;
            same && cause.severity <= *severity
        };
        let cause = self.confirmed.iter_mut().find(explains);
        cause.map(|cause| cause.operations.extend(failure.operations.iter().cloned())).is_some()
    }

    /// Tells the findings, which are in the order in which they were confirmed, what was seen
    /// besides; those that another explains are gone. Also returns what was not proposed.
    pub(super) fn tell(mut self, findings: Vec<Finding>) -> (Vec<Finding>, Vec<Failure>) {
        let left = std::mem::take(&mut self.left);
        let counts = |failure: &Failure| failure.failing.severity != Severity::Illegal;
        let left = left.into_iter().filter(counts).filter(|failure| !self.is_explained(failure));
        let left = left.collect();
        let mut told: Vec<Finding> = vec![];
        let plan = self.plan;
        let explains = |one: &Finding, other: &Finding| explains(plan, one, other);
        for (mut finding, cause) in findings.into_iter().zip(self.confirmed) {
            finding.siblings = cause.operations;
            match told.iter_mut().find(|known| explains(known, &finding)) {
                Some(known) => known.siblings.append(&mut finding.siblings),
                None => {
                    let explained: Vec<Finding> =
                        told.extract_if(.., |known| explains(&finding, known)).collect();
                    finding.siblings.extend(explained.into_iter().flat_map(|one| one.siblings));
                    told.push(finding);
                }
            }
        }
        for finding in &mut told {
            finding.siblings.remove(&finding.operation);
        }
        (told, left)
    }
}

fn explains(plan: &Plan, one: &Finding, other: &Finding) -> bool {
    let claim = |finding: &Finding| BrokenClaim::of(plan, &finding.sequence, &finding.outcome);
    let given_data =
        |finding: &Finding| is_given_data(plan, &finding.sequence, finding.outcome.step as usize);
    let elsewhere = |finding: &Finding| place_elsewhere(plan, &finding.sequence, &finding.outcome);
    let computed = |finding: &Finding| arithmetic(plan, &finding.sequence, &finding.outcome);
    let same_way = is_about_a_law(plan, &one.sequence, &one.outcome)
        || given_data(one) <= given_data(other) && is_same_way(&one.way, &other.way);
    let same = same_way && one.failing.class == other.failing.class
        || elsewhere(one).is_some() && elsewhere(one) == elsewhere(other)
        || computed(one).is_some() && computed(one) == computed(other)
        || BrokenClaim::is_same(&claim(one), &claim(other));
    same && one.failing.severity <= other.failing.severity
}

impl Search for Causes<'_> {
    fn propose(&mut self, _workers: &mut Workers) -> Result<Option<Candidate>, Error> {
        while let Some(failure) = self.left.pop_front() {
            if self.is_explained(&failure) {
                continue;
            }
            self.proposed = failure.operations.clone();
            let ended = matches!(failure.outcome.ending, Ending::Signal { .. });
            self.tried = ended.then(|| failure.clone());
            let Failing { class, severity, .. } = &failure.failing;
            let same = |cause: &&Cause| {
                cause.class == *class
                    && cause.severity <= *severity
                    && cause.given_data <= failure.given_data
            };
            let known = self.confirmed.iter().filter(same).map(|cause| cause.way.clone());
            let known = known.collect();
            return Ok(Some(failure.into_candidate(known)));
        }
        Ok(None)
    }

    fn learn(&mut self, confirmed: Option<&Confirmed>) {
        let tried = self.tried.take();
        let Some(Confirmed { sequence, outcome, failing: Some(failing), .. }) = confirmed else {
            self.lost.extend(tried);
            return;
        };
        self.confirmed.push(Cause {
            class: failing.class.clone(),
            claim: BrokenClaim::of(self.plan, sequence, outcome),
            refusal: refusal(self.plan, sequence, outcome),
            elsewhere: place_elsewhere(self.plan, sequence, outcome),
            arithmetic: arithmetic(self.plan, sequence, outcome),
            severity: failing.severity,
            way: way(self.plan, sequence, outcome.step as usize),
            given_data: is_given_data(self.plan, sequence, outcome.step as usize),
            operations: std::mem::take(&mut self.proposed),
        });
    }
}
