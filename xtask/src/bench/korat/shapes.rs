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
