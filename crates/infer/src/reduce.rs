//! Calls that would break a clause, made of values that were seen before.
//!
//! For a precondition: values that satisfy what is written and not what was inferred. For
//! a promise `old(A) ==> C`: values that satisfy `A` and break what else held whenever
//! `A` did. Where no values are known that do, those that nearly do, and an operation
//! that was seen to change what is missing.

use crate::contracts::{Kind, LEAST_SUPPORT};
use crate::data::{Contract, Data, moved, places, positions};
use crate::table::{Atom, Class};
use crate::template::Form;
use crate::vocabulary::{Reading, reading_of};
use crate::words::Words;
use std::collections::BTreeSet;
use testsmith_model::observation::{Occasion, Term, UNKNOWN};
use testsmith_model::sequence::Literal;
use testsmith_model::{Builder, OpId, Plan, Sequence, TypeId};

/// What has to hold before a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub watch: usize,
    /// Conditions, and whether each is to hold or not.
    pub wants: Vec<(Atom, bool)>,
    /// Conditions among them that are written on the operation.
    pub written: usize,
}

/// A sequence whose last call is to reach a goal.
pub type Proposal = Sequence;

pub struct Reduction<'d, 'p> {
    pub(crate) data: &'d Data<'p>,
    pub(crate) plan: &'p Plan,
    /// Tuples that are tried for one goal.
    pub cutoff: usize,
}

/// As in the paper.
pub(crate) const CUTOFF: usize = 45;
/// Values of each side that are paired where no pair is known.
const SIDE: usize = 16;
/// Goals for one promise.
const GOALS_EACH: usize = 4;

/// One source for each group of positions of a tuple that has to come from one place.
pub(crate) type Tuple<'d> = Vec<(Vec<usize>, Source<'d>)>;

/// Where values come from.
#[derive(Clone, Debug)]
pub(crate) enum Source<'s> {
    /// Steps of a sequence, up to this one, and the steps that made the values.
    Steps(&'s Sequence, u32, Vec<u32>),
    Literal(TypeId, Literal),
}

impl<'d, 'p> Reduction<'d, 'p> {
    pub fn new(data: &'d Data<'p>) -> Reduction<'d, 'p> {
        Reduction { data, plan: data.plan, cutoff: CUTOFF }
    }

    /// What would have to hold to break a clause.
    pub fn goals(&self, contract: &Contract) -> Vec<Goal> {
        let Contract { watch, clause, .. } = contract;
        let written = self.written(*watch);
        let goal = |wants: Vec<(Atom, bool)>| {
            let wants: Vec<(Atom, bool)> = wants.into_iter().chain(written.clone()).collect();
            Goal { watch: *watch, wants, written: written.len() }
        };
        let against = |when: &[Atom]| -> Vec<Goal> {
            let others = self.data.required_when(*watch, when).into_iter();
            let held = when.iter().map(|when| (*when, true)).collect::<Vec<_>>();
            let goals = others.map(|other| goal([&held[..], &[(other, false)]].concat()));
            goals.take(GOALS_EACH).collect()
        };
        let cases = self.cases(*watch, &clause.atom);
        match (clause.kind, clause.when) {
            (Kind::Requires, _) => vec![goal(vec![(clause.atom, false)])],
            (_, Some(when)) => {
                let both = cases.into_iter().filter(|case| case.a != when.a);
                let both = both.flat_map(|case| against(&[when, case]));
                against(&[when]).into_iter().chain(both).collect()
            }
            (Kind::Ensures, None) => cases.into_iter().flat_map(|case| against(&[case])).collect(),
            _ => vec![],
        }
    }

    /// An operation of which little was seen is called wherever what is written on it holds.
    pub fn untrodden(&self, watch: usize) -> Option<Goal> {
        self.op(watch)?;
        let seen: u64 = self.data.tables[watch].times.iter().sum();
        let wants = self.written(watch);
        let written = wants.len();
        (seen < LEAST_SUPPORT).then_some(Goal { watch, wants, written })
    }

