//! What was seen of the calls so far: different answers, each once, with where they were
//! seen first and how often since.
//!
//! It only keeps the books. Asking, which calls code under test, is the executor's.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use testsmith_model::observation::{Observed, Row, Subject, Term, Unfit, Watching};
use testsmith_model::{OpId, Plan, Sequence, TypeId};

/// How often a query is asked twice before it is believed.
const CHECKS: u32 = 24;
/// Tuples of values that are looked at at the end of one sequence.
pub(crate) const TUPLES_AT_END: usize = 24;

pub(crate) struct Observer {
    pub(crate) watching: Watching,
    /// Per operation, the watch of its calls.
    by_op: Vec<Option<u32>>,
    /// The types of the tuple of each watch; of a call with its result behind.
    pub(crate) types: Vec<Vec<TypeId>>,
    rows: Vec<Row>,
    known: HashMap<(u32, u64), u32>,
    kept: Vec<u32>,
    unkept: u64,
    sequences: Vec<Sequence>,
    /// The first row of the sequence that is under way.
    first: usize,
    unfit: BTreeMap<OpId, Unfit>,
    checked: HashMap<OpId, u32>,
    /// The answers before the call that is under way.
    pub(crate) before: Vec<i64>,
}

impl Observer {
    pub(crate) fn new(plan: &Plan, watching: Watching) -> Observer {
        let mut by_op = vec![None; plan.operations.len()];
        let mut types = vec![];
        for (n, watch) in watching.watches.iter().enumerate() {
            match &watch.subject {
                Subject::Call { op } => {
                    by_op[op.index()] = Some(n as u32);
                    let operation = plan.operation(*op);
                    let inputs = operation.inputs.iter().map(|input| input.ty);
                    types.push(inputs.chain([operation.output]).collect());
                }
                Subject::Values { types: all } => types.push(all.clone()),
            }
        }
        Observer {
            by_op,
            types,
            rows: vec![],
            known: HashMap::new(),
            kept: vec![0; watching.watches.len()],
            unkept: 0,
            sequences: vec![],
            first: 0,
            unfit: BTreeMap::new(),
            checked: HashMap::new(),
            before: vec![],
            watching,
        }
    }

    pub(crate) fn watch_of(&self, op: OpId) -> Option<u32> {
        self.by_op[op.index()]
    }

    /// The query of a term, unless it is known to be unfit.
    pub(crate) fn is_fit(&self, term: &Term) -> bool {
        match term {
            Term::Query { op, .. } | Term::With { op, .. } => !self.unfit.contains_key(op),
            Term::Itself { .. } | Term::Equal { .. } => true,
        }
    }

    /// Whether a query has still to be asked twice.
    pub(crate) fn doubts(&mut self, op: OpId) -> bool {
        let checked = self.checked.entry(op).or_default();
        *checked += 1;
        *checked <= CHECKS
    }

    pub(crate) fn reject(&mut self, op: OpId, why: Unfit) {
        self.unfit.entry(op).or_insert(why);
    }

    /// Takes answers in.
    pub(crate) fn add(&mut self, row: Row) {
        let mut hasher = DefaultHasher::new();
        (&row.before, &row.after).hash(&mut hasher);
        let key = (row.watch, hasher.finish());
        if let Some(known) = self.known.get(&key) {
            self.rows[*known as usize].times += row.times;
            return;
        }
        let kept = &mut self.kept[row.watch as usize];
        if *kept == self.watching.rows_each {
            self.unkept += 1;
            return;
        }
        *kept += 1;
        self.known.insert(key, self.rows.len() as u32);
        self.rows.push(row);
    }

    /// The sequence is over; it is kept if anything in it was new.
    pub(crate) fn close(&mut self, sequence: impl FnOnce() -> Sequence) {
        if self.first < self.rows.len() {
            let number = self.sequences.len() as u32;
            self.rows[self.first..].iter_mut().for_each(|row| row.sequence = number);
            self.sequences.push(sequence());
            self.first = self.rows.len();
        }
    }

    pub(crate) fn into_observed(self) -> Observed {
        Observed {
            sequences: self.sequences,
            rows: self.rows,
            unkept: self.unkept,
            unfit: self.unfit.into_iter().collect(),
            attempts: vec![],
            calls: 0,
        }
    }
}
