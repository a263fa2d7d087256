//! A map as a red-black tree.
//!
//! The invariant leaves the colour of the root open, as the published one
//! does; every change begins by making the root black.

use testsmith::{Korat, ensures, forall, invariant, korat, pure};

use crate::faults::seeded;

type Link = Option<Box<Node>>;

/// A map from integers to integers.
#[derive(Korat, Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeMap {
    #[korat(values = 0..=scope)]
    size: usize,
    root: Option<Box<Node>>,
}

#[derive(Korat, Debug, Clone, Copy, PartialEq, Eq)]
enum Color {
    Red,
    Black,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
struct Node {
    #[korat(values = 0..scope)]
    key: i32,
    #[korat(values = [0])]
    value: i32,
    color: Color,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

#[korat]
impl TreeMap {
    /// Whether the tree is ordered and balanced by colour and the size right.
    pub fn rep_ok(&self) -> bool {
        let mut keys = Vec::new();
        Self::black_height(&self.root, false, None, &mut keys).is_some()
            && korat::holds(&self.size, korat::equal(keys.len()))
            && korat::ascending(&keys)
    }

    /// The number of black nodes on every way down, if it is one number (the
    /// expected one, where one is) and no red node has a red child. Collects
    /// the keys in order.
    fn black_height<'a>(
        link: &'a Option<Box<Node>>,
        below_red: bool,
        expected: Option<usize>,
        keys: &mut Vec<korat::Field<'a, i32>>,
    ) -> Option<usize> {
        let Some(node) = link else {
            return expected.is_none_or(|height| height == 0).then_some(0);
        };
        let fits = |color: &Color| match color {
            Color::Red => !below_red,
            Color::Black => expected != Some(0),
        };
        if !korat::holds(&node.color, fits) {
            return None;
        }
        let red = node.color == Color::Red;
        let below = expected.map(|height| height - usize::from(!red));
        let left = Self::black_height(&node.left, red, below, keys)?;
        keys.push(korat::field(&node.key));
        let right = Self::black_height(&node.right, red, Some(left), keys)?;
        Some(right + usize::from(!red))
    }
}

#[korat(calls)]
#[invariant(self.rep_ok())]
impl TreeMap {
    /// An empty map.
    #[ensures(ret.is_empty())]
    pub fn new() -> Self {
        TreeMap::default()
    }

    /// The number of keys.
    #[pure]
    #[ensures(ret == self.entries().len())]
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there is no key.
    #[pure]
    #[ensures(ret == (self.len() == 0))]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The value of a key.
    #[pure]
    #[ensures(ret.is_some() == self.entries().iter().any(|(known, _)| *known == key))]
    pub fn get(&self, key: i32) -> Option<i32> {
        let mut link = &self.root;
        while let Some(node) = link {
            if key == node.key {
                return Some(node.value);
            }
            link = if key < node.key { &node.left } else { &node.right };
        }
        None
    }

    /// The keys and values in order.
    #[pure]
    #[ensures(ret.is_sorted())]
    pub fn entries(&self) -> Vec<(i32, i32)> {
        fn walk(link: &Link, entries: &mut Vec<(i32, i32)>) {
            if let Some(node) = link {
                walk(&node.left, entries);
                entries.push((node.key, node.value));
                walk(&node.right, entries);
            }
        }
        let mut entries = Vec::new();
        walk(&self.root, &mut entries);
        entries
    }

    /// Sets the value of a key and returns the old one.
    #[ensures(self.get(key) == Some(value), ret == old(self.get(key)))]
    #[ensures(self.len() == old(self.len()) + usize::from(ret.is_none()))]
    #[ensures(forall(&old(self.entries()), |(k, v)| *k == key || self.get(*k) == Some(*v)))]
    pub fn put(&mut self, key: i32, value: i32) -> Option<i32> {
        blacken(&mut self.root);
        let old = insert(&mut self.root, key, value);
        self.size += usize::from(old.is_none());
        blacken(&mut self.root);
        old
    }

