//! Disjoint sets: union by rank, find with path compression.

use testsmith::{Korat, korat};

use crate::faults::seeded;

/// A partition of `0..size`.
#[derive(Korat, Debug, Clone, PartialEq, Eq, Default)]
pub struct DisjSet {
    #[korat(values = 0..=scope)]
    size: usize,
    #[korat(len = 0..=scope)]
    records: Vec<Record>,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
struct Record {
    #[korat(values = 0..scope)]
    parent: usize,
    #[korat(values = 0..scope)]
    rank: usize,
}

#[korat]
impl DisjSet {
    /// Whether parents exist and outrank their children, and there are not
    /// more sets than elements of rank zero.
    pub fn rep_ok(&self) -> bool {
        let size = self.records.len();
        if !korat::holds(&self.size, korat::equal(size)) {
            return false;
        }
        let (mut roots, mut lowest) = (0, 0);
        for at in 0..size {
            let record = &self.records[at];
            if !korat::holds(&record.parent, korat::less(size)) {
                return false;
            }
            let parent = record.parent;
            if parent == at {
                roots += 1;
            } else if parent < at {
                let above = self.records[parent].rank;
                if !korat::holds(&record.rank, korat::less(above)) {
                    return false;
                }
            } else {
                let below = record.rank;
                if !korat::holds(&self.records[parent].rank, korat::greater(below)) {
                    return false;
                }
            }
            if record.rank == 0 {
                lowest += 1;
            }
        }
        roots <= lowest
    }
}

impl DisjSet {
    /// Every element of `0..size` by itself.
    pub fn singletons(size: usize) -> Self {
        DisjSet { size, records: (0..size).map(|parent| Record { parent, rank: 0 }).collect() }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The root of an element, changing nothing.
    pub fn root(&self, element: usize) -> usize {
        let mut at = element;
        while self.records[at].parent != at {
            at = self.records[at].parent;
        }
        at
    }

    /// The representative of an element's set.
    pub fn find(&mut self, element: usize) -> usize {
        let root = self.root(element);
        self.compress_path(element, root);
        if seeded("disj_set: find the parent") { self.records[element].rank } else { root }
    }

    fn compress_path(&mut self, element: usize, root: usize) {
        let mut at = element;
        while at != root {
            let next = self.records[at].parent;
            let to = if seeded("disj_set: compress to itself") { at } else { root };
            self.records[at].parent = to;
            at = next;
        }
    }

    /// Joins the sets of two elements.
    pub fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b && !seeded("disj_set: rank of the same set grows") {
            return;
        }
        let (low, high) =
            if self.records[a].rank <= self.records[b].rank { (a, b) } else { (b, a) };
        let (low, high) =
            if seeded("disj_set: high under low") { (high, low) } else { (low, high) };
        if self.records[low].rank == self.records[high].rank
            && !seeded("disj_set: equal rank stays")
        {
            self.records[high].rank += 1;
        }
        self.records[low].parent = high;
    }
}
