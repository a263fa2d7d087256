//! Calls in between: what values lack of a goal is brought about by calls that were seen to.
//!
//! A call brings something about only where it can: a cursor is put on a child only if there is
//! one. What the calls that did it had in common, and those that did not lacked, is wanted of
//! the values, too; and where no values are known that have it, one more call brings that about
//! first.

use crate::data::{Origin, moved, positions};
use crate::reduce::{Goal, Proposal, Reduction, Tuple};
use crate::table::{Atom, Class};
use crate::template::Form;
use std::collections::BTreeSet;
use testsmith_model::observation::{Occasion, Term, UNKNOWN};
use testsmith_model::relation::Relation;
use testsmith_model::{Builder, Mode, OpId, Sequence, Step};

/// Operations that are tried to bring about what is missing.
const STEPS_BETWEEN: usize = 12;
/// And those that are tried to bring about what such an operation needs.
const FIRST_STEPS: usize = 4;

/// A condition on the columns of a watch, and whether it is to hold.
type Want = (Atom, bool);

/// A call that changes a value of the tuple of another operation.
#[derive(Clone, Copy)]
struct Change<'d> {
    op: OpId,
    /// The value in that tuple.
    position: usize,
    /// A call that was seen, and which of its arguments was the value.
    origin: &'d Origin,
    at: usize,
    /// What the values of such calls had before, in terms of the other operation.
    needs: Option<Want>,
}

/// Values for a goal, and the calls that they are handed to first.
struct Way<'d> {
    changes: Vec<Change<'d>>,
    tuples: Vec<Tuple<'d>>,
}

