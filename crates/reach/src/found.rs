//! What was found: calls, their arguments, and what queries are to answer.
//!
//! Read off a model of the solver, with arguments as plain as they can be.

use crate::concrete::{Concrete, Reading};
use crate::search::Search;
use crate::system::{FnId, TypeId};
use crate::value::Value;
use crate::world::Operand;
use std::collections::BTreeSet;
use testsmith_solver::Answer;
use testsmith_solver::term::{Assignment, Evaluator, Term};

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

impl Search<'_> {
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
        let predictions = self.predict(&chosen, &[made, given]);
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
        if let Answer::Sat(better) = self.check(&together) {
            *fixed = together;
            return better;
        }
        for wish in wishes.into_iter().take(MAX_WISHES) {
            fixed.push(wish);
            match self.check(fixed) {
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
