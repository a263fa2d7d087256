//! The values that instrumented code compared: what a branch wanted to see and
//! what it saw.
//!
//! Off by default, and then a comparison costs one load and one jump. When on,
//! distinct pairs are kept, at most [`PER_SITE`] per place in the code and
//! [`CAPACITY`] in all, so that no loop can crowd the others out. Nothing here
//! allocates, waits or runs instrumented code: when two threads compare at
//! once, one of them is not heard.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many pairs are kept until they are taken.
pub const CAPACITY: usize = 4096;
/// How many pairs are kept of one place in the code. Places share a counter
/// when their hashes do.
pub const PER_SITE: u8 = 32;
/// How far a full neighbourhood of the table is searched.
const PROBES: usize = 16;
/// Cases of one `switch` that are looked at.
const CASES: usize = 256;

/// Two values that were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Compare {
    /// The place in the code, relative to where the executable was loaded: an
    /// address inside the call instruction. 0 where it is not known, that is,
    /// on Windows and on other machines than x86-64 and Linux on AArch64.
    pub site: u64,
    /// Width of the values.
    pub bits: u8,
    /// For a comparison with a constant, the constant.
    pub left: u64,
    pub right: u64,
    /// Whether `left` is a constant of the code: an operand or the case of a
    /// `match`.
    pub constant: bool,
}

/// What was compared since the log was last taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    pub compares: Vec<Compare>,
    /// Comparisons that found no room; some may have been kept before.
    pub dropped: u64,
}

/// Read by every comparison of instrumented code.
static ON: AtomicBool = AtomicBool::new(false);

/// Turns the log on or off.
pub fn record(on: bool) {
    ON.store(on, Ordering::Relaxed);
}

/// Takes all pairs out of the log, the oldest first.
pub fn take() -> Log {
    let bias = super::load_bias();
    while BUSY.swap(true, Ordering::Acquire) {
        std::hint::spin_loop(); // A recording thread is done within a few steps.
    }
    // SAFETY: `BUSY` was false and is ours now, so nobody else has the table.
    let table = unsafe { &mut *TABLE.0.get() };
    let log = table.take(bias);
    BUSY.store(false, Ordering::Release);
    log
}

/// Held by whoever touches the table.
static BUSY: AtomicBool = AtomicBool::new(false);
static TABLE: Shared = Shared(UnsafeCell::new(Table::EMPTY));

struct Shared(UnsafeCell<Table>);

// SAFETY: the table is touched only by the thread that set `BUSY`.
unsafe impl Sync for Shared {}

#[derive(Clone, Copy)]
struct Slot {
    site: usize,
    left: u64,
    right: u64,
    bits: u8, // 0 marks a free slot.
    constant: bool,
}

/// A hash table of fixed size that remembers the order of its slots.
struct Table {
    slots: [Slot; CAPACITY],
    order: [u16; CAPACITY],
    length: usize,
    per_site: [u8; SITES],
    dropped: u64,
}

const SITES: usize = 1024;

impl Table {
    const EMPTY: Table = Table {
        slots: [Slot { site: 0, left: 0, right: 0, bits: 0, constant: false }; CAPACITY],
        order: [0; CAPACITY],
        length: 0,
        per_site: [0; SITES],
        dropped: 0,
    };

    /// The quota comes first: a busy loop has used it up soon, and then costs
    /// one look.
    fn insert(&mut self, new: Slot) {
        let quota = mix(new.site as u64) as usize % SITES;
        if self.per_site[quota] >= PER_SITE {
            self.dropped += 1;
            return;
        }
        let mixed = mix(new.site as u64 ^ mix(new.left ^ mix(new.right)));
        let mut at = mixed as usize % CAPACITY;
        for _ in 0..PROBES {
            let slot = &self.slots[at];
            if slot.bits == 0 {
                self.per_site[quota] += 1;
                self.slots[at] = new;
                self.order[self.length] = at as u16;
                self.length += 1;
                return;
            }
            let same = slot.site == new.site
                && slot.left == new.left
                && slot.right == new.right
                && slot.bits == new.bits;
            if same {
                return;
            }
            at = (at + 1) % CAPACITY;
        }
        self.dropped += 1;
    }

