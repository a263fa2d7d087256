//! Says which mutant is active.
//!
//! Every mutant of a shadow build stands behind a call of [`pick`]. None is active at first,
//! and then a guard is one relaxed load. On Linux a test program that was asked to serve
//! (`serve.rs`) starts once, forks for every run, and switches one mutant on in the child.
//!
//! What is linked into the code under test has to stay out of its way: no dependency, no
//! `std`, no allocation, nothing printed. Whatever judges is elsewhere. `unsafe` is here
//! because the process is forked, and counters are shared, before there is a `main`.
#![no_std]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod serve;

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64};

/// No mutant is active. Numbers of mutants begin at 1.
pub const NONE: u32 = 0;
/// No mutant is active, and what is reached is noted.
pub const RECORDING: u32 = u32::MAX;

static ACTIVE: AtomicU32 = AtomicU32::new(NONE);
/// How many guards may still be passed while a mutant is active.
static VISITS_LEFT: AtomicU64 = AtomicU64::new(u64::MAX);
/// While recording: a counter of guards, then a byte for each number of a mutant.
static RECORD: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static RECORDED: AtomicU32 = AtomicU32::new(0);
/// What is noted at the first visit, so that whoever changes it knows when that was.
static STAMP: AtomicU8 = AtomicU8::new(1);
/// Where the bytes begin.
const COUNTER_BYTES: usize = 8;
/// What becomes of a mutant that loops.
static GIVES_UP: AtomicU8 = AtomicU8::new(ENDS);
/// Its process ends.
const ENDS: u8 = 0;
/// It panics, because others are judged in the same process.
const PANICS: u8 = 1;
/// Guards that it may pass while it unwinds; one that still goes on ends its process.
const WHILE_UNWINDING: u64 = 100_000;

/// Which of the `count` mutants from `first` on is active, counted from 1; 0 if none is.
#[inline(never)]
pub fn pick(first: u32, count: u32) -> u32 {
    match ACTIVE.load(Relaxed) {
        NONE => 0,
        active => pick_watched(active, first, count),
    }
}

/// Whether this mutant is active.
#[inline(never)]
pub fn on(mutant: u32) -> bool {
    pick(mutant, 1) == 1
}

/// Switches a mutant on, or all off with [`NONE`].
pub fn activate(mutant: u32) {
    ACTIVE.store(mutant, Relaxed);
}

/// Switches a mutant on in a process that goes on when it is judged: it may pass so many guards,
/// and panics then.
pub fn try_out(mutant: u32, visits: u64) {
    GIVES_UP.store(PANICS, Relaxed);
    VISITS_LEFT.store(visits, Relaxed);
    ACTIVE.store(mutant, Relaxed);
}

/// From now on what is reached while recording is noted here: a counter of guards, then a byte
/// for each number of a mutant.
///
/// # Safety
/// There must be eight bytes and `numbers` more, aligned as a `u64`, for as long as the process
/// lives, and others may read and write them only as atomics or while no mutant is active.
pub unsafe fn record_in(record: *mut u8, numbers: u32) {
    RECORD.store(core::ptr::null_mut(), Relaxed);
    RECORDED.store(numbers, Relaxed);
    RECORD.store(record, Relaxed);
}

/// From now on this is noted of what is reached for the first time.
pub fn stamp(stamp: u8) {
    STAMP.store(stamp, Relaxed);
}

#[cold]
#[inline(never)]
fn pick_watched(active: u32, first: u32, count: u32) -> u32 {
    if active == RECORDING {
        note(first);
        return 0;
    }
    // Threads may lose a visit to each other: the bound is a wide one.
    match VISITS_LEFT.load(Relaxed) {
        0 => give_up(),
        left => VISITS_LEFT.store(left - 1, Relaxed),
    }
    let offset = active.wrapping_sub(first);
    if offset < count { offset + 1 } else { 0 }
}

fn note(first: u32) {
    let record = RECORD.load(Relaxed);
    if record.is_null() || first >= RECORDED.load(Relaxed) {
        return;
    }
    // SAFETY: whoever set the pointer mapped a counter, aligned as a page is, and `RECORDED`
    // bytes after it, and never unmaps them.
    unsafe {
        (*record.cast::<AtomicU64>()).fetch_add(1, Relaxed);
        let noted = record.add(COUNTER_BYTES + first as usize);
        if noted.read_volatile() == 0 {
            noted.write_volatile(STAMP.load(Relaxed));
        }
    }
}

/// A mutant passed too many guards: it loops.
fn give_up() {
    if GIVES_UP.load(Relaxed) == PANICS {
        GIVES_UP.store(ENDS, Relaxed);
        VISITS_LEFT.store(WHILE_UNWINDING, Relaxed);
        panic!("the mutant passes too many guards");
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    serve::end_looping();
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::panic::catch_unwind;
    use std::vec;

    /// One test, because the switch is one for the whole process.
    #[test]
    fn guards_note_what_is_reached_and_a_mutant_that_loops_panics_once() {
        let record = vec![0u64; 3].leak();
        // SAFETY: there is room for a counter and sixteen mutants, for ever.
        unsafe { record_in(record.as_mut_ptr().cast(), 16) };
        try_out(RECORDING, u64::MAX);
        assert_eq!((pick(3, 2), pick(7, 1)), (0, 0));
        stamp(9);
        assert_eq!((pick(7, 1), pick(12, 1)), (0, 0));
        try_out(NONE, u64::MAX);
        assert_eq!(record[0], 4, "four guards were passed");
        let noted = |n: usize| record[1 + n / 8].to_ne_bytes()[n % 8];
        assert_eq!([3, 4, 7, 12].map(noted), [1, 0, 1, 9], "each as it was at first");
        try_out(4, 10);
        assert_eq!((pick(3, 2), pick(7, 1), on(4)), (2, 0, true));
        let looped = catch_unwind(|| while on(4) {});
        assert!(looped.is_err(), "it is ended");
        assert!((0..1000).all(|_| on(4)), "what unwinds may pass more guards");
        try_out(NONE, u64::MAX);
        assert_eq!(pick(3, 2), 0);
    }
}
