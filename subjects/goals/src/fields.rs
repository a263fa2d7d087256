//! Relations between fields that different calls set.

use testsmith::{ensures, invariant, pure, requires};

/// A range and a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    from: u32,
    to: u32,
    step: u32,
}

impl Window {
    #[ensures(ret.from() == 0, ret.to() == 0, ret.step() == 1)]
    pub fn new() -> Window {
        Window { from: 0, to: 0, step: 1 }
    }

    #[pure]
    pub fn from(&self) -> u32 {
        self.from
    }

    #[pure]
    pub fn to(&self) -> u32 {
        self.to
    }

    #[pure]
    pub fn step(&self) -> u32 {
        self.step
    }

    #[ensures(self.from() == from, unchanged(self.to(), self.step()))]
    pub fn set_from(&mut self, from: u32) {
        self.from = from;
    }

    #[ensures(self.to() == to, unchanged(self.from(), self.step()))]
    pub fn set_to(&mut self, to: u32) {
        self.to = to;
    }

    #[requires(step > 0)]
    #[ensures(self.step() == step, unchanged(self.from(), self.to()))]
    pub fn set_step(&mut self, step: u32) {
        self.step = step;
    }

    /// Goal: the ends are a fixed distance apart, and neither is small.
    #[requires(self.from() > 1_000_000 && self.to() > self.from())]
    #[requires(self.to() - self.from() == 65_537)]
    #[ensures(ret == 8)]
    pub fn at_distance(&self) -> u8 {
        8
    }

    /// Goal: a large step fits a fixed number of times.
    #[requires(self.to() > self.from() && self.step() > 1000 && self.step() < 1_000_000)]
    #[requires(self.to() - self.from() == self.step() * 37)]
    #[ensures(ret == 9)]
    pub fn divided(&self) -> u8 {
        9
    }

    /// Goal: the ends are mirror images, bit by bit, and not the extremes.
    #[requires(self.from() ^ self.to() == u32::MAX)]
    #[requires(self.from() % 1000 == 17)]
    #[ensures(ret == 10)]
    pub fn mirrored(&self) -> u8 {
        10
    }
}

impl Default for Window {
    fn default() -> Self {
        Window::new()
    }
}

/// Two pans that are loaded one weight at a time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(self.left >= 0 && self.right >= 0)]
pub struct Scale {
    left: i64,
    right: i64,
}

#[invariant]
impl Scale {
    #[ensures(ret.left() == 0, ret.right() == 0)]
    pub fn new() -> Scale {
        Scale::default()
    }

    #[pure]
    pub fn left(&self) -> i64 {
        self.left
    }

    #[pure]
    pub fn right(&self) -> i64 {
        self.right
    }

    #[requires(weight > 0 && self.left() < 1 << 40)]
    #[ensures(self.left() == old(self.left()) + i64::from(weight), unchanged(self.right()))]
    pub fn load_left(&mut self, weight: u16) {
        self.left += i64::from(weight);
    }

    #[requires(weight > 0 && self.right() < 1 << 40)]
    #[ensures(self.right() == old(self.right()) + i64::from(weight), unchanged(self.left()))]
    pub fn load_right(&mut self, weight: u16) {
        self.right += i64::from(weight);
    }

    /// Goal: both pans are the same, and heavier than one weight can make them.
    #[requires(self.left() == self.right() && self.left() > 100_000)]
    #[requires(self.left() % 1000 == 1)]
    #[ensures(ret == 11)]
    pub fn balanced(&self) -> u8 {
        11
    }

    /// Goal: a fixed difference between two heavy pans.
    #[requires(self.left() - self.right() == 4242 && self.right() > 70_000)]
    #[ensures(ret == 12)]
    pub fn tipped(&self) -> u8 {
        12
    }

    /// Goal: the pans are as three is to two.
    #[requires(self.left() * 2 == self.right() * 3 && self.left() > 50_000)]
    #[requires(self.left() + self.right() == 100_000)]
    #[ensures(ret == 13)]
    pub fn in_proportion(&self) -> u8 {
        13
    }
}
