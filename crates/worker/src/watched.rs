//! Memory that is watched: each piece lies between two red zones, is filled
//! when it is freed, and is given out once in a sequence.
//!
//! A region of its own, taken from upwards, so that an address says whose it
//! is and nothing that the code under test writes over is needed to free it.
//! What is wrong is noted, and what was asked for is done as well as can be:
//! memory that is freed twice stays freed, a red zone is mended. So the process
//! lives on, and the sequence that did it is told.
//!
//! Does not watch what is read: what was freed is filled with a byte that makes
//! addresses and lengths which lead nowhere.

use std::alloc::Layout;
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use testsmith_model::outcome::MemoryError;

/// Reserved at the first use, and filled with real memory only as far as it is used.
const REGION_BYTES: usize = 64 << 20;
/// How many pieces are known at a time.
const MAX_PIECES: usize = 1 << 16;
/// More in one piece is not watched.
const MAX_PIECE: usize = 1 << 20;
/// On each side of a piece.
const ZONE: usize = 32;
/// All addresses are multiples of this.
const GRAIN: usize = 16;
/// Of a piece that was freed, so many bytes at each end are filled and looked at.
const FILLED: usize = 2048;
const IN_ZONE: u8 = 0xA5;
const FRESH: u8 = 0xCD;
const FREED: u8 = 0xDD;
/// With more pieces than this, they are looked at when the sequence ends, and not after
/// every call.
const MAX_AFTER_A_CALL: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    Freed,
}

#[derive(Clone, Copy)]
struct Piece {
    start: u32,
    size: u32,
    align: u32,
    state: State,
    /// Whether something was wrong with it, which is told once.
    told: bool,
}

struct Region {
    base: *mut u8,
    pieces: *mut Piece,
    count: usize,
    /// The first that belongs to this sequence: what is before outlived its own.
    first: usize,
    next: usize,
    live: usize,
    error: Option<MemoryError>,
}

/// The region, and who may touch it.
struct Shared {
    busy: AtomicBool,
    region: UnsafeCell<Region>,
}

// SAFETY: the region is only reached through `with`, by one thread at a time.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    busy: AtomicBool::new(false),
    region: UnsafeCell::new(Region {
        base: std::ptr::null_mut(),
        pieces: std::ptr::null_mut(),
        count: 0,
        first: 0,
        next: 0,
        live: 0,
        error: None,
    }),
};

/// Where the region begins; zero before there is one.
static BASE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether what this thread asks for is watched.
    static WATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Runs with the region to itself. Allocates nothing, so it is never entered twice by
/// one thread.
fn with<T>(run: impl FnOnce(&mut Region) -> T) -> T {
    while SHARED.busy.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    // SAFETY: nobody else is here until `busy` is cleared.
    let done = run(unsafe { &mut *SHARED.region.get() });
    SHARED.busy.store(false, Ordering::Release);
    done
}

/// From now on, what this thread asks for is watched, or no longer.
#[inline]
pub fn set(watching: bool) {
    WATCHING.set(watching);
}

/// Whether what this thread asks for is watched.
#[inline]
pub fn is_on() -> bool {
    WATCHING.try_with(Cell::get).unwrap_or(false)
}

/// Whether an address lies in the region.
#[inline]
pub fn is_ours(place: *mut u8) -> bool {
    let base = BASE.load(Ordering::Relaxed);
    base != 0 && (place as usize).wrapping_sub(base) < REGION_BYTES
}

/// Whether an address was read from memory that was never written, or was freed: no memory
/// is ever there.
#[inline]
pub fn is_junk(place: *mut u8) -> bool {
    let filled = |byte: u8| usize::from_ne_bytes([byte; size_of::<usize>()]);
    place as usize == filled(FRESH) || place as usize == filled(FREED)
}

/// Whether bytes are those of memory that was never written, or was freed.
pub fn is_filled(bytes: &[u8]) -> bool {
    [FRESH, FREED].iter().any(|junk| bytes.iter().all(|byte| byte == junk))
}

/// Somebody frees what is at such an address.
pub fn note_junk() {
    with(|region| region.note(MemoryError::InvalidFree));
}

/// Memory that is watched; none if there is no room.
pub fn allocate(layout: Layout, zeroed: bool) -> Option<*mut u8> {
    with(|region| region.allocate(layout, zeroed))
}

/// Takes memory back that `is_ours`.
pub fn free(place: *mut u8, layout: Layout) {
    with(|region| region.free(place, layout));
}

