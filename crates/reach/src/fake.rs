//! An object that nobody has written: its answers are whatever its contracts allow.
//!
//! Its state is what its queries are known to answer. A query without arguments is decided
//! from the beginning and after every call, so that one question never spoils the next; one
//! with arguments when it is first asked. A call relates the state before to the one after
//! by its contract; what the contract does not speak of stays as it was where it can.
//! Nothing is run here and nothing is recorded: that is for whoever wears the fake.

use crate::chance::Choices;
use crate::concrete::{Concrete, Reading};
use crate::goal::Goal;
use crate::room::Room;
use crate::system::{Clause, FnId, Sort, System, TypeId};
use crate::translate::Scope;
use crate::value::Value;
use crate::world::{Free, World};
use std::collections::BTreeMap;
use std::fmt;
use testsmith_solver::term::{Assignment, Evaluator, Term};
use testsmith_solver::{Answer, Blaster, Solver};

/// What an object is known to answer: queries with their arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    known: BTreeMap<(FnId, Vec<Concrete>), Concrete>,
}

impl State {
    /// Every query with its arguments, and the answer.
    pub fn answers(&self) -> impl Iterator<Item = (FnId, &[Concrete], &Concrete)> {
        self.known.iter().map(|((query, args), answer)| (*query, args.as_slice(), answer))
    }
}

/// Why a fake has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The caller may not call this now.
    Precondition { of: String, clause: String },
    /// No state satisfies the condition together with the contracts.
    Contradictory { of: String, clause: String },
    /// No state satisfies the contracts of the queries.
    NoState { of: String },
    /// Nothing that could be answered now obeys the contract.
    NoAnswer { of: String, clauses: Vec<String> },
    /// A clause that is not understood, or not with these arguments.
    Free(Free),
    /// A query is asked with a text that is not followed.
    Beyond { of: String, text: String },
    /// The solver did not decide.
    Unknown { of: String, why: String },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Precondition { of, clause } => {
                write!(f, "{of} may not be called now: its precondition `{clause}` does not hold")
            }
            Refused::Contradictory { of, clause } => {
                write!(f, "no state of {of} that its contracts allow satisfies `{clause}`")
            }
            Refused::NoState { of } => {
                write!(f, "the contracts of the queries of {of} contradict each other")
            }
            Refused::NoAnswer { of, clauses } => {
                let clauses: Vec<String> = clauses.iter().map(|it| format!("`{it}`")).collect();
                write!(f, "nothing that {of} could do now obeys its contract")?;
                match clauses.is_empty() {
                    true => Ok(()),
                    false => write!(f, ": {}", clauses.join(", ")),
                }
            }
            Refused::Free(Free { of, clause, why }) => {
                write!(f, "a fake cannot keep `{clause}` of {of}: {why}")
            }
            Refused::Beyond { of, text } => {
                write!(f, "{of} is asked with {text}, which a fake cannot follow")
            }
            Refused::Unknown { of, why } => write!(f, "no answer was found for {of}: {why}"),
        }
    }
}

impl std::error::Error for Refused {}

/// Answers for objects of one type.
#[derive(Clone, Copy, Debug)]
pub struct Fake<'s> {
    system: &'s System,
    ty: TypeId,
}

