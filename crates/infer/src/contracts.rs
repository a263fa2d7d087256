//! Which clauses hold in all calls that were seen, the fewest that say it all.
//!
//! Fixed answers come first; whatever speaks of nothing but those is implied. Of columns
//! that are always equal one stands for all. What holds of every value of a type is an
//! invariant of it, and no clause of its operations says so again.

use crate::table::{Atom, Class, Table};
use crate::template::{Form, Of, Template, templates};
use std::collections::{BTreeMap, BTreeSet};
use testsmith_model::observation::UNKNOWN;
use testsmith_model::relation::Relation;

/// A clause that holds in fewer calls than this may be chance.
pub const LEAST_SUPPORT: u64 = 16;
/// Different numbers that have to be seen before it is said that one is the other, and before
/// it is said that none is beyond a bound.
const FEW_NUMBERS: usize = 3;
const LEAST_NUMBERS: usize = 6;
/// Clauses of the form `old(A) ==> C` for one operation.
const MAX_IMPLICATIONS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Requires,
    Ensures,
    Invariant,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Requires => "requires",
            Kind::Ensures => "ensures",
            Kind::Invariant => "invariant",
        }
    }
}

/// A condition that held in all calls, or in all where another held before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clause {
    pub kind: Kind,
    pub when: Option<Atom>,
    pub atom: Atom,
}

impl Clause {
    /// Whether it holds of the answers around one call; none where it does not speak of it,
    /// or where an answer is not known.
    pub fn holds(&self, answer: impl Fn(usize) -> i64) -> Option<bool> {
        let meant = self.when.is_none_or(|when| when.holds(&answer) == Some(true));
        meant.then(|| self.atom.holds(&answer)).flatten()
    }
}

/// What holds already, and need not be said of one operation.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Atoms on columns of this table that hold of all values of their types.
    pub atoms: BTreeSet<Atom>,
    /// Columns that say what another one says as well.
    pub doubled: BTreeSet<u16>,
    /// What the operation compares itself.
    pub branches: Vec<Atom>,
}

/// The clauses of a table with the number of calls that support each.
pub fn infer(table: &Table, known: &Known, of_values: bool) -> Vec<(Clause, u64)> {
    let all = table.columns.len();
    let first = if of_values { Kind::Invariant } else { Kind::Requires };
    let range = 0..table.before;
    let mut clauses: Vec<(Clause, u64)> = minimal(table, known, None, range, |_| true)
        .into_iter()
        .map(|(atom, support)| (Clause { kind: first, when: None, atom }, support))
        .collect();
    // What was seen in one state says nothing of any other.
    let once = table.before > 0 && table.rows() < 2;
    if of_values || once {
        return clauses;
    }
    let after = |atom: &Atom| atom.variables().any(|column| column >= table.before);
    let promises = minimal(table, known, None, 0..all, after);
    let unconditional: BTreeSet<Atom> = promises.iter().map(|(atom, _)| *atom).collect();
    let clause = |(atom, support)| (Clause { kind: Kind::Ensures, when: None, atom }, support);
    clauses.extend(promises.into_iter().map(clause));
    clauses.extend(implications(table, known, &unconditional));
    clauses
}

/// What held before all calls of an operation of which too few were seen to say that it needs
/// it. It may be chance, so it is worth a call without it.
pub fn hunches(table: &Table, known: &Known) -> Vec<(Clause, u64)> {
    let columns = 0..table.before;
    let mut all = supported(table, known, (None, 1), columns, |_| true);
    all.retain(|(_, support)| *support < LEAST_SUPPORT);
    let clause = |(atom, support)| (Clause { kind: Kind::Requires, when: None, atom }, support);
    all.into_iter().map(clause).collect()
}

