//! Objects, moments and calls between them, as terms.
//!
//! The state of an object at a moment is what its queries answer then. Answers are made when
//! a clause asks for them (definition 12): one for each query and arguments, equal arguments
//! giving equal answers, and what the query's own contract says of the answer is known from
//! then on (definitions 13 and 14). Between two moments stands one call: a number chooses it
//! among all that could be made (definition 9), and its contract relates the answers before
//! to those after. What a contract does not speak of stays as it was in what is not touched;
//! in what is, that is an assumption with a literal of its own.

use crate::equal::Compared;
use crate::framing;
use crate::room::Room;
use crate::spoken::Spoken;
use crate::system::{Clause, FnId, Sort, System, TypeId};
use crate::terms::Terms;
use crate::translate::{Scope, Why};
use crate::value::{Object, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use testsmith_solver::term::Term;

/// How far contracts of queries are followed that ask further queries.
pub const MAX_CHAIN: usize = 8;
/// Answers of one world; what is asked beyond is not known.
const MAX_ANSWERS: usize = 20_000;

/// A clause, or a part of it, that means nothing to the search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Free {
    /// The function or type that it stands on.
    pub of: String,
    pub clause: String,
    pub why: String,
}

/// The queries that lead from an object to one that it shows.
type Path = Vec<(FnId, Vec<Value>)>;

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

impl Operand {
    pub(crate) fn value(&self) -> Option<Value> {
        match self {
            Operand::Value(value) => Some(value.clone()),
            Operand::Object(_) => None,
        }
    }
}

/// A call that may be made at a step.
pub(crate) struct Action {
    pub(crate) function: FnId,
    pub(crate) operands: Vec<Operand>,
    /// The object that it makes.
    pub(crate) makes: Option<usize>,
    pub(crate) guard: Term,
    /// The answers after it that its contract speaks of, directly or not, and when it does.
    pub(crate) mentions: BTreeMap<usize, Term>,
}

impl Action {
    /// The objects that it takes or makes.
    pub(crate) fn objects(&self) -> BTreeSet<usize> {
        let given = self.operands.iter().filter_map(|operand| match operand {
            Operand::Object(slot) => Some(*slot),
            Operand::Value(_) => None,
        });
        given.chain(self.makes).collect()
    }
}

pub(crate) struct Step {
    pub(crate) actions: Vec<Action>,
    pub(crate) choice: Term,
    /// No call is made at it, nor at any later one.
    pub(crate) idle: Term,
}

/// An assumption, with its literal; whether it is kept is decided once.
pub(crate) struct Assumption {
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
    pub(crate) unlinked: Vec<usize>,
    /// All that holds in any case.
    pub(crate) facts: Vec<Term>,
    /// By the call and the query that it is assumed to leave alone.
    pub(crate) frames: BTreeMap<(FnId, FnId), Assumption>,
    /// By the call that makes an object, and the query (with the queries that lead to what is
    /// asked) that is assumed to answer zero, empty or none.
    pub(crate) defaults: BTreeMap<(FnId, FnId, Vec<FnId>), Assumption>,
    /// Comparisons of objects, and the assumption that what is equal answers alike.
    pub(crate) compared: HashMap<Compared, Term>,
    pub(crate) alike: Option<Term>,
    /// The names in all that is about the objects, if there are components: what nothing speaks
    /// of need not be known of them.
    pub(crate) names: HashSet<&'s str>,
    pub(crate) free: BTreeSet<Free>,
    pub(crate) context: (String, String),
    chain: Vec<usize>,
    pub(crate) recorded: Option<Spoken>,
    invariants: HashSet<(Object, usize)>,
    parsed: HashMap<String, Result<syn::Expr, String>>,
    /// Whether a chain of contracts was longer than is followed.
    pub(crate) was_cut: bool,
}

impl<'s> World<'s> {
    /// Objects of these types at the first moment: all of them there, or none.
    pub(crate) fn new(
        system: &'s System,
        slots: Vec<TypeId>,
        there: bool,
        room: Room,
    ) -> World<'s> {
        let mut terms = Terms::new(room);
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
            facts: vec![],
            frames: BTreeMap::new(),
            defaults: BTreeMap::new(),
            compared: HashMap::new(),
            alike: None,
            names: HashSet::new(),
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
        if !self.terms.is_constant(condition, true) {
            self.facts.push(condition);
        }
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
        } else {
            self.speak_of(id);
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
        let shown = object.as_ref().map(|object| {
            let mut path = object.path.clone();
            path.push((function, args.clone()));
            (object.slot, path)
        });
        let value = self.answered(&sort, shown);
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

    /// Anything of a sort; what is an object in it is shown by another one.
    fn answered(&mut self, sort: &Sort, shown: Option<(usize, Path)>) -> Value {
        match (sort, shown) {
            (Sort::Object(ty), Some((slot, path))) => Value::Object(Object { slot, ty: *ty, path }),
            (Sort::Option(of), shown @ Some(_)) if matches!(**of, Sort::Object(_)) => {
                let some = self.terms.fresh(1);
                Value::Option { some, value: Box::new(self.answered(of, shown)) }
            }
            (Sort::Result(of, error), shown @ Some(_)) if matches!(**of, Sort::Object(_)) => {
                Value::Result {
                    ok: self.terms.fresh(1),
                    value: Box::new(self.answered(of, shown)),
                    error: Box::new(self.any(error, false)),
                }
            }
            (sort, _) => self.any(sort, false),
        }
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

    pub(crate) fn same_arguments(&mut self, a: &[Value], b: &[Value]) -> Option<Term> {
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
}

/// The object in a value.
pub(crate) fn slot_of(value: &Value) -> Option<usize> {
    match value {
        Value::Object(object) => Some(object.slot),
        _ => None,
    }
}
