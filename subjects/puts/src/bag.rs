//! A bag on top of the hash table: an element may be in it more than once.

use crate::hash_table::HashTable;

/// An unordered collection with multiplicities.
#[derive(Clone, Debug, Default)]
pub struct Bag {
    table: HashTable,
}

impl Bag {
    pub fn new() -> Bag {
        Bag::default()
    }

    pub fn add(&mut self, element: u8) {
        let count = self.multiplicity(element);
        self.table.set(element, count + 1);
    }

    pub fn multiplicity(&self, element: u8) -> i32 {
        self.table.get(element).unwrap_or(0)
    }

    /// Takes one occurrence away.
    ///
    /// # Panics
    /// If there is none.
    pub fn remove(&mut self, element: u8) {
        match self.multiplicity(element) {
            0 => panic!("the element is not in the bag"),
            1 => self.table.remove(element),
            more => self.table.set(element, more - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith::{assume, put};

    fn bag(elements: &[u8]) -> Bag {
        let mut bag = Bag::new();
        for element in elements {
            bag.add(*element);
        }
        bag
    }

    #[put(len = 2)]
    fn adding_increments_the_multiplicity(elements: Vec<u8>, x: u8) {
        let mut bag = bag(&elements);
        let before = bag.multiplicity(x);
        bag.add(x);
        assert_eq!(bag.multiplicity(x), before + 1);
    }

    #[put(len = 2)]
    fn adding_leaves_other_elements_alone(elements: Vec<u8>, x: u8, y: u8) {
        assume!(x != y);
        let mut bag = bag(&elements);
        let before = bag.multiplicity(y);
        bag.add(x);
        assert_eq!(bag.multiplicity(y), before);
    }

    #[put(len = 2)]
    fn removing_decrements_the_multiplicity(elements: Vec<u8>, x: u8) {
        let mut bag = bag(&elements);
        let before = bag.multiplicity(x);
        assume!(before > 0);
        bag.remove(x);
        assert_eq!(bag.multiplicity(x), before - 1);
    }

    #[put(len = 2, should_panic = "not in the bag")]
    fn removing_what_is_not_there_panics(elements: Vec<u8>, x: u8) {
        assume!(!elements.contains(&x));
        bag(&elements).remove(x);
    }
}
