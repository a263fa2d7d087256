//! All goals of a command, in rounds.
//!
//! Most goals are cheap, and what led to them is where others begin: so nobody may spend much
//! at first, and what was not reached is tried again with the objects that were made since
//! (`components`). Where nothing new comes of that, each that is left may spend what it needs.
//! A goal that somebody asks for alone gets the goals that it may depend on beside it.

use super::answer::{Answer, Asking, Broken, Disagreement, Limits, Missed, Searches, State};
use super::components::{Components, Flat};
use super::describe::Description;
use super::native::{End, Native};
use crate::console::Console;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testsmith_lab::Supervisor;
use testsmith_model::Plan;
use testsmith_reach::{
    Argument, Call, FnId, Found, Goal, Prediction, Search, Sort, Sureness, System, TypeId,
};

/// What a goal may spend while there are other ways to go on, as the search counts it.
const ALLOWANCE: u64 = 150_000;
/// However long that takes on a busy machine.
const TIME: Duration = Duration::from_secs(5);
/// Sequences that are run for it then.
const TRIES: usize = 8;
/// Rounds that are made as long as there is something new.
const MAX_ROUNDS: usize = 10;
/// Goals that may help another one.
const MAX_HELPERS: usize = 48;

/// A goal that was not reached yet, and what was done for it.
struct Open {
    goal: Goal,
    function: Option<FnId>,
    order: usize,
    /// Whether it is only there for what others could begin with.
    helps: bool,
    before: Option<Answer>,
}

/// A goal that is done with.
pub(super) struct Done {
    pub(super) answer: Answer,
    /// Which goal it was of all that were searched for, the cheapest first.
    pub(super) order: usize,
}

pub(super) struct Rounds<'a> {
    pub(super) plan: &'a Plan,
    pub(super) description: &'a Description,
    pub(super) supervisor: &'a mut Supervisor,
    pub(super) limits: Limits,
    pub(super) console: &'a Console,
    pub(super) interrupt: &'a AtomicBool,
    /// Functions with a precondition that were called on the way to something, and what led to
    /// the call.
    pub(super) on_the_way: BTreeMap<FnId, Found>,
}

