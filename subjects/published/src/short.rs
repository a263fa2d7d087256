//! `smallvec::SmallVec`: elements in place, then on the heap.

use smallvec::SmallVec;
use testsmith::{ensures, pure, requires};

/// Room for four bytes in place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Short(SmallVec<[u8; 4]>);

impl Short {
    #[ensures(ret.len() == 0, !ret.spilled())]
    pub fn new() -> Short {
        Short(SmallVec::new())
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

    /// Whether its elements are on the heap.
    #[pure]
    #[ensures(self.len() > 4 -> ret)]
    pub fn spilled(&self) -> bool {
        self.0.spilled()
    }

    #[pure]
    #[ensures(ret.len() == self.len())]
    pub fn items(&self) -> &[u8] {
        &self.0
    }

    #[requires(self.len() < 20)]
    #[ensures(self.len() == old(self.len()) + 1, self.items().last() == Some(&item))]
    #[ensures(self.items()[..old(self.len())] == old(self.items().to_vec())[..])]
    #[ensures(self.spilled() == (old(self.spilled()) || self.len() > 4))]
    pub fn push(&mut self, item: u8) {
        self.0.push(item);
    }

    #[requires(len <= self.len())]
    #[ensures(self.len() == len, unchanged(self.spilled()))]
    #[ensures(self.items()[..] == old(self.items().to_vec())[..len])]
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Goal: few elements that are on the heap all the same.
    #[requires(self.spilled() && self.len() == 1 && self.items()[0] == 77)]
    #[ensures(ret == 7)]
    pub fn was_long(&self) -> u8 {
        7
    }

    /// Goal: a full place with these elements.
    #[requires(!self.spilled() && self.items() == [3, 1, 4, 1])]
    #[ensures(ret == 8)]
    pub fn is_full(&self) -> u8 {
        8
    }
}
