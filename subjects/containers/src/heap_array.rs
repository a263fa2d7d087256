//! A priority queue as a heap in an array.

use testsmith::{Korat, ensures, invariant, korat, model, pure, requires};

use crate::faults::seeded;

/// What an unused place of the array holds.
const UNUSED: i32 = -1;

/// A queue of non-negative integers, the greatest first.
#[derive(Korat, Debug, Clone, PartialEq, Eq, Default)]
pub struct HeapArray {
    #[korat(values = 0..=scope)]
    size: usize,
    #[korat(values = -1..=scope, len = 0..=scope)]
    items: Vec<i32>,
}

#[korat]
impl HeapArray {
    /// Whether the used part is a heap and the rest is unused.
    pub fn rep_ok(&self) -> bool {
        let length = self.items.len();
        if !korat::holds(&self.size, korat::at_most(length)) {
            return false;
        }
        let size = self.size;
        for at in 0..length {
            let fine = if at >= size {
                korat::holds(&self.items[at], korat::equal(-1))
            } else if at == 0 {
                korat::holds(&self.items[at], korat::greater(-1))
            } else {
                let parent = self.items[(at - 1) / 2];
                korat::holds(&self.items[at], |item| *item > -1 && *item <= parent)
            };
            if !fine {
                return false;
            }
        }
        true
    }
}

#[korat(calls)]
#[invariant(self.rep_ok())]
impl HeapArray {
    /// An empty queue with room for `capacity` elements before it grows.
    #[ensures(ret.elements().is_empty())]
    pub fn with_capacity(capacity: usize) -> Self {
        HeapArray { size: 0, items: vec![UNUSED; capacity] }
    }

    /// The elements, in no order that matters.
    #[pure]
    #[ensures(ret.iter().max() == ret.first())]
    pub fn elements(&self) -> &[i32] {
        &self.items[..self.size]
    }

    /// The elements in order: what the queue holds, however it holds it.
    #[model]
    fn m_sorted(&self) -> Vec<i32> {
        let mut elements = self.elements().to_vec();
        elements.sort_unstable();
        elements
    }

    /// Adds an element.
    #[requires(element >= 0, "elements are not negative")]
    #[ensures(self.elements().contains(&element))]
    #[ensures(self.elements().len() == old(self.elements().len()) + 1)]
    pub fn insert(&mut self, element: i32) {
        if self.size == self.items.len() {
            let longer = if seeded("heap_array: no growth") { 0 } else { self.items.len() + 1 };
            self.items.resize(self.items.len() + longer, UNUSED);
        }
        self.items[self.size] = element;
        self.size += 1;
        if !seeded("heap_array: no sift up") {
            self.sift_up(self.size - 1);
        }
    }

    /// Takes the greatest element out.
    #[ensures(ret == old(self.elements().iter().max().copied()))]
    #[ensures(self.elements().len() + usize::from(ret.is_some()) == old(self.elements().len()))]
    #[ensures(self.m_sorted() == old(self.m_sorted())[..self.elements().len()])]
    pub fn extract_max(&mut self) -> Option<i32> {
        let greatest = *self.elements().first()?;
        let last = if seeded("heap_array: wrong last") { self.size.min(2) } else { self.size } - 1;
        self.items.swap(0, last);
        self.items[self.size - 1] = UNUSED;
        self.size -= 1;
        self.sift_down(0);
        Some(greatest)
    }

    fn sift_up(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.items[at] <= self.items[parent] {
                return;
            }
            self.items.swap(at, parent);
            at = if seeded("heap_array: one sift up") { 0 } else { parent };
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let mut greatest = at;
            let children = if seeded("heap_array: left child only") { 1 } else { 2 };
            for child in (2 * at + 1)..=(2 * at + children) {
                if child < self.size && self.items[child] > self.items[greatest] {
                    greatest = child;
                }
            }
            if greatest == at || seeded("heap_array: no sift down") {
                return;
            }
            self.items.swap(at, greatest);
            at = greatest;
        }
    }
}
