//! Counts and lengths that only repeated calls reach, each with its own argument.

use testsmith::{ensures, invariant, pure, requires};

/// A lock that turns once for every right key.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lock {
    turns: u32,
    resets: u32,
}

impl Lock {
    #[ensures(ret.turns() == 0, ret.resets() == 0)]
    pub fn new() -> Lock {
        Lock::default()
    }

    #[pure]
    pub fn turns(&self) -> u32 {
        self.turns
    }

    #[pure]
    pub fn resets(&self) -> u32 {
        self.resets
    }

    #[requires(self.turns() < 100 && key == self.turns() * 31 + 1007)]
    #[ensures(self.turns() == old(self.turns()) + 1, unchanged(self.resets()))]
    pub fn turn(&mut self, key: u32) {
        self.turns += 1;
    }

    #[requires(self.turns() == 3 && self.resets() < 10)]
    #[ensures(self.turns() == 0, self.resets() == old(self.resets()) + 1)]
    pub fn reset(&mut self) {
        self.turns = 0;
        self.resets += 1;
    }

    /// Goal: eight right keys.
    #[requires(self.turns() == 8)]
    #[ensures(ret == 14)]
    pub fn turned(&self) -> u8 {
        14
    }

    /// Goal: three keys, a reset, and one key more.
    #[requires(self.resets() == 1 && self.turns() == 1)]
    #[ensures(ret == 15)]
    pub fn begun_again(&self) -> u8 {
        15
    }
}

/// Blocks that get narrower; how many there are must show in the width of the next.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(self.blocks.windows(2).all(|pair| pair[1] < pair[0]))]
pub struct Tower {
    blocks: Vec<u16>,
}

#[invariant]
impl Tower {
    #[ensures(ret.height() == 0, ret.top() == u16::MAX)]
    pub fn new() -> Tower {
        Tower::default()
    }

    #[pure]
    pub fn height(&self) -> usize {
        self.blocks.len()
    }

    /// The width of the highest block.
    #[pure]
    #[ensures(self.height() == 0 -> ret == u16::MAX)]
    pub fn top(&self) -> u16 {
        self.blocks.last().copied().unwrap_or(u16::MAX)
    }

    #[requires(width < self.top() && usize::from(width % 100) == self.height())]
    #[ensures(self.height() == old(self.height()) + 1, self.top() == width)]
    pub fn put(&mut self, width: u16) {
        self.blocks.push(width);
    }

    /// Goal: a high tower that is still wide.
    #[requires(self.height() == 7 && self.top() > 50_000)]
    #[ensures(ret == 16)]
    pub fn high(&self) -> u8 {
        16
    }

    /// Goal: a tower that ends in a block of a fixed width.
    #[requires(self.height() == 5 && self.top() == 2004)]
    #[ensures(ret == 17)]
    pub fn pointed(&self) -> u8 {
        17
    }
}

/// A lift that goes up by one more than it is high, and down by half.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lift {
    floor: u32,
}

impl Lift {
    #[ensures(ret.floor() == 0)]
    pub fn new() -> Lift {
        Lift::default()
    }

    #[pure]
    pub fn floor(&self) -> u32 {
        self.floor
    }

    #[requires(self.floor() < 100_000 && floors == self.floor() + 1)]
    #[ensures(self.floor() == old(self.floor()) + floors)]
    pub fn up(&mut self, floors: u32) {
        self.floor += floors;
    }

    #[requires(self.floor() > 30 && floors == self.floor() / 2)]
    #[ensures(self.floor() == old(self.floor()) - floors)]
    pub fn down(&mut self, floors: u32) {
        self.floor -= floors;
    }

    /// Goal: the tenth stop on the way up.
    #[requires(self.floor() == 1023)]
    #[ensures(ret == 18)]
    pub fn at_the_top(&self) -> u8 {
        18
    }

    /// Goal: a floor that lies on the way up after one stop on the way down.
    #[requires(self.floor() == 257)]
    #[ensures(ret == 19)]
    pub fn in_between(&self) -> u8 {
        19
    }
}
