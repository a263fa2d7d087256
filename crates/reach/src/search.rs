//! The search: bounds from zero up, and what was found.
//!
//! A state is looked for with all assumptions first, at every bound, and then without them.
//! What was found is not found again; what a run of the calls has shown is known from then
//! on. Nothing here runs anything.

use crate::concrete::{Concrete, Reading};
use crate::goal::{Goal, GoalError};
use crate::system::{FnId, Mode, Sort, System, TypeId};
use crate::terms::CHAR;
use crate::translate::Scope;
use crate::value::Value;
use crate::world::{Free, Operand, World};
use std::collections::{BTreeMap, BTreeSet};
use testsmith_solver::term::{Assignment, Evaluator, Term};
use testsmith_solver::{Answer, Blaster, Limit, Solver};

/// Objects that are followed at once.
const MAX_OBJECTS: usize = 5;
/// Wishes about arguments that are tried one by one.
const MAX_WISHES: usize = 48;
/// Answers with arguments that are predicted.
const MAX_ASKED: usize = 32;
/// The greatest number that is as good as a smaller one.
const SMALL: i128 = 9;

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
    pub args: Vec<Concrete>,
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
    /// No calls up to the bound lead there, or no others than were found.
    Unreached {
        bound: usize,
    },
    /// The solver did not decide.
    Unknown(String),
}

/// Something that a run has shown.
#[derive(Clone, Debug)]
pub enum Lesson {
    /// After these calls, a query of an object answers so.
    Observed { calls: Vec<Call>, object: usize, query: FnId, args: Vec<Concrete>, value: Concrete },
    /// The last of these calls cannot be made after the others.
    Impossible { calls: Vec<Call> },
    /// These calls do not lead where they should.
    Wrong { calls: Vec<Call>, goal: Vec<Argument> },
    /// A call does change what a query answers.
    Changes { function: FnId, query: FnId },
}

pub struct Search<'s> {
    world: World<'s>,
    goal: Goal,
    bound: usize,
    /// The number of calls that is looked at next.
    length: usize,
    /// Whether assumptions are made.
    framed: bool,
    refuted: BTreeSet<(FnId, FnId)>,
    /// By length: the goal, and its arguments.
    goals: BTreeMap<usize, (Term, Vec<Operand>)>,
    blocked: Vec<Blocked>,
    solver: Blaster,
    is_contradictory: Option<bool>,
}

/// A query whose answer is to be predicted.
struct Asked {
    after: usize,
    object: usize,
    query: FnId,
    args: Vec<Value>,
    value: Value,
}

