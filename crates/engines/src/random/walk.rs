//! The random walk: picks an operation, finds or makes its arguments, calls.
//!
//! It keeps nothing from one sequence to the next but the rates of panics:
//! that is the baseline of directed random testing, and what exercises the
//! worker.

use crate::rng::Rng;
use crate::stage::{Halt, Stage};
use testsmith_model::operation::{MAX_INPUTS, OperationKind};
use testsmith_model::{Mode, OpId, Plan, TypeId};

/// How deep arguments are made from arguments before the cheapest way is taken.
const MAX_DEPTH: usize = 3;
/// Tries to find a call that the borrow rules allow.
const MAX_TRIES: usize = 12;
/// A panic takes as long as this many calls, so an operation is called that
/// much less for the panics it has had.
const PANIC_COST: u64 = 64;
/// A call that does not apply takes no longer, but ends its sequence.
const INAPPLICABLE_COST: u64 = 8;

pub struct Walk {
    rng: Rng,
    /// Operations under test, in the order in which they are drawn.
    drawn: Vec<OpId>,
    sources: Vec<Source>,
    records: Vec<Record>,
    /// Types of which this sequence has slots.
    touched: Vec<TypeId>,
}

/// Where values of one type come from.
#[derive(Clone, Debug, Default)]
struct Source {
    literals: usize,
    /// The operation that makes it with the fewest calls in all.
    cheapest: Option<OpId>,
    makers: Vec<OpId>,
    /// The references to it that can stand in for it, and whether they are
    /// mutable.
    behind: Vec<(TypeId, bool)>,
    /// Those made in this sequence.
    slots: Vec<u32>,
}

/// What became of the calls of one operation.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    completed: u32,
    panicked: u32,
    /// Whether any operation takes its result; most numbers and `()` are not
    /// worth keeping track of.
    useful: bool,
    /// What the sequences that it ended have cost, in calls.
    blame: u64,
}

impl Walk {
    pub fn new(plan: &Plan, seed: u64, avoid: &[OpId]) -> Walk {
        let usable = |op: &OpId| !avoid.contains(op);
        let mut sources = vec![Source::default(); plan.types.len()];
        for op in plan.op_ids().filter(usable) {
            sources[plan.operation(op).output.index()].makers.push(op);
        }
        for (n, info) in plan.types.iter().enumerate() {
            if let Some((to, mutable)) = info.pointee {
                sources[to.index()].behind.push((TypeId(n as u32), mutable));
            }
        }
        for (ty, pool) in &plan.literals {
            sources[ty.index()].literals = pool.len();
        }
        find_cheapest_makers(plan, &mut sources);
        let records = plan.operations.iter().map(|operation| Record {
            useful: is_taken(plan, operation.output),
            ..Record::default()
        });
        let records = records.collect();
        let tested = |op: &OpId| plan.operation(*op).kind != OperationKind::Builder;
        Walk {
            rng: Rng::new(seed),
            drawn: plan.op_ids().filter(usable).filter(tested).collect(),
            sources,
            records,
            touched: vec![],
        }
    }

    /// Per operation: completed calls.
    pub fn completed(&self) -> Vec<u32> {
        self.records.iter().map(|record| record.completed).collect()
    }

    /// Per operation: calls that panicked.
    pub fn panicked(&self) -> Vec<u32> {
        self.records.iter().map(|record| record.panicked).collect()
    }

    /// Forgets the slots of the sequence before.
    pub fn begin(&mut self) {
        for ty in self.touched.drain(..) {
            self.sources[ty.index()].slots.clear();
        }
    }

