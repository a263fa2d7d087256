//! How large a thing is made in one step.
//!
//! Bugs sit where chunks, nodes and tables end, and in recursion. So a sequence
//! now and then makes its texts and lists of so many elements at once. What is
//! large takes long, so the larger a size is, the seldomer it is drawn: all
//! together take about the same time. Sizes in whose company new code was
//! reached are drawn again. Says how large, never of what.

use super::texts::Texts;
use crate::rng::Rng;
use std::collections::HashSet;
use testsmith_model::message::ArgumentLimit;
use testsmith_model::operation::OperationKind;
use testsmith_model::{Heuristic, Heuristics, OpId, Plan, TypeId};

/// Where chunks, nodes and tables end.
const ENDS: [usize; 5] = [16, 64, 256, 1024, 4096];
/// More than any recursion with a stack can follow.
pub(super) const GREATEST: usize = 100_000;
/// All sizes: the ends with one more and one less, and the greatest.
pub(super) const SIZES: [usize; 16] =
    [15, 16, 17, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, GREATEST];
/// The greatest is a place of its own in the list of all.
const GREATEST_AT: usize = SIZES.len() - 1;
/// What is larger is made again rather than kept.
const MAX_KEPT: usize = 257;
/// One sequence in so many has things of the first end in it, and of an end that is larger
/// the less.
const FIRST_ONCE_IN: usize = 16;
/// One sequence in so many gives something of the greatest size to an operation that had
/// less than so many such things.
const GREATEST_ONCE_IN: usize = 512;
const MAX_GREATEST_EACH: u32 = 16;
/// When so many calls did not return because of something of this size or more, none is made
/// any more: each takes as long as millions of other calls.
const HUNG_BEFORE_GIVEN_UP: usize = 4;
/// Sizes that are remembered for the new code in their company.
const MAX_FRUITFUL: usize = 32;

/// No operation has so many arguments.
const NO_ARGUMENT: u8 = u8::MAX;

pub(super) struct Sizes {
    /// Per operation that makes a thing of a given size: which of its arguments says how
    /// large; none for all others. Asked for every argument, so it is kept small.
    sized_by: Vec<u8>,
    /// Operations under test that take what can be made so.
    takers: Vec<OpId>,
    /// Those of them that are likely to look into a text, in which things nest, and those that
    /// take a list.
    readers: Vec<OpId>,
    listers: Vec<OpId>,
    /// Per operation: how often it was called first with something of the greatest size.
    greatest: Vec<u32>,
    /// That of this sequence, by its place in the list of all.
    drawn: Option<usize>,
    /// Those since coverage was last read, and those that were worth it.
    batch: Vec<usize>,
    fruitful: Vec<usize>,
    /// Sizes from this place on are given up.
    end: usize,
    on: bool,
}

/// Which argument of an operation says how large a thing is that it makes.
pub fn sized_by(plan: &Plan, op: OpId) -> Option<usize> {
    let operation = plan.operation(op);
    let says = |input: &testsmith_model::operation::Input| input.name == SIZE;
    (operation.kind == OperationKind::Builder)
        .then(|| operation.inputs.iter().position(says))
        .flatten()
}

/// The name of such an argument.
const SIZE: &str = testsmith_model::operation::SIZE;

/// The place of the first size that is given up: it took too many operations too long.
fn given_up_from(limits: &[ArgumentLimit]) -> usize {
    let mut end = SIZES.len();
    // Those of one end, with one more and one less, together.
    for at in (0..SIZES.len()).step_by(3).rev() {
        let least = if at == 0 { 0 } else { SIZES[at - 1] as u128 };
        let greatest = SIZES[at..].iter().take(3).max().map_or(0, |size| *size as u128);
        let meant = |limit: &&ArgumentLimit| {
            let number = limit.number.unsigned_abs();
            limit.costly && least < number && number <= greatest
        };
        let hung: HashSet<OpId> = limits.iter().filter(meant).map(|limit| limit.op).collect();
        if hung.len() >= HUNG_BEFORE_GIVEN_UP {
            end = at;
        }
    }
    end
}

