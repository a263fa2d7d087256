//! What a regression test asserts: the results of its calls, and what queries
//! tell of the values that the last call made or changed.
//!
//! A query is itself a call, so what is observed is just a longer sequence. A
//! value is only asserted if it was the same in several fresh processes, in
//! several orders: no address, no order of hashing, no time survives that.

use crate::candidate::steady;
use anyhow::Result;
use testsmith_lab::{Error, Supervisor};
use testsmith_model::call::{Treatment, Unwrap};
use testsmith_model::outcome::{Ending, Outcome, Panic};
use testsmith_model::sequence::Builder;
use testsmith_model::{Edit, Mode, OpId, Operation, OperationKind, Plan, Sequence, Step, TypeId};
use testsmith_render::{has_expression, is_plain};

/// A sequence with all that may be asserted of it.
#[derive(Clone)]
pub struct Observed {
    pub sequence: Sequence,
    /// The last step that the test is about; queries come after it.
    pub about: usize,
    /// Per step, the `Debug` text of its value, if it is always the same.
    pub seen: Vec<Option<String>>,
    /// The panic that ends it.
    pub panic: Option<Panic>,
}

/// Fresh processes, and how often each runs all sequences. Hash maps of one
/// process differ from run to run, addresses from process to process.
const PROCESSES: usize = 3;
const PASSES: usize = 4;
/// Queries asked of one value.
const MAX_QUERIES: usize = 3;
/// Queries about how something is stored, not about what it is.
const ABOUT_STORAGE: [&str; 8] = [
    "capacity",
    "max_capacity",
    "allocation_size",
    "spilled",
    "as_ptr",
    "type_id",
    "heap_size",
    "buffer_size",
];

/// The sequence with queries on what its last call made and changed.
pub(super) fn with_queries(
    supervisor: &mut Supervisor,
    plan: &Plan,
    sequence: &Sequence,
) -> Result<Sequence> {
    let outcome = supervisor.run(sequence, true)?;
    let longer = ask(plan, sequence, &outcome);
    // A query that panics or does not return is not asked.
    let answered = match supervisor.run(&longer, false) {
        Err(Error::Worker(_)) => false,
        answered => answered?.ending == Ending::Completed,
    };
    Ok(if answered { longer } else { sequence.clone() })
}

