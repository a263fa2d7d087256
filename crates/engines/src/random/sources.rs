//! Where the values of each type come from: literals, makers, references.

use super::sizes::{GREATEST, SIZES, sized_by};
use super::variety::variety;
use std::ops::Range;
use testsmith_model::sequence::Literal;
use testsmith_model::{Mode, OpId, Plan, TypeId};

/// A call that is repeated can be given so many numbers in turn; all whole
/// numbers have room for them.
pub(super) const COUNTED: usize = 128;

/// The literals of a type as they are numbered: its pool, and if that is of
/// whole numbers, those from nought on, and if there is room for them, sizes;
/// then whatever else there is of its kind.
pub fn numbered(pool: &[Literal]) -> impl Iterator<Item = Literal> + '_ {
    let counts = matches!(pool.first(), Some(Literal::Int(_)));
    let counted = if counts { COUNTED } else { 0 };
    let has_room = |literal: &Literal| matches!(literal, Literal::Int(n) if *n >= GREATEST as i128);
    let sizes = if pool.iter().any(has_room) { &SIZES[..] } else { &[] };
    let numbers = (0..counted).chain(sizes.iter().copied());
    let numbers = numbers.map(|n| Literal::Int(n as i128));
    pool.iter().cloned().chain(numbers).chain(variety(pool))
}

/// The number of a size among the literals of a type, if it has one.
pub(super) fn numbered_size(source: &Source, at: usize) -> Option<usize> {
    let n = source.literals + COUNTED + at;
    (n < source.varied.start).then_some(n)
}

/// Where values of one type come from. What is asked for most arguments comes first, in
/// one line of the processor's cache.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Source {
    pub(super) literals: usize,
    /// Those made in this sequence.
    pub(super) slots: Vec<u32>,
    pub(super) makers: Vec<OpId>,
    /// The operation that makes it with the fewest calls in all.
    pub(super) cheapest: Option<OpId>,
    /// The references to it that can stand in for it, and whether they are
    /// mutable.
    pub(super) behind: Vec<(TypeId, bool)>,
    /// Operations that make it of a given size.
    pub(super) sized: Vec<OpId>,
    /// How far each literal is from nought, if they are whole numbers.
    pub(super) magnitudes: Vec<u128>,
    /// The places of those that are not in the pool and have no other use.
    pub(super) varied: Range<usize>,
}

/// The sources of all types, without the operations to avoid.
pub(super) fn sources(plan: &Plan, avoid: &[OpId]) -> Vec<Source> {
    let mut sources = vec![Source::default(); plan.types.len()];
    for op in plan.op_ids().filter(|op| !avoid.contains(op)) {
        let source = &mut sources[plan.operation(op).output.index()];
        match sized_by(plan, op) {
            Some(_) => source.sized.push(op),
            None => source.makers.push(op),
        }
    }
    for (n, info) in plan.types.iter().enumerate() {
        if let Some((to, mutable)) = info.pointee {
            sources[to.index()].behind.push((TypeId(n as u32), mutable));
        }
    }
    for (ty, pool) in &plan.literals {
        sources[ty.index()].literals = pool.len();
        let magnitudes = numbered(pool).map_while(|literal| match literal {
            Literal::Int(number) => Some(number.unsigned_abs()),
            _ => None,
        });
        sources[ty.index()].magnitudes = magnitudes.collect();
        let all = numbered(pool).count();
        sources[ty.index()].varied = all - variety(pool).len()..all;
    }
    find_cheapest_makers(plan, &mut sources);
    sources
}

/// Whether a value of the type can be an argument of any operation.
pub(super) fn is_taken(plan: &Plan, ty: TypeId) -> bool {
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
