//! Vectors that refer to each other: `petgraph` 0.8.3, `priority-queue` 2.7.0
//! and `indextree` 4.9.2.

use testsmith::{Korat, korat};

use crate::Exercise;

/// `petgraph::unionfind::UnionFind`.
#[derive(Korat, Debug, Clone)]
pub struct UnionFind {
    pub parent: Vec<usize>,
    pub rank: Vec<u8>,
}

#[korat]
impl UnionFind {
    /// Ranks grow towards the representatives.
    pub fn rep_ok(&self) -> bool {
        self.parent.len() == self.rank.len()
            && self.parent.iter().enumerate().all(|(at, parent)| match self.rank.get(*parent) {
                Some(rank) => *parent == at || *rank > self.rank[at],
                None => false,
            })
    }
}

impl UnionFind {
    pub fn find(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    pub fn union(&mut self, a: usize, b: usize, faulty: bool) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let (low, high) = if self.rank[a] < self.rank[b] { (a, b) } else { (b, a) };
        self.parent[low] = high;
        // The fault: two sets of the same rank make no higher one.
        if self.rank[low] == self.rank[high] && !faulty {
            self.rank[high] += 1;
        }
    }
}

impl Exercise for UnionFind {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        let (a, b) = (usize::from(argument), 0);
        if a < self.parent.len() {
            self.union(a, b, faulty);
            assert!(self.rep_ok() && self.find(a) == self.find(b));
        }
    }
}

/// `priority_queue::core::store::Store`, its map as the priorities by index.
#[derive(Korat, Debug, Clone)]
pub struct PriorityStore {
    pub map: Vec<u8>,
    pub heap: Vec<usize>,
    pub qp: Vec<usize>,
    pub size: usize,
}

#[korat]
impl PriorityStore {
    /// `heap` and `qp` are each other's inverse, and `heap` is one.
    pub fn rep_ok(&self) -> bool {
        let lengths = [self.map.len(), self.heap.len(), self.qp.len()];
        lengths.iter().all(|length| *length == self.size)
            && (0..self.size).all(|at| {
                let index = self.heap[at];
                let above = at.saturating_sub(1) / 2;
                self.qp.get(index) == Some(&at) && self.map[index] <= self.map[self.heap[above]]
            })
    }
}

impl PriorityStore {
    pub fn change_priority(&mut self, index: usize, priority: u8, faulty: bool) {
        self.map[index] = priority;
        let mut at = self.qp[index];
        while at > 0 && self.at(at) > self.at((at - 1) / 2) {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        // The fault: what is less than before stays where it is.
        if !faulty {
            self.sink(at);
        }
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let below = [2 * at + 1, 2 * at + 2].into_iter().filter(|below| *below < self.size);
            let Some(largest) = below.max_by_key(|below| self.at(*below)) else { break };
            if self.at(largest) <= self.at(at) {
                break;
            }
            self.swap(at, largest);
            at = largest;
        }
    }

    fn at(&self, at: usize) -> u8 {
        self.map[self.heap[at]]
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        (self.qp[self.heap[a]], self.qp[self.heap[b]]) = (a, b);
    }
}

impl Exercise for PriorityStore {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        if usize::from(argument) < self.size {
            self.change_priority(usize::from(argument), 0, faulty);
            assert!(self.rep_ok(), "{self:?}");
        }
    }
}

/// `indextree::Arena`, without its list of free slots.
#[derive(Korat, Debug, Clone)]
pub struct SiblingArena {
    pub nodes: Vec<SiblingNode>,
}

#[derive(Korat, Debug, Clone, Default, PartialEq)]
pub struct SiblingNode {
    #[korat(values = 0..scope)]
    pub parent: Option<usize>,
    #[korat(values = 0..scope)]
    pub previous_sibling: Option<usize>,
    #[korat(values = 0..scope)]
    pub next_sibling: Option<usize>,
    #[korat(values = 0..scope)]
    pub first_child: Option<usize>,
    #[korat(values = 0..scope)]
    pub last_child: Option<usize>,
}

#[korat]
impl SiblingArena {
    /// The children of a node are a list in both directions and know it.
    pub fn rep_ok(&self) -> bool {
        (0..self.nodes.len()).all(|at| self.children_fit(at) && self.has_place(at))
            && (0..self.nodes.len()).all(|at| self.ends(at))
    }

    fn children_fit(&self, at: usize) -> bool {
        let (mut last, mut child) = (None, self.nodes[at].first_child);
        for _ in 0..=self.nodes.len() {
            let Some(index) = child else { return self.nodes[at].last_child == last };
            let Some(node) = self.nodes.get(index) else { return false };
            if node.parent != Some(at) || node.previous_sibling != last {
                return false;
            }
            (last, child) = (child, node.next_sibling);
        }
        false
    }

    /// Whether the node is among its parent's children, or alone.
    fn has_place(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        let Some(parent) = node.parent else {
            return node.previous_sibling.is_none() && node.next_sibling.is_none();
        };
        let Some(parent) = self.nodes.get(parent) else { return false };
        match node.previous_sibling {
            None => parent.first_child == Some(at),
            Some(before) => {
                self.nodes.get(before).is_some_and(|before| before.next_sibling == Some(at))
            }
        }
    }

    /// Whether the parents of the parents come to an end.
    fn ends(&self, mut at: usize) -> bool {
        (0..self.nodes.len()).any(|_| match self.nodes[at].parent {
            None => true,
            Some(parent) => {
                at = parent;
                false
            }
        })
    }
}

impl SiblingArena {
    pub fn detach(&mut self, at: usize, faulty: bool) {
        let SiblingNode { parent, previous_sibling, next_sibling, .. } = self.nodes[at].clone();
        match (previous_sibling, parent) {
            (Some(before), _) => self.nodes[before].next_sibling = next_sibling,
            (None, Some(parent)) => self.nodes[parent].first_child = next_sibling,
            (None, None) => {}
        }
        match (next_sibling, parent) {
            (Some(after), _) => self.nodes[after].previous_sibling = previous_sibling,
            // The fault: a parent that loses its last child of several.
            (None, Some(_)) if faulty && previous_sibling.is_some() => {}
            (None, Some(parent)) => self.nodes[parent].last_child = previous_sibling,
            (None, None) => {}
        }
        let node = &mut self.nodes[at];
        (node.parent, node.previous_sibling, node.next_sibling) = (None, None, None);
    }
}

impl Exercise for SiblingArena {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        let at = usize::from(argument);
        if at < self.nodes.len() {
            self.detach(at, faulty);
            assert!(self.rep_ok() && self.nodes[at].parent.is_none());
        }
    }
}
