//! All that was observed so far, by watch, and the clauses that it supports.

use crate::contracts::{Clause, Kind, Known, hunches, infer, required_when};
use crate::near::{NearClause, Sides, cause, near, rank};
use crate::table::{Atom, Class, Table};
use crate::template::Form;
use crate::vocabulary::{Reading, inside, query_of, reading_of, tuple};
use crate::words::Words;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use testsmith_model::observation::{Observed, Occasion, Row, Term, UNKNOWN, Unfit, Watch};
use testsmith_model::relation::Relation;
use testsmith_model::{OpId, Plan, Sequence, TypeId};

/// Where the values of a row are.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) sequence: u32,
    pub(crate) step: u32,
    pub(crate) slots: Vec<u32>,
}

pub struct Data<'p> {
    pub(crate) plan: &'p Plan,
    pub watches: Vec<Watch>,
    pub(crate) tables: Vec<Table>,
    pub(crate) origins: Vec<Vec<Origin>>,
    pub(crate) sequences: Vec<Sequence>,
    known: HashMap<(u32, Vec<i64>), usize>,
    pub unfit: BTreeMap<OpId, Unfit>,
    /// Answers for which there was no room.
    pub unkept: u64,
    /// What the invariants say of the columns of each watch, until something new is seen.
    invariant: OnceCell<Vec<Known>>,
}

/// What holds of all tuples of these types: each atom with the questions on its sides.
type Invariants = (Vec<TypeId>, Vec<(Atom, Term, Term)>);

/// A clause about an operation, or about the values of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The number of the watch.
    pub watch: usize,
    pub clause: Clause,
    /// In how many calls it was seen to hold.
    pub support: u64,
}

/// A clause like a law that does not hold in very few calls, for whatever reason.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// It, and in how many calls it holds.
    pub contract: Contract,
    pub broken: u64,
    pub exceptions: Vec<Sequence>,
}

impl Suspect {
    /// Whether both are the same clause of the same calls, whatever else was seen of it.
    pub fn is_about_the_same(&self, other: &Suspect) -> bool {
        self.contract.watch == other.contract.watch && self.contract.clause == other.contract.clause
    }
}

/// Suspects of one operation.
const SUSPECTS_EACH: usize = 3;

/// A clause that holds in all but very few calls.
#[derive(Clone, Debug)]
pub struct Near {
    /// It, and in how many calls it holds.
    pub contract: Contract,
    /// In how many it does not.
    pub broken: u64,
    /// What those have in common, in words; nothing if only where they are.
    pub cause: Vec<String>,
    /// The shortest of them, up to its call.
    pub exception: Sequence,
    /// The call that is most like it and keeps the clause.
    pub passing: Sequence,
}