fn ask(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> Sequence {
    let mut builder = Builder::new(plan);
    let legal = builder.append(sequence).is_ok();
    let last = sequence.len() - 1;
    let Some(Step::Call(op, back)) = sequence.steps().last() else { return sequence.clone() };
    if !legal {
        return sequence.clone();
    }
    let operation = plan.operation(*op);
    // What it only looked at comes last, for the case that nothing else tells.
    let of = |wanted: Mode| {
        let inputs = operation.inputs.iter().zip(back.iter());
        let taken = inputs.filter(move |(input, _)| input.mode == wanted);
        taken.map(|(input, distance)| (last as u32 - distance, input.ty))
    };
    let mut values: Vec<(u32, TypeId)> = of(Mode::Exclusive).chain(of(Mode::Shared)).collect();
    let text = outcome.values.last().and_then(|value| value.text.as_deref()).unwrap_or_default();
    let inside = taken_apart(plan, operation.output, text);
    match inside.and_then(|op| Some((builder.call(op, &[last as u32]).ok()?, op))) {
        Some((slot, op)) => values.insert(0, (slot, plan.operation(op).output)),
        None => values.insert(0, (last as u32, operation.output)),
    }
    for (slot, ty) in values {
        for query in queries(plan, ty) {
            // Refused where the value is gone or borrowed; then it is not asked.
            let _ = builder.call(query, &[slot]);
        }
    }
    builder.finish()
}

/// The builder that takes the value out of an option or a result.
fn taken_apart(plan: &Plan, ty: TypeId, text: &str) -> Option<OpId> {
    if has_expression(plan, &plan.ty(ty).ty, text) {
        return None;
    }
    let unwrap = match text {
        text if text.starts_with("Err(") => Unwrap::Err,
        text if text.starts_with("Ok(") => Unwrap::Ok,
        text if text.starts_with("Some(") => Unwrap::Some,
        _ => return None,
    };
    let is_it = |op: &OpId| plan.operation(*op).call.result == Treatment::Unwrapped(unwrap);
    takers(plan, ty).find(is_it)
}

/// The builders that take a value out of an option or a result.
pub fn takers(plan: &Plan, ty: TypeId) -> impl Iterator<Item = OpId> {
    plan.op_ids().filter(move |op| {
        let operation = plan.operation(*op);
        operation.kind == OperationKind::Builder
            && matches!(operation.call.result, Treatment::Unwrapped(_))
            && matches!(&operation.inputs[..], [input] if input.ty == ty && input.mode == Mode::Own)
    })
}

/// The queries on a type of the crate that say something new each, the most telling first.
fn queries(plan: &Plan, ty: TypeId) -> Vec<OpId> {
    let mut ranked = ranked_queries(plan, ty);
    // What `Display` says, `Debug` says again; so do `len` and `is_empty`.
    let has = |rank: u32| ranked.iter().any(|(known, _)| *known == rank);
    let (displays, counts) = (has(DISPLAY), has(LEN));
    ranked.retain(|(rank, _)| !(displays && *rank == DEBUG || counts && *rank == IS_EMPTY));
    ranked.into_iter().map(|(_, op)| op).take(MAX_QUERIES).collect()
}

/// All queries on a type of the crate, the most telling first.
pub fn all_queries(plan: &Plan, ty: TypeId) -> Vec<OpId> {
    ranked_queries(plan, ty).into_iter().map(|(_, op)| op).collect()
}

fn ranked_queries(plan: &Plan, ty: TypeId) -> Vec<(u32, OpId)> {
    let info = &plan.ty(ty).ty;
    // An enum of the crate may have variants that are not plain.
    let own = info.path().is_some_and(|path| !path.starts_with("std::"));
    if is_plain(plan, info) && !own {
        return vec![];
    }
    let mut ranked: Vec<(u32, OpId)> =
        plan.op_ids().filter_map(|op| Some((rank(plan, plan.operation(op), ty)?, op))).collect();
    ranked.sort_unstable();
    ranked.dedup_by_key(|(_, op)| &plan.operation(*op).callee);
    ranked
}

const DISPLAY: u32 = 0;
const DEBUG: u32 = 1;
const LEN: u32 = 2;
const IS_EMPTY: u32 = 3;

/// How much an operation tells of a value; nothing if it is no query.
fn rank(plan: &Plan, operation: &Operation, ty: TypeId) -> Option<u32> {
    let [input] = &operation.inputs[..] else { return None };
    // What a closure of ours makes of a value says little about the value.
    let asks =
        input.mode == Mode::Shared && plan.accepts(input, ty) && !operation.call.has_closures();
    if !asks || !is_assertable(operation) || !is_plain(plan, &plan.ty(operation.output).ty) {
        return None;
    }
    let callee = &operation.callee;
    let name = callee.name();
    match operation.kind {
        OperationKind::ForeignTrait if callee.is_trait_member("std::fmt::Display", "fmt") => {
            Some(DISPLAY)
        }
        OperationKind::ForeignTrait if callee.is_trait_member("std::fmt::Debug", "fmt") => {
            Some(DEBUG)
        }
        OperationKind::Inherent | OperationKind::LocalTrait => Some(match name {
            "len" => LEN,
            "is_empty" => IS_EMPTY,
            "as_str" | "as_slice" => 4,
            _ if name.starts_with("is_") || name.starts_with("get") => 6,
            _ => 5,
        }),
        OperationKind::Field => Some(7),
        _ => None,
    }
}

/// Whether the result says something about the value and not about storage.
fn is_assertable(operation: &Operation) -> bool {
    !ABOUT_STORAGE.contains(&operation.callee.name())
        && !operation.docs.hidden
        && !operation.docs.deprecated
}

/// What is always the same of sequences, without queries that have nothing to say.
pub(super) fn observe_all(
    supervisor: &mut Supervisor,
    plan: &Plan,
    sequences: &[(Sequence, usize)],
) -> Result<Vec<Option<Observed>>> {
    let all = observe_steadily(supervisor, plan, sequences)?;
    Ok(all.into_iter().map(|observed| observed.map(|it| it.without_mute(plan))).collect())
}

/// Runs every sequence in several processes and orders. One whose end is not
/// always the same gives nothing.
pub fn observe_steadily(
    supervisor: &mut Supervisor,
    plan: &Plan,
    sequences: &[(Sequence, usize)],
) -> Result<Vec<Option<Observed>>> {
    let mut all: Vec<Option<Observed>> = vec![];
    for (sequence, about) in sequences {
        let outcome = supervisor.run_afresh(sequence, true)?;
        all.push(first_look(plan, sequence, *about, &outcome));
    }
    for _ in 0..PROCESSES {
        supervisor.renew();
        for pass in 0..PASSES {
            for n in 0..all.len() {
                let n = if pass % 2 == 0 { n } else { all.len() - 1 - n };
                let Some(observed) = &mut all[n] else { continue };
                let again = supervisor.run(&observed.sequence, true)?;
                if !observed.agrees(&again) {
                    all[n] = None;
                }
            }
        }
    }
    for one in &mut all {
        let Some(observed) = one else { continue };
        let ending = observed.panic.clone().map_or(Ending::Completed, Ending::Panicked);
        for _ in 0..steady::runs(plan, &observed.sequence, &ending) {
            let again = supervisor.run(&observed.sequence, true)?;
            if !observed.agrees(&again) {
                *one = None;
                break;
            }
        }
    }
    Ok(all)
}

/// What one run shows; nothing if it neither completes nor panics.
pub fn first_look(
    plan: &Plan,
    sequence: &Sequence,
    about: usize,
    outcome: &Outcome,
) -> Option<Observed> {
    let panic = match &outcome.ending {
        Ending::Completed => None,
        Ending::Panicked(panic) => Some(panic.clone()),
        _ => return None,
    };
    // An assertion before the panic would be one more way to pass.
    let seen = match panic {
        Some(_) => vec![None; sequence.len()],
        None => (0..sequence.len()).map(|n| assertable_text(plan, sequence, outcome, n)).collect(),
    };
    Some(Observed { sequence: sequence.clone(), about, seen, panic })
}

/// What a run showed of the value of a step, if a test may assert it.
pub fn assertable_text(
    plan: &Plan,
    sequence: &Sequence,
    outcome: &Outcome,
    step: usize,
) -> Option<String> {
    match sequence.steps().nth(step)? {
        Step::Call(op, _) if is_assertable(plan.operation(*op)) => {
            outcome.values.get(step)?.text.clone()
        }
        _ => None,
    }
}

impl Observed {
    /// Forgets what another run shows differently; false if it ends differently.
    pub fn agrees(&mut self, again: &Outcome) -> bool {
        match (&mut self.panic, &again.ending) {
            (None, Ending::Completed) => {}
            (Some(panic), Ending::Panicked(other)) if panic.line == other.line => {
                if panic.message != other.message {
                    panic.message.clear();
                }
            }
            _ => return false,
        }
        for (n, seen) in self.seen.iter_mut().enumerate() {
            let now = again.values.get(n).and_then(|value| value.text.as_ref());
            if seen.as_ref() != now {
                *seen = None;
            }
        }
        true
    }

    /// The steps whose values the call that it is about takes by `&`.
    fn looked_at(&self, plan: &Plan) -> Vec<usize> {
        let Some(Step::Call(op, back)) = self.sequence.steps().nth(self.about) else {
            return vec![];
        };
        let inputs = plan.operation(*op).inputs.iter().zip(back.iter());
        let shared = inputs.filter(|(input, _)| input.mode == Mode::Shared);
        shared.map(|(_, distance)| self.about - *distance as usize).collect()
    }

    /// Leaves out queries that have nothing to say after all.
    fn without_mute(self, plan: &Plan) -> Observed {
        let edit = Edit::of(&self.sequence);
        let looked_at = self.looked_at(plan);
        let tells = |here: usize| {
            let text = self.seen[here].as_ref();
            let ty = &plan.ty(edit.steps[here].ty(plan)).ty;
            text.is_some_and(|text| has_expression(plan, ty, text))
        };
        let mut told = tells(self.about);
        let mut says = vec![false; edit.len()];
        let mut said: Vec<(usize, &str)> = vec![];
        for (here, step) in edit.steps.iter().enumerate().skip(self.about + 1) {
            let Some(text) = &self.seen[here] else { continue };
            let asked = step.args().first().map_or(here, |arg| *arg as usize);
            // Of `[1]` by `Debug` and `[1]` by `as_slice`, one is enough.
            let new = (asked, text.trim_matches('"'));
            let spare = told && looked_at.contains(&asked);
            says[here] = tells(here) && !said.contains(&new) && !spare;
            told |= says[here] && !looked_at.contains(&asked);
            said.push(new);
        }
        let mut kept = vec![true; edit.len()];
        let mut needed = vec![false; edit.len()];
        for here in (self.about + 1..edit.len()).rev() {
            kept[here] = says[here] || needed[here];
            if kept[here] {
                edit.steps[here].args().iter().for_each(|arg| needed[*arg as usize] = true);
            }
        }
        let Ok(sequence) = edit.keep(&kept).build(plan) else { return self };
        let seen = self.seen.iter().zip(&kept).filter(|(_, kept)| **kept);
        Observed { sequence, seen: seen.map(|(seen, _)| seen.clone()).collect(), ..self }
    }
}
