//! The kinds of graphs, and how each interprets a program in its `rep_ok`.

mod models;

use std::ptr::NonNull;
use std::rc::{Rc, Weak};

use testsmith::{Korat, korat};

use crate::forms::{forms, opposite, strange};
use crate::program::{
    chosen, clauses, compares, number, outermost, passes, passes_small, paths, step, strict, word,
};

/// Links as shared pointers.
#[derive(Korat)]
pub struct Shared {
    first: Option<Rc<SharedNode>>,
    last: Option<Rc<SharedNode>>,
    #[korat(values = [2, 0, 1])]
    size: u8,
}

#[derive(Korat)]
#[korat(unconstrained)]
struct SharedNode {
    left: Option<Rc<SharedNode>>,
    right: Option<Rc<SharedNode>>,
    #[korat(values = 0..=1)]
    key: u8,
}

/// Links as shared pointers one way and weak ones the other.
#[derive(Korat)]
pub struct WithWeak {
    first: Option<Rc<WeakNode>>,
    last: Weak<WeakNode>,
    #[korat(values = [2, 0, 1])]
    size: u8,
}

#[derive(Korat)]
#[korat(unconstrained)]
struct WeakNode {
    left: Option<Rc<WeakNode>>,
    right: Weak<WeakNode>,
    #[korat(values = 0..=1)]
    key: u8,
}

/// Links as raw pointers of both sorts.
#[derive(Korat)]
pub struct Raw {
    first: *mut RawNode,
    last: Option<NonNull<RawNode>>,
    #[korat(values = [2, 0, 1])]
    size: u8,
}

#[derive(Korat)]
#[korat(unconstrained)]
struct RawNode {
    left: *mut RawNode,
    right: Option<NonNull<RawNode>>,
    #[korat(values = 0..=1)]
    key: u8,
}

/// Links as boxes: every node has one owner.
#[derive(Korat)]
pub struct Boxed {
    first: Option<Box<BoxedNode>>,
    last: Option<Box<BoxedNode>>,
    #[korat(values = [2, 0, 1])]
    size: u8,
}

#[derive(Korat)]
#[korat(unconstrained)]
struct BoxedNode {
    left: Option<Box<BoxedNode>>,
    right: Option<Box<BoxedNode>>,
    #[korat(values = 0..=1)]
    key: u8,
}

/// Links as indexes into an arena.
#[derive(Korat)]
pub struct Arena {
    #[korat(index(slots))]
    first: Option<usize>,
    #[korat(index(slots))]
    last: Option<usize>,
    #[korat(values = [2, 0, 1])]
    size: u8,
    #[korat(arena)]
    slots: Vec<Slot>,
}

#[derive(Korat)]
#[korat(unconstrained)]
struct Slot {
    #[korat(index(slots))]
    left: Option<usize>,
    #[korat(index(slots))]
    right: Option<usize>,
    #[korat(values = 0..=1)]
    key: u8,
}