impl Sizes {
    pub(super) fn new(
        plan: &Plan,
        avoid: &[OpId],
        limits: &[ArgumentLimit],
        heuristics: Heuristics,
        texts: &Texts,
    ) -> Sizes {
        let sized_by = |op: OpId| sized_by(plan, op).map_or(NO_ARGUMENT, |input| input as u8);
        let sized_by: Vec<u8> = plan.op_ids().map(sized_by).collect();
        let mut large: Vec<bool> =
            (0..plan.types.len()).map(|n| texts.takes(TypeId(n as u32))).collect();
        for op in plan.op_ids().filter(|op| sized_by[op.index()] != NO_ARGUMENT) {
            large[plan.operation(op).output.index()] = true;
        }
        // What the standard library makes of one such thing is as large: a slice, an iterator.
        for _ in 0..2 {
            for op in plan.op_ids() {
                let operation = plan.operation(op);
                if let [input] = operation.inputs.as_slice()
                    && operation.kind == OperationKind::Builder
                    && large[input.ty.index()]
                {
                    large[operation.output.index()] = true;
                }
            }
        }
        let takes = |op: &OpId| {
            let operation = plan.operation(*op);
            !matches!(operation.kind, OperationKind::Builder | OperationKind::Law)
                && !operation.panics_by_design
                && operation.inputs.iter().any(|input| large[input.ty.index()])
                && !avoid.contains(op)
        };
        let lists = |op: &OpId| {
            let mut inputs = plan.operation(*op).inputs.iter();
            inputs.any(|input| large[input.ty.index()] && !texts.takes(input.ty))
        };
        let takers: Vec<OpId> = plan.op_ids().filter(takes).collect();
        Sizes {
            on: heuristics.has(Heuristic::Sizes) && !takers.is_empty(),
            sized_by,
            readers: takers.iter().copied().filter(|op| texts.reads(*op)).collect(),
            listers: takers.iter().copied().filter(lists).collect(),
            takers,
            greatest: vec![0; plan.operations.len()],
            drawn: None,
            batch: vec![],
            fruitful: vec![],
            end: given_up_from(limits),
        }
    }

    /// Draws the size of a new sequence.
    pub(super) fn begin(&mut self, rng: &mut Rng) {
        self.drawn = None;
        if !self.on {
            return;
        }
        if self.end == SIZES.len() && rng.chance(1, GREATEST_ONCE_IN) {
            self.drawn = Some(GREATEST_AT);
        } else if rng.chance(1, FIRST_ONCE_IN) {
            let fruitful = !self.fruitful.is_empty() && rng.chance(1, 4);
            let at = if fruitful {
                self.fruitful[rng.below(self.fruitful.len())]
            } else {
                // Each end is four times as large as the one before, and as much seldomer.
                let mut end = 0;
                while end + 1 < ENDS.len() && rng.chance(1, 4) {
                    end += 1;
                }
                3 * end + rng.below(3)
            };
            self.drawn = (at < self.end).then_some(at);
        }
        self.batch.extend(self.drawn);
    }

    /// The operation that a sequence with large things begins with.
    pub(super) fn first(&mut self, rng: &mut Rng) -> Option<OpId> {
        let at = self.drawn?;
        if at < GREATEST_AT {
            let op = self.takers[rng.below(self.takers.len())];
            return rng.chance(1, 2).then_some(op);
        }
        let reads = self.listers.is_empty() || !self.readers.is_empty() && rng.chance(1, 2);
        let among = if reads { &self.readers } else { &self.listers };
        let op = (!among.is_empty()).then(|| among[rng.below(among.len())]);
        // Those that have not had their share come first, and when all have, it is over.
        let had = |op: &OpId| self.greatest[op.index()];
        let op = op
            .filter(|op| had(op) < MAX_GREATEST_EACH)
            .or_else(|| among.iter().copied().find(|op| had(op) < MAX_GREATEST_EACH));
        match op {
            Some(op) => self.greatest[op.index()] += 1,
            None => self.drawn = None,
        }
        op
    }

    /// The size of what is made in this sequence, by its place in the list of all.
    #[inline]
    pub(super) fn drawn(&self) -> Option<usize> {
        self.drawn
    }

    /// Whether an argument of an operation says how large what it makes is.
    #[inline]
    pub(super) fn is_size(&self, op: OpId, input: usize) -> bool {
        usize::from(self.sized_by[op.index()]) == input
    }

