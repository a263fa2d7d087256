//! Clauses that hold in all but very few of very many calls.
//!
//! Most of those are no news: a container is full or empty, a query says why, the result
//! says that nothing was done, or two numbers were rarely seen to differ by chance. A clause
//! is suspected if it is like a law, that is, if it would often fail were its two sides
//! unrelated and was seen in many states, and if its exceptions are few. Then calls are made
//! that are like the exceptions but for one thing. If one condition, at an end of a scale or
//! in the words of one query, explains all exceptions that are known by then, they are a case
//! of their own and by design. If they have something else in common, two conditions, one
//! number in the middle of a scale or a small region of states, they are told.

use crate::contracts::{Clause, Kind, Known, candidates, conditions};
use crate::table::{Atom, Class, Table};
use crate::template::{Form, templates};
use std::collections::BTreeSet;
use testsmith_model::observation::UNKNOWN;
use testsmith_model::relation::Relation;

/// Calls that keep a clause, at least.
const LEAST_CALLS: u64 = 300;
/// And so many for each one that does not.
const CALLS_FOR_ONE: u64 = 100;
/// Different states before the calls that keep it.
const LEAST_STATES: usize = 24;
/// The share of calls in which it would fail by chance, if its sides were unrelated.
const LEAST_CHANCE: f64 = 0.2;
/// Where the condition of a clause does not hold, the clause does not either, in so many.
const DECIDES: f64 = 0.9;
/// Calls that are exceptions, after others like them were made.
const LEAST_EXCEPTIONS: u64 = 4;
/// A condition explains the exceptions if so many of its calls are exceptions.
const EXPLAINS: f64 = 0.125;
/// And is their cause if most are.
const CAUSES: f64 = 0.5;
/// A region of states is small if it has no more than this share of the calls.
const SMALL: f64 = 0.1;
/// Rows that are looked at before a clause is given up for good.
const FIRST_LOOK: usize = 64;
/// Conditions of a clause `old(A) ==> C` that are tried.
const MAX_CONDITIONS: usize = 16;
/// What is compared to see what chance would give.
const SHIFTS: [usize; 4] = [2, 3, 5, 7];

/// A clause like a law, with few exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearClause {
    pub clause: Clause,
    /// Calls that keep it, and calls that do not.
    pub held: u64,
    pub broken: u64,
    /// The rows of the exceptions.
    pub exceptions: Vec<usize>,
}

/// What exceptions have in common that is not by design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The rows of all exceptions.
    pub exceptions: Vec<usize>,
    /// One condition or two that hold in these and in few calls besides; none if it is
    /// only a small region that has no such words.
    pub atoms: Vec<Atom>,
    /// The row that is most like the first exception and keeps the clause.
    pub nearest: usize,
}

/// What the columns of a table have to do with each other.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    /// Columns that may say why: what was before the call, and whether it was refused.
    pub causes: Vec<usize>,
    /// Columns of one question before and after the call.
    pub twins: Vec<(usize, usize)>,
    /// Of two calls: that both were given the same.
    pub equals: Vec<Atom>,
    /// Of two calls: numbers that the second gives, and numbers of the first. Only what
    /// lies between these is asked; the rest is between one call and its value.
    pub between: Option<(Vec<usize>, Vec<usize>)>,
}

impl Sides {
    fn allow(&self, atom: &Atom) -> bool {
        let (a, b) = (usize::from(atom.a), usize::from(atom.b));
        let lies =
            |(second, first): &(Vec<usize>, Vec<usize>)| second.contains(&a) && first.contains(&b);
        self.between.as_ref().is_none_or(lies)
    }
}

