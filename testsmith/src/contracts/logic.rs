//! The words that specifications need and Rust does not have: implication and
//! quantifiers over anything that can be iterated.
//!
//! They are plain functions and macros, usable in any expression. Quantifiers
//! run: over an unbounded iterator they do not end.

use std::cell::Cell;

/// Whether `b` holds if `a` does. Both are evaluated; where `b` only makes sense
/// under `a`, write `implies!(a => b)`, or `a -> b` directly in a clause.
#[inline]
pub const fn implies(a: bool, b: bool) -> bool {
    !a || b
}

/// Whether the condition holds for every item.
///
/// ```
/// use testsmith::forall;
/// let v = [1, 2, 3];
/// assert!(forall(1..v.len(), |i| v[i - 1] <= v[i]));
/// ```
#[inline]
pub fn forall<I: IntoIterator>(items: I, condition: impl FnMut(I::Item) -> bool) -> bool {
    items.into_iter().all(condition)
}

/// Whether the condition holds for at least one item.
///
/// ```
/// use testsmith::exists;
/// assert!(exists("abc".chars(), |c| c == 'b'));
/// ```
#[inline]
pub fn exists<I: IntoIterator>(items: I, condition: impl FnMut(I::Item) -> bool) -> bool {
    items.into_iter().any(condition)
}

/// What gets smaller in every round of a loop, and so shows that it ends.
///
/// ```
/// use testsmith::{contracts::Variant, loop_invariant};
/// let (mut low, mut high) = (0_u32, 100);
/// let variant = Variant::new();
/// while low < high {
///     loop_invariant!(variant.decreases(high - low));
///     let middle = (low + high) / 2;
///     if middle * middle < 50 { low = middle + 1 } else { high = middle }
/// }
/// # let _ = &variant;
/// assert_eq!(low, 8);
/// ```
#[derive(Debug, Default)]
pub struct Variant {
    last: Cell<Option<u128>>,
}

impl Variant {
    /// Nothing was measured yet.
    pub fn new() -> Variant {
        Variant::default()
    }

    /// Whether the measure is less than in the round before. It is a natural
    /// number, so that it cannot get smaller forever.
    pub fn decreases(&self, measure: impl TryInto<u128>) -> bool {
        let Ok(measure) = measure.try_into() else { return false };
        self.last.replace(Some(measure)).is_none_or(|last| measure < last)
    }
}

/// Implication that evaluates its right side only where the left one holds.
///
/// ```
/// use testsmith::implies;
/// let first: Option<u32> = None;
/// assert!(implies!(first.is_some() => first.unwrap() > 0));
/// ```
#[macro_export]
macro_rules! implies {
    ($premise:expr => $conclusion:expr) => {
        !$premise || $conclusion
    };
    ($premise:expr, $conclusion:expr) => {
        !$premise || $conclusion
    };
}

/// [`forall`](fn@forall) as a macro: `forall!(i in 0..n => condition)`, or as
/// Kani writes it, `forall!(|i in (0, n)| condition)`.
#[macro_export]
macro_rules! forall {
    (|$item:ident in ($low:expr, $high:expr)| $condition:expr) => {
        $crate::contracts::forall($low..$high, |$item| $condition)
    };
    ($item:pat_param in $items:expr => $condition:expr) => {
        $crate::contracts::forall($items, |$item| $condition)
    };
}

/// [`exists`](fn@exists) as a macro, in the forms of [`forall!`](macro@crate::forall).
#[macro_export]
macro_rules! exists {
    (|$item:ident in ($low:expr, $high:expr)| $condition:expr) => {
        $crate::contracts::exists($low..$high, |$item| $condition)
    };
    ($item:pat_param in $items:expr => $condition:expr) => {
        $crate::contracts::exists($items, |$item| $condition)
    };
}
