//! Where the ways out of a branch meet again, read off the code of a function.
//!
//! Blocks lie in an order in which definitions come before uses, so an edge
//! forward is one to a later instruction. Nothing is run here.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::ir::{Function, Inst};
use testsmith_solver::term::FastMap;

/// Functions with more blocks behind a branch are not looked through.
const MOST_BLOCKS: usize = 256;

/// The blocks between a branch and the place where its ways meet.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub join: u32,
    /// Whether every way comes to the join, or to its end by a panic.
    pub whole: bool,
    /// Blocks, by their first instruction, from which the join can still be reached.
    inside: BTreeSet<u32>,
}

impl Region {
    pub fn leads_to_join(&self, block: u32) -> bool {
        block == self.join || self.inside.contains(&block)
    }
}

/// Regions that were looked for: by the place of the function in memory, the instruction
/// behind the branch, the place of the region around it, and where its ways lead. Functions
/// and regions live as long as this.
pub(super) type Regions = FastMap<(usize, u32, usize, Vec<u32>), Vec<Rc<Region>>>;

/// The regions of the branch before `pc`, the one that takes in most first. Inside another
/// region there is one, from which no way leads around the join.
pub(super) fn of(
    function: &Function,
    pc: u32,
    targets: &[u32],
    outer: Option<&Region>,
) -> Vec<Rc<Region>> {
    let Some(graph) = Graph::behind(function, pc, targets, outer) else { return vec![] };
    let reached: Vec<BTreeSet<u32>> = targets.iter().map(|t| graph.reach(*t, None)).collect();
    let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
    for block in reached.iter().flatten() {
        *shared.entry(*block).or_default() += 1;
    }
    let Some(most) = shared.values().copied().max().filter(|most| *most > 1) else {
        return vec![];
    };
    // What lies before the branch is reached by going round a loop: last of all.
    let mut common: Vec<u32> =
        shared.iter().filter(|(_, count)| **count == most).map(|(block, _)| *block).collect();
    common.sort_by_key(|block| (*block < pc, *block));
    let unavoidable = common.iter().copied().find(|join| {
        let around = |target: &u32| graph.reach(*target, Some(*join));
        !targets.iter().filter(|t| *t != join).flat_map(around).any(|b| graph.is_end(b, outer))
    });
    let whole = outer.is_none_or(|outer| outer.whole);
    let mut joins: Vec<(u32, bool)> = unavoidable.into_iter().map(|join| (join, whole)).collect();
    if outer.is_none() && unavoidable != Some(common[0]) {
        joins.push((common[0], false));
    }
    joins.into_iter().map(|(join, whole)| Rc::new(graph.region(join, whole))).collect()
}

/// The blocks that a branch leads to.
struct Graph {
    pc: u32,
    next: BTreeMap<u32, Vec<u32>>,
    /// Blocks that leave the function.
    returns: BTreeSet<u32>,
}

impl Graph {
    fn behind(
        function: &Function,
        pc: u32,
        targets: &[u32],
        outer: Option<&Region>,
    ) -> Option<Graph> {
        let mut graph = Graph { pc, next: BTreeMap::new(), returns: BTreeSet::new() };
        let mut open: Vec<u32> = targets.to_vec();
        while let Some(block) = open.pop() {
            let beyond = block < pc || outer.is_some_and(|outer| outer.join == block);
            let left = outer.is_some_and(|outer| !outer.leads_to_join(block));
            if graph.next.contains_key(&block) || left {
                continue;
            }
            if graph.next.len() >= MOST_BLOCKS {
                return None;
            }
            let (next, returns) =
                if beyond { (vec![], false) } else { successors(function, block) };
            if returns {
                graph.returns.insert(block);
            }
            open.extend(&next);
            graph.next.insert(block, next);
        }
        Some(graph)
    }

    /// The blocks on the ways from one, itself included, that do not lead through another.
    fn reach(&self, from: u32, without: Option<u32>) -> BTreeSet<u32> {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            if Some(block) == without || !self.next.contains_key(&block) || !seen.insert(block) {
                continue;
            }
            open.extend(&self.next[&block]);
        }
        seen
    }

    /// Whether a way ends here that could have gone on: not by a panic.
    fn is_end(&self, block: u32, outer: Option<&Region>) -> bool {
        self.returns.contains(&block)
            || block < self.pc
            || outer.is_some_and(|outer| outer.join == block)
    }

    fn region(&self, join: u32, whole: bool) -> Region {
        let mut inside = BTreeSet::from([join]);
        loop {
            let leads = |(block, next): (&u32, &Vec<u32>)| {
                let leads = *block != join && next.iter().any(|next| inside.contains(next));
                (leads && !inside.contains(block)).then_some(*block)
            };
            let more: Vec<u32> = self.next.iter().filter_map(leads).collect();
            if more.is_empty() {
                break;
            }
            inside.extend(more);
        }
        inside.remove(&join);
        Region { join, whole, inside }
    }
}

/// Where a block leads without unwinding, and whether it returns.
fn successors(function: &Function, block: u32) -> (Vec<u32>, bool) {
    let target = |edge: u32| function.edges[edge as usize].target;
    for inst in &function.code[block as usize..] {
        match *inst {
            Inst::Jump { edge } => return (vec![target(edge)], false),
            Inst::Branch { then, other, .. } => return (vec![target(then), target(other)], false),
            Inst::Switch { table, .. } => {
                let table = &function.switches[table as usize];
                let arms = table.arms.iter().map(|(_, edge)| target(*edge));
                return (arms.chain([target(table.default)]).collect(), false);
            }
            Inst::Return { .. } => return (vec![], true),
            Inst::Unreachable | Inst::Trap | Inst::Resume { .. } | Inst::Unsupported { .. } => {
                return (vec![], false);
            }
            _ => {}
        }
    }
    (vec![], false)
}
