//! One finding for each cause.
//!
//! The search keeps failures of one class that came about after different calls, because one
//! line can be reached for two reasons. Which calls a failure really needs is known once it is
//! small; what makes those too needs no finding of its own, and is listed under that one.

use crate::candidate::{Candidate, Confirmed, Search, Workers};
use crate::finding::{Failure, Finding, Findings, weight};
use std::collections::{BTreeSet, VecDeque};
use testsmith_judge::{Failing, Severity, is_same_way, way};
use testsmith_lab::Error;
use testsmith_model::Plan;
use testsmith_model::outcome::Ending;

/// So many causes are told of one line: there are many ways to fill a collection.
const MAX_CAUSES: usize = 2;

/// The failures of a search, those first that are the first of their class.
pub(super) struct Causes<'c> {
    plan: &'c Plan,
    left: VecDeque<Failure>,
    /// The operations of the failure that was proposed last.
    proposed: BTreeSet<String>,
    /// What was confirmed, in its order.
    confirmed: Vec<Cause>,
}

struct Cause {
    class: String,
    severity: Severity,
    way: BTreeSet<String>,
    operations: BTreeSet<String>,
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
        Causes { plan, left, proposed: BTreeSet::new(), confirmed: vec![] }
    }

    /// Whether something that was confirmed explains a failure, which is listed under it then.
    fn is_explained(&mut self, failure: &Failure) -> bool {
        let Failing { class, severity, .. } = &failure.failing;
        let known = self.confirmed.iter().filter(|cause| cause.class == *class).count();
        // One way is enough of what is only suspicious, and of a law, which says what is wrong.
        let enough = *severity == Severity::Suspicious
            || failure.outcome.ending == Ending::Broken
            || known >= MAX_CAUSES;
        let explains = |cause: &&mut Cause| {
            let covers = enough || is_same_way(&cause.way, &failure.way);
            cause.class == *class && cause.severity <= *severity && covers
        };
        let cause = self.confirmed.iter_mut().find(explains);
        cause.map(|cause| cause.operations.extend(failure.operations.iter().cloned())).is_some()
    }

    /// Tells the findings, which are in the order in which they were confirmed, what was seen
    /// besides; those that another explains are gone. Also returns what was not proposed.
    pub(super) fn tell(mut self, findings: Vec<Finding>) -> (Vec<Finding>, Vec<Failure>) {
        let left = std::mem::take(&mut self.left);
        let left = left.into_iter().filter(|failure| !self.is_explained(failure)).collect();
        let mut told: Vec<Finding> = vec![];
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

fn explains(one: &Finding, other: &Finding) -> bool {
    let same = one.outcome.ending == Ending::Broken || is_same_way(&one.way, &other.way);
    same && one.failing.class == other.failing.class
        && one.failing.severity <= other.failing.severity
}

impl Search for Causes<'_> {
    fn propose(&mut self, _workers: &mut Workers) -> Result<Option<Candidate>, Error> {
        while let Some(failure) = self.left.pop_front() {
            if self.is_explained(&failure) {
                continue;
            }
            self.proposed = failure.operations.clone();
            let Failing { class, severity, .. } = &failure.failing;
            let same = |cause: &&Cause| cause.class == *class && cause.severity <= *severity;
            let known = self.confirmed.iter().filter(same).map(|cause| cause.way.clone());
            let known = known.collect();
            return Ok(Some(failure.into_candidate(known)));
        }
        Ok(None)
    }

    fn learn(&mut self, confirmed: Option<&Confirmed>) {
        let Some(Confirmed { sequence, outcome, failing: Some(failing), .. }) = confirmed else {
            return;
        };
        self.confirmed.push(Cause {
            class: failing.class.clone(),
            severity: failing.severity,
            way: way(self.plan, sequence, outcome.step as usize),
            operations: std::mem::take(&mut self.proposed),
        });
    }
}
