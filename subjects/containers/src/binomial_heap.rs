//! A priority queue as a binomial heap, siblings linked by ownership.

use testsmith::{Korat, korat};

use crate::faults::seeded;

type Link = Option<Box<Tree>>;

/// A queue of integers, the least first.
#[derive(Korat, Debug, Clone, PartialEq, Eq, Default)]
pub struct BinomialHeap {
    #[korat(values = 0..=scope)]
    size: usize,
    /// The trees, by rising degree.
    trees: Option<Box<Tree>>,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
struct Tree {
    #[korat(values = 1..=scope)]
    key: i32,
    #[korat(values = 0..=scope)]
    degree: usize,
    /// The children, by falling degree.
    child: Option<Box<Tree>>,
    sibling: Option<Box<Tree>>,
}

#[korat]
impl BinomialHeap {
    /// Whether the trees are binomial, in order and heaps, and the size is
    /// right.
    pub fn rep_ok(&self) -> bool {
        let mut size = 0;
        let mut least = 0;
        let mut trees = &self.trees;
        while let Some(tree) = trees {
            let Some(degree) = Self::shape(tree) else { return false };
            if degree < least {
                return false;
            }
            least = degree + 1;
            size += 1 << degree;
            trees = &tree.sibling;
        }
        if !korat::holds(&self.size, korat::equal(size)) {
            return false;
        }
        let mut trees = &self.trees;
        while let Some(tree) = trees {
            if tree.child.is_some() && !Self::heap(&tree.child, tree.key) {
                return false;
            }
            trees = &tree.sibling;
        }
        true
    }

    /// The degree of a tree of the right shape.
    fn shape(tree: &Tree) -> Option<usize> {
        let mut degrees = 0;
        let mut last = 0;
        let mut child = &tree.child;
        while let Some(tree) = child {
            let degree = Self::shape(tree)?;
            if degrees > 0 && degree + 1 != last {
                return None;
            }
            last = degree;
            degrees += 1;
            child = &tree.sibling;
        }
        let binomial =
            (degrees == 0 || last == 0) && korat::holds(&tree.degree, korat::equal(degrees));
        binomial.then_some(degrees)
    }

    fn heap(mut trees: &Option<Box<Tree>>, above: i32) -> bool {
        while let Some(tree) = trees {
            if !korat::holds(&tree.key, korat::at_least(above)) {
                return false;
            }
            if tree.child.is_some() && !Self::heap(&tree.child, tree.key) {
                return false;
            }
            trees = &tree.sibling;
        }
        true
    }
}

#[korat(calls)]
impl BinomialHeap {
    /// An empty queue.
    pub fn new() -> Self {
        BinomialHeap::default()
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
        fn walk(mut trees: &Link, keys: &mut Vec<i32>) {
            while let Some(tree) = trees {
                keys.push(tree.key);
                walk(&tree.child, keys);
                trees = &tree.sibling;
            }
        }
        let mut keys = Vec::new();
        walk(&self.trees, &mut keys);
        keys.sort_unstable();
        keys
    }

    /// Adds a key.
    pub fn insert(&mut self, key: i32) {
        let single = Tree { key, degree: 0, child: None, sibling: None };
        let mut other = BinomialHeap { size: 1, trees: Some(Box::new(single)) };
        if seeded("binomial_heap: insert forgets") && self.size == 3 {
            other = BinomialHeap::new();
        }
        self.union(other);
    }

    /// Takes all elements of another queue in.
    pub fn union(&mut self, other: BinomialHeap) {
        self.size += other.size;
        if seeded("binomial_heap: union counts one") && other.size > 1 {
            self.size -= 1;
        }
        self.trees = consolidate(merge(self.trees.take(), other.trees));
    }

    /// Takes the least key out.
    pub fn extract_min(&mut self) -> Option<i32> {
        let mut roots = unlink(self.trees.take());
        let least = (0..roots.len()).min_by_key(|at| roots[*at].key)?;
        let least = if seeded("binomial_heap: extract the first") { 0 } else { least };
        let mut tree = roots.remove(least);
        let mut children = unlink(tree.child.take());
        children.reverse();
        if seeded("binomial_heap: a child lost") {
            children.pop();
        }
        self.size -= 1;
        self.trees = consolidate(merge(link(roots), link(children)));
        Some(tree.key)
    }

    /// Removes one key equal to `key`; `false` if there is none.
    pub fn delete(&mut self, key: i32) -> bool {
        let keys = self.keys();
        let Ok(at) = keys.binary_search(&key) else { return false };
        let mut rest = BinomialHeap::new();
        for (i, other) in keys.into_iter().enumerate() {
            if i != at {
                rest.insert(other);
            }
        }
        *self = rest;
        true
    }
}

// Trees keep their boxes while they are relinked.
#[allow(clippy::vec_box)]
fn unlink(mut trees: Link) -> Vec<Box<Tree>> {
    let mut list = Vec::new();
    while let Some(mut tree) = trees {
        trees = tree.sibling.take();
        list.push(tree);
    }
    list
}

#[allow(clippy::vec_box)]
fn link(trees: Vec<Box<Tree>>) -> Link {
    trees.into_iter().rev().fold(None, |rest, mut tree| {
        tree.sibling = rest;
        Some(tree)
    })
}

/// Two lists by rising degree as one.
fn merge(a: Link, b: Link) -> Link {
    let mut trees = unlink(a);
    trees.extend(unlink(b));
    trees.sort_by_key(|tree| tree.degree);
    link(trees)
}

/// Joins trees of equal degree until all differ.
fn consolidate(trees: Link) -> Link {
    let mut by_degree: Vec<Option<Box<Tree>>> = Vec::new();
    for mut tree in unlink(trees) {
        loop {
            let degree = tree.degree;
            by_degree.resize_with(by_degree.len().max(degree + 1), || None);
            match by_degree[degree].take() {
                Some(equal) => tree = join(equal, tree),
                None => {
                    by_degree[degree] = Some(tree);
                    break;
                }
            }
        }
    }
    link(by_degree.into_iter().flatten().collect())
}

fn join(a: Box<Tree>, b: Box<Tree>) -> Box<Tree> {
    let a_first = a.key <= b.key || seeded("binomial_heap: join ignores keys");
    let (mut above, mut below) = if a_first { (a, b) } else { (b, a) };
    below.sibling = above.child.take();
    above.child = Some(below);
    above.degree += 1;
    above
}
