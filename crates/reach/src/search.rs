//! The search: bounds from zero up, and what was found.
//!
//! A state is looked for with all assumptions first, at every bound, then with more calls as
//! long as that is worth it, then without assumptions, then with more room. How much is worth
//! it is counted, so that a busy machine finds the same. A number of calls that is hard to
//! decide is left for later. What was found is not found again; what a run of the calls has
//! shown is known from then on, also when the search turns to another goal about the same
//! objects. Nothing here runs anything.

use crate::found::Found;
use crate::goal::{Goal, GoalError};
use crate::lessons::{Blocked, Lesson, Seems};
use crate::objects::{objects, objects_of};
use crate::room::{Room, names, texts_about};
use crate::spoken::Spoken;
use crate::system::{FnId, Sort, System, TypeId};
use crate::translate::Scope;
use crate::world::{Free, Operand, World};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use testsmith_solver::term::Term;
use testsmith_solver::{Answer, Blaster, Limit, Solver};

/// What a search comes to.
#[derive(Clone, Debug)]
pub enum Reached {
    Found(Box<Found>),
    /// No state at all satisfies the goal, reachable or not.
    Contradictory,
    /// None does with as much room as texts and lists are ever given; longer ones might.
    Unsatisfied {
        room: Room,
    },
    /// No calls up to the bound lead there, or no others than were found.
    Unreached {
        bound: usize,
    },
    /// The solver did not decide.
    Unknown(String),
    /// It would take more than it may.
    Spent,
}

pub struct Search<'s> {
    pub(crate) world: World<'s>,
    pub(crate) goal: Goal,
    pub(crate) bound: usize,
    /// How many calls are looked at where so many are not enough.
    most: usize,
    /// The number of calls that is looked at.
    pub(crate) length: usize,
    stage: Stage,
    /// Numbers of calls that are still to be looked at in this stage, and those of which the
    /// solver did not decide.
    open: VecDeque<usize>,
    hard: Vec<usize>,
    /// Why there is a number of calls that it never decided.
    undecided: Option<String>,
    /// Conflicts that one question may take.
    patience: u64,
    /// What it may spend in all, if it is not to look further.
    allowance: Option<u64>,
    /// What was spent when the goal was set.
    spent_before: u64,
    /// Whether assumptions are made.
    pub(crate) framed: bool,
    pub(crate) refuted: BTreeSet<(FnId, FnId)>,
    /// By length: the goal, and its arguments.
    pub(crate) goals: BTreeMap<usize, (Term, Vec<Operand>)>,
    /// By length: the answers that the goal asks for, directly or not.
    pub(crate) asked: BTreeMap<usize, BTreeSet<usize>>,
    pub(crate) blocked: Vec<Blocked>,
    pub(crate) seeming: BTreeMap<FnId, Seems>,
    /// What runs have shown, whatever the goal.
    pub(crate) lessons: Vec<Lesson>,
    /// First calls of constructors, to try assumptions on.
    pub(crate) samples: BTreeMap<FnId, Vec<Vec<Term>>>,
    /// The shortest calls that end with each function.
    pub(crate) first_calls: BTreeMap<FnId, Vec<Term>>,
    /// Whether objects are looked for in any state.
    pub(crate) looking: bool,
    solver: Blaster,
    limit: Limit,
    is_contradictory: Option<bool>,
    /// Parts of the goal that nothing is known of.
    goal_free: BTreeSet<Free>,
}

/// What is tried one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// With all assumptions, up to the bound.
    Assuming,
    /// More calls than that, while it is worth it.
    Further,
    /// Without assumptions, up to the bound.
    Bare,
}

/// Calls beyond the bound that are looked at.
const MAX_FURTHER: usize = 24;
/// Conflicts after which a number of calls is left for later, and those after which it is
/// given up.
const FIRST_PATIENCE: u64 = 4_000;
const LAST_PATIENCE: u64 = 128_000;
/// Conflicts of a question where there is not much to spend.
const THRIFT: u64 = 1_000;
/// How much may be spent before a goal is looked for beyond the bound or with more room, in
/// terms; a conflict is worth some of them.
const MAX_EFFORT: u64 = 1_500_000;
const CONFLICT: u64 = 20;
/// Why a search that ran out of time knows nothing.
const LATE: &str = "it ran out of time";
/// A world with more terms is not used for the next goal.
const MAX_SHARED: usize = 600_000;

