//! The allocator of the harness: that of the system, with a bound.
//!
//! A request past the bound is refused at once instead of being tried, and
//! every refusal is noted in the journal: Rust aborts on it, and the abort
//! should be known as what it is.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// More than this in one piece is never needed by a small test.
const MAX_ALLOCATION: usize = 256 << 20;

struct Bounded;

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

thread_local! {
    /// All bytes that this thread has asked for.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// How many bytes this thread has asked for so far; the difference of two
/// readings says what a call or a clone took.
#[inline]
pub fn asked() -> usize {
    ASKED.get()
}

fn checked(size: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    // Needs no memory of its own: the value is constant at first and never dropped.
    let _ = ASKED.try_with(|asked| asked.set(asked.get().wrapping_add(size)));
    let place = if size > MAX_ALLOCATION { std::ptr::null_mut() } else { allocate() };
    if place.is_null() {
        crate::journal::note_refused(size);
    }
    place
}

// SAFETY: every request is passed on to the allocator of the system, or
// refused, which is always allowed.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        checked(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        checked(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        checked(size, || unsafe { System.realloc(place, layout, size) })
    }
}