    /// Whether an operation makes things of a given size.
    #[inline]
    pub(super) fn is_sized(&self, op: OpId) -> bool {
        self.sized_by[op.index()] != NO_ARGUMENT
    }

    /// Whether values of this sequence may be kept.
    #[inline]
    pub(super) fn allows_keeping(&self) -> bool {
        self.drawn.is_none_or(|at| SIZES[at] <= MAX_KEPT)
    }

    /// Coverage was read after the sequences since the last reading.
    pub(super) fn credit(&mut self, new_edges: u32) {
        for at in self.batch.drain(..) {
            if new_edges > 0 && at < GREATEST_AT {
                if self.fruitful.len() == MAX_FRUITFUL {
                    self.fruitful.remove(0);
                }
                self.fruitful.push(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::{Mode, Operation, TypeInfo};
    use testsmith_model::ty::Ty;

    const LIST: TypeId = TypeId(0);
    const NUMBER: TypeId = TypeId(1);
    const MAKE: OpId = OpId(0);
    const TAKE: OpId = OpId(1);

    /// `make(size) -> List` and `take(&List) -> usize`.
    fn sizes(limits: &[ArgumentLimit]) -> Sizes {
        let ty = |ty: Ty| TypeInfo::owned(ty, Default::default());
        let mut make = Operation::of_types(&[(NUMBER, Mode::Own)], LIST);
        make.kind = OperationKind::Builder;
        make.inputs[0].name = SIZE.to_owned();
        let mut take = Operation::of_types(&[(LIST, Mode::Shared)], NUMBER);
        take.kind = OperationKind::Inherent;
        let plan = Plan {
            types: vec![ty(Ty::adt("a::List", vec![])), ty(Ty::prim("usize"))],
            operations: vec![make, take],
            ..Plan::default()
        };
        Sizes::new(&plan, &[], limits, Heuristics::default(), &Texts::new(&plan, &[]))
    }

    /// How often each size is drawn.
    fn counts(sizes: &mut Sizes, times: usize) -> Vec<usize> {
        let mut rng = Rng::new(1);
        let mut counts = vec![0; SIZES.len()];
        for _ in 0..times {
            sizes.begin(&mut rng);
            sizes.first(&mut rng);
            sizes.drawn().into_iter().for_each(|at| counts[at] += 1);
        }
        counts
    }

    #[test]
    fn what_is_larger_is_made_seldomer_and_everything_is_made() {
        let mut sizes = sizes(&[]);
        assert!(sizes.is_size(MAKE, 0) && !sizes.is_size(TAKE, 0));
        let counts = counts(&mut sizes, 200_000);
        let of_end = |end: usize| counts[3 * end..3 * end + 3].iter().sum::<usize>();
        assert!((1..ENDS.len()).all(|end| of_end(end) > 0 && 2 * of_end(end) < of_end(end - 1)));
        assert_eq!(counts[GREATEST_AT], MAX_GREATEST_EACH as usize);
    }

    #[test]
    fn a_size_that_takes_too_long_is_given_up() {
        let limit = |op: u32| ArgumentLimit {
            op: OpId(op),
            input: 0,
            number: GREATEST as i128,
            costly: true,
        };
        assert!(counts(&mut sizes(&[limit(0)]), 20_000)[GREATEST_AT] > 0);
        let many: Vec<ArgumentLimit> = (0..HUNG_BEFORE_GIVEN_UP as u32).map(limit).collect();
        let counts = counts(&mut sizes(&many), 20_000);
        assert_eq!(counts[GREATEST_AT], 0);
        assert!(counts[0] > 0);
        // What overflows the stack does so at once.
        let deep = many.into_iter().map(|limit| ArgumentLimit { costly: false, ..limit });
        let deep: Vec<ArgumentLimit> = deep.collect();
        assert!(self::counts(&mut sizes(&deep), 20_000)[GREATEST_AT] > 0);
    }

    #[test]
    fn sizes_in_whose_company_code_is_new_are_drawn_again() {
        let mut sizes = sizes(&[]);
        sizes.drawn = Some(14);
        sizes.batch.push(14);
        sizes.credit(1);
        assert!(counts(&mut sizes, 20_000)[14] > 200);
    }
}