impl<'p> Data<'p> {
    pub fn new(plan: &'p Plan, watches: Vec<Watch>) -> Data<'p> {
        let table = |watch: &Watch| {
            let terms = watch.before.iter().chain(&watch.after);
            let types = tuple(plan, &watch.occasion);
            let classes: Vec<Class> = terms.map(|term| class(plan, &types, term)).collect();
            let columns = vec![vec![]; classes.len()];
            Table { classes, before: watch.before.len(), columns, times: vec![] }
        };
        Data {
            plan,
            tables: watches.iter().map(table).collect(),
            origins: vec![vec![]; watches.len()],
            watches,
            sequences: vec![],
            known: HashMap::new(),
            unfit: BTreeMap::new(),
            unkept: 0,
            invariant: OnceCell::new(),
        }
    }

    /// Takes in what was seen; the number of rows that are new.
    pub fn add(&mut self, observed: Observed) -> usize {
        self.invariant.take();
        let base = self.sequences.len() as u32;
        self.sequences.extend(observed.sequences);
        self.unkept += observed.unkept;
        let mut new = 0;
        for Row { watch, sequence, step, slots, before, after, times } in observed.rows {
            let answers = [before, after].concat();
            let table = &mut self.tables[watch as usize];
            if answers.len() != table.columns.len() {
                continue;
            }
            match self.known.get(&(watch, answers.clone())) {
                Some(row) => table.times[*row] += times,
                None => {
                    table.push(answers.iter().copied(), times);
                    self.known.insert((watch, answers), table.rows() - 1);
                    let sequence = base + sequence;
                    self.origins[watch as usize].push(Origin { sequence, step, slots });
                    new += 1;
                }
            }
        }
        self.unfit.extend(observed.unfit);
        self.forget_unfit();
        new
    }

    /// What unfit queries have said does not count.
    fn forget_unfit(&mut self) {
        for (watch, table) in self.watches.iter().zip(&mut self.tables) {
            for (n, term) in watch.before.iter().chain(&watch.after).enumerate() {
                if query_of(term).is_some_and(|op| self.unfit.contains_key(&op)) {
                    table.columns[n].fill(UNKNOWN);
                }
            }
        }
    }

    /// Different answers kept, and the calls that gave them.
    pub fn size(&self) -> (usize, u64) {
        let rows = self.tables.iter().map(Table::rows).sum();
        (rows, self.tables.iter().flat_map(|table| &table.times).sum())
    }

    /// The clauses that all observations support.
    pub fn contracts(&self) -> Vec<Contract> {
        let mut all = vec![];
        // Of two calls nothing is promised that one of them does not promise.
        let pair = |watch: &usize| matches!(self.watches[*watch].occasion, Occasion::Pair { .. });
        for watch in (0..self.watches.len()).filter(|watch| !pair(watch)) {
            let of_values = matches!(self.watches[watch].occasion, Occasion::Values { .. });
            // Of values in one state it is known, so that no call says it again, but not told.
            if of_values && self.tables[watch].rows() < 2 {
                continue;
            }
            let clauses = infer(&self.tables[watch], self.known_of(watch), of_values);
            let contract = |(clause, support)| Contract { watch, clause, support };
            all.extend(clauses.into_iter().map(contract));
        }
        all
    }

    /// Preconditions that too few calls support to say so.
    pub fn hunches(&self) -> Vec<Contract> {
        let calls = |watch: &usize| matches!(self.watches[*watch].occasion, Occasion::Call { .. });
        let mut all = vec![];
        for watch in (0..self.watches.len()).filter(calls) {
            let found = hunches(&self.tables[watch], self.known_of(watch)).into_iter();
            all.extend(found.map(|(clause, support)| Contract { watch, clause, support }));
        }
        all
    }

    /// What held before calls of an operation in which conditions held before.
    pub(crate) fn required_when(&self, watch: usize, when: &[Atom]) -> Vec<Atom> {
        required_when(&self.tables[watch], self.known_of(watch), when)
    }

    /// What the invariants of its types say of the columns of a watch; of values, nothing.
    fn known_of(&self, watch: usize) -> &Known {
        let all = self.invariant.get_or_init(|| {
            let invariants = self.invariants();
            let known = |(n, watch): (usize, &Watch)| match watch.occasion {
                Occasion::Values { .. } | Occasion::Pair { .. } => Known::default(),
                Occasion::Call { .. } => {
                    Known { branches: self.branches(n), ..self.known(n, &invariants) }
                }
            };
            self.watches.iter().enumerate().map(known).collect()
        });
        &all[watch]
    }

    /// In how many calls a clause holds, and in how many it does not.
    pub fn tally(&self, contract: &Contract) -> (u64, u64) {
        let table = &self.tables[contract.watch];
        let mut tally = (0, 0);
        for (row, times) in table.times.iter().enumerate() {
            match contract.clause.holds(|column| table.columns[column][row]) {
                Some(true) => tally.0 += times,
                Some(false) => tally.1 += times,
                None => {}
            }
        }
        tally
    }

    /// Whether what was seen breaks a clause.
    pub fn refutes(&self, contract: &Contract) -> bool {
        let Contract { watch, clause, .. } = contract;
        !self.tables[*watch].exceptions(&clause.atom, clause.when.as_ref()).is_empty()
    }

    /// Clauses like laws with very few exceptions, the most telling first.
    pub fn suspects(&self) -> Vec<Suspect> {
        let mut all = vec![];
        for watch in 0..self.watches.len() {
            if matches!(self.watches[watch].occasion, Occasion::Values { .. }) {
                continue;
            }
            let found = near(&self.tables[watch], self.known_of(watch), &self.sides(watch));
            let suspect = |near: NearClause| {
                let contract = Contract { watch, clause: near.clause, support: near.held };
                let mut exceptions: Vec<Sequence> =
                    near.exceptions.iter().map(|row| self.up_to(watch, *row)).collect();
                exceptions.sort_by_key(Sequence::len);
                Suspect { contract, broken: near.broken, exceptions }
            };
            all.extend(found.into_iter().take(SUSPECTS_EACH).map(suspect));
        }
        all.sort_by_key(|Suspect { contract, broken, .. }| {
            rank(&contract.clause, contract.support, *broken)
        });
        all
    }

    /// What the exceptions have in common by now, if they are not by design.
    pub fn settle(&self, suspect: &Suspect) -> Option<Near> {
        let Contract { watch, clause, .. } = suspect.contract;
        let cause = cause(&self.tables[watch], &self.sides(watch), &clause)?;
        let words = Words::new(self.plan, &self.watches[watch]);
        let exceptions = cause.exceptions.iter().map(|row| self.up_to(watch, *row));
        Some(Near {
            contract: suspect.contract.clone(),
            broken: suspect.broken,
            cause: cause.atoms.iter().map(|atom| words.atom(atom, true)).collect(),
            exception: exceptions.min_by_key(Sequence::len)?,
            passing: self.up_to(watch, cause.nearest),
        })
    }

    /// The sequence of a row, up to its call.
    fn up_to(&self, watch: usize, row: usize) -> Sequence {
        let Origin { sequence, step, .. } = &self.origins[watch][row];
        let steps = self.sequences[*sequence as usize].steps();
        Sequence::from_steps(steps.take(*step as usize + 1).cloned().collect())
    }

    fn sides(&self, watch: usize) -> Sides {
        let Watch { before, after, .. } = &self.watches[watch];
        let result = self.types(watch).len() - 1;
        let (classes, base) = (&self.tables[watch].classes, before.len());
        let refused = |(n, term): (usize, &Term)| {
            let itself = *term == Term::Itself { at: result as u8 };
            (itself && classes[base + n] == Class::Answer).then_some(base + n)
        };
        let results = after.iter().enumerate().filter_map(refused);
        let twin = |(n, term): (usize, &Term)| {
            let after = after.iter().position(|other| other == term)?;
            Some((n, base + after))
        };
        Sides {
            causes: (0..base).chain(results).collect(),
            twins: before.iter().enumerate().filter_map(twin).collect(),
            equals: self.equals(watch),
            between: self.between(watch),
        }
    }

    /// Of two calls, the numbers that the second gives, and those of the first.
    fn between(&self, watch: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        let Watch { occasion, before, after } = &self.watches[watch];
        let Occasion::Pair { first, .. } = occasion else { return None };
        let one = self.plan.operation(*first).inputs.len();
        let number =
            |column: &usize| matches!(self.tables[watch].classes[*column], Class::Number { .. });
        let told = |term: &Term| match term {
            Term::Itself { at } | Term::Inside { at } => Some(usize::from(*at)),
            _ => None,
        };
        let gives = (0..after.len()).filter(|n| told(&after[*n]).is_some());
        let gives = gives.map(|n| before.len() + n).filter(number).collect();
        let of_first = |n: &usize| told(&before[*n]).is_some_and(|at| at <= one);
        Some((gives, (0..before.len()).filter(of_first).filter(number).collect()))
    }

    /// Where two calls are given numbers of one type: that these are equal.
    fn equals(&self, watch: usize) -> Vec<Atom> {
        let Watch { occasion, before, .. } = &self.watches[watch];
        let Occasion::Pair { first, .. } = occasion else { return vec![] };
        let (types, one) = (self.types(watch), self.plan.operation(*first).inputs.len());
        let given = |wanted: std::ops::Range<usize>| {
            before.iter().enumerate().filter_map(move |(n, term)| match term {
                Term::Itself { at } if wanted.contains(&usize::from(*at)) => Some((n, *at)),
                _ => None,
            })
        };
        let mut all = vec![];
        for (b, to) in given(one + 1..types.len() - 1) {
            let same = |at: u8| types[usize::from(at)] == types[usize::from(to)];
            for (a, _) in given(1..one).filter(|(_, at)| same(*at)) {
                let form = Form::Pair { relation: Relation::Equal, plus: 0 };
                all.push(Atom { form, a: b as u16, b: a as u16, c: 0 });
            }
        }
        all
    }

    /// All that has to be watched to watch this; it is the last.
    pub fn watches_for(&self, watch: usize) -> Vec<Watch> {
        let own = &self.watches[watch];
        let mut all = vec![];
        if let Occasion::Pair { first, second } = own.occasion {
            let of = |op: OpId| Occasion::Call { op };
            let ops: BTreeSet<OpId> = BTreeSet::from([first, second]);
            let calls = ops
                .into_iter()
                .flat_map(|op| self.watches.iter().filter(move |watch| watch.occasion == of(op)));
            all.extend(calls.cloned());
        }
        all.push(own.clone());
        all
    }

    /// What holds of all tuples of values that were looked at.
    fn invariants(&self) -> Vec<Invariants> {
        let mut all = vec![];
        for (watch, table) in self.watches.iter().zip(&self.tables) {
            let Occasion::Values { types } = &watch.occasion else { continue };
            let term = |column: u16| watch.before[usize::from(column)];
            let clauses = infer(table, &Known::default(), true);
            let atoms = clauses.iter().map(|(clause, _)| clause.atom);
            all.push((
                types.clone(),
                atoms.map(|atom| (atom, term(atom.a), term(atom.b))).collect(),
            ));
        }
        all
    }

    /// The invariants of the types of a watch as atoms on its columns.
    fn known(&self, watch: usize, invariants: &[Invariants]) -> Known {
        let types = self.types(watch);
        let mut known = Known::default();
        for (of, all) in invariants {
            for places in places(of, &types) {
                for (atom, a, b) in all {
                    let a = self.columns_of(watch, &moved(a, &places));
                    let b = self.columns_of(watch, &moved(b, &places));
                    // Both before the call or both after it; a result is at home in both.
                    for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                        let after = self.watches[watch].before.len();
                        let mixed = (a.0 < after) != (b.0 < after) && !a.1 && !b.1;
                        if !mixed && (a.0 != b.0 || atom.a == atom.b) {
                            let (a, b) = (a.0 as u16, b.0 as u16);
                            known.atoms.insert(Atom { a, b, ..*atom });
                        }
                    }
                }
            }
        }
        for atom in &known.atoms {
            let same = |relation| atom.form == Form::Pair { relation, plus: 0 };
            let answer =
                |column: u16| self.tables[watch].classes[usize::from(column)] == Class::Answer;
            if answer(atom.a)
                && answer(atom.b)
                && (same(Relation::Equal) || same(Relation::Unequal))
            {
                let plain = |column: u16| !self.is_by_variant(watch, usize::from(column));
                let doubled = match (plain(atom.a), plain(atom.b)) {
                    (true, false) => atom.b,
                    (false, true) => atom.a,
                    _ => atom.a.max(atom.b),
                };
                known.doubled.insert(doubled);
            }
        }
        known
    }

