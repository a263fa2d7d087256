//! Values that hold locks.
//!
//! Who asks a map twice while it still holds the first answer waits for itself for ever, if
//! answers are guards: no type forbids it, and nearly every sequence does it. Which types are
//! guards shows when a call waits: then they are taken for exclusive borrows from there on, so
//! that a guard is dropped before its owner is used again. That is what a person would write.

use anyhow::Result;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use testsmith_lab::{Supervisor, WorkerLimits};
use testsmith_model::message::Walk;
use testsmith_model::operation::{FlowKind, Operation};
use testsmith_model::outcome::{Ending, Outcome};
use testsmith_model::{Plan, Sequence, Step};

/// What waits for so long waits for ever.
const WAIT: Duration = Duration::from_millis(200);
/// Walks: as many kinds of guards can be found, or what only seems to be one.
const WALKS: u64 = 12;
/// What waits by itself would do so again.
const DEATHS_A_WALK: u32 = 3;
/// Calls in which a guard meets its owner again.
const CALLS: u64 = 20_000;
const LENGTH: u32 = 12;

/// The plan with the loans of guards exclusive; `start` gives a worker for a plan.
pub(crate) fn find(
    mut plan: Arc<Plan>,
    start: &dyn Fn(Arc<Plan>, WorkerLimits) -> Result<Supervisor>,
) -> Result<Arc<Plan>> {
    let may_lock = |operation: &Operation| may_lock(&plan, operation);
    if !plan.operations.iter().any(may_lock) {
        return Ok(plan);
    }
    let limits = WorkerLimits { call: WAIT, ..WorkerLimits::default() };
    let mut refuted: BTreeSet<String> = BTreeSet::new();
    for seed in 0..WALKS {
        let mut supervisor = start(Arc::clone(&plan), limits.clone())?;
        supervisor.patience = DEATHS_A_WALK;
        let walk = Walk {
            seed,
            max_sequences: u64::MAX,
            max_calls: CALLS,
            max_length: LENGTH,
            ..Walk::default()
        };
        let mut waiting: Vec<(Sequence, BTreeSet<String>)> = vec![];
        supervisor.walk(&walk, &mut |sequence, outcome| {
            let held = held(&plan, &sequence, &outcome);
            if !held.is_empty() {
                waiting.push((sequence, held));
            }
        })?;
        let new = waiting.into_iter().find(|(_, held)| !held.is_subset(&refuted));
        let Some((sequence, held)) = new else { break };
        let exclusive = Arc::new(with_exclusive(&plan, &held));
        let outcome = start(Arc::clone(&exclusive), limits.clone())?.run(&sequence, false)?;
        match waits(&outcome) {
            true => refuted.extend(held),
            false => plan = exclusive,
        }
    }
    Ok(plan)
}

/// Asleep or not: some locks are waited for at work.
fn waits(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::TimedOut { .. })
}

/// Whether what an operation gives borrows from what it only looks at, and does something when
/// it is dropped.
fn may_lock(plan: &Plan, operation: &Operation) -> bool {
    let shared = FlowKind::Loan { mutable: false };
    plan.ty(operation.output).abilities.needs_drop
        && operation.flows.iter().any(|flow| flow.kind == shared)
}

/// The types, by path, of the values that borrow from an argument of the call that waits.
fn held(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> BTreeSet<String> {
    let here = outcome.step as usize;
    let steps: Vec<&Step> = sequence.steps().take(here + 1).collect();
    if !waits(outcome) || here >= steps.len() {
        return BTreeSet::new();
    }
    let mut made_from: Vec<bool> = vec![false; here];
    steps[here].args(here).for_each(|arg| made_from[arg] = true);
    let mut held = BTreeSet::new();
    for (at, step) in steps.iter().enumerate().take(here) {
        let Step::Call(op, _) = step else { continue };
        let operation = plan.operation(*op);
        let mut owners =
            operation.flows.iter().filter_map(|flow| step.args(at).nth(flow.input.into()));
        if owners.any(|owner| made_from[owner]) {
            made_from[at] = true;
            let shared = FlowKind::Loan { mutable: false };
            let looks = operation.flows.iter().any(|flow| flow.kind == shared);
            held.extend(path(plan, operation).filter(|_| looks));
        }
    }
    held
}

/// The path of what an operation gives, inside of an `Option` and the like.
fn path(plan: &Plan, operation: &Operation) -> Option<String> {
    let own = format!("{}::", plan.krate);
    let mut paths: Vec<String> = vec![];
    plan.ty(operation.output).ty.walk(&mut |ty| {
        paths.extend(ty.path().filter(|path| path.starts_with(&own)).map(str::to_owned));
    });
    paths.into_iter().next()
}

/// The plan with exclusive loans wherever values of these types come from.
fn with_exclusive(plan: &Plan, guards: &BTreeSet<String>) -> Plan {
    let gives = |operation: &Operation| path(plan, operation).is_some_and(|p| guards.contains(&p));
    let gives: Vec<bool> = plan.operations.iter().map(gives).collect();
    let mut plan = plan.clone();
    let operations = plan.operations.iter_mut().zip(gives).filter(|(_, gives)| *gives);
    for (operation, _) in operations {
        for flow in &mut operation.flows {
            if let FlowKind::Loan { mutable } = &mut flow.kind {
                *mutable = true;
            }
        }
    }
    plan
}