impl<'s> Fake<'s> {
    pub fn new(system: &'s System, ty: TypeId) -> Fake<'s> {
        Fake { system, ty }
    }

    /// What a fake could not keep, because it is not understood.
    pub fn untranslated(&self) -> Vec<Free> {
        let mut free = vec![];
        let own = |id: &FnId| self.system.functions[*id].owner == Some(self.ty);
        for id in (0..self.system.functions.len()).filter(own) {
            let function = &self.system.functions[id];
            let mut asking = self.asking(&State::default(), &[]);
            let world = &mut asking.world;
            let params = function.params.iter().skip(1);
            let given: Vec<Value> = params.map(|param| world.any(&param.sort, false)).collect();
            if function.is_query() {
                asking.ask(id, given, 0);
            } else {
                asking.world.add_call(id, given);
            }
            let hidden = asking.world.answers.iter().filter(|answer| !answer.derived);
            let hidden = hidden.filter_map(|answer| {
                let asked = &self.system.functions[answer.function];
                let why = "what its body answers is not understood".to_owned();
                let clause = asked.body.clone()?;
                Some(Free { of: asked.path(self.system), clause, why })
            });
            free.extend(hidden);
            free.extend(asking.world.free);
        }
        free.sort();
        free.dedup();
        free
    }

    /// A state in which the conditions hold; bare names in them are queries.
    pub fn begin(&self, conditions: &[Clause], choices: &mut Choices) -> Result<State, Refused> {
        let of = || self.system.types[self.ty].name.clone();
        let mut asking = self.asking(&State::default(), &[]);
        let names = [("self".to_owned(), asking.world.object(0))].into();
        let scope = Scope { names, now: 0, old: 0, of_self: true };
        let mut wanted = vec![];
        for clause in conditions {
            wanted.push((asking.world.clause(clause, &of(), &scope), clause));
        }
        asking.world.settle();
        asking.refuse_free()?;
        let hard = asking.hard.clone();
        asking.hard.extend(wanted.iter().map(|(term, _)| *term));
        let wishes = asking.chances(|_| true, choices);
        if let Some(model) = asking.decide(&wishes, &of())? {
            return Ok(asking.state(&model, 0));
        }
        asking.hard = hard;
        for (term, clause) in wanted {
            if asking.decide(&[], &of())?.is_none() {
                break;
            }
            asking.hard.push(term);
            if asking.decide(&[], &of())?.is_none() {
                return Err(Refused::Contradictory { of: of(), clause: clause.text.clone() });
            }
        }
        Err(Refused::NoState { of: of() })
    }

    /// What a query answers; the same as before if it was asked before.
    pub fn ask(
        &self,
        state: &mut State,
        query: FnId,
        args: &[Concrete],
        choices: &mut Choices,
    ) -> Result<Concrete, Refused> {
        let key = (query, args.to_vec());
        if let Some(answer) = state.known.get(&key) {
            return Ok(answer.clone());
        }
        let function = &self.system.functions[query];
        let of = function.path(self.system);
        let mut asking = self.asking(state, args);
        let pinned = asking.world.answers.len();
        let given = asking.given(query, args);
        if let Some(n) = given.iter().position(|value| matches!(value, Value::Opaque(_))) {
            return Err(Refused::Beyond { of, text: args[n].to_string() });
        }
        let legal = asking.ask(query, given, 0).map(|(_, legal)| legal);
        asking.world.settle();
        asking.refuse_free()?;
        asking.hard.extend(legal);
        let wishes = asking.chances(|id| id >= pinned, choices);
        let Some(model) = asking.decide(&wishes, &of)? else {
            return Err(self.why_not(state, query, args));
        };
        *state = asking.state(&model, 0);
        let answer = state.known.get(&key).cloned();
        answer.ok_or_else(|| Refused::Unknown { of, why: "it is not told".to_owned() })
    }

    /// Makes a call: the state becomes the one after it.
    pub fn call(
        &self,
        state: &mut State,
        function: FnId,
        args: &[Concrete],
        choices: &mut Choices,
    ) -> Result<Concrete, Refused> {
        let of = self.system.functions[function].path(self.system);
        let mut asking = self.asking(state, args);
        let given = asking.given(function, args);
        let answer = asking.world.add_call(function, given);
        asking.ask_all(1);
        // What was answered with arguments is asked again, so that it stays or is changed.
        for (query, args) in state.known.keys().filter(|(_, args)| !args.is_empty()) {
            let given = asking.given(*query, args);
            asking.ask(*query, given, 1);
        }
        asking.world.settle();
        asking.refuse_free()?;
        let frames = asking.world.frames.values().map(|frame| frame.literal);
        let mut wishes: Vec<Term> = frames.collect();
        asking.world.fit(&answer);
        asking.world.chance(&answer, choices, &mut wishes);
        // What the contract does not speak of stays as it is, and is not wished for.
        let mentions = asking.world.steps[0].actions[0].mentions.clone();
        wishes.extend(asking.chances(|id| mentions.contains_key(&id), choices));
        let Some(model) = asking.decide(&wishes, &of)? else {
            return Err(self.why_not(state, function, args));
        };
        *state = asking.state(&model, 1);
        Ok(asking.read(&model, &answer))
    }

    /// Whose fault it is that there is no answer.
    fn why_not(&self, state: &State, function: FnId, args: &[Concrete]) -> Refused {
        let known = &self.system.functions[function];
        let of = known.path(self.system);
        let mut asking = self.asking(state, args);
        let mut names: BTreeMap<String, Value> =
            [("self".to_owned(), asking.world.object(0))].into();
        let given = asking.given(function, args);
        names.extend(known.params.iter().skip(1).map(|it| it.name.clone()).zip(given));
        let scope = Scope { names, now: 0, old: 0, of_self: false };
        for clause in &known.requires {
            let holds = asking.world.clause(clause, &of, &scope);
            asking.world.settle();
            asking.hard.push(holds);
            if matches!(asking.decide(&[], &of), Ok(None)) {
                return Refused::Precondition { of, clause: clause.text.clone() };
            }
        }
        let clauses = known.ensures.iter().map(|clause| clause.text.clone()).collect();
        Refused::NoAnswer { of, clauses }
    }

    /// How much of texts the contracts speak of.
    fn room(&self) -> Room {
        let goal = Goal { of_self: true, ..Goal::default() };
        Room::asked_for(self.system, &goal, &[self.ty])
    }

    /// The object as it is known, with all queries without arguments asked.
    fn asking(&self, state: &State, args: &[Concrete]) -> Asking<'s> {
        let mut room = self.room();
        let known = state.known.iter().flat_map(|((_, args), answer)| args.iter().chain([answer]));
        // A list may grow by what is given, or by one.
        let given: usize = args.iter().map(|arg| arg.size().1).sum();
        for value in known.chain(args) {
            let (text, items, any_char) = value.size();
            room = room.with(text, items + given + 1, any_char);
        }
        let world = World::new(self.system, vec![self.ty], true, room);
        let solver = Blaster::keeping_circuits();
        let mut asking = Asking { world, hard: vec![], fitted: 0, solver };
        asking.ask_all(0);
        for ((query, args), answer) in &state.known {
            let given = asking.given(*query, args);
            let sort = self.system.functions[*query].ret.clone();
            let answer = asking.world.written_as(&sort, answer);
            let asked = asking.ask(*query, given, 0);
            if let (Some((value, _)), Some(answer)) = (asked, answer) {
                // Known for good, which is cheaper than to be given with every question.
                if let Some(same) = asking.world.terms.same(&value, &answer) {
                    asking.world.require(same);
                }
            }
        }
        asking
    }
}

