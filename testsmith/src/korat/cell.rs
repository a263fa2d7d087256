//! The fields of a twin: cells that note when the predicate looks at them.
//!
//! A twin is a copy of the user's type in which every field is a [`Lazy`].
//! A cell does not hold its value: it points at the list of values its field
//! may take and at a [`Header`] that says which of them is current. Moving to
//! the next candidate therefore writes one number and allocates nothing.
//!
//! This file knows nothing of search order; see `trail` for who is pushed when.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use super::trail::Trail;

/// What the search knows of a cell during one exploration.
pub(crate) mod state {
    /// The predicate has not looked at the field.
    pub const UNSEEN: u8 = 0;
    /// The field is on the trail (or has only one value): its index may be read.
    pub const SEEN: u8 = 1;
    /// A generator restricted the field, nobody has read its value yet.
    pub const HELD: u8 = 2;
}

/// The changing part of a cell, shared between the twin and the search.
pub struct Header {
    pub(crate) state: Cell<u8>,
    pub(crate) index: Cell<u32>,
    pub(crate) id: u32,
    /// The generator call that holds the field, if one does.
    pub(crate) call: Cell<u32>,
    pub(crate) trail: *const Trail,
}

/// A type that a predicate sees in place of the user's own.
///
/// Implemented by the library for plain values and containers, and by
/// `#[derive(Korat)]` for the twins it makes.
pub trait TwinType: Sized + 'static {
    /// Whether a field of this type has exactly one value whose parts are
    /// cells themselves (a struct, a vector), so that reading it decides
    /// nothing and is not noted.
    const INLINE: bool;

    /// A second handle to the same value: plain values are cloned, cells and
    /// pointers keep pointing where they point.
    fn share(&self) -> Self;

    /// Visits every cell that can be reached from here.
    fn reach(&self, reach: &mut super::trail::Reach);

    /// Describes the value, for people.
    fn show(&self, shower: &mut super::show::Shower) -> super::show::Shown;
}

/// A field of a twin. Dereferencing it is how a predicate reads the field.
///
/// Both pointers may be exchanged while a method under test runs on the twin;
/// see `scratch`.
pub struct Lazy<T> {
    pub(crate) header: Cell<*const Header>,
    pub(crate) values: Cell<*const T>,
}

impl<T> Lazy<T> {
    /// A second handle to the same cell.
    pub(crate) fn alias(&self) -> Self {
        Lazy { header: self.header.clone(), values: self.values.clone() }
    }

    pub(crate) fn new(header: *const Header, values: *const T) -> Self {
        Lazy { header: Cell::new(header), values: Cell::new(values) }
    }

    pub(crate) fn header(&self) -> &Header {
        debug_assert!(!self.header.get().is_null(), "inline cells have no header");
        // SAFETY: headers live in the `Space` (or, for cells made by a method
        // under test, in the trail's scratch), which outlives every handle.
        unsafe { &*self.header.get() }
    }

    /// The current value, without noting the read.
    pub(crate) fn peek(&self) -> &T {
        let index =
            if self.header.get().is_null() { 0 } else { self.header().index.get() as usize };
        // SAFETY: `values` points at the list of the cell's values, owned by
        // the `Space`, and the search keeps every index below its length.
        unsafe { &*self.values.get().add(index) }
    }

    /// The value with this index, for generators.
    pub(crate) fn value(&self, index: u32) -> &T {
        // SAFETY: callers stay below the domain size kept by the trail.
        unsafe { &*self.values.get().add(index as usize) }
    }
}

impl<T: TwinType + Ord> Lazy<T> {
    /// How many distinct values of the domain are greater than `value`.
    pub(crate) fn greater_than(&self, value: &T) -> usize {
        // SAFETY: the trail is boxed in the `Space` that owns the header.
        let size = unsafe { &*self.header().trail }.size(self.header().id);
        let mut greater: Vec<&T> = (0..size).map(|i| self.value(i)).collect();
        greater.retain(|other| *other > value);
        greater.sort_unstable();
        greater.dedup();
        greater.len()
    }
}

impl<T: TwinType> Deref for Lazy<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        if T::INLINE {
            // SAFETY: as in `peek`; an inline cell has one value.
            return unsafe { &*self.values.get() };
        }
        // SAFETY: as in `header`.
        let header = unsafe { &*self.header.get() };
        if header.state.get() != state::SEEN {
            note(header);
        }
        // SAFETY: as in `peek`.
        unsafe { &*self.values.get().add(header.index.get() as usize) }
    }
}

#[cold]
#[inline(never)]
fn note(header: &Header) {
    // SAFETY: the trail is boxed in the `Space` that owns the header.
    unsafe { &*header.trail }.read(header);
}

impl<T: TwinType> DerefMut for Lazy<T> {
    /// Writing gives the cell a private value until the end of the run, so
    /// that a method under test may run on the twin and leave no trace.
    fn deref_mut(&mut self) -> &mut T {
        let _: &T = self;
        let value = super::scratch::privatize::<T>(self);
        // SAFETY: the value is private to this cell (or is made of cells), lives
        // until the run ends, and the field is borrowed mutably.
        unsafe { &mut *value }
    }
}

impl<T: TwinType> TwinType for Lazy<T> {
    const INLINE: bool = false;

    fn share(&self) -> Self {
        self.alias()
    }

    fn reach(&self, reach: &mut super::trail::Reach) {
        reach.cell(self);
    }

    fn show(&self, shower: &mut super::show::Shower) -> super::show::Shown {
        self.peek().show(shower)
    }
}

impl<T: TwinType + std::fmt::Debug> std::fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.peek().fmt(f)
    }
}
