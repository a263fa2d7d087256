//! What only types can tell: the compiler points at the user's own tokens.
#![allow(unused_variables)]
use testsmith::*;

#[requires(n + 1)]
fn not_a_condition(n: u32) {}

#[requires(m > 0)]
fn unknown_name(n: u32) {}

#[requires(v.pop().is_some())]
fn changes(v: &mut Vec<u32>) {}

#[ensures(ret.len() == v.len())]
fn moved(v: Vec<u32>) -> Vec<u32> {
    v
}

#[ensures(|r| *r > "a")]
fn wrong_result() -> u32 {
    1
}

#[ensures(old(name.clone()).into_bytes().len() == name.len())]
fn moves_out(name: &mut String) {
    name.clear();
}

struct Undeclared {
    n: u32,
}

#[invariant]
impl Undeclared {
    pub fn set(&mut self) {
        self.n = 1;
    }
}

fn main() {}
