//! `generational-arena` 0.2.9 and `rangemap` 1.8.0.

use std::collections::BTreeMap;

use testsmith::{Korat, korat};

use crate::Exercise;

/// `generational_arena::Arena`.
#[derive(Korat, Debug, Clone)]
pub struct GenArena {
    pub items: Vec<GenEntry>,
    pub generation: u64,
    pub free_list_head: Option<usize>,
    pub len: usize,
}

#[derive(Korat, Debug, Clone)]
pub enum GenEntry {
    Free { next_free: Option<usize> },
    Occupied { generation: u64, value: bool },
}

#[korat]
impl GenArena {
    /// The free entries form a list; no generation is from the future.
    pub fn rep_ok(&self) -> bool {
        let mut free = self.free_list_head;
        for _ in self.len..self.items.len() {
            let Some(at) = free else { return false };
            match self.items.get(at) {
                Some(GenEntry::Free { next_free }) => free = *next_free,
                _ => return false,
            }
        }
        let occupied = self.items.iter().filter(|entry| Self::is_old(entry, self.generation));
        free.is_none() && occupied.count() == self.len
    }

    fn is_old(entry: &GenEntry, now: u64) -> bool {
        match entry {
            GenEntry::Free { .. } => false,
            GenEntry::Occupied { generation, .. } => *generation <= now,
        }
    }
}

impl GenArena {
    pub fn insert(&mut self, value: bool) -> (usize, u64) {
        self.len += 1;
        let entry = GenEntry::Occupied { generation: self.generation, value };
        let at = match self.free_list_head {
            Some(at) => {
                if let GenEntry::Free { next_free } = self.items[at] {
                    self.free_list_head = next_free;
                }
                self.items[at] = entry;
                at
            }
            None => {
                self.items.push(entry);
                self.items.len() - 1
            }
        };
        (at, self.generation)
    }

    pub fn get(&self, (at, wanted): (usize, u64)) -> Option<bool> {
        match self.items.get(at)? {
            GenEntry::Occupied { generation, value } if *generation == wanted => Some(*value),
            _ => None,
        }
    }

    pub fn remove(&mut self, index: (usize, u64), faulty: bool) -> Option<bool> {
        let value = self.get(index)?;
        self.items[index.0] = GenEntry::Free { next_free: self.free_list_head };
        self.free_list_head = Some(index.0);
        // The fault: an old index is good for what comes next.
        self.generation += u64::from(!faulty);
        self.len -= 1;
        Some(value)
    }
}

impl Exercise for GenArena {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        let at = usize::from(argument);
        let Some(GenEntry::Occupied { generation, .. }) = self.items.get(at) else { return };
        let old = (at, *generation);
        assert!(self.remove(old, faulty).is_some() && self.rep_ok());
        let new = self.insert(true);
        assert!(self.rep_ok() && self.get(new) == Some(true));
        assert_eq!(self.get(old), None, "an old index is good for nothing");
    }
}

/// `rangemap::RangeMap`: the ends beside the values, starts as keys.
#[derive(Korat, Debug, Clone)]
pub struct RangeMap {
    pub btm: BTreeMap<u8, (u8, bool)>,
}

#[korat]
impl RangeMap {
    /// No range is empty, none overlap, and neighbours with one value are one.
    pub fn rep_ok(&self) -> bool {
        let mut last: Option<(u8, bool)> = None;
        for (start, range) in &self.btm {
            let apart =
                last.is_none_or(|(end, value)| end < *start || end == *start && value != range.1);
            if !apart || *start >= range.0 {
                return false;
            }
            last = Some((range.0, range.1));
        }
        true
    }
}

impl RangeMap {
    pub fn get(&self, key: u8) -> Option<bool> {
        let (_, (end, value)) = self.btm.range(..=key).next_back()?;
        (key < *end).then_some(*value)
    }

    pub fn insert(&mut self, mut start: u8, mut end: u8, value: bool, faulty: bool) {
        let touching: Vec<(u8, (u8, bool))> = self
            .btm
            .iter()
            .filter(|(from, (to, _))| **from <= end && start <= *to)
            .map(|(from, to)| (*from, *to))
            .collect();
        for (from, (to, old)) in touching {
            // The fault: a range that ends where the new one begins stays.
            if faulty && to == start {
                continue;
            }
            if old == value {
                self.btm.remove(&from);
                (start, end) = (start.min(from), end.max(to));
                continue;
            }
            if from < end && start < to {
                self.btm.remove(&from);
            }
            if from < start && start < to {
                self.btm.insert(from, (start, old));
            }
            if from < end && end < to {
                self.btm.insert(end, (to, old));
            }
        }
        self.btm.insert(start, (end, value));
    }
}

impl Exercise for RangeMap {
    fn is_valid(&self) -> bool {
        self.rep_ok()
    }

    fn exercise(mut self, argument: u8, faulty: bool) {
        let expected: Vec<Option<bool>> =
            (0..8).map(|key| if key == argument { Some(true) } else { self.get(key) }).collect();
        self.insert(argument, argument + 1, true, faulty);
        assert!(self.rep_ok(), "{self:?}");
        assert_eq!((0..8).map(|key| self.get(key)).collect::<Vec<_>>(), expected);
    }
}
