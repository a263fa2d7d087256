//! What a method under test changes on the twin, undone after the run.
//!
//! A predicate only reads, and then nothing here is used. In white-box mode
//! the method under test writes to cells and makes objects; both live in the
//! scratch of the thread until the run ends.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

use super::cell::{Header, Lazy, TwinType, state};
use super::kinds::object_mut;
use super::trail::NO_CLASS;

thread_local! {
    static USED: Cell<bool> = const { Cell::new(false) };
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch { undo: Vec::new(), memory: Vec::new() })
    };
}

struct Scratch {
    /// Memory as it was: the address, and the bytes before the first write.
    undo: Vec<(*mut u8, Vec<u8>)>,
    memory: Vec<Box<dyn Any>>,
}

/// Puts everything back as it was before the run.
#[inline(always)]
pub(crate) fn undo() {
    if USED.get() {
        undo_all();
    }
}

#[cold]
fn undo_all() {
    USED.set(false);
    let (undo, memory) = SCRATCH.with_borrow_mut(|scratch| {
        (std::mem::take(&mut scratch.undo), std::mem::take(&mut scratch.memory))
    });
    for (address, bytes) in undo.into_iter().rev() {
        // SAFETY: the address belongs to the space or to `memory`, which are
        // both still alive, and the bytes are what it held: handles without
        // drop glue.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address, bytes.len()) };
    }
    drop(memory);
}

/// Remembers a twin that is about to be borrowed mutably.
pub(crate) fn remember<T>(place: *mut T) {
    USED.set(true);
    let mut bytes = vec![0u8; size_of::<T>()];
    // SAFETY: `place` is valid for reads; copying bytes of handles (pointers
    // and indexes, no padding is read back as a value) is how they are shared.
    unsafe {
        std::ptr::copy_nonoverlapping(place.cast::<u8>(), bytes.as_mut_ptr(), bytes.len());
    }
    SCRATCH.with_borrow_mut(|scratch| scratch.undo.push((place.cast(), bytes)));
}

/// A cell with a value of its own, made by a method under test.
pub fn cell<T: TwinType>(value: T) -> Lazy<T> {
    USED.set(true);
    let header = Box::new(Header::new(u32::MAX, 1, NO_CLASS, 0, std::ptr::null()));
    header.state.set(state::SEEN);
    let value = Box::new(value);
    let lazy = Lazy::new(&*header, &*value);
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.memory.push(header);
        scratch.memory.push(value);
    });
    lazy
}

/// An object made by a method under test.
pub(crate) fn object<T: TwinType>(value: T) -> NonNull<()> {
    USED.set(true);
    if T::INLINE {
        return keep(value);
    }
    let cell = cell(value);
    keep(cell)
}

/// Keeps a value until the run ends.
pub(crate) fn lend<'a, V: 'static>(value: V) -> &'a V {
    USED.set(true);
    // SAFETY: the value lives in the scratch until the run ends, and what a
    // predicate borrows it gives back before.
    unsafe { keep(value).cast::<V>().as_ref() }
}

fn keep<V: 'static>(value: V) -> NonNull<()> {
    let mut value = Box::new(value);
    let place = NonNull::from(&mut *value).cast();
    SCRATCH.with_borrow_mut(|scratch| scratch.memory.push(value));
    place
}

/// The elements of a vector made by a method under test.
pub(crate) fn slice<T: TwinType>(cells: Vec<Lazy<T>>) -> *mut Lazy<T> {
    let mut cells = cells.into_boxed_slice();
    let address = cells.as_mut_ptr();
    SCRATCH.with_borrow_mut(|scratch| scratch.memory.push(Box::new(cells)));
    address
}

/// Gives a cell a private copy of its value, to be written to.
pub(crate) fn privatize<T: TwinType>(lazy: &Lazy<T>) -> *mut T {
    if let Some(forward) = lazy.forward() {
        return std::ptr::from_mut(object_mut::<T>(forward.0.as_ptr()));
    }
    let values = lazy.values.get().cast_mut();
    if T::INLINE {
        remember(values);
        return values;
    }
    if !lazy.header().trail.is_null() {
        remember(std::ptr::from_ref(lazy).cast_mut());
        let private = cell(lazy.peek().share());
        lazy.header.set(private.header.get());
        lazy.values.set(private.values.get());
    }
    lazy.values.get().cast_mut()
}

/// As `privatize`, for cells written through a shared borrow.
pub(crate) fn privatize_shared<'a, T: TwinType>(
    shared: &'a Lazy<T>,
    alias: &'a mut Lazy<T>,
) -> &'a mut T {
    let value = privatize(shared);
    alias.header.set(shared.header.get());
    alias.values.set(shared.values.get());
    // SAFETY: the value is private to this cell and lives in the scratch; the
    // user's cell allows the write.
    unsafe { &mut *value }
}
