//! The memory of a space: value lists, headers and objects, which stay where
//! they are until the space is dropped.

use std::mem::MaybeUninit;

use super::finitize::{FinitizeError, MAX_FIELDS, MAX_OBJECTS};
use super::space::Builder;

/// An allocation of the space, freed with it.
pub(super) struct Memory {
    address: *mut u8,
    free: fn(*mut u8, usize),
    count: usize,
}

impl Drop for Memory {
    fn drop(&mut self) {
        (self.free)(self.address, self.count);
    }
}

impl Builder<'_> {
    /// Moves values to where they stay until the space is dropped.
    pub(crate) fn keep<V: 'static>(&mut self, values: Vec<V>) -> *mut V {
        let values = Box::into_raw(values.into_boxed_slice());
        let count = values.len();
        let address = values.cast::<V>();
        self.memory.push(Memory { address: address.cast(), free: free_slice::<V>, count });
        address
    }

    /// Room for objects that pointers may already refer to.
    pub(super) fn reserve<V: 'static>(&mut self, count: u32) -> *mut V {
        let room: Vec<MaybeUninit<V>> = (0..count).map(|_| MaybeUninit::uninit()).collect();
        let room = Box::into_raw(room.into_boxed_slice()).cast::<V>();
        let count = count as usize;
        // Freed without dropping: an error may leave the room unwritten, and
        // twins own nothing but handles.
        self.memory.push(Memory {
            address: room.cast(),
            free: free_slice::<MaybeUninit<V>>,
            count,
        });
        room
    }

    /// Refuses more objects than any search could use.
    pub(super) fn bound_objects(&mut self, class: &str, count: usize) -> u32 {
        if count > MAX_OBJECTS {
            let (scope, class) = (self.scope(), class.to_owned());
            refuse(FinitizeError::HugeScope { scope, class, count });
        }
        count as u32
    }

    /// How many fields there are so far.
    pub(super) fn fields(&mut self) -> usize {
        self.trail.inner.get_mut().fields.len()
    }

    /// Refuses more fields than memory has room for, when the first of so many
    /// copies of a part is there and `before` were there before it.
    pub(super) fn bound_copies(&mut self, before: usize, copies: usize) {
        let each = self.fields() - before;
        if each.saturating_mul(copies) > MAX_FIELDS {
            refuse(FinitizeError::TooManyFields { scope: self.scope(), field: self.name() });
        }
    }
}

/// Leaves the building at once: going on would take memory that is not there.
pub(super) fn refuse(error: FinitizeError) -> ! {
    std::panic::resume_unwind(Box::new(error))
}

/// Frees what `keep` leaked.
fn free_slice<V>(address: *mut u8, count: usize) {
    let slice = std::ptr::slice_from_raw_parts_mut(address.cast::<V>(), count);
    // SAFETY: the pointer and count come from `Box::into_raw` of a slice of
    // `V`, and this runs once, when the space is dropped.
    drop(unsafe { Box::from_raw(slice) });
}