/// What held before calls in which other conditions held before, and not otherwise.
pub fn required_when(table: &Table, known: &Known, when: &[Atom]) -> Vec<Atom> {
    let all: Vec<Vec<bool>> = when.iter().map(|when| table.marks(when)).collect();
    let marks: Vec<bool> = (0..table.rows()).map(|n| all.iter().all(|one| one[n])).collect();
    let all = minimal(table, known, Some(&marks), 0..table.before, |_| true);
    let new = |atom: &Atom| !when.contains(atom) && table.support(atom, None).is_none();
    all.into_iter().map(|(atom, _)| atom).filter(new).collect()
}

/// Clauses `old(A) ==> C` that say more than those without a condition.
fn implications(
    table: &Table,
    known: &Known,
    unconditional: &BTreeSet<Atom>,
) -> Vec<(Clause, u64)> {
    let mut found = vec![];
    // What is always what it was before needs no condition.
    let same = |atom: &&Atom| {
        let of = |relation| atom.form == Form::Pair { relation, plus: 0 };
        of(Relation::Equal)
            || of(Relation::Unequal) && table.classes[usize::from(atom.a)] == Class::Answer
    };
    let doubled = unconditional.iter().filter(same).map(|atom| atom.a);
    let doubled: BTreeSet<u16> =
        doubled.flat_map(|column| words_for(known, column).chain([column])).collect();
    let after = |atom: &Atom| atom.variables().any(|column| column >= table.before);
    for when in conditions(table, known) {
        let marks = table.marks(&when);
        let known_too = Known {
            atoms: known.atoms.union(unconditional).copied().collect(),
            doubled: known.doubled.union(&doubled).copied().collect(),
            branches: vec![],
        };
        let all = minimal(table, &known_too, Some(&marks), 0..table.columns.len(), after);
        for (atom, support) in all {
            // An order that happens to hold is no consequence.
            let sharp = match atom.form {
                Form::Says { .. } => true,
                Form::Constant { relation } | Form::Pair { relation, .. } => {
                    relation == Relation::Equal
                }
                Form::Means { .. } => false,
            };
            if sharp && table.support(&atom, None).is_none() && found.len() < MAX_IMPLICATIONS {
                found.push((Clause { kind: Kind::Ensures, when: Some(when), atom }, support));
            }
        }
    }
    found
}

/// Conditions before a call that sometimes hold and sometimes do not.
pub(crate) fn conditions(table: &Table, known: &Known) -> Vec<Atom> {
    let often = |atom: &Atom| {
        let marks = table.marks(atom);
        let calls = table.times.iter().zip(&marks).filter(|(_, mark)| **mark);
        calls.map(|(times, _)| *times).sum::<u64>() >= LEAST_SUPPORT
    };
    let mut all = vec![];
    for column in (0..table.before).filter(|column| !known.doubled.contains(&(*column as u16))) {
        let a = column as u16;
        let atom = |form| Atom { form, a, b: a, c: 0 };
        let zero = |relation| atom(Form::Constant { relation });
        let both = match table.classes[column] {
            Class::Answer => [true, false].map(|yes| atom(Form::Says { yes })),
            // A query says the same in a word.
            Class::Number { .. } if is_spelled_out(known, a) => continue,
            Class::Number { .. } => [zero(Relation::Equal), zero(Relation::Unequal)],
            Class::Name { .. } => {
                all.extend(names(table, column));
                continue;
            }
        };
        if both.iter().all(often) {
            all.extend(both);
        }
    }
    // What a query says in a word is not said in numbers.
    let spelled = |atom: &&Atom| {
        matches!(atom.form, Form::Constant { .. }) && atom.c == 0 && is_spelled_out(known, atom.a)
    };
    let own = known.branches.iter().filter(|atom| !spelled(atom));
    let own = own.map(|atom| [*atom, atom.opposite()]);
    let own = own.filter(|both| both.iter().all(often)).flatten();
    let new: Vec<Atom> = own.filter(|atom| !all.contains(atom)).collect();
    all.extend(new);
    all
}

