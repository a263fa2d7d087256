//! Objects, moments and calls between them, as terms.
//!
//! The state of an object at a moment is what its queries answer then. Answers are made when
//! a clause asks for them (definition 12): one for each query and arguments, equal arguments
//! giving equal answers, and what the query's own contract says of the answer is known from
//! then on (definitions 13 and 14). Between two moments stands one call: a number chooses it
//! among all that could be made (definition 9), and its contract relates the answers before
//! to those after. What a contract does not speak of stays as it was in what is not touched;
//! in what is, that is an assumption with a literal of its own.

use crate::framing;
use crate::system::{Clause, FnId, Mode, Sort, System, TypeId, Wrap};
use crate::terms::Terms;
use crate::translate::{Scope, Why};
use crate::value::{Object, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use testsmith_solver::term::Term;

/// How far contracts of queries are followed that ask further queries.
pub const MAX_CHAIN: usize = 8;
/// Answers of one world; what is asked beyond is not known.
const MAX_ANSWERS: usize = 20_000;
/// Calls that stand for choice at one step.
const MAX_ACTIONS: usize = 400;

/// A clause, or a part of it, that means nothing to the search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Free {
    /// The function or type that it stands on.
    pub of: String,
    pub clause: String,
    pub why: String,
}

/// What a query answers at a moment.
pub(crate) struct Answer {
    /// What is asked; none for a function of values only.
    pub(crate) object: Option<Object>,
    pub(crate) function: FnId,
    pub(crate) args: Vec<Value>,
    pub(crate) moment: usize,
    pub(crate) value: Value,
    /// Whether it may be asked.
    pub(crate) legal: Term,
    /// The answers that its contract speaks of.
    pub(crate) reaches: Vec<usize>,
    /// Whether its contract says what it is, given others.
    pub(crate) derived: bool,
    is_cyclic: bool,
}

/// What is given to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Object(usize),
    Value(Value),
}

/// A call that may be made at a step.
pub(crate) struct Action {
    pub(crate) function: FnId,
    pub(crate) operands: Vec<Operand>,
    /// The object that it makes.
    pub(crate) makes: Option<usize>,
    pub(crate) guard: Term,
    /// The answers after it that its contract speaks of, directly or not.
    pub(crate) mentions: BTreeSet<usize>,
}

pub(crate) struct Step {
    pub(crate) actions: Vec<Action>,
    pub(crate) choice: Term,
}

/// An assumption about what is made; whether it is kept is decided once.
pub(crate) struct Default_ {
    pub(crate) literal: Term,
    pub(crate) holds: Option<bool>,
}

pub(crate) struct World<'s> {
    pub(crate) system: &'s System,
    pub(crate) terms: Terms,
    /// The types of the objects.
    pub(crate) slots: Vec<TypeId>,
    /// By moment and object.
    pub(crate) alive: Vec<Vec<Term>>,
    pub(crate) steps: Vec<Step>,
    pub(crate) answers: Vec<Answer>,
    index: HashMap<(Option<Object>, FnId, usize), Vec<usize>>,
    unlinked: Vec<usize>,
    /// All that holds in any case.
    pub(crate) known: Term,
    /// By the call and the query that it is assumed to leave alone.
    pub(crate) frames: BTreeMap<(FnId, FnId), Term>,
    /// By the call that makes an object, and the query (with the queries that lead to what is
    /// asked) that is assumed to answer zero, empty or none.
    pub(crate) defaults: BTreeMap<(FnId, FnId, Vec<FnId>), Default_>,
    pub(crate) free: BTreeSet<Free>,
    context: (String, String),
    chain: Vec<usize>,
    recorded: Option<BTreeSet<usize>>,
    invariants: HashSet<(Object, usize)>,
    parsed: HashMap<String, Result<syn::Expr, String>>,
    /// Whether a chain of contracts was longer than is followed.
    pub(crate) was_cut: bool,
}

