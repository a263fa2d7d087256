//! A priority queue as a Fibonacci heap: rings of siblings in an arena.

use testsmith::{Korat, korat};

use crate::faults::seeded;

/// A queue of integers, the least first.
#[derive(Korat, Debug, Clone, PartialEq, Eq, Default)]
pub struct FibonacciHeap {
    #[korat(values = 0..=scope)]
    size: usize,
    /// Some root.
    #[korat(index(nodes))]
    roots: Option<usize>,
    /// A root with the least key.
    #[korat(index(nodes))]
    min: Option<usize>,
    #[korat(arena)]
    nodes: Vec<Node>,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
struct Node {
    #[korat(index(nodes))]
    parent: Option<usize>,
    #[korat(index(nodes))]
    child: Option<usize>,
    #[korat(index(nodes))]
    left: usize,
    #[korat(index(nodes))]
    right: usize,
    #[korat(values = 0..scope)]
    key: i32,
    #[korat(values = 0..scope)]
    degree: usize,
}

#[korat]
impl FibonacciHeap {
    /// Whether the rings are closed, parents and degrees right, keys in heap
    /// order with the least at `min`, and the size is the number of nodes.
    pub fn rep_ok(&self) -> bool {
        let Some(roots) = self.roots else {
            return korat::holds(&self.size, korat::equal(0))
                && korat::holds(&self.min, korat::is_none());
        };
        let mut seen = 0u64;
        if self.ring(roots, None, &mut seen).is_none() {
            return false;
        }
        let size = seen.count_ones() as usize;
        if !korat::holds(&self.size, korat::equal(size)) {
            return false;
        }
        let is_root = |at: usize| seen & (1 << at) != 0 && self.nodes[at].parent.is_none();
        if !korat::holds(&self.min, |min| min.is_some_and(is_root)) {
            return false;
        }
        let Some(min) = self.min else { return false };
        self.ordered(roots, self.nodes[min].key)
    }

    /// Walks a ring and the rings below it; the number of its nodes.
    fn ring(&self, start: usize, parent: Option<usize>, seen: &mut u64) -> Option<usize> {
        let mut count = 0;
        let mut at = start;
        loop {
            if *seen & (1 << at) != 0 {
                return None;
            }
            *seen |= 1 << at;
            count += 1;
            let node = &self.nodes[at];
            if !korat::holds(&node.parent, korat::equal(parent)) {
                return None;
            }
            let below = match node.child {
                None => 0,
                Some(child) => self.ring(child, Some(at), seen)?,
            };
            if !korat::holds(&node.degree, korat::equal(below)) {
                return None;
            }
            let right = node.right;
            if !korat::holds(&self.nodes[right].left, korat::equal(at)) {
                return None;
            }
            if right == start {
                return Some(count);
            }
            at = right;
        }
    }

