//! What was seen of the calls so far: different answers, each once, with where they were
//! seen first and how often since.
//!
//! It only keeps the books. Asking, which calls code under test, is the executor's.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use testsmith_model::observation::{
    Observed, Occasion, Row, Term, UNKNOWN, Unfit, Watch, Watching,
};
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
    /// By slot, the call that changed a value last.
    changes: HashMap<u32, Change>,
    pairs: HashMap<(OpId, OpId), Pair>,
}

/// A call that changed a value: the answers around it, and its result as a number and by
/// what is inside.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) op: OpId,
    pub(crate) before: Vec<i64>,
    pub(crate) after: Vec<i64>,
    pub(crate) result: [i64; 2],
}

/// Where the answers of a watch of two calls are found.
struct Pair {
    watch: u32,
    before: Vec<Pick>,
    after: Vec<Pick>,
}

#[derive(Clone, Copy, Debug)]
enum Pick {
    FirstBefore(usize),
    FirstResult(usize),
    SecondBefore(usize),
    SecondAfter(usize),
    SecondResult(usize),
    Nothing,
}

impl Pick {
    /// Finds a question about two calls among those that are asked around each.
    fn new(term: &Term, plan: &Plan, calls: [(OpId, &Watch); 2], after: bool) -> Pick {
        let [one, two] = calls.map(|(op, _)| plan.operation(op).inputs.len());
        let (first, second) = (calls[0].1, calls[1].1);
        let find = |terms: &[Term], term: &Term| terms.iter().position(|known| known == term);
        let found = match *term {
            _ if after && !matches!(term, Term::Itself { .. } | Term::Inside { .. }) => {
                find(&second.after, term).map(Pick::SecondAfter)
            }
            Term::Itself { at } | Term::Inside { at } => {
                let inside = usize::from(matches!(term, Term::Inside { .. }));
                match usize::from(at) {
                    at if at < one => find(&first.before, term).map(Pick::FirstBefore),
                    at if at == one => Some(Pick::FirstResult(inside)),
                    at if at == one + two => Some(Pick::SecondResult(inside)),
                    at => {
                        let own = Term::Itself { at: (at - one) as u8 };
                        find(&second.before, &own).map(Pick::SecondBefore)
                    }
                }
            }
            _ => find(&first.before, term).map(Pick::FirstBefore),
        };
        found.unwrap_or(Pick::Nothing)
    }

    fn answer(self, first: &Change, second: &Change) -> i64 {
        let at = |answers: &[i64], n: usize| answers.get(n).copied().unwrap_or(UNKNOWN);
        match self {
            Pick::FirstBefore(n) => at(&first.before, n),
            Pick::FirstResult(n) => first.result[n],
            Pick::SecondBefore(n) => at(&second.before, n),
            Pick::SecondAfter(n) => at(&second.after, n),
            Pick::SecondResult(n) => second.result[n],
            Pick::Nothing => UNKNOWN,
        }
    }
}

impl Observer {
    pub(crate) fn new(plan: &Plan, watching: Watching) -> Observer {
        let mut by_op = vec![None; plan.operations.len()];
        let mut types = vec![];
        for (n, watch) in watching.watches.iter().enumerate() {
            match &watch.occasion {
                Occasion::Call { op } => {
                    by_op[op.index()] = Some(n as u32);
                    let operation = plan.operation(*op);
                    let inputs = operation.inputs.iter().map(|input| input.ty);
                    types.push(inputs.chain([operation.output]).collect());
                }
                Occasion::Values { types: all } => types.push(all.clone()),
                // Nothing is asked for it that is not asked around its calls.
                Occasion::Pair { .. } => types.push(vec![]),
            }
        }
        let pairs = pairs(plan, &watching.watches, &by_op);
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
            changes: HashMap::new(),
            pairs,
            watching,
        }
    }

    pub(crate) fn watch_of(&self, op: OpId) -> Option<u32> {
        self.by_op[op.index()]
    }

    /// The query of a term, unless it is known to be unfit.
    pub(crate) fn is_fit(&self, term: &Term) -> bool {
        match term {
            Term::Query { op, .. } | Term::With { op, .. } | Term::WithTwo { op, .. } => {
                !self.unfit.contains_key(op)
            }
            Term::Itself { .. } | Term::Inside { .. } | Term::Equal { .. } => true,
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

    /// A value was changed by a call that is not watched, or is gone.
    pub(crate) fn forget(&mut self, slot: u32) {
        self.changes.remove(&slot);
    }

    /// A value was changed by a call; with the one before, that may be a pair.
    pub(crate) fn changed(&mut self, slot: u32, change: Change, step: u32, slots: &[u32]) {
        if let Some(first) = self.changes.get(&slot)
            && let Some(pair) = self.pairs.get(&(first.op, change.op))
        {
            let all = |picks: &[Pick]| -> Vec<i64> {
                picks.iter().map(|pick| pick.answer(first, &change)).collect()
            };
            let (watch, slots) = (pair.watch, slots.to_vec());
            let (before, after) = (all(&pair.before), all(&pair.after));
            self.add(Row { watch, sequence: 0, step, slots, before, after, times: 1 });
        }
        self.changes.insert(slot, change);
    }

    /// The sequence is over; it is kept if anything in it was new.
    pub(crate) fn close(&mut self, sequence: impl FnOnce() -> Sequence) {
        self.changes.clear();
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

/// The watches of two calls, by their operations; both have to be watched alone, too.
fn pairs(plan: &Plan, watches: &[Watch], by_op: &[Option<u32>]) -> HashMap<(OpId, OpId), Pair> {
    let mut all = HashMap::new();
    for (n, watch) in watches.iter().enumerate() {
        let Occasion::Pair { first, second } = watch.occasion else { continue };
        let of = |op: OpId| Some((op, &watches[by_op[op.index()]? as usize]));
        let (Some(one), Some(two)) = (of(first), of(second)) else { continue };
        let picks = |terms: &[Term], after: bool| {
            terms.iter().map(|term| Pick::new(term, plan, [one, two], after)).collect()
        };
        let (before, after) = (picks(&watch.before, false), picks(&watch.after, true));
        all.insert((first, second), Pair { watch: n as u32, before, after });
    }
    all
}
