//! Steps: every call that could be made between two moments, and what each would do.

use crate::spoken::Spoken;
use crate::system::{FnId, Mode, Param, Sort, TypeId, Wrap};
use crate::translate::Scope;
use crate::value::Value;
use crate::world::{Action, Operand, Step, World};
use std::collections::{BTreeMap, BTreeSet};
use testsmith_solver::term::Term;

/// Calls that stand for choice at one step.
const MAX_ACTIONS: usize = 400;

impl World<'_> {
    /// Adds a step: every call that could be made, and what each would do.
    pub(crate) fn add_step(&mut self) {
        let here = self.steps.len();
        let choice = self.terms.fresh(16);
        let actions = self.actions(choice);
        let count = self.terms.number(16, actions.len() as i128);
        let is_one = self.terms.at_most(choice, count, false);
        self.require(is_one);
        let idle = self.terms.equal(choice, count);
        if let Some(before) = self.steps.last() {
            let stays = self.terms.implies(before.idle, idle);
            self.require(stays);
        }
        self.order(&actions);
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
        self.steps.push(Step { actions, choice, idle });
        for n in 0..self.steps[here].actions.len() {
            self.relate(here, n);
        }
        for n in 0..self.steps[here].actions.len() {
            let all = std::mem::take(&mut self.steps[here].actions[n].mentions);
            self.steps[here].actions[n].mentions = self.with_led_to(&all);
        }
        self.settle();
    }

    /// Calls of different objects that could as well be made the other way round are made in
    /// one order only: those of the first object first.
    fn order(&mut self, actions: &[Action]) {
        let Some(before) = self.steps.last() else { return };
        let mut earlier: BTreeMap<BTreeSet<usize>, Vec<Term>> = BTreeMap::new();
        let mut later = earlier.clone();
        let lists = [(&before.actions[..], &mut earlier), (actions, &mut later)];
        for (actions, by_objects) in lists {
            for action in actions {
                by_objects.entry(action.objects()).or_default().push(action.guard);
            }
        }
        for (first, guards) in &earlier {
            let guard = self.terms.any(guards);
            for (then, others) in &later {
                if then.first() < first.first() && first.is_disjoint(then) {
                    let other = self.terms.any(others);
                    let both = self.terms.and(guard, other);
                    let never = self.terms.not(both);
                    self.require(never);
                }
            }
        }
    }

    /// Adds a step at which one call is made of the first object, and gives what it answers.
    pub(crate) fn add_call(&mut self, function: FnId, given: Vec<Value>) -> Value {
        let here = self.steps.len();
        let (guard, choice) = (self.terms.truth(true), self.terms.number(16, 0));
        let mut operands = vec![Operand::Object(0)];
        operands.extend(given.into_iter().map(Operand::Value));
        let mentions = BTreeMap::new();
        let action = Action { function, operands, makes: None, guard, mentions };
        self.alive.push(self.alive[here].clone());
        let idle = self.terms.truth(false);
        self.steps.push(Step { actions: vec![action], choice, idle });
        let answer = self.relate(here, 0);
        let all = std::mem::take(&mut self.steps[here].actions[0].mentions);
        self.steps[here].actions[0].mentions = self.with_led_to(&all);
        answer
    }

    /// Answers and all that their contracts lead to at the same moment.
    pub(crate) fn with_reached(&self, mut all: BTreeSet<usize>) -> BTreeSet<usize> {
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
                    let mentions = BTreeMap::new();
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
        let operand = |(param, object): (&Param, Option<usize>)| match object {
            Some(slot) => Operand::Object(slot),
            None => Operand::Value(self.any(&param.sort, true)),
        };
        params.zip(objects).map(operand).collect()
    }

    /// What holds if a call is the one that is made: its precondition before, its
    /// postcondition after. Gives what it answers.
    fn relate(&mut self, here: usize, n: usize) -> Value {
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
        names.insert("ret".to_owned(), ret.clone());
        let after = Scope { names, now: here + 1, old: here, of_self: false };
        self.recorded = Some(Spoken::default());
        all.push(self.all_of(&known.ensures, &of, &after));
        if let Some(slot) = makes {
            let seen = self.seen(function, slot, here + 1);
            all.extend(seen);
        }
        let mentions = self.recorded.take().unwrap_or_default().answers;
        let later = |(id, _): &(usize, Term)| self.answers[*id].moment == here + 1;
        self.steps[here].actions[n].mentions = mentions.into_iter().filter(later).collect();
        let holds = self.terms.all(&all);
        let holds = self.terms.implies(guard, holds);
        self.require(holds);
        ret
    }

    /// What the object that calls made before was seen to answer.
    fn seen(&mut self, function: FnId, slot: usize, moment: usize) -> Vec<Term> {
        let mut all = vec![];
        for seen in self.system.seen.get(&function).into_iter().flatten() {
            let Some((last, path)) = seen.path.split_last() else { continue };
            let system = self.system;
            let mut asked = seen.path.iter().map(|id| system.functions[*id].name.as_str());
            if !asked.all(|name| self.names.contains(name)) {
                continue;
            }
            let args: Option<Vec<Value>> = seen.args.iter().map(|arg| self.written(arg)).collect();
            let mut of = Some(self.object(slot));
            for query in path {
                of = match of.and_then(|of| Some(self.ask(*query, vec![of], moment).ok()?.0)) {
                    Some(Value::Option { value, .. } | Value::Result { value, .. }) => Some(*value),
                    of => of,
                };
            }
            let (Some(of), Some(args), true) = (of, args, self.terms.room.holds(&seen.value))
            else {
                continue;
            };
            let asked = self.typed(*last, [vec![of], args].concat());
            if let Ok((answer, _)) = self.ask(*last, asked, moment) {
                all.extend(self.known_as(&answer, &seen.value));
            }
        }
        all
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
}
