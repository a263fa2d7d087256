//! The search: bounds from zero up, and what was found.
//!
//! A state is looked for with all assumptions first, at every bound, and then without them.
//! What was found is not found again; what a run of the calls has shown is known from then
//! on. Nothing here runs anything.

use crate::concrete::{Concrete, Reading};
use crate::goal::{Goal, GoalError};
use crate::lessons::{Blocked, Seems};
use crate::objects::{objects, objects_of};
use crate::system::{FnId, Sort, System, TypeId};
use crate::translate::Scope;
use crate::value::Value;
use crate::world::{Free, Operand, World};
use std::collections::{BTreeMap, BTreeSet};
use testsmith_solver::term::{Assignment, Evaluator, Term};
use testsmith_solver::{Answer, Blaster, Limit, Solver};

/// Wishes about arguments that are tried one by one.
const MAX_WISHES: usize = 16;

/// A call of what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub function: FnId,
    pub arguments: Vec<Argument>,
    /// The object that it makes.
    pub makes: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// By its number; see [`Found::objects`].
    Object(usize),
    Value(Concrete),
}

impl Argument {
    pub(crate) fn is_known(&self) -> bool {
        match self {
            Argument::Object(_) => true,
            Argument::Value(value) => value.is_known(),
        }
    }
}

/// How sure a prediction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sureness {
    /// It follows from the contracts.
    Follows,
    /// It follows if calls leave alone what their contracts do not speak of.
    Assumed,
    /// The contracts leave it open.
    Open,
}

/// What a query is to answer: each without arguments, and those with arguments that the goal
/// asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// After so many calls.
    pub after: usize,
    pub object: usize,
    pub query: FnId,
    pub args: Vec<Argument>,
    /// None where it is left open.
    pub value: Option<Concrete>,
    pub sureness: Sureness,
}

/// Calls that lead to the goal, as far as contracts say.
#[derive(Clone, Debug)]
pub struct Found {
    pub calls: Vec<Call>,
    /// The types of the objects; those of the goal's parameters first, in their order.
    pub objects: Vec<TypeId>,
    /// For each parameter of the goal.
    pub goal: Vec<Argument>,
    pub predictions: Vec<Prediction>,
    /// Calls that are assumed to leave queries alone.
    pub assumed: Vec<(FnId, FnId)>,
    /// Whether such assumptions were made. They are not where the goal is out of reach with
    /// them: then a call has to change something that its contract does not speak of.
    pub framed: bool,
}

/// What a search comes to.
#[derive(Clone, Debug)]
pub enum Reached {
    Found(Box<Found>),
    /// No state at all satisfies the goal, reachable or not.
    Contradictory,
    /// None does with texts and lists as short as they are followed; longer ones might.
    Unsatisfied,
    /// No calls up to the bound lead there, or no others than were found.
    Unreached {
        bound: usize,
    },
    /// The solver did not decide.
    Unknown(String),
}

pub struct Search<'s> {
    pub(crate) world: World<'s>,
    pub(crate) goal: Goal,
    pub(crate) bound: usize,
    /// The number of calls that is looked at next.
    pub(crate) length: usize,
    /// Whether assumptions are made.
    pub(crate) framed: bool,
    pub(crate) refuted: BTreeSet<(FnId, FnId)>,
    /// By length: the goal, and its arguments.
    pub(crate) goals: BTreeMap<usize, (Term, Vec<Operand>)>,
    pub(crate) blocked: Vec<Blocked>,
    pub(crate) seeming: BTreeMap<FnId, Seems>,
    /// First calls of constructors, to try assumptions on.
    pub(crate) samples: BTreeMap<FnId, Vec<Vec<Term>>>,
    /// The shortest calls that end with each function.
    pub(crate) first_calls: BTreeMap<FnId, Vec<Term>>,
    /// Whether objects are looked for in any state.
    pub(crate) looking: bool,
    pub(crate) solver: Blaster,
    limit: Limit,
    is_contradictory: Option<bool>,
    /// Whether that holds for short texts and lists only.
    is_cut_short: bool,
}

