//! A hash table with open addressing: the next place after a used one is tried.

/// One place of the table. A key that was removed leaves its place marked, so that
/// searches go on past it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
enum Bucket {
    #[default]
    Free,
    Removed,
    Used {
        key: u8,
        value: i32,
    },
}

/// How many places a new table has; it doubles when two thirds are used.
const SMALLEST: usize = 4;

/// A map from small keys to numbers.
#[derive(Clone, Debug)]
pub struct HashTable {
    buckets: Vec<Bucket>,
    count: usize,
    marked: usize,
}

impl Default for HashTable {
    fn default() -> HashTable {
        HashTable { buckets: vec![Bucket::Free; SMALLEST], count: 0, marked: 0 }
    }
}

impl HashTable {
    pub fn new() -> HashTable {
        HashTable::default()
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn places(&self, key: u8) -> impl Iterator<Item = usize> + use<> {
        let size = self.buckets.len();
        (0..size).map(move |round| (usize::from(key) + round) % size)
    }

    fn find(&self, wanted: u8) -> Option<usize> {
        for place in self.places(wanted) {
            match self.buckets[place] {
                Bucket::Used { key, .. } if key == wanted => return Some(place),
                Bucket::Free => return None,
                _ => {}
            }
        }
        None
    }

    pub fn contains_key(&self, key: u8) -> bool {
        self.find(key).is_some()
    }

    pub fn get(&self, key: u8) -> Option<i32> {
        match self.buckets[self.find(key)?] {
            Bucket::Used { value, .. } => Some(value),
            _ => None,
        }
    }

    /// Sets the value of a key, new or not.
    pub fn set(&mut self, key: u8, value: i32) {
        if let Some(place) = self.find(key) {
            self.buckets[place] = Bucket::Used { key, value };
            return;
        }
        if 3 * (self.count + self.marked + 1) > 2 * self.buckets.len() {
            self.grow();
        }
        let place =
            self.places(key).find(|place| !matches!(self.buckets[*place], Bucket::Used { .. }));
        let place = place.expect("a third of the places is free");
        if self.buckets[place] == Bucket::Removed {
            self.marked -= 1;
        }
        self.buckets[place] = Bucket::Used { key, value };
        self.count += 1;
    }

    /// Adds a key.
    ///
    /// # Panics
    /// If it is there already.
    pub fn add(&mut self, key: u8, value: i32) {
        assert!(!self.contains_key(key), "the key is there already");
        self.set(key, value);
    }

    pub fn remove(&mut self, key: u8) {
        if let Some(place) = self.find(key) {
            self.buckets[place] = Bucket::Removed;
            self.count -= 1;
            self.marked += 1;
        }
    }

    fn grow(&mut self) {
        let size = 2 * self.buckets.len();
        let old = std::mem::replace(&mut self.buckets, vec![Bucket::Free; size]);
        (self.count, self.marked) = (0, 0);
        for bucket in old {
            if let Bucket::Used { key, value } = bucket {
                self.set(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith::{assume, put};

    /// Tables are made by their operations: at most two entries, as in the paper.
    fn table(entries: &[(u8, i32)]) -> HashTable {
        let mut table = HashTable::new();
        for (key, value) in entries {
            table.set(*key, *value);
        }
        table
    }

    #[put]
    fn nothing_is_contained_initially(key: u8) {
        assert!(!HashTable::new().contains_key(key));
    }

    #[put(len = 2)]
    fn what_is_set_is_contained(entries: Vec<(u8, i32)>, key: u8, value: i32) {
        let mut table = table(&entries);
        table.set(key, value);
        assert!(table.contains_key(key));
        assert_eq!(table.get(key), Some(value));
    }

    #[put(len = 2)]
    fn setting_leaves_other_keys_alone(entries: Vec<(u8, i32)>, key: u8, other: u8) {
        assume!(key != other);
        let mut table = table(&entries);
        let before = table.get(other);
        table.set(key, 0);
        assert_eq!(table.get(other), before);
    }

    #[put(len = 2)]
    fn what_is_removed_is_not_contained(entries: Vec<(u8, i32)>, key: u8) {
        let mut table = table(&entries);
        table.remove(key);
        assert!(!table.contains_key(key));
    }

    #[put(len = 2)]
    fn adding_and_removing_changes_nothing(entries: Vec<(u8, i32)>, key: u8) {
        let mut table = table(&entries);
        assume!(!table.contains_key(key));
        let len = table.len();
        table.add(key, 1);
        table.remove(key);
        assert_eq!(table.len(), len);
        assert!(!table.contains_key(key));
    }

    #[put(len = 2, should_panic = "there already")]
    fn adding_a_key_twice_panics(entries: Vec<(u8, i32)>, key: u8) {
        let mut table = table(&entries);
        table.set(key, 1);
        table.add(key, 2);
    }
}
