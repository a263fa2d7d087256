//! Where regression tests come from: short pieces of random sequences, each
//! about its last call, with the points of the crate that it reaches.
//!
//! Counted in sequences and never in time where calls are counted, so that the
//! same seed gives the same suite, however long the search before it took.

use super::SuiteRequest;
use super::points::Derived;
use crate::candidate::Workers;
use anyhow::Result;
use std::collections::HashSet;
use testsmith_judge::{Severity, Verdict, judge};
use testsmith_lab::Error;
use testsmith_model::message::Walk;
use testsmith_model::outcome::{Ending, Outcome, Phase};
use testsmith_model::troubled;
use testsmith_model::{Edit, EditStep, OpId, Operation, OperationKind, Plan, Sequence, Step};

/// A legal sequence, or one that ends in a documented panic.
#[derive(Clone)]
pub(super) struct Traced {
    pub(super) sequence: Sequence,
    /// Points of the crate that it reaches, sorted.
    pub(super) points: Vec<u32>,
    pub(super) panics: bool,
}

/// Sequences looked at in one round, and how many rounds there are at most.
const SEQUENCES_A_ROUND: u32 = 1500;
const MAX_ROUNDS: u64 = 12;
/// Calls in one of them; shorter ones read better but reach less.
const MAX_LENGTH: u32 = 12;
/// More pieces than this are not looked at.
const MAX_PIECES: usize = 12_000;

pub(super) struct Gatherer<'g> {
    pub(super) workers: Workers<'g>,
    pub(super) plan: &'g Plan,
    pub(super) derived: &'g Derived,
    pub(super) wanted: &'g SuiteRequest<'g>,
}

impl Gatherer<'_> {
    /// Walks until a round brings nothing new.
    pub(super) fn gather(&mut self) -> Result<Vec<Traced>> {
        self.workers.checked.until = self.wanted.ends.gathering;
        let shown = |op: &OpId| {
            // What a fake answered is what the code of nobody did.
            is_worth_showing(self.plan.operation(*op))
                && !self.plan.makes_a_fake(*op)
                && !self.wanted.excluded.contains(op)
        };
        let avoid: Vec<OpId> = self.plan.op_ids().filter(|op| !shown(op)).collect();
        let mut known = HashSet::new();
        let mut pieces = vec![];
        for round in 0..MAX_ROUNDS {
            let walk = Walk {
                seed: self.wanted.seed.wrapping_mul(0x9e37_79b9).wrapping_add(round),
                max_sequences: SEQUENCES_A_ROUND.into(),
                max_calls: u64::MAX,
                max_length: MAX_LENGTH,
                keep: SEQUENCES_A_ROUND,
                avoid: avoid.clone(),
                ..Walk::default()
            };
            let before = pieces.len();
            self.workers.checked.walk(&walk, &mut |sequence, outcome| {
                if outcome.new_edges > 0 && !outcome.ending.is_fatal() {
                    let new = pieces_of(self.plan, self.derived, &sequence, &outcome);
                    pieces.extend(new.into_iter().filter(|piece| known.insert(piece.clone())));
                }
            })?;
            if pieces.len() == before || pieces.len() > MAX_PIECES {
                break;
            }
        }
        pieces.truncate(MAX_PIECES);
        // Running them again takes about as long as finding them did.
        self.workers.checked.until = self.wanted.ends.tracing;
        let mut candidates = vec![];
        for piece in pieces {
            if self.workers.checked.is_late() {
                break;
            }
            let traced = match self.workers.reached(self.plan, &piece) {
                // A piece may be refused by the loan rules of the worker.
                Err(Error::Worker(_)) => None,
                traced => traced?,
            };
            candidates.extend(traced.map(|(outcome, points)| Traced {
                sequence: piece,
                points,
                panics: outcome.ending != Ending::Completed,
            }));
        }
        Ok(candidates)
    }
}

/// What a reader would want to see in a test of the crate.
pub fn is_worth_showing(operation: &Operation) -> bool {
    // A hash is another one in the next version of the standard library, and a
    // borrow through a trait is a detour.
    let detours = ["std::hash::Hash", "std::borrow::Borrow", "std::borrow::BorrowMut"];
    let trait_ = operation.callee.trait_();
    let detour = trait_.is_some_and(|trait_| detours.contains(&trait_.path.as_str()));
    !matches!(operation.kind, OperationKind::Law | OperationKind::Projection)
        && !operation.panics_by_design
        // What takes elements of ours needs them beside it.
        && !troubled::is_named_in(&operation.call.full())
        && !operation.docs.deprecated
        && !operation.docs.hidden
        && !detour
}

/// The last call panics, and its documentation says that it may.
pub fn is_documented_panic(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> bool {
    let documented = match sequence.steps().last() {
        Some(Step::Call(op, _)) => plan.operation(*op).docs.panics_section,
        _ => false,
    };
    let last = outcome.step as usize + 1 == sequence.len() && outcome.phase == Phase::Calling;
    documented
        && last
        && matches!(judge(plan, sequence, outcome), Verdict::Failing(f) if f.severity == Severity::Illegal)
}

/// For each call that runs code of the crate: that call, what it needs, and all
/// that changed what it needs before.
fn pieces_of(
    plan: &Plan,
    derived: &Derived,
    sequence: &Sequence,
    outcome: &Outcome,
) -> Vec<Sequence> {
    let edit = Edit::of(sequence);
    let about = |here: &usize| match edit.steps[*here] {
        EditStep::Call(op, _) => {
            let held = matches!(
                plan.operation(op).kind,
                OperationKind::Builder | OperationKind::Constructor | OperationKind::Field
            );
            !held && !derived.operations.contains(&op)
        }
        EditStep::Literal(..) => false,
    };
    let end = edit.len().min(outcome.step as usize + 1);
    (0..end).filter(about).filter_map(|last| edit.needed(plan, last).build(plan).ok()).collect()
}