    /// Makes one more call under test, and whatever it needs.
    pub fn extend(&mut self, stage: &mut impl Stage) -> Result<(), Halt> {
        if self.drawn.is_empty() {
            return Err(Halt::Full);
        }
        for _ in 0..MAX_TRIES {
            let op = self.drawn[self.rng.below(self.drawn.len())];
            if self.doubts(op) {
                continue;
            }
            if self.attempt(stage, op, 0)?.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether to leave an operation alone this time, for the sequences it has
    /// ended. None is left alone for good.
    #[inline]
    fn doubts(&mut self, op: OpId) -> bool {
        let Record { completed, blame: bad, .. } = self.records[op.index()];
        let good = 1 + u64::from(completed);
        bad > 0 && !self.rng.chance(good as usize, (good + bad) as usize)
    }

    /// Calls the operation if its arguments can be had.
    fn attempt(
        &mut self,
        stage: &mut impl Stage,
        op: OpId,
        depth: usize,
    ) -> Result<Option<u32>, Halt> {
        let mut args = [0u32; MAX_INPUTS];
        let inputs = stage.signature(op).inputs.len();
        let args = &mut args[..inputs];
        for (n, arg) in args.iter_mut().enumerate() {
            let input = stage.signature(op).inputs[n];
            let by_reference = matches!(input.mode, Mode::Shared | Mode::Exclusive);
            let exclusive = input.mode == Mode::Exclusive;
            match self.argument(stage, input.ty, by_reference, exclusive, depth)? {
                Some(slot) => *arg = slot,
                None => return Ok(None),
            }
        }
        let Some(result) = stage.call(op, args) else { return Ok(None) };
        match result {
            Ok(slot) => {
                let record = &mut self.records[op.index()];
                record.completed += 1;
                if record.useful {
                    self.note(stage.signature(op).output, slot);
                }
                Ok(Some(slot))
            }
            Err(halt) => {
                let record = &mut self.records[op.index()];
                record.panicked += u32::from(halt == Halt::Panicked);
                record.blame += match halt {
                    Halt::Panicked => PANIC_COST,
                    Halt::Inapplicable => INAPPLICABLE_COST,
                    Halt::Full => 0,
                };
                Err(halt)
            }
        }
    }

    fn note(&mut self, ty: TypeId, slot: u32) {
        let slots = &mut self.sources[ty.index()].slots;
        if slots.is_empty() {
            self.touched.push(ty);
        }
        slots.push(slot);
    }

    /// A slot already there, a literal, or a value made for the purpose.
    fn argument(
        &mut self,
        stage: &mut impl Stage,
        ty: TypeId,
        by_reference: bool,
        exclusive: bool,
        depth: usize,
    ) -> Result<Option<u32>, Halt> {
        let literals = self.sources[ty.index()].literals;
        let reuse = if literals > 0 { self.rng.chance(1, 3) } else { !self.rng.chance(1, 6) };
        if reuse && let Some(slot) = self.live(stage, ty, by_reference, exclusive) {
            return Ok(Some(slot));
        }
        if literals > 0 {
            let n = self.rng.below(literals);
            let slot = stage.literal(ty, n)?;
            self.note(ty, slot);
            return Ok(Some(slot));
        }
        if let Some(maker) = self.maker(ty, depth) {
            let made = self.attempt(stage, maker, depth + 1)?;
            if made.is_some() {
                return Ok(made);
            }
        }
        Ok(self.live(stage, ty, by_reference, exclusive))
    }

    /// An operation that makes the type: the cheapest or any, but rather none
    /// than one that is likely to end the sequence.
    fn maker(&mut self, ty: TypeId, depth: usize) -> Option<OpId> {
        if depth > 2 * MAX_DEPTH {
            return None;
        }
        let makers = self.sources[ty.index()].makers.len();
        if depth < MAX_DEPTH && makers > 0 && self.rng.chance(1, 2) {
            let maker = self.sources[ty.index()].makers[self.rng.below(makers)];
            if !self.doubts(maker) {
                return Some(maker);
            }
        }
        let cheapest = self.sources[ty.index()].cheapest?;
        (!self.doubts(cheapest)).then_some(cheapest)
    }

    /// A live slot that can be passed as this type, the latest more likely.
    fn live(
        &mut self,
        stage: &impl Stage,
        ty: TypeId,
        by_reference: bool,
        exclusive: bool,
    ) -> Option<u32> {
        if let Some(slot) = self.pick(stage, ty) {
            return Some(slot);
        }
        if !by_reference {
            return None;
        }
        for n in 0..self.sources[ty.index()].behind.len() {
            let (reference, mutable) = self.sources[ty.index()].behind[n];
            if (mutable || !exclusive)
                && let Some(slot) = self.pick(stage, reference)
            {
                return Some(slot);
            }
        }
        None
    }

    fn pick(&mut self, stage: &impl Stage, ty: TypeId) -> Option<u32> {
        let slots = &mut self.sources[ty.index()].slots;
        while !slots.is_empty() {
            let back = self.rng.low_below(slots.len() as u32);
            let at = slots.len() - 1 - back as usize;
            if stage.loans().is_live(slots[at]) {
                return Some(slots[at]);
            }
            slots.swap_remove(at);
        }
        None
    }
}

/// Whether a value of the type can be an argument of any operation.
fn is_taken(plan: &Plan, ty: TypeId) -> bool {
    let mut inputs = plan.operations.iter().flat_map(|operation| &operation.inputs);
    inputs.any(|input| plan.accepts(input, ty))
}

/// The maker of each type that needs the fewest calls in all.
fn find_cheapest_makers(plan: &Plan, sources: &mut [Source]) {
    let mut cost: Vec<Option<u32>> =
        sources.iter().map(|source| (source.literals > 0).then_some(0)).collect();
    // Costs only fall; a plan settles in a handful of rounds.
    for _ in 0..sources.len() {
        let mut changed = false;
        for (ty, source) in sources.iter_mut().enumerate() {
            for &op in &source.makers {
                let operation = plan.operation(op);
                if operation.panics_by_design {
                    continue;
                }
                let inputs: Option<u32> = operation
                    .inputs
                    .iter()
                    .map(|input| cost_of(plan, &cost, input.ty, input.mode))
                    .sum();
                let Some(total) = inputs.map(|n| n + 1) else { continue };
                if cost[ty].is_none_or(|known| total < known) {
                    cost[ty] = Some(total);
                    source.cheapest = Some(op);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
}

fn cost_of(plan: &Plan, cost: &[Option<u32>], ty: TypeId, mode: Mode) -> Option<u32> {
    let direct = cost[ty.index()];
    if matches!(mode, Mode::Own | Mode::Reborrow) {
        return direct;
    }
    let through = plan.types.iter().enumerate().filter_map(|(n, info)| match info.pointee {
        Some((to, mutable)) if to == ty && (mutable || mode == Mode::Shared) => cost[n],
        _ => None,
    });
    direct.into_iter().chain(through).min()
}
