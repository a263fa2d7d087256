//! What a run does by itself for operations whose precondition random search never met.
//!
//! Calls that lead to such a state become components, from which random search goes on; what
//! the operation does then is an outcome like any other.

use super::answer::{Asking, Limits, Searches};
use super::describe::Description;
use super::source::Definitions;
use crate::pipeline::Session;
use anyhow::Result;
use std::time::{Duration, Instant};
use testsmith_lab::Supervisor;
use testsmith_model::message::Component;
use testsmith_model::{OpId, Outcome, Sequence};
use testsmith_reach::{FnId, Function, Goal, Sort};

/// Preconditions that are searched for in one run.
const MAX_GOALS: usize = 24;
/// A run has other things to do: few calls, few tries, little time for each.
const BOUND: usize = 4;
const TRIES: usize = 4;
const TIME_EACH: Duration = Duration::from_secs(1);
/// Where calls are counted nobody has a clock.
const NO_TIME_LIMIT: Duration = Duration::from_secs(3600);

/// What came of it.
#[derive(Default)]
pub(crate) struct Helped {
    /// Preconditions that were searched for.
    pub(crate) goals: usize,
    pub(crate) reached: usize,
    pub(crate) components: Vec<Component>,
    /// The sequences with the call itself, and what it came to.
    pub(crate) outcomes: Vec<(Sequence, Outcome)>,
}

/// Searches for the preconditions of operations that were never called.
pub(crate) fn help(
    session: &Session,
    supervisor: &mut Supervisor,
    is_missing: &dyn Fn(OpId) -> bool,
    until: Option<Instant>,
) -> Result<Helped> {
    let mut helped = Helped::default();
    let plan = supervisor.plan();
    let requires = |contract: &testsmith_model::api::Contract| {
        contract.clauses.iter().any(|clause| clause.kind == "requires")
    };
    if !plan.contracts.iter().any(requires) {
        return Ok(helped);
    }
    let description = Description::new(&plan, &Definitions::read(&session.package.sources));
    let system = &description.system;
    // Several objects take seconds, which a run has better use for.
    let is_small = |function: &Function| {
        let objects = function.params.iter().filter(|it| matches!(it.sort, Sort::Object(_)));
        objects.count() < 2
    };
    let wanted = |id: &FnId| {
        let function = &system.functions[*id];
        let missing = is_missing(description.operations[*id]);
        !function.requires.is_empty() && missing && is_small(function)
    };
    let goals: Vec<FnId> = (0..system.functions.len()).filter(wanted).take(MAX_GOALS).collect();
    let mut searches = Searches::default();
    for function in goals {
        if until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        helped.goals += 1;
        let time = if until.is_some() { TIME_EACH } else { NO_TIME_LIMIT };
        let limits =
            Limits { bound: BOUND, further: false, tries: TRIES, count: 1, time, allowance: None };
        let goal = Goal::precondition(system, function);
        let searches = &mut searches;
        let description = &description;
        let mut asking = Asking { plan: &plan, description, supervisor, limits, searches };
        let answer = asking.ask(goal, Some(function))?;
        for state in answer.states {
            helped.reached += 1;
            helped.components.extend(state.shown.component());
            let outcome = supervisor.run(&state.shown.sequence, false)?;
            helped.outcomes.push((state.shown.sequence, outcome));
        }
    }
    Ok(helped)
}