/// The near-contracts of a table, the most telling first.
pub fn near(table: &Table, known: &Known, sides: &Sides) -> Vec<NearClause> {
    let calls: u64 = table.times.iter().sum();
    if calls < LEAST_CALLS || table.rows() < LEAST_STATES {
        return vec![];
    }
    let whens = sides.equals.iter().copied().chain(conditions(table, known)).take(MAX_CONDITIONS);
    let mut found: Vec<NearClause> = vec![];
    for when in std::iter::once(None).chain(whens.map(Some)) {
        let marks = when.as_ref().map(|when| table.marks(when));
        let among = Among { table, sides, when, marks: marks.as_deref() };
        for atom in promises(table, known, when.is_some()).filter(|atom| sides.allow(atom)) {
            let Some(near) = among.near(&atom) else { continue };
            // What has the same exceptions is the same news; the first reads best.
            let same = |other: &NearClause| other.exceptions == near.exceptions;
            if !found.iter().any(same) {
                found.push(near);
            }
        }
    }
    found.sort_by_key(|near| rank(&near.clause, near.held, near.broken));
    found
}

/// What is told first: what says the most, and of that what has the fewest exceptions.
pub(crate) fn rank(clause: &Clause, held: u64, broken: u64) -> (bool, std::cmp::Reverse<u64>) {
    let sharp = matches!(
        clause.atom.form,
        Form::Says { .. } | Form::Pair { relation: Relation::Equal, .. }
    );
    (!sharp, std::cmp::Reverse(held / broken.max(1)))
}

/// What the exceptions to a clause have in common; none if they are by design, or too few
/// to say.
pub fn cause(table: &Table, sides: &Sides, clause: &Clause) -> Option<Cause> {
    let row = |row: usize| clause.holds(|column| table.columns[column][row]);
    let rows = |wanted: bool| (0..table.rows()).filter(move |n| row(*n) == Some(wanted));
    let (kept, exceptions): (Vec<usize>, Vec<usize>) =
        (rows(true).collect(), rows(false).collect());
    // What it gives cannot be the reason for what it gives.
    let atom = &clause.atom;
    let promised =
        |column: &usize| *column >= table.before && atom.variables().any(|c| c == *column);
    let causes: Vec<usize> =
        sides.causes.iter().copied().filter(|column| !promised(column)).collect();
    let why = Why { table, causes: &causes, kept: &kept, exceptions: &exceptions };
    let enough = exceptions.len() > 1 && why.calls(exceptions.iter()) >= LEAST_EXCEPTIONS;
    if !enough || why.is_by_design() {
        return None;
    }
    let (atoms, nearest) = (why.cause()?, why.nearest()?);
    Some(Cause { exceptions, atoms, nearest })
}

/// What a call could promise; under a condition only what is sharp.
fn promises<'t>(
    table: &'t Table,
    known: &'t Known,
    sharp: bool,
) -> impl Iterator<Item = Atom> + 't {
    let after = |atom: &Atom| atom.variables().any(|column| column >= table.before);
    let wanted = move |form: Form| match form {
        Form::Says { .. } | Form::Pair { relation: Relation::Equal, .. } => true,
        Form::Constant { .. } => false,
        Form::Pair { .. } | Form::Means { .. } => !sharp,
    };
    let forms = templates().iter().filter(move |template| wanted(template.form));
    let all = forms.flat_map(move |template| {
        candidates(table, template, 0..table.columns.len(), None).into_iter()
    });
    let doubled = |atom: &Atom| atom.variables().any(|c| known.doubled.contains(&(c as u16)));
    all.filter(move |atom| after(atom) && !doubled(atom))
}

/// The rows of a table in which a condition held before.
struct Among<'t> {
    table: &'t Table,
    sides: &'t Sides,
    when: Option<Atom>,
    marks: Option<&'t [bool]>,
}