/// That a name is a certain one, for each that was often seen beside others.
fn names(table: &Table, column: usize) -> Vec<Atom> {
    let mut times: BTreeMap<i64, u64> = BTreeMap::new();
    for (name, calls) in table.columns[column].iter().zip(&table.times) {
        *times.entry(*name).or_default() += calls;
    }
    times.remove(&UNKNOWN);
    let all: u64 = times.values().sum();
    let often = |calls: &u64| *calls >= LEAST_SUPPORT && all - calls >= LEAST_SUPPORT;
    let form = Form::Constant { relation: Relation::Equal };
    let a = column as u16;
    let named = times.iter().filter(|(_, calls)| often(calls));
    named.map(|(name, _)| Atom { form, a, b: a, c: *name }).collect()
}

/// Whether an answer says whether this number is zero.
fn is_spelled_out(known: &Known, number: u16) -> bool {
    known.atoms.iter().any(|atom| matches!(atom.form, Form::Means { .. }) && atom.b == number)
}

/// The fewest atoms on these columns that hold among the marked rows.
fn minimal(
    table: &Table,
    known: &Known,
    among: Option<&[bool]>,
    columns: std::ops::Range<usize>,
    wanted: impl Fn(&Atom) -> bool,
) -> Vec<(Atom, u64)> {
    supported(table, known, (among, LEAST_SUPPORT), columns, wanted)
}

/// The same for any number of calls that have to support an atom.
fn supported(
    table: &Table,
    known: &Known,
    (among, least): (Option<&[bool]>, u64),
    columns: std::ops::Range<usize>,
    wanted: impl Fn(&Atom) -> bool,
) -> Vec<(Atom, u64)> {
    let mut said =
        Said { known, fixed: BTreeSet::new(), doubled: known.doubled.clone(), found: vec![] };
    let of_templates =
        templates().iter().map(|template| candidates(table, template, columns.clone(), among));
    let branches = known.branches.iter().flat_map(|atom| [*atom, atom.opposite()]);
    for atom in of_templates.flatten().chain(branches) {
        if said.implies(&atom) {
            continue;
        }
        if known.atoms.contains(&atom) {
            said.note(&atom);
            continue;
        }
        let Some(support) = table.support(&atom, among) else { continue };
        if support >= least && (least < LEAST_SUPPORT || is_varied(table, &atom, among)) {
            said.note(&atom);
            said.found.push((atom, support));
        }
    }
    said.found.retain(|(atom, _)| wanted(atom));
    said.found
}

/// Whether numbers were seen to vary so much that a relation between them, or a bound, is more
/// than that of the few numbers that there were.
fn is_varied(table: &Table, atom: &Atom, among: Option<&[bool]>) -> bool {
    let number = |column: u16| matches!(table.classes[usize::from(column)], Class::Number { .. });
    let distinct = |column: u16, most: usize| {
        let values = table.columns[usize::from(column)].iter().enumerate();
        let meant = values.filter(|(n, _)| among.is_none_or(|among| among[*n]));
        let mut seen = BTreeSet::new();
        meant.map(|(_, value)| *value).filter(|value| *value != UNKNOWN).any(|value| {
            seen.insert(value);
            seen.len() >= most
        })
    };
    match atom.form {
        Form::Says { .. } | Form::Means { .. } => true,
        Form::Constant { relation: Relation::Equal } => is_common(table, atom, among),
        Form::Constant { .. } => distinct(atom.a, LEAST_NUMBERS),
        Form::Pair { .. } if !number(atom.a) => true,
        Form::Pair { relation: Relation::Equal, .. } => distinct(atom.a, FEW_NUMBERS),
        Form::Pair { .. } => {
            distinct(atom.a, LEAST_NUMBERS) && distinct(atom.b, FEW_NUMBERS)
                || distinct(atom.a, FEW_NUMBERS) && distinct(atom.b, LEAST_NUMBERS)
        }
    }
}

