//! A list in an array that grows, with an enumerator that notices changes.

/// The capacity when none is asked for.
pub const DEFAULT_CAPACITY: usize = 16;

/// A growable list.
#[derive(Clone, Debug, Default)]
#[cfg_attr(test, derive(testsmith::Input), input(invariant = Self::rep_ok))]
pub struct ArrayList {
    /// As long as the capacity; what lies beyond `size` does not count.
    items: Vec<i32>,
    size: u8,
    version: u8,
}

impl ArrayList {
    pub fn new() -> ArrayList {
        ArrayList::default()
    }

    /// What holds between calls.
    pub fn rep_ok(&self) -> bool {
        self.len() <= self.items.len()
    }

    pub fn len(&self) -> usize {
        usize::from(self.size)
    }

    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    pub fn capacity(&self) -> usize {
        self.items.len()
    }

    /// Sets the capacity; zero stands for the default.
    ///
    /// # Panics
    /// If the elements would not fit.
    pub fn set_capacity(&mut self, capacity: usize) {
        assert!(capacity >= self.len(), "the capacity is less than the length");
        if cfg!(feature = "seeded") && capacity == self.items.len() {
            return;
        }
        let capacity = if capacity == 0 { DEFAULT_CAPACITY } else { capacity };
        self.items.resize(capacity, 0);
    }

    pub fn get(&self, index: usize) -> Option<i32> {
        if index < self.len() { Some(self.items[index]) } else { None }
    }

    /// # Panics
    /// If there is no such element.
    pub fn set(&mut self, index: usize, value: i32) {
        assert!(index < self.len(), "the index is out of range");
        self.items[index] = value;
        self.touch();
    }

    pub fn add(&mut self, value: i32) {
        self.insert(self.len(), value);
    }

    /// # Panics
    /// If the index is past the end.
    pub fn insert(&mut self, index: usize, value: i32) {
        assert!(index <= self.len(), "the index is out of range");
        if self.len() == self.items.len() {
            let grown = (2 * self.items.len()).max(DEFAULT_CAPACITY);
            self.items.resize(grown, 0);
        }
        let end = self.len();
        self.items.copy_within(index..end, index + 1);
        self.items[index] = value;
        self.size += 1;
        self.touch();
    }

    /// # Panics
    /// If there is no such element.
    pub fn remove_at(&mut self, index: usize) {
        assert!(index < self.len(), "the index is out of range");
        let end = self.len();
        self.items.copy_within(index + 1..end, index);
        self.size -= 1;
        self.touch();
    }

    pub fn index_of(&self, value: i32) -> Option<usize> {
        self.items[..self.len()].iter().position(|item| *item == value)
    }

    pub fn contains(&self, value: i32) -> bool {
        self.index_of(value).is_some()
    }

    pub fn clear(&mut self) {
        self.size = 0;
        self.touch();
    }

    fn touch(&mut self) {
        self.version = self.version.wrapping_add(1);
    }

    /// An enumerator, before the first element.
    pub fn enumerator(&self) -> Enumerator {
        Enumerator { index: None, current: MARK, version: self.version }
    }
}

/// Stands for "no current element" in the enumerator with the seeded violation.
const MARK: i32 = i32::MIN;

/// Walks over a list that may not change meanwhile.
#[derive(Clone, Debug)]
pub struct Enumerator {
    index: Option<usize>,
    current: i32,
    version: u8,
}

impl Enumerator {
    /// Goes to the next element, if there is one.
    ///
    /// # Panics
    /// If the list was changed.
    pub fn move_next(&mut self, list: &ArrayList) -> bool {
        assert!(self.version == list.version, "the list was changed");
        let next = self.index.map_or(0, |index| index + 1);
        match list.get(next) {
            Some(value) => {
                self.index = Some(next);
                self.current = value;
                true
            }
            None => {
                self.index = Some(list.len());
                self.current = MARK;
                false
            }
        }
    }

    /// The current element.
    ///
    /// # Panics
    /// Before the first and after the last one.
    pub fn current(&self, list: &ArrayList) -> i32 {
        let missing = if cfg!(feature = "seeded") {
            self.current == MARK
        } else {
            self.index.is_none_or(|index| index >= list.len())
        };
        assert!(!missing, "there is no current element");
        self.current
    }

