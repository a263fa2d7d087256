//! What the calls so far have taught: which operations and arguments panic,
//! and which operations lately reached new code.

use crate::hash::mix;
use crate::rng::Rng;
use crate::stage::Halt;
use testsmith_model::operation::OperationKind;
use testsmith_model::{Heuristic, Heuristics, OpId, Plan};

/// A panic takes as long as this many calls, so an operation is called that
/// much less for the panics it has had.
const PANIC_COST: u32 = 64;
/// A call that does not apply takes no longer, but ends its sequence.
const INAPPLICABLE_COST: u32 = 8;
/// However often it panicked, an operation is tried now and then: its arguments
/// may have been at fault. At first once in so many times, later more seldom by
/// half of the panics that are remembered.
const TRIED_ONCE_IN: usize = 32;
/// A panic that is caught takes long, too: a call that is interrupted by one is made once in
/// so many times that it is drawn.
const INTERRUPTED_ONCE_IN: usize = 4;
/// Past this, old experience counts half: arguments get better with time.
const MEMORY: u32 = 1 << 14;

/// What became of the calls of one operation.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    completed: u32,
    panicked: u32,
    /// What its calls were worth and what they have cost, of late.
    good: u32,
    bad: u32,
    /// The last batch of calls in which it was.
    batch: u32,
    /// It has completed without asking for much memory.
    light: bool,
    /// It is interrupted by a panic of the test's own code, which is caught.
    interrupted: bool,
}

/// How an operation fared with an argument of one origin.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    good: u16,
    bad: u16,
}

const SCORES: usize = 1 << 14;
/// Operations that reached new code last; older ones make way.
const PROMISING: usize = 32;
/// Of a batch that reached new code, this many operations get the credit.
const CREDITED: usize = 4;

pub(super) struct Learned {
    heuristics: Heuristics,
    /// Operations under test, in the order in which they are drawn.
    drawn: Vec<OpId>,
    records: Vec<Record>,
    /// By operation, argument and origin; those that meet in one place share
    /// it, which blurs what is learnt and bounds it.
    scores: Vec<Score>,
    /// Operations that have not completed, and some that have since.
    neglected: Vec<OpId>,
    promising: Vec<OpId>,
    /// The operations called since coverage was last read.
    batch: Vec<OpId>,
    batches: u32,
}

impl Learned {
    pub(super) fn new(plan: &Plan, avoid: &[OpId], heuristics: Heuristics) -> Learned {
        let tested = |op: &OpId| {
            let operation = plan.operation(*op);
            let wanted = match operation.kind {
                OperationKind::Law => heuristics.has(Heuristic::Laws),
                _ => !operation.panics_by_design || heuristics.has(Heuristic::Interruptions),
            };
            wanted && !avoid.contains(op) && operation.kind != OperationKind::Builder
        };
        let record = |op: &testsmith_model::Operation| Record {
            interrupted: op.panics_by_design,
            ..Record::default()
        };
        let drawn: Vec<OpId> = plan.op_ids().filter(tested).collect();
        Learned {
            heuristics,
            neglected: drawn
                .iter()
                .copied()
                .filter(|op| !plan.operation(*op).panics_by_design)
                .collect(),
            drawn,
            records: plan.operations.iter().map(record).collect(),
            scores: vec![Score::default(); SCORES],
            promising: vec![],
            batch: vec![],
            batches: 1,
        }
    }

    /// Per operation: completed calls.
    pub(super) fn completed(&self) -> Vec<u32> {
        self.records.iter().map(|record| record.completed).collect()
    }

    /// Per operation: calls that panicked.
    pub(super) fn panicked(&self) -> Vec<u32> {
        self.records.iter().map(|record| record.panicked).collect()
    }

    /// Forgets the counts, but not what they taught.
    pub(super) fn count_anew(&mut self) {
        for record in &mut self.records {
            (record.completed, record.panicked) = (0, 0);
        }
    }

    /// An operation to call next, if there is any.
    pub(super) fn draw(&mut self, rng: &mut Rng) -> Option<OpId> {
        if self.drawn.is_empty() {
            return None;
        }
        if self.heuristics.has(Heuristic::Yield) {
            match rng.below(8) {
                0 => {
                    if let Some(op) = self.neglected(rng) {
                        return Some(op);
                    }
                }
                1 if !self.promising.is_empty() => {
                    return Some(self.promising[rng.below(self.promising.len())]);
                }
                _ => {}
            }
        }
        Some(self.drawn[rng.below(self.drawn.len())])
    }

    fn neglected(&mut self, rng: &mut Rng) -> Option<OpId> {
        while !self.neglected.is_empty() {
            let at = rng.below(self.neglected.len());
            let op = self.neglected[at];
            if self.records[op.index()].good == 0 {
                return Some(op);
            }
            self.neglected.swap_remove(at);
        }
        None
    }

