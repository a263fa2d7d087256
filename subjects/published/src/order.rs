//! `indexmap::IndexMap`: positions of what was put in.

use indexmap::IndexMap;
use testsmith::{ensures, pure, requires};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Order(IndexMap<String, u32>);

impl Order {
    #[ensures(ret.len() == 0)]
    pub fn new() -> Order {
        Order(IndexMap::new())
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

    #[pure]
    #[ensures(self.is_empty() -> ret.is_none(), ret.is_none_or(|at| at < self.len()))]
    pub fn place_of(&self, name: &str) -> Option<usize> {
        self.0.get_index_of(name)
    }

    #[pure]
    #[ensures(ret.is_some() == self.place_of(name).is_some())]
    pub fn amount_of(&self, name: &str) -> Option<u32> {
        self.0.get(name).copied()
    }

    /// What is there already keeps its place.
    #[requires(!name.is_empty() && self.len() < 1000)]
    #[ensures(self.amount_of(name) == Some(amount))]
    #[ensures(old(self.place_of(name)).is_some() -> unchanged(self.len(), self.place_of(name)))]
    #[ensures(old(self.place_of(name)).is_none() -> self.len() == old(self.len()) + 1)]
    #[ensures(old(self.place_of(name)).is_none() -> self.place_of(name) == Some(old(self.len())))]
    pub fn add(&mut self, name: &str, amount: u32) {
        self.0.insert(name.to_owned(), amount);
    }

    /// Goal: a name stands at a place that is not the first.
    #[requires(self.place_of("sugar") == Some(2) && self.amount_of("sugar") == Some(250))]
    #[ensures(ret == 9)]
    pub fn is_sweet(&self) -> u8 {
        9
    }

    /// Goal: two names in this order, one with twice as much.
    #[requires(self.place_of("flour").is_some() && self.place_of("water").is_some())]
    #[requires(self.place_of("flour").unwrap() < self.place_of("water").unwrap())]
    #[requires(self.amount_of("flour").unwrap() > 1000 && self.amount_of("flour").unwrap() < 9999)]
    #[requires(self.amount_of("flour").unwrap() * 2 == self.amount_of("water").unwrap())]
    #[ensures(ret == 10)]
    pub fn is_dough(&self) -> u8 {
        10
    }
}
