//! Calls in pairs: what a value was changed by, and right after it another call.
//!
//! In a walk two calls seldom meet on one value. Here the second is made in states in which
//! the first was seen, with the same numbers where it takes any. And a walk seldom makes one
//! call many times on one value, so some states are never seen: here two calls are made on
//! one value in turn, many times.

use crate::data::{Data, Origin};
use crate::table::Class;
use crate::vocabulary::{Reading, reading};
use std::collections::BTreeSet;
use testsmith_model::observation::{Occasion, Watch};
use testsmith_model::sequence::Literal;
use testsmith_model::{Builder, Mode, OpId, Sequence, Step, TypeId};

/// States in which one pair is tried.
const EACH: usize = 400;
/// How often two calls take turns, from so many values that answer differently, and pairs of
/// operations for one type.
const TURNS: usize = 12;
const STARTS: usize = 4;
const PAIRS: usize = 100;
/// Numbers are below this where the crate has none of its own.
const SMALL: i128 = 4;
/// Calls of one operation that another one comes right after, for each of the two.
const ECHOES: usize = 6;

impl Data<'_> {
    /// Sequences that end in a pair of calls, one of each pair in turn.
    pub fn drills(&self) -> Vec<Sequence> {
        let mut all: Vec<Vec<Sequence>> = vec![];
        for watch in &self.watches {
            let Occasion::Pair { first, second } = watch.occasion else { continue };
            let of_first = Occasion::Call { op: first };
            let known = self.watches.iter().position(|watch| watch.occasion == of_first);
            let origins: &[Origin] = known.map_or(&[], |n| &self.origins[n]);
            let every = origins.len().div_ceil(EACH).max(1);
            let some = origins.iter().step_by(every);
            all.push(some.filter_map(|origin| self.drill(origin, second, 0)).collect());
        }
        let longest = all.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).flat_map(|n| all.iter().filter_map(move |one| one.get(n).cloned())).collect()
    }

    /// Sequences in which two calls change one value in turn, one of each type in turn.
    pub fn rounds(&self) -> Vec<Sequence> {
        let mut all: Vec<Vec<Sequence>> = vec![];
        for (n, watch) in self.watches.iter().enumerate() {
            let Occasion::Values { types } = &watch.occasion else { continue };
            let [ty] = types.as_slice() else { continue };
            let changing = self.changing(*ty);
            let pairs = changing.iter().flat_map(|a| changing.iter().map(move |b| (*a, *b)));
            let starts = self.starts(n);
            let mut own = vec![];
            for pair in pairs.take(PAIRS) {
                own.extend(starts.iter().filter_map(|start| self.round(start, pair)));
            }
            all.push(own);
        }
        let longest = all.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).flat_map(|n| all.iter().filter_map(move |one| one.get(n).cloned())).collect()
    }

    /// Sequences in which what is given to a call that changes a value is given to another one
    /// right after it: what no query sees of the change may show there. One of each in turn.
    pub fn echoes(&self) -> Vec<Sequence> {
        let of_call = |watch: &Watch| match watch.occasion {
            Occasion::Call { op } => Some(op),
            Occasion::Values { .. } | Occasion::Pair { .. } => None,
        };
        let calls: Vec<(usize, OpId)> = self
            .watches
            .iter()
            .enumerate()
            .filter_map(|(n, watch)| Some((n, of_call(watch)?)))
            .collect();
        let mut all: Vec<Vec<Sequence>> = vec![];
        for (_, second) in &calls {
            let inputs = &self.plan.operation(*second).inputs;
            let Some((of, others)) = inputs.split_first() else { continue };
            let looks = of.mode == Mode::Shared || of.mode == Mode::Exclusive;
            if !looks || others.is_empty() || others.iter().any(|input| input.mode != Mode::Own) {
                continue;
            }
            let changing = self.changing(of.ty);
            for (n, first) in calls.iter().filter(|(_, first)| changing.contains(first)) {
                if self.plan.operation(*first).inputs.len() < 2 {
                    continue;
                }
                let origins = &self.origins[*n];
                let every = origins.len().div_ceil(ECHOES).max(1);
                let some = origins.iter().step_by(every);
                let echoes = some.flat_map(|origin| {
                    (0..origin.slots.len() - 1).filter_map(|skip| self.drill(origin, *second, skip))
                });
                all.push(echoes.collect());
            }
        }
        let longest = all.iter().map(Vec::len).max().unwrap_or(0);
        (0..longest).flat_map(|n| all.iter().filter_map(move |one| one.get(n).cloned())).collect()
    }

    /// Operations that change a value of a type and take nothing else but literals.
    fn changing(&self, ty: TypeId) -> Vec<OpId> {
        let plain = |ty: TypeId| self.literal(ty, 0).is_some();
        let changes = |op: &OpId| match self.plan.operation(*op).inputs.as_slice() {
            [of, others @ ..] => {
                of.ty == ty
                    && of.mode == Mode::Exclusive
                    && others.iter().all(|input| input.mode == Mode::Own && plain(input.ty))
            }
            [] => false,
        };
        let watched = self.watches.iter().filter_map(|watch| match watch.occasion {
            Occasion::Call { op } => Some(op),
            Occasion::Values { .. } | Occasion::Pair { .. } => None,
        });
        watched.filter(changes).collect()
    }

    /// A literal of a plain type, another one in each turn.
    fn literal(&self, ty: TypeId, turn: usize) -> Option<Literal> {
        let known = self.plan.literals.iter().find(|(of, all)| *of == ty && !all.is_empty());
        if let Some((_, all)) = known {
            return Some(all[turn % all.len()].clone());
        }
        match reading(&self.plan.ty(ty).ty)? {
            (Reading::Number { .. }, 0) => Some(Literal::Int(turn as i128 % SMALL)),
            (Reading::Answer, 0) => Some(Literal::Bool(turn.is_multiple_of(2))),
            _ => None,
        }
    }

    /// The shortest ways to values that give different answers of yes and no.
    fn starts(&self, watch: usize) -> Vec<&Origin> {
        let table = &self.tables[watch];
        let answers = (0..table.before).filter(|column| table.classes[*column] == Class::Answer);
        let answers: Vec<usize> = answers.collect();
        let mut rows: Vec<usize> = (0..table.rows()).collect();
        rows.sort_by_key(|row| self.sequences[self.origins[watch][*row].sequence as usize].len());
        let mut seen = BTreeSet::new();
        rows.retain(|row| {
            let said: Vec<i64> =
                answers.iter().map(|column| table.columns[*column][*row]).collect();
            seen.insert(said)
        });
        rows.into_iter().take(STARTS).map(|row| &self.origins[watch][row]).collect()
    }

    /// Two calls on one value, in turn.
    fn round(&self, start: &Origin, (a, b): (OpId, OpId)) -> Option<Sequence> {
        let mut builder = Builder::new(self.plan);
        let steps = self.sequences[start.sequence as usize].steps();
        let steps = steps.take(start.step as usize).cloned().collect();
        let base = builder.append(&Sequence::from_steps(steps)).ok()?;
        let value = base + start.slots.first()?;
        for turn in 0..TURNS {
            for op in [a, b] {
                let mut args = vec![value];
                for input in &self.plan.operation(op).inputs[1..] {
                    let literal = self.literal(input.ty, turn)?;
                    args.push(builder.literal(input.ty, literal).ok()?);
                }
                builder.call(op, &args).ok()?;
            }
        }
        Some(builder.finish())
    }

    /// A call as it was seen, and another one on the same value; it is given what the first one
    /// was given, but for so many of them.
    fn drill(&self, origin: &Origin, second: OpId, skip: usize) -> Option<Sequence> {
        let steps = self.sequences[origin.sequence as usize].steps();
        let steps: Vec<Step> = steps.take(origin.step as usize + 1).cloned().collect();
        let mut builder = Builder::new(self.plan);
        builder.append(&Sequence::from_steps(steps.clone())).ok()?;
        let mut args = vec![*origin.slots.first()?];
        for input in &self.plan.operation(second).inputs[1..] {
            let given =
                origin.slots[1 + skip..].iter().find_map(|slot| match &steps[*slot as usize] {
                    Step::Literal(ty, literal) if *ty == input.ty => Some(literal.clone()),
                    _ => None,
                });
            args.push(builder.literal(input.ty, given?).ok()?);
        }
        builder.call(second, &args).ok()?;
        Some(builder.finish())
    }
}