    pub fn reset(&mut self) {
        self.index = None;
        self.current = MARK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith::{assume, put};

    #[put(len = 3)]
    fn an_added_element_is_the_last(mut list: ArrayList, x: i32) {
        let len = list.len();
        list.add(x);
        assert_eq!(list.get(len), Some(x));
        assert_eq!(list.len(), len + 1);
        assert!(list.rep_ok());
    }

    #[put(len = 3)]
    fn inserting_moves_the_rest(mut list: ArrayList, index: usize, x: i32) {
        assume!(index <= list.len());
        let before = list.clone();
        list.insert(index, x);
        assert_eq!(list.get(index), Some(x));
        assert_eq!(list.get(index + 1), before.get(index));
    }

    #[put(len = 3, should_panic = "out of range")]
    fn inserting_past_the_end_panics(mut list: ArrayList, index: usize, x: i32) {
        assume!(index > list.len());
        list.insert(index, x);
    }

    #[put(len = 3)]
    fn setting_changes_one_element(mut list: ArrayList, index: usize, x: i32) {
        assume!(index < list.len());
        list.set(index, x);
        assert_eq!(list.get(index), Some(x));
    }

    #[put(len = 3, should_panic = "out of range")]
    fn setting_past_the_end_panics(mut list: ArrayList, index: usize, x: i32) {
        assume!(index >= list.len());
        list.set(index, x);
    }

    #[put(len = 3)]
    fn removing_makes_it_shorter(mut list: ArrayList, index: usize) {
        assume!(index < list.len());
        let before = list.clone();
        list.remove_at(index);
        assert_eq!(list.len() + 1, before.len());
        assert_eq!(list.get(index), before.get(index + 1));
    }

    #[put(len = 3, should_panic = "out of range")]
    fn removing_past_the_end_panics(mut list: ArrayList, index: usize) {
        assume!(index >= list.len());
        list.remove_at(index);
    }

    #[put(len = 3)]
    fn what_is_contained_has_an_index(list: ArrayList, x: i32) {
        match list.index_of(x) {
            Some(index) => assert_eq!(list.get(index), Some(x)),
            None => assert!(!list.contains(x)),
        }
    }

    #[put(len = 3)]
    fn clearing_leaves_nothing(mut list: ArrayList, x: i32) {
        list.clear();
        assert!(list.is_empty() && !list.contains(x));
    }

    // The first violation of the paper.
    #[put(len = 3)]
    fn the_capacity_is_what_was_set(mut list: ArrayList, capacity: u8) {
        let capacity = usize::from(capacity & 7);
        assume!(capacity >= list.len());
        list.set_capacity(capacity);
        let expected = if capacity == 0 { DEFAULT_CAPACITY } else { capacity };
        assert_eq!(list.capacity(), expected);
    }

    #[put(len = 3, should_panic = "less than the length")]
    fn too_small_a_capacity_panics(mut list: ArrayList, capacity: usize) {
        assume!(capacity < list.len());
        list.set_capacity(capacity);
    }

    // The second violation of the paper.
    #[put]
    fn the_enumerator_visits_every_element(list: ArrayList) {
        let mut enumerator = list.enumerator();
        for index in 0..list.len() {
            assert!(enumerator.move_next(&list));
            assert_eq!(Some(enumerator.current(&list)), list.get(index));
        }
        assert!(!enumerator.move_next(&list));
    }

    #[put]
    fn a_reset_enumerator_starts_again(list: ArrayList, steps: u8) {
        assume!(!list.is_empty() && steps < 6);
        let mut enumerator = list.enumerator();
        for _ in 0..steps {
            enumerator.move_next(&list);
        }
        enumerator.reset();
        assert!(enumerator.move_next(&list));
        assert_eq!(Some(enumerator.current(&list)), list.get(0));
    }

    #[put(should_panic = "no current element")]
    fn there_is_nothing_before_the_first_element(list: ArrayList) {
        list.enumerator().current(&list);
    }

    #[put(should_panic = "no current element")]
    fn there_is_nothing_after_the_last_element(list: ArrayList) {
        let mut enumerator = list.enumerator();
        while enumerator.move_next(&list) {}
        enumerator.current(&list);
    }

    #[put(should_panic = "was changed")]
    fn a_changed_list_stops_its_enumerator(mut list: ArrayList, x: i32) {
        let mut enumerator = list.enumerator();
        list.add(x);
        enumerator.move_next(&list);
    }
}