    /// A promise that depends on an answer before the call is one for yes and one for no.
    fn cases(&self, watch: usize, atom: &Atom) -> Vec<Atom> {
        let table = &self.data.tables[watch];
        let asked =
            |column: &usize| *column < table.before && table.classes[*column] == Class::Answer;
        let columns = atom.variables().filter(asked);
        let says = |column: usize, yes| {
            let column = column as u16;
            Atom { form: Form::Says { yes }, a: column, b: column, c: 0 }
        };
        columns.flat_map(|column| [says(column, true), says(column, false)]).collect()
    }

    /// Whether a clause says what is written on its operation.
    pub fn is_written(&self, contract: &Contract) -> bool {
        let Contract { watch, clause, .. } = contract;
        clause.kind == Kind::Requires && self.written(*watch).contains(&(clause.atom, true))
    }

    /// Whether answers before a call satisfy a goal.
    pub fn is_reached(&self, goal: &Goal, before: &[i64]) -> bool {
        let answer = |column: usize| before.get(column).copied().unwrap_or(UNKNOWN);
        goal.wants.iter().all(|(atom, wanted)| atom.holds(answer) == Some(*wanted))
    }

    /// Calls on values that are known to satisfy a goal, or that may; each is made when it
    /// is asked for.
    pub fn propose<'r>(&'r self, goal: &'r Goal) -> impl Iterator<Item = Proposal> + 'r {
        self.tuples(goal.watch, &goal.wants, true).into_iter().filter_map(|sources| {
            let (mut builder, args) = self.assemble(&sources)?;
            builder.call(self.op(goal.watch)?, &args).ok()?;
            Some(builder.finish())
        })
    }

    pub(crate) fn op(&self, watch: usize) -> Option<OpId> {
        match self.data.watches[watch].occasion {
            Occasion::Call { op } => Some(op),
            Occasion::Values { .. } | Occasion::Pair { .. } => None,
        }
    }

    /// The preconditions written on an operation that the vocabulary can say.
    pub(crate) fn written(&self, watch: usize) -> Vec<(Atom, bool)> {
        let Some(op) = self.op(watch) else { return vec![] };
        let operation = self.plan.operation(op);
        if operation.guard.is_none() {
            return vec![];
        }
        let name = operation.callee.name();
        let named = |written: &str| written.rsplit("::").next() == Some(name);
        let of_it = self.plan.contracts.iter().filter(|contract| named(&contract.name));
        let clauses = of_it.flat_map(|contract| &contract.clauses);
        let texts: BTreeSet<String> =
            clauses.filter(|c| c.kind == "requires").map(|c| bare(&c.text)).collect();
        let watch = &self.data.watches[watch];
        let words = Words::new(self.plan, watch);
        let mut found = vec![];
        for column in 0..watch.before.len() as u16 {
            for yes in [true, false] {
                let form = Form::Says { yes };
                let atom = Atom { form, a: column, b: column, c: 0 };
                if texts.contains(&bare(&words.atom(&atom, false))) {
                    found.push((atom, true));
                }
            }
        }
        found
    }