/// Whether a number under a condition is more than that of the one value that was seen: none or
/// one of something is what a condition often means, any other number has to be that of several
/// states.
fn is_common(table: &Table, atom: &Atom, among: Option<&[bool]>) -> bool {
    let number = matches!(table.classes[usize::from(atom.a)], Class::Number { .. });
    let Some(among) = among.filter(|_| number && atom.c.abs() > 1) else { return true };
    let mut states: BTreeSet<Vec<i64>> = BTreeSet::new();
    (0..table.rows()).filter(|row| among[*row]).any(|row| {
        states.insert(table.columns[..table.before].iter().map(|column| column[row]).collect());
        states.len() >= LEAST_NUMBERS
    })
}

/// The answers that spell out a number.
fn words_for(known: &Known, number: u16) -> impl Iterator<Item = u16> {
    let word = move |atom: &&Atom| matches!(atom.form, Form::Means { .. }) && atom.b == number;
    known.atoms.iter().filter(word).map(|atom| atom.a)
}

/// What was said so far, and what follows from it.
struct Said<'k> {
    known: &'k Known,
    /// Columns with one answer only.
    fixed: BTreeSet<u16>,
    /// Columns that another one stands for.
    doubled: BTreeSet<u16>,
    found: Vec<(Atom, u64)>,
}

impl Said<'_> {
    /// Takes in what an atom says of its columns.
    fn note(&mut self, atom: &Atom) {
        match atom.form {
            Form::Says { yes } => {
                self.fixed.insert(atom.a);
                // A number that it spells out is fixed with it where it is zero.
                for word in self.words_for(|word| word.a == atom.a) {
                    if matches!(word.form, Form::Means { relation } if (relation == Relation::Equal) == yes)
                    {
                        self.fixed.insert(word.b);
                    }
                }
            }
            Form::Constant { relation: Relation::Equal } => {
                self.fixed.insert(atom.a);
            }
            Form::Pair { relation: Relation::Equal, plus: 0 } => {
                self.doubled.insert(atom.a);
                self.doubled.extend(words_for(self.known, atom.a));
            }
            _ => {}
        }
    }

    /// Atoms that say what an answer means for a number.
    fn words_for(&self, wanted: impl Fn(&Atom) -> bool) -> Vec<Atom> {
        let word = |atom: &&Atom| matches!(atom.form, Form::Means { .. }) && wanted(atom);
        self.known.atoms.iter().filter(word).copied().collect()
    }

    fn implies(&self, atom: &Atom) -> bool {
        let sides = [atom.a, atom.b];
        let pair = atom.a != atom.b;
        sides.iter().any(|side| self.doubled.contains(side))
            // What is fixed says all about the other side, too.
            || sides.iter().any(|side| self.fixed.contains(side))
            || pair && follows(&self.found, &self.known.atoms, atom)
            || pair && self.follows_from_numbers(atom)
            || self.is_spelled(atom)
    }

    /// Whether two answers agree because the numbers do that they spell out.
    fn follows_from_numbers(&self, atom: &Atom) -> bool {
        let agree = Form::Pair { relation: Relation::Equal, plus: 0 };
        if atom.form != agree {
            return false;
        }
        let (of_a, of_b) =
            (self.words_for(|word| word.a == atom.a), self.words_for(|word| word.a == atom.b));
        let equal = |a: u16, b: u16| {
            let both = |known: &Atom| {
                known.form == agree
                    && ((known.a, known.b) == (a, b) || (known.b, known.a) == (a, b))
            };
            self.found.iter().any(|(found, _)| both(found))
        };
        of_a.iter().any(|a| of_b.iter().any(|b| a.form == b.form && equal(a.b, b.b)))
    }

    /// Whether an answer that is fixed says it of its number in a word.
    fn is_spelled(&self, atom: &Atom) -> bool {
        let fixed = |word: &Atom| word.b == atom.a && self.fixed.contains(&word.a);
        matches!(atom.form, Form::Constant { .. }) && !self.words_for(fixed).is_empty()
    }
}

