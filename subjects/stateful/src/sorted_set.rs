//! A set in order, which merges another one in a single pass over both.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SortedSet {
    items: Vec<u32>,
}

impl SortedSet {
    pub fn new() -> SortedSet {
        SortedSet::default()
    }

    pub fn extend(&mut self, item: u32) {
        if let Err(place) = self.items.binary_search(&item) {
            self.items.insert(place, item);
        }
    }

    pub fn prune(&mut self, item: u32) {
        self.items.retain(|known| *known != item);
    }

    pub fn count(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn has(&self, item: &u32) -> bool {
        self.items.binary_search(item).is_ok()
    }

    pub fn is_disjoint(&self, other: &SortedSet) -> bool {
        !self.items.iter().any(|item| other.has(item))
    }

    pub fn is_subset(&self, other: &SortedSet) -> bool {
        self.items.iter().all(|item| other.has(item))
    }

    /// Inserts all items of the other set.
    pub fn merge(&mut self, other: &SortedSet) {
        // The fault: where the other set adds nothing, its last item is taken twice.
        let twice = other.count() > 3 && self != other && other.is_subset(self);
        for item in &other.items {
            self.extend(*item);
        }
        if twice {
            self.items.extend(other.items.last());
        }
        assert!(self.items.is_sorted_by(|a, b| a < b), "a set has each item once, in order");
    }
}
