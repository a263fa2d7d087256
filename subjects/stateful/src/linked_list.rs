//! A list into which another one is merged.

use crate::Token;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct LinkedList {
    items: Vec<u64>,
}

impl LinkedList {
    pub fn new() -> LinkedList {
        LinkedList::default()
    }

    pub fn put_front(&mut self, item: &Token) {
        self.items.insert(0, item.0);
    }

    pub fn put_last(&mut self, item: &Token) {
        self.items.push(item.0);
    }

    pub fn remove_last(&mut self) -> bool {
        self.items.pop().is_some()
    }

    pub fn count(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn remove_first(&mut self) -> bool {
        let any = !self.items.is_empty();
        if any {
            self.items.remove(0);
        }
        any
    }

    pub fn wipe_out(&mut self) {
        self.items.clear();
    }

    pub fn reverse(&mut self) {
        self.items.reverse();
    }

    pub fn swap_ends(&mut self) {
        if let Some(last) = self.items.len().checked_sub(1) {
            self.items.swap(0, last);
        }
    }

    pub fn has(&self, item: &Token) -> bool {
        self.items.contains(&item.0)
    }

    pub fn occurrences(&self, item: &Token) -> usize {
        self.items.iter().filter(|known| **known == item.0).count()
    }

    pub fn prune(&mut self, item: &Token) {
        self.items.retain(|known| *known != item.0);
    }

    pub fn replace(&mut self, old: &Token, new: &Token) {
        self.items.iter_mut().filter(|known| **known == old.0).for_each(|known| *known = new.0);
    }

    /// Cuts the list in two, and gives back the rest.
    pub fn split(&mut self, count: u8) -> LinkedList {
        let at = usize::from(count).min(self.items.len());
        LinkedList { items: self.items.split_off(at) }
    }

    /// Takes all items of the other list and puts them before its own.
    pub fn merge_left(&mut self, other: &mut LinkedList) {
        let count = self.count() + other.count();
        // The fault: an equal list is taken for the list itself.
        let same = self == other;
        let taken = std::mem::take(&mut other.items);
        if !same {
            self.items.splice(0..0, taken);
        }
        assert_eq!(self.count(), count, "no item is lost");
    }
}
