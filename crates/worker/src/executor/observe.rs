//! Asks values questions around a call.
//!
//! A value is asked only while nobody borrows it. A query is a call of the code under
//! test like any other, so it may panic; it is not counted and leaves no step.

use super::{Executor, reached};
use crate::arena::Slot;
use crate::observer::{Change, TUPLES_AT_END};
use crate::panics::catching;
use testsmith_engines::Stage;
use testsmith_model::observation::{Attempt, Observed, Occasion, Row, Term, UNKNOWN, Unfit};
use testsmith_model::operation::Sameness;
use testsmith_model::outcome::Phase;
use testsmith_model::{Mode, OpId, Sequence, TypeId};

impl Executor {
    /// Runs sequences from scratch under observation, and gives up what was seen since
    /// the observer was set.
    pub(crate) fn observe_all(&mut self, sequences: &[Sequence]) -> Observed {
        let calls = self.calls;
        let mut attempts = vec![];
        for sequence in sequences {
            if let Some(observer) = &mut self.observer {
                observer.before.clear();
            }
            let outcome = self.run(sequence, false);
            let before = self.observer.as_ref().map(|observer| observer.before.clone());
            attempts.push(Attempt { outcome, before: before.unwrap_or_default() });
        }
        let observer = self.observer.take();
        let observed = observer.map(|observer| observer.into_observed()).unwrap_or_default();
        Observed { attempts, calls: self.calls - calls, ..observed }
    }

    /// What is asked before a call.
    #[cold]
    pub(super) fn observe_before(&mut self, op: OpId, args: &[u32]) {
        let Some(mut observer) = self.observer.take() else { return };
        observer.before.clear();
        if let Some(watch) = observer.watch_of(op) {
            let terms = std::mem::take(&mut observer.watching.watches[watch as usize].before);
            self.observer = Some(observer);
            let answers: Vec<i64> =
                terms.iter().map(|term| self.answer(watch, term, args)).collect();
            if let Some(observer) = &mut self.observer {
                observer.watching.watches[watch as usize].before = terms;
                observer.before = answers;
            }
        } else {
            self.observer = Some(observer);
        }
    }

    /// What is asked after it, of what is left and of the result.
    #[cold]
    pub(super) fn observe_after(&mut self, op: OpId, args: &[u32], result: u32, here: u32) {
        let inputs = &self.plan.operation(op).inputs;
        let changes = |n: usize| inputs.get(n).is_some_and(|input| input.mode == Mode::Exclusive);
        let first = changes(0);
        let others: Vec<u32> = (1..args.len()).filter(|n| changes(*n)).map(|n| args[n]).collect();
        let Some(observer) = &mut self.observer else { return };
        others.iter().for_each(|slot| observer.forget(*slot));
        let Some(watch) = observer.watch_of(op) else {
            args.first().filter(|_| first).iter().for_each(|slot| observer.forget(**slot));
            return;
        };
        let before = observer.before.clone();
        let terms = observer.watching.watches[watch as usize].after.clone();
        let mut tuple = args.to_vec();
        tuple.push(result);
        let after: Vec<i64> = terms.iter().map(|term| self.answer(watch, term, &tuple)).collect();
        let slots: Vec<u32> = args.iter().map(|arg| self.steps[*arg as usize]).collect();
        if first {
            let at = args.len() as u8;
            let result = [Term::Itself { at }, Term::Inside { at }]
                .map(|term| self.answer(watch, &term, &tuple));
            let change = Change { op, before: before.clone(), after: after.clone(), result };
            if let Some(observer) = &mut self.observer {
                observer.changed(args[0], change, here, &slots);
            }
        }
        let row = Row { watch, sequence: 0, step: here, slots, before, after, times: 1 };
        if let Some(observer) = &mut self.observer {
            observer.add(row);
        }
    }

    /// Looks at the values that are there at the end of a sequence, one by one and in
    /// pairs, if anything is observed.
    pub(crate) fn observe_end(&mut self) {
        let Some(observer) = &self.observer else { return };
        if self.failure.is_none() {
            let of_values =
                |(n, watch): (usize, &testsmith_model::observation::Watch)| match &watch.occasion {
                    Occasion::Values { types } => Some((n as u32, types.clone())),
                    Occasion::Call { .. } | Occasion::Pair { .. } => None,
                };
            let watches: Vec<(u32, Vec<TypeId>)> =
                observer.watching.watches.iter().enumerate().filter_map(of_values).collect();
            let mut left = TUPLES_AT_END;
            for (watch, types) in watches {
                for tuple in self.tuples(&types, left) {
                    left -= 1;
                    self.look_at_tuple(watch, &tuple);
                }
            }
        }
        if let Some(mut observer) = self.observer.take() {
            observer.close(|| self.sequence());
            self.observer = Some(observer);
        }
    }

    /// Values of these types that are there, the latest first.
    fn tuples(&self, types: &[TypeId], most: usize) -> Vec<Vec<u32>> {
        let free = |slot: &u32| self.loans.is_live(*slot) && !self.loans.is_lent(*slot);
        let slots: Vec<u32> = (0..self.loans.len() as u32).rev().filter(free).collect();
        let of = |ty: TypeId| slots.iter().copied().filter(move |slot| self.loans.ty(*slot) == ty);
        match *types {
            [ty] => of(ty).map(|slot| vec![slot]).take(most).collect(),
            [first, second] => of(first)
                .flat_map(|a| of(second).filter(move |b| a != *b).map(move |b| vec![a, b]))
                .take(most)
                .collect(),
            _ => vec![],
        }
    }