impl<'s> Search<'s> {
    pub fn new(system: &'s System, goal: Goal, bound: usize) -> Search<'s> {
        let world = World::new(system, objects(system, &goal), false);
        Search {
            world,
            goal,
            bound,
            length: 0,
            framed: true,
            refuted: BTreeSet::new(),
            goals: BTreeMap::new(),
            blocked: vec![],
            seeming: BTreeMap::new(),
            samples: BTreeMap::new(),
            first_calls: BTreeMap::new(),
            looking: false,
            solver: Blaster::keeping_circuits(),
            limit: Limit::default(),
            is_contradictory: None,
            is_cut_short: false,
        }
    }

    /// When it is to give up.
    pub fn set_limit(&mut self, limit: Limit) {
        self.limit = limit.clone();
        self.solver.set_limit(limit);
    }

    /// Clauses and parts of them that nothing is known of, as far as the search met them.
    pub fn free(&self) -> impl Iterator<Item = &Free> {
        self.world.free.iter()
    }

    /// Whether contracts speak of each other without end.
    pub fn was_cut(&self) -> bool {
        self.world.was_cut
    }

    /// Why a goal that a person wrote is none: the first part of it that is not understood.
    pub fn check_goal(system: &System, goal: &Goal) -> Result<(), GoalError> {
        let mut world = World::new(system, objects(system, goal), true);
        let (_, _) = goal_term(&mut world, goal, 0);
        let own = world.free.iter().find(|free| free.of == goal.of);
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
            Ok(false) => {}
            Ok(true) if self.is_cut_short => return Reached::Unsatisfied,
            Ok(true) => return Reached::Contradictory,
            Err(why) => return Reached::Unknown(why),
        }
        loop {
            if self.length > self.bound {
                let assumes = !self.world.frames.is_empty() || !self.world.defaults.is_empty();
                if !self.framed || !assumes {
                    return Reached::Unreached { bound: self.bound };
                }
                (self.framed, self.length) = (false, 0);
            }
            self.grow_to(self.length);
            match self.solve() {
                Answer::Sat(model) => return Reached::Found(Box::new(self.found(model))),
                Answer::Unsat => self.length += 1,
                Answer::Unknown(why) => return Reached::Unknown(why),
            }
        }
    }

    pub(crate) fn grow_to(&mut self, length: usize) {
        while self.world.steps.len() < length {
            self.world.add_step();
        }
    }

    /// Whether no state satisfies the goal, whatever leads there.
    fn contradictory(&mut self) -> Result<bool, String> {
        if let Some(known) = self.is_contradictory {
            return Ok(known);
        }
        let mut world = World::new(self.world.system, objects(self.world.system, &self.goal), true);
        let (wanted, _) = goal_term(&mut world, &self.goal, 0);
        // Terms of one pool mean nothing in another, so it has a solver of its own.
        let mut solver = Blaster::default();
        solver.set_limit(self.limit.clone());
        let known = match solver.check(&world.terms.pool, &[world.known, wanted]) {
            Answer::Sat(_) => false,
            Answer::Unsat => true,
            Answer::Unknown(why) => return Err(why),
        };
        self.is_contradictory = Some(known);
        self.is_cut_short = world.terms.is_cut_short;
        Ok(known)
    }

    pub(crate) fn solve(&mut self) -> Answer {
        let conditions = self.conditions();
        self.solver.check(&self.world.terms.pool, &conditions)
    }

    /// All that has to hold: what is known, the goal, assumptions, and nothing found before.
    pub(crate) fn conditions(&mut self) -> Vec<Term> {
        let length = self.length;
        if !self.goals.contains_key(&length) {
            let goal = goal_term(&mut self.world, &self.goal, length);
            self.goals.insert(length, goal);
        }
        let mut all = match self.looking {
            false => vec![self.goals[&length].0],
            true => {
                let own = objects_of(&self.goal).count();
                self.world.alive[length][..own].to_vec()
            }
        };
        for n in 0..self.blocked.len() {
            all.push(self.not_blocked(n));
        }
        if self.framed {
            let assumptions = self.assumptions();
            all.extend(assumptions);
        }
        all.push(self.world.known);
        all
    }