enum Blocked {
    State(Vec<(usize, FnId, Concrete)>),
    Calls(Vec<Call>, Vec<Argument>),
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
            solver: Blaster::default(),
            is_contradictory: None,
        }
    }

    /// When it is to give up.
    pub fn set_limit(&mut self, limit: Limit) {
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
            Ok(true) => return Reached::Contradictory,
            Err(why) => return Reached::Unknown(why),
        }
        loop {
            if self.length > self.bound {
                if !self.framed || self.world.frames.is_empty() {
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

    fn grow_to(&mut self, length: usize) {
        while self.world.steps.len() < length {
            self.world.add_step();
        }
    }

    /// Whether the goal can still hold after calls that were found, given all that runs have
    /// shown of them.
    pub fn may_hold(&mut self, found: &Found) -> bool {
        let length = found.calls.len();
        self.grow_to(length);
        let Some((wanted, operands)) = self.goals.get(&length).cloned() else { return true };
        let made = self.made_so(&found.calls);
        let given = self.given_so(&operands, &found.goal);
        let all = [self.world.known, wanted, made, given];
        self.solver.check(&self.world.terms.pool, &all) != Answer::Unsat
    }

    /// Takes in what a run has shown.
    pub fn learn(&mut self, lesson: Lesson) {
        match lesson {
            Lesson::Changes { function, query } => {
                self.refuted.insert((function, query));
            }
            Lesson::Wrong { calls, goal } => self.blocked.push(Blocked::Calls(calls, goal)),
            Lesson::Impossible { calls } => {
                self.grow_to(calls.len());
                let made = self.made_so(&calls);
                let never = self.world.terms.not(made);
                self.world.require(never);
            }
            Lesson::Observed { calls, object, query, args, value } => {
                self.grow_to(calls.len());
                let made = self.made_so(&calls);
                let mut asked = vec![self.world.object(object)];
                for arg in &args {
                    let Some(arg) = self.world.written(arg) else { return };
                    asked.push(arg);
                }
                let asked = self.world.typed(query, asked);
                let answer = self.world.ask(query, asked, calls.len());
                let known = self.world.written(&value);
                if let (Ok((answer, _)), Some(known)) = (answer, known)
                    && let Some(same) = self.world.terms.same(&answer, &known)
                {
                    let holds = self.world.terms.implies(made, same);
                    self.world.require(holds);
                }
                self.world.settle();
            }
        }
    }

    /// No two states that are found are the same in all that queries without arguments say.
    pub fn block_state(&mut self, found: &Found) {
        let last = found.calls.len();
        let state: Vec<(usize, FnId, Concrete)> = found
            .predictions
            .iter()
            .filter(|it| it.after == last && it.object < objects_of(&self.goal).count())
            .filter(|it| it.args.is_empty())
            .filter_map(|it| Some((it.object, it.query, it.value.clone()?)))
            .collect();
        if state.is_empty() {
            self.blocked.push(Blocked::Calls(found.calls.clone(), found.goal.clone()));
        } else {
            self.blocked.push(Blocked::State(state));
        }
    }

    /// Whether no state satisfies the goal, whatever leads there.
    fn contradictory(&mut self) -> Result<bool, String> {
        if let Some(known) = self.is_contradictory {
            return Ok(known);
        }
        let mut world = World::new(self.world.system, objects(self.world.system, &self.goal), true);
        let (wanted, _) = goal_term(&mut world, &self.goal, 0);
        let known = match self.solver.check(&world.terms.pool, &[world.known, wanted]) {
            Answer::Sat(_) => false,
            Answer::Unsat => true,
            Answer::Unknown(why) => return Err(why),
        };
        // Terms of one pool mean nothing in another.
        self.solver = Blaster::default();
        self.is_contradictory = Some(known);
        Ok(known)
    }

    fn solve(&mut self) -> Answer {
        let conditions = self.conditions();
        self.solver.check(&self.world.terms.pool, &conditions)
    }

    /// All that has to hold: what is known, the goal, assumptions, and nothing found before.
    fn conditions(&mut self) -> Vec<Term> {
        let length = self.length;
        if !self.goals.contains_key(&length) {
            let goal = goal_term(&mut self.world, &self.goal, length);
            self.goals.insert(length, goal);
        }
        let wanted = self.goals[&length].0;
        let mut all = vec![wanted];
        for n in 0..self.blocked.len() {
            all.push(self.not_blocked(n));
        }
        all.push(self.world.known);
        if self.framed {
            let frames = self.world.frames.iter();
            let kept = frames.filter(|(key, _)| !self.refuted.contains(key));
            all.extend(kept.map(|(_, literal)| *literal));
        }
        all
    }

    fn not_blocked(&mut self, n: usize) -> Term {
        let length = self.length;
        let blocked = match &self.blocked[n] {
            Blocked::State(state) => {
                let mut same = vec![];
                for (object, query, value) in state.clone() {
                    let asked = vec![self.world.object(object)];
                    let Ok((answer, _)) = self.world.ask(query, asked, length) else { continue };
                    let Some(known) = self.world.written(&value) else { continue };
                    same.extend(self.world.terms.same(&answer, &known));
                }
                self.world.settle();
                self.world.terms.all(&same)
            }
            Blocked::Calls(calls, _) if calls.len() != length => self.world.terms.truth(false),
            Blocked::Calls(calls, goal) => {
                let (calls, goal) = (calls.clone(), goal.clone());
                let made = self.made_so(&calls);
                let operands = self.goals[&length].1.clone();
                let given = self.given_so(&operands, &goal);
                self.world.terms.and(made, given)
            }
        };
        self.world.terms.not(blocked)
    }

    /// Whether exactly these calls are the first.
    fn made_so(&mut self, calls: &[Call]) -> Term {
        let mut all = vec![];
        for (n, call) in calls.iter().enumerate() {
            let found = self.world.steps[n].actions.iter().find(|action| {
                let like = action.operands.iter().zip(&call.arguments).all(|pair| match pair {
                    (Operand::Object(a), Argument::Object(b)) => a == b,
                    (Operand::Value(_), Argument::Value(_)) => true,
                    _ => false,
                });
                action.function == call.function && action.makes == call.makes && like
            });
            let Some(action) = found else { return self.world.terms.truth(false) };
            let (guard, operands) = (action.guard, action.operands.clone());
            all.push(guard);
            all.push(self.given_so(&operands, &call.arguments));
        }
        self.world.terms.all(&all)
    }

    fn given_so(&mut self, operands: &[Operand], arguments: &[Argument]) -> Term {
        let mut all = vec![];
        for pair in operands.iter().zip(arguments) {
            if let (Operand::Value(value), Argument::Value(given)) = pair
                && let Some(known) = self.world.written(given)
            {
                all.extend(self.world.terms.same(value, &known));
            }
        }
        self.world.terms.all(&all)
    }

    /// Reads the calls off a model, with arguments as plain as they can be, and predicts.
    fn found(&mut self, model: Assignment) -> Found {
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
        let used = self.world.frames.keys().filter(|key| made.contains(&key.0));
        used.filter(|key| !self.refuted.contains(key)).copied().collect()
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
        wishes.truncate(MAX_WISHES);
        let together = [fixed.as_slice(), &wishes].concat();
        if let Answer::Sat(better) = self.solver.check(&self.world.terms.pool, &together) {
            *fixed = together;
            return better;
        }
        for wish in wishes {
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

    /// What all queries without arguments answer after each of these calls.
    fn predict(&mut self, made: &[Term]) -> Vec<Prediction> {
        let mut asked: Vec<Asked> = self.asked_with_arguments();
        let system = self.world.system;
        for after in 0..=self.length {
            for slot in 0..self.world.slots.len() {
                for query in system.virtual_state(self.world.slots[slot]) {
                    if system.functions[query].params.len() != 1 {
                        continue;
                    }
                    let object = vec![self.world.object(slot)];
                    if let Ok((value, _)) = self.world.ask(query, object, after)
                        && !matches!(value, Value::Object(_) | Value::Opaque(_))
                    {
                        asked.push(Asked { after, object: slot, query, args: vec![], value });
                    }
                }
            }
        }
        self.world.settle();
        let mut fixed = self.conditions();
        fixed.extend_from_slice(made);
        let mut model = self.solver.check(&self.world.terms.pool, &fixed);
        if self.framed && model == Answer::Unsat {
            // Assumptions about queries that the goal does not speak of contradict contracts.
            self.framed = false;
            fixed = self.conditions();
            fixed.extend_from_slice(made);
            model = self.solver.check(&self.world.terms.pool, &fixed);
            self.framed = true;
        }
        let Answer::Sat(model) = model else { return vec![] };
        let (mut predictions, mut values) = (vec![], vec![]);
        for Asked { after, object, query, args, value } in asked {
            let alive = self.world.alive[after][object];
            let pool = &self.world.terms.pool;
            let evaluator = Evaluator::new(pool, &model);
            let mut reading = Reading { pool, evaluator, system };
            let there = reading.evaluator.value(alive) == 1;
            let args: Vec<Concrete> = args.iter().map(|arg| reading.value(arg)).collect();
            let known = reading.value(&value);
            let again = predictions.iter().any(|it: &Prediction| {
                (it.after, it.object, it.query) == (after, object, query) && it.args == args
            });
            if !there || again || !args.iter().all(Concrete::is_known) {
                continue;
            }
            let known = Some(known).filter(Concrete::is_known);
            let sureness = Sureness::Open;
            predictions.push(Prediction { after, object, query, args, value: known, sureness });
            values.push(value);
        }
        self.tell_sure(&mut predictions, &values, &fixed, made);
        predictions
    }

    /// Which predictions are more than one possibility among others: with assumptions, and
    /// without.
    fn tell_sure(
        &mut self,
        predictions: &mut [Prediction],
        values: &[Value],
        fixed: &[Term],
        made: &[Term],
    ) {
        let mut same = vec![];
        for (prediction, value) in predictions.iter().zip(values) {
            let known = prediction.value.as_ref();
            let written = known.and_then(|known| self.world.written(known));
            let written = written.filter(|_| !matches!(value, Value::Float(_)));
            same.push(written.and_then(|written| self.world.terms.same(value, &written)));
        }
        let settled = self.settled(fixed, &same);
        let only: Vec<Option<Term>> =
            same.iter().zip(&settled).map(|(same, sure)| same.filter(|_| *sure)).collect();
        let bare = [made, &[self.world.known]].concat();
        let follows = self.settled(&bare, &only);
        for (n, prediction) in predictions.iter_mut().enumerate() {
            prediction.sureness = match (settled[n], follows[n]) {
                (true, true) => Sureness::Follows,
                (true, false) => Sureness::Assumed,
                (false, _) => Sureness::Open,
            };
            if prediction.sureness == Sureness::Open {
                prediction.value = None;
            }
        }
    }

    /// Which of these hold wherever the conditions do. Each model in which some do not takes
    /// all of those away at once.
    fn settled(&mut self, conditions: &[Term], terms: &[Option<Term>]) -> Vec<bool> {
        let mut settled: Vec<bool> = terms.iter().map(Option::is_some).collect();
        loop {
            let mut others = vec![];
            for (term, sure) in terms.iter().zip(&settled) {
                if let (Some(term), true) = (term, *sure) {
                    others.push(self.world.terms.not(*term));
                }
            }
            let some_other = self.world.terms.any(&others);
            let asked = [conditions, &[some_other]].concat();
            match self.solver.check(&self.world.terms.pool, &asked) {
                Answer::Unsat => return settled,
                Answer::Unknown(_) => return vec![false; terms.len()],
                Answer::Sat(model) => {
                    let mut evaluator = Evaluator::new(&self.world.terms.pool, &model);
                    for (term, sure) in terms.iter().zip(&mut settled) {
                        *sure &= term.is_some_and(|term| evaluator.value(term) == 1);
                    }
                }
            }
        }
    }

    /// The answers in the end that objects were asked for with values.
    fn asked_with_arguments(&self) -> Vec<Asked> {
        let plain = |value: &Value| !matches!(value, Value::Object(_) | Value::Opaque(_));
        let fits = |answer: &&crate::world::Answer| {
            answer.moment == self.length
                && answer.object.as_ref().is_some_and(|object| object.path.is_empty())
                && !answer.args.is_empty()
                && answer.args.iter().all(plain)
                && plain(&answer.value)
        };
        let asked = |answer: &crate::world::Answer| Asked {
            after: answer.moment,
            object: answer.object.as_ref().map_or(0, |object| object.slot),
            query: answer.function,
            args: answer.args.clone(),
            value: answer.value.clone(),
        };
        self.world.answers.iter().filter(fits).map(asked).take(MAX_ASKED).collect()
    }
}

impl Operand {
    fn value(&self) -> Option<Value> {
        match self {
            Operand::Value(value) => Some(value.clone()),
            Operand::Object(_) => None,
        }
    }
}

fn objects_of(goal: &Goal) -> impl Iterator<Item = TypeId> + '_ {
    goal.params.iter().filter_map(|param| match param.sort {
        Sort::Object(ty) => Some(ty),
        _ => None,
    })
}

/// The objects that matter (definition 8): those of the goal, then one of each type that
/// making or changing them takes. Where a type can be made of values alone, what else makes
/// it is no reason for more objects.
fn objects(system: &System, goal: &Goal) -> Vec<TypeId> {
    let mut objects: Vec<TypeId> = objects_of(goal).collect();
    let own = objects.len();
    let most = own.max(MAX_OBJECTS);
    let mut n = 0;
    while n < objects.len() {
        let ty = objects[n];
        n += 1;
        for needed in needed_for(system, ty) {
            if !objects[own..].contains(&needed) && objects.len() < most {
                objects.push(needed);
            }
        }
    }
    objects
}

/// The types of objects that functions take which make or change one of this type.
fn needed_for(system: &System, ty: TypeId) -> BTreeSet<TypeId> {
    let taken = |id: &FnId| {
        let params = &system.functions[*id].params;
        let sorts = params.iter().map(|param| &param.sort);
        sorts.filter_map(|sort| match sort {
            Sort::Object(ty) => Some(*ty),
            _ => None,
        })
    };
    let makers = system.makers(ty);
    let is_plain =
        |id: &FnId| system.functions[*id].params.iter().all(|param| param.sort.is_plain(system));
    let mut needed = BTreeSet::new();
    if !makers.iter().any(is_plain) {
        needed.extend(makers.iter().flat_map(taken));
    }
    for changer in system.changers(ty) {
        let function = &system.functions[changer];
        let is_own = function.is_method()
            && function.params[0].sort == Sort::Object(ty)
            && function.params[0].mode == Mode::Exclusive;
        if is_own {
            needed.extend(taken(&changer).skip(1));
        }
    }
    needed
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

impl World<'_> {
    /// What makes a value plain to read, as conditions.
    fn wishes(&mut self, value: &Value, wishes: &mut Vec<Term>) {
        match value {
            Value::Int { term, signed } => {
                let width = self.terms.pool.width(*term);
                let (zero, most) = (self.terms.number(width, 0), self.terms.number(width, SMALL));
                let small = self.terms.at_most(*term, most, *signed);
                let positive = self.terms.at_most(zero, *term, *signed);
                wishes.push(self.terms.and(small, positive));
            }
            Value::Text { len, chars } => {
                let most = self.terms.wide(8);
                wishes.push(self.terms.at_most(*len, most, false));
                let (low, high) = (
                    self.terms.number(CHAR, i128::from(u32::from('a'))),
                    self.terms.number(CHAR, i128::from(u32::from('z'))),
                );
                let none = self.terms.number(CHAR, 0);
                let mut all = vec![];
                for c in chars {
                    let (above, below) =
                        (self.terms.at_most(low, *c, false), self.terms.at_most(*c, high, false));
                    let letter = self.terms.and(above, below);
                    let unused = self.terms.equal(*c, none);
                    all.push(self.terms.or(letter, unused));
                }
                wishes.push(self.terms.all(&all));
            }
            Value::Char(c) => {
                let (low, high) = (self.terms.number(CHAR, 0x21), self.terms.number(CHAR, 0x7e));
                let (above, below) =
                    (self.terms.at_most(low, *c, false), self.terms.at_most(*c, high, false));
                wishes.push(self.terms.and(above, below));
            }
            Value::Float(term) => {
                let width = self.terms.pool.width(*term);
                let zero = self.terms.number(width, 0);
                wishes.push(self.terms.equal(*term, zero));
            }
            Value::Seq { items, .. } => {
                items.iter().for_each(|item| self.wishes(item, wishes));
            }
            Value::Tuple(parts) => parts.iter().for_each(|part| self.wishes(part, wishes)),
            Value::Option { value, .. } => self.wishes(value, wishes),
            _ => {}
        }
    }

    /// A value that is known, as terms; none where something in it is not.
    pub(crate) fn written(&mut self, concrete: &Concrete) -> Option<Value> {
        Some(match concrete {
            Concrete::Unit => Value::Unit,
            Concrete::Bool(value) => Value::Bool(self.terms.truth(*value)),
            Concrete::Int(number) => Value::Number(*number),
            Concrete::Char(c) => Value::Char(self.terms.number(CHAR, i128::from(u32::from(*c)))),
            Concrete::Float { bits, width } => Value::Float(self.terms.real(*bits, *width)),
            Concrete::Text(text) => self.terms.literal_text(text)?,
            Concrete::Seq(items) => {
                let items: Option<Vec<Value>> =
                    items.iter().map(|item| self.written(item)).collect();
                let items = items?;
                let len = self.terms.wide(items.len());
                Value::Seq { len, items, of: Sort::Opaque(String::new()) }
            }
            Concrete::Option(inner) => Value::Option {
                some: self.terms.truth(inner.is_some()),
                value: Box::new(match inner {
                    Some(inner) => self.written(inner)?,
                    None => Value::Opaque(String::new()),
                }),
            },
            Concrete::Result(result) => {
                let nothing = || Box::new(Value::Opaque(String::new()));
                let (ok, value, error) = match result {
                    Ok(value) => (true, Box::new(self.written(value)?), nothing()),
                    Err(error) => (false, nothing(), Box::new(self.written(error)?)),
                };
                Value::Result { ok: self.terms.truth(ok), value, error }
            }
            Concrete::Tuple(parts) => {
                let parts: Option<Vec<Value>> =
                    parts.iter().map(|part| self.written(part)).collect();
                Value::Tuple(parts?)
            }
            Concrete::Enum { ty, number, fields, .. } => {
                let system = self.system;
                let count = system.types[*ty].variants.as_deref().unwrap_or_default().len();
                let mut all = vec![vec![]; count];
                let own: Option<Vec<Value>> =
                    fields.iter().map(|(_, field)| self.written(field)).collect();
                *all.get_mut(*number)? = own?;
                let tag = self.terms.number(16, *number as i128);
                Value::Enum { ty: *ty, tag, fields: all }
            }
            Concrete::Opaque => return None,
        })
    }
}
