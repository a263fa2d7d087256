//! A doubly linked circular list, linked by pointers that the list owns.

use std::ptr::NonNull;

use testsmith::{Korat, korat};

use crate::faults::seeded;

/// A list of integers.
#[derive(Korat)]
pub struct LinkedList {
    /// The entry before the first and after the last; it has no element.
    header: NonNull<Entry>,
    #[korat(values = 0..=scope)]
    size: usize,
}

#[derive(Korat)]
#[korat(objects = scope + 1)]
struct Entry {
    #[korat(values = 0..scope)]
    element: Option<i32>,
    next: NonNull<Entry>,
    previous: NonNull<Entry>,
}

#[korat]
impl LinkedList {
    /// Whether the ring is closed both ways and as long as the size says.
    pub fn rep_ok(&self) -> bool {
        let header = self.header;
        let mut at = header;
        let mut count = 0;
        loop {
            // SAFETY: the entries of a list are its own and alive.
            let entry = unsafe { at.as_ref() };
            // SAFETY: as above.
            let next = unsafe { entry.next.as_ref() };
            if !korat::holds(&next.previous, korat::equal(at)) {
                return false;
            }
            let fine = if at == header {
                korat::holds(&entry.element, korat::is_none())
            } else {
                korat::holds(&entry.element, korat::is_some())
            };
            if !fine {
                return false;
            }
            at = entry.next;
            if at == header {
                break;
            }
            count += 1;
        }
        korat::holds(&self.size, korat::equal(count))
    }
}

impl Default for LinkedList {
    fn default() -> Self {
        let room = Box::leak(Box::new(Entry {
            element: None,
            next: NonNull::dangling(),
            previous: NonNull::dangling(),
        }));
        let header = NonNull::from(&mut *room);
        (room.next, room.previous) = (header, header);
        LinkedList { header, size: 0 }
    }
}

#[korat(calls)]
impl LinkedList {
    /// An empty list.
    pub fn new() -> Self {
        LinkedList::default()
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
        self.entries().iter().map(|at| Self::element(*at)).collect()
    }

    fn element(at: NonNull<Entry>) -> i32 {
        // SAFETY: callers pass entries of a list they borrow.
        unsafe { at.as_ref() }.element.expect("only the header has none")
    }

    fn entries(&self) -> Vec<NonNull<Entry>> {
        let mut entries = Vec::new();
        // SAFETY: entries are alive as long as the list.
        let mut at = unsafe { self.header.as_ref() }.next;
        while at != self.header {
            entries.push(at);
            // SAFETY: as above.
            at = unsafe { at.as_ref() }.next;
        }
        entries
    }

    fn join(before: NonNull<Entry>, after: NonNull<Entry>) {
        // SAFETY: both are entries of a list that the caller borrows mutably;
        // the writes touch different fields even if both are the same entry.
        unsafe {
            (*before.as_ptr()).next = after;
            if !seeded("linked_list: no way back") {
                (*after.as_ptr()).previous = before;
            }
        }
    }

    /// Adds an element at the end.
    pub fn add(&mut self, element: i32) {
        let header = self.header;
        // SAFETY: the header is alive and the list borrowed mutably.
        let last = unsafe { header.as_ref() }.previous;
        let last = if seeded("linked_list: add after the header") { header } else { last };
        // SAFETY: as above.
        let next = unsafe { last.as_ref() }.next;
        let entry = Box::leak(Box::new(Entry { element: Some(element), next, previous: last }));
        let entry = NonNull::from(entry);
        Self::join(last, entry);
        Self::join(entry, next);
        self.size += 1;
    }

    /// Removes the first element equal to `element`; `false` if there is none.
    pub fn remove(&mut self, element: i32) -> bool {
        let mut entries = self.entries();
        if seeded("linked_list: remove the last equal") {
            entries.reverse();
        }
        let Some(at) = entries.into_iter().find(|at| Self::element(*at) == element) else {
            return false;
        };
        // SAFETY: the entry is taken out of the ring and freed once.
        let entry = unsafe { Box::from_raw(at.as_ptr()) };
        Self::join(entry.previous, entry.next);
        if !seeded("linked_list: remove keeps the size") {
            self.size -= 1;
        }
        true
    }

    /// Reverses the order of the elements.
    pub fn reverse(&mut self) {
        let mut entries = self.entries();
        if seeded("linked_list: reverse all but one") {
            entries.pop();
        }
        let mut elements: Vec<i32> = entries.iter().map(|at| Self::element(*at)).collect();
        elements.reverse();
        for (at, element) in entries.into_iter().zip(elements) {
            // SAFETY: the entry is alive and the list borrowed mutably.
            unsafe { (*at.as_ptr()).element = Some(element) };
        }
    }
}

impl Drop for LinkedList {
    fn drop(&mut self) {
        for entry in self.entries() {
            // SAFETY: the list owns its entries; each is freed once.
            drop(unsafe { Box::from_raw(entry.as_ptr()) });
        }
        // SAFETY: likewise the header, which `entries` leaves out.
        drop(unsafe { Box::from_raw(self.header.as_ptr()) });
    }
}