impl Among<'_> {
    fn has(&self, row: usize) -> bool {
        self.marks.is_none_or(|marks| marks[row])
    }

    fn holds(&self, atom: &Atom, row: usize) -> Option<bool> {
        atom.holds(|column| self.table.columns[column][row])
    }

    fn near(&self, atom: &Atom) -> Option<NearClause> {
        let (kept, exceptions) = self.split(atom)?;
        let calls = |rows: &[usize]| rows.iter().map(|row| self.table.times[*row]).sum::<u64>();
        let (held, broken) = (calls(&kept), calls(&exceptions));
        let few = !exceptions.is_empty() && held >= LEAST_CALLS && held / broken >= CALLS_FOR_ONE;
        if !few || !self.is_spread(&kept) || self.chance(atom, &kept) < LEAST_CHANCE {
            return None;
        }
        let clause = Clause { kind: Kind::Ensures, when: self.when, atom: *atom };
        Some(NearClause { clause, held, broken, exceptions })
    }

    /// The rows that keep a clause and those that do not, unless these are many.
    fn split(&self, atom: &Atom) -> Option<(Vec<usize>, Vec<usize>)> {
        let (mut kept, mut exceptions) = (vec![], vec![]);
        let most = self.table.rows() / 20 + 4;
        for row in (0..self.table.rows()).filter(|row| self.has(*row)) {
            match self.holds(atom, row) {
                Some(true) => kept.push(row),
                Some(false) => exceptions.push(row),
                None => {}
            }
            let early = kept.len() + exceptions.len() <= FIRST_LOOK;
            if exceptions.len() > most || early && exceptions.len() > FIRST_LOOK / 8 {
                return None;
            }
        }
        (!exceptions.is_empty()).then_some((kept, exceptions))
    }

    /// Whether it was kept in many different states.
    fn is_spread(&self, kept: &[usize]) -> bool {
        let mut states: BTreeSet<Vec<i64>> = BTreeSet::new();
        for row in kept {
            let state = self.table.columns[..self.table.before].iter().map(|column| column[*row]);
            states.insert(state.collect());
            if states.len() >= LEAST_STATES {
                return true;
            }
        }
        false
    }

    /// In what share of the rows it would fail if its sides had nothing to do with each
    /// other; of an answer, if the call had left it as it was, or under no condition.
    fn chance(&self, atom: &Atom, kept: &[usize]) -> f64 {
        let share = |failed: usize, of: usize| failed as f64 / of.max(1) as f64;
        if atom.a != atom.b {
            let mut failed = 0;
            for by in SHIFTS {
                let by = kept.len() / by + 1;
                for (n, row) in kept.iter().enumerate() {
                    let other = kept[(n + by) % kept.len()];
                    let at = |c: usize| if c == usize::from(atom.a) { *row } else { other };
                    failed +=
                        usize::from(atom.holds(|c| self.table.columns[c][at(c)]) == Some(false));
                }
            }
            return share(failed, kept.len() * SHIFTS.len());
        }
        let before = self.sides.twins.iter().find(|(_, after)| *after == usize::from(atom.a));
        let was = before.map_or(0.0, |(before, _)| {
            let was = Atom { a: *before as u16, b: *before as u16, ..*atom };
            let failed = kept.iter().filter(|row| self.holds(&was, **row) == Some(false));
            share(failed.count(), kept.len())
        });
        let others: Vec<usize> = (0..self.table.rows()).filter(|row| !self.has(*row)).collect();
        let failed = others.iter().filter(|row| self.holds(atom, **row) == Some(false)).count();
        // A condition that decides nothing is none.
        let decides = share(failed, others.len()) >= DECIDES && !others.is_empty();
        was.max(f64::from(u8::from(decides)))
    }
}

/// Looks for what exceptions have in common.
struct Why<'w> {
    table: &'w Table,
    causes: &'w [usize],
    kept: &'w [usize],
    exceptions: &'w [usize],
}