    /// The columns of a question: before, after, and the result of an operation that is
    /// the question itself, which is marked.
    fn columns_of(&self, watch: usize, term: &Term) -> Vec<(usize, bool)> {
        let Watch { occasion, before, after } = &self.watches[watch];
        let find = |terms: &[Term], base: usize, term: &Term| {
            terms.iter().position(|known| known == term).map(|n| base + n)
        };
        let asked = match (occasion, term) {
            (Occasion::Call { op }, Term::Query { op: query, at: 0 }) if op == query => {
                Some(Term::Itself { at: self.plan.operation(*op).inputs.len() as u8 })
            }
            _ => None,
        };
        let result = asked.and_then(|itself| find(after, before.len(), &itself));
        let plain = [find(before, 0, term), find(after, before.len(), term)];
        let plain = plain.into_iter().flatten().map(|column| (column, false));
        plain.chain(result.map(|column| (column, true))).collect()
    }

    /// Whether a column tells an option or a result by its variant.
    fn is_by_variant(&self, watch: usize, column: usize) -> bool {
        let Watch { before, after, .. } = &self.watches[watch];
        let asked = before.iter().chain(after).nth(column).and_then(query_of);
        asked.is_some_and(|op| {
            let reading = reading_of(self.plan, self.plan.operation(op).output);
            matches!(reading, Some((Reading::Variant(_), _)))
        })
    }

