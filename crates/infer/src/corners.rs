//! Corners where an operation was seldom seen. What it promises is most likely to end there.

use crate::contracts::LEAST_SUPPORT;
use crate::data::positions;
use crate::reduce::{Goal, Reduction};
use crate::table::{Atom, Class};
use crate::template::Form;
use testsmith_model::observation::Term;
use testsmith_model::relation::Relation;

/// Corners of one operation.
const CORNERS: usize = 12;

impl Reduction<'_, '_> {
    /// Two numbers of one value that meet, as a length and a capacity; a number that is
    /// given and one of the value that are both zero; an answer about several values where
    /// one of them holds one thing, or more than one.
    pub fn corners(&self, watch: usize) -> Vec<Goal> {
        let terms = &self.data.watches[watch].before;
        let table = &self.data.tables[watch];
        let of = |wanted: fn(&Term) -> bool, class: fn(Class) -> bool| -> Vec<u16> {
            let fits = |column: &usize| wanted(&terms[*column]) && class(table.classes[*column]);
            (0..terms.len()).filter(fits).map(|column| column as u16).collect()
        };
        let number = |class: Class| matches!(class, Class::Number { .. });
        let alone = of(|term| matches!(term, Term::Query { .. }), number);
        let given = of(|term| matches!(term, Term::Itself { .. }), number);
        let together = of(|term| positions(term).len() > 1, |class| class == Class::Answer);
        let against = |relation, a: u16, c: i64| {
            let form = Form::Constant { relation };
            Atom { form, a, b: a, c }
        };
        let zero = |a: u16| against(Relation::Equal, a, 0);
        let mut corners: Vec<Vec<Atom>> = vec![];
        for (n, a) in alone.iter().enumerate() {
            let place = |column: u16| positions(&terms[usize::from(column)]);
            let form = Form::Pair { relation: Relation::Equal, plus: 0 };
            let same = alone[..n].iter().filter(|b| place(**b) == place(*a));
            // Both may be zero at the beginning; that says little.
            let some = against(Relation::AtLeast, *a, 1);
            corners.extend(same.map(|b| vec![Atom { form, a: *a, b: *b, c: 0 }, some]));
        }
        for number in &alone {
            corners.extend(given.iter().map(|given| vec![zero(*given), zero(*number)]));
        }
        for number in &alone {
            let sizes =
                [against(Relation::Equal, *number, 1), against(Relation::AtLeast, *number, 2)];
            for a in &together {
                for yes in [true, false] {
                    let says = Atom { form: Form::Says { yes }, a: *a, b: *a, c: 0 };
                    corners.extend(sizes.map(|size| vec![says, size]));
                }
            }
        }
        let written = self.written(watch);
        let goal = |corner: Vec<Atom>| {
            let wants = corner.into_iter().map(|atom| (atom, true)).chain(written.clone());
            Goal { watch, wants: wants.collect(), written: written.len() }
        };
        corners.retain(|corner| self.calls_in(watch, corner) < LEAST_SUPPORT);
        corners.into_iter().take(CORNERS).map(goal).collect()
    }

    /// Both sides of what an operation compares itself, where it was seldom seen.
    pub fn branches(&self, watch: usize) -> Vec<Goal> {
        let written = self.written(watch);
        let goal = |atom: Atom| {
            let wants = [(atom, true)].into_iter().chain(written.clone()).collect();
            Goal { watch, wants, written: written.len() }
        };
        let both = self.data.branches(watch).into_iter().flat_map(|atom| [atom, atom.opposite()]);
        let seldom = both.filter(|atom| self.calls_in(watch, &[*atom]) < LEAST_SUPPORT);
        seldom.map(goal).collect()
    }

    /// In how many calls all of these hold.
    fn calls_in(&self, watch: usize, atoms: &[Atom]) -> u64 {
        let table = &self.data.tables[watch];
        let all = |row: usize| {
            atoms.iter().all(|atom| atom.holds(|column| table.columns[column][row]) == Some(true))
        };
        let rows = (0..table.rows()).filter(|row| all(*row));
        rows.map(|row| table.times[row]).sum()
    }
}
