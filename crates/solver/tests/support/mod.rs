//! The numbers from which terms are generated.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod expression;

/// A small generator of numbers; seeds are fixed, runs repeat.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
