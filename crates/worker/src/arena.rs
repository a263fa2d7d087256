//! Where the values of a running sequence live.
//!
//! Values are written into one block of memory that grows upwards and is
//! reused by the next sequence, so a call allocates nothing for its result.
//! The arena knows where a value is and whether it is there; what its type can
//! do stands in the table of types.

use crate::table::TypeTable;

/// One block holds the values of any ordinary sequence.
const BLOCK_BYTES: usize = 1 << 18;
pub(crate) const BLOCK_ALIGN: usize = 128;

/// What a thunk sees: pointers to its arguments and a place for its result.
pub struct Frame {
    pub(crate) args: [*mut u8; testsmith_model::operation::MAX_INPUTS],
    pub(crate) result: *mut u8,
    /// The last call was not made: a precondition does not hold.
    pub(crate) refused: bool,
    memory: Memory,
}

impl Frame {
    pub fn new() -> Frame {
        let args = [std::ptr::null_mut(); testsmith_model::operation::MAX_INPUTS];
        Frame { args, result: std::ptr::null_mut(), refused: false, memory: Memory::new() }
    }

    /// # Safety
    /// The n-th argument must be a live `T` that the caller gives up, or `Copy`.
    #[inline]
    pub unsafe fn own<T>(&self, n: usize) -> T {
        // SAFETY: upheld by the executor, which matched the types of the plan.
        unsafe { self.args[n].cast::<T>().read() }
    }

    /// # Safety
    /// The n-th argument must be a live `T` that outlives the borrow; the
    /// loans of the sequence see to that.
    #[inline]
    pub unsafe fn shared<T>(&self, n: usize) -> &'static T {
        // SAFETY: as above.
        unsafe { &*self.args[n].cast::<T>() }
    }

    /// # Safety
    /// As for `shared`, and nobody else may use it meanwhile.
    #[inline]
    pub unsafe fn exclusive<T>(&self, n: usize) -> &'static mut T {
        // SAFETY: as above.
        unsafe { &mut *self.args[n].cast::<T>() }
    }

    /// Stores the result.
    #[inline]
    pub fn put<T>(&mut self, value: T) {
        let place = self.memory.room(size_of::<T>(), align_of::<T>());
        // SAFETY: `room` returns memory of that size and alignment which no
        // live value occupies.
        unsafe { place.cast::<T>().write(value) };
        self.result = place;
    }

    /// Says that the call is not to be made, because a precondition does not
    /// hold; its arguments are untouched.
    pub fn refuse(&mut self) -> bool {
        self.refused = true;
        false
    }

    /// Stores the first `size` bytes, aligned to their size.
    #[inline]
    pub(crate) fn put_plain(&mut self, bytes: &[u8; 16], size: usize) {
        let place = self.memory.room_plain(size);
        // SAFETY: `room_plain` returned memory for sixteen bytes that no live
        // value occupies.
        unsafe { place.cast::<[u8; 16]>().write_unaligned(*bytes) };
        self.result = place;
    }

    /// How much of the block is taken, to give back what comes after.
    pub(crate) fn mark(&self) -> usize {
        self.memory.used
    }

    /// Gives back what was put since then; none of it may be in use.
    pub(crate) fn release(&mut self, mark: usize) {
        self.memory.used = mark;
    }

    /// Gives back what was asked for apart; no value is left in it.
    pub(crate) fn forget_large(&mut self) {
        self.memory.large.clear();
    }

    /// Forgets all values; whoever wants them dropped has done so.
    pub(crate) fn clear(&mut self) {
        self.memory.clear();
    }
}

impl Default for Frame {
    fn default() -> Frame {
        Frame::new()
    }
}

/// Memory that is only ever given out upwards until it is cleared.
struct Memory {
    block: Box<[Chunk]>,
    used: usize,
    /// For values that do not fit; freed when the arena is cleared.
    large: Vec<Box<[Chunk]>>,
}

#[derive(Clone, Copy)]
#[repr(align(128))]
pub(crate) struct Chunk(#[expect(dead_code)] [u8; BLOCK_ALIGN]);

pub(crate) fn chunks(bytes: usize) -> Box<[Chunk]> {
    vec![Chunk([0; BLOCK_ALIGN]); bytes.div_ceil(BLOCK_ALIGN)].into_boxed_slice()
}

impl Memory {
    fn new() -> Memory {
        Memory { block: chunks(BLOCK_BYTES), used: 0, large: vec![] }
    }

    #[inline]
    fn room(&mut self, size: usize, align: usize) -> *mut u8 {
        let start = (self.used + align - 1) & !(align - 1);
        if start + size <= BLOCK_BYTES && align <= BLOCK_ALIGN {
            self.used = start + size;
            // SAFETY: within the block, as just checked.
            return unsafe { self.block.as_mut_ptr().cast::<u8>().add(start) };
        }
        self.room_apart(size, align)
    }

    /// Room for a plain value with sixteen bytes to write in: copying all of
    /// them is one move of the processor. The next value may lie over the rest.
    #[inline]
    fn room_plain(&mut self, size: usize) -> *mut u8 {
        let start = (self.used + size - 1) & !(size - 1);
        if start + 16 <= BLOCK_BYTES {
            self.used = start + size;
            // SAFETY: within the block, as just checked.
            return unsafe { self.block.as_mut_ptr().cast::<u8>().add(start) };
        }
        self.room_apart(16, size)
    }

    #[cold]
    fn room_apart(&mut self, size: usize, align: usize) -> *mut u8 {
        let mut apart = chunks(size.max(1) + align);
        let place = apart.as_mut_ptr().cast::<u8>();
        self.large.push(apart);
        // SAFETY: the chunk is `align` bytes longer than needed.
        unsafe { place.add(place.align_offset(align)) }
    }

    fn clear(&mut self) {
        self.used = 0;
        self.large.clear();
    }
}

/// A value of the sequence, live or not: the loans know.
#[derive(Clone, Copy)]
pub struct Slot {
    pub place: *mut u8,
    pub table: &'static TypeTable,
}
