//! Runs what a search found, and says what queries really answer.
//!
//! A query is a call like any other, so what is observed is a longer sequence. Queries with
//! a precondition of their own are asked last and one by one, since a refused call ends a
//! sequence.

use super::components::Flat;
use super::describe::Description;
use super::realise::{Realising, Why};
use crate::replay::describe;
use anyhow::Result;
use std::collections::BTreeSet;
use testsmith_lab::Supervisor;
use testsmith_model::message::Component;
use testsmith_model::outcome::Ending;
use testsmith_model::{Outcome, Plan, Sequence};
use testsmith_reach::{Argument, Call, Concrete, FnId, Found, Param, Seen, Sort, TypeId};

/// Queries of an object that another one shows, one in the other.
const MAX_PATH: usize = 3;
/// Answers that one object is known by.
const MAX_ANSWERS: usize = 80;
/// Values that one query is asked with.
const MAX_GIVEN: usize = 4;

/// What a query answered.
#[derive(Clone, Debug)]
pub(super) struct Observed {
    /// After so many calls.
    pub(super) after: usize,
    pub(super) object: usize,
    pub(super) query: FnId,
    pub(super) args: Vec<Argument>,
    /// The `Debug` text.
    pub(super) text: String,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// All calls were made, and the method that is the goal was called if there is one.
    Done,
    /// They were, and the method refuses to be called.
    Refused,
    /// The method was called, and failed.
    Failed(String),
    /// This call could not be made, or failed.
    Stopped { call: usize, why: String, contract: bool },
    /// No operation of the plan makes what is asked for.
    Unmade(Why),
}

pub(super) struct Shown {
    pub(super) end: End,
    /// The calls, and that of the goal.
    pub(super) sequence: Sequence,
    /// The calls alone, and the step that made the first object of the goal.
    state: Option<(Sequence, u32)>,
    pub(super) observed: Vec<Observed>,
}

impl Shown {
    /// The state as something to go on from.
    pub(super) fn component(&self) -> Option<Component> {
        let (sequence, value) = self.state.clone()?;
        Some(Component { sequence, value })
    }
}

/// Calls as a sequence.
struct Made {
    sequence: Sequence,
    /// The step behind each call.
    steps: Vec<usize>,
    goal_step: usize,
    state: Option<(Sequence, u32)>,
}

pub(super) struct Native<'n> {
    pub(super) plan: &'n Plan,
    pub(super) description: &'n Description,
    pub(super) supervisor: &'n mut Supervisor,
}

