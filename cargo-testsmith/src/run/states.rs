//! One finding for each state that a call has spoiled.
//!
//! What a call leaves in disorder fails in whatever is done with it next, in every law and every
//! method in its own place. Which call it was is known where one was interrupted, and where a
//! convention holds for all values that were made without it. What comes after such a call needs
//! no finding of its own, and is listed under the first.

use crate::finding::Finding;
use std::collections::BTreeSet;
use testsmith_judge::{Severity, lineage};
use testsmith_model::{Edit, EditStep, Plan};

/// The findings without those that show a state which one before them shows.
pub(super) fn one_for_each(plan: &Plan, findings: Vec<Finding>) -> Vec<Finding> {
    let made: Vec<Made> = findings.iter().map(|finding| Made::of(plan, finding)).collect();
    // Those that come after a call of which one of the findings says that it spoils.
    let after = |of: &Made| -> Vec<usize> {
        let spoils = |n: &usize| {
            made[*n].severity <= of.severity
                && !made[*n].types.is_disjoint(&of.types)
                && findings[*n].spoilers().iter().any(|call| of.calls.contains(call))
        };
        (0..made.len()).filter(spoils).collect()
    };
    let spoilt: Vec<Vec<usize>> = made.iter().map(after).collect();
    let same = |one: usize, other: usize| {
        let interrupted = !made[one].interrupted.is_disjoint(&made[other].interrupted)
            || made[one].is_unsafe_after_all() && made[other].is_unsafe_after_all();
        interrupted && !made[one].types.is_disjoint(&made[other].types)
            || spoilt[one].iter().any(|cause| spoilt[other].contains(cause))
    };
    let mut first: Vec<usize> = vec![];
    let mut under: Vec<(usize, usize)> = vec![];
    for n in 0..made.len() {
        match first.iter().find(|known| same(**known, n)) {
            Some(known) => under.push((*known, n)),
            None => first.push(n),
        }
    }
    let mut all: Vec<Option<Finding>> = findings.into_iter().map(Some).collect();
    for (known, n) in under {
        if let (Some(mut other), Some(known)) = (all[n].take(), all[known].as_mut()) {
            known.siblings.append(&mut other.siblings);
            known.siblings.insert(other.operation);
        }
    }
    all.into_iter().flatten().collect()
}

/// How the values came about that a finding is about.
struct Made {
    severity: Severity,
    types: BTreeSet<String>,
    /// The calls before the one that fails.
    calls: BTreeSet<String>,
    /// Those that were interrupted, the one that fails among them.
    interrupted: BTreeSet<String>,
    /// Memory or elements are misused.
    misuse: bool,
}

impl Made {
    /// A value is not ready for a panic of what it calls back: whichever method calls, what it
    /// holds meanwhile is the same.
    fn is_unsafe_after_all(&self) -> bool {
        self.misuse && !self.interrupted.is_empty()
    }

    fn of(plan: &Plan, finding: &Finding) -> Made {
        let step = finding.outcome.step as usize;
        let edit = Edit::of(&finding.sequence);
        let types = lineage(plan, &finding.sequence, step);
        let (mut calls, mut interrupted) = (BTreeSet::new(), BTreeSet::new());
        let needed = if step < edit.len() { edit.needed(plan, step).steps } else { vec![] };
        for (n, step) in needed.iter().rev().enumerate() {
            let EditStep::Call(op, _) = step else { continue };
            let operation = plan.operation(*op);
            let name = operation.callee.name().to_owned();
            if operation.panics_by_design {
                interrupted.insert(name.clone());
            }
            if n > 0 {
                calls.insert(name);
            }
        }
        let misuse = finding.outcome.ending.is_misuse_of_memory();
        Made { severity: finding.failing.severity, types, calls, interrupted, misuse }
    }
}