    /// Reads the calls off a model, with arguments as plain as they can be, and predicts.
    pub(crate) fn found(&mut self, model: Assignment) -> Found {
        let chosen = self.choices(&model);
        let mut fixed = self.conditions();
        for (n, choice) in chosen.iter().enumerate() {
            fixed.push(self.world.steps[n].actions[*choice].guard);
        }
        let model = self.plainest(&chosen, &mut fixed, model);
        let (calls, goal) = self.read(&chosen, &model);
        let made = self.made_so(&calls);
        let operands = self.goals[&self.length].1.clone();
        let given = self.given_so(&operands, &goal);
        let assumed = self.assumed(&chosen);
        let predictions = self.predict(&[made, given]);
        let objects = self.world.slots.clone();
        Found { calls, objects, goal, predictions, assumed, framed: self.framed }
    }

    /// The call at each step.
    fn choices(&self, model: &Assignment) -> Vec<usize> {
        let mut evaluator = Evaluator::new(&self.world.terms.pool, model);
        let steps = self.world.steps[..self.length].iter();
        steps.map(|step| evaluator.value(step.choice) as usize).collect()
    }

    fn assumed(&self, chosen: &[usize]) -> Vec<(FnId, FnId)> {
        if !self.framed {
            return vec![];
        }
        let made: BTreeSet<FnId> = chosen
            .iter()
            .enumerate()
            .map(|(n, choice)| self.world.steps[n].actions[*choice].function)
            .collect();
        let defaults = self.world.defaults.iter().filter(|(_, it)| it.holds == Some(true));
        let defaults = defaults.map(|(key, _)| (key.0, key.1));
        let frames = self.world.frames.iter().filter(|(_, it)| it.holds != Some(false));
        let frames = frames.map(|(key, _)| *key);
        let all: BTreeSet<(FnId, FnId)> = frames.chain(defaults).collect();
        let used = all.into_iter().filter(|key| made.contains(&key.0));
        used.filter(|key| !self.refuted.contains(key)).collect()
    }

    /// Small numbers and short texts of letters, wherever nothing speaks against them.
    fn plainest(
        &mut self,
        chosen: &[usize],
        fixed: &mut Vec<Term>,
        mut model: Assignment,
    ) -> Assignment {
        let mut values: Vec<Value> = vec![];
        for (n, choice) in chosen.iter().enumerate() {
            let operands = &self.world.steps[n].actions[*choice].operands;
            values.extend(operands.iter().filter_map(Operand::value));
        }
        values.extend(self.goals[&self.length].1.iter().filter_map(Operand::value));
        let mut wishes = vec![];
        for value in &values {
            self.world.wishes(value, &mut wishes);
        }
        let together = [fixed.as_slice(), &wishes].concat();
        if let Answer::Sat(better) = self.solver.check(&self.world.terms.pool, &together) {
            *fixed = together;
            return better;
        }
        for wish in wishes.into_iter().take(MAX_WISHES) {
            fixed.push(wish);
            match self.solver.check(&self.world.terms.pool, fixed) {
                Answer::Sat(better) => model = better,
                _ => {
                    fixed.pop();
                }
            }
        }
        model
    }

    fn read(&self, chosen: &[usize], model: &Assignment) -> (Vec<Call>, Vec<Argument>) {
        let pool = &self.world.terms.pool;
        let evaluator = Evaluator::new(pool, model);
        let mut reading = Reading { pool, evaluator, system: self.world.system };
        let mut argument = |operand: &Operand| match operand {
            Operand::Object(slot) => Argument::Object(*slot),
            Operand::Value(value) => Argument::Value(reading.value(value)),
        };
        let calls = chosen.iter().enumerate().map(|(n, choice)| {
            let action = &self.world.steps[n].actions[*choice];
            Call {
                function: action.function,
                arguments: action.operands.iter().map(&mut argument).collect(),
                makes: action.makes,
            }
        });
        let calls = calls.collect();
        let goal = self.goals[&self.length].1.iter().map(argument).collect();
        (calls, goal)
    }
}

impl Operand {
    pub(crate) fn value(&self) -> Option<Value> {
        match self {
            Operand::Value(value) => Some(value.clone()),
            Operand::Object(_) => None,
        }
    }
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
