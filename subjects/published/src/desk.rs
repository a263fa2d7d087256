//! `slab::Slab`: keys that are given out again.

use slab::Slab;
use testsmith::{ensures, pure, requires};

#[derive(Clone, Debug, Default)]
pub struct Desk(Slab<u32>);

impl Desk {
    #[ensures(ret.len() == 0, ret.next() == 0)]
    pub fn new() -> Desk {
        Desk(Slab::new())
    }

    #[pure]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[pure]
    #[ensures(ret == (self.len() == 0))]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key that is given out next.
    #[pure]
    pub fn next(&self) -> usize {
        self.0.vacant_key()
    }

    #[pure]
    #[ensures(self.is_empty() -> ret.is_none())]
    pub fn get(&self, key: usize) -> Option<u32> {
        self.0.get(key).copied()
    }

    /// What lies beside it stays; where nothing was taken the next key is the next number.
    #[requires(self.len() < 1000)]
    #[ensures(ret == old(self.next()), self.get(ret) == Some(value))]
    #[ensures(self.len() == old(self.len()) + 1)]
    #[ensures(old(self.next()) == old(self.len()) -> self.next() == ret + 1)]
    pub fn put(&mut self, value: u32) -> usize {
        self.0.insert(value)
    }

    #[requires(self.get(key).is_some())]
    #[ensures(ret == old(self.get(key)).unwrap(), self.get(key).is_none())]
    #[ensures(self.len() == old(self.len()) - 1, self.next() == key)]
    pub fn take(&mut self, key: usize) -> u32 {
        self.0.remove(key)
    }

    /// Goal: a value of five digits lies at a place that is not the first.
    #[requires(self.get(2) == Some(54_321))]
    #[ensures(ret == 4)]
    pub fn holds(&self) -> u8 {
        4
    }

    /// Goal: a place between others is free.
    #[requires(self.len() == 2 && self.next() == 1)]
    #[ensures(ret == 5)]
    pub fn has_a_gap(&self) -> u8 {
        5
    }

    /// Goal: the values at two places differ by a given number.
    #[requires(self.get(0).is_some() && self.get(1).is_some())]
    #[requires(self.get(1).unwrap() > self.get(0).unwrap() && by > 100_000)]
    #[requires(self.get(1).unwrap() - self.get(0).unwrap() == by)]
    #[ensures(ret == 6)]
    pub fn differ(&self, by: u32) -> u8 {
        6
    }
}
