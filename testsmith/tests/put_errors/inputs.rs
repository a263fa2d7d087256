//! Parameters of which no input can be made.
#![allow(dead_code)]
use testsmith::{Input, put};

struct Plain {
    n: u32,
}

#[derive(Input)]
struct Derived {
    plain: Option<Plain>,
}

#[put]
fn returns(n: u32) -> Result<(), String> {
    if n > 0 { Ok(()) } else { Err("none".to_owned()) }
}

#[put]
fn generic<T>(value: T) {}

fn main() {}
