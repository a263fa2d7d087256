//! The allocator of the harness: that of the system, with a bound, or the
//! watched region while a sequence is watched.
//!
//! A request past the bound is refused at once instead of being tried, and
//! every refusal is noted in the journal: Rust aborts on it, and the abort
//! should be known as what it is.

use crate::watched;
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

fn count(size: usize) {
    // Needs no memory of its own: the value is constant at first and never dropped.
    let _ = ASKED.try_with(|asked| asked.set(asked.get().wrapping_add(size)));
}

fn checked(layout: Layout, zeroed: bool) -> *mut u8 {
    let size = layout.size();
    count(size);
    if watched::is_on()
        && let Some(place) = watched::allocate(layout, zeroed)
    {
        return place;
    }
    let place = match (size > MAX_ALLOCATION, zeroed) {
        (true, _) => std::ptr::null_mut(),
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        (false, true) => unsafe { System.alloc_zeroed(layout) },
        // SAFETY: as above.
        (false, false) => unsafe { System.alloc(layout) },
    };
    if place.is_null() {
        crate::journal::note_refused(size);
    }
    place
}

// SAFETY: every request is passed on to the allocator of the system or to the
// watched region, whose addresses are known apart, or refused, which is always
// allowed.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        checked(layout, false)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if watched::is_ours(place) {
            return watched::free(place, layout);
        }
        if watched::is_junk(place) {
            return watched::note_junk();
        }
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        checked(layout, true)
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if watched::is_on() || watched::is_ours(place) {
            // SAFETY: the caller has checked the size for this alignment.
            let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
            let fresh = checked(wanted, false);
            if !fresh.is_null() {
                // SAFETY: both are at least as long, and apart; the old one is given up.
                unsafe {
                    std::ptr::copy_nonoverlapping(place, fresh, layout.size().min(size));
                    self.dealloc(place, layout);
                }
            }
            return fresh;
        }
        count(size);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        let grown = match size > MAX_ALLOCATION {
            true => std::ptr::null_mut(),
            // SAFETY: as above.
            false => unsafe { System.realloc(place, layout, size) },
        };
        if grown.is_null() {
            crate::journal::note_refused(size);
        }
        grown
    }
}