    /// The types of the tuple of a watch; of a call with its result behind.
    pub(crate) fn types(&self, watch: usize) -> Vec<TypeId> {
        tuple(self.plan, &self.watches[watch].occasion)
    }

    /// A clause in words.
    pub fn words(&self, contract: &Contract) -> String {
        Words::new(self.plan, &self.watches[contract.watch]).clause(&contract.clause)
    }

    /// The function that a contract is about, as in the documentation.
    pub fn name(&self, contract: &Contract) -> String {
        match &self.watches[contract.watch].occasion {
            Occasion::Call { op } | Occasion::Pair { second: op, .. } => {
                self.plan.operation(*op).path()
            }
            Occasion::Values { .. } => String::new(),
        }
    }

    /// The operation or the types that a contract is about.
    pub fn occasion(&self, contract: &Contract) -> &Occasion {
        &self.watches[contract.watch].occasion
    }

    /// Every transition that was seen: the operation, the predicate, what it was, what it
    /// became, in how many calls.
    pub fn transitions(&self) -> BTreeMap<(OpId, String, i64, i64), u64> {
        let mut all = BTreeMap::new();
        for (watch, table) in self.watches.iter().zip(&self.tables) {
            let Occasion::Call { op } = watch.occasion else { continue };
            let words = Words::new(self.plan, watch);
            for (n, term) in watch.before.iter().enumerate() {
                let Some(m) = watch.after.iter().position(|after| after == term) else { continue };
                let (was, is) = (&table.columns[n], &table.columns[table.before + m]);
                let both = was.iter().zip(is).zip(&table.times);
                for ((was, is), times) in both.filter(|((was, is), _)| was != is) {
                    if *was != UNKNOWN && *is != UNKNOWN {
                        let key = (op, words.predicate(term), *was, *is);
                        *all.entry(key).or_default() += times;
                    }
                }
            }
        }
        all
    }

