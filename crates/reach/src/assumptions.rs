//! Which assumptions are made about what contracts do not speak of.
//!
//! An assumption is kept if it agrees with the contract where it would first matter: with
//! some arguments of a constructor, and with the shortest calls that lead to a method. All
//! that are new are tried together first, then one by one.

use crate::concrete::{Concrete, Reading};
use crate::search::Search;
use crate::system::FnId;
use crate::value::Value;
use crate::world::Operand;
use std::collections::BTreeMap;
use testsmith_solver::Answer;
use testsmith_solver::term::{Assignment, Evaluator, Term};

impl Search<'_> {
    /// The literals of all assumptions that are made.
    pub(crate) fn assumptions(&mut self) -> Vec<Term> {
        self.judge_defaults();
        self.judge_frames();
        let mut all = self.kept();
        let seeming = self.seeming_literals();
        all.extend(seeming);
        all
    }

    /// Assumptions that were judged well, and those that nothing was said of yet.
    fn kept(&self) -> Vec<Term> {
        let frames = self.world.frames.iter();
        let frames =
            frames.filter(|(key, it)| it.holds != Some(false) && !self.refuted.contains(key));
        let defaults = self.world.defaults.iter();
        let defaults = defaults
            .filter(|(key, it)| it.holds == Some(true) && !self.refuted.contains(&(key.0, key.1)));
        let frames = frames.map(|(_, it)| it.literal);
        frames.chain(defaults.map(|(_, it)| it.literal)).chain(self.world.alike).collect()
    }

    /// Decides which calls are assumed to leave which queries alone.
    fn judge_frames(&mut self) {
        let mut open: BTreeMap<FnId, Vec<FnId>> = BTreeMap::new();
        for (key, _) in self.world.frames.iter().filter(|(_, it)| it.holds.is_none()) {
            open.entry(key.0).or_default().push(key.1);
        }
        for (function, queries) in open {
            let Some(first) = self.first_call(function) else { continue };
            let literal =
                |search: &Self, query: &FnId| search.world.frames[&(function, *query)].literal;
            let all: Vec<Term> = queries.iter().map(|query| literal(self, query)).collect();
            let mut accepted = vec![];
            self.accept(&first, &all, &mut accepted);
            for query in queries {
                let holds = accepted.contains(&literal(self, &query));
                if let Some(it) = self.world.frames.get_mut(&(function, query)) {
                    it.holds = Some(holds);
                }
            }
        }
    }

    /// Adds those that agree with what was accepted: all at once, or half by half.
    fn accept(&mut self, first: &[Term], literals: &[Term], accepted: &mut Vec<Term>) {
        let with = [accepted.as_slice(), literals].concat();
        if self.agrees(first, &with) {
            *accepted = with;
        } else if literals.len() > 1 {
            let (left, right) = literals.split_at(literals.len() / 2);
            self.accept(first, left, accepted);
            self.accept(first, right, accepted);
        }
    }

    fn agrees(&mut self, first: &[Term], literals: &[Term]) -> bool {
        let asked = [first, literals].concat();
        matches!(self.check(&asked), Answer::Sat(_))
    }

    /// The shortest calls that end with one of this function, as conditions; none if it cannot
    /// be called within as many steps as there are.
    fn first_call(&mut self, function: FnId) -> Option<Vec<Term>> {
        if let Some(known) = self.first_calls.get(&function) {
            return Some(known.clone());
        }
        for last in 0..self.world.steps.len() {
            let actions = self.world.steps[last].actions.iter();
            let guards: Vec<Term> =
                actions.filter(|it| it.function == function).map(|it| it.guard).collect();
            let guard = self.world.terms.any(&guards);
            let mut asked = self.judged();
            asked.push(guard);
            asked.extend(self.made_as_many(last + 1));
            let Answer::Sat(model) = self.check(&asked) else {
                continue;
            };
            let first = self.as_in(&model, last + 1);
            self.first_calls.insert(function, first.clone());
            return Some(first);
        }
        None
    }

    /// Assumptions that were judged well.
    fn judged(&self) -> Vec<Term> {
        let frames = self.world.frames.iter().filter(|(_, it)| it.holds == Some(true));
        let defaults = self.world.defaults.iter().filter(|(_, it)| it.holds == Some(true));
        frames.map(|(_, it)| it.literal).chain(defaults.map(|(_, it)| it.literal)).collect()
    }

    /// The first calls as a model has them.
    fn as_in(&mut self, model: &Assignment, calls: usize) -> Vec<Term> {
        let mut all = vec![];
        for n in 0..calls {
            let pool = &self.world.terms.pool;
            let choice = Evaluator::new(pool, model).value(self.world.steps[n].choice) as usize;
            let action = &self.world.steps[n].actions[choice];
            all.push(action.guard);
            let values: Vec<Value> = action.operands.iter().filter_map(Operand::value).collect();
            for value in values {
                let known = self.read_value(model, &value);
                let written = self.world.written(&known);
                all.extend(written.and_then(|it| self.world.terms.same(&value, &it)));
            }
        }
        all
    }

    /// Decides which new assumptions about what is made are kept: that what its contract
    /// leaves open is zero, empty or none, where this agrees with the contract for more than
    /// one choice of arguments. All of one constructor are tried together first.
    pub(crate) fn judge_defaults(&mut self) {
        let mut open: BTreeMap<FnId, Vec<(FnId, FnId, Vec<FnId>)>> = BTreeMap::new();
        for (key, _) in self.world.defaults.iter().filter(|(_, it)| it.holds.is_none()) {
            open.entry(key.0).or_default().push(key.clone());
        }
        for (maker, keys) in open {
            let literals: Vec<Term> =
                keys.iter().map(|key| self.world.defaults[key].literal).collect();
            let all = self.is_harmless(maker, &literals);
            for (key, literal) in keys.into_iter().zip(literals) {
                let holds = all || self.is_harmless(maker, &[literal]);
                if let Some(it) = self.world.defaults.get_mut(&key) {
                    it.holds = Some(holds);
                }
            }
        }
    }

    fn is_harmless(&mut self, maker: FnId, literals: &[Term]) -> bool {
        let samples = self.samples_of(maker);
        let accepted = self.world.defaults.iter();
        let accepted = accepted.filter(|(key, it)| key.0 == maker && it.holds == Some(true));
        let mut fixed: Vec<Term> = accepted.map(|(_, it)| it.literal).collect();
        fixed.extend_from_slice(literals);
        let agrees = |search: &mut Self, sample: &[Term]| {
            let asked = [fixed.as_slice(), sample].concat();
            matches!(search.check(&asked), Answer::Sat(_))
        };
        !samples.is_empty() && samples.iter().all(|sample| agrees(self, sample))
    }

    /// The first call of a constructor with some arguments, and with others if it has any.
    fn samples_of(&mut self, maker: FnId) -> Vec<Vec<Term>> {
        if let Some(known) = self.samples.get(&maker) {
            return known.clone();
        }
        let first = self.world.steps.first();
        let action = first.and_then(|step| step.actions.iter().find(|it| it.function == maker));
        let Some(action) = action else { return vec![] };
        let (guard, operands) = (action.guard, action.operands.clone());
        let values: Vec<Value> = operands.iter().filter_map(Operand::value).collect();
        let mut samples = vec![];
        let mut other = self.world.terms.truth(true);
        for _ in 0..if values.is_empty() { 1 } else { 2 } {
            let asked = [guard, other];
            let Answer::Sat(model) = self.check(&asked) else {
                break;
            };
            let mut sample = vec![guard];
            for value in &values {
                let known = self.read_value(&model, value);
                let written = self.world.written(&known);
                sample.extend(written.and_then(|it| self.world.terms.same(value, &it)));
            }
            let mut differs = vec![];
            for same in &sample[1..] {
                differs.push(self.world.terms.not(*same));
            }
            other = self.world.terms.all(&differs);
            samples.push(sample);
        }
        self.samples.insert(maker, samples.clone());
        samples
    }

    fn read_value(&self, model: &Assignment, value: &Value) -> Concrete {
        let pool = &self.world.terms.pool;
        let evaluator = Evaluator::new(pool, model);
        Reading { pool, evaluator, system: self.world.system }.value(value)
    }
}