    fn ordered(&self, start: usize, least: i32) -> bool {
        let mut at = start;
        loop {
            let node = &self.nodes[at];
            if !korat::holds(&node.key, korat::at_least(least)) {
                return false;
            }
            if let Some(child) = node.child
                && !self.ordered(child, node.key)
            {
                return false;
            }
            at = node.right;
            if at == start {
                return true;
            }
        }
    }
}

#[korat(calls)]
impl FibonacciHeap {
    /// An empty queue.
    pub fn new() -> Self {
        FibonacciHeap::default()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// All keys in ascending order.
    pub fn keys(&self) -> Vec<i32> {
        let mut keys: Vec<i32> = self.nodes.iter().map(|node| node.key).collect();
        keys.sort_unstable();
        keys
    }

    /// The least key.
    pub fn find_min(&self) -> Option<i32> {
        self.min.map(|min| self.nodes[min].key)
    }

    /// Adds a key.
    pub fn insert(&mut self, key: i32) {
        let at = self.nodes.len();
        self.nodes.push(Node { parent: None, child: None, left: at, right: at, key, degree: 0 });
        self.size += 1;
        self.add_root(at);
    }

    /// Takes all elements of another queue in.
    pub fn union(&mut self, other: FibonacciHeap) {
        let shift = self.nodes.len();
        let moved = |at: usize| at + shift;
        self.nodes.extend(other.nodes.into_iter().map(|node| Node {
            parent: node.parent.map(moved),
            child: node.child.map(moved),
            left: node.left + shift,
            right: node.right + shift,
            ..node
        }));
        self.size += if seeded("fibonacci_heap: union size") { 1 } else { other.size };
        let Some(there) = other.min.map(moved) else { return };
        let Some(here) = self.min else {
            self.min = Some(there);
            self.roots = Some(there);
            return;
        };
        self.splice(here, there);
        if self.nodes[there].key < self.nodes[here].key && !seeded("fibonacci_heap: union min") {
            self.min = Some(there);
        }
    }

    /// Takes the least key out.
    pub fn extract_min(&mut self) -> Option<i32> {
        let min = self.min?;
        let key = self.nodes[min].key;
        let mut roots = self.ring_of(Some(min));
        roots.retain(|at| *at != min);
        if !seeded("fibonacci_heap: children lost") {
            roots.extend(self.ring_of(self.nodes[min].child));
        }
        self.size -= 1;
        let roots = self.consolidate(roots);
        (self.min, self.roots) = (None, None);
        for at in roots {
            self.close(at);
            self.add_root(at);
        }
        self.remove_slot(min);
        Some(key)
    }

    /// Removes one key equal to `key`; `false` if there is none.
    pub fn delete(&mut self, key: i32) -> bool {
        let Some(at) = self.nodes.iter().position(|node| node.key == key) else { return false };
        self.decrease(at, i32::MIN);
        self.extract_min();
        true
    }

    fn decrease(&mut self, at: usize, key: i32) {
        self.nodes[at].key = key;
        if let Some(parent) = self.nodes[at].parent {
            self.cut(at, parent);
        }
        self.min = Some(at);
    }

    fn cut(&mut self, at: usize, parent: usize) {
        let mut siblings = self.ring_of(self.nodes[parent].child);
        siblings.retain(|other| *other != at);
        if !seeded("fibonacci_heap: cut keeps the degree") {
            self.nodes[parent].degree -= 1;
        }
        self.nodes[parent].child = siblings.first().copied();
        self.make_ring(&siblings);
        self.close(at);
        self.add_root(at);
    }

    /// Joins roots of equal degree until all differ.
    fn consolidate(&mut self, roots: Vec<usize>) -> Vec<usize> {
        let mut by_degree: Vec<Option<usize>> = vec![None; self.nodes.len() + 1];
        for root in roots {
            let mut at = root;
            while let Some(other) = by_degree[self.nodes[at].degree].take() {
                let swap = self.nodes[other].key < self.nodes[at].key
                    && !seeded("fibonacci_heap: join ignores keys");
                let (above, below) = if swap { (other, at) } else { (at, other) };
                let mut children = self.ring_of(self.nodes[above].child);
                children.push(below);
                self.make_ring(&children);
                self.nodes[below].parent = Some(above);
                self.nodes[above].child = Some(children[0]);
                self.nodes[above].degree += 1;
                at = above;
            }
            let degree = self.nodes[at].degree;
            by_degree[degree] = Some(at);
        }
        by_degree.into_iter().flatten().collect()
    }

    fn ring_of(&self, start: Option<usize>) -> Vec<usize> {
        let Some(start) = start else { return Vec::new() };
        let mut ring = vec![start];
        let mut at = self.nodes[start].right;
        while at != start {
            ring.push(at);
            at = self.nodes[at].right;
        }
        ring
    }

    fn make_ring(&mut self, ring: &[usize]) {
        for (i, at) in ring.iter().enumerate() {
            self.nodes[*at].right = ring[(i + 1) % ring.len()];
            self.nodes[*at].left = ring[(i + ring.len() - 1) % ring.len()];
        }
    }

    /// A node by itself.
    fn close(&mut self, at: usize) {
        let node = &mut self.nodes[at];
        (node.left, node.right, node.parent) = (at, at, None);
    }

    fn add_root(&mut self, at: usize) {
        match self.min {
            None => (self.min, self.roots) = (Some(at), Some(at)),
            Some(min) => {
                self.splice(min, at);
                if self.nodes[at].key < self.nodes[min].key {
                    self.min = Some(at);
                }
            }
        }
    }

    /// Joins two rings into one.
    fn splice(&mut self, a: usize, b: usize) {
        let (after, before) = (self.nodes[a].right, self.nodes[b].left);
        self.nodes[a].right = b;
        self.nodes[b].left = a;
        self.nodes[before].right = after;
        self.nodes[after].left = before;
    }

    /// Gives the last node the place of one that nothing refers to any more.
    fn remove_slot(&mut self, gone: usize) {
        let last = self.nodes.len() - 1;
        self.nodes.swap_remove(gone);
        let moved = |at: &mut usize| {
            if *at == last {
                *at = gone;
            }
        };
        for node in &mut self.nodes {
            moved(&mut node.left);
            moved(&mut node.right);
            node.parent.iter_mut().for_each(moved);
            node.child.iter_mut().for_each(moved);
        }
        self.min.iter_mut().for_each(moved);
        self.roots.iter_mut().for_each(moved);
    }
}
