//! A list with a cursor, into which another list is merged.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedList {
    items: Vec<u8>,
}

impl LinkedList {
    pub fn new() -> LinkedList {
        LinkedList::default()
    }

    pub fn put_front(&mut self, item: u8) {
        self.items.insert(0, item);
    }

    pub fn put_last(&mut self, item: u8) {
        self.items.push(item);
    }

    pub fn remove_last(&mut self) -> Option<u8> {
        self.items.pop()
    }

    pub fn count(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn first(&self) -> Option<&u8> {
        self.items.first()
    }

    /// Takes all items of the other list and puts them before its own.
    pub fn merge_left(&mut self, other: &mut LinkedList) {
        let count = self.count() + other.count();
        // The fault: a long list is not told from itself.
        let same = self.count() > 3 && self == other;
        let taken = std::mem::take(&mut other.items);
        if !same {
            self.items.splice(0..0, taken);
        }
        assert_eq!(self.count(), count, "no item is lost");
    }
}