/// What all kinds interpret alike, given `node`, `links` and `structure`.
macro_rules! interpreter {
    ($graph:ident) => {
        #[korat]
        impl $graph {
            pub fn rep_ok(&self) -> bool {
                for at in 0..clauses() {
                    if outermost(at) && !self.clause(at) {
                        return false;
                    }
                }
                true
            }

            fn clause(&self, at: usize) -> bool {
                match word(at) {
                    "holds" => self.holds(at, 0, |value: &u8| passes(at, *value)),
                    "panics" => self.holds(at, 0, |value: &u8| passes_small(at, *value)),
                    "near" => {
                        let Some(other) = self.read(at, 1) else { return true };
                        self.holds(at, 0, |value: &u8| compares(at, *value, other))
                    }
                    "inside" => self.holds(at, 0, |value: &u8| {
                        self.read(at, 1).is_none_or(|other| compares(at, *value, other))
                    }),
                    "nested" => self.holds(at, 0, |value: &u8| {
                        self.holds_in(at, 1, |other: &u8| compares(at, *value, *other))
                    }),
                    "read" => self.read(at, 0).is_none_or(|value| passes(at, value)),
                    "chain" => self.chain(at),
                    "walk" => self.walk(at),
                    "link" | "link behind" => self.links(at),
                    "tree" | "list" | "count" | "each" => self.structure(at),
                    "same" => {
                        let (Some(a), Some(b)) = (self.node(at, 0), self.node(at, 1)) else {
                            return true;
                        };
                        std::ptr::eq(&*a, &*b) == strict(at)
                    }
                    "if" | "or" | "twice" => self.condition(at),
                    _ => self.form(at),
                }
            }

            fn condition(&self, at: usize) -> bool {
                let value = self.read(at, 0);
                let holds = value.is_some_and(|value| passes(at, value));
                let rounds = if word(at) == "twice" { 2 } else { 1 };
                if word(at) == "or" && holds {
                    return true;
                }
                for _ in 0..rounds {
                    for inner in chosen(at, word(at) != "if" || holds).iter() {
                        if !self.clause(*inner) {
                            return false;
                        }
                    }
                }
                true
            }

            fn holds(&self, at: usize, path: usize, constraint: impl Fn(&u8) -> bool) -> bool {
                if step(at, path, 0) == "size" {
                    return korat::holds(&self.size, constraint);
                }
                let Some(node) = self.node(at, path) else { return true };
                korat::holds(&node.key, constraint)
            }

            /// As `holds`, inside a constraint.
            fn holds_in(&self, at: usize, path: usize, constraint: impl Fn(&u8) -> bool) -> bool {
                self.holds(at, path, constraint)
            }

            fn read(&self, at: usize, path: usize) -> Option<u8> {
                if step(at, path, 0) == "size" {
                    return Some(self.size);
                }
                self.node(at, path).map(|node| node.key)
            }

            fn chain(&self, at: usize) -> bool {
                let mut nodes = Vec::new();
                for path in 0..paths(at) {
                    if step(at, path, 0) == "size" {
                        nodes.push(None);
                    } else if let Some(node) = self.node(at, path) {
                        nodes.push(Some(node));
                    }
                }
                let mut fields = Vec::new();
                for node in nodes.iter() {
                    if let Some(node) = node {
                        fields.push(korat::field(&node.key));
                    } else {
                        fields.push(korat::field(&self.size));
                    }
                }
                if strict(at) { korat::ascending(&fields) } else { korat::non_descending(&fields) }
            }

            fn walk(&self, at: usize) -> bool {
                let mut nodes = Vec::new();
                let mut next = self.node(at, 0);
                while let Some(node) = next {
                    if nodes.len() == 4 {
                        break;
                    }
                    next = self.beyond(&*node, number(at) == 0);
                    nodes.push(node);
                }
                let mut fields = Vec::new();
                for node in nodes.iter() {
                    fields.push(korat::field(&node.key));
                }
                if strict(at) { korat::ascending(&fields) } else { korat::non_descending(&fields) }
            }
        }
    };
}
interpreter!(Shared);
forms!(Shared, size);
interpreter!(WithWeak);
forms!(WithWeak, size);
interpreter!(Raw);
forms!(Raw, size);
interpreter!(Boxed);
forms!(Boxed, size);
interpreter!(Arena);
forms!(Arena, size);

#[korat]
impl Shared {
    fn node(&self, at: usize, path: usize) -> Option<Rc<SharedNode>> {
        let mut link = match step(at, path, 0) {
            "first" => self.first.clone(),
            "last" => self.last.clone(),
            _ => None,
        };
        for hop in 1..4 {
            if !step(at, path, hop).is_empty() {
                let node = link?;
                link = self.beyond(&node, step(at, path, hop) == "left");
            }
        }
        link
    }

    fn beyond(&self, node: &SharedNode, left: bool) -> Option<Rc<SharedNode>> {
        if left { node.left.clone() } else { node.right.clone() }
    }

    fn links(&self, at: usize) -> bool {
        let Some(node) = self.node(at, 0) else { return true };
        match (word(at), number(at) == 0, strict(at)) {
            ("link", true, true) => korat::holds(&node.left, korat::is_some()),
            ("link", true, false) => korat::holds(&node.left, korat::is_none()),
            ("link", false, true) => korat::holds(&node.right, korat::is_some()),
            ("link", false, false) => korat::holds(&node.right, korat::is_none()),
            (_, true, _) => korat::holds(&node.left, |link: &Option<Rc<SharedNode>>| {
                link.as_ref().is_none_or(|node| passes(at, node.key))
            }),
            (_, false, _) => korat::holds(&node.right, |link: &Option<Rc<SharedNode>>| {
                link.as_ref().is_none_or(|node| passes(at, node.key))
            }),
        }
    }

    fn structure(&self, at: usize) -> bool {
        match (word(at), step(at, 0, 0), number(at) == 0) {
            ("tree", "last", _) => korat::tree(&self.last, |n| [&n.left, &n.right]),
            ("tree", _, _) => korat::tree(&self.first, |n| [&n.left, &n.right]),
            (_, "last", true) => korat::acyclic_list(&self.last, |n| &n.left),
            (_, "last", false) => korat::acyclic_list(&self.last, |n| &n.right),
            (_, _, true) => korat::acyclic_list(&self.first, |n| &n.left),
            (_, _, false) => korat::acyclic_list(&self.first, |n| &n.right),
        }
    }
}

