//! Attributes on items they do not belong to, and attributes with nothing in them.
#![allow(unused_variables)]
use testsmith::*;

#[requires(true)]
struct NotAFunction;

#[invariant(true)]
mod not_a_type {}

trait Bare {
    #[requires(n > 0)]
    fn method(&self, n: u32);
}

#[requires]
fn empty() {}

#[requires("the message first", true)]
fn message_first() {}

#[requires(|n| n > 0)]
fn closure(n: u32) {}

#[pure]
fn changes(n: &mut u32) {}

#[pure(maybe)]
fn unsure() {}

#[skip_invariant]
fn nothing_to_skip() {}

#[contract(promises(true))]
fn promises() {}

#[contract_trait]
struct NotATrait;

#[requires(n >)]
fn half(n: u32) {}

#[ensures(false)]
fn hopeless() {}

fn main() {}
