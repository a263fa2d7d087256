//! A sorted doubly linked circular list in an arena.

use testsmith::{Korat, korat};

use crate::faults::seeded;

/// A sorted list of integers.
#[derive(Korat, Debug, Clone, PartialEq, Eq)]
pub struct SortedList {
    #[korat(values = 0..=scope)]
    size: usize,
    #[korat(index(entries))]
    header: usize,
    #[korat(arena)]
    entries: Vec<Entry>,
}

#[derive(Korat, Debug, Clone, PartialEq, Eq)]
#[korat(objects = scope + 1)]
struct Entry {
    #[korat(values = 1..=scope)]
    element: Option<i32>,
    #[korat(index(entries))]
    next: usize,
    #[korat(index(entries))]
    previous: usize,
}

#[korat]
impl SortedList {
    /// Whether the ring is closed both ways, ascending, and as long as the
    /// size says; only the header has no element.
    pub fn rep_ok(&self) -> bool {
        let header = self.header;
        if !korat::holds(&self.entries[header].element, korat::is_none()) {
            return false;
        }
        let mut count = 0;
        let mut at = header;
        loop {
            let next = self.entries[at].next;
            if !korat::holds(&self.entries[next].previous, korat::equal(at)) {
                return false;
            }
            if next == header {
                break;
            }
            count += 1;
            at = next;
        }
        if !korat::holds(&self.size, korat::equal(count)) {
            return false;
        }
        let mut at = self.entries[header].next;
        let mut elements = Vec::new();
        while at != header {
            let entry = &self.entries[at];
            // Nothing is less than something, so one check does for all.
            if elements.is_empty() && !korat::holds(&entry.element, korat::is_some()) {
                return false;
            }
            elements.push(korat::field(&entry.element));
            at = entry.next;
        }
        korat::non_descending(&elements)
    }
}

impl Default for SortedList {
    fn default() -> Self {
        let header = Entry { element: None, next: 0, previous: 0 };
        SortedList { size: 0, header: 0, entries: vec![header] }
    }
}

#[korat(calls)]
impl SortedList {
    /// An empty list.
    pub fn new() -> Self {
        SortedList::default()
    }

    /// A sorted list of some elements.
    pub fn sort(elements: &[i32]) -> Self {
        let mut list = SortedList::new();
        let skipped = usize::from(seeded("sorted_list: sort skips one") && elements.len() > 2);
        for element in &elements[skipped..] {
            list.insert(*element);
        }
        list
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The elements in order.
    pub fn elements(&self) -> Vec<i32> {
        let mut elements = Vec::new();
        let mut at = self.entries[self.header].next;
        while at != self.header {
            elements.push(self.entries[at].element.expect("only the header has none"));
            at = self.entries[at].next;
        }
        elements
    }

    /// Adds an element at its place.
    pub fn insert(&mut self, element: i32) {
        let mut before = self.header;
        loop {
            let next = self.entries[before].next;
            let greater = self.entries[next].element.is_some_and(|other| other > element);
            if next == self.header || greater || seeded("sorted_list: insert at the front") {
                break;
            }
            before = next;
        }
        let (at, next) = (self.entries.len(), self.entries[before].next);
        self.entries.push(Entry { element: Some(element), next, previous: before });
        self.entries[before].next = at;
        if !seeded("sorted_list: insert without a way back") {
            self.entries[next].previous = at;
        }
        self.size += 1;
    }

    /// Removes one element equal to `element`; `false` if there is none.
    pub fn remove(&mut self, element: i32) -> bool {
        let mut at = self.entries[self.header].next;
        while at != self.header && self.entries[at].element != Some(element) {
            at = self.entries[at].next;
        }
        if at == self.header {
            return false;
        }
        let Entry { next, previous, .. } = self.entries[at];
        self.entries[previous].next = next;
        self.entries[next].previous = previous;
        self.size -= 1;
        self.remove_slot(at);
        true
    }

    /// Takes all elements of another list in.
    pub fn merge(&mut self, other: &SortedList) {
        for element in other.elements() {
            if !(seeded("sorted_list: merge drops equal") && self.elements().contains(&element)) {
                self.insert(element);
            }
        }
    }

    fn remove_slot(&mut self, gone: usize) {
        let last = self.entries.len() - 1;
        self.entries.swap_remove(gone);
        if seeded("sorted_list: moved entry forgotten") {
            return;
        }
        let moved = |at: &mut usize| {
            if *at == last {
                *at = gone;
            }
        };
        for entry in &mut self.entries {
            moved(&mut entry.next);
            moved(&mut entry.previous);
        }
        moved(&mut self.header);
    }
}