impl Native<'_> {
    /// Runs calls and then the method that is the goal, if it is one.
    pub(super) fn show(&mut self, flat: &Flat, goal: Option<FnId>) -> Result<Shown> {
        let found = &flat.found;
        let made = self.made(found, goal);
        let Made { sequence, steps, goal_step, state } = match made {
            Ok(made) => made,
            Err(why) => {
                let (sequence, end) = (Sequence::default(), End::Unmade(why));
                return Ok(Shown { end, sequence, state: None, observed: vec![] });
            }
        };
        let outcome = self.supervisor.run(&sequence, false)?;
        let end = end(&outcome, &steps, goal_step, goal.is_some());
        let most = match &end {
            End::Stopped { call, .. } => *call,
            _ => found.calls.len(),
        };
        let observed = self.observe(flat, most)?;
        Ok(Shown { end, sequence, state, observed })
    }

    /// All calls, then the queries that can always be asked, then the method that is the goal:
    /// with what was answered, by step. None if something on the way does not end well.
    pub(super) fn witness(
        &mut self,
        found: (&Found, usize),
        goal: Option<FnId>,
    ) -> Result<Option<(Sequence, Vec<Option<String>>)>> {
        let Some((sequence, asked)) = self.asserted(found, goal) else { return Ok(None) };
        let outcome = self.supervisor.run(&sequence, true)?;
        if outcome.ending != Ending::Completed {
            return Ok(None);
        }
        let mut seen = vec![None; sequence.len()];
        for step in asked {
            seen[step] = outcome.values.get(step).and_then(|value| value.text.clone());
        }
        Ok(Some((sequence, seen)))
    }

    /// The sequence of a witness, and the steps of which something can be said.
    fn asserted(
        &self,
        (found, own): (&Found, usize),
        goal: Option<FnId>,
    ) -> Option<(Sequence, Vec<usize>)> {
        let system = &self.description.system;
        let mut realising = Realising::new(self.plan, self.description, found.objects.len());
        for call in &found.calls {
            realising.call(call).ok()?;
        }
        let mut asked = vec![];
        for (object, ty) in found.objects.iter().enumerate().take(own) {
            for query in self.askable(*ty) {
                if !system.functions[query].ret.is_plain(system) {
                    continue;
                }
                if let Ok(step) = realising.apply(query, &[Argument::Object(object)]) {
                    asked.push(step as usize);
                }
            }
        }
        if let Some(function) = goal {
            let step = realising.apply(function, &found.goal).ok()?;
            let is_plain = system.functions[function].ret.is_plain(system);
            asked.extend(is_plain.then_some(step as usize));
        }
        Some((realising.finish(), asked))
    }

    fn made(&self, found: &Found, goal: Option<FnId>) -> Result<Made, Why> {
        let mut realising = Realising::new(self.plan, self.description, found.objects.len());
        let mut steps = vec![];
        for call in &found.calls {
            realising.call(call)?;
            steps.push(realising.len());
        }
        let mut goal_step = realising.len();
        let first = realising.object(0);
        if let Some(function) = goal {
            goal_step = realising.apply(function, &found.goal)? as usize;
        }
        let sequence = realising.finish();
        let last = steps.last().copied().unwrap_or(0);
        let state = first.map(|value| {
            let steps = sequence.steps().take(last).cloned().collect();
            (Sequence::from_steps(steps), value)
        });
        Ok(Made { sequence, steps, goal_step, state })
    }

    /// What all queries answer after each of the first calls.
    fn observe(&mut self, flat: &Flat, most: usize) -> Result<Vec<Observed>> {
        let found = &flat.found;
        let mut observed = vec![];
        let (sequence, asked) = self.with_queries(flat, most);
        let outcome = self.supervisor.run(&sequence, true)?;
        read(&outcome, asked, &mut observed);
        for (object, query, args) in self.guarded(found, most) {
            let Some((sequence, step)) = self.with_query(found, object, query, &args) else {
                continue;
            };
            let outcome = self.supervisor.run(&sequence, true)?;
            let asked = Observed { after: most, object, query, args, text: String::new() };
            read(&outcome, vec![(step, asked)], &mut observed);
        }
        Ok(observed)
    }

    fn is_guarded(&self, query: FnId) -> bool {
        !self.description.system.functions[query].requires.is_empty()
    }

    /// Queries that are asked one by one: those with a precondition or with arguments.
    fn guarded(&self, found: &Found, most: usize) -> Vec<(usize, FnId, Vec<Argument>)> {
        if most < found.calls.len() {
            return vec![];
        }
        let last = found.predictions.iter().filter(|it| it.after == most);
        let own = last.filter(|it| self.is_guarded(it.query) || !it.args.is_empty());
        own.map(|it| (it.object, it.query, it.args.clone())).collect()
    }

    /// The first calls, after each all queries that can always be asked.
    fn with_queries(&self, flat: &Flat, most: usize) -> (Sequence, Vec<(usize, Observed)>) {
        let found = &flat.found;
        let system = &self.description.system;
        let mut realising = Realising::new(self.plan, self.description, found.objects.len());
        let mut asked = vec![];
        for (n, call) in found.calls.iter().enumerate().take(most) {
            if realising.call(call).is_err() {
                break;
            }
            if flat.calls_of_search(n + 1).is_none() {
                continue;
            }
            for (object, ty) in found.objects.iter().enumerate().take(flat.own) {
                for query in self.askable(*ty) {
                    let shows = &system.functions[query].ret;
                    if matches!(shows, Sort::Object(_) | Sort::Opaque(_)) {
                        continue;
                    }
                    // Refused where the object is not there or gone; then it is not asked.
                    if let Ok(step) = realising.apply(query, &[Argument::Object(object)]) {
                        let (after, args, text) = (n + 1, vec![], String::new());
                        asked.push((step as usize, Observed { after, object, query, args, text }));
                    }
                }
            }
        }
        (realising.finish(), asked)
    }

    /// Queries that can always be asked, without arguments.
    fn askable(&self, ty: TypeId) -> Vec<FnId> {
        let system = &self.description.system;
        let mut all = system.virtual_state(ty);
        all.retain(|query| system.functions[*query].params.len() == 1 && !self.is_guarded(*query));
        all
    }

    /// What an object answers after calls, and what the objects answer that it shows; none if
    /// it is not there then, or the calls do not end well.
    pub(super) fn answers(
        &mut self,
        calls: &[Call],
        objects: &[TypeId],
        object: usize,
    ) -> Result<Option<Vec<Seen>>> {
        let Some(first) = self.answers_inside(calls, objects, object, BTreeSet::new())? else {
            return Ok(None);
        };
        // What is in an option can only be asked if something is.
        let is_there = |seen: &&Seen| match &seen.value {
            Concrete::Option(Some(inner)) | Concrete::Result(Ok(inner)) => !inner.is_known(),
            _ => false,
        };
        let there: BTreeSet<Vec<FnId>> =
            first.iter().filter(is_there).map(|seen| seen.path.clone()).collect();
        if there.is_empty() {
            return Ok(Some(first));
        }
        Ok(self.answers_inside(calls, objects, object, there)?.or(Some(first)))
    }

    fn answers_inside(
        &mut self,
        calls: &[Call],
        objects: &[TypeId],
        object: usize,
        there: BTreeSet<Vec<FnId>>,
    ) -> Result<Option<Vec<Seen>>> {
        let mut realising = Realising::new(self.plan, self.description, objects.len());
        if calls.iter().any(|call| realising.call(call).is_err()) {
            return Ok(None);
        }
        let Some(slot) = realising.object(object) else { return Ok(None) };
        let mut asked = Asked { all: vec![], given: given(calls), there, path: vec![] };
        self.ask_all(&mut realising, (slot, objects[object]), &mut asked);
        let outcome = self.supervisor.run(&realising.finish(), true)?;
        if outcome.ending != Ending::Completed {
            return Ok(None);
        }
        let system = &self.description.system;
        let read = |(step, seen): (u32, Seen)| {
            let text = outcome.values.get(step as usize)?.text.as_ref()?;
            let sort = &system.functions[*seen.path.last()?].ret;
            Some(Seen { value: Concrete::read(system, sort, text)?, ..seen })
        };
        Ok(Some(asked.all.into_iter().filter_map(read).collect()))
    }

    fn ask_all(&self, realising: &mut Realising<'_>, (slot, ty): (u32, TypeId), asked: &mut Asked) {
        let system = &self.description.system;
        for query in system.virtual_state(ty) {
            let function = &system.functions[query];
            if self.is_guarded(query) {
                continue;
            }
            asked.path.push(query);
            for args in asked.arguments(&function.params[1..]) {
                if asked.all.len() >= MAX_ANSWERS {
                    break;
                }
                let Ok(step) = realising.ask(query, slot, &args) else { continue };
                let is_object = matches!(function.ret, Sort::Object(_));
                if !is_object && !matches!(function.ret, Sort::Opaque(_)) {
                    let (path, value) = (asked.path.clone(), Concrete::Opaque);
                    asked.all.push((step, Seen { path, args: args.clone(), value }));
                }
                let leads_on = args.is_empty() && asked.path.len() < MAX_PATH;
                if let Some((inner, _)) = function.ret.made_object().filter(|_| leads_on)
                    && (is_object || asked.there.contains(&asked.path))
                    && let Ok(slot) = realising.inside(query, step)
                {
                    self.ask_all(realising, (slot, inner), asked);
                }
            }
            asked.path.pop();
        }
    }

    /// All calls, and then one query.
    fn with_query(
        &self,
        found: &Found,
        object: usize,
        query: FnId,
        args: &[Argument],
    ) -> Option<(Sequence, usize)> {
        let mut realising = Realising::new(self.plan, self.description, found.objects.len());
        for call in &found.calls {
            realising.call(call).ok()?;
        }
        let mut arguments = vec![Argument::Object(object)];
        arguments.extend(args.iter().cloned());
        let step = realising.apply(query, &arguments).ok()?;
        Some((realising.finish(), step as usize))
    }
}