impl<'d> Reduction<'d, '_> {
    /// Calls on values that lack one of the conditions, after calls that were seen to bring it
    /// about; or, where it is not known what is missing, to change anything.
    pub fn propose_between(&self, goal: &Goal) -> Vec<Proposal> {
        let mut ways = vec![];
        for missing in 0..goal.wants.len() {
            let mut kept = goal.wants.clone();
            let want = kept.remove(missing);
            self.ways(goal.watch, &kept, &want, &mut ways);
        }
        let changes = self.changes(goal.watch, None);
        let tuples = self.tuples(goal.watch, &goal.wants, true);
        let any = |change| Way { changes: vec![change], tuples: tuples.clone() };
        ways.extend(changes.into_iter().take(STEPS_BETWEEN).map(any));
        // One of each in turn, so that none goes without.
        let mut all = vec![];
        let longest = ways.iter().map(|way| way.tuples.len()).max().unwrap_or(0);
        for n in 0..longest {
            for way in &ways {
                let Some(tuple) = way.tuples.get(n) else { continue };
                all.extend(self.after_changes(goal.watch, &way.changes, tuple));
                if all.len() >= self.cutoff {
                    return all;
                }
            }
        }
        all
    }

    /// All ways to bring about what is missing of values that have the rest.
    fn ways(&self, watch: usize, kept: &[Want], missing: &Want, ways: &mut Vec<Way<'d>>) {
        let mut plain = None;
        for change in self.changes(watch, Some(missing)).into_iter().take(STEPS_BETWEEN) {
            let Some(need) = change.needs.filter(|need| !kept.contains(need)) else {
                let tuples = plain.get_or_insert_with(|| self.tuples(watch, kept, true));
                ways.push(Way { changes: vec![change], tuples: tuples.clone() });
                continue;
            };
            let able = [kept, &[need]].concat();
            let tuples = self.tuples(watch, &able, false);
            if !tuples.is_empty() {
                ways.push(Way { changes: vec![change], tuples });
                continue;
            }
            let tuples = plain.get_or_insert_with(|| self.tuples(watch, kept, true));
            for first in self.changes(watch, Some(&need)).into_iter().take(FIRST_STEPS) {
                ways.push(Way { changes: vec![first, change], tuples: tuples.clone() });
            }
        }
    }

    /// The calls that lead to a goal, and the one that it is about.
    fn after_changes(
        &self,
        watch: usize,
        changes: &[Change],
        tuple: &Tuple<'_>,
    ) -> Option<Proposal> {
        let (mut builder, args) = self.assemble(tuple)?;
        for Change { op, position, origin, at, .. } in changes {
            let mut given = self.given(&mut builder, origin, *at)?;
            given[*at] = args[*position];
            builder.call(*op, &given).ok()?;
        }
        builder.call(self.op(watch)?, &args).ok()?;
        Some(builder.finish())
    }

    /// What a call that was seen was given beside the value at one place.
    fn given(&self, builder: &mut Builder, origin: &Origin, at: usize) -> Option<Vec<u32>> {
        let sequence = &self.data.sequences[origin.sequence as usize];
        let steps: Vec<Step> = sequence.steps().take(origin.step as usize).cloned().collect();
        let others = (0..origin.slots.len()).filter(|n| *n != at);
        let plain: Option<Vec<(usize, u32)>> = others
            .map(|n| match steps.get(origin.slots[n] as usize)? {
                Step::Literal(ty, literal) => {
                    Some((n, builder.literal(*ty, literal.clone()).ok()?))
                }
                Step::Call(..) => None,
            })
            .collect();
        if let Some(plain) = plain {
            let mut given = vec![0; origin.slots.len()];
            plain.into_iter().for_each(|(n, slot)| given[n] = slot);
            return Some(given);
        }
        let base = builder.append(&Sequence::from_steps(steps)).ok()?;
        Some(origin.slots.iter().map(|slot| base + slot).collect())
    }

    /// Calls that bring about what is missing of a value, or change anything about one.
    fn changes(&self, watch: usize, missing: Option<&Want>) -> Vec<Change<'d>> {
        let types = self.data.types(watch);
        let arity = types.len() - 1;
        let mut found = vec![];
        let mut seen = BTreeSet::new();
        for (n, other) in self.data.watches.iter().enumerate() {
            let Occasion::Call { op } = other.occasion else { continue };
            let inputs = &self.plan.operation(op).inputs;
            for (at, input) in inputs.iter().enumerate() {
                if input.mode != Mode::Exclusive {
                    continue;
                }
                for position in (0..arity).filter(|position| types[*position] == input.ty) {
                    let row = match missing {
                        Some(want) => self.brings_about(watch, n, (position, at), want),
                        None => self.changes_anything(n, at).map(|row| (row, None)),
                    };
                    if let Some((row, needs)) = row
                        && seen.insert((op, position))
                    {
                        let origin = &self.data.origins[n][row];
                        found.push(Change { op, position, origin, at, needs });
                    }
                }
            }
        }
        found
    }

    /// A call of another watch in which the value at `at` comes to satisfy what is missing of
    /// the value at `position`, and what such values have that others lack.
    fn brings_about(
        &self,
        watch: usize,
        other: usize,
        (position, at): (usize, usize),
        (atom, wanted): &Want,
    ) -> Option<(usize, Option<Want>)> {
        let (ours, theirs) = (&self.data.watches[watch], &self.data.watches[other]);
        let table = &self.data.tables[other];
        let terms = atom.variables().map(|column| ours.before[column]);
        let there = |term: Term| {
            let places: Vec<usize> = (0..=position).map(|_| at).collect();
            (positions(&term) == [position]).then(|| moved(&term, &places))
        };
        let terms: Vec<Term> = terms.map(there).collect::<Option<_>>()?;
        let find = |side: &[Term], base: usize| -> Option<Vec<usize>> {
            let column = |term: &Term| side.iter().position(|known| known == term);
            terms.iter().map(|term| Some(base + column(term)?)).collect()
        };
        let (was, is) = (find(&theirs.before, 0)?, find(&theirs.after, table.before)?);
        let holds = |columns: &[usize], row: usize| {
            let first = usize::from(atom.a);
            atom.holds(|n| {
                let n = if n == first { columns[0] } else { columns[columns.len() - 1] };
                table.columns[n][row]
            })
        };
        let lacking = (0..table.rows()).filter(|row| holds(&was, *row) == Some(!wanted));
        let (able, unable): (Vec<usize>, Vec<usize>) =
            lacking.partition(|row| holds(&is, *row) == Some(*wanted));
        let row = *able.first()?;
        let need = self.what_tells(other, at, &able, &unable);
        let need = need.and_then(|need| {
            let places: Vec<usize> = (0..=at).map(|_| position).collect();
            let term = moved(&theirs.before[usize::from(need.a)], &places);
            let column = ours.before.iter().position(|known| *known == term)? as u16;
            Some((Atom { a: column, b: column, ..need }, true))
        });
        Some((row, need))
    }

    /// A condition on the value at one place that all of these calls have, and the fewest of
    /// those.
    fn what_tells(
        &self,
        watch: usize,
        at: usize,
        these: &[usize],
        those: &[usize],
    ) -> Option<Atom> {
        let table = &self.data.tables[watch];
        let terms = &self.data.watches[watch].before;
        let mut best: Option<(usize, Atom)> = None;
        for column in (0..terms.len()).filter(|column| positions(&terms[*column]) == [at]) {
            let a = column as u16;
            let zero = |relation| Form::Constant { relation };
            let forms = match table.classes[column] {
                Class::Answer => [true, false].map(|yes| Form::Says { yes }),
                Class::Number { .. } | Class::Name { .. } => {
                    [Relation::Equal, Relation::Unequal].map(zero)
                }
            };
            // Of names, the one that the first of these has.
            let c = match table.classes[column] {
                Class::Name { .. } => these.first().map_or(0, |row| table.columns[column][*row]),
                _ => 0,
            };
            for atom in forms.map(|form| Atom { form, a, b: a, c }) {
                let holds = |row: &usize| atom.holds(|column| table.columns[column][*row]);
                let without = those.iter().filter(|row| holds(row) == Some(false)).count();
                let tells = without > best.map_or(0, |(most, _)| most);
                if tells && these.iter().all(|row| holds(row) == Some(true)) {
                    best = Some((without, atom));
                }
            }
        }
        best.map(|(_, atom)| atom)
    }

    /// A call of a watch in which anything that is asked of the value at one place changes.
    fn changes_anything(&self, watch: usize, at: usize) -> Option<usize> {
        let (theirs, table) = (&self.data.watches[watch], &self.data.tables[watch]);
        let of_it = |(_, term): &(usize, &Term)| positions(term) == [at];
        let twin = |(was, term): (usize, &Term)| {
            let is = theirs.after.iter().position(|known| known == term)?;
            Some((was, table.before + is))
        };
        let columns = theirs.before.iter().enumerate();
        let pairs: Vec<(usize, usize)> = columns.filter(of_it).filter_map(twin).collect();
        (0..table.rows()).find(|row| {
            pairs.iter().any(|(was, is)| {
                let (was, is) = (table.columns[*was][*row], table.columns[*is][*row]);
                was != UNKNOWN && is != UNKNOWN && was != is
            })
        })
    }
}