impl<'s> Search<'s> {
    /// Looks for a goal by this number of calls at most.
    pub fn new(system: &'s System, goal: Goal, bound: usize) -> Search<'s> {
        let slots = objects(system, &goal);
        let room = Room::asked_for(system, &goal, &slots);
        let mut search = Search {
            world: with_names(World::new(system, slots, false, room), &goal),
            goal: goal.clone(),
            bound,
            most: bound,
            length: 0,
            stage: Stage::Assuming,
            open: VecDeque::new(),
            hard: vec![],
            undecided: None,
            patience: FIRST_PATIENCE,
            allowance: None,
            spent_before: 0,
            framed: true,
            refuted: BTreeSet::new(),
            goals: BTreeMap::new(),
            asked: BTreeMap::new(),
            blocked: vec![],
            seeming: BTreeMap::new(),
            lessons: vec![],
            samples: BTreeMap::new(),
            first_calls: BTreeMap::new(),
            looking: false,
            solver: Blaster::keeping_circuits(),
            limit: Limit::default(),
            is_contradictory: None,
            goal_free: BTreeSet::new(),
        };
        search.set_goal(goal);
        search
    }

    /// What a search for this goal knows can be used for another one with the same key.
    pub fn key(system: &System, goal: &Goal) -> (Vec<TypeId>, Room) {
        let slots = objects(system, goal);
        let room = Room::asked_for(system, goal, &slots);
        (slots, room)
    }

    /// Turns to another goal with the same [key](Search::key). What runs have shown and the
    /// solver has learnt stays.
    pub fn set_goal(&mut self, goal: Goal) {
        let (slots, room) = Search::key(self.world.system, &goal);
        let is_large = self.world.terms.pool.len() > MAX_SHARED;
        let is_long = self.world.steps.len() > self.bound;
        let fits = self.world.slots == slots && self.world.terms.room == room;
        let fits = fits && speaks_of_known(&self.world, &goal);
        self.goal = goal;
        self.blocked.clear();
        if !fits || is_large || is_long {
            self.renew(slots, room);
        }
        self.goals.clear();
        self.asked.clear();
        self.goal_free.clear();
        self.is_contradictory = None;
        self.spent_before = self.spent();
        self.enter(Stage::Assuming);
    }

    /// Looks further than the bound as long as that is worth it.
    pub fn go_further(&mut self) {
        self.most = self.bound.max(MAX_FURTHER);
    }

    /// Spends so much at most, as is counted; see [`Reached::Spent`].
    pub fn set_allowance(&mut self, allowance: Option<u64>) {
        self.allowance = allowance;
    }

    /// When it is to give up.
    pub fn set_limit(&mut self, limit: Limit) {
        self.limit = limit.clone();
        self.solver.set_limit(limit);
    }

    /// Clauses and parts of them that nothing is known of, as far as the search met them.
    pub fn free(&self) -> impl Iterator<Item = &Free> {
        let others = self.world.free.iter().filter(|free| !self.goal_free.contains(free));
        self.goal_free.iter().chain(others)
    }

    /// Whether contracts speak of each other without end.
    pub fn was_cut(&self) -> bool {
        self.world.was_cut
    }

    /// How much of texts and lists is followed.
    pub fn room(&self) -> Room {
        self.world.terms.room
    }

    /// Why a goal that a person wrote is none: the first part of it that is not understood.
    pub fn check_goal(system: &System, goal: &Goal) -> Result<(), GoalError> {
        let (slots, room) = Search::key(system, goal);
        let mut world = World::new(system, slots, true, room);
        let (_, _) = goal_term(&mut world, goal, 0);
        // Invariants of its type stand on the same name.
        let is_asked = |free: &&Free| {
            free.of == goal.of && goal.clauses.iter().any(|clause| clause.text == free.clause)
        };
        let own = world.free.iter().find(is_asked);
        match own {
            None => Ok(()),
            Some(free) => {
                Err(GoalError::Unsupported { text: free.clause.clone(), why: free.why.clone() })
            }
        }
    }

    /// The next state, by the fewest calls; each time another one.
    pub fn next_state(&mut self) -> Reached {
        match self.contradictory() {
            Ok(None) => {}
            Ok(Some(reached)) => return reached,
            Err(why) => return Reached::Unknown(why),
        }
        loop {
            let Some(length) = self.open.front().copied() else {
                if !self.go_on() {
                    let bound = self.bound.max(self.length);
                    return match self.undecided.take() {
                        Some(why) => Reached::Unknown(why),
                        None => Reached::Unreached { bound },
                    };
                }
                continue;
            };
            if self.stage == Stage::Further && self.is_spent() {
                self.open.clear();
                continue;
            }
            self.length = length;
            if let Some(reached) = self.grown_to(length) {
                return reached;
            }
            self.solver.set_conflicts(self.patience);
            let answer = self.solve();
            self.solver.set_conflicts(LAST_PATIENCE);
            match answer {
                Answer::Sat(model) => return Reached::Found(Box::new(self.found(model))),
                Answer::Unsat => drop(self.open.pop_front()),
                Answer::Unknown(why) if self.limit.is_reached() => return Reached::Unknown(why),
                Answer::Unknown(why) => {
                    self.open.pop_front();
                    match self.patience < LAST_PATIENCE {
                        true => self.hard.push(length),
                        false => self.undecided = Some(why),
                    }
                }
            }
        }
    }

    /// What to do when all numbers of calls were looked at: those again that were hard, the
    /// next stage, or all of it with more room. Whether there is anything.
    fn go_on(&mut self) -> bool {
        let assumes = !self.world.frames.is_empty() || !self.world.defaults.is_empty();
        if !self.hard.is_empty() {
            self.patience = (self.patience * 8).min(LAST_PATIENCE);
            self.open = std::mem::take(&mut self.hard).into();
            return true;
        }
        match self.stage {
            Stage::Assuming if self.most > self.bound => self.enter(Stage::Further),
            Stage::Assuming | Stage::Further if assumes => self.enter(Stage::Bare),
            _ => {
                let room = self.world.terms.room.grown();
                let may_help = self.world.terms.is_cut_short && self.most > self.bound;
                let (Some(room), true, false) = (room, may_help, self.is_spent()) else {
                    return false;
                };
                self.renew(self.world.slots.clone(), room);
                self.enter(Stage::Assuming);
            }
        }
        true
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.framed = stage != Stage::Bare;
        self.patience = FIRST_PATIENCE;
        self.hard.clear();
        self.open = match stage {
            Stage::Further => (self.bound + 1..=self.most).collect(),
            Stage::Assuming | Stage::Bare => (0..=self.bound).collect(),
        };
    }

    /// How much was done so far, which is the same on every machine.
    fn spent(&self) -> u64 {
        self.world.terms.pool.len() as u64 + CONFLICT * self.solver.spent()
    }

    fn is_spent(&self) -> bool {
        self.spent().saturating_sub(self.spent_before) > MAX_EFFORT
    }

    fn has_overspent(&self) -> bool {
        let spent = self.spent().saturating_sub(self.spent_before);
        self.allowance.is_some_and(|allowance| spent > allowance)
    }

    /// Adds steps up to this number of calls; what it comes to if that is too much.
    pub(crate) fn grown_to(&mut self, length: usize) -> Option<Reached> {
        loop {
            if self.has_overspent() {
                return Some(Reached::Spent);
            }
            if self.limit.is_reached() {
                return Some(Reached::Unknown(LATE.to_owned()));
            }
            if self.world.steps.len() >= length {
                return None;
            }
            self.world.add_step();
        }
    }

    /// Begins again with this much room. What runs have shown is still known.
    fn renew(&mut self, slots: Vec<TypeId>, room: Room) {
        let world = World::new(self.world.system, slots, false, room);
        self.world = with_names(world, &self.goal);
        self.solver = Blaster::keeping_circuits();
        self.solver.set_limit(self.limit.clone());
        self.goals.clear();
        self.asked.clear();
        self.samples.clear();
        self.first_calls.clear();
        self.seeming.clear();
        for lesson in self.lessons.clone() {
            self.take_in(lesson);
        }
    }

    pub(crate) fn grow_to(&mut self, length: usize) {
        while self.world.steps.len() < length {
            self.world.add_step();
        }
    }

    /// Whether no state satisfies the goal, whatever leads there; with more room if that is
    /// what it takes.
    fn contradictory(&mut self) -> Result<Option<Reached>, String> {
        if self.is_contradictory == Some(false) {
            return Ok(None);
        }
        let mut room = self.world.terms.room;
        loop {
            let slots = self.world.slots.clone();
            let mut world = World::new(self.world.system, slots, true, room);
            let (wanted, _) = goal_term(&mut world, &self.goal, 0);
            // Terms of one pool mean nothing in another, so it has a solver of its own.
            let mut solver = Blaster::default();
            solver.set_limit(self.limit.clone());
            solver.assert_all(&world.facts);
            match solver.check(&world.terms.pool, &[wanted]) {
                Answer::Sat(_) => break,
                Answer::Unsat if !world.terms.is_cut_short => {
                    return Ok(Some(Reached::Contradictory));
                }
                Answer::Unsat => match room.grown() {
                    Some(more) => room = more,
                    None => return Ok(Some(Reached::Unsatisfied { room })),
                },
                Answer::Unknown(why) => return Err(why),
            }
        }
        self.is_contradictory = Some(false);
        if room != self.world.terms.room {
            self.renew(self.world.slots.clone(), room);
        }
        Ok(None)
    }

    pub(crate) fn solve(&mut self) -> Answer {
        let conditions = self.conditions();
        self.check(&conditions)
    }

    /// Whether conditions can hold together with all that is known.
    pub(crate) fn check(&mut self, conditions: &[Term]) -> Answer {
        if self.limit.is_reached() {
            return Answer::Unknown(LATE.to_owned());
        }
        if self.allowance.is_some() {
            self.solver.set_conflicts(self.patience.min(THRIFT));
        }
        self.solver.assert_all(&self.world.facts);
        self.solver.check(&self.world.terms.pool, conditions)
    }

    /// That so many calls are made, and no more.
    pub(crate) fn made_as_many(&mut self, calls: usize) -> Vec<Term> {
        let idle: Vec<Term> = self.world.steps.iter().map(|step| step.idle).collect();
        let made = |(n, idle): (usize, Term)| match n < calls {
            true => self.world.terms.not(idle),
            false => idle,
        };
        idle.into_iter().enumerate().map(made).collect()
    }

    /// Makes known what the goal is after as many calls as are looked at.
    pub(crate) fn know_goal(&mut self) {
        let length = self.length;
        if self.goals.contains_key(&length) {
            return;
        }
        let before = self.world.free.clone();
        self.world.recorded = Some(Spoken::default());
        let goal = goal_term(&mut self.world, &self.goal, length);
        let asked = self.world.recorded.take().unwrap_or_default();
        self.asked.insert(length, self.world.with_reached(asked.ids()));
        // What only this goal speaks of is not told of the next.
        let of_goal = |free: &&Free| free.of == self.goal.of && !before.contains(free);
        let own: Vec<Free> = self.world.free.iter().filter(of_goal).cloned().collect();
        self.world.free.retain(|free| !own.contains(free));
        self.goal_free.extend(own);
        self.goals.insert(length, goal);
    }

    /// All that has to hold: what is known, the goal, assumptions, and nothing found before.
    pub(crate) fn conditions(&mut self) -> Vec<Term> {
        let length = self.length;
        self.know_goal();
        let mut all = match self.looking {
            false => vec![self.goals[&length].0],
            true => {
                let own = objects_of(&self.goal).count();
                self.world.alive[length][..own].to_vec()
            }
        };
        all.extend(self.made_as_many(length));
        for n in 0..self.blocked.len() {
            all.push(self.not_blocked(n));
        }
        if self.framed {
            let assumptions = self.assumptions();
            all.extend(assumptions);
        }
        all
    }
}

/// A world with the names that contracts and the goal speak of.
fn with_names<'s>(mut world: World<'s>, goal: &Goal) -> World<'s> {
    let system = world.system;
    if !system.seen.is_empty() {
        world.names.extend(texts_about(system, &world.slots).flat_map(names));
        world.names.extend(asked_names(system, goal));
    }
    world
}

