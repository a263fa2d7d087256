//! Structures and tests of them in many forms.
#![warn(missing_docs)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use testsmith::{Korat, korat, korat_test};

#[derive(Debug, Clone, PartialEq, Korat)]
#[korat(unconstrained)]
struct Node<T: Ord> {
    value: T,
    left: Option<Box<Node<T>>>,
    right: Option<Box<Self>>,
}

#[derive(Debug, Clone, PartialEq, Korat)]
struct Tree<T: Ord> {
    root: Option<Box<Node<T>>>,
    size: usize,
}

#[korat]
impl<T: Ord> Node<T> {
    fn count(&self) -> usize {
        1 + self.left.as_ref().map_or(0, |l| l.count()) + self.right.as_ref().map_or(0, |r| r.count())
    }
    fn ordered(&self) -> bool {
        let left = self.left.as_ref().is_none_or(|l| l.value < self.value && l.ordered());
        left && self.right.as_ref().is_none_or(|r| r.value > self.value && r.ordered())
    }
}

#[korat]
impl<T: Ord> Tree<T> {
    fn rep_ok(&self) -> bool {
        match &self.root {
            None => self.size == 0,
            Some(root) => root.ordered() && root.count() == self.size,
        }
    }
}

#[korat_test(scope = 2)]
fn trees_are_ordered(tree: Tree<u8>) {
    assert!(tree.rep_ok());
}

#[derive(Debug, Clone, PartialEq, Eq, Korat)]
enum Kind {
    Empty,
    One(u8),
    Two { a: bool, b: u8 },
}

#[derive(Debug, Korat)]
struct Many {
    kind: Kind,
    kids: Vec<Many>,
    text: &'static str,
    #[korat(values = [0.0, 1.5])]
    ratio: f64,
    marker: PhantomData<u8>,
    shared: Arc<u8>,
    cell: Mutex<bool>,
    result: Result<u8, bool>,
    boxed: Box<[bool]>,
    map: BTreeMap<u8, bool>,
    set: BTreeSet<bool>,
    hash: HashMap<bool, u8>,
    hash_set: HashSet<bool>,
    queue: VecDeque<bool>,
    #[korat(skip)]
    skipped: Option<std::time::Duration>,
    #[korat(default = std::time::Duration::from_secs(1))]
    defaulted: std::time::Duration,
}

#[korat]
impl Many {
    const MOST: usize = 1;

    fn rep_ok(&self) -> bool {
        use Kind::{Empty, One, Two};
        fn small(items: &[bool]) -> bool {
            items.len() <= 1
        }
        let fine = match &self.kind {
            Empty => true,
            One(n) => *n < 1,
            Two { a, b } => *a && *b == 0,
        };
        fine && self.kids.is_empty() && self.queue.is_empty() && self.map.len() <= Self::MOST
            && self.set.is_empty() && self.hash.is_empty() && self.hash_set.is_empty()
            && small(&self.boxed) && matches!(self.result, Ok(0)) && self.kind.clone() == self.kind
            && *self.shared == 0 && self.text.is_empty() && !format!("{:?}", self.kind).is_empty()
            && match &self.boxed[..] { [] => true, [first, ..] => *first }
    }
}

#[korat_test(scope = 1)]
fn many_fields(many: Many) {
    assert!(many.ratio >= 0.0);
    assert_eq!((many.skipped, many.defaulted.as_secs()), (None, 1));
    let _ = (many.marker, &many.cell);
}

#[derive(Debug, Korat)]
struct Shared {
    a: Option<Rc<Leaf>>,
    b: Option<Rc<Leaf>>,
}
#[derive(Debug, Korat)]
struct Leaf { n: u8 }

#[korat]
impl Shared {
    fn rep_ok(&self) -> bool {
        match (&self.a, &self.b) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

#[korat_test(scope = 2)]
fn shared_is_shared(shared: &Shared) -> Result<(), String> {
    if shared.a.is_some() != shared.b.is_some() {
        return Err("no".to_owned());
    }
    let _ = shared.a.as_ref().map(|leaf| leaf.n);
    Ok(())
}

#[korat_test(scope = 2, total_seconds = 60, allow_empty, panics = "invalid")]
fn borrowed(shared: &mut Shared, text: &str, items: &[bool], number: u8) {
    shared.b.clone_from(&shared.a);
    assert!(text.len() <= 2 && items.len() <= 2 && number <= 2);
}

#[korat_test(scope = 2, white_box)]
fn from_inside(leaf: Leaf) {
    assert!(leaf.n <= 2);
}

/// A list in an arena.
#[derive(Debug, Clone, Korat)]
pub struct Arena {
    nodes: Vec<Slot>,
    head: Option<usize>,
}

/// One of its nodes.
#[derive(Debug, Clone, Copy, Korat)]
pub struct Slot {
    next: Option<usize>,
}

#[korat]
impl Arena {
    /// Each node once.
    fn rep_ok(&self) -> bool {
        let (mut seen, mut at) = (0, self.head);
        while let Some(index) = at {
            let Some(node) = self.nodes.get(index) else { return false };
            seen += 1;
            if seen > self.nodes.len() {
                return false;
            }
            at = node.next;
        }
        seen == self.nodes.len()
    }
}

impl Arena {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.is_none()
    }
}
