//! The comparisons that an operation makes itself, as conditions on what can be asked before
//! a call of it.
//!
//! Only what the vocabulary can say is taken, so a private field is one only where a query
//! has its name.

use crate::data::Data;
use crate::table::{Atom, Class};
use crate::template::Form;
use testsmith_model::Callee;
use testsmith_model::branch::{Branch, Side};
use testsmith_model::observation::{Occasion, Term};

/// Comparisons of one operation that are made use of.
const MOST: usize = 8;

impl Data<'_> {
    /// What an operation compares, as conditions on the columns of its watch.
    pub(crate) fn branches(&self, watch: usize) -> Vec<Atom> {
        let Occasion::Call { op } = self.watches[watch].occasion else { return vec![] };
        let callee = &self.plan.operation(op).callee;
        let owner = match callee {
            Callee::Item { .. } => "",
            _ => callee.of().map_or("", |of| of.name()),
        };
        let own = self
            .plan
            .branches
            .iter()
            .filter(|branch| branch.owner == owner && branch.function == callee.name());
        let mut all: Vec<Atom> = own.filter_map(|branch| self.branch(watch, branch)).collect();
        all.sort();
        all.dedup();
        all.truncate(MOST);
        all
    }

    fn branch(&self, watch: usize, branch: &Branch) -> Option<Atom> {
        let relation = branch.relation;
        let a = self.column_of(watch, &branch.left)?;
        let (form, b, c) = match &branch.right {
            Some(right) => {
                (Form::Pair { relation, plus: branch.plus }, self.column_of(watch, right)?, 0)
            }
            None => (Form::Constant { relation }, a, branch.plus),
        };
        Some(Atom { form, a, b, c })
    }

    /// The number before the call that a side of a comparison is about.
    fn column_of(&self, watch: usize, side: &Side) -> Option<u16> {
        let Occasion::Call { op } = self.watches[watch].occasion else { return None };
        let inputs = &self.plan.operation(op).inputs;
        let at = inputs.iter().position(|input| input.name == side.of)? as u8;
        let fits = |term: &Term| match (term, side.member.as_deref()) {
            (Term::Itself { at: of }, None) => *of == at,
            // The length is what is read of a text or a collection.
            (Term::Itself { at: of }, Some("len")) => *of == at,
            (Term::Query { op, at: of }, Some(member)) => {
                *of == at && self.plan.operation(*op).callee.name() == member
            }
            _ => false,
        };
        let number = |(n, _): &(usize, &Term)| {
            matches!(self.tables[watch].classes[*n], Class::Number { .. })
        };
        let mut columns = self.watches[watch].before.iter().enumerate().filter(number);
        columns.find(|(_, term)| fits(term)).map(|(n, _)| n as u16)
    }
}
