//! Notices a `#[pure]` function that changes what it was given.
//!
//! A shared reference already forbids most of it; what is left is interior
//! mutability. The arguments are compared before and after by their `Debug`
//! text, or by `PartialEq` on a clone where there is no `Debug`, or not at all.
//! Comparing every call would make queries slow, so calls are sampled: all of
//! the first few, then ever fewer, and none when many thousands were seen. What
//! compares is kept out of the queries, which have to stay small. It is a
//! detector, not a proof.

use std::cell::Cell;
use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::LocalKey;

use super::scope::evaluating;

/// Calls of a thread up to this one are all compared.
const ALWAYS_COMPARED: u32 = 16;
/// The last call that is counted. After so many, counting on would cost every
/// call more than the few comparisons still to come are worth.
const LAST_COUNTED: u32 = 1 << 16;

/// Which calls of one function are compared: whether any is, for all threads together,
/// because that is asked at every call and must cost nothing; which ones, thread by thread.
#[derive(Debug)]
pub struct Sampler {
    calls: AtomicU32,
}

impl Sampler {
    #[allow(clippy::new_without_default, reason = "only used in a const initialiser")]
    pub const fn new() -> Sampler {
        Sampler { calls: AtomicU32::new(0) }
    }

    /// Counts a call; true if it is to be compared.
    #[inline]
    pub fn due(&self, of_thread: &'static LocalKey<Cell<u32>>) -> bool {
        self.calls.load(Ordering::Relaxed) < LAST_COUNTED && self.count(of_thread)
    }

    /// Calls made by clauses do not count.
    #[cold]
    #[inline(never)]
    fn count(&self, of_thread: &'static LocalKey<Cell<u32>>) -> bool {
        if evaluating() {
            return false;
        }
        self.calls.fetch_add(1, Ordering::Relaxed);
        let calls = of_thread.get().saturating_add(1);
        of_thread.set(calls);
        calls <= ALWAYS_COMPARED || calls.is_power_of_two()
    }
}

/// A value to be compared with itself later.
pub struct Watch<'a, T: ?Sized>(pub &'a T);

/// What was remembered of a value.
pub enum Snapshot<C> {
    Text(u64),
    Clone(C),
    Nothing,
}

/// Chosen first: compare texts.
pub trait ByDebug {
    fn snapshot(&self) -> Snapshot<()>;
    fn same(&self, before: &Snapshot<()>) -> bool;
}

impl<T: Debug + ?Sized> ByDebug for &&Watch<'_, T> {
    #[cold]
    #[inline(never)]
    fn snapshot(&self) -> Snapshot<()> {
        Snapshot::Text(fingerprint(self.0))
    }

    #[cold]
    #[inline(never)]
    fn same(&self, before: &Snapshot<()>) -> bool {
        matches!(before, Snapshot::Text(text) if *text == fingerprint(self.0))
    }
}

/// Chosen second: compare with a clone.
pub trait ByEquality<T> {
    fn snapshot(&self) -> Snapshot<T>;
    fn same(&self, before: &Snapshot<T>) -> bool;
}

impl<T: PartialEq + Clone> ByEquality<T> for &Watch<'_, T> {
    #[cold]
    #[inline(never)]
    fn snapshot(&self) -> Snapshot<T> {
        // A value that is not equal to itself, such as NaN, proves nothing.
        let copy = self.0.clone();
        if copy == *self.0 { Snapshot::Clone(copy) } else { Snapshot::Nothing }
    }

    #[cold]
    #[inline(never)]
    fn same(&self, before: &Snapshot<T>) -> bool {
        !matches!(before, Snapshot::Clone(copy) if copy != self.0)
    }
}

/// Chosen otherwise: nothing can be said.
pub trait ByNothing {
    fn snapshot(&self) -> Snapshot<()>;
    fn same(&self, before: &Snapshot<()>) -> bool;
}

impl<T: ?Sized> ByNothing for Watch<'_, T> {
    fn snapshot(&self) -> Snapshot<()> {
        Snapshot::Nothing
    }

    fn same(&self, _: &Snapshot<()>) -> bool {
        true
    }
}

/// A hash of the `Debug` text that keeps nothing of it.
fn fingerprint<T: Debug + ?Sized>(value: &T) -> u64 {
    struct Fnv(u64);
    impl Write for Fnv {
        fn write_str(&mut self, piece: &str) -> std::fmt::Result {
            for byte in piece.bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
            Ok(())
        }
    }
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    #[cfg(feature = "fakes")]
    let before = COMPARING.replace(true);
    // An error of the user's own `Debug` only shortens the text.
    let _ = write!(hash, "{value:?}");
    #[cfg(feature = "fakes")]
    COMPARING.set(before);
    hash.0
}

#[cfg(feature = "fakes")]
thread_local! {
    static COMPARING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a value is shown only to see whether it is still the same.
#[cfg(feature = "fakes")]
pub fn comparing() -> bool {
    COMPARING.get()
}
