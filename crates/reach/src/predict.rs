//! What queries are to answer after calls that were found, and how sure that is.

use crate::concrete::{Concrete, Reading};
use crate::found::{Argument, Prediction, Sureness};
use crate::search::Search;
use crate::system::FnId;
use crate::value::Value;
use crate::world::Operand;
use testsmith_solver::Answer;
use testsmith_solver::term::{Evaluator, Term};

/// Answers with arguments that are predicted.
const MAX_ASKED: usize = 32;

/// A query whose answer is to be predicted.
struct Asked {
    after: usize,
    object: usize,
    query: FnId,
    args: Vec<Value>,
    value: Value,
}

impl Search<'_> {
    /// What all queries without arguments answer after each of the calls that are chosen, and
    /// in the end those with arguments that the goal or the last call speaks of.
    pub(crate) fn predict(&mut self, chosen: &[usize], made: &[Term]) -> Vec<Prediction> {
        let mut asked: Vec<Asked> = self.asked_with_arguments(chosen);
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
        let mut model = self.check(&fixed);
        if self.framed && model == Answer::Unsat {
            // Assumptions about queries that the goal does not speak of contradict contracts.
            self.framed = false;
            fixed = self.conditions();
            fixed.extend_from_slice(made);
            model = self.check(&fixed);
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
            let asked_with = args;
            let args: Vec<Argument> = asked_with
                .iter()
                .map(|arg| match arg {
                    Value::Object(object) => Argument::Object(object.slot),
                    arg => Argument::Value(reading.value(arg)),
                })
                .collect();
            let known = reading.value(&value);
            let again = predictions.iter().any(|it: &Prediction| {
                (it.after, it.object, it.query) == (after, object, query) && it.args == args
            });
            if !there || again || !args.iter().all(Argument::is_known) {
                continue;
            }
            let known = Some(known).filter(Concrete::is_known);
            let sureness = Sureness::Open;
            predictions.push(Prediction { after, object, query, args, value: known, sureness });
            values.push((value, asked_with));
        }
        self.tell_sure(&mut predictions, &values, &fixed, made);
        predictions
    }

    /// Which predictions are more than one possibility among others: with assumptions, and
    /// without.
    fn tell_sure(
        &mut self,
        predictions: &mut [Prediction],
        values: &[(Value, Vec<Value>)],
        fixed: &[Term],
        made: &[Term],
    ) {
        let mut same = vec![];
        for (prediction, (value, args)) in predictions.iter().zip(values) {
            let known = prediction.value.as_ref();
            let written = known.and_then(|known| self.world.written(known));
            let written = written.filter(|_| !matches!(value, Value::Float(_)));
            let answer = written.and_then(|written| self.world.terms.same(value, &written));
            // Asked with what may be something else, it says nothing of what it is asked with.
            let operands: Vec<Operand> = args.iter().cloned().map(Operand::Value).collect();
            let given = self.given_so(&operands, &prediction.args);
            same.push(answer.map(|answer| self.world.terms.and(answer, given)));
        }
        let settled = self.settled(fixed, &same);
        let only: Vec<Option<Term>> =
            same.iter().zip(&settled).map(|(same, sure)| same.filter(|_| *sure)).collect();
        let bare = [made, &self.made_as_many(self.length)].concat();
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
            match self.check(&asked) {
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

    /// The answers in the end that the goal or the last call asks objects for with arguments.
    fn asked_with_arguments(&self, chosen: &[usize]) -> Vec<Asked> {
        let mut spoken_of = self.asked.get(&self.length).cloned().unwrap_or_default();
        if let Some(last) = chosen.last() {
            spoken_of.extend(self.world.steps[self.length - 1].actions[*last].mentions.keys());
        }
        let is_argument = |value: &Value| match value {
            Value::Object(object) => object.path.is_empty(),
            value => !matches!(value, Value::Opaque(_)),
        };
        let fits = |answer: &&crate::world::Answer| {
            answer.moment == self.length
                && answer.object.as_ref().is_some_and(|object| object.path.is_empty())
                && !answer.args.is_empty()
                && answer.args.iter().all(is_argument)
                && !matches!(answer.value, Value::Object(_) | Value::Opaque(_))
        };
        let asked = |answer: &crate::world::Answer| Asked {
            after: answer.moment,
            object: answer.object.as_ref().map_or(0, |object| object.slot),
            query: answer.function,
            args: answer.args.clone(),
            value: answer.value.clone(),
        };
        let answers = spoken_of.iter().map(|id| &self.world.answers[*id]);
        answers.filter(fits).map(asked).take(MAX_ASKED).collect()
    }
}
