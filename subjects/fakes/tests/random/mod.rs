//! Random calls of fakes, for the tests that write out what has to hold.
#![allow(dead_code)] // Each test file uses a part of it.

/// For each trait.
pub const SEQUENCES: u64 = 130;
pub const CALLS: u32 = 10;

/// Numbers for the test's own choices (xorshift).
pub struct Random(u64);

impl Random {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// Makes many sequences of one kind.
pub fn sequences<F>(make: impl Fn(u64) -> F, call: impl FnMut(&mut F, &mut Random)) {
    sequences_of(CALLS, make, call);
}

/// The same of so many rounds.
pub fn sequences_of<F>(
    rounds: u32,
    make: impl Fn(u64) -> F,
    mut call: impl FnMut(&mut F, &mut Random),
) {
    for seed in 0..SEQUENCES {
        let mut fake = make(seed);
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9) + 1);
        for _ in 0..rounds {
            call(&mut fake, &mut random);
        }
    }
}
