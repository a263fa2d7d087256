//! An implementation cannot escape the contracts of its trait.
#![allow(unused_variables)]
use testsmith::*;

#[contract_trait]
trait Pile {
    #[requires(n > 0)]
    fn take(&mut self, n: u32);

    #[requires(a > b)]
    fn pair(&self, (a, b): (u32, u32)) {
        let _ = (a, b);
    }
}

#[contract_trait]
trait Heap {
    #[requires(n > 0)]
    fn take(&mut self, n: u32);
}

struct Rogue;

impl Heap for Rogue {
    fn take(&mut self, _: u32) {}
}

fn main() {}
