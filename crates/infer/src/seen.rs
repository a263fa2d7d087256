//! The calls behind a clause: those that keep it, those that break it, and the same
//! clause in terms of what was seen of another build.

use crate::contracts::Clause;
use crate::data::{Contract, Data, Origin};
use crate::table::{Atom, Class};
use crate::words::Words;
use testsmith_model::Sequence;
use testsmith_model::observation::{Term, UNKNOWN};

/// One of the calls, or tuples of values, that gave a combination of answers first.
#[derive(Clone, Copy)]
pub struct Call<'d> {
    pub sequence: &'d Sequence,
    /// The step of the call; of values, behind the last one.
    pub step: usize,
    /// The steps that made the values of the tuple.
    pub slots: &'d [u32],
    /// Its number among the different answers of the watch.
    pub row: usize,
}

impl Data<'_> {
    /// One call for each combination of answers that was seen, those of the shortest
    /// sequences first.
    pub fn calls(&self, watch: usize) -> Vec<Call<'_>> {
        let calls = self.origins[watch].iter().enumerate().map(|(row, origin)| {
            let Origin { sequence, step, slots } = origin;
            let sequence = &self.sequences[*sequence as usize];
            Call { sequence, step: *step as usize, slots, row }
        });
        let mut calls: Vec<Call> = calls.collect();
        calls.sort_by_key(|call| (call.step.min(call.sequence.len()), call.row));
        calls
    }

    /// The answer in a column of one of the calls of a watch, if there is one.
    pub fn answer(&self, watch: usize, row: usize, column: usize) -> Option<i64> {
        let answer = self.tables[watch].columns[column][row];
        (answer != UNKNOWN).then_some(answer)
    }

    /// Whether one of the calls of its watch keeps a clause; none if it says nothing of it.
    pub fn keeps(&self, contract: &Contract, row: usize) -> Option<bool> {
        let columns = &self.tables[contract.watch].columns;
        contract.clause.holds(|column| columns[column][row])
    }

    /// How many different combinations of answers keep a clause.
    pub fn different(&self, contract: &Contract) -> usize {
        let rows = 0..self.tables[contract.watch].rows();
        rows.filter(|row| self.keeps(contract, *row) == Some(true)).count()
    }

    /// Calls that a clause says something of, and those of them that break it.
    pub fn counts(&self, contract: &Contract) -> (u64, u64) {
        let mut counts = (0, 0);
        for (row, times) in self.tables[contract.watch].times.iter().enumerate() {
            if let Some(kept) = self.keeps(contract, row) {
                counts = (counts.0 + times, counts.1 + u64::from(!kept) * times);
            }
        }
        counts
    }

    /// What a column of a watch asks, as it is written in a clause about both moments.
    pub fn column(&self, watch: usize, column: usize) -> String {
        Words::new(self.plan, &self.watches[watch]).column(column, true)
    }

    /// An answer in a column as it is written in Rust.
    pub fn answer_words(&self, watch: usize, column: usize, answer: i64) -> String {
        if answer == UNKNOWN {
            return "not known".to_owned();
        }
        match self.tables[watch].classes[column] {
            Class::Answer => (answer != 0).to_string(),
            Class::Number { .. } | Class::Name { .. } => {
                Words::new(self.plan, &self.watches[watch]).constant(column, answer)
            }
        }
    }

    /// The question of a column.
    pub fn term(&self, watch: usize, column: usize) -> Term {
        let watch = &self.watches[watch];
        *watch.before.iter().chain(&watch.after).nth(column).expect("a column of the watch")
    }

    /// A condition that may be one before the call, in words.
    pub fn atom_words(&self, watch: usize, atom: &Atom, tell_old: bool) -> String {
        Words::new(self.plan, &self.watches[watch]).atom(atom, tell_old)
    }

    /// The same clause about what was seen here, at a watch of the same function.
    pub fn translated(&self, from: &Data, contract: &Contract, watch: usize) -> Option<Contract> {
        let columns = |data: &Data, watch: usize| -> Vec<String> {
            let Some(of) = data.watches.get(watch) else { return vec![] };
            (0..of.before.len() + of.after.len()).map(|n| data.column(watch, n)).collect()
        };
        let (theirs, ours) = (columns(from, contract.watch), columns(self, watch));
        let moved = |column: u16| {
            let asked = theirs.get(usize::from(column))?;
            ours.iter().position(|known| known == asked).map(|n| n as u16)
        };
        let atom = |atom: Atom| Some(Atom { a: moved(atom.a)?, b: moved(atom.b)?, ..atom });
        let when = match contract.clause.when {
            Some(when) => Some(atom(when)?),
            None => None,
        };
        let clause = Clause { when, atom: atom(contract.clause.atom)?, ..contract.clause };
        Some(Contract { watch, clause, support: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::Kind;
    use crate::template::Form;
    use testsmith_model::relation::Relation;

    #[test]
    fn a_clause_says_nothing_where_its_condition_does_not_hold() {
        let says = Atom { form: Form::Says { yes: true }, a: 0, b: 0, c: 0 };
        let form = Form::Pair { relation: Relation::Equal, plus: 1 };
        let grows = Atom { form, a: 2, b: 1, c: 0 };
        let clause = Clause { kind: Kind::Ensures, when: Some(says), atom: grows };
        let check = |row: [i64; 3]| clause.holds(|column| row[column]);
        assert_eq!(check([1, 4, 5]), Some(true));
        assert_eq!(check([1, 4, 4]), Some(false));
        assert_eq!(check([0, 4, 4]), None);
        assert_eq!(check([UNKNOWN, 4, 5]), None);
        assert_eq!(check([1, UNKNOWN, 5]), None);
    }
}
