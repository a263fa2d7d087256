//! Where regression tests come from: short pieces of random sequences, each
//! about its last call, with the points of the crate that it reaches.
//!
//! Counted in sequences and never in time, so that the same seed gives the same
//! suite, however long the search before it took.

use super::Wish;
use anyhow::Result;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use testsmith_judge::{Severity, Verdict, judge};
use testsmith_lab::coverage::Sources;
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::Walk;
use testsmith_model::outcome::{Ending, Outcome, Phase};
use testsmith_model::{
    Callee, Edit, EditStep, OpId, Operation, OperationKind, Plan, Sequence, Step,
};

/// A legal sequence, or one that ends in a documented panic.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) sequence: Sequence,
    /// Points of the crate that it reaches, sorted.
    pub(super) points: Vec<u32>,
    pub(super) panics: bool,
}

/// Which blocks of the crate's own sources are reached. Instances of generic
/// code share their blocks, and the code of others has none.
pub(super) struct Points {
    of_edge: Vec<Option<u32>>,
    pub(super) sources: Sources,
}

impl Points {
    pub(super) fn read(
        supervisor: &mut Supervisor,
        harness: &Path,
        root: &Path,
        derived: &Derived,
    ) -> Result<Points> {
        let (edges, _) = supervisor.edges()?;
        let sources = Sources::read(harness, &edges, root)?;
        let mut numbers: HashMap<Vec<(PathBuf, u32)>, u32> = HashMap::new();
        let of_edge = (0..edges.len()).map(|edge| {
            let place = sources.place(edge).filter(|place| !derived.holds(&place.function))?;
            let mut block = vec![(place.file.clone(), place.line)];
            block.extend(sources.lines(edge).map(|(file, line)| (file.to_owned(), line)));
            let next = numbers.len() as u32;
            Some(*numbers.entry(block).or_insert(next))
        });
        Ok(Points { of_edge: of_edge.collect(), sources })
    }

    fn reached(&self, edges: &[u32]) -> Vec<u32> {
        let mut points: Vec<u32> = edges
            .iter()
            .filter_map(|edge| self.of_edge.get(*edge as usize).copied().flatten())
            .collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// Lines of the crate that a set of points covers.
    pub(super) fn lines(&self, points: &HashSet<u32>) -> usize {
        let covered = |edge: usize| self.of_edge[edge].is_some_and(|point| points.contains(&point));
        self.sources.summary(covered).lines_covered()
    }
}

/// The functions that nobody wrote: what a derive makes is tested elsewhere.
pub(super) struct Derived {
    /// The type, or nothing for any, and the end of the path of the function.
    functions: Vec<(String, String)>,
    operations: HashSet<OpId>,
}

impl Derived {
    pub(super) fn new(plan: &Plan) -> Derived {
        let mut derived = Derived { functions: vec![], operations: HashSet::new() };
        let mut written: HashSet<String> = HashSet::new();
        for op in plan.op_ids() {
            let operation = plan.operation(op);
            let Callee::TraitMember { of, trait_, name } = &operation.callee else { continue };
            if operation.callable.is_none() {
                continue;
            }
            let end = format!("::{}>::{name}", trait_.name());
            if operation.derived {
                derived.functions.push((of.name().to_owned(), end));
                derived.operations.insert(op);
            } else {
                written.insert(end);
            }
        }
        // The type may have another name inside; where nobody wrote a function
        // of this kind, the name does not matter.
        for (owner, end) in &mut derived.functions {
            if !written.contains(end) {
                owner.clear();
            }
        }
        derived
    }

    fn holds(&self, function: &str) -> bool {
        let of = |(owner, end): &(String, String)| {
            function.contains(owner.as_str()) && function.ends_with(end.as_str())
        };
        self.functions.iter().any(of)
    }
}

/// Sequences looked at in one round, and how many rounds there are at most.
const SEQUENCES_A_ROUND: u32 = 1500;
const MAX_ROUNDS: u64 = 12;
/// Calls in one of them; shorter ones read better but reach less.
const MAX_LENGTH: u32 = 12;
/// More pieces than this are not looked at.
const MAX_PIECES: usize = 12_000;

/// What takes longer is no test that people like to run.
const MAX_TEST: Duration = Duration::from_millis(200);

pub(super) struct Gatherer<'g> {
    pub(super) supervisor: &'g mut Supervisor,
    pub(super) plan: &'g Plan,
    pub(super) points: &'g Points,
    pub(super) derived: &'g Derived,
    pub(super) wish: &'g Wish<'g>,
}

impl Gatherer<'_> {
    /// From now on there is so much time as is wished for one part of the work.
    pub(super) fn start_part(&mut self) {
        self.supervisor.until = self.wish.time.map(|time| Instant::now() + time);
    }

    /// Walks until a round brings nothing new.
    pub(super) fn gather(&mut self) -> Result<Vec<Candidate>> {
        self.start_part();
        let shown = |op: &OpId| {
            is_worth_showing(self.plan.operation(*op)) && !self.wish.excluded.contains(op)
        };
        let avoid: Vec<OpId> = self.plan.op_ids().filter(|op| !shown(op)).collect();
        let mut known = HashSet::new();
        let mut pieces = vec![];
        for round in 0..MAX_ROUNDS {
            let walk = Walk {
                seed: self.wish.seed.wrapping_mul(0x9e37_79b9).wrapping_add(round),
                max_sequences: SEQUENCES_A_ROUND.into(),
                max_calls: u64::MAX,
                max_length: MAX_LENGTH,
                keep: SEQUENCES_A_ROUND,
                avoid: avoid.clone(),
                ..Walk::default()
            };
            let before = pieces.len();
            self.supervisor.walk(&walk, &mut |sequence, outcome| {
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
        self.start_part();
        let mut candidates = vec![];
        for piece in pieces {
            if self.supervisor.is_late() {
                break;
            }
            candidates.extend(self.trace(&piece)?);
        }
        Ok(candidates)
    }

    /// Runs a sequence; nothing if it is not one for a test.
    pub(super) fn trace(&mut self, sequence: &Sequence) -> Result<Option<Candidate>> {
        let begin = Instant::now();
        let (outcome, edges) = match self.supervisor.trace(sequence) {
            // A smaller sequence may be refused by the loan rules of the worker.
            Err(Error::Worker(_)) => return Ok(None),
            traced => traced?,
        };
        if self.wish.time.is_some() && begin.elapsed() > MAX_TEST {
            return Ok(None);
        }
        let panics = match &outcome.ending {
            Ending::Completed => false,
            _ if is_documented_panic(self.plan, sequence, &outcome) => true,
            _ => return Ok(None),
        };
        let points = self.points.reached(&edges);
        Ok(Some(Candidate { sequence: sequence.clone(), points, panics }))
    }
}

/// What a reader would want to see in a test of the crate.
fn is_worth_showing(operation: &Operation) -> bool {
    // A hash is another one in the next version of the standard library, and a
    // borrow through a trait is a detour.
    let detours = ["std::hash::Hash", "std::borrow::Borrow", "std::borrow::BorrowMut"];
    let trait_ = operation.callee.trait_();
    let detour = trait_.is_some_and(|trait_| detours.contains(&trait_.path.as_str()));
    !matches!(operation.kind, OperationKind::Law | OperationKind::Projection)
        && !operation.panics_by_design
        && !operation.docs.deprecated
        && !operation.docs.hidden
        && !detour
}

/// The last call panics, and its documentation says that it may.
fn is_documented_panic(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> bool {
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
