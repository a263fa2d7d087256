//! A clause only looks, and it does not leave.
#![allow(unused_variables)]
use testsmith::*;

#[requires({ *n += 1; true })]
fn assigns(n: &mut u32) {}

#[requires(take(&mut n.clone(), &mut *n))]
fn borrows(n: &mut u32) {}

#[ensures(if ret { return true } else { ret })]
fn returns() -> bool {
    true
}

#[requires(text.parse::<u32>()? > 0)]
fn tries(text: &str) -> Result<(), std::num::ParseIntError> {
    Ok(())
}

#[requires(ready().await)]
async fn awaits() {}

#[requires(loop { break true } && { break })]
fn breaks() {}

struct Counter(u32);

#[invariant(self.bump() > 0, self.peek() > 0)]
impl Counter {
    fn bump(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    fn peek(&self) -> u32 {
        self.0
    }

    #[pure]
    pub fn get(&self) -> u32 {
        self.0
    }

    #[pure]
    fn reset(&mut self) {}
}

fn main() {}