    /// Whether to leave an operation alone this time, for the sequences it has
    /// ended. None is left alone for good.
    #[inline]
    pub(super) fn doubts(&self, op: OpId, rng: &mut Rng) -> bool {
        let Record { good, bad, interrupted, .. } = self.records[op.index()];
        if interrupted && !rng.chance(1, INTERRUPTED_ONCE_IN) {
            return true;
        }
        if bad == 0 || !self.heuristics.has(Heuristic::Panics) {
            return false;
        }
        let (good, bad) = (good as usize + 1, bad as usize);
        let likely = rng.chance(good, good + bad);
        let tried_once_in = TRIED_ONCE_IN + bad / (2 * PANIC_COST as usize);
        !likely && !rng.chance(1, tried_once_in)
    }

    /// Whether a call of the operation has ended a sequence of late. Most never
    /// do, and nothing has to be looked up for those.
    #[inline]
    pub(super) fn is_risky(&self, op: OpId) -> bool {
        self.records[op.index()].bad > 0
    }

    /// Whether an operation gets on with an argument of this origin; one in
    /// eight is passed all the same.
    #[inline]
    pub(super) fn suits(&self, op: OpId, input: usize, origin: u32, rng: &mut Rng) -> bool {
        if !self.is_risky(op) || !self.heuristics.has(Heuristic::Arguments) {
            return true;
        }
        let Score { good, bad } = self.scores[place(op, input, origin)];
        if bad == 0 {
            return true;
        }
        let (good, bad) = (usize::from(good), 4 * usize::from(bad));
        rng.chance(good.max(bad / 8) + 1, good + bad + 1)
    }

    /// Learns what came of a call with arguments of these origins.
    #[inline]
    pub(super) fn learn(
        &mut self,
        op: OpId,
        origins: impl Iterator<Item = u32>,
        result: Result<u32, Halt>,
    ) {
        let failed = matches!(result, Err(Halt::Panicked | Halt::Inapplicable));
        if (failed || self.is_risky(op)) && self.heuristics.has(Heuristic::Arguments) {
            for (input, origin) in origins.enumerate() {
                let score = &mut self.scores[place(op, input, origin)];
                score.good += u16::from(!failed);
                score.bad += u16::from(failed);
                if score.good.max(score.bad) == u16::MAX {
                    (score.good, score.bad) = (score.good / 2, score.bad / 2);
                }
            }
        }
        let record = &mut self.records[op.index()];
        if record.batch != self.batches {
            record.batch = self.batches;
            self.batch.push(op);
        }
        match result {
            Ok(_) => {
                record.completed += 1;
                record.good += 1;
            }
            Err(Halt::Panicked) => {
                record.panicked += 1;
                record.bad += PANIC_COST;
            }
            Err(Halt::Inapplicable) => record.bad += INAPPLICABLE_COST,
            Err(Halt::Full) => {}
        }
        if record.good.max(record.bad) > MEMORY {
            // It stays known that it completed.
            (record.good, record.bad) = (record.good.div_ceil(2), record.bad / 2);
        }
    }

    /// Whether it is out of the ordinary that a completed call of the operation
    /// asked for much memory.
    #[inline]
    pub(super) fn is_excess(&mut self, op: OpId, heavy: bool) -> bool {
        let record = &mut self.records[op.index()];
        record.light |= !heavy;
        heavy && record.light
    }

    /// A call that took long though it completed.
    pub(super) fn burden(&mut self, op: OpId) {
        self.records[op.index()].bad += PANIC_COST;
    }

    /// Coverage was read, and this many edges were new. The calls since the
    /// reading before share the credit; those least called before are the
    /// likeliest to have earned it.
    pub(super) fn credit(&mut self, new_edges: u32) {
        if new_edges > 0 && self.heuristics.has(Heuristic::Yield) {
            let records = &self.records;
            for op in least(&self.batch, |op| records[op.index()].good) {
                if self.promising.len() < PROMISING {
                    self.promising.push(op);
                } else {
                    self.promising.rotate_left(1);
                    self.promising[PROMISING - 1] = op;
                }
            }
        }
        self.batch.clear();
        self.batches = self.batches.wrapping_add(1);
    }
}

/// Those of which the key is least, in its order and then in theirs. A batch may be of
/// thousands, so they are not sorted for the sake of a few.
fn least(ops: &[OpId], key: impl Fn(&OpId) -> u32) -> Vec<OpId> {
    let mut found: Vec<OpId> = Vec::with_capacity(CREDITED + 1);
    for op in ops {
        if found.len() < CREDITED || key(op) < key(&found[CREDITED - 1]) {
            let at = found.partition_point(|other| key(other) <= key(op));
            found.insert(at, *op);
            found.truncate(CREDITED);
        }
    }
    found
}

#[inline]
fn place(op: OpId, input: usize, origin: u32) -> usize {
    let hash = mix(mix(u64::from(op.0), input as u64), u64::from(origin));
    (hash >> 32) as usize % SCORES
}