impl<'s> World<'s> {
    /// Objects of these types at the first moment: all of them there, or none.
    pub(crate) fn new(system: &'s System, slots: Vec<TypeId>, there: bool) -> World<'s> {
        let mut terms = Terms::default();
        let known = terms.truth(true);
        let alive = vec![vec![terms.truth(there); slots.len()]];
        World {
            system,
            terms,
            slots,
            alive,
            steps: vec![],
            answers: vec![],
            index: HashMap::new(),
            unlinked: vec![],
            known,
            frames: BTreeMap::new(),
            defaults: BTreeMap::new(),
            free: BTreeSet::new(),
            context: Default::default(),
            chain: vec![],
            recorded: None,
            invariants: HashSet::new(),
            parsed: HashMap::new(),
            was_cut: false,
        }
    }

    /// Holds from now on.
    pub(crate) fn require(&mut self, condition: Term) {
        self.known = self.terms.and(self.known, condition);
    }

    pub(crate) fn note_free(&mut self, why: Why) {
        let (of, clause) = self.context.clone();
        self.free.insert(Free { of, clause, why });
    }

    /// The object of a slot.
    pub(crate) fn object(&self, slot: usize) -> Value {
        Value::Object(Object { slot, ty: self.slots[slot], path: vec![] })
    }

    /// What a query answers, and whether it may be asked. The receiver of a method is the
    /// first argument.
    pub(crate) fn ask(
        &mut self,
        function: FnId,
        mut args: Vec<Value>,
        moment: usize,
    ) -> Result<(Value, Term), Why> {
        let known = &self.system.functions[function];
        if args.iter().any(|arg| matches!(arg, Value::Opaque(_))) {
            return Err(format!("`{}` is asked with what is not known", known.name));
        }
        let object = match args.first() {
            Some(Value::Object(object)) if known.is_method() => Some(object.clone()),
            _ => None,
        };
        if object.is_some() {
            args.remove(0);
        }
        // What is asked of values alone does not depend on the time.
        let is_timed = object.is_some() || args.iter().any(|arg| matches!(arg, Value::Object(_)));
        let moment = if is_timed { moment } else { 0 };
        let key = (object.clone(), function, moment);
        let same = self.index.get(&key).into_iter().flatten();
        let existing = same.copied().find(|id| self.answers[*id].args == args);
        let id = match existing {
            Some(id) => id,
            None => self.new_answer(key, args)?,
        };
        if let Some(top) = self.chain.last().copied() {
            let is_cyclic = self.chain.contains(&id);
            let above = &mut self.answers[top];
            above.reaches.push(id);
            above.is_cyclic |= is_cyclic;
        } else if let Some(recorded) = &mut self.recorded {
            recorded.insert(id);
        }
        let answer = &self.answers[id];
        Ok((answer.value.clone(), answer.legal))
    }

    fn new_answer(
        &mut self,
        key: (Option<Object>, FnId, usize),
        args: Vec<Value>,
    ) -> Result<usize, Why> {
        if self.answers.len() >= MAX_ANSWERS {
            return Err("more is asked than a search keeps".to_owned());
        }
        let (object, function, moment) = key.clone();
        let sort = self.system.functions[function].ret.clone();
        let value = match (&sort, &object) {
            (Sort::Object(ty), Some(object)) => {
                let mut path = object.path.clone();
                path.push((function, args.clone()));
                Value::Object(Object { slot: object.slot, ty: *ty, path })
            }
            (sort, _) => self.any(sort, false),
        };
        let legal = self.terms.truth(true);
        let id = self.answers.len();
        let others = self.index.entry(key).or_default();
        let others_before = others.clone();
        others.push(id);
        self.answers.push(Answer {
            object: object.clone(),
            function,
            args,
            moment,
            value,
            legal,
            reaches: vec![],
            derived: false,
            is_cyclic: false,
        });
        for other in others_before {
            self.congruent(id, other);
        }
        self.unlinked.push(id);
        if let Some(object) = object {
            self.know_invariants(&object, moment);
        }
        self.chain_contract(id);
        Ok(id)
    }

    /// Equal arguments, equal answers.
    fn congruent(&mut self, a: usize, b: usize) {
        let (x, y) = (self.answers[a].args.clone(), self.answers[b].args.clone());
        let Some(equal) = self.same_arguments(&x, &y) else { return };
        let (a, b) = (self.answers[a].value.clone(), self.answers[b].value.clone());
        if let Some(same) = self.terms.same(&a, &b) {
            let holds = self.terms.implies(equal, same);
            self.require(holds);
        }
    }

    fn same_arguments(&mut self, a: &[Value], b: &[Value]) -> Option<Term> {
        let mut all = vec![];
        for (x, y) in a.iter().zip(b) {
            all.push(match (x, y) {
                (Value::Object(x), Value::Object(y)) => self.terms.truth(x == y),
                (x, y) => self.terms.same(x, y)?,
            });
        }
        Some(self.terms.all(&all))
    }

    /// Makes the contract of a query known for one answer of it (definition 13), and with it
    /// the contracts of the queries that it speaks of (definition 14).
    fn chain_contract(&mut self, id: usize) {
        if self.chain.len() >= MAX_CHAIN {
            self.was_cut = true;
            return;
        }
        let (function, moment) = (self.answers[id].function, self.answers[id].moment);
        let known = &self.system.functions[function];
        let object = self.answers[id].object.clone();
        let mut given: Vec<Value> = object.iter().cloned().map(Value::Object).collect();
        given.extend(self.answers[id].args.iter().cloned());
        let mut names: BTreeMap<String, Value> =
            known.params.iter().map(|param| param.name.clone()).zip(given.clone()).collect();
        names.insert("ret".to_owned(), self.answers[id].value.clone());
        let scope = Scope { names, now: moment, old: moment, of_self: false };
        let saved = self.context.clone();
        self.chain.push(id);
        let legal = self.all_of(&known.requires, &known.path(self.system), &scope);
        self.answers[id].legal = legal;
        let there = self.all_there(&given, moment);
        let when = self.terms.and(there, legal);
        for clause in &known.ensures {
            let free = self.free.len();
            let holds = self.clause(clause, &known.path(self.system), &scope);
            let holds = self.terms.implies(when, holds);
            self.require(holds);
            let defines = self.parse(&clause.text).is_ok_and(|expr| framing::defines_result(&expr));
            self.answers[id].derived |= defines && self.free.len() == free;
        }
        if let Some(body) = &known.body {
            self.unfold(id, body, when, &scope);
        }
        let answer = &mut self.answers[id];
        answer.derived &= !answer.is_cyclic;
        self.chain.pop();
        self.context = saved;
    }

    /// A body that is one expression says what the answer is.
    fn unfold(&mut self, id: usize, body: &str, when: Term, scope: &Scope) {
        let Ok(expr) = self.parse(body) else { return };
        let Ok(out) = self.expression(&expr, scope) else { return };
        let value = self.answers[id].value.clone();
        if let Some(same) = self.terms.same(&value, &out.value) {
            let holds = self.terms.and(same, out.ok);
            let holds = self.terms.implies(when, holds);
            self.require(holds);
            self.answers[id].derived = true;
        }
    }

    fn all_there(&mut self, values: &[Value], moment: usize) -> Term {
        let slots: Vec<usize> = values.iter().filter_map(slot_of).collect();
        let there: Vec<Term> = slots.iter().map(|slot| self.alive[moment][*slot]).collect();
        self.terms.all(&there)
    }

    fn know_invariants(&mut self, object: &Object, moment: usize) {
        if !self.invariants.insert((object.clone(), moment)) {
            return;
        }
        let ty = &self.system.types[object.ty];
        let names = [("self".to_owned(), Value::Object(object.clone()))].into();
        let scope = Scope { names, now: moment, old: moment, of_self: false };
        let (saved, chain) = (self.context.clone(), std::mem::take(&mut self.chain));
        let recorded = self.recorded.take();
        let holds = self.all_of(&ty.invariants, &ty.name, &scope);
        let holds = self.terms.implies(self.alive[moment][object.slot], holds);
        self.require(holds);
        (self.context, self.chain, self.recorded) = (saved, chain, recorded);
    }

    /// Whether all clauses are met.
    pub(crate) fn all_of(&mut self, clauses: &[Clause], of: &str, scope: &Scope) -> Term {
        let all: Vec<Term> = clauses.iter().map(|clause| self.clause(clause, of, scope)).collect();
        self.terms.all(&all)
    }

    /// Whether a clause is met: it has a value, and that is true.
    pub(crate) fn clause(&mut self, clause: &Clause, of: &str, scope: &Scope) -> Term {
        self.context = (of.to_owned(), clause.text.clone());
        let expr = match self.parse(&clause.text) {
            Ok(expr) => expr,
            Err(why) => {
                self.note_free(why);
                return self.terms.fresh(1);
            }
        };
        // `|ret| ..` is another way to name the result.
        let (value, ok) = match (&expr, scope.names.get("ret").cloned()) {
            (syn::Expr::Closure(closure), Some(ret)) if closure.inputs.len() == 1 => {
                let mut inner = scope.clone();
                match self.pattern(&closure.inputs[0], &ret, &mut inner) {
                    Ok(_) => self.condition(&closure.body, &inner),
                    Err(why) => {
                        self.note_free(why);
                        (self.terms.fresh(1), self.terms.truth(true))
                    }
                }
            }
            _ => self.condition(&expr, scope),
        };
        self.terms.and(value, ok)
    }

    pub(crate) fn parse(&mut self, text: &str) -> Result<syn::Expr, String> {
        if let Some(known) = self.parsed.get(text) {
            return known.clone();
        }
        let parsed = crate::parse::clause(text);
        self.parsed.insert(text.to_owned(), parsed.clone());
        parsed
    }

    /// Adds a step: every call that could be made, and what each would do.
    pub(crate) fn add_step(&mut self) {
        let here = self.steps.len();
        let choice = self.terms.fresh(16);
        let actions = self.actions(choice);
        let count = self.terms.number(16, actions.len() as i128);
        let is_one = self.terms.less(choice, count, false);
        self.require(is_one);
        let mut next = vec![];
        for slot in 0..self.slots.len() {
            let of = |wanted: &dyn Fn(&Action) -> bool| -> Vec<Term> {
                actions.iter().filter(|a| wanted(a)).map(|a| a.guard).collect()
            };
            let made = of(&|action| action.makes == Some(slot));
            let gone = of(&|action| self.consumes(action, slot));
            let (made, gone) = (self.terms.any(&made), self.terms.any(&gone));
            let no = self.terms.truth(false);
            let stays = self.terms.ite(gone, no, self.alive[here][slot]);
            next.push(self.terms.or(made, stays));
        }
        self.alive.push(next);
        self.steps.push(Step { actions, choice });
        for n in 0..self.steps[here].actions.len() {
            self.relate(here, n);
        }
        for n in 0..self.steps[here].actions.len() {
            let all = std::mem::take(&mut self.steps[here].actions[n].mentions);
            self.steps[here].actions[n].mentions = self.with_reached(all);
        }
        self.settle();
    }

    /// Answers and all that their contracts lead to at the same moment.
    fn with_reached(&self, mut all: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut open: Vec<usize> = all.iter().copied().collect();
        while let Some(id) = open.pop() {
            for next in &self.answers[id].reaches {
                if all.insert(*next) {
                    open.push(*next);
                }
            }
        }
        all
    }

    fn consumes(&self, action: &Action, slot: usize) -> bool {
        let function = &self.system.functions[action.function];
        let given = function.params.iter().zip(&action.operands);
        given
            .into_iter()
            .any(|(param, operand)| param.mode == Mode::Own && *operand == Operand::Object(slot))
    }

    /// Whether a call may change an object.
    pub(crate) fn changes(&self, action: &Action, slot: usize) -> bool {
        let function = &self.system.functions[action.function];
        let given = function.params.iter().zip(&action.operands);
        given.into_iter().any(|(param, operand)| {
            param.mode == Mode::Exclusive && *operand == Operand::Object(slot)
        })
    }

    /// Every function with every choice of objects for it.
    fn actions(&mut self, choice: Term) -> Vec<Action> {
        let mut functions: Vec<FnId> = vec![];
        for ty in self.slots.iter().copied().collect::<BTreeSet<TypeId>>() {
            functions.extend(self.system.makers(ty));
            functions.extend(self.system.changers(ty));
        }
        functions.sort_unstable();
        functions.dedup();
        let mut actions = vec![];
        for function in functions {
            let known = &self.system.functions[function];
            let made = known.ret.made_object().map(|(ty, _)| ty);
            let changes = known.params.iter().any(|param| param.mode == Mode::Exclusive);
            let fits = |slot: &usize| made == Some(self.slots[*slot]);
            let mut targets: Vec<Option<usize>> =
                (0..self.slots.len()).filter(fits).map(Some).collect();
            if changes && !targets.is_empty() || targets.is_empty() {
                targets.push(None);
            }
            for makes in targets {
                for objects in self.choices(function, makes) {
                    if actions.len() >= MAX_ACTIONS {
                        return actions;
                    }
                    let number = self.terms.number(16, actions.len() as i128);
                    let guard = self.terms.equal(choice, number);
                    let operands = self.operands(function, objects);
                    let mentions = BTreeSet::new();
                    actions.push(Action { function, operands, makes, guard, mentions });
                }
            }
        }
        actions
    }

    /// Ways to give objects to the parameters of a function, each once in a call.
    fn choices(&self, function: FnId, makes: Option<usize>) -> Vec<Vec<Option<usize>>> {
        let mut all: Vec<Vec<Option<usize>>> = vec![vec![]];
        for param in &self.system.functions[function].params {
            let mut longer = vec![];
            for chosen in all {
                match param.sort {
                    Sort::Object(ty) => {
                        let fits = |slot: &usize| {
                            self.slots[*slot] == ty
                                && !chosen.contains(&Some(*slot))
                                && (makes != Some(*slot) || param.mode == Mode::Own)
                        };
                        for slot in (0..self.slots.len()).filter(fits) {
                            let mut more = chosen.clone();
                            more.push(Some(slot));
                            longer.push(more);
                        }
                    }
                    _ if param.sort.is_plain(self.system) => {
                        let mut more = chosen.clone();
                        more.push(None);
                        longer.push(more);
                    }
                    _ => {}
                }
            }
            all = longer;
        }
        all
    }

    fn operands(&mut self, function: FnId, objects: Vec<Option<usize>>) -> Vec<Operand> {
        let system = self.system;
        let params = system.functions[function].params.iter();
        let operand = |(param, object): (&crate::system::Param, Option<usize>)| match object {
            Some(slot) => Operand::Object(slot),
            None => Operand::Value(self.any(&param.sort, true)),
        };
        params.zip(objects).map(operand).collect()
    }

    /// What holds if a call is the one that is made: its precondition before, its
    /// postcondition after.
    fn relate(&mut self, here: usize, n: usize) {
        let action = &self.steps[here].actions[n];
        let (function, makes, guard) = (action.function, action.makes, action.guard);
        let operands = action.operands.clone();
        let known = &self.system.functions[function];
        let of = known.path(self.system);
        let mut names = BTreeMap::new();
        let mut all = vec![];
        for (param, operand) in known.params.iter().zip(&operands) {
            let value = match operand {
                Operand::Object(slot) => {
                    all.push(self.alive[here][*slot]);
                    self.object(*slot)
                }
                Operand::Value(value) => value.clone(),
            };
            names.insert(param.name.clone(), value);
        }
        if let Some(slot) = makes
            && !operands.contains(&Operand::Object(slot))
        {
            let there = self.alive[here][slot];
            all.push(self.terms.not(there));
        }
        let before = Scope { names: names.clone(), now: here, old: here, of_self: false };
        all.push(self.all_of(&known.requires, &of, &before));
        let ret = self.result(function, makes);
        names.insert("ret".to_owned(), ret);
        let after = Scope { names, now: here + 1, old: here, of_self: false };
        self.recorded = Some(BTreeSet::new());
        all.push(self.all_of(&known.ensures, &of, &after));
        let mentions = self.recorded.take().unwrap_or_default();
        let later = |id: &usize| self.answers[*id].moment == here + 1;
        self.steps[here].actions[n].mentions = mentions.into_iter().filter(later).collect();
        let holds = self.terms.all(&all);
        let holds = self.terms.implies(guard, holds);
        self.require(holds);
    }

    /// What a call gives: an object if it makes one.
    fn result(&mut self, function: FnId, makes: Option<usize>) -> Value {
        let sort = self.system.functions[function].ret.clone();
        let (Some(slot), Some((_, wrap))) = (makes, sort.made_object()) else {
            return self.any(&sort, false);
        };
        let (object, yes) = (Box::new(self.object(slot)), self.terms.truth(true));
        match (wrap, sort) {
            (Wrap::Some, _) => Value::Option { some: yes, value: object },
            (Wrap::Ok, Sort::Result(_, error)) => {
                Value::Result { ok: yes, value: object, error: Box::new(self.any(&error, false)) }
            }
            _ => *object,
        }
    }

    /// Relates answers to those before, for all that were asked since the last time.
    pub(crate) fn settle(&mut self) {
        while let Some(id) = self.unlinked.pop() {
            self.link(id);
        }
    }

    /// Where nothing touched what is asked, the answer is the same as before; where a call
    /// did and its contract does not speak of this answer, that is assumed.
    fn link(&mut self, id: usize) {
        let answer = &self.answers[id];
        let (function, moment, derived) = (answer.function, answer.moment, answer.derived);
        let (value, args, object) =
            (answer.value.clone(), answer.args.clone(), answer.object.clone());
        let mut full: Vec<Value> = object.iter().cloned().map(Value::Object).collect();
        full.extend(args.iter().cloned());
        let slots: Vec<usize> = full.iter().filter_map(slot_of).collect();
        if moment == 0 || slots.is_empty() || matches!(value, Value::Object(_)) {
            return;
        }
        let Ok((before, _)) = self.ask(function, full, moment - 1) else { return };
        let Some(same) = self.terms.same(&value, &before) else { return };
        let mut touching = vec![];
        let mut frames = vec![];
        for action in &self.steps[moment - 1].actions {
            let changes = slots.iter().any(|slot| self.changes(action, *slot));
            let makes = action.makes.is_some_and(|made| slots.contains(&made));
            if changes || makes {
                touching.push(action.guard);
            }
            if changes && !makes && !derived && !action.mentions.contains(&id) {
                let like = action.mentions.iter().copied().filter(|other| {
                    let other = &self.answers[*other];
                    other.function == function && other.object == object
                });
                frames.push((action.function, action.guard, like.collect::<Vec<usize>>()));
            }
        }
        if let Some(object) = object.as_ref().filter(|_| !derived) {
            self.assume_default((object, function), moment, &value);
        }
        let touched = self.terms.any(&touching);
        let holds = self.terms.or(touched, same);
        self.require(holds);
        for (by, guard, like) in frames {
            self.assume_frame((by, function), guard, (&args, &like), same);
        }
    }

    /// What a constructor with a contract leaves open of its object may be as nothing.
    fn assume_default(&mut self, (object, query): (&Object, FnId), moment: usize, value: &Value) {
        let Some(empty) = self.is_empty(value) else { return };
        let path: Vec<FnId> = object.path.iter().map(|(function, _)| *function).collect();
        let makers: Vec<(FnId, Term)> = self.steps[moment - 1]
            .actions
            .iter()
            .filter(|action| action.makes == Some(object.slot))
            .filter(|action| !self.system.functions[action.function].ensures.is_empty())
            .map(|action| (action.function, action.guard))
            .collect();
        for (maker, guard) in makers {
            let key = (maker, query, path.clone());
            let literal = match self.defaults.get(&key) {
                Some(known) => known.literal,
                None => {
                    let literal = self.terms.fresh(1);
                    self.defaults.insert(key, Default_ { literal, holds: None });
                    literal
                }
            };
            let when = self.terms.and(guard, literal);
            let holds = self.terms.implies(when, empty);
            self.require(holds);
        }
    }

    /// Whether a value is false, zero, empty or none.
    fn is_empty(&mut self, value: &Value) -> Option<Term> {
        match value {
            Value::Bool(term) => Some(self.terms.not(*term)),
            Value::Int { term, .. } | Value::Float(term) => {
                let zero = self.terms.number(self.terms.pool.width(*term), 0);
                Some(self.terms.equal(*term, zero))
            }
            Value::Text { len, .. } | Value::Seq { len, .. } => {
                let zero = self.terms.wide(0);
                Some(self.terms.equal(*len, zero))
            }
            Value::Option { some, .. } => Some(self.terms.not(*some)),
            Value::Result { ok, .. } => Some(self.terms.not(*ok)),
            _ => None,
        }
    }

    fn assume_frame(
        &mut self,
        key: (FnId, FnId),
        guard: Term,
        (args, like): (&[Value], &[usize]),
        same: Term,
    ) {
        let mut when = vec![guard];
        for other in like {
            let other = self.answers[*other].args.clone();
            match self.same_arguments(args, &other) {
                Some(equal) => when.push(self.terms.not(equal)),
                None => return,
            }
        }
        let literal = match self.frames.get(&key) {
            Some(literal) => *literal,
            None => {
                let literal = self.terms.fresh(1);
                self.frames.insert(key, literal);
                literal
            }
        };
        when.push(literal);
        let when = self.terms.all(&when);
        let holds = self.terms.implies(when, same);
        self.require(holds);
    }
}

fn slot_of(value: &Value) -> Option<usize> {
    match value {
        Value::Object(object) => Some(object.slot),
        _ => None,
    }
}
