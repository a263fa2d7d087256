//! What a `const fn` cannot check, and says so.
#![allow(unused_variables)]
use testsmith::*;

macro_rules! leave {
    () => {
        return 1
    };
}

#[ensures(ret > 0)]
const fn hidden_return(n: u32) -> u32 {
    if n > 1 {
        leave!();
    }
    n
}

#[invariant(self.0 > 0)]
struct Positive(u32);

#[invariant]
impl Positive {
    pub const fn new(n: u32) -> Self {
        Positive(n)
    }
}

struct Small(u32);

#[invariant(self.0 < 9)]
impl Small {
    pub const fn step(&mut self) {
        self.0 += 1;
    }
}

fn main() {}