/// Queries by the step that asks them.
struct Asked {
    all: Vec<(u32, Seen)>,
    /// Values that were given to calls before.
    given: Vec<Concrete>,
    /// Queries of which it is known that there is an object in what they give.
    there: BTreeSet<Vec<FnId>>,
    /// The queries that lead to what is asked.
    path: Vec<FnId>,
}

impl Asked {
    /// What to ask a query with: nothing, or each value of its sort that calls were given.
    fn arguments(&self, params: &[Param]) -> Vec<Vec<Concrete>> {
        let fits = |value: &&Concrete, sort: &Sort| match (value, sort) {
            (Concrete::Text(_), Sort::Text) | (Concrete::Char(_), Sort::Char) => true,
            (Concrete::Int(_), Sort::Int { .. }) => true,
            (Concrete::Enum { ty, .. }, Sort::Enum(of)) => ty == of,
            _ => false,
        };
        match params {
            [] => vec![vec![]],
            [param] => {
                let fitting = self.given.iter().filter(|value| fits(value, &param.sort));
                fitting.take(MAX_GIVEN).map(|value| vec![value.clone()]).collect()
            }
            _ => vec![],
        }
    }
}

fn given(calls: &[Call]) -> Vec<Concrete> {
    let arguments = calls.iter().flat_map(|call| &call.arguments);
    let values = arguments.filter_map(|argument| match argument {
        Argument::Value(value) => Some(value.clone()),
        Argument::Object(_) => None,
    });
    let distinct: BTreeSet<Concrete> = values.collect();
    distinct.into_iter().collect()
}

