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
        let records = self.records.as_slice();
        let size = records.len();
        if !korat::holds(&self.size, korat::equal(size)) {
            return false;
        }
        let mut roots = 0;
        for (at, record) in records.iter().enumerate() {
            if !korat::holds(&record.parent, korat::less(size)) {
                return false;
            }
            roots += usize::from(record.parent == at);
        }
        let Some(heights) = Self::heights(records) else { return false };
        let mut leaves = heights.iter().filter(|height| **height == 0).count();
        let mut lowest = 0;
        for (at, height) in heights.iter().enumerate() {
            let record = &records[at];
            let above = (record.parent < at).then(|| records[record.parent].rank);
            let below = Self::highest_child(records, at);
            leaves -= usize::from(*height == 0);
            let must_be_lowest = roots > lowest + leaves;
            let fits = |rank: &usize| {
                rank >= height
                    && above.is_none_or(|above| *rank < above)
                    && below.is_none_or(|below| *rank > below)
                    && (!must_be_lowest || *rank == 0)
            };
            if !korat::holds(&record.rank, fits) {
                return false;
            }
            // Once there are enough, nobody needs to know about more.
            if lowest < roots && at + 1 < size {
                lowest += usize::from(record.rank == 0);
            }
        }
        true
    }

    /// The length of the longest way up to each element, if ways up end.
    fn heights(records: &[Record]) -> Option<Vec<usize>> {
        let size = records.len();
        let mut heights = vec![0; size];
        for start in 0..size {
            let (mut at, mut height) = (start, 0);
            while records[at].parent != at {
                at = records[at].parent;
                height += 1;
                if height == size {
                    return None;
                }
                heights[at] = height.max(heights[at]);
            }
        }
        Some(heights)
    }

    /// The highest rank of an element's children before it.
    fn highest_child(records: &[Record], parent: usize) -> Option<usize> {
        let mut highest = None;
        for record in &records[..parent] {
            if record.parent == parent {
                highest = highest.max(Some(record.rank));
            }
        }
        highest
    }
}

#[korat(calls)]
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