    /// Removes a key and returns its value.
    #[ensures(self.get(key).is_none(), ret == old(self.get(key)))]
    #[ensures(self.len() + usize::from(ret.is_some()) == old(self.len()))]
    #[ensures(forall(&old(self.entries()), |(k, v)| *k == key || self.get(*k) == Some(*v)))]
    pub fn remove(&mut self, key: i32) -> Option<i32> {
        blacken(&mut self.root);
        let (old, _) = delete(&mut self.root, key);
        self.size -= usize::from(old.is_some());
        blacken(&mut self.root);
        old
    }
}

fn is_red(link: &Link) -> bool {
    link.as_ref().is_some_and(|node| node.color == Color::Red)
}

fn blacken(link: &mut Link) {
    if let Some(node) = link {
        node.color = Color::Black;
    }
}

fn rotate_left(node: &mut Box<Node>) {
    let mut right = node.right.take().expect("rotating left needs a right child");
    if !seeded("tree_map: rotation drops a subtree") {
        node.right = right.left.take();
    }
    std::mem::swap(node, &mut right);
    node.left = Some(right);
}

fn rotate_right(node: &mut Box<Node>) {
    let mut left = node.left.take().expect("rotating right needs a left child");
    node.left = left.right.take();
    std::mem::swap(node, &mut left);
    node.right = Some(left);
}

fn insert(link: &mut Link, key: i32, value: i32) -> Option<i32> {
    let Some(node) = link else {
        let color = Color::Red;
        *link = Some(Box::new(Node { key, value, color, left: None, right: None }));
        return None;
    };
    if key == node.key {
        let value = if seeded("tree_map: value not replaced") { node.value } else { value };
        return Some(std::mem::replace(&mut node.value, value));
    }
    let left = key < node.key;
    let old = insert(if left { &mut node.left } else { &mut node.right }, key, value);
    if node.color == Color::Black && !seeded("tree_map: no balance on insert") {
        balance_insert(node);
    }
    old
}

/// Resolves two reds in a row below a black node.
fn balance_insert(node: &mut Box<Node>) {
    let clash = |link: &Link| {
        let node = link.as_ref();
        (
            is_red(link) && node.is_some_and(|node| is_red(&node.left)),
            is_red(link) && node.is_some_and(|node| is_red(&node.right)),
        )
    };
    let (left_outer, left_inner) = clash(&node.left);
    let (right_inner, right_outer) = clash(&node.right);
    if !(left_outer || left_inner || right_inner || right_outer) {
        return;
    }
    if is_red(&node.left) && is_red(&node.right) {
        blacken(&mut node.left);
        blacken(&mut node.right);
        node.color = Color::Red;
        return;
    }
    if left_outer || left_inner {
        if left_inner {
            rotate_left(node.left.as_mut().expect("it is red"));
        }
        rotate_right(node);
        node.right.as_mut().expect("just rotated there").color = Color::Red;
    } else {
        if right_inner {
            rotate_right(node.right.as_mut().expect("it is red"));
        }
        rotate_left(node);
        node.left.as_mut().expect("just rotated there").color = Color::Red;
    }
    node.color = Color::Black;
}

/// Removes a key; whether the black height of the subtree shrank.
fn delete(link: &mut Link, key: i32) -> (Option<i32>, bool) {
    let Some(node) = link else { return (None, false) };
    if key < node.key {
        let (old, shrank) = delete(&mut node.left, key);
        return (old, shrank && restore_left(node));
    }
    if key > node.key {
        let (old, shrank) = delete(&mut node.right, key);
        return (old, shrank && restore_right(node));
    }
    let old = Some(node.value);
    if node.left.is_some() && node.right.is_some() {
        let mut least = node.right.as_ref().expect("just seen");
        while let Some(left) = &least.left {
            least = left;
        }
        (node.key, node.value) = (least.key, least.value);
        let successor = node.key;
        let (_, shrank) = delete(&mut node.right, successor);
        return (old, shrank && restore_right(node));
    }
    let was_black = node.color == Color::Black;
    let child = node.left.take().or(node.right.take());
    let child_was_red = is_red(&child);
    *link = child;
    if !seeded("tree_map: child stays red") {
        blacken(link);
    }
    (old, was_black && !child_was_red)
}

/// The left side lost a black node. Whether the whole subtree did, too.
fn restore_left(node: &mut Box<Node>) -> bool {
    if seeded("tree_map: no balance on remove") {
        return false;
    }
    if is_red(&node.right) {
        rotate_left(node);
        node.color = Color::Black;
        let left = node.left.as_mut().expect("just rotated there");
        left.color = Color::Red;
        return restore_left(left);
    }
    let sibling = node.right.as_mut().expect("the higher side has a node");
    if !is_red(&sibling.left) && !is_red(&sibling.right) {
        sibling.color = Color::Red;
        let was_black = node.color == Color::Black;
        node.color = Color::Black;
        return was_black;
    }
    if !is_red(&sibling.right) {
        rotate_right(sibling);
    }
    let color = node.color;
    rotate_left(node);
    node.color = if seeded("tree_map: colour lost") { Color::Black } else { color };
    blacken(&mut node.left);
    blacken(&mut node.right);
    false
}

/// The mirror image of `restore_left`.
fn restore_right(node: &mut Box<Node>) -> bool {
    if is_red(&node.left) {
        rotate_right(node);
        node.color = Color::Black;
        let right = node.right.as_mut().expect("just rotated there");
        right.color = Color::Red;
        return restore_right(right);
    }
    let sibling = node.left.as_mut().expect("the higher side has a node");
    if !is_red(&sibling.left) && !is_red(&sibling.right) {
        sibling.color = Color::Red;
        let was_black = node.color == Color::Black;
        node.color = Color::Black;
        return was_black;
    }
    if !is_red(&sibling.left) {
        rotate_left(sibling);
    }
    let color = node.color;
    rotate_right(node);
    node.color = color;
    blacken(&mut node.left);
    blacken(&mut node.right);
    false
}
