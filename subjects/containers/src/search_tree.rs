//! A set as a binary search tree, the running example of the paper.

use testsmith::{Korat, ensures, forall, invariant, korat, pure};

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
        let mut elements = Vec::new();
        Self::in_order(&self.root, &mut elements);
        korat::holds(&self.size, korat::equal(elements.len())) && korat::ascending(&elements)
    }

    fn in_order<'a>(link: &'a Option<Box<Node>>, elements: &mut Vec<korat::Field<'a, i32>>) {
        if let Some(node) = link {
            Self::in_order(&node.left, elements);
            elements.push(korat::field(&node.info));
            Self::in_order(&node.right, elements);
        }
    }
}

#[korat(calls)]
#[invariant(self.rep_ok())]
impl SearchTree {
    /// An empty set.
    #[ensures(ret.is_empty())]
    pub fn new() -> Self {
        SearchTree::default()
    }

    /// The number of elements.
    #[pure]
    #[ensures(ret == self.elements().len())]
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there is no element.
    #[pure]
    #[ensures(ret == (self.len() == 0))]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Whether an element is in the set.
    #[pure]
    #[ensures(ret == self.elements().contains(&info))]
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
    #[ensures(self.contains(info), ret != old(self.contains(info)))]
    #[ensures(self.len() == old(self.len()) + usize::from(ret))]
    #[ensures(forall(&old(self.elements()), |other| self.contains(*other)))]
    pub fn add(&mut self, info: i32) -> bool {
        let mut link = &mut self.root;
        while let Some(node) = link {
            if info == node.info {
                return false;
            }
            let left = if seeded("search_tree: add on the wrong side") {
                info <= node.info + 1
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
    #[ensures(!self.contains(info), ret == old(self.contains(info)))]
    #[ensures(self.len() + usize::from(ret) == old(self.len()))]
    #[ensures(forall(&old(self.elements()), |other| *other == info || self.contains(*other)))]
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
    #[pure]
    #[ensures(ret.is_sorted())]
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