/// What is wrong, once: looked for now, or noted before. `thoroughly` also where there are
/// many pieces.
pub fn look(thoroughly: bool) -> Option<MemoryError> {
    with(|region| {
        if thoroughly || region.count - region.first <= MAX_AFTER_A_CALL {
            region.look();
        }
        region.error.take()
    })
}

/// The sequence is over: the bytes that it has not freed. Its memory is given out again.
pub fn end() -> usize {
    with(Region::end)
}

impl Region {
    fn is_there(&mut self) -> bool {
        if self.base.is_null() {
            let pieces_bytes = MAX_PIECES * size_of::<Piece>();
            let (Some(base), Some(pieces)) = (map(REGION_BYTES), map(pieces_bytes)) else {
                return false;
            };
            (self.base, self.pieces) = (base, pieces.cast());
            BASE.store(base as usize, Ordering::Relaxed);
        }
        true
    }

    fn pieces(&mut self) -> &mut [Piece] {
        if self.count == 0 {
            return &mut [];
        }
        // SAFETY: so many were written, and the memory is ours.
        unsafe { std::slice::from_raw_parts_mut(self.pieces, self.count) }
    }

    fn bytes(&mut self, start: usize, length: usize) -> &mut [u8] {
        debug_assert!(start + length <= REGION_BYTES);
        // SAFETY: inside the region; what the code under test holds of it is only looked at
        // here while that code does not run, or gives it up.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(start), length) }
    }

    fn allocate(&mut self, layout: Layout, zeroed: bool) -> Option<*mut u8> {
        let (size, align) = (layout.size(), layout.align().max(GRAIN));
        if size > MAX_PIECE || align > 4096 || self.count == MAX_PIECES || !self.is_there() {
            return None;
        }
        let start = (self.next + ZONE).next_multiple_of(align);
        let next = (start + size + ZONE).next_multiple_of(GRAIN);
        if next > REGION_BYTES {
            return None;
        }
        self.next = next;
        self.bytes(start - ZONE, ZONE).fill(IN_ZONE);
        self.bytes(start + size, ZONE).fill(IN_ZONE);
        if zeroed {
            self.bytes(start, size).fill(0);
        } else {
            // Whatever it is taken for, it leads nowhere.
            self.bytes(start, size).fill(FRESH);
        }
        let (start, size) = (start as u32, size as u32);
        let align = layout.align() as u32;
        let piece = Piece { start, size, align, state: State::Live, told: false };
        // SAFETY: there is room, as was checked above.
        unsafe { self.pieces.add(self.count).write(piece) };
        self.count += 1;
        self.live += 1;
        // SAFETY: inside the region.
        Some(unsafe { self.base.add(start as usize) })
    }

    fn free(&mut self, place: *mut u8, layout: Layout) {
        let start = (place as usize - self.base as usize) as u32;
        let Ok(at) = self.pieces().binary_search_by_key(&start, |piece| piece.start) else {
            return self.note(MemoryError::InvalidFree);
        };
        let piece = self.pieces()[at];
        if piece.state == State::Freed {
            return self.note(MemoryError::DoubleFree);
        }
        if piece.size as usize != layout.size() || piece.align as usize != layout.align() {
            self.note(MemoryError::WrongLayout);
        }
        self.look_at(at);
        let (start, size) = (start as usize, piece.size as usize);
        self.bytes(start, size.min(FILLED)).fill(FREED);
        self.bytes(start + size - size.min(FILLED), size.min(FILLED)).fill(FREED);
        self.pieces()[at].state = State::Freed;
        self.live -= 1;
    }

    /// The first error is the cause of the others.
    fn note(&mut self, error: MemoryError) {
        self.error.get_or_insert(error);
    }

    fn look(&mut self) {
        for at in self.first..self.count {
            self.look_at(at);
        }
    }

    fn look_at(&mut self, at: usize) {
        let Piece { start, size, state, told, .. } = self.pieces()[at];
        let (start, size) = (start as usize, size as usize);
        if told {
            return;
        }
        let is = |bytes: &[u8], what: u8| bytes.iter().all(|byte| *byte == what);
        let error = if !is(self.bytes(start + size, ZONE), IN_ZONE) {
            Some(MemoryError::Overrun)
        } else if !is(self.bytes(start - ZONE, ZONE), IN_ZONE) {
            Some(MemoryError::Underrun)
        } else if state == State::Freed
            && (!is(self.bytes(start, size.min(FILLED)), FREED)
                || !is(self.bytes(start + size - size.min(FILLED), size.min(FILLED)), FREED))
        {
            Some(MemoryError::WriteAfterFree)
        } else {
            None
        };
        if let Some(error) = error {
            self.note(error);
            self.pieces()[at].told = true;
        }
    }