impl Why<'_> {
    fn value(&self, column: usize, row: usize) -> i64 {
        self.table.columns[column][row]
    }

    fn holds(&self, atom: &Atom, row: usize) -> bool {
        atom.holds(|column| self.value(column, row)) == Some(true)
    }

    fn calls<'r>(&self, rows: impl Iterator<Item = &'r usize>) -> u64 {
        rows.map(|row| self.table.times[*row]).sum()
    }

    /// Of the calls in which all these hold, the share that are exceptions.
    fn precision(&self, atoms: &[Atom]) -> f64 {
        let all = |row: &&usize| atoms.iter().all(|atom| self.holds(atom, **row));
        let broken = self.calls(self.exceptions.iter().filter(all));
        let kept = self.calls(self.kept.iter().filter(all));
        broken as f64 / (broken + kept).max(1) as f64
    }

    /// Whether they are a case of their own: where a query or the result says so, at an end
    /// of a scale, or where two numbers meet.
    fn is_by_design(&self) -> bool {
        self.shared(false).iter().any(|atom| self.precision(&[*atom]) >= EXPLAINS)
    }

    /// The conditions that hold in all exceptions; with those that name one number.
    fn shared(&self, points: bool) -> Vec<Atom> {
        let mut all = vec![];
        let mut add = |form, a: usize, b: usize, c| {
            all.push(Atom { form, a: a as u16, b: b as u16, c });
        };
        for (n, a) in self.causes.iter().copied().enumerate() {
            let values = || self.exceptions.iter().map(|row| self.value(a, *row));
            if values().any(|value| value == UNKNOWN) {
                continue;
            }
            if self.table.classes[a] == Class::Answer {
                for yes in [true, false] {
                    add(Form::Says { yes }, a, a, 0);
                }
                continue;
            }
            let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
            if let Class::Name { .. } = self.table.classes[a] {
                add(Form::Constant { relation: Relation::Equal }, a, a, least);
                continue;
            }
            add(Form::Constant { relation: Relation::AtLeast }, a, a, least);
            add(Form::Constant { relation: Relation::AtMost }, a, a, most);
            if points && least == most {
                add(Form::Constant { relation: Relation::Equal }, a, a, least);
            }
            let numbers = |b: &usize| matches!(self.table.classes[*b], Class::Number { .. });
            for b in self.causes[..n].iter().copied().filter(numbers) {
                for (relation, plus) in MEETINGS {
                    add(Form::Pair { relation, plus }, a, b, 0);
                }
            }
        }
        all.retain(|atom| self.exceptions.iter().all(|row| self.holds(atom, *row)));
        all
    }

    /// One condition, or two, that hold in the exceptions and in few calls besides; or all
    /// that they have in common, if that is a small region.
    fn cause(&self) -> Option<Vec<Atom>> {
        let shared = self.shared(true);
        let mut single: Vec<(Atom, f64)> =
            shared.iter().map(|atom| (*atom, self.precision(&[*atom]))).collect();
        single.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (first, precision) = *single.first()?;
        single.truncate(MOST_PAIRED);
        let mut best: (Vec<Atom>, f64) = (vec![first], precision + MUCH_MORE);
        for (n, (b, _)) in single.iter().enumerate() {
            for (a, _) in single[..n].iter().filter(|(a, _)| a.a != b.a) {
                let precision = self.precision(&[*a, *b]);
                if precision > best.1 {
                    best = (vec![*a, *b], precision);
                }
            }
        }
        if self.precision(&best.0) >= CAUSES {
            return Some(best.0);
        }
        let all = |row: &&usize| shared.iter().all(|atom| self.holds(atom, **row));
        let inside = self.calls(self.kept.iter().filter(all));
        let kept = self.calls(self.kept.iter());
        (inside as f64 <= SMALL * kept as f64).then(Vec::new)
    }

    /// The row that keeps the clause and differs from the first exception in the fewest
    /// answers, and there the least.
    fn nearest(&self) -> Option<usize> {
        let first = *self.exceptions.first()?;
        let distance = |row: &&usize| {
            let columns = self.causes.iter();
            let apart = columns.map(|c| self.value(*c, **row).abs_diff(self.value(*c, first)));
            apart.fold((0, 0u64), |(differ, sum), apart| {
                (differ + usize::from(apart > 0), sum.saturating_add(apart))
            })
        };
        self.kept.iter().min_by_key(distance).copied()
    }
}

/// Two conditions have to say so much more than one.
const MUCH_MORE: f64 = 0.2;
/// Conditions that are put together in pairs.
const MOST_PAIRED: usize = 40;

