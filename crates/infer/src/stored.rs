//! What is asked of the objects that earlier runs have left, where no value of this run is
//! known to have what is wanted.

use crate::data::positions;
use crate::reduce::{Goal, Reduction};
use crate::table::Atom;
use crate::template::Form;
use crate::vocabulary::{Reading, reading_of};
use testsmith_model::observation::Term;

impl Reduction<'_, '_> {
    /// For each value of a goal that nobody has: a condition as the store takes it,
    /// `a::List: !is_empty && len > 3`.
    pub fn conditions(&self, goal: &Goal) -> Vec<String> {
        let types = self.data.types(goal.watch);
        let terms = &self.data.watches[goal.watch].before;
        let mut all = vec![];
        for (n, ty) in types.iter().enumerate().take(types.len() - 1) {
            let own = |(atom, _): &&(Atom, bool)| {
                atom.variables().all(|column| positions(&terms[column]) == [n])
            };
            let own: Vec<(Atom, bool)> = goal.wants.iter().filter(own).copied().collect();
            let tests: Option<Vec<String>> =
                own.iter().map(|(atom, wanted)| self.test(terms, atom, *wanted)).collect();
            let Some(tests) = tests.filter(|tests| !tests.is_empty()) else { continue };
            if self.sources(&types, &[n], &own, terms).is_empty() {
                all.push(format!("{}: {}", self.plan.ty(*ty).ty, tests.join(" && ")));
            }
        }
        all
    }

    /// One query against a number; none if it is more than that.
    fn test(&self, terms: &[Term], atom: &Atom, wanted: bool) -> Option<String> {
        let atom = if wanted { *atom } else { atom.opposite() };
        let Term::Query { op, .. } = terms[usize::from(atom.a)] else { return None };
        let operation = self.plan.operation(op);
        let name = match reading_of(self.plan, operation.output)?.0 {
            Reading::Variant(method) => format!("{}.{method}", operation.callee.name()),
            _ => operation.callee.name().to_owned(),
        };
        match atom.form {
            Form::Says { yes } => Some(format!("{}{name}", if yes { "" } else { "!" })),
            Form::Constant { relation } => Some(format!("{name} {} {}", relation.text(), atom.c)),
            Form::Pair { .. } | Form::Means { .. } => None,
        }
    }
}