    /// The values that were looked at, one by one or in pairs: the sequence, the steps
    /// that made them, and what each predicate said of which of them.
    pub fn values(&self) -> Vec<Looked<'_>> {
        let mut all = vec![];
        for (n, watch) in self.watches.iter().enumerate() {
            let Occasion::Values { types } = &watch.occasion else { continue };
            let words = Words::new(self.plan, watch);
            for (row, origin) in self.origins[n].iter().enumerate() {
                let answer = |(column, term): (usize, &Term)| {
                    let value = self.tables[n].columns[column][row];
                    (value != UNKNOWN).then(|| (words.predicate(term), positions(term), value))
                };
                all.push(Looked {
                    sequence: &self.sequences[origin.sequence as usize],
                    slots: &origin.slots,
                    types,
                    answers: watch.before.iter().enumerate().filter_map(answer).collect(),
                });
            }
        }
        all
    }
}

/// Values with what was said of them.
pub struct Looked<'d> {
    pub sequence: &'d Sequence,
    pub slots: &'d [u32],
    pub types: &'d [TypeId],
    /// Predicate, the positions it is about, and its value.
    pub answers: Vec<(String, Vec<usize>, i64)>,
}

/// The positions that a question is about.
pub(crate) fn positions(term: &Term) -> Vec<usize> {
    match *term {
        Term::Itself { at } | Term::Inside { at } | Term::Query { at, .. } => vec![at.into()],
        Term::With { at, with, .. } | Term::Equal { at, with } => vec![at.into(), with.into()],
        Term::WithTwo { at, with, and, .. } => vec![at.into(), with.into(), and.into()],
    }
}

/// The same question about other positions.
pub(crate) fn moved(term: &Term, places: &[usize]) -> Term {
    let to = |at: u8| places[usize::from(at)] as u8;
    match *term {
        Term::Itself { at } => Term::Itself { at: to(at) },
        Term::Inside { at } => Term::Inside { at: to(at) },
        Term::Query { op, at } => Term::Query { op, at: to(at) },
        Term::With { op, at, with } => Term::With { op, at: to(at), with: to(with) },
        Term::WithTwo { op, at, with, and } => {
            Term::WithTwo { op, at: to(at), with: to(with), and: to(and) }
        }
        // Equality has no direction; the earlier position comes first.
        Term::Equal { at, with } => {
            let (a, b) = (to(at), to(with));
            Term::Equal { at: a.min(b), with: a.max(b) }
        }
    }
}

/// All ways to find values of these types, up to three, at different positions of others.
pub(crate) fn places(of: &[TypeId], types: &[TypeId]) -> Vec<Vec<usize>> {
    let at = |ty: TypeId| (0..types.len()).filter(move |n| types[*n] == ty);
    match *of {
        [ty] => at(ty).map(|n| vec![n]).collect(),
        [a, b] => {
            at(a).flat_map(|n| at(b).filter(move |m| n != *m).map(move |m| vec![n, m])).collect()
        }
        [a, b, c] => {
            let mut all = vec![];
            for two in places(&[a, b], types) {
                let third = at(c).filter(|n| !two.contains(n));
                all.extend(third.map(|n| vec![two[0], two[1], n]));
            }
            all
        }
        _ => vec![],
    }
}

fn class(plan: &Plan, types: &[TypeId], term: &Term) -> Class {
    let ty = match *term {
        Term::Equal { .. } => return Class::Answer,
        Term::Query { op, .. } | Term::With { op, .. } | Term::WithTwo { op, .. } => {
            plan.operation(op).output
        }
        Term::Itself { at } | Term::Inside { at } => types[usize::from(at)],
    };
    let reading = match term {
        Term::Inside { .. } => inside(&plan.ty(ty).ty),
        _ => reading_of(plan, ty).map(|(reading, _)| reading),
    };
    reading.map_or(Class::Number { least: i64::MIN }, Reading::class)
}

impl Contract {
    /// Whether it is one that calls can be made against.
    pub fn can_be_tried(&self) -> bool {
        self.clause.kind != Kind::Invariant
    }
}