/// Where two numbers meet, or pass each other.
const MEETINGS: [(Relation, i64); 7] = [
    (Relation::Equal, 0),
    (Relation::Equal, 1),
    (Relation::Equal, -1),
    (Relation::Less, 0),
    (Relation::AtMost, 0),
    (Relation::Greater, 0),
    (Relation::AtLeast, 0),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// `turns`, `gear`, `locked` before; `turns`, and whether it was done, after; for so
    /// many turns and gears.
    fn table(many: [i64; 2], turns_after: impl Fn(i64, i64, bool) -> i64) -> (Table, Sides) {
        let (yes, number) = (Class::Answer, Class::Number { least: 0 });
        let classes = vec![number, number, yes, number, yes];
        let mut table = Table { classes, before: 3, columns: vec![vec![]; 5], times: vec![] };
        for turns in 0..many[0] {
            for gear in 0..many[1] {
                for locked in [false, true] {
                    let after = turns_after(turns, gear, locked);
                    let row = [turns, gear, i64::from(locked), after, i64::from(after != turns)];
                    table.push(row.into_iter(), 2);
                }
            }
        }
        (table, Sides { causes: vec![0, 1, 2, 4], twins: vec![(0, 3)], ..Sides::default() })
    }

    /// Calls that keep a clause, calls that do not, and the causes by column and number.
    type Told = (u64, u64, Vec<(u16, i64)>);

    /// How much is suspected, and what is told in the end.
    fn told(many: [i64; 2], turns_after: impl Fn(i64, i64, bool) -> i64) -> (usize, Vec<Told>) {
        let (table, sides) = table(many, turns_after);
        let suspects = near(&table, &Known::default(), &sides);
        let told = |near: &NearClause| {
            let cause = cause(&table, &sides, &near.clause)?;
            let atoms = cause.atoms.iter().map(|atom| (atom.a, atom.c));
            Some((near.held, near.broken, atoms.collect()))
        };
        (suspects.len(), suspects.iter().filter_map(told).collect())
    }

    #[test]
    fn what_has_two_causes_is_told_with_both_numbers_and_both_causes() {
        let (_, all) =
            told([20, 60], |turns, gear, locked| turns + if gear == 25 && locked { 2 } else { 1 });
        assert!(all.contains(&(4760, 40, vec![(1, 25), (2, 0)])), "{all:?}");
    }

    #[test]
    fn a_small_region_is_told_without_a_cause() {
        let odd = |turns: i64, gear: i64| (8..12).contains(&turns) && (20..32).contains(&gear);
        let (_, all) = told([20, 60], |turns, gear, locked| {
            turns + if odd(turns, gear) && (turns + gear) % 3 == 0 && locked { 2 } else { 1 }
        });
        assert!(all.contains(&(4768, 32, vec![])), "{all:?}");
    }

    #[test]
    fn one_number_in_the_middle_of_a_scale_is_a_cause() {
        let (_, all) = told([20, 120], |turns, gear, _| turns + if gear == 50 { 2 } else { 1 });
        assert!(all.contains(&(9520, 80, vec![(1, 50)])), "{all:?}");
    }

    #[test]
    fn a_boundary_a_query_and_a_refusal_are_by_design() {
        let none = |(suspects, told): (usize, Vec<Told>)| {
            assert!(suspects > 0, "nothing to decide");
            assert_eq!(told, []);
        };
        // At the end of the scale, and at its beginning.
        none(told([200, 6], |turns, _, _| (turns + 1).min(199)));
        none(told([200, 6], |turns, _, _| (turns - 1).max(0)));
        // Where two numbers meet, in the middle of both.
        none(told([120, 120], |turns, gear, _| turns + i64::from(turns != gear)));
        // Nothing is done, and it says so.
        none(told([40, 20], |turns, gear, _| turns + i64::from(turns % 20 != 7 || gear != 5)));
    }

    #[test]
    fn what_holds_by_chance_is_like_no_law() {
        let more = Form::Pair { relation: Relation::Greater, plus: 0 };
        let chance = |b: u16, turns_after: &dyn Fn(i64, i64, bool) -> i64| {
            let (table, sides) = table([40, 12], turns_after);
            let among = Among { table: &table, sides: &sides, when: None, marks: None };
            let kept: Vec<usize> = (0..table.rows()).collect();
            among.chance(&Atom { form: more, a: 3, b, c: 0 }, &kept)
        };
        assert!(chance(1, &|turns, _, _| turns * 20 + 12) < LEAST_CHANCE, "large against small");
        assert!(chance(0, &|turns, _, _| turns + 1) > LEAST_CHANCE, "one follows the other");
    }
}
