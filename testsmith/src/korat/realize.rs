//! Real values from twins.
//!
//! Objects that may be shared or form cycles are allocated first and filled
//! later, from a work list; boxes are simply nested.

use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Arc;

use super::Korat;
use super::cell::Lazy;
use super::trail::Trail;

type Fill = Box<dyn FnOnce(&mut Realizer)>;

/// The objects of one real value under construction.
pub struct Realizer<'a> {
    /// Where arenas tell how much of them is used. A predicate that runs has
    /// none: what is copied for it, it reads.
    trail: Option<&'a Trail>,
    /// Twin object to real object, an `Rc` or a raw pointer.
    made: HashMap<*const (), *const ()>,
    unfilled: Vec<Fill>,
    /// Strong references that keep shared objects alive meanwhile.
    release: Vec<Box<dyn FnOnce()>>,
}

/// Makes the real value of a twin.
pub(crate) fn realize<T: Korat>(twin: &T::Twin, trail: &Trail) -> T {
    make(twin, Some(trail))
}

/// The real value of a twin for code that cannot run on the twin: a predicate
/// that asks for it reads all of it. It lives until the run ends.
pub fn real<'a, T: Korat>(twin: &T::Twin) -> &'a T {
    super::scratch::lend(make::<T>(twin, None))
}

/// A copy of a field's value, which reads all of it.
pub(crate) fn copy<T: Korat>(cell: &Lazy<T::Twin>) -> T {
    make::<T>(cell, None)
}

fn make<T: Korat>(twin: &T::Twin, trail: Option<&Trail>) -> T {
    let mut realizer =
        Realizer { trail, made: HashMap::new(), unfilled: Vec::new(), release: Vec::new() };
    let root = T::realize(twin, &mut realizer);
    while let Some(fill) = realizer.unfilled.pop() {
        fill(&mut realizer);
    }
    for release in std::mem::take(&mut realizer.release) {
        release();
    }
    root
}

impl Realizer<'_> {
    /// The real value of a twin's field.
    pub fn field<T: Korat>(&mut self, cell: &Lazy<T::Twin>) -> T {
        if self.trail.is_none() {
            super::guard::enter();
            return T::realize(cell, self);
        }
        T::realize(cell.peek(), self)
    }

    /// Whether what is copied is read by a predicate that runs.
    pub(crate) fn reads(&self) -> bool {
        self.trail.is_none()
    }

    /// How many objects of an arena are in use.
    pub(crate) fn arena_len(&self, class: u32) -> usize {
        let trail = self.trail.expect("a predicate reads the length instead");
        (trail.inner.borrow().classes[class as usize].high + 1) as usize
    }

    /// The real object behind a raw pointer; the structure owns it.
    pub(crate) fn raw<T: Korat>(&mut self, twin: NonNull<T::Twin>) -> NonNull<T> {
        // Nothing says who frees a copy, nor whether that can be done at all
        // before the structure is known to be valid.
        assert!(
            !self.reads(),
            "`{}` is behind a raw pointer: what `rep_ok` calls must be in `#[korat]` blocks here",
            T::class_name()
        );
        let place: *const () = twin.as_ptr().cast();
        if let Some(made) = self.made.get(&place) {
            return NonNull::new(made.cast::<T>().cast_mut()).expect("boxes are never at null");
        }
        let room = Box::leak(Box::new(MaybeUninit::<T>::uninit()));
        let real: NonNull<T> = NonNull::from(room).cast();
        self.made.insert(place, real.as_ptr().cast());
        self.unfilled.push(Box::new(move |realizer| {
            // SAFETY: the twin is an object of the space that is being realized.
            let value = T::realize(unsafe { twin.as_ref() }, realizer);
            // SAFETY: the room was leaked for this value and holds nothing yet.
            unsafe { real.write(value) };
        }));
        real
    }
}

macro_rules! shared_objects {
    ($name:ident, $real:ident) => {
        impl Realizer<'_> {
            /// The real pointer to a shared object.
            pub(crate) fn $name<T: Korat>(
                &mut self,
                place: *const (),
                peek: fn(*const ()) -> &'static T::Twin,
            ) -> $real<T> {
                if let Some(made) = self.made.get(&place) {
                    let pointer = made.cast::<T>();
                    // SAFETY: `pointer` came from `$real::into_raw` below and the count
                    // held in `release` keeps it alive; incrementing makes the handle
                    // returned here a count of its own.
                    return unsafe {
                        $real::increment_strong_count(pointer);
                        $real::from_raw(pointer)
                    };
                }
                // The memory is filled before `realize` returns, and nothing reads or
                // drops a `T` before: user code does not run in between.
                let pointer = $real::into_raw($real::<T>::new_uninit()).cast::<T>();
                self.made.insert(place, pointer.cast());
                self.unfilled.push(Box::new(move |realizer| {
                    let value = T::realize(peek(place), realizer);
                    // SAFETY: the allocation is ours, has the layout of `T`, and holds
                    // nothing yet.
                    unsafe { pointer.cast_mut().write(value) };
                }));
                // SAFETY: releases the count that `into_raw` left, once, at the end.
                self.release.push(Box::new(move || drop(unsafe { $real::from_raw(pointer) })));
                // SAFETY: as for an object made before.
                unsafe {
                    $real::increment_strong_count(pointer);
                    $real::from_raw(pointer)
                }
            }
        }
    };
}
shared_objects!(shared, Rc);
shared_objects!(atomic, Arc);