    /// Clears only what was used: the table is far larger than a usual log.
    fn take(&mut self, bias: usize) -> Log {
        let mut log = Log { compares: Vec::with_capacity(self.length), dropped: self.dropped };
        for &at in &self.order[..self.length] {
            let slot = &mut self.slots[usize::from(at)];
            let site = if slot.site == 0 { 0 } else { slot.site.wrapping_sub(bias) as u64 };
            let Slot { left, right, bits, constant, .. } = *slot;
            log.compares.push(Compare { site, bits, left, right, constant });
            self.per_site[mix(slot.site as u64) as usize % SITES] = 0;
            slot.bits = 0;
        }
        self.length = 0;
        self.dropped = 0;
        log
    }
}

/// Spreads the bits of a number (the finaliser of MurmurHash3).
fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    value = (value ^ (value >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    value ^ (value >> 33)
}

/// Writes one pair down, unless somebody else is at it.
fn note(bits: u8, left: u64, right: u64, constant: bool, site: usize) {
    if BUSY.swap(true, Ordering::Acquire) {
        return;
    }
    // SAFETY: `BUSY` was false and is ours now, so nobody else has the table.
    unsafe { (*TABLE.0.get()).insert(Slot { site, left, right, bits, constant }) };
    BUSY.store(false, Ordering::Release);
}

/// Writes down the cases of a `switch`: their number, the width, the values.
///
/// # Safety
/// `cases` must be such a table; the compiler makes one per `switch`.
unsafe extern "C" fn note_switch(value: u64, cases: *const u64, site: usize) {
    // SAFETY: the caller upholds the layout.
    let (bits, cases) = unsafe {
        let length = (*cases as usize).min(CASES);
        (*cases.add(1) as u8, std::slice::from_raw_parts(cases.add(2), length))
    };
    for case in cases {
        note(bits, *case, value, true, site);
    }
}

/// Defines a callback that instrumented code calls at every comparison.
///
/// It must know where it was called from, which stable Rust cannot ask. So it
/// is a few instructions that leave at once when the log is off, and otherwise
/// hand the return address, minus one to stay inside the call, to a function as
/// a third argument:
///
/// ```text
///     cmp byte ptr [rip + ON], 0
///     je 2f
///     mov rdx, [rsp]
///     dec rdx
///     jmp note_cmp4
/// 2:  ret
/// ```
#[cfg(all(target_arch = "x86_64", unix))]
macro_rules! callback {
    ($name:ident($($argument:ident: $kind:ty),*) => $note:path) => {
        /// # Safety
        /// Called by instrumented code only.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $kind),*) {
            core::arch::naked_asm!(
                "cmp byte ptr [rip + {on}], 0",
                "je 2f",
                "mov rdx, [rsp]",
                "dec rdx",
                "jmp {note}",
                "2:",
                "ret",
                on = sym ON,
                note = sym $note,
            )
        }
    };
}

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
macro_rules! callback {
    ($name:ident($($argument:ident: $kind:ty),*) => $note:path) => {
        /// # Safety
        /// Called by instrumented code only.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $kind),*) {
            core::arch::naked_asm!(
                "adrp x16, {on}",
                "ldrb w16, [x16, :lo12:{on}]",
                "cbz w16, 2f",
                "sub x2, x30, #1",
                "b {note}",
                "2:",
                "ret",
                on = sym ON,
                note = sym $note,
            )
        }
    };
}

#[cfg(not(any(
    all(target_arch = "x86_64", unix),
    all(target_arch = "aarch64", target_os = "linux")
)))]
macro_rules! callback {
    ($name:ident($($argument:ident: $kind:ty),*) => $note:path) => {
        /// # Safety
        /// Called by instrumented code only.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $kind),*) {
            if ON.load(Ordering::Relaxed) {
                // SAFETY: the arguments are handed on as they came.
                #[allow(unused_unsafe, reason = "only the switch is unsafe")]
                unsafe {
                    $note($($argument,)* 0)
                }
            }
        }
    };
}

macro_rules! comparisons {
    ($($name:ident, $note:ident, $kind:ty, $constant:expr;)*) => {
        $(
            extern "C" fn $note(left: $kind, right: $kind, site: usize) {
                note(<$kind>::BITS as u8, left as u64, right as u64, $constant, site);
            }
            callback!($name(left: $kind, right: $kind) => $note);
        )*
    };
}