fn read(outcome: &Outcome, asked: Vec<(usize, Observed)>, observed: &mut Vec<Observed>) {
    let reached = match outcome.ending {
        Ending::Completed => usize::MAX,
        _ => outcome.step as usize,
    };
    for (step, query) in asked {
        let text = outcome.values.get(step).and_then(|value| value.text.clone());
        if let (Some(text), true) = (text, step < reached) {
            observed.push(Observed { text, ..query });
        }
    }
}

fn end(outcome: &Outcome, steps: &[usize], goal_step: usize, has_goal: bool) -> End {
    let why = || describe(&outcome.ending, outcome.phase);
    let message = match &outcome.ending {
        Ending::Completed => return End::Done,
        Ending::Panicked(panic) => panic.message.as_str(),
        _ => "",
    };
    let refused = outcome.ending == Ending::Inapplicable || is_refusal(message);
    let step = outcome.step as usize;
    if has_goal && step >= goal_step {
        return if refused { End::Refused } else { End::Failed(why()) };
    }
    let call = steps.iter().position(|end| step < *end).unwrap_or(steps.len().saturating_sub(1));
    let contract = message.contains(MARK) && !refused;
    End::Stopped { call, why: why(), contract }
}

/// The mark of a broken contract in the message of a panic.
const MARK: &str = "[testsmith-contract ";

/// Whether the called function itself refused its arguments.
fn is_refusal(message: &str) -> bool {
    message.contains(MARK) && message.contains("kind=requires;") && message.contains("depth=0;")
}
