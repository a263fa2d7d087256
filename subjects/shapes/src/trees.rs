//! Trees: `btree-slab` 0.6.1, `ropey` 1.6.1 and `radix_trie` 0.2.1.

use std::sync::Arc;

use testsmith::{Korat, korat};

use crate::Exercise;

/// `btree_slab`'s node, with its children in it: one or two keys each.
#[derive(Korat, Debug, Clone, Default)]
pub struct BTreeNode {
    #[korat(len = 0..=2)]
    pub keys: Vec<u8>,
    #[korat(len = 0..=3)]
    pub children: Vec<Self>,
}

#[korat]
impl BTreeNode {
    /// A tree of one depth with its keys in order; only the root may be empty.
    pub fn rep_ok(&self) -> bool {
        self.keys.is_empty() && self.children.is_empty() || self.depth(None, None).is_some()
    }

    /// The depth, if everything is within the bounds.
    fn depth(&self, low: Option<u8>, high: Option<u8>) -> Option<usize> {
        let keys = &self.keys;
        let within =
            |key: &u8| low.is_none_or(|low| low < *key) && high.is_none_or(|high| *key < high);
        if keys.is_empty()
            || !keys.windows(2).all(|pair| pair[0] < pair[1])
            || !keys.iter().all(within)
        {
            return None;
        }
        if self.children.is_empty() {
            return Some(0);
        }
        if self.children.len() != keys.len() + 1 {
            return None;
        }
        let mut depth = None;
        for (at, child) in self.children.iter().enumerate() {
            let before = if at == 0 { low } else { Some(keys[at - 1]) };
            let after = keys.get(at).copied().or(high);
            let here = child.depth(before, after)?;
            if depth.is_some_and(|depth| depth != here) {
                return None;
            }
            depth = Some(here);
        }
        depth.map(|depth| depth + 1)
    }
}

impl BTreeNode {
    pub fn contains(&self, key: u8) -> bool {
        match self.keys.binary_search(&key) {
            Ok(_) => true,
            Err(at) => self.children.get(at).is_some_and(|child| child.contains(key)),
        }
    }

    pub fn insert(&mut self, key: u8, faulty: bool) {
        if let Some((middle, right)) = self.add(key, faulty) {
            let left = std::mem::take(self);
            *self = BTreeNode { keys: vec![middle], children: vec![left, right] };
        }
    }

    /// Adds a key; what does not fit leaves as a key and a right half.
    fn add(&mut self, key: u8, faulty: bool) -> Option<(u8, BTreeNode)> {
        let Err(at) = self.keys.binary_search(&key) else { return None };
        if self.children.is_empty() {
            self.keys.insert(at, key);
        } else {
            let (middle, right) = self.children[at].add(key, faulty)?;
            self.keys.insert(at, middle);
            // The fault: the right half goes before the left one.
            self.children.insert(if faulty { at } else { at + 1 }, right);
        }
        if self.keys.len() < 3 {
            return None;
        }
        let right = BTreeNode {
            keys: self.keys.split_off(2),
            children: if self.children.is_empty() {
                Vec::new()
            } else {
                self.children.split_off(2)
            },
        };
        Some((self.keys.pop()?, right))
    }
}

impl Exercise for BTreeNode {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        self.insert(argument, faulty);
        assert!(self.rep_ok() && self.contains(argument));
    }
}

/// `ropey`'s node: shared children beside the lengths of their texts.
#[derive(Korat, Debug, Clone)]
pub enum Rope {
    Leaf(#[korat(values = ["a", "bc"])] String),
    Internal(RopeChildren),
}

#[derive(Korat, Debug, Clone)]
pub struct RopeChildren {
    #[korat(len = 1..=2)]
    pub nodes: Vec<Arc<Rope>>,
    #[korat(len = 1..=2, values = 1..=2 * scope)]
    pub info: Vec<usize>,
}

#[korat]
impl Rope {
    /// The lengths are those of the texts, and nothing contains itself.
    pub fn rep_ok(&self) -> bool {
        self.checked_len(4).is_some()
    }