#[korat]
impl WithWeak {
    fn node(&self, at: usize, path: usize) -> Option<Rc<WeakNode>> {
        let mut link = match step(at, path, 0) {
            "first" => self.first.clone(),
            "last" => self.last.upgrade(),
            _ => None,
        };
        for hop in 1..4 {
            if !step(at, path, hop).is_empty() {
                let node = link?;
                link = self.beyond(&node, step(at, path, hop) == "left");
            }
        }
        link
    }

    fn beyond(&self, node: &WeakNode, left: bool) -> Option<Rc<WeakNode>> {
        if left { node.left.clone() } else { node.right.upgrade() }
    }

    fn links(&self, at: usize) -> bool {
        let Some(node) = self.node(at, 0) else { return true };
        match (word(at), number(at) == 0, strict(at)) {
            ("link", true, true) => korat::holds(&node.left, korat::is_some()),
            ("link", true, false) => korat::holds(&node.left, korat::is_none()),
            ("link", false, some) => {
                korat::holds(&node.right, |link: &Weak<WeakNode>| link.upgrade().is_some() == some)
            }
            (_, true, _) => korat::holds(&node.left, |link: &Option<Rc<WeakNode>>| {
                link.as_ref().is_none_or(|node| passes(at, node.key))
            }),
            (_, false, _) => korat::holds(&node.right, |link: &Weak<WeakNode>| {
                link.upgrade().is_none_or(|node| passes(at, node.key))
            }),
        }
    }

    fn structure(&self, at: usize) -> bool {
        match word(at) {
            "tree" => korat::tree(&self.first, |n| [&n.left]),
            _ => korat::acyclic_list(&self.first, |n| &n.left),
        }
    }
}

#[korat]
impl Raw {
    fn node(&self, at: usize, path: usize) -> Option<&RawNode> {
        let mut link = match step(at, path, 0) {
            // SAFETY: the pointers of a graph point at its own nodes.
            "first" => unsafe { self.first.as_ref() },
            // SAFETY: as above.
            "last" => self.last.map(|last| unsafe { &*last.as_ptr() }),
            _ => None,
        };
        for hop in 1..4 {
            if !step(at, path, hop).is_empty() {
                let node = link?;
                link = self.beyond(node, step(at, path, hop) == "left");
            }
        }
        link
    }

    fn beyond<'a>(&'a self, node: &RawNode, left: bool) -> Option<&'a RawNode> {
        if left {
            // SAFETY: as in `node`.
            unsafe { node.left.as_ref() }
        } else {
            // SAFETY: as in `node`.
            node.right.map(|right| unsafe { &*right.as_ptr() })
        }
    }

    fn links(&self, at: usize) -> bool {
        let Some(node) = self.node(at, 0) else { return true };
        match (word(at), number(at) == 0, strict(at)) {
            ("link", true, some) => {
                korat::holds(&node.left, |link: &*mut RawNode| link.is_null() != some)
            }
            ("link", false, true) => korat::holds(&node.right, korat::is_some()),
            ("link", false, false) => korat::holds(&node.right, korat::is_none()),
            (_, true, _) => korat::holds(&node.left, |link: &*mut RawNode| {
                // SAFETY: as in `node`.
                unsafe { link.as_ref() }.is_none_or(|node| passes(at, node.key))
            }),
            (_, false, _) => korat::holds(&node.right, |link: &Option<NonNull<RawNode>>| {
                // SAFETY: as in `node`.
                link.is_none_or(|node| passes(at, unsafe { &*node.as_ptr() }.key))
            }),
        }
    }

    /// There are no generators for raw pointers: the check in plain words.
    fn structure(&self, at: usize) -> bool {
        let (both, left) = (word(at) == "tree", number(at) == 0);
        // SAFETY: as in `node`.
        let first = unsafe { self.first.as_ref() };
        // SAFETY: as in `node`.
        let last = self.last.map(|last| unsafe { &*last.as_ptr() });
        let mut waiting = vec![if step(at, 0, 0) == "last" { last } else { first }];
        let mut seen = Vec::new();
        while let Some(link) = waiting.pop() {
            let Some(node) = link else { continue };
            if seen.iter().any(|known| std::ptr::eq(*known, node)) {
                return false;
            }
            seen.push(node);
            if both || left {
                waiting.push(self.beyond(node, true));
            }
            if both || !left {
                waiting.push(self.beyond(node, false));
            }
        }
        true
    }
}

