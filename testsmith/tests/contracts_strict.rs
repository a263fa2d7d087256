//! Expansions do not trip over a strict crate's lints. That this compiles, and
//! passes clippy, is most of the test.
#![forbid(unsafe_code)]
#![deny(
    missing_docs,
    unused,
    nonstandard_style,
    rust_2018_idioms,
    unreachable_pub,
    missing_debug_implementations,
    unused_qualifications,
    elided_lifetimes_in_paths,
    single_use_lifetimes,
    trivial_casts,
    unused_results,
    unused_lifetimes,
    let_underscore_drop
)]
#![deny(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::print_stderr
)]

use testsmith::{contract_trait, ensures, forall, invariant, model, pure, requires};

/// Doc.
#[derive(Debug, Clone)]
#[invariant(self.items.len() <= self.limit)]
struct Bag<T: Clone> {
    items: Vec<T>,
    limit: usize,
}

#[invariant]
impl<T: Clone + PartialEq> Bag<T> {
    /// Doc.
    #[ensures(ret.limit == limit)]
    fn new(limit: usize) -> Self {
        Self { items: Vec::new(), limit }
    }

    #[model]
    fn m_len(&self) -> usize {
        self.items.len()
    }

    /// Doc.
    #[pure]
    #[ensures(ret == self.m_len())]
    fn len(&self) -> usize {
        self.items.len()
    }

    /// Doc.
    #[pure]
    fn is_empty(&self) -> bool {
        self.items.is_empty() || self.limit == 0
    }

    /// Doc.
    #[requires(self.len() < self.limit && forall(&self.items, |x| *x == item || *x != item))]
    #[ensures(self.items.last() == Some(&old(item)), self.len() == old(self.len()) + 1)]
    fn push(&mut self, item: T) {
        self.items.push(item);
    }
}

/// Doc.
#[contract_trait]
trait Pile {
    /// Doc.
    #[requires(n > 0)]
    fn take(&mut self, n: u32) -> u32;
}

#[contract_trait]
impl Pile for u32 {
    fn take(&mut self, n: u32) -> u32 {
        *self = self.saturating_sub(n);
        n
    }
}

/// Doc.
/// # Errors
/// Never.
#[requires(text.len() < 10)]
#[ensures(ret.is_ok() -> ret.as_ref().is_ok_and(|n| *n < 99))]
fn parse(text: &str) -> Result<u32, std::num::ParseIntError> {
    let n: u32 = text.parse()?;
    Ok(n)
}

/// Doc.
#[ensures(*n > old(*n))]
async fn later(n: &mut u32) {
    *n = n.saturating_add(1);
    std::future::ready(()).await;
}

#[test]
fn a_strict_crate_is_checked_like_any_other() {
    let mut bag = Bag::new(1);
    assert!(bag.is_empty());
    bag.push('a');
    assert_eq!(bag.len(), 1);
    assert!(testsmith::contracts::violation_of(|| bag.push('b')).is_some());
    assert_eq!((3_u32.take(1), parse("7")), (1, Ok(7)));
    let mut n = 1;
    drop(later(&mut n));
}
