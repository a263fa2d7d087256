//! Fixed randomness: the same seed must give the same run.
//!
//! The standard library takes the keys of its hash maps from `getrandom`. A
//! definition in the executable comes before that of the C library, so every
//! `RandomState` of the harness has known keys.

use std::sync::atomic::{AtomicU64, Ordering};

static STATE: AtomicU64 = AtomicU64::new(0x5eed_5eed_5eed_5eed);

/// # Safety
/// `buffer` must be valid for `length` bytes.
#[cfg(all(target_os = "linux", not(test)))]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, _flags: u32) -> isize {
    for n in 0..length {
        let word = STATE.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        let mixed = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        // SAFETY: within the buffer of the caller.
        unsafe { *buffer.add(n) = (mixed >> 56) as u8 };
    }
    length as isize
}

/// Starts the fixed randomness at another point.
pub fn seed(seed: u64) {
    STATE.store(seed, Ordering::Relaxed);
}
