//! Bounds on one run of a predicate: steps, stack, and quiet panics.
//!
//! The twin's code calls [`tick`] in every loop and closure and [`enter`] in
//! every function, so a predicate that never ends or recurses without bound
//! is stopped and reported for that candidate.

use std::cell::{Cell, RefCell};
use std::sync::Once;

/// Steps one run of the predicate may take before it counts as endless.
pub(crate) const STEPS: u64 = 1_000_000;
/// How much of the thread's stack one run may use.
const STACK_BYTES: usize = 768 * 1024;

thread_local! {
    static FUEL: Cell<u64> = const { Cell::new(u64::MAX) };
    static LOWEST: Cell<usize> = const { Cell::new(0) };
    static QUIET: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The predicate took more steps than allowed.
pub(crate) struct Endless;

/// The predicate recursed deeper than allowed.
pub(crate) struct TooDeep;

/// Starts a run with `steps` steps. Steps taken are counted down.
#[inline]
pub(crate) fn begin(steps: u64) {
    FUEL.set(steps);
    let here = 0u8;
    LOWEST.set((&raw const here as usize).saturating_sub(STACK_BYTES));
}

/// How many steps the run may still take.
#[inline]
pub(crate) fn steps_left() -> u64 {
    FUEL.get()
}

/// Gives the run so many steps from here on.
#[inline]
pub(crate) fn set_steps_left(steps: u64) {
    FUEL.set(steps);
}

/// Lifts the bounds.
pub(crate) fn end() {
    FUEL.set(u64::MAX);
    LOWEST.set(0);
}

/// Spends one step.
#[doc(hidden)]
#[inline(always)]
pub fn tick() {
    let left = FUEL.get();
    if left == 0 {
        out_of_fuel();
    }
    FUEL.set(left.wrapping_sub(1));
}

/// Checks the stack at the start of a function.
#[doc(hidden)]
#[inline(always)]
pub fn enter() {
    let here = 0u8;
    if (&raw const here as usize) < LOWEST.get() {
        out_of_stack();
    }
}

#[cold]
fn out_of_fuel() -> ! {
    std::panic::resume_unwind(Box::new(Endless))
}

#[cold]
fn out_of_stack() -> ! {
    std::panic::resume_unwind(Box::new(TooDeep))
}

/// The file and line of the last panic that was kept quiet, once.
pub(crate) fn place_of_panic() -> Option<String> {
    PLACE.take()
}

/// Runs `body` without panic messages on standard error: the panics it raises
/// are results, not accidents.
pub(crate) fn quietly<R>(body: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if QUIET.get() {
                let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
                PLACE.set(place);
            } else {
                loud(info);
            }
        }));
    });
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            QUIET.set(self.0);
        }
    }
    let _restore = Restore(QUIET.replace(true));
    body()
}

/// How code that ran on the twin ended, if not by returning.
pub(crate) fn what_ended(payload: &(dyn std::any::Any + Send), who: &str) -> String {
    if payload.is::<Endless>() {
        format!("{who} did not end within {STEPS} steps")
    } else if payload.is::<TooDeep>() {
        format!("{who} recursed without bound")
    } else {
        let place = place_of_panic().map(|place| format!(" at {place}"));
        format!("{who} panicked{}: {}", place.unwrap_or_default(), message(payload))
    }
}

/// What a panic said.
pub(crate) fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a value that is not a text".to_owned())
}
