//! A set in order, which takes another one in with a single pass over both.

use crate::Token;

#[derive(Debug, Default)]
pub struct SortedSet {
    items: Vec<u64>,
}

impl SortedSet {
    pub fn new() -> SortedSet {
        SortedSet::default()
    }

    pub fn extend(&mut self, item: &Token) {
        if let Err(place) = self.items.binary_search(&item.0) {
            self.items.insert(place, item.0);
        }
    }

    pub fn prune(&mut self, item: &Token) {
        self.items.retain(|known| *known != item.0);
    }

    pub fn count(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn has(&self, item: &Token) -> bool {
        self.items.contains(&item.0)
    }

    pub fn is_disjoint(&self, other: &SortedSet) -> bool {
        !self.items.iter().any(|item| other.items.contains(item))
    }

    pub fn wipe_out(&mut self) {
        self.items.clear();
    }

    pub fn remove_first(&mut self) {
        if !self.items.is_empty() {
            self.items.remove(0);
        }
    }

    pub fn remove_last(&mut self) {
        self.items.pop();
    }

    pub fn is_first(&self, item: &Token) -> bool {
        self.items.first() == Some(&item.0)
    }

    pub fn is_last(&self, item: &Token) -> bool {
        self.items.last() == Some(&item.0)
    }

    /// Where an item is, counted from 1; 0 if it is not there.
    pub fn index_of(&self, item: &Token) -> usize {
        self.items.iter().position(|known| *known == item.0).map_or(0, |at| at + 1)
    }

    /// Keeps what the other set has as well.
    pub fn intersect(&mut self, other: &SortedSet) {
        self.items.retain(|item| other.items.contains(item));
    }

    /// Takes out what the other set has.
    pub fn subtract(&mut self, other: &SortedSet) {
        self.items.retain(|item| !other.items.contains(item));
    }

    /// Cuts the set in two, and gives back the upper part.
    pub fn split(&mut self, count: u8) -> SortedSet {
        let at = usize::from(count).min(self.items.len());
        SortedSet { items: self.items.split_off(at) }
    }

    /// Inserts all items of the other set.
    pub fn merge(&mut self, other: &SortedSet) {
        let mut ours = std::mem::take(&mut self.items).into_iter().peekable();
        let mut theirs = other.items.iter().copied().peekable();
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            // The fault: an item that both have is taken from both, one behind the other.
            let next = if a <= b { ours.next() } else { theirs.next() };
            self.items.extend(next);
        }
        self.items.extend(ours);
        self.items.extend(theirs);
        assert!(self.items.is_sorted_by(|a, b| a < b), "a set has each item once, in order");
    }
}
