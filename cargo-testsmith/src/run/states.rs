//! One finding for each state that a call has spoiled.
//!
//! What a call leaves in disorder fails in whatever is done with it next, in every law and every
//! method in its own place. Which call it was is known where one was interrupted, and where a
//! convention holds for all values that were made without it. What comes after such a call needs
//! no finding of its own, and is listed under the first.

use crate::finding::Finding;
use std::collections::BTreeSet;
use testsmith_judge::lineage;
use testsmith_model::{Edit, EditStep, Plan};

/// The findings without those that show a state which another shows; the gravest and the smallest
/// come first.
pub(super) fn one_for_each(plan: &Plan, findings: Vec<Finding>) -> Vec<Finding> {
    let mut told: Vec<(Finding, Made)> = vec![];
    for mut finding in findings {
        let made = Made::of(plan, &finding);
        match told.iter_mut().find(|(known, of)| explains((known, of), (&finding, &made))) {
            Some((known, _)) => {
                known.siblings.append(&mut finding.siblings);
                known.siblings.insert(finding.operation);
            }
            None => told.push((finding, made)),
        }
    }
    told.into_iter().map(|(finding, _)| finding).collect()
}

/// How the values came about that a finding is about.
struct Made {
    types: BTreeSet<String>,
    /// The calls before the one that fails.
    calls: BTreeSet<String>,
    /// Those of them that were interrupted.
    interrupted: BTreeSet<String>,
}

impl Made {
    fn of(plan: &Plan, finding: &Finding) -> Made {
        let step = finding.outcome.step as usize;
        let edit = Edit::of(&finding.sequence);
        let types = lineage(plan, &finding.sequence, step);
        let (mut calls, mut interrupted) = (BTreeSet::new(), BTreeSet::new());
        let needed = if step < edit.len() { edit.needed(plan, step).steps } else { vec![] };
        for step in needed.iter().rev().skip(1) {
            let EditStep::Call(op, _) = step else { continue };
            let operation = plan.operation(*op);
            let name = operation.callee.name().to_owned();
            if operation.panics_by_design {
                interrupted.insert(name.clone());
            }
            calls.insert(name);
        }
        Made { types, calls, interrupted }
    }
}

fn explains((one, made): (&Finding, &Made), (other, of): (&Finding, &Made)) -> bool {
    let same_interruption = !made.interrupted.is_disjoint(&of.interrupted);
    let same_call = one.spoilers().iter().any(|call| of.calls.contains(call));
    one.failing.severity <= other.failing.severity
        && !made.types.is_disjoint(&of.types)
        && (same_interruption || same_call)
}
