//! `old` and `ret` where they mean nothing.
#![allow(unused_variables)]
use testsmith::*;

#[requires(old(n) > 0)]
fn too_early(n: u32) {}

#[ensures(forall(0..v.len(), |i| v[i] == old(v[i])))]
fn inside_a_closure(v: &mut [u32]) {}

#[ensures(old(ret) > 0)]
fn result_before_the_call() -> u32 {
    1
}

#[ensures(ret <= n)]
fn changed(mut n: u32) -> u32 {
    n += 1;
    n
}

#[ensures(ret > 0)]
fn hidden(ret: u32) -> u32 {
    ret
}

#[ensures(true)]
fn never() -> ! {
    loop {}
}

#[ensures(|a, b| a > b)]
fn two() -> u32 {
    1
}

#[ensures(old(&v[0]) == &1)]
fn borrows(v: &mut Vec<u32>) {
    v.clear();
}

fn main() {}