#[korat]
impl Boxed {
    fn node(&self, at: usize, path: usize) -> Option<&BoxedNode> {
        let mut link = match step(at, path, 0) {
            "first" => self.first.as_deref(),
            "last" => self.last.as_deref(),
            _ => None,
        };
        for hop in 1..4 {
            if !step(at, path, hop).is_empty() {
                let node = link?;
                link = self.beyond(node, step(at, path, hop) == "left");
            }
        }
        link
    }

    fn beyond<'a>(&self, node: &'a BoxedNode, left: bool) -> Option<&'a BoxedNode> {
        if left { node.left.as_deref() } else { node.right.as_deref() }
    }

    fn links(&self, at: usize) -> bool {
        let Some(node) = self.node(at, 0) else { return true };
        match (word(at), number(at) == 0, strict(at)) {
            ("link", true, true) => korat::holds(&node.left, korat::is_some()),
            ("link", true, false) => korat::holds(&node.left, korat::is_none()),
            ("link", false, true) => korat::holds(&node.right, korat::is_some()),
            ("link", false, false) => korat::holds(&node.right, korat::is_none()),
            (_, true, _) => korat::holds(&node.left, |link: &Option<Box<BoxedNode>>| {
                link.as_ref().is_none_or(|node| passes(at, node.key))
            }),
            (_, false, _) => korat::holds(&node.right, |link: &Option<Box<BoxedNode>>| {
                link.as_ref().is_none_or(|node| passes(at, node.key))
            }),
        }
    }

    fn structure(&self, at: usize) -> bool {
        match (word(at), step(at, 0, 0), number(at) == 0) {
            ("tree", "last", _) => korat::tree(&self.last, |n| [&n.left, &n.right]),
            ("tree", _, _) => korat::tree(&self.first, |n| [&n.left, &n.right]),
            (_, "last", true) => korat::acyclic_list(&self.last, |n| &n.left),
            (_, "last", false) => korat::acyclic_list(&self.last, |n| &n.right),
            (_, _, true) => korat::acyclic_list(&self.first, |n| &n.left),
            (_, _, false) => korat::acyclic_list(&self.first, |n| &n.right),
        }
    }
}

#[korat]
impl Arena {
    fn node(&self, at: usize, path: usize) -> Option<&Slot> {
        let mut link = match step(at, path, 0) {
            "first" => self.first,
            "last" => self.last,
            _ => None,
        };
        for hop in 1..4 {
            if !step(at, path, hop).is_empty() {
                let slot = &self.slots[link?];
                link = if step(at, path, hop) == "left" { slot.left } else { slot.right };
            }
        }
        link.map(|index| &self.slots[index])
    }

    fn beyond(&self, slot: &Slot, left: bool) -> Option<&Slot> {
        let link = if left { slot.left } else { slot.right };
        link.map(|index| &self.slots[index])
    }

    fn links(&self, at: usize) -> bool {
        let Some(node) = self.node(at, 0) else { return true };
        match (word(at), number(at) == 0, strict(at)) {
            ("link", true, true) => korat::holds(&node.left, korat::is_some()),
            ("link", true, false) => korat::holds(&node.left, korat::is_none()),
            ("link", false, true) => korat::holds(&node.right, korat::is_some()),
            ("link", false, false) => korat::holds(&node.right, korat::is_none()),
            (_, true, _) => korat::holds(&node.left, |link: &Option<usize>| {
                link.is_none_or(|index| passes(at, self.slots[index].key))
            }),
            (_, false, _) => korat::holds(&node.right, |link: &Option<usize>| {
                link.is_none_or(|index| passes(at, self.slots[index].key))
            }),
        }
    }

    fn structure(&self, at: usize) -> bool {
        match (word(at), step(at, 0, 0), number(at) == 0) {
            ("count", _, _) => passes(at, self.slots.len() as u8),
            ("each", _, _) => self.slots.iter().all(|slot| passes(at, slot.key)),
            ("tree", "last", _) => korat::tree_in(&self.slots, &self.last, |n| [&n.left, &n.right]),
            ("tree", _, _) => korat::tree_in(&self.slots, &self.first, |n| [&n.left, &n.right]),
            (_, "last", true) => korat::tree_in(&self.slots, &self.last, |n| [&n.left]),
            (_, "last", false) => korat::tree_in(&self.slots, &self.last, |n| [&n.right]),
            (_, _, true) => korat::tree_in(&self.slots, &self.first, |n| [&n.left]),
            (_, _, false) => korat::tree_in(&self.slots, &self.first, |n| [&n.right]),
        }
    }
}