/// Whether a relation between two columns follows from one that is known.
fn follows(found: &[(Atom, u64)], known: &BTreeSet<Atom>, atom: &Atom) -> bool {
    let same = |other: &Atom| (other.a, other.b) == (atom.a, atom.b);
    let all = found.iter().map(|(atom, _)| atom).chain(known);
    all.filter(|other| same(other)).any(|other| match (other.form, atom.form) {
        (Form::Means { .. }, _) => true,
        (Form::Pair { relation: Relation::Equal, .. }, _) => true,
        (Form::Pair { relation: strong, plus: p }, Form::Pair { relation: weak, plus: q }) => {
            let strict = matches!(
                (strong, weak),
                (Relation::Less, Relation::AtMost) | (Relation::Greater, Relation::AtLeast)
            );
            p == q && (strong == weak || strict)
        }
        _ => false,
    })
}

/// The atoms of a template on these columns.
pub(crate) fn candidates(
    table: &Table,
    template: &Template,
    columns: std::ops::Range<usize>,
    among: Option<&[bool]>,
) -> Vec<Atom> {
    let form = template.form;
    let class = |column: usize| table.classes[column];
    let is_answer = |column: usize| class(column) == Class::Answer;
    let is_number = |column: usize| matches!(class(column), Class::Number { .. });
    let mut all = vec![];
    for a in columns.clone() {
        let one = |c: i64| Atom { form, a: a as u16, b: a as u16, c };
        match form {
            Form::Says { .. } if is_answer(a) => all.push(one(0)),
            Form::Constant { relation } => {
                if let Class::Name { .. } = class(a)
                    && template.constants.is_empty()
                {
                    all.extend(table.only(a, among).map(one));
                }
                let Class::Number { least } = class(a) else { continue };
                if template.constants.is_empty() {
                    all.extend(table.only(a, among).map(one));
                }
                let tautology = |c: i64| relation == Relation::AtLeast && c <= least;
                all.extend(template.constants.iter().filter(|c| !tautology(**c)).map(|c| one(*c)));
            }
            Form::Pair { .. } | Form::Means { .. } => {
                let fits = |b: &usize| match (form, template.of) {
                    (Form::Means { .. }, _) => is_answer(a) && is_number(*b),
                    (_, Of::Answers) => is_answer(a) && is_answer(*b),
                    (_, Of::Numbers) => is_number(a) && is_number(*b),
                    (_, Of::Names) => {
                        matches!(class(a), Class::Name { equal: true, .. }) && class(a) == class(*b)
                    }
                    (_, Of::Any) => true,
                };
                // The later column on the left: what is promised, in terms of what was.
                let others = columns.clone().filter(|b| match form {
                    Form::Means { .. } => *b != a,
                    _ => *b < a,
                });
                let pair = |b: usize| Atom { form, a: a as u16, b: b as u16, c: 0 };
                all.extend(others.filter(fits).map(pair));
            }
            Form::Says { .. } => {}
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `is_empty`, `len` before; `is_empty`, `len`, result after.
    fn push_table(rows: impl Iterator<Item = i64>) -> Table {
        let (yes, number) = (Class::Answer, Class::Number { least: 0 });
        let classes = vec![yes, number, yes, number];
        let columns = vec![vec![]; 4];
        let mut table = Table { classes, before: 2, columns, times: vec![] };
        for len in rows {
            table.push([i64::from(len == 0), len, 0, len + 1].into_iter(), 20);
        }
        table
    }

    /// Empty means a length of zero, before and after.
    fn means_empty() -> Known {
        let form = Form::Means { relation: Relation::Equal };
        let atoms = [(0, 1), (2, 3)].map(|(a, b)| Atom { form, a, b, c: 0 });
        Known { atoms: BTreeSet::from(atoms), ..Known::default() }
    }

    fn said(table: &Table, known: &Known) -> Vec<String> {
        let names = ["e", "n", "e'", "n'"];
        let atom = |atom: &Atom| {
            let (a, b) = (names[usize::from(atom.a)], names[usize::from(atom.b)]);
            match atom.form {
                Form::Says { yes } => format!("{}{a}", if yes { "" } else { "!" }),
                Form::Constant { relation } => format!("{a} {} {}", relation.text(), atom.c),
                Form::Pair { relation, plus } => format!("{a} {} {b} + {plus}", relation.text()),
                Form::Means { relation } => format!("{a} == ({b} {} 0)", relation.text()),
            }
        };
        let clause = |(clause, _): (Clause, u64)| {
            let when = clause.when.map(|when| format!("{} ==> ", atom(&when)));
            format!("{} {}{}", clause.kind.word(), when.unwrap_or_default(), atom(&clause.atom))
        };
        infer(table, known, false).into_iter().map(clause).collect()
    }

    #[test]
    fn a_push_adds_one_and_leaves_nothing_empty() {
        let known = means_empty();
        let all = said(&push_table(0..30), &known);
        assert!(all.contains(&"ensures !e'".to_owned()), "{all:?}");
        assert!(all.contains(&"ensures n' == n + 1".to_owned()), "{all:?}");
        assert!(!all.iter().any(|clause| clause.starts_with("requires")), "{all:?}");
    }

    #[test]
    fn what_was_only_done_in_one_state_is_a_precondition() {
        let known = means_empty();
        let all = said(&push_table(std::iter::once(0)), &known);
        assert!(all.contains(&"requires e".to_owned()), "{all:?}");
        assert!(!all.contains(&"requires n == 0".to_owned()), "said once: {all:?}");
        let few = Table { times: vec![3], ..push_table(std::iter::once(0)) };
        assert_eq!(said(&few, &known), [""; 0], "three calls may be chance");
        let kept: Vec<u64> = hunches(&few, &known).iter().map(|(_, support)| *support).collect();
        assert_eq!(kept, [3], "and are worth another one");
        let many = push_table(std::iter::once(0));
        assert!(hunches(&many, &known).is_empty(), "that is no hunch any more");
    }

    #[test]
    fn a_bound_of_the_few_numbers_that_were_seen_is_none() {
        let known = means_empty();
        let two = said(&push_table([4, 5].into_iter()), &known);
        assert!(!two.iter().any(|clause| clause.contains("n' == n + 1")), "{two:?}");
        assert!(!two.iter().any(|clause| clause.contains(">=")), "{two:?}");
        let many = said(&push_table(4..12), &known);
        assert!(many.contains(&"ensures n' == n + 1".to_owned()), "{many:?}");
    }

    #[test]
    fn a_consequence_of_one_state_is_an_implication() {
        let (yes, number) = (Class::Answer, Class::Number { least: 0 });
        let classes = vec![yes, number, yes, number];
        let mut table = Table { classes, before: 2, columns: vec![vec![]; 4], times: vec![] };
        for len in 0..20i64 {
            let left = (len - 1).max(0);
            table.push([i64::from(len == 0), len, i64::from(left == 0), left].into_iter(), 20);
        }
        let known = means_empty();
        let all = said(&table, &known);
        assert!(all.contains(&"ensures e ==> e'".to_owned()), "{all:?}");
        assert!(all.contains(&"ensures !e ==> n' == n + -1".to_owned()), "{all:?}");
    }

    #[test]
    fn a_number_under_a_condition_is_that_of_several_states_or_of_none() {
        let (yes, number) = (Class::Answer, Class::Number { least: 0 });
        // Whether it is full, and its length before; its capacity after.
        let told = |many: i64, capacity: i64| {
            let classes = vec![yes, number, number];
            let mut table = Table { classes, before: 2, columns: vec![vec![]; 3], times: vec![] };
            for n in 0..many {
                table.push([1, n, capacity].into_iter(), 20);
                table.push([0, n, n + 30].into_iter(), 20);
            }
            let said = implications(&table, &Known::default(), &BTreeSet::new());
            let equal = Form::Constant { relation: Relation::Equal };
            said.iter().any(|(clause, _)| clause.atom.form == equal && clause.atom.c == capacity)
        };
        assert!(!told(3, 18), "the capacity of the few that were seen");
        assert!(told(8, 18), "whatever their length is");
        assert!(told(3, 0), "nothing is what a condition often means");
    }
}