impl Rounds<'_> {
    /// Searches until everything is reached, or nothing is left to try.
    pub(super) fn searched(
        &mut self,
        goals: Vec<(Goal, Option<FnId>)>,
        alone: bool,
    ) -> Result<Vec<Done>> {
        let mut done: Vec<Done> = vec![];
        let mut components = Components::default();
        let mut open: Vec<Open> = cheapest_first(goals)
            .into_iter()
            .enumerate()
            .map(|(order, (goal, function))| Open {
                goal,
                function,
                order,
                helps: false,
                before: None,
            })
            .collect();
        for round in 0..=MAX_ROUNDS {
            let description = self.description.with(&components.0);
            let before = components.0.len();
            let missed = self.round(&description, open, &mut components, &mut done, true)?;
            let is_done = missed.iter().all(|it| it.helps) || self.is_interrupted();
            open = missed;
            if is_done || round == MAX_ROUNDS {
                break;
            }
            if round == 0 {
                open.extend(helpers(&self.description.system, &open, alone));
                open.sort_by_key(|it| !it.helps);
            } else if components.0.len() == before {
                break;
            }
        }
        open.retain(|it| !it.helps);
        let description = self.description.with(&components.0);
        let missed = self.round(&description, open, &mut components, &mut done, false)?;
        let left = missed.into_iter().filter_map(|it| Some((it.before?, it.order)));
        done.extend(left.map(|(answer, order)| Done { answer, order }));
        Ok(done)
    }

    /// Searches once for each that is open; gives those that are still.
    fn round(
        &mut self,
        description: &Description,
        open: Vec<Open>,
        components: &mut Components,
        done: &mut Vec<Done>,
        thrifty: bool,
    ) -> Result<Vec<Open>> {
        let (mut missed, mut reached) = (vec![], vec![]);
        let mut searches = Searches::default();
        for mut it in open {
            // A generic function is met if it is with one choice of types.
            let is_met = |done: &Done| done.answer.goal.of == it.goal.of && done.answer.is_well();
            if it.function.is_some() && done.iter().any(is_met) {
                continue;
            }
            let made = it.before.as_ref().map_or(0, |answer| answer.runs);
            let is_tried = thrifty && made >= self.limits.tries;
            if self.is_interrupted() || is_tried {
                missed.push(it);
                continue;
            }
            self.console.say(&format!("searching for {}", it.goal.of));
            let mut answer = match self.met_on_the_way(description, &it)? {
                Some(answer) => answer,
                None => self.asked(description, &it, &mut searches, thrifty)?,
            };
            for state in &answer.states {
                self.passed(&state.found);
                reached.push((state.found.clone(), it.function));
            }
            answer.add(it.before.take());
            if answer.states.len() < self.limits.count && answer.may_be_reached_yet() {
                missed.push(Open { before: Some(answer), ..it });
            } else if !it.helps {
                done.push(Done { answer, order: it.order });
            }
        }
        // Objects to begin with are for the next round.
        if thrifty && missed.iter().any(|it| !it.helps) {
            let (plan, supervisor) = (self.plan, &mut *self.supervisor);
            let mut native = Native { plan, description, supervisor };
            for (found, function) in reached {
                components.take(&mut native, &found, function)?;
            }
        }
        Ok(missed)
    }

    /// Notes what was called on the way.
    fn passed(&mut self, found: &Found) {
        let system = &self.description.system;
        for (n, call) in found.calls.iter().enumerate() {
            if system.functions[call.function].requires.is_empty() {
                continue;
            }
            self.on_the_way.entry(call.function).or_insert_with(|| Found {
                calls: found.calls[..n].to_vec(),
                objects: found.objects.clone(),
                goal: call.arguments.clone(),
                predictions: open_predictions(system, &found.objects, call, n),
                assumed: vec![],
                framed: found.framed,
            });
        }
    }

    /// The state of a precondition that was met on the way to another goal.
    fn met_on_the_way(&mut self, description: &Description, it: &Open) -> Result<Option<Answer>> {
        let found = it.function.and_then(|function| self.on_the_way.get(&function));
        let Some(found) = found.filter(|_| self.limits.count == 1) else { return Ok(None) };
        let begin = Instant::now();
        let (plan, supervisor) = (self.plan, &mut *self.supervisor);
        let flat = description.flat(found);
        let shown = Native { plan, description, supervisor }.show(&flat, it.function)?;
        if !matches!(shown.end, End::Done | End::Failed(_)) {
            return Ok(None);
        }
        let Flat { found, own, .. } = flat;
        let state = State { found, own, shown, tries: 1, time: begin.elapsed() };
        Ok(Some(Answer {
            states: vec![state],
            runs: 1,
            time: begin.elapsed(),
            ..Answer::new(it.goal.clone(), it.function)
        }))
    }

    fn asked<'d>(
        &mut self,
        description: &'d Description,
        it: &Open,
        searches: &mut Searches<'d>,
        thrifty: bool,
    ) -> Result<Answer> {
        let limits = match thrifty {
            true => Limits {
                allowance: Some(ALLOWANCE),
                tries: self.limits.tries.min(TRIES),
                time: self.limits.time.min(TIME),
                ..self.limits
            },
            false => self.limits,
        };
        let (plan, supervisor) = (self.plan, &mut *self.supervisor);
        let mut asking = Asking { plan, description, supervisor, limits, searches };
        let few = Goal { few: true, ..it.goal.clone() };
        let key = |goal: &Goal| Search::key(&description.system, goal);
        if !thrifty || key(&few) == key(&it.goal) {
            return asking.ask(it.goal.clone(), it.function);
        }
        // What it takes to change objects is left out at first, and with it most calls.
        let allowance = Some(ALLOWANCE / 3);
        asking.limits = Limits { allowance, tries: limits.tries / 2, ..limits };
        let answer = asking.ask(few, it.function)?;
        if answer.states.len() >= limits.count || !answer.may_be_reached_yet() {
            return Ok(answer);
        }
        asking.limits = limits;
        let mut whole = asking.ask(it.goal.clone(), it.function)?;
        whole.add(Some(answer));
        Ok(whole)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Acquire)
    }
}

impl Answer {
    /// Whether objects to begin with, or more time, could help.
    fn may_be_reached_yet(&self) -> bool {
        use Missed::{Disagrees, Spent, Unknown, Unmade, Unreached};
        matches!(
            self.missed,
            Some(Disagrees { .. } | Spent | Unknown(_) | Unreached { .. } | Unmade(_))
        )
    }

