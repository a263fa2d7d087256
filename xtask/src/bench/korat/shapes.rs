//! Structures of the Java tool's distribution that are no containers of ours,
//! with its domains.

use std::rc::Rc;

use testsmith::{Korat, korat};

/// An object without contents: only its identity counts.
#[derive(Korat)]
#[korat(objects = scope + 1)]
pub struct Atom;

/// A binary tree of exactly `scope` nodes.
#[derive(Korat)]
pub struct BinaryTree {
    root: Option<Box<Fork>>,
    #[korat(values = [scope])]
    size: usize,
}

#[derive(Korat)]
struct Fork {
    left: Option<Box<Fork>>,
    right: Option<Box<Fork>>,
}

#[korat]
impl BinaryTree {
    fn rep_ok(&self) -> bool {
        Self::count(&self.root, self.size) == Some(0)
    }

    /// How many nodes are left of `room`, if there are not more than that.
    fn count(link: &Option<Box<Fork>>, room: usize) -> Option<usize> {
        match link {
            None => Some(room),
            Some(_) if room == 0 => None,
            Some(fork) => Self::count(&fork.right, Self::count(&fork.left, room - 1)?),
        }
    }
}

/// A list of exactly `scope` elements behind a header without one.
#[derive(Korat)]
pub struct SinglyLinkedList {
    header: Option<Box<Entry>>,
    #[korat(values = [scope])]
    size: usize,
}

#[derive(Korat)]
#[korat(objects = scope + 1)]
struct Entry {
    element: Option<Rc<Atom>>,
    next: Option<Box<Entry>>,
}

#[korat]
impl SinglyLinkedList {
    fn rep_ok(&self) -> bool {
        let Some(header) = &self.header else { return false };
        let mut length = 0;
        let mut at = &header.next;
        while let Some(entry) = at {
            length += 1;
            at = &entry.next;
        }
        if length != self.size || !korat::holds(&header.element, korat::is_none()) {
            return false;
        }
        let mut at = &header.next;
        while let Some(entry) = at {
            if !korat::holds(&entry.element, korat::is_some()) {
                return false;
            }
            at = &entry.next;
        }
        true
    }
}

/// A ring of exactly `scope` entries, the first with an element.
#[derive(Korat)]
pub struct DoublyLinkedList {
    #[korat(index(entries))]
    header: Option<usize>,
    #[korat(values = [scope])]
    size: usize,
    #[korat(arena)]
    entries: Vec<Link>,
}

#[derive(Korat)]
#[korat(objects = scope + 1)]
struct Link {
    element: Option<Rc<Atom>>,
    #[korat(index(entries))]
    next: Option<usize>,
    #[korat(index(entries))]
    previous: Option<usize>,
}

#[korat]
impl DoublyLinkedList {
    fn rep_ok(&self) -> bool {
        let Some(header) = self.header else { return false };
        if !korat::holds(&self.entries[header].element, korat::is_some()) {
            return false;
        }
        let mut at = header;
        let mut length = 0;
        loop {
            length += 1;
            let Some(next) = self.entries[at].next else { return false };
            if !korat::holds(&self.entries[next].previous, korat::equal(Some(at))) {
                return false;
            }
            if next == header {
                return length == self.size;
            }
            if length > self.size {
                return false;
            }
            at = next;
        }
    }
}

/// A graph without cycles and without nodes that have no edge.
///
/// The nodes are a list, so nothing makes them interchangeable; that only one
/// of many orders of the list is wanted is said by the predicate: children are
/// mentioned for the first time in the order of the list.
#[derive(Korat)]
pub struct Dag {
    #[korat(len = scope..=scope)]
    nodes: Vec<Node>,
}

#[derive(Korat)]
struct Node {
    #[korat(values = 0..scope, len = 0..=scope - 1)]
    children: Vec<usize>,
}

#[korat]
impl Dag {
    fn rep_ok(&self) -> bool {
        let mut weights = vec![0; self.nodes.len()];
        let mut mentioned = 0;
        for at in 0..self.nodes.len() {
            if weights[at] == 0 && !self.visit(at, 0, &mut weights, &mut mentioned) {
                return false;
            }
        }
        self.nodes[mentioned..].iter().all(|node| !node.children.is_empty())
    }

    /// Weighs a node and all below it: one more than its children weigh
    /// together, which come by falling weight. `path` is the way here.
    #[expect(clippy::needless_range_loop, reason = "generators need the field named in place")]
    fn visit(&self, at: usize, path: u32, weights: &mut Vec<usize>, mentioned: &mut usize) -> bool {
        let path = path | 1 << at;
        let (mut weight, mut lightest, mut siblings) = (1, usize::MAX, 0u32);
        let children = &self.nodes[at].children;
        for i in 0..children.len() {
            let fits = |child: &usize| {
                *child <= *mentioned
                    && (path | siblings) & 1 << *child == 0
                    && weights[*child] <= lightest
            };
            if !korat::holds(&children[i], fits) {
                return false;
            }
            let child = children[i];
            siblings |= 1 << child;
            *mentioned = (*mentioned).max(child + 1);
            if weights[child] == 0 && !self.visit(child, path, weights, mentioned) {
                return false;
            }
            if weights[child] > lightest {
                return false;
            }
            lightest = weights[child];
            weight += lightest;
        }
        weights[at] = weight;
        true
    }
}