    /// Tuples for the arguments of an operation that satisfy conditions as far as that is
    /// known; where `guess` says so, also pairs that may satisfy them, of which nobody knows.
    pub(crate) fn tuples(
        &self,
        watch: usize,
        wants: &[(Atom, bool)],
        guess: bool,
    ) -> Vec<Tuple<'d>> {
        let types = self.data.types(watch);
        let arity = types.len() - 1;
        let terms = &self.data.watches[watch].before;
        let mut groups: Vec<Vec<usize>> = (0..arity).map(|n| vec![n]).collect();
        for (atom, _) in wants {
            let about: Vec<usize> =
                atom.variables().flat_map(|column| positions(&terms[column])).collect();
            let (mut one, rest): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
                groups.into_iter().partition(|group| about.iter().any(|n| group.contains(n)));
            groups = rest;
            let mut joined = one.drain(..).flatten().collect::<Vec<usize>>();
            joined.sort_unstable();
            groups.push(joined);
        }
        groups.retain(|group| !group.is_empty());
        groups.sort();
        let mut choices = vec![];
        for group in groups {
            let of_group = |(atom, _): &&(Atom, bool)| {
                atom.variables().all(|c| positions(&terms[c]).iter().all(|n| group.contains(n)))
            };
            let own: Vec<(Atom, bool)> = wants.iter().filter(of_group).copied().collect();
            let found = self.sources(&types, &group, &own, terms);
            match (found.is_empty(), group.as_slice()) {
                (false, _) => choices.push((group, found)),
                // Nobody has seen them together; some may fit all the same.
                (true, group) if guess && group.len() > 1 => {
                    for side in group.iter().copied() {
                        let alone = |(atom, _): &&(Atom, bool)| {
                            atom.variables().all(|c| positions(&terms[c]) == [side])
                        };
                        let own: Vec<(Atom, bool)> = own.iter().filter(alone).copied().collect();
                        let mut found = self.sources(&types, &[side], &own, terms);
                        found.truncate(SIDE);
                        choices.push((vec![side], found));
                    }
                }
                (true, _) => return vec![],
            }
        }
        self.combined(&choices)
    }

    /// Different choices, so that none of the sources is left out before the cut-off.
    fn combined(&self, choices: &[(Vec<usize>, Vec<Source<'d>>)]) -> Vec<Tuple<'d>> {
        if choices.iter().any(|(_, sources)| sources.is_empty()) {
            return vec![];
        }
        let all: usize = choices.iter().map(|(_, sources)| sources.len()).product();
        let most = match choices.len() {
            1 => self.cutoff,
            _ => self.cutoff.max(SIDE * SIDE),
        };
        let mut tuples = vec![];
        for n in 0..all.min(most) {
            // The digits of the number, each in the base of its choice.
            let mut rest = n;
            let mut tuple = vec![];
            for (group, sources) in choices {
                tuple.push((group.clone(), sources[rest % sources.len()].clone()));
                rest /= sources.len();
            }
            tuples.push(tuple);
        }
        tuples
    }

    /// Where values for a group of positions can be had, the shortest first.
    pub(crate) fn sources(
        &self,
        types: &[TypeId],
        group: &[usize],
        wants: &[(Atom, bool)],
        terms: &[Term],
    ) -> Vec<Source<'d>> {
        let of: Vec<TypeId> = group.iter().map(|n| types[*n]).collect();
        let mut found: Vec<(usize, u32, u32, Vec<u32>)> = vec![];
        for (n, watch) in self.data.watches.iter().enumerate() {
            let theirs = self.data.types(n);
            let sides = [(&watch.before, 0, 0), (&watch.after, watch.before.len(), 1)];
            for places in places(&of, &theirs) {
                for (side, base, later) in sides {
                    let column = |column: usize| {
                        let mut to = vec![0; types.len()];
                        group.iter().zip(&places).for_each(|(n, place)| to[*n] = *place);
                        let term = moved(&terms[column], &to);
                        side.iter().position(|known| *known == term).map(|found| base + found)
                    };
                    self.rows_with(n, &places, wants, &column, later, &mut found);
                }
            }
        }
        found.sort();
        found.dedup();
        let steps = |(_, sequence, cut, slots): (usize, u32, u32, Vec<u32>)| {
            Source::Steps(&self.data.sequences[sequence as usize], cut, slots)
        };
        let mut sources: Vec<Source> = found.into_iter().map(steps).take(self.cutoff).collect();
        if let [ty] = of.as_slice() {
            let literals = self.literals(*ty, wants, terms).into_iter().take(self.cutoff);
            sources.extend(literals.map(|one| Source::Literal(*ty, one)));
        }
        sources
    }

    /// Literals of a type that satisfy conditions on nothing but themselves: those of the
    /// crate, and numbers at the bounds that the conditions speak of.
    fn literals(&self, ty: TypeId, wants: &[(Atom, bool)], terms: &[Term]) -> Vec<Literal> {
        let itself = |column: usize| matches!(terms[column], Term::Itself { .. });
        if !wants.iter().all(|(atom, _)| atom.variables().all(itself)) {
            return vec![];
        }
        let known = self.plan.literals.iter().filter(|(literal, _)| *literal == ty);
        let mut all: Vec<Literal> = known.flat_map(|(_, all)| all.iter().cloned()).collect();
        if wants.is_empty() {
            return all;
        }
        if let Some((Reading::Number { least }, 0)) = reading_of(self.plan, ty) {
            let near = wants.iter().flat_map(|(atom, _)| [atom.c - 1, atom.c, atom.c + 1]);
            let numbers = near.chain([0, 1]).filter(|n| *n >= least);
            let numbers: BTreeSet<i64> = numbers.collect();
            all.extend(numbers.into_iter().map(|n| Literal::Int(n.into())));
        } else if all.iter().any(|literal| matches!(literal, Literal::Str(_))) {
            all.push(Literal::Str("".into()));
        }
        let fits = |literal: &Literal| {
            let number = match literal {
                Literal::Int(n) => i64::try_from(*n).ok(),
                Literal::Bool(yes) => Some(i64::from(*yes)),
                Literal::Char(char) => Some(i64::from(u32::from(*char))),
                // A text is read by its length.
                Literal::Str(text) => i64::try_from(text.len()).ok(),
                Literal::Float(_) => None,
            };
            number.is_some_and(|n| {
                wants.iter().all(|(atom, wanted)| atom.holds(|_| n) == Some(*wanted))
            })
        };
        all.retain(fits);
        all
    }

    /// The rows of a watch whose values satisfy conditions, with where they are.
    fn rows_with(
        &self,
        watch: usize,
        places: &[usize],
        wants: &[(Atom, bool)],
        column: &dyn Fn(usize) -> Option<usize>,
        later: u32,
        found: &mut Vec<(usize, u32, u32, Vec<u32>)>,
    ) {
        /// Of values about which nothing is wanted a few are enough.
        const ANY: usize = 400;
        let table = &self.data.tables[watch];
        let mut columns = vec![];
        for (atom, wanted) in wants {
            let (Some(a), Some(b)) = (column(atom.a.into()), column(atom.b.into())) else { return };
            columns.push((Atom { a: a as u16, b: b as u16, ..*atom }, *wanted));
        }
        let most = if wants.is_empty() { ANY } else { table.rows() };
        for (row, origin) in self.data.origins[watch].iter().enumerate().take(most) {
            let answer = |column: usize| table.columns[column][row];
            if !columns.iter().all(|(atom, wanted)| atom.holds(answer) == Some(*wanted)) {
                continue;
            }
            // Of a call, its result comes behind its arguments, and is there afterwards.
            let slot = |place: &usize| match origin.slots.get(*place) {
                Some(slot) => Some(*slot),
                None => (later == 1).then_some(origin.step),
            };
            let slots: Option<Vec<u32>> = places.iter().map(slot).collect();
            let length = self.data.sequences[origin.sequence as usize].len();
            let cut = origin.step + later;
            if let Some(slots) = slots
                && cut as usize <= length
            {
                found.push((cut as usize, origin.sequence, cut, slots));
            }
        }
    }

    /// A sequence that makes the values of a tuple, and which they are.
    pub(crate) fn assemble(
        &self,
        sources: &[(Vec<usize>, Source)],
    ) -> Option<(Builder<'p>, Vec<u32>)> {
        let mut builder = Builder::new(self.plan);
        let mut args = vec![0; sources.iter().map(|(group, _)| group.len()).sum()];
        for (group, source) in sources {
            match source {
                Source::Steps(sequence, cut, slots) => {
                    let steps = sequence.steps().take(*cut as usize).cloned().collect();
                    let base = builder.append(&Sequence::from_steps(steps)).ok()?;
                    group.iter().zip(slots).for_each(|(n, slot)| args[*n] = base + slot);
                }
                Source::Literal(ty, literal) => {
                    args[group[0]] = builder.literal(*ty, literal.clone()).ok()?;
                }
            }
        }
        Some((builder, args))
    }
}

/// A text without the blanks in it.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}
