//! A set as a hash table with chains.

use testsmith::{Korat, ensures, forall, invariant, korat, pure, requires};

use crate::faults::seeded;

/// Elements per bucket before the table grows.
const LOAD: usize = 2;

/// A set of integers.
#[derive(Korat, Debug, Clone, PartialEq, Eq)]
pub struct HashSet {
    #[korat(values = 0..=scope)]
    size: usize,
    #[korat(len = 1..=2)]
    buckets: Vec<Option<Box<Entry>>>,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
struct Entry {
    #[korat(values = 0..scope)]
    key: i32,
    next: Option<Box<Entry>>,
}

#[korat]
impl HashSet {
    /// Whether every key is in its bucket, once, and the size is right.
    pub fn rep_ok(&self) -> bool {
        let buckets = self.buckets.len();
        let mut size = 0;
        let mut keys: Vec<i32> = Vec::new();
        for at in 0..buckets {
            let mut entry = &self.buckets[at];
            while let Some(inside) = entry {
                let mine = |key: &i32| *key as usize % buckets == at && !keys.contains(key);
                if !korat::holds(&inside.key, mine) {
                    return false;
                }
                keys.push(inside.key);
                size += 1;
                entry = &inside.next;
            }
        }
        size <= LOAD * buckets && korat::holds(&self.size, korat::equal(size))
    }
}

impl Default for HashSet {
    fn default() -> Self {
        HashSet { size: 0, buckets: vec![None] }
    }
}

#[korat(calls)]
#[invariant(self.rep_ok())]
impl HashSet {
    /// An empty set.
    #[ensures(ret.is_empty())]
    pub fn new() -> Self {
        HashSet::default()
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

    /// The elements in ascending order.
    #[pure]
    #[ensures(ret.is_sorted())]
    pub fn elements(&self) -> Vec<i32> {
        let mut elements = Vec::new();
        for bucket in &self.buckets {
            let mut at = bucket;
            while let Some(entry) = at {
                elements.push(entry.key);
                at = &entry.next;
            }
        }
        elements.sort_unstable();
        elements
    }

    fn bucket(&self, key: i32) -> usize {
        key as usize % self.buckets.len()
    }

    /// Whether an element is in the set.
    #[pure]
    #[ensures(ret == self.elements().contains(&key))]
    pub fn contains(&self, key: i32) -> bool {
        let mut at = &self.buckets[self.bucket(key)];
        while let Some(entry) = at {
            if entry.key == key {
                return true;
            }
            at = if seeded("hash_set: only the first") { &None } else { &entry.next };
        }
        false
    }

    /// Adds an element; `false` if it was there.
    #[requires(key >= 0, "elements are not negative")]
    #[ensures(self.contains(key), ret != old(self.contains(key)))]
    #[ensures(self.len() == old(self.len()) + usize::from(ret))]
    #[ensures(forall(&old(self.elements()), |other| self.contains(*other)))]
    pub fn add(&mut self, key: i32) -> bool {
        if self.contains(key) {
            return false;
        }
        let limit = LOAD * self.buckets.len() + usize::from(seeded("hash_set: grows late"));
        if self.size >= limit {
            self.rehash();
        }
        self.push(key);
        self.size += 1;
        true
    }

    fn push(&mut self, key: i32) {
        let at = self.bucket(key);
        let next = self.buckets[at].take();
        self.buckets[at] = Some(Box::new(Entry { key, next }));
    }

    fn rehash(&mut self) {
        let elements = self.elements();
        let buckets = self.buckets.len() * 2;
        if seeded("hash_set: rehash keeps places") {
            self.buckets.resize(buckets, None);
            return;
        }
        self.buckets = vec![None; buckets];
        for key in elements {
            self.push(key);
        }
    }

    /// Removes an element; `false` if it was not there.
    #[ensures(!self.contains(key), ret == old(self.contains(key)))]
    #[ensures(self.len() + usize::from(ret) == old(self.len()))]
    #[ensures(forall(&old(self.elements()), |other| *other == key || self.contains(*other)))]
    pub fn remove(&mut self, key: i32) -> bool {
        let at = self.bucket(key);
        let mut link = &mut self.buckets[at];
        while link.as_ref().is_some_and(|entry| entry.key != key) {
            link = &mut link.as_mut().expect("the loop saw an entry").next;
        }
        let Some(entry) = link.take() else { return false };
        if !seeded("hash_set: remove cuts the chain") {
            *link = entry.next;
        }
        if !seeded("hash_set: remove keeps the size") {
            self.size -= 1;
        }
        true
    }
}
