//! How answers at one moment relate to those before.
//!
//! What nothing touches stays as it was. Of what a call touches and its contract does not
//! speak of, it is assumed; each assumption has a literal of its own, so that it can be
//! dropped.

use crate::system::FnId;
use crate::value::Value;
use crate::world::{Action, Assumption, World, slot_of};
use testsmith_solver::term::Term;

impl World<'_> {
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
            let spoken_of = action.mentions.get(&id).copied();
            let always = spoken_of.is_some_and(|when| self.terms.is_constant(when, true));
            if changes && !makes && !derived && !always {
                frames.push((action.function, action.guard, spoken_of, self.like(action, id)));
            }
        }
        if object.is_some() && !derived {
            self.assume_default(id);
        }
        let touched = self.terms.any(&touching);
        let holds = self.terms.or(touched, same);
        self.require(holds);
        for (by, guard, spoken_of, like) in frames {
            let guard = match spoken_of {
                Some(when) => {
                    let silent = self.terms.not(when);
                    self.terms.and(guard, silent)
                }
                None => guard,
            };
            self.assume_frame((by, function), guard, (&args, &like), same);
        }
    }

    /// What a constructor with a contract leaves open of its object may be as nothing, and so
    /// may be what an object that was made before was not asked.
    fn assume_default(&mut self, id: usize) {
        let answer = &self.answers[id];
        let (query, moment, args) = (answer.function, answer.moment, answer.args.clone());
        let (Some(object), value) = (answer.object.clone(), answer.value.clone()) else { return };
        let Some(empty) = self.is_empty(&value) else { return };
        let path: Vec<FnId> = object.path.iter().map(|(function, _)| *function).collect();
        let mut makers = vec![];
        for action in &self.steps[moment - 1].actions {
            let says = !self.system.functions[action.function].ensures.is_empty()
                || self.system.seen.contains_key(&action.function);
            let spoken_of = action.mentions.contains_key(&id);
            if action.makes == Some(object.slot) && says && !spoken_of {
                makers.push((action.function, action.guard, self.like(action, id)));
            }
        }
        for (maker, guard, like) in makers {
            let Some(others) = self.other_than(&args, &like) else { continue };
            let key = (maker, query, path.clone());
            let literal = match self.defaults.get(&key) {
                Some(known) => known.literal,
                None => {
                    let literal = self.terms.fresh(1);
                    self.defaults.insert(key, Assumption { literal, holds: None });
                    literal
                }
            };
            let when = self.terms.all(&[guard, literal, others]);
            let holds = self.terms.implies(when, empty);
            self.require(holds);
        }
    }

    /// Other answers of the same query of the same object that a call speaks of, and when.
    fn like(&self, action: &Action, id: usize) -> Vec<(usize, Term)> {
        let own = &self.answers[id];
        let like = action.mentions.iter().filter(|(other, _)| {
            let answer = &self.answers[**other];
            **other != id && answer.function == own.function && answer.object == own.object
        });
        like.map(|(id, when)| (*id, *when)).collect()
    }

    /// That arguments are none of those that answers were asked with; none if nobody knows.
    fn other_than(&mut self, args: &[Value], like: &[(usize, Term)]) -> Option<Term> {
        let mut all = vec![];
        for (other, spoken_of) in like {
            let other = self.answers[*other].args.clone();
            let equal = self.same_arguments(args, &other)?;
            let said = self.terms.and(equal, *spoken_of);
            all.push(self.terms.not(said));
        }
        Some(self.terms.all(&all))
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
        (args, like): (&[Value], &[(usize, Term)]),
        same: Term,
    ) {
        let Some(others) = self.other_than(args, like) else { return };
        let mut when = vec![guard, others];
        let literal = match self.frames.get(&key) {
            Some(known) => known.literal,
            None => {
                let literal = self.terms.fresh(1);
                self.frames.insert(key, Assumption { literal, holds: None });
                literal
            }
        };
        when.push(literal);
        let when = self.terms.all(&when);
        let holds = self.terms.implies(when, same);
        self.require(holds);
    }
}
