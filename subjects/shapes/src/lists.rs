//! Lists inside vectors: `slab` 0.4.12 and `uluru` 3.1.0.

use testsmith::{Korat, korat};

use crate::Exercise;

/// `slab::Slab`.
#[derive(Korat, Debug, Clone)]
pub struct Slab<T: Clone> {
    pub entries: Vec<Entry<T>>,
    pub len: usize,
    pub next: usize,
}

#[derive(Korat, Debug, Clone)]
#[korat(unconstrained)]
pub enum Entry<T: Clone> {
    Vacant(usize),
    Occupied(T),
}

#[korat]
impl<T: Clone> Slab<T> {
    /// The vacant entries form a list that begins at `next` and leaves none out.
    pub fn rep_ok(&self) -> bool {
        let mut at = self.next;
        for _ in self.len..self.entries.len() {
            match self.entries.get(at) {
                Some(Entry::Vacant(next)) => at = *next,
                _ => return false,
            }
        }
        let occupied = |entry: &&Entry<T>| matches!(entry, Entry::Occupied(_));
        at == self.entries.len() && self.entries.iter().filter(occupied).count() == self.len
    }
}

impl<T: Clone> Slab<T> {
    pub fn insert(&mut self, value: T, faulty: bool) -> usize {
        let key = self.next;
        self.len += 1;
        if key == self.entries.len() {
            self.entries.push(Entry::Occupied(value));
            self.next = key + 1;
        } else if let Entry::Vacant(next) = self.entries[key] {
            self.next = if faulty { key + 1 } else { next };
            self.entries[key] = Entry::Occupied(value);
        }
        key
    }

    pub fn remove(&mut self, key: usize) -> Option<T> {
        let entry = self.entries.get_mut(key)?;
        let Entry::Occupied(value) = entry else { return None };
        let value = value.clone();
        *entry = Entry::Vacant(self.next);
        (self.len, self.next) = (self.len - 1, key);
        Some(value)
    }
}

impl Exercise for Slab<bool> {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        let had = self.remove(usize::from(argument)).is_some();
        assert!(self.rep_ok());
        let key = self.insert(true, faulty);
        assert!(self.rep_ok() && (!had || key == usize::from(argument)));
        assert_eq!(self.remove(key), Some(true));
    }
}

/// `uluru::LRUCache`, of at most three entries.
#[derive(Korat, Debug, Clone)]
pub struct Lru {
    #[korat(len = 0..=3)]
    pub entries: Vec<LruEntry>,
    pub head: u16,
    pub tail: u16,
}

#[derive(Korat, Debug, Clone)]
pub struct LruEntry {
    pub val: u8,
    pub prev: u16,
    pub next: u16,
}

#[korat]
impl Lru {
    const MOST: usize = 3;

    /// The entries form a list in both directions; no value is there twice.
    pub fn rep_ok(&self) -> bool {
        let count = self.entries.len();
        if count == 0 {
            return self.head == 0 && self.tail == 0;
        }
        let (mut at, mut seen) = (self.head, Vec::new());
        loop {
            let Some(entry) = self.entries.get(usize::from(at)) else { return false };
            if seen.iter().any(|(known, val)| *known == at || *val == entry.val) {
                return false;
            }
            seen.push((at, entry.val));
            if seen.len() == count {
                // The ends have no neighbours; what is noted there is ignored.
                return at == self.tail && entry.next == 0 && self.first().prev == 0;
            }
            let next = entry.next;
            if self.entries.get(usize::from(next)).is_none_or(|entry| entry.prev != at) {
                return false;
            }
            at = next;
        }
    }

    fn first(&self) -> &LruEntry {
        &self.entries[usize::from(self.head)]
    }
}

impl Lru {
    /// The values, most recently used first.
    pub fn values(&self) -> Vec<u8> {
        let mut at = self.head;
        let next = |_| {
            let entry = &self.entries[usize::from(at)];
            at = entry.next;
            entry.val
        };
        (0..self.entries.len()).map(next).collect()
    }

    /// Moves a value to the front, in place of the last if there is no room.
    pub fn insert(&mut self, val: u8, faulty: bool) {
        let known = self.entries.iter().position(|entry| entry.val == val);
        let at = match known {
            Some(at) => self.unlink(at as u16, faulty),
            None if self.entries.len() == Self::MOST => {
                let at = self.unlink(self.tail, false);
                self.entries[usize::from(at)].val = val;
                at
            }
            None => {
                self.entries.push(LruEntry { val, prev: 0, next: 0 });
                if self.entries.len() == 1 {
                    return;
                }
                self.entries.len() as u16 - 1
            }
        };
        if self.entries.len() > 1 {
            self.entries[usize::from(at)].next = self.head;
            self.entries[usize::from(self.head)].prev = at;
        }
        self.head = at;
    }

    fn unlink(&mut self, at: u16, faulty: bool) -> u16 {
        let LruEntry { prev, next, .. } = self.entries[usize::from(at)];
        let (is_head, is_tail) = (at == self.head, at == self.tail);
        match (is_head, is_tail) {
            (true, true) => {}
            (true, false) => {
                self.head = next;
                self.entries[usize::from(next)].prev = 0;
            }
            (false, true) => {
                self.entries[usize::from(prev)].next = 0;
                // The fault: a tail that was used stays the tail.
                self.tail = if faulty { at } else { prev };
            }
            (false, false) => {
                self.entries[usize::from(prev)].next = next;
                self.entries[usize::from(next)].prev = prev;
            }
        }
        let entry = &mut self.entries[usize::from(at)];
        (entry.prev, entry.next) = (0, 0);
        at
    }
}

impl Exercise for Lru {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        let mut model = self.values();
        model.retain(|val| *val != argument);
        model.insert(0, argument);
        model.truncate(Self::MOST);
        self.insert(argument, faulty);
        assert!(self.rep_ok());
        assert_eq!(self.values(), model);
    }
}
