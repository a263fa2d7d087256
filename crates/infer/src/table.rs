//! Answers in columns, so that a condition is looked at for all calls in one go.

use crate::template::Form;
use testsmith_model::observation::UNKNOWN;
use testsmith_model::relation::Relation;

/// What a column is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Yes or no.
    Answer,
    /// Numbers from this one on.
    Number { least: i64 },
    /// Names of one enum; two of the same may be compared if they can be.
    Name { of: u32, equal: bool },
}

/// The answers around calls of one operation, or about values of one type. Columns come
/// before and after the call; a row may stand for many calls.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub classes: Vec<Class>,
    /// How many columns were answered before the call.
    pub before: usize,
    pub columns: Vec<Vec<i64>>,
    pub times: Vec<u64>,
}

/// A condition on columns of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    pub form: Form,
    pub a: u16,
    /// The same as `a` where the form has one side only.
    pub b: u16,
    pub c: i64,
}

impl Atom {
    /// Whether it holds of the answers of one row; none if one is not known.
    pub fn holds(&self, answer: impl Fn(usize) -> i64) -> Option<bool> {
        let (a, b) = (answer(self.a.into()), answer(self.b.into()));
        (a != UNKNOWN && b != UNKNOWN).then(|| self.form.holds(a, b, self.c))
    }

    /// Whether it says no more than that a number is not beyond another.
    pub fn is_bound(&self) -> bool {
        match self.form {
            Form::Constant { relation } | Form::Pair { relation, .. } => {
                !matches!(relation, Relation::Equal | Relation::Unequal)
            }
            Form::Says { .. } | Form::Means { .. } => false,
        }
    }

    /// The condition that holds where this one does not.
    pub fn opposite(&self) -> Atom {
        let form = match self.form {
            Form::Says { yes } => Form::Says { yes: !yes },
            Form::Constant { relation } => Form::Constant { relation: relation.opposite() },
            Form::Pair { relation, plus } => Form::Pair { relation: relation.opposite(), plus },
            Form::Means { relation } => Form::Means { relation: relation.opposite() },
        };
        Atom { form, ..*self }
    }

    /// The columns that it speaks of.
    pub fn variables(&self) -> impl Iterator<Item = usize> {
        let second = (self.b != self.a).then_some(usize::from(self.b));
        std::iter::once(usize::from(self.a)).chain(second)
    }
}

/// How often a condition was seen to hold, if it did in all calls that say so.
pub type Support = Option<u64>;

impl Table {
    pub fn rows(&self) -> usize {
        self.times.len()
    }

    /// Adds a row.
    pub fn push(&mut self, answers: impl Iterator<Item = i64>, times: u64) {
        let mut columns = self.columns.iter_mut();
        for answer in answers {
            columns.next().expect("a row has as many answers as there are columns").push(answer);
        }
        self.times.push(times);
    }

    /// In how many calls an atom holds, among the rows that are marked, or none if there
    /// is one where it does not.
    pub fn support(&self, atom: &Atom, among: Option<&[bool]>) -> Support {
        let (a, b) = (&self.columns[usize::from(atom.a)], &self.columns[usize::from(atom.b)]);
        let c = atom.c;
        // One loop for each form, so that nothing is decided inside it.
        macro_rules! each {
            ($($form:pat => $holds:expr),* $(,)?) => {
                match atom.form {
                    $($form => count(a, b, &self.times, among, $holds),)*
                }
            };
        }
        each!(
            Form::Says { yes } => |a, _| (a != 0) == yes,
            Form::Constant { relation } => |a, _| relation.holds(a, c),
            Form::Pair { relation, plus } => |a, b| relation.holds(a, b.wrapping_add(plus)),
            Form::Means { relation } => |a, b| (a != 0) == relation.holds(b, 0),
        )
    }

    /// The rows where an atom holds.
    pub fn marks(&self, atom: &Atom) -> Vec<bool> {
        let row = |n: usize| atom.holds(|column| self.columns[column][n]) == Some(true);
        (0..self.rows()).map(row).collect()
    }

    /// The rows where it is known not to hold, with how many calls they stand for.
    pub fn exceptions(&self, atom: &Atom, when: Option<&Atom>) -> Vec<usize> {
        let at = |atom: &Atom, n: usize| atom.holds(|column| self.columns[column][n]);
        let meant = |n: &usize| when.is_none_or(|when| at(when, *n) == Some(true));
        (0..self.rows()).filter(meant).filter(|n| at(atom, *n) == Some(false)).collect()
    }

    /// The one number of a column, among these rows; none if there are several or none.
    pub fn only(&self, column: usize, among: Option<&[bool]>) -> Option<i64> {
        let values = self.columns[column].iter().enumerate();
        let meant = values.filter(|(n, _)| among.is_none_or(|among| among[*n]));
        let mut known = meant.map(|(_, value)| *value).filter(|value| *value != UNKNOWN);
        let first = known.next()?;
        known.all(|value| value == first).then_some(first)
    }
}

/// Calls in which the condition holds, or none as soon as it does not.
#[inline(always)]
fn count(
    a: &[i64],
    b: &[i64],
    times: &[u64],
    among: Option<&[bool]>,
    holds: impl Fn(i64, i64) -> bool,
) -> Support {
    /// Rows between two looks at whether it still holds.
    const BLOCK: usize = 1024;
    let mut calls = 0;
    for start in (0..a.len()).step_by(BLOCK) {
        let end = (start + BLOCK).min(a.len());
        let mut broken = false;
        for n in start..end {
            let known = a[n] != UNKNOWN && b[n] != UNKNOWN && among.is_none_or(|among| among[n]);
            broken |= known && !holds(a[n], b[n]);
            calls += if known { times[n] } else { 0 };
        }
        if broken {
            return None;
        }
    }
    Some(calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn support_counts_calls_and_ends_at_the_first_exception() {
        let classes = vec![Class::Number { least: 0 }; 2];
        let mut table = Table { classes, before: 1, columns: vec![vec![], vec![]], times: vec![] };
        for n in 0..3000 {
            table.push([n, n + 1].into_iter(), 2);
        }
        table.push([UNKNOWN, 0].into_iter(), 7);
        let form = Form::Pair { relation: Relation::Equal, plus: 1 };
        let more = Atom { form, a: 1, b: 0, c: 0 };
        assert_eq!(table.support(&more, None), Some(6000));
        assert_eq!(table.exceptions(&more, None), [0; 0]);
        table.push([5, 5].into_iter(), 1);
        assert_eq!(table.support(&more, None), None);
        assert_eq!(table.exceptions(&more, None), [3001]);
        let few = Atom { form: Form::Constant { relation: Relation::Less }, a: 0, b: 0, c: 5 };
        assert_eq!(table.support(&more, Some(&table.marks(&few))), Some(10));
        assert_eq!(table.exceptions(&more, Some(&few)), [0; 0]);
        assert_eq!(table.only(0, Some(&table.marks(&few))), None);
    }
}
