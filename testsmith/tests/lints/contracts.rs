//! One-line bodies, parameters that only clauses look at, and other things that a
//! careless expansion would have the compiler warn of.
use testsmith::{contract_trait, ensures, invariant, loop_invariant, model, pure, requires};
use std::pin::Pin;

/// One-line const fn.
#[must_use]
#[requires(n > 0)]
pub const fn half(n: u32) -> u32 { n / 2 }

/// One-line const fn with post.
#[must_use]
#[ensures(ret <= n)]
pub const fn half2(n: u32) -> u32 { n / 2 }

/// Extern.
#[must_use]
#[requires(n > 0)]
pub extern "C" fn ext(n: u32) -> u32 { n / 2 }

/// Extern.
#[must_use]
#[ensures(ret <= n)]
pub extern "C" fn ext2(n: u32) -> u32 { n / 2 }

/// Ordinary one-line.
#[must_use]
#[requires(n > 0)]
pub fn one(n: u32) -> u32 { n / 2 }

/// Unit.
#[requires(n > 0)]
pub fn unit(n: u32) {}

/// Only a clause uses it.
#[must_use]
#[requires(limit > n)]
pub fn only(n: u32, limit: u32) -> u32 { n + 1 }

/// Only ensures uses it.
#[must_use]
#[ensures(ret < limit || old(limit) == 0)]
pub fn only2(n: u32, limit: u32) -> u32 { n + 1 }

/// Pattern.
#[must_use]
#[requires(a < b)]
pub fn pat((a, b): (u32, u32)) -> u32 { a }

/// Track caller.
#[track_caller]
#[must_use]
#[requires(n > 0)]
pub fn tracked(n: u32) -> u32 { n / 2 }

/// Async.
#[requires(n > 0)]
#[ensures(ret > 0)]
pub async fn later(n: u32) -> u32 { std::future::ready(n).await }

/// Never.
#[requires(n > 0)]
pub fn never(n: u32) -> ! { panic!("{n}") }

/// Unsafe.
/// # Safety
/// None.
#[must_use]
#[requires(!p.is_null())]
pub unsafe fn deref(p: *const u32) -> u32 { unsafe { *p } }

/// A type.
#[derive(Debug, Default)]
#[invariant(self.n < 100)]
pub struct S { n: u32 }

#[invariant]
impl S {
    /// New.
    #[must_use]
    pub fn new() -> S { S { n: 0 } }
    /// Get.
    #[must_use]
    #[pure]
    pub fn get(&self) -> u32 { self.n }
    /// Set.
    #[ensures(self.n == old(self.n) + by)]
    pub fn set(&mut self, by: u32) { self.n += by }
    /// Pinned.
    pub fn pinned(mut self: Pin<&mut Self>) { self.n += 1; }
    /// Pinned, and taken.
    #[ensures(self.n > 0)]
    pub fn taken(self: Pin<&mut Self>) { self.get_mut().n += 1; }
    /// Pinned, lent and taken.
    pub fn lent(mut self: Pin<&mut Self>) -> u32 { self.as_mut().n += 1; self.get_mut().n }
    #[model]
    fn m(&self) -> bool { self.n > 0 }
    /// Only clause.
    #[ensures(extra > 0)]
    pub fn with_extra(&mut self, extra: u32) { self.n += 1 }
}

/// A trait.
#[contract_trait]
pub trait T {
    /// a
    #[requires(n > 0)]
    fn a(&self, n: u32) -> u32;
    /// b
    #[requires(n > 0)]
    fn b(&self, n: u32, used: u32) -> u32 { used }
    /// c
    fn c(&self) {}
    /// d
    #[requires(n > 0)]
    fn d(&self, n: u32, _unused: u32) -> u32 { n }
}

#[contract_trait]
impl T for S {
    fn a(&self, n: u32) -> u32 { n }
}

/// Loop.
#[must_use]
pub fn sum(v: &[u32]) -> u32 {
    let mut s = 0;
    for (i, x) in v.iter().enumerate() {
        loop_invariant!(i <= v.len());
        s += x;
    }
    s
}


/// A query that only clauses ask.
#[derive(Debug)]
#[invariant(self.is_sorted())]
pub struct Sorted {
    items: Vec<u32>,
}

#[invariant]
impl Sorted {
    #[pure]
    fn is_sorted(&self) -> bool { self.items.is_sorted() }

    /// Conditional.
    #[cfg_attr(all(), requires(item < 100))]
    pub fn insert(&mut self, item: u32) {
        let at = self.items.partition_point(|other| *other < item);
        self.items.insert(at, item);
    }
}