/// Whether a goal asks for nothing that no contract speaks of.
fn speaks_of_known(world: &World<'_>, goal: &Goal) -> bool {
    world.system.seen.is_empty()
        || asked_names(world.system, goal).all(|name| world.names.contains(name))
}

/// The names of the functions that a goal speaks of.
fn asked_names<'s>(system: &'s System, goal: &Goal) -> impl Iterator<Item = &'s str> {
    let asked = |name: &&str| goal.clauses.iter().any(|it| names(&it.text).any(|it| it == *name));
    system.functions.iter().map(|function| function.name.as_str()).filter(asked)
}

/// Whether the goal is met after so many calls, and the values that it is met with.
fn goal_term(world: &mut World<'_>, goal: &Goal, moment: usize) -> (Term, Vec<Operand>) {
    let mut operands = vec![];
    let mut names = BTreeMap::new();
    let mut all = vec![];
    let mut slot = 0;
    for param in &goal.params {
        let operand = match param.sort {
            Sort::Object(_) => {
                all.push(world.alive[moment][slot]);
                slot += 1;
                Operand::Object(slot - 1)
            }
            ref sort => Operand::Value(world.any(sort, true)),
        };
        let value = match &operand {
            Operand::Object(slot) => world.object(*slot),
            Operand::Value(value) => value.clone(),
        };
        names.insert(param.name.clone(), value);
        operands.push(operand);
    }
    let scope = Scope { names, now: moment, old: moment, of_self: goal.of_self };
    all.push(world.all_of(&goal.clauses, &goal.of, &scope));
    world.settle();
    (world.terms.all(&all), operands)
}
