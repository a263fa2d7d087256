//! What clauses speak of, and when.
//!
//! `p -> q` speaks of what `q` asks only where `p` holds: of several behaviours of a method,
//! each leaves alone what only the others change.

use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use testsmith_solver::term::Term;

/// Answers that clauses ask for, with the condition under which they do.
#[derive(Clone, Default)]
pub(crate) struct Spoken {
    pub(crate) answers: BTreeMap<usize, Term>,
    /// The conditions around what is being translated.
    when: Vec<Term>,
}

impl Spoken {
    /// The answers, whatever the condition.
    pub(crate) fn ids(&self) -> BTreeSet<usize> {
        self.answers.keys().copied().collect()
    }
}

impl World<'_> {
    /// Translates what is only said where a condition holds.
    pub(crate) fn only_where<T>(
        &mut self,
        condition: Term,
        translate: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if let Some(recorded) = &mut self.recorded {
            recorded.when.push(condition);
        }
        let out = translate(self);
        if let Some(recorded) = &mut self.recorded {
            recorded.when.pop();
        }
        out
    }

    /// Notes that an answer is asked for.
    pub(crate) fn speak_of(&mut self, id: usize) {
        let Some(mut recorded) = self.recorded.take() else { return };
        let when = self.terms.all(&recorded.when);
        self.spoken_also(&mut recorded.answers, id, when);
        self.recorded = Some(recorded);
    }

    /// The same with all that the contracts of these answers lead to at the same moment.
    pub(crate) fn with_led_to(&mut self, spoken: &BTreeMap<usize, Term>) -> BTreeMap<usize, Term> {
        let mut all = BTreeMap::new();
        for (id, when) in spoken {
            for reached in self.with_reached(BTreeSet::from([*id])) {
                self.spoken_also(&mut all, reached, *when);
            }
        }
        all
    }

    fn spoken_also(&mut self, all: &mut BTreeMap<usize, Term>, id: usize, when: Term) {
        let when = match all.get(&id) {
            Some(before) => self.terms.or(*before, when),
            None => when,
        };
        all.insert(id, when);
    }
}