/// One question to the solver.
struct Asking<'s> {
    world: World<'s>,
    /// What has to hold beside what is known of the world.
    hard: Vec<Term>,
    /// So many answers are known to be ones that can be given.
    fitted: usize,
    solver: Blaster,
}

impl Asking<'_> {
    /// Asks every query without arguments.
    fn ask_all(&mut self, moment: usize) {
        let system = self.world.system;
        for query in system.virtual_state(self.world.slots[0]) {
            if system.functions[query].params.len() == 1 {
                self.ask(query, vec![], moment);
            }
        }
    }

    fn ask(&mut self, query: FnId, given: Vec<Value>, moment: usize) -> Option<(Value, Term)> {
        let mut all = vec![self.world.object(0)];
        all.extend(given);
        self.world.ask(query, all, moment).ok()
    }

    /// Arguments as values of the parameters; unknown what cannot be followed.
    fn given(&mut self, function: FnId, args: &[Concrete]) -> Vec<Value> {
        let params = self.world.system.functions[function].params.iter().skip(1);
        let unknown = |arg: &Concrete| Value::Opaque(arg.to_string());
        params
            .zip(args)
            .map(|(param, arg)| {
                self.world.written_as(&param.sort, arg).unwrap_or_else(|| unknown(arg))
            })
            .collect()
    }

    fn refuse_free(&self) -> Result<(), Refused> {
        match self.world.free.iter().next() {
            Some(free) => Err(Refused::Free(free.clone())),
            None => Ok(()),
        }
    }

    /// Wishes for some of the answers. What follows from others is not worth one.
    fn chances(&mut self, of: impl Fn(usize) -> bool, choices: &mut Choices) -> Vec<Term> {
        let answers = self.world.answers.iter().enumerate();
        let own = answers.filter(|(id, it)| of(*id) && it.object.is_some() && !it.derived);
        let values: Vec<Value> = own.map(|(_, answer)| answer.value.clone()).collect();
        let mut wishes = vec![];
        values.iter().for_each(|value| self.world.chance(value, choices, &mut wishes));
        wishes
    }

    /// A model of what has to hold, and of as many wishes as can be had, the first before
    /// the others; none if there is no model at all.
    fn decide(&mut self, wishes: &[Term], of: &str) -> Result<Option<Assignment>, Refused> {
        self.fit_answers();
        let mut fixed = self.hard.clone();
        self.solver.assert_all(&self.world.facts);
        let mut model = None;
        self.accept(&mut fixed, wishes, &mut model);
        if model.is_some() {
            return Ok(model);
        }
        match self.solver.check(&self.world.terms.pool, &fixed) {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(why) => Err(Refused::Unknown { of: of.to_owned(), why }),
        }
    }

    /// What is answered can be told, whatever was asked meanwhile.
    fn fit_answers(&mut self) {
        let new = self.world.answers[self.fitted..].iter();
        let values: Vec<Value> = new.map(|answer| answer.value.clone()).collect();
        self.fitted = self.world.answers.len();
        values.iter().for_each(|value| self.world.fit(value));
    }

    /// All wishes at once, or half by half.
    fn accept(&mut self, fixed: &mut Vec<Term>, wishes: &[Term], model: &mut Option<Assignment>) {
        let all = [fixed.as_slice(), wishes].concat();
        if let Answer::Sat(better) = self.solver.check(&self.world.terms.pool, &all) {
            (*fixed, *model) = (all, Some(better));
        } else if wishes.len() > 1 {
            let (first, rest) = wishes.split_at(wishes.len() / 2);
            self.accept(fixed, first, model);
            self.accept(fixed, rest, model);
        }
    }

    fn read(&self, model: &Assignment, value: &Value) -> Concrete {
        let pool = &self.world.terms.pool;
        let evaluator = Evaluator::new(pool, model);
        Reading { pool, evaluator, system: self.world.system }.value(value)
    }

    /// What was asked at a moment and may be asked then.
    fn state(&self, model: &Assignment, moment: usize) -> State {
        let pool = &self.world.terms.pool;
        let evaluator = Evaluator::new(pool, model);
        let mut reading = Reading { pool, evaluator, system: self.world.system };
        let mut state = State::default();
        for answer in &self.world.answers {
            let own = answer.moment == moment && answer.object.is_some();
            if !own || reading.evaluator.value(answer.legal) == 0 {
                continue;
            }
            let args: Vec<Concrete> = answer.args.iter().map(|arg| reading.value(arg)).collect();
            let value = reading.value(&answer.value);
            if value.is_known() && args.iter().all(Concrete::is_known) {
                state.known.insert((answer.function, args), value);
            }
        }
        state
    }
}

