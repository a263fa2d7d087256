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

use super::kinds::{Place, object, peek_object};
use super::mask::Slot;
use super::trail::Trail;

/// What the search knows of a cell during one exploration.
pub(crate) mod state {
    /// The predicate has not looked at the field.
    pub const UNSEEN: u8 = 0;
    /// The field is on the trail (or has only one value): its index may be read.
    pub const SEEN: u8 = 1;
    /// A generator restricted the field, nobody has read its value yet.
    pub const HELD: u8 = 2;
    /// The value is an object of its own, behind another cell.
    pub const FORWARD: u8 = 3;
}

/// How the next value of a field is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Every value of the domain, in order.
    Plain,
    /// A pointer that may alias: any object seen, one fresh.
    Shared,
    /// An optional `Box`: one fresh object.
    Owned,
    /// Any of these where values also claim objects of other fields.
    Claiming,
}

/// What the twin and the search share of a cell: the changing part, and what
/// the search asks for at every step.
pub struct Header {
    pub(crate) state: Cell<u8>,
    pub(crate) kind: Cell<Kind>,
    pub(crate) index: Cell<u32>,
    pub(crate) id: u32,
    /// The number of values.
    pub(crate) size: u32,
    /// The class of the objects it may point at.
    pub(crate) class: u32,
    /// The index of the first object of `class` in the domain.
    pub(crate) first: u32,
    /// The restriction in force, while a generator holds the field.
    pub(crate) held: Cell<u32>,
    /// The number of the generator call that made it; of a field that was read,
    /// the call that restricted it, if one did.
    pub(crate) call: Cell<u32>,
    /// The place of a field that is varied among those.
    pub(crate) wheel: Cell<u32>,
    /// For a field on the stack: whether it was held before it was read.
    pub(crate) was_held: Cell<bool>,
    /// For a field on the stack: `high` of its class before its value was
    /// chosen, the cached maximum.
    pub(crate) high_before: Cell<i32>,
    /// For a field on the stack: the values that it may take.
    pub(crate) mask: Slot,
    pub(crate) trail: *const Trail,
}

impl Header {
    pub(crate) fn new(id: u32, size: u32, class: u32, first: u32, trail: *const Trail) -> Header {
        Header {
            state: Cell::new(state::UNSEEN),
            kind: Cell::new(Kind::Plain),
            index: Cell::new(0),
            id,
            size,
            class,
            first,
            held: Cell::new(u32::MAX),
            call: Cell::new(u32::MAX),
            wheel: Cell::new(0),
            was_held: Cell::new(false),
            high_before: Cell::new(-1),
            mask: Slot::default(),
            trail,
        }
    }
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

    /// A copy that shares no cell with the value, for `clone`.
    fn duplicate(&self) -> Self {
        self.share()
    }

    /// Visits every cell that can be reached from here.
    fn reach(&self, reach: &mut super::reach::Reach);

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
    pub(crate) fn peek(&self) -> &T
    where
        T: TwinType,
    {
        if let Some(forward) = self.forward() {
            return peek_object(forward.peek().0.as_ptr());
        }
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

/// A type that contains itself without a pointer, in a `Vec` for instance, is
/// kept as an object of its own inside itself, as if in a `Box`. Its cell leads
/// to the cell of that box: an inline one has no values and the box in the
/// place of its header, another has a header that says so and the box in the
/// place of its values.
impl<T: TwinType> Lazy<T> {
    pub(crate) fn forwarding(to: *const Lazy<Place>, header: *const Header) -> Self {
        match T::INLINE {
            true => Lazy::new(to.cast(), std::ptr::null()),
            false => Lazy::new(header, to.cast()),
        }
    }

    /// The box behind the cell, if that is where its value is.
    pub(crate) fn forward(&self) -> Option<&Lazy<Place>> {
        let to: *const () = match T::INLINE {
            true if self.values.get().is_null() => self.header.get().cast(),
            false if self.header().state.get() == state::FORWARD => self.values.get().cast(),
            _ => return None,
        };
        // SAFETY: `forwarding` put it there, and the space keeps it.
        Some(unsafe { &*to.cast::<Lazy<Place>>() })
    }

    /// The value behind the box, which notes the reads that lead to it.
    #[cold]
    #[inline(never)]
    fn follow(&self) -> &T {
        let place = self.forward().expect("asked of forwarding cells only");
        object(place.0.as_ptr())
    }
}

/// A field is read for the first time; `true` if its value is elsewhere.
#[cold]
#[inline(never)]
fn first_read(header: &Header) -> bool {
    if header.state.get() == state::FORWARD {
        return true;
    }
    // SAFETY: the trail is boxed in the `Space` that owns the header.
    unsafe { &*header.trail }.read(header);
    false
}

impl<T: TwinType> Deref for Lazy<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        if T::INLINE {
            if self.values.get().is_null() {
                return self.follow();
            }
            // SAFETY: as in `peek`; an inline cell has one value.
            return unsafe { &*self.values.get() };
        }
        // SAFETY: as in `header`.
        let header = unsafe { &*self.header.get() };
        if header.state.get() != state::SEEN && first_read(header) {
            return self.follow();
        }
        // SAFETY: as in `peek`.
        unsafe { &*self.values.get().add(header.index.get() as usize) }
    }
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

    fn duplicate(&self) -> Self {
        super::scratch::cell((**self).duplicate())
    }

    fn reach(&self, reach: &mut super::reach::Reach) {
        reach.cell(self);
    }

    fn show(&self, shower: &mut super::show::Shower) -> super::show::Shown {
        self.peek().show(shower)
    }
}

/// What values can do, their fields can: it reads them.
mod as_values {
    use std::cmp::Ordering;
    use std::fmt;
    use std::hash::{Hash, Hasher};

    use super::{Lazy, TwinType};

    impl<T: TwinType + fmt::Debug> fmt::Debug for Lazy<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            (**self).fmt(f)
        }
    }

    impl<T: TwinType + PartialEq> PartialEq for Lazy<T> {
        fn eq(&self, other: &Self) -> bool {
            **self == **other
        }
    }

    impl<T: TwinType + Eq> Eq for Lazy<T> {}

    impl<T: TwinType + PartialOrd> PartialOrd for Lazy<T> {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            (**self).partial_cmp(other)
        }
    }

    impl<T: TwinType + Ord> Ord for Lazy<T> {
        fn cmp(&self, other: &Self) -> Ordering {
            (**self).cmp(other)
        }
    }

    impl<T: TwinType + Hash> Hash for Lazy<T> {
        fn hash<H: Hasher>(&self, state: &mut H) {
            (**self).hash(state);
        }
    }

    impl<T: TwinType + Clone> Clone for Lazy<T> {
        fn clone(&self) -> Self {
            self.duplicate()
        }
    }
}
