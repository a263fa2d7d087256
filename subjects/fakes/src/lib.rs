//! Traits with contracts and without a single implementation.
//!
//! `tests/sequences.rs` and `tests/kinds.rs` make random calls of their fakes; [`stock`] has
//! traits that extend others, and numbers and lists; [`feed`] and [`audit`] are code
//! that is written and tested before anybody has implemented what it uses.

pub mod audit;
pub mod feed;
pub mod stock;

use testsmith::{FakeValue, contract_trait, ensures, fake, pure, requires};

/// No stack holds more.
pub const MOST: usize = 40;

/// Numbers: what is taken was put last.
#[fake]
#[contract_trait]
pub trait Stack {
    #[pure]
    #[ensures(ret <= self.capacity())]
    fn len(&self) -> usize;

    #[pure]
    #[ensures(ret > 0 && ret <= MOST)]
    fn capacity(&self) -> usize;

    #[pure]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[pure]
    #[ensures(ret == (self.len() == self.capacity()))]
    fn is_full(&self) -> bool;

    #[pure]
    #[ensures(ret.is_some() == (self.len() > 0))]
    fn top(&self) -> Option<i32>;

    #[requires(!self.is_full(), "there is room")]
    #[ensures(self.len() == old(self.len()) + 1)]
    #[ensures(self.top() == Some(item))]
    #[ensures(unchanged(self.capacity()))]
    fn push(&mut self, item: i32);

    #[ensures(ret == old(self.top()))]
    #[ensures(old(self.is_empty()) -> self.is_empty())]
    #[ensures(!old(self.is_empty()) -> self.len() == old(self.len()) - 1)]
    #[ensures(unchanged(self.capacity()))]
    fn pop(&mut self) -> Option<i32>;

    /// What is not faked: it is written.
    fn push_all(&mut self, items: &[i32]) -> usize {
        let room = self.capacity() - self.len();
        let taken = &items[..room.min(items.len())];
        taken.iter().for_each(|item| self.push(*item));
        taken.len()
    }
}

/// Time in seconds, which never goes back.
#[fake]
#[contract_trait]
pub trait Clock {
    #[pure]
    #[ensures(ret >= Self::EPOCH)]
    fn now(&self) -> u64;

    #[pure]
    #[ensures(ret.len() == 3 && ret.chars().all(|c| c.is_ascii_uppercase()))]
    fn zone(&self) -> &str;

    /// Looks at the clock, which takes time.
    #[ensures(ret >= old(self.now()) && ret <= self.now())]
    #[ensures(self.now() - old(self.now()) <= 5)]
    fn read(&self) -> u64;

    #[requires(seconds <= 3600)]
    #[ensures(self.now() == old(self.now()) + u64::from(seconds))]
    fn sleep(&mut self, seconds: u16);

    /// The first second.
    const EPOCH: u64 = 1000;
}

/// Texts, one after the other.
#[fake]
#[contract_trait]
pub trait Source {
    #[pure]
    #[ensures(!ret.is_empty() && ret.len() <= 12)]
    #[ensures(ret.chars().all(|c| c.is_ascii_lowercase() || c == '-'))]
    fn name(&self) -> String;

    #[pure]
    fn left(&self) -> u8;

    #[ensures(ret.is_some() == (old(self.left()) > 0))]
    #[ensures(old(self.left()) > 0 -> self.left() == old(self.left()) - 1)]
    #[ensures(matches!(&ret, Some(line) if line.starts_with("> ")) || ret.is_none())]
    #[ensures(unchanged(self.name()))]
    fn next_line(&mut self) -> Option<String>;

    #[requires(!to.is_empty() && to.len() <= 12)]
    #[requires(to.chars().all(|c| c.is_ascii_lowercase() || c == '-'))]
    #[ensures(self.name() == to)]
    #[ensures(unchanged(self.left()))]
    fn rename(&mut self, to: &str);
}

/// Why an account refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FakeValue)]
pub enum Refusal {
    /// There is less, by so much.
    Lacking(u32),
    Frozen,
}

#[fake]
#[contract_trait]
pub trait Account {
    #[pure]
    #[ensures(ret >= -self.overdraft())]
    fn balance(&self) -> i64;

    #[pure]
    #[ensures(ret >= 0 && ret <= 500)]
    fn overdraft(&self) -> i64;

    #[pure]
    fn is_frozen(&self) -> bool;

    #[requires(amount > 0 && amount <= 1_000_000)]
    #[ensures(ret == self.balance())]
    #[ensures(self.balance() == old(self.balance()) + i64::from(amount))]
    #[ensures(unchanged(self.overdraft(), self.is_frozen()))]
    fn deposit(&mut self, amount: u32) -> i64;

    #[requires(amount > 0 && amount <= 1_000_000)]
    #[ensures(old(self.is_frozen()) -> ret == Err(Refusal::Frozen))]
    #[ensures(ret.is_ok() -> self.balance() == old(self.balance()) - i64::from(amount))]
    #[ensures(ret.is_ok() == (!old(self.is_frozen())
        && old(self.balance()) + old(self.overdraft()) >= i64::from(amount)))]
    #[ensures(ret.is_err() -> unchanged(self.balance()))]
    #[ensures(unchanged(self.overdraft(), self.is_frozen()))]
    fn withdraw(&mut self, amount: u32) -> Result<i64, Refusal>;
}

/// What a signal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FakeValue)]
pub enum Colour {
    Red,
    Amber,
    Green,
}

#[fake]
#[contract_trait]
pub trait Signal {
    #[pure]
    fn colour(&self) -> Colour;

    /// What is announced next, and in how many seconds.
    #[pure]
    #[ensures(ret.is_some() == (self.colour() == Colour::Amber))]
    #[ensures(matches!(ret, None | Some((Colour::Red | Colour::Green, 1..=9))))]
    fn announced(&self) -> Option<(Colour, u8)>;

    #[ensures(old(self.colour()) == Colour::Amber -> ret == old(self.announced()).unwrap().0)]
    #[ensures(old(self.colour()) != Colour::Amber -> ret == Colour::Amber)]
    #[ensures(self.colour() == ret)]
    fn step(&mut self) -> Colour;

    #[requires(*to != Colour::Amber)]
    #[ensures(self.colour() == *to)]
    fn force(&mut self, to: &Colour);
}

/// Numbers by name.
#[fake]
#[contract_trait]
pub trait Register {
    #[pure]
    fn get(&self, key: &str) -> Option<u32>;

    #[pure]
    #[ensures(ret == self.get(key).is_some())]
    fn has(&self, key: &str) -> bool;

    #[requires(key.len() <= 8)]
    #[ensures(self.get(key) == Some(value))]
    #[ensures(ret == old(self.get(key)))]
    fn put(&mut self, key: &str, value: u32) -> Option<u32>;

    #[requires(self.has(key), "it is there")]
    #[ensures(ret == old(self.get(key)).unwrap())]
    #[ensures(!self.has(key))]
    fn take(&mut self, key: &str) -> u32;
}