    fn end(&mut self) -> usize {
        let (first, count) = (self.first, self.count);
        let is_live = |piece: &Piece| piece.state == State::Live;
        let left: usize = self.pieces()[first..count]
            .iter()
            .filter(|piece| is_live(piece))
            .map(|piece| piece.size as usize)
            .sum();
        // What lives on stays where it is; what comes next lies above it.
        let kept = match self.live {
            0 => 0,
            _ => self.pieces().iter().rposition(is_live).map_or(0, |last| last + 1),
        };
        let last = self.pieces()[..kept].last().copied();
        self.next = last.map_or(0, |last| {
            (last.start as usize + last.size as usize + ZONE).next_multiple_of(GRAIN)
        });
        (self.count, self.first) = (kept, kept);
        self.error = None;
        left
    }
}

/// Memory from the system, zeroed, that is there when it is touched.
fn map(bytes: usize) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping at an address of the system's choice.
    let base = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0)
    };
    (base != libc::MAP_FAILED).then_some(base.cast())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region() -> Region {
        Region {
            base: std::ptr::null_mut(),
            pieces: std::ptr::null_mut(),
            count: 0,
            first: 0,
            next: 0,
            live: 0,
            error: None,
        }
    }

    fn bytes(size: usize) -> Layout {
        Layout::from_size_align(size, 1).unwrap()
    }

    /// What is noted after something was done to a piece of ten bytes.
    fn noted(misdeed: impl FnOnce(&mut Region, *mut u8)) -> Option<MemoryError> {
        let mut region = region();
        let place = region.allocate(bytes(10), false).unwrap();
        misdeed(&mut region, place);
        region.look();
        let error = region.error.take();
        region.look();
        assert_eq!(region.error, None, "each is told once");
        error
    }

    #[test]
    fn each_misdeed_is_noted_as_what_it_is() {
        // SAFETY: inside the region, whatever the piece.
        let write = |place: *mut u8, at: isize| unsafe { place.offset(at).write(7) };
        assert_eq!(noted(|_, place| write(place, 9)), None);
        assert_eq!(noted(|_, place| write(place, 10)), Some(MemoryError::Overrun));
        assert_eq!(noted(|_, place| write(place, -1)), Some(MemoryError::Underrun));
        let freed = |region: &mut Region, place| region.free(place, bytes(10));
        assert_eq!(noted(freed), None);
        let after = |region: &mut Region, place| {
            freed(region, place);
            write(place, 3);
        };
        assert_eq!(noted(after), Some(MemoryError::WriteAfterFree));
        let twice = |region: &mut Region, place| {
            freed(region, place);
            freed(region, place);
        };
        assert_eq!(noted(twice), Some(MemoryError::DoubleFree));
        let wrong = |region: &mut Region, place| region.free(place, bytes(11));
        assert_eq!(noted(wrong), Some(MemoryError::WrongLayout));
        let inside = |region: &mut Region, place: *mut u8| {
            region.free(place.wrapping_add(1), bytes(9));
        };
        assert_eq!(noted(inside), Some(MemoryError::InvalidFree));
    }

    #[test]
    fn what_outlives_its_sequence_stays_and_the_rest_is_given_out_again() {
        let mut region = region();
        let first = region.allocate(bytes(10), false).unwrap();
        let second = region.allocate(Layout::from_size_align(10, 64).unwrap(), true).unwrap();
        assert_eq!(second as usize % 64, 0);
        region.free(second, Layout::from_size_align(10, 64).unwrap());
        assert_eq!(region.end(), 10);
        let third = region.allocate(bytes(10), false).unwrap();
        assert!(third > first);
        region.free(first, bytes(10));
        region.free(third, bytes(10));
        assert_eq!(region.end(), 0, "what was freed later is not lost");
        assert_eq!(region.allocate(bytes(10), false), Some(first));
        assert_eq!(region.error, None);
    }

    #[test]
    fn what_is_too_large_is_not_watched() {
        assert_eq!(region().allocate(bytes(MAX_PIECE + 1), false), None);
    }
}