    fn checked_len(&self, deepest: usize) -> Option<usize> {
        match self {
            Rope::Leaf(text) => Some(text.len()),
            Rope::Internal(_) if deepest == 0 => None,
            Rope::Internal(children) => {
                let mut total = 0;
                for (at, node) in children.nodes.iter().enumerate() {
                    let len = node.checked_len(deepest - 1)?;
                    if children.info.get(at) != Some(&len) {
                        return None;
                    }
                    total += len;
                }
                (children.info.len() == children.nodes.len()).then_some(total)
            }
        }
    }
}

impl Rope {
    pub fn text(&self) -> String {
        match self {
            Rope::Leaf(text) => text.clone(),
            Rope::Internal(children) => children.nodes.iter().map(|node| node.text()).collect(),
        }
    }

    pub fn push(&mut self, letter: char, faulty: bool) {
        match self {
            Rope::Leaf(text) => text.push(letter),
            Rope::Internal(children) => {
                let last = children.nodes.len() - 1;
                Arc::make_mut(&mut children.nodes[last]).push(letter, faulty);
                // The fault: the second of two does not count.
                if !faulty || last == 0 {
                    children.info[last] += 1;
                }
            }
        }
    }
}

impl Exercise for Rope {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, _argument: u8, faulty: bool) {
        let expected = self.text() + "d";
        self.push('d', faulty);
        assert!(self.rep_ok());
        assert_eq!(self.text(), expected);
    }
}

/// `radix_trie`'s node, over the letters `0` and `1`.
#[derive(Korat, Debug, Clone)]
pub struct TrieNode {
    #[korat(values = ["", "0", "1", "00", "01", "10", "11"])]
    pub key: String,
    #[korat(values = [7])]
    pub value: Option<u8>,
    pub child_count: usize,
    pub children: [Option<Box<TrieNode>>; 2],
}

#[korat]
impl TrieNode {
    /// Every child is where its key begins, and is there for a reason.
    pub fn rep_ok(&self) -> bool {
        self.key.is_empty() && self.branches()
    }

    fn branches(&self) -> bool {
        let present = self.children.iter().flatten().count();
        self.child_count == present
            && ['0', '1'].iter().zip(&self.children).all(|(letter, child)| {
                child.as_ref().is_none_or(|child| {
                    child.key.starts_with(*letter)
                        && (child.value.is_some() || child.child_count == 2)
                        && child.branches()
                })
            })
    }
}

impl TrieNode {
    fn new(key: &str, value: Option<u8>) -> Self {
        TrieNode { key: key.to_owned(), value, child_count: 0, children: [None, None] }
    }

    pub fn get(&self, key: &str) -> Option<u8> {
        let Some(letter) = key.chars().next() else { return self.value };
        let child = self.children[usize::from(letter == '1')].as_ref()?;
        child.get(key.strip_prefix(child.key.as_str())?)
    }

    pub fn insert(&mut self, key: &str, value: u8, faulty: bool) {
        let Some(letter) = key.chars().next() else {
            self.value = Some(value);
            return;
        };
        let slot = &mut self.children[usize::from(letter == '1')];
        let Some(child) = slot else {
            *slot = Some(Box::new(TrieNode::new(key, Some(value))));
            self.child_count += 1;
            return;
        };
        let common = child.key.chars().zip(key.chars()).take_while(|(a, b)| a == b).count();
        if common < child.key.len() {
            let mut fork = TrieNode::new(&key[..common], None);
            let below = usize::from(child.key[common..].starts_with('1'));
            child.key = child.key[common..].to_owned();
            fork.children[below] = slot.take();
            // The fault: the fork does not count the child that was there.
            fork.child_count = usize::from(!faulty);
            *slot = Some(Box::new(fork));
        }
        if let Some(child) = slot {
            child.insert(&key[common..], value, faulty);
        }
    }
}

impl Exercise for TrieNode {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        let key = format!("{argument:02b}");
        self.insert(&key, 9, faulty);
        assert!(self.rep_ok());
        assert_eq!(self.get(&key), Some(9));
    }
}