    /// Adds what was done in the rounds before.
    fn add(&mut self, before: Option<Answer>) {
        let Some(before) = before else { return };
        let earlier = |state: State| State {
            tries: state.tries + before.runs,
            time: state.time + before.time,
            ..state
        };
        self.states = std::mem::take(&mut self.states).into_iter().map(earlier).collect();
        self.runs += before.runs;
        self.wrong_runs += before.wrong_runs;
        self.time += before.time;
        self.was_cut |= before.was_cut;
        let told = |it: &Disagreement| (it.calls.clone(), it.object, it.query);
        let before_it: Vec<_> = before.disagreements.iter().map(told).collect();
        self.disagreements.retain(|it| !before_it.contains(&told(it)));
        self.disagreements.splice(0..0, before.disagreements);
        let told = |it: &Broken| (it.calls.clone(), it.why.clone());
        let before_it: Vec<_> = before.broken.iter().map(told).collect();
        self.broken.retain(|it| !before_it.contains(&told(it)));
        self.broken.splice(0..0, before.broken);
        self.free =
            BTreeSet::from_iter(self.free.drain(..).chain(before.free)).into_iter().collect();
    }
}

/// What the objects of a call can be asked, of which nothing is foretold.
fn open_predictions(
    system: &System,
    objects: &[TypeId],
    call: &Call,
    after: usize,
) -> Vec<Prediction> {
    let mut all = vec![];
    for argument in &call.arguments {
        let Argument::Object(object) = *argument else { continue };
        let mut queries = system.virtual_state(objects[object]);
        queries.retain(|query| system.functions[*query].params.len() == 1);
        let (value, sureness) = (None, Sureness::Open);
        all.extend(queries.into_iter().map(|query| {
            let args = vec![];
            Prediction { after, object, query, args, value: value.clone(), sureness }
        }));
    }
    all
}

/// Goals about few objects and values are found fast, and what is learnt on the way helps
/// with the others.
fn cheapest_first(mut goals: Vec<(Goal, Option<FnId>)>) -> Vec<(Goal, Option<FnId>)> {
    goals.sort_by_key(|(goal, _)| {
        let objects = goal.params.iter().filter(|it| matches!(it.sort, Sort::Object(_)));
        (objects.count(), goal.params.len())
    });
    goals
}

/// The parts of goals, and if these stand alone the preconditions of what makes or changes
/// their objects, and of what these take.
fn helpers(system: &System, open: &[Open], alone: bool) -> Vec<Open> {
    let mut goals: Vec<(Goal, Option<FnId>)> = if alone { needed(system, open) } else { vec![] };
    let all = open.iter().map(|it| &it.goal).chain(goals.iter().map(|(goal, _)| goal));
    let parts: Vec<(Goal, Option<FnId>)> =
        all.flat_map(Goal::parts).map(|part| (part, None)).collect();
    goals.extend(parts);
    let helper = |(goal, function)| Open { goal, function, order: 0, helps: true, before: None };
    cheapest_first(goals).into_iter().take(MAX_HELPERS).map(helper).collect()
}

fn needed(system: &System, open: &[Open]) -> Vec<(Goal, Option<FnId>)> {
    let objects = |params: &[testsmith_reach::Param]| -> Vec<TypeId> {
        let sorts = params.iter().map(|param| &param.sort);
        sorts.filter_map(|sort| Some(sort.made_object()?.0)).collect()
    };
    let mut types: VecDeque<TypeId> = open.iter().flat_map(|it| objects(&it.goal.params)).collect();
    let mut known: BTreeSet<TypeId> = types.iter().copied().collect();
    let mut functions: BTreeSet<FnId> = BTreeSet::new();
    while let Some(ty) = types.pop_front() {
        for function in system.makers(ty).into_iter().chain(system.changers(ty)) {
            let taken = objects(&system.functions[function].params);
            types.extend(taken.into_iter().filter(|ty| known.insert(*ty)));
            functions.insert(function);
        }
    }
    let has_goal = |id: &FnId| open.iter().any(|it| it.function == Some(*id));
    let wanted = functions.into_iter().filter(|id| !has_goal(id));
    wanted.map(|id| (Goal::precondition(system, id), Some(id))).collect()
}
