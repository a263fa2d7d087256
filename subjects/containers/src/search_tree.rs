//! A set as a binary search tree, the running example of the paper.

use testsmith::{Korat, korat};

use crate::faults::seeded;

/// A set of integers.
#[derive(Korat, Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchTree {
    root: Option<Box<Node>>,
    #[korat(values = 0..=scope)]
    size: usize,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
struct Node {
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
    #[korat(values = 1..=scope)]
    info: i32,
}

#[korat]
impl SearchTree {
    /// Whether the size is right and the elements are in strict order.
    pub fn rep_ok(&self) -> bool {
        let count = Self::count(&self.root);
        korat::holds(&self.size, korat::equal(count)) && Self::ordered(&self.root, None, None)
    }

    fn count(link: &Option<Box<Node>>) -> usize {
        match link {
            None => 0,
            Some(node) => 1 + Self::count(&node.left) + Self::count(&node.right),
        }
    }

    fn ordered(link: &Option<Box<Node>>, low: Option<i32>, high: Option<i32>) -> bool {
        let Some(node) = link else { return true };
        korat::holds(&node.info, korat::between(low, high))
            && (node.left.is_none() || Self::ordered(&node.left, low, Some(node.info)))
            && (node.right.is_none() || Self::ordered(&node.right, Some(node.info), high))
    }
}

impl SearchTree {
    /// An empty set.
    pub fn new() -> Self {
        SearchTree::default()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Whether an element is in the set.
    pub fn contains(&self, info: i32) -> bool {
        let mut link = &self.root;
        while let Some(node) = link {
            if info == node.info {
                return true;
            }
            link = if info < node.info { &node.left } else { &node.right };
        }
        false
    }

    /// Adds an element; `false` if it was there.
    pub fn add(&mut self, info: i32) -> bool {
        let mut link = &mut self.root;
        while let Some(node) = link {
            if info == node.info {
                return false;
            }
            let left = if seeded("search_tree: add on the wrong side") {
                info - 1 < node.info
            } else {
                info < node.info
            };
            link = if left { &mut node.left } else { &mut node.right };
        }
        *link = Some(Box::new(Node { left: None, right: None, info }));
        if !seeded("search_tree: add keeps the size") || self.size == 0 {
            self.size += 1;
        }
        true
    }

    /// Removes an element; `false` if it was not there.
    pub fn remove(&mut self, info: i32) -> bool {
        let mut link = &mut self.root;
        while link.as_ref().is_some_and(|node| node.info != info) {
            let node = link.as_mut().expect("the loop saw a node");
            link = if info < node.info { &mut node.left } else { &mut node.right };
        }
        let Some(mut node) = link.take() else { return false };
        *link = match (node.left.take(), node.right.take()) {
            (None, other) | (other, None) => other,
            (Some(left), right) => {
                let (rest, greatest) = Self::take_greatest(left);
                if !seeded("search_tree: removed element stays") {
                    node.info = greatest;
                }
                node.left = rest;
                node.right = right;
                Some(node)
            }
        };
        if !seeded("search_tree: remove keeps the size") {
            self.size -= 1;
        }
        true
    }

    /// Takes the greatest element out of a subtree.
    fn take_greatest(mut node: Box<Node>) -> (Option<Box<Node>>, i32) {
        match node.right.take() {
            None if seeded("search_tree: left of the greatest lost") => (None, node.info),
            None => (node.left.take(), node.info),
            Some(right) => {
                let (rest, greatest) = Self::take_greatest(right);
                node.right = rest;
                (Some(node), greatest)
            }
        }
    }

    /// The elements in order.
    pub fn elements(&self) -> Vec<i32> {
        fn walk(link: &Option<Box<Node>>, elements: &mut Vec<i32>) {
            if let Some(node) = link {
                walk(&node.left, elements);
                elements.push(node.info);
                walk(&node.right, elements);
            }
        }
        let mut elements = Vec::new();
        walk(&self.root, &mut elements);
        elements
    }
}