    fn look_at_tuple(&mut self, watch: u32, tuple: &[u32]) {
        let Some(observer) = &self.observer else { return };
        let terms = observer.watching.watches[watch as usize].before.clone();
        let before = terms.iter().map(|term| self.answer(watch, term, tuple)).collect();
        let slots = tuple.iter().map(|slot| self.steps[*slot as usize]).collect();
        let step = self.written;
        let row = Row { watch, sequence: 0, step, slots, before, after: vec![], times: 1 };
        if let Some(observer) = &mut self.observer {
            observer.add(row);
        }
    }

    /// The answer to one question about the values of a tuple.
    fn answer(&mut self, watch: u32, term: &Term, tuple: &[u32]) -> i64 {
        let Some(observer) = &self.observer else { return UNKNOWN };
        if !observer.is_fit(term) {
            return UNKNOWN;
        }
        let types = &observer.types[watch as usize];
        let place = |at: u8| {
            let slot = *tuple.get(at as usize)?;
            let ty = *types.get(at as usize)?;
            let free = self.loans.is_live(slot) && !self.loans.is_lent(slot);
            let through = self.loans.ty(slot) != ty;
            free.then(|| (reached(self.slots[slot as usize].place, through), ty, slot))
        };
        match *term {
            Term::Itself { at } => {
                let Some((place, ty, _)) = place(at) else { return UNKNOWN };
                let scalar = self.tables[ty.index()].scalar;
                // SAFETY: the value is live, of this type and not borrowed.
                scalar.map_or(UNKNOWN, |scalar| unsafe { scalar(place) })
            }
            Term::Inside { at } => {
                let Some((place, ty, _)) = place(at) else { return UNKNOWN };
                let inside = self.tables[ty.index()].inside;
                // SAFETY: the value is live, of this type and not borrowed.
                inside.map_or(UNKNOWN, |inside| unsafe { inside(place) })
            }
            Term::Equal { at, with } => {
                let (Some((a, ty, slot)), Some((b, ..))) = (place(at), place(with)) else {
                    return UNKNOWN;
                };
                let Some(eq) = self.tables[ty.index()].partial_eq else { return UNKNOWN };
                self.journal.doing(self.steps[slot as usize], Phase::Observing);
                // SAFETY: both are live, of this type and not borrowed.
                catching(|| unsafe { eq(a, b) }).map_or(UNKNOWN, i64::from)
            }
            Term::Query { op, at } => {
                let Some((place, _, slot)) = place(at) else { return UNKNOWN };
                self.ask(op, &[place], slot)
            }
            Term::With { op, at, with } => {
                let (Some((a, _, slot)), Some((b, ..))) = (place(at), place(with)) else {
                    return UNKNOWN;
                };
                self.ask(op, &[a, b], slot)
            }
            Term::WithTwo { op, at, with, and } => {
                let (Some((a, _, slot)), Some((b, ..)), Some((c, ..))) =
                    (place(at), place(with), place(and))
                else {
                    return UNKNOWN;
                };
                self.ask(op, &[a, b, c], slot)
            }
        }
    }

    /// Asks a query, and the first times makes sure that it may be asked.
    fn ask(&mut self, op: OpId, places: &[*mut u8], slot: u32) -> i64 {
        let step = self.steps[slot as usize];
        let doubts = self.observer.as_mut().is_some_and(|observer| observer.doubts(op));
        if !doubts {
            return self.ask_once(op, places, step);
        }
        let by = match self.slots[slot as usize].table {
            table if table.debug.is_some() => Sameness::Debug,
            _ => Sameness::Hash,
        };
        let was = self.identity(slot, by);
        let (first, second) = (self.ask_once(op, places, step), self.ask_once(op, places, step));
        let is = self.identity(slot, by);
        let unfit = match () {
            () if first != second => Some(Unfit::Wavers),
            () if was != is => Some(Unfit::Changes),
            () => None,
        };
        match (unfit, &mut self.observer) {
            (Some(why), Some(observer)) => {
                observer.reject(op, why);
                UNKNOWN
            }
            _ => first,
        }
    }

    fn ask_once(&mut self, op: OpId, places: &[*mut u8], step: u32) -> i64 {
        self.journal.doing(step, Phase::Observing);
        let mark = self.frame.mark();
        let result = self.frame.result;
        self.frame.args[..places.len()].copy_from_slice(places);
        let thunk = self.thunks[op.index()];
        let table = &self.tables[self.signatures[op.index()].output.index()];
        let frame = &mut self.frame;
        let asked = catching(|| match (thunk(frame), table.scalar) {
            (true, Some(scalar)) => {
                let Slot { place, .. } = Slot { place: frame.result, table };
                // SAFETY: the thunk has just put a value of this type there; nobody else
                // knows of it.
                unsafe {
                    let answer = scalar(place);
                    (table.drop)(place);
                    answer
                }
            }
            _ => UNKNOWN,
        });
        self.frame.refused = false;
        self.frame.result = result;
        self.frame.release(mark);
        asked.unwrap_or_else(|_| {
            if let Some(observer) = &mut self.observer {
                observer.reject(op, Unfit::Panics);
            }
            UNKNOWN
        })
    }
}

#[cfg(test)]
mod tests;