comparisons! {
    __sanitizer_cov_trace_cmp1, note_cmp1, u8, false;
    __sanitizer_cov_trace_cmp2, note_cmp2, u16, false;
    __sanitizer_cov_trace_cmp4, note_cmp4, u32, false;
    __sanitizer_cov_trace_cmp8, note_cmp8, u64, false;
    __sanitizer_cov_trace_const_cmp1, note_const_cmp1, u8, true;
    __sanitizer_cov_trace_const_cmp2, note_const_cmp2, u16, true;
    __sanitizer_cov_trace_const_cmp4, note_const_cmp4, u32, true;
    __sanitizer_cov_trace_const_cmp8, note_const_cmp8, u64, true;
}

callback!(__sanitizer_cov_trace_switch(value: u64, cases: *const u64) => note_switch);

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(site: usize, left: u64, right: u64) -> Slot {
        Slot { site, left, right, bits: 32, constant: false }
    }

    fn table() -> Box<Table> {
        Box::new(Table::EMPTY)
    }

    #[test]
    fn a_pair_is_kept_once_and_in_order() {
        let mut table = table();
        for (left, right) in [(3, 4), (1, 2), (3, 4), (1, 2), (2, 1)] {
            table.insert(slot(100, left, right));
        }
        let log = table.take(40);
        let pairs: Vec<_> = log.compares.iter().map(|c| (c.site, c.left, c.right)).collect();
        assert_eq!(pairs, [(60, 3, 4), (60, 1, 2), (60, 2, 1)]);
        assert_eq!(log.dropped, 0);
        assert_eq!(table.take(40), Log::default());
    }

    #[test]
    fn a_loop_cannot_crowd_other_places_out() {
        let mut table = table();
        for i in 0..100_000 {
            table.insert(slot(100, i, 7));
        }
        table.insert(slot(200, 1, 2));
        let log = table.take(0);
        assert_eq!(log.compares.len(), usize::from(PER_SITE) + 1);
        assert_eq!(log.compares.last().map(|c| c.site), Some(200));
        assert!(log.dropped > 90_000);
        table.insert(slot(100, 1, 1));
        assert_eq!(table.take(0).compares.len(), 1, "a taken log leaves room again");
    }

    #[test]
    fn a_full_table_drops_and_counts() {
        let mut table = table();
        for site in 0..100_000 {
            table.insert(slot(site, site as u64, 0));
        }
        let log = table.take(0);
        assert!(log.compares.len() <= CAPACITY);
        assert_eq!(log.compares.len() as u64 + log.dropped, 100_000);
    }

    /// One test, because the callbacks share one log.
    #[test]
    fn callbacks_are_heard_when_on_and_only_then() {
        let cases = [2u64, 16, 500, 600];
        let compare = || {
            // SAFETY: the callbacks take plain numbers, and the cases have the
            // layout of the compiler's.
            unsafe {
                __sanitizer_cov_trace_cmp1(1, 2);
                __sanitizer_cov_trace_const_cmp2(3, 4);
                __sanitizer_cov_trace_cmp4(5, 6);
                __sanitizer_cov_trace_const_cmp8(7, u64::MAX);
                __sanitizer_cov_trace_switch(550, cases.as_ptr());
            }
        };
        compare();
        assert_eq!(take(), Log::default());
        record(true);
        compare();
        compare();
        record(false);
        compare();
        let compares = take().compares;
        let pairs: Vec<_> =
            compares.iter().map(|c| (c.bits, c.left, c.right, c.constant)).collect();
        let expected = [
            (8, 1, 2, false),
            (16, 3, 4, true),
            (32, 5, 6, false),
            (64, 7, u64::MAX, true),
            (16, 500, 550, true),
            (16, 600, 550, true),
        ];
        assert_eq!(pairs, expected);
        if cfg!(target_os = "linux") && cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            let mut sites: Vec<_> = compares.iter().map(|c| c.site).collect();
            sites.dedup();
            assert_eq!(sites.len(), 5, "each call has its own place");
        }
    }
}
