//! A bounded queue, and what takes things in.

use std::collections::VecDeque;

use testsmith::{contract_trait, ensures, invariant, pure, requires};

use crate::packet::Packet;
use crate::source::Source;

/// No queue has room for more.
pub const MOST: usize = 256;

/// Something that takes things in, up to a bound.
#[contract_trait]
pub trait Sink<T> {
    /// How many more it takes.
    #[pure]
    #[ensures(ret <= MOST)]
    fn room(&self) -> usize;

    #[requires(self.room() > 0, "there is no room")]
    #[ensures(self.room() == old(self.room()) - 1)]
    fn accept(&mut self, item: T);
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.items.len() <= self.capacity)]
#[invariant(0 < self.capacity && self.capacity <= MOST)]
pub struct Queue<T> {
    items: VecDeque<T>,
    capacity: usize,
}

#[invariant]
impl<T: Clone + Eq> Queue<T> {
    #[requires(0 < capacity && capacity <= MOST)]
    #[ensures(ret.capacity() == capacity, ret.is_empty())]
    pub fn new(capacity: usize) -> Queue<T> {
        Queue { items: VecDeque::new(), capacity }
    }

    #[pure]
    #[ensures(ret <= self.capacity())]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    #[pure]
    #[ensures(ret == (self.len() == 0))]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[pure]
    #[ensures(ret == (self.len() == self.capacity()))]
    pub fn is_full(&self) -> bool {
        self.items.len() == self.capacity
    }

    #[pure]
    #[ensures(ret > 0)]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The one that has waited longest.
    #[pure]
    #[ensures(ret.is_some() == !self.is_empty())]
    pub fn front(&self) -> Option<&T> {
        self.items.front()
    }

    #[pure]
    #[ensures(self.is_empty() -> !ret)]
    pub fn contains(&self, item: &T) -> bool {
        self.items.contains(item)
    }

    #[requires(!self.is_full(), "the queue is full")]
    #[ensures(self.len() == old(self.len()) + 1, self.contains(&old(item.clone())))]
    #[ensures(unchanged(self.capacity()))]
    pub fn push(&mut self, item: T) {
        self.items.push_back(item);
    }

    #[requires(!self.is_empty(), "nothing waits")]
    #[ensures(self.len() == old(self.len()) - 1, Some(&ret) == old(self.front().cloned()).as_ref())]
    #[ensures(unchanged(self.capacity()))]
    pub fn pop(&mut self) -> T {
        self.items.pop_front().expect("it is not empty")
    }

    /// Hands everything on; what waited longest goes first.
    #[requires(self.len() > 1 && sink.room() >= self.len())]
    #[ensures(self.is_empty(), sink.room() == old(sink.room()) - old(self.len()))]
    pub fn drain_into(&mut self, sink: &mut impl Sink<T>) {
        while let Some(item) = self.items.pop_front() {
            sink.accept(item);
        }
    }
}

#[invariant]
impl Queue<Packet> {
    /// Takes packets from a source.
    #[requires(0 < count && count <= self.capacity() - self.len())]
    #[requires(source.position() < 1_000_000 && !source.is_exhausted())]
    #[ensures(ret <= count, self.len() == old(self.len()) + ret)]
    #[ensures(ret < count -> source.is_exhausted())]
    pub fn fill_from<S: Source>(&mut self, source: &mut S, count: usize) -> usize {
        let mut taken = 0;
        while taken < count && !source.is_exhausted() {
            self.push(source.next_packet());
            taken += 1;
        }
        taken
    }

    /// Throws away what waits before the next key frame.
    #[requires(self.len() >= 3 && self.front().is_some_and(|first| !first.payload().is_key()))]
    #[ensures(self.len() < old(self.len()))]
    #[ensures(self.is_empty() || self.front().unwrap().payload().is_key())]
    pub fn skip_to_key(&mut self) {
        while self.front().is_some_and(|first| !first.payload().is_key()) {
            self.pop();
        }
    }
}

#[invariant]
#[contract_trait]
impl<T: Clone + Eq> Sink<T> for Queue<T> {
    #[ensures(ret == self.capacity() - self.len())]
    fn room(&self) -> usize {
        self.capacity - self.items.len()
    }

    fn accept(&mut self, item: T) {
        self.push(item);
    }
}
