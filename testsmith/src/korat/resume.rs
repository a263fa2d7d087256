//! Going on after a failed check from the check, not from the predicate's
//! start.
//!
//! The macro turns checks whose failure is the predicate's into closures. When
//! one fails, the search would next change the last field on the stack and run
//! the predicate again; a deterministic predicate comes back to the same check
//! with the same variables if that field was first read inside it. So the
//! field is changed here and the check made again. Every such step is a
//! candidate like any other: the same ones are tried in the same order.
//!
//! Checks that contain other checks do the same for what was read before the
//! inner ones; what was read before all of them is left to the search.

use std::cell::Cell;

use super::guard as bounds;
use super::necessary::Must;
use super::trail::Trail;

thread_local! {
    /// The trail of the run, while checks may be made again.
    static RUNNING: Cell<*const Trail> = const { Cell::new(std::ptr::null()) };
}

/// Lets checks of the run that begins be made again, at most so many times.
#[inline]
pub(crate) fn begin(trail: &Trail, most: u64) {
    trail.repeats_left.set(most);
    RUNNING.set(trail);
}

/// Ends the run; how many checks were made again.
#[inline]
pub(crate) fn end(trail: &Trail) -> u64 {
    RUNNING.set(std::ptr::null());
    trail.repeats.take()
}

/// A check that is made again as long as it fails and something that it read
/// first has another value.
#[doc(hidden)]
#[inline(always)]
pub fn guard(must: Must, check: impl Fn() -> bool) -> bool {
    // The check is written once, so that it is compiled in place.
    let checkpoint = Checkpoint::here(must);
    loop {
        if check() {
            return true;
        }
        if !checkpoint.again() {
            return false;
        }
    }
}

/// As [`guard`], for a value that may not be `None`.
#[doc(hidden)]
#[inline(always)]
pub fn guard_option<T>(must: Must, value: impl Fn() -> Option<T>) -> Option<T> {
    let checkpoint = Checkpoint::here(must);
    loop {
        let value = value();
        if value.is_some() || !checkpoint.again() {
            return value;
        }
    }
}

/// The state of the run where a check begins.
struct Checkpoint {
    trail: *const Trail,
    depth: u32,
    calls: u32,
    steps: u64,
}

impl Checkpoint {
    #[inline(always)]
    fn here(must: Must) -> Checkpoint {
        if !must.repeats() {
            return Checkpoint { trail: std::ptr::null(), depth: 0, calls: 0, steps: 0 };
        }
        let trail = RUNNING.get();
        // SAFETY: only a running search lets checks be repeated, and
        // its trail is boxed in the space that it owns.
        let here = unsafe { &*trail };
        let depth = here.checkpoint();
        Checkpoint { trail, depth, calls: here.calls.get(), steps: bounds::steps_left() }
    }

    /// Changes the last field that was read since, and makes the run as it was
    /// here; `false` if no such field has another value.
    #[inline]
    fn again(&self) -> bool {
        if self.trail.is_null() {
            return false;
        }
        // SAFETY: as in `here`; the run goes on.
        let trail = unsafe { &*self.trail };
        let left = trail.repeats_left.get();
        if left == 0 || trail.depth.get() <= self.depth {
            return false;
        }
        if !trail.retry(self.depth as usize) {
            return false;
        }
        trail.repeats_left.set(left - 1);
        trail.repeats.set(trail.repeats.get() + 1);
        trail.calls.set(self.calls);
        bounds::set_steps_left(self.steps);
        true
    }
}