impl World<'_> {
    /// What has to hold so that an answer can be told and stays what it is: no list is longer
    /// than what is followed of it, and a number is equal to itself and has one zero.
    fn fit(&mut self, value: &Value) {
        match value {
            Value::Seq { len, items, .. } => {
                let most = self.terms.wide(items.len());
                let fits = self.terms.at_most(*len, most, false);
                self.require(fits);
                items.iter().for_each(|item| self.fit(item));
            }
            Value::Float(term) => {
                let itself = self.terms.float_equal(*term, *term);
                let width = self.terms.pool.width(*term);
                let minus = self.terms.real((-0.0_f64).to_bits(), width);
                let same = self.terms.equal(*term, minus);
                let other = self.terms.not(same);
                self.require(itself);
                self.require(other);
            }
            Value::Option { value, .. } => self.fit(value),
            Value::Result { value, error, .. } => {
                self.fit(value);
                self.fit(error);
            }
            Value::Tuple(parts) => parts.iter().for_each(|part| self.fit(part)),
            Value::Enum { fields, .. } => {
                fields.iter().flatten().for_each(|field| self.fit(field));
            }
            _ => {}
        }
    }

    /// A known value of a sort; none where it is not followed.
    fn written_as(&mut self, sort: &Sort, concrete: &Concrete) -> Option<Value> {
        let system = self.system;
        Some(match (sort, concrete) {
            (Sort::Int { width, signed }, Concrete::Int(number)) => {
                Value::Int { term: self.terms.number(*width, *number), signed: *signed }
            }
            (Sort::Option(of), Concrete::Option(inner)) => Value::Option {
                some: self.terms.truth(inner.is_some()),
                value: Box::new(match inner {
                    Some(inner) => self.written_as(of, inner)?,
                    None => self.any(of, false),
                }),
            },
            (Sort::Result(of, or), Concrete::Result(result)) => {
                let (value, error) = match result {
                    Ok(value) => (self.written_as(of, value)?, self.any(or, false)),
                    Err(error) => (self.any(of, false), self.written_as(or, error)?),
                };
                let ok = self.terms.truth(result.is_ok());
                Value::Result { ok, value: Box::new(value), error: Box::new(error) }
            }
            (Sort::Tuple(sorts), Concrete::Tuple(parts)) => {
                let parts: Option<Vec<Value>> = sorts
                    .iter()
                    .zip(parts)
                    .map(|(sort, part)| self.written_as(sort, part))
                    .collect();
                Value::Tuple(parts?)
            }
            (Sort::Seq(of), Concrete::Seq(items)) => {
                let items: Option<Vec<Value>> =
                    items.iter().map(|item| self.written_as(of, item)).collect();
                let items = items?;
                let len = self.terms.wide(items.len());
                Value::Seq { len, items, of: (**of).clone() }
            }
            (Sort::Enum(ty), Concrete::Enum { number, fields, .. }) => {
                let variant = system.types[*ty].variants.as_ref()?.get(*number)?;
                let sorts = variant.fields.iter().map(|(_, sort)| sort);
                let fields: Option<Vec<Value>> = sorts
                    .zip(fields)
                    .map(|(sort, (_, field))| self.written_as(sort, field))
                    .collect();
                self.variant_value(*ty, *number, fields?)
            }
            (_, concrete) => self.written(concrete)?,
        })
    }
}
