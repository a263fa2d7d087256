//! Pointers: `Box` owns, `NonNull` and raw pointers may alias; `Rc` and `Arc` are
//! in `shared`.
//!
//! A twin pointer refers to a preallocated object of its class. What a `Box`
//! points at is always fresh, so a structure of boxes is a tree whatever its
//! predicate says. A raw pointer or `NonNull` is taken to be owned by the
//! structure: when a candidate is realized each object is one `Box` turned
//! into a pointer, and freeing it is up to the structure's own `Drop`.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::korat::cell::{Lazy, TwinType};
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices, Family};
use crate::korat::{Deep, Korat, Realizer, Types};

/// A pointer to an object of some type, for cells whose value is elsewhere.
/// A `BoxTwin` has the same layout.
#[repr(transparent)]
pub struct Place(pub(crate) NonNull<()>);

impl TwinType for Place {
    const INLINE: bool = false;

    fn share(&self) -> Self {
        Place(self.0)
    }

    fn reach(&self, _: &mut Reach) {}

    fn show(&self, _: &mut Shower) -> Shown {
        unreachable!("what the cell leads to is shown")
    }
}

/// The object at a place: a twin, or a cell if the type is not made of cells.
pub(crate) fn object<'a, T: TwinType>(place: *const ()) -> &'a T {
    if T::INLINE {
        // SAFETY: `place` is an object of the space or of the scratch of the
        // current run, and outlives every handle that predicates can get.
        unsafe { &*place.cast::<T>() }
    } else {
        // SAFETY: as above; objects of other types are stored as cells.
        unsafe { &*place.cast::<Lazy<T>>() }
    }
}

pub(crate) fn object_mut<'a, T: TwinType>(place: *mut ()) -> &'a mut T {
    if T::INLINE {
        crate::korat::scratch::remember(place.cast::<T>());
        // SAFETY: as in `object`; the user's own borrow checking of the `Box`
        // (or `RefCell`) it stands for makes the borrow unique.
        unsafe { &mut *place.cast::<T>() }
    } else {
        // SAFETY: as above.
        unsafe { &mut *place.cast::<Lazy<T>>() }
    }
}

/// Walks through a pointer without noting a read.
pub(crate) fn reach_object<T: TwinType>(place: *const (), owned: bool, reach: &mut Reach) {
    let new = if owned { reach.enter_owned(place) } else { reach.enter(place) };
    if !new {
        return;
    }
    if T::INLINE {
        object::<T>(place).reach(reach);
    } else {
        // SAFETY: as in `object`.
        reach.cell(unsafe { &*place.cast::<Lazy<T>>() });
    }
}

/// The object behind a pointer, without noting a read.
pub(crate) fn peek_object<'a, T: TwinType>(place: *const ()) -> &'a T {
    if T::INLINE {
        object::<T>(place)
    } else {
        // SAFETY: as in `object`.
        unsafe { &*place.cast::<Lazy<T>>() }.peek()
    }
}

/// How the object behind a pointer is got at to be copied.
pub(super) fn object_to_copy<T: TwinType>(reads: bool) -> fn(*const ()) -> &'static T {
    if reads { object } else { peek_object }
}

pub(super) fn show_object<T: TwinType>(
    place: *const (),
    maker: &'static str,
    shower: &mut Shower,
) -> Shown {
    match shower.enter(place) {
        Err(known) => Shown::Link(known),
        Ok(new) => {
            let inside = peek_object::<T>(place).show(shower);
            Shown::Object { number: new, maker, inside: Box::new(inside) }
        }
    }
}

/// As `show_object`, for real values.
pub(super) fn show_real_object<T: Korat>(
    target: &T,
    maker: &'static str,
    shower: &mut Shower,
) -> Shown {
    match shower.enter(std::ptr::from_ref(target).cast()) {
        Err(known) => Shown::Link(known),
        Ok(new) => {
            let inside = Box::new(target.show_real(shower));
            Shown::Object { number: new, maker, inside }
        }
    }
}

pub(super) fn pointers<T: Korat, P>(
    builder: &mut Builder,
    family: Family,
    make: impl Fn(NonNull<()>) -> P,
) -> Choices<P> {
    let objects = builder.objects::<T>(family);
    let place = |place| make(NonNull::new(place).expect("objects are never at null"));
    Choices {
        class: objects.class,
        owned: family == Family::Owned,
        ..Choices::plain(objects.addresses().map(place).collect())
    }
}

macro_rules! pointer_twin {
    ($twin:ident, $maker:literal, $owned:literal, |$this:ident| $duplicate:expr) => {
        impl<T: TwinType> TwinType for $twin<T> {
            const INLINE: bool = false;

            fn share(&self) -> Self {
                $twin { place: self.place, marker: PhantomData }
            }

            fn duplicate(&self) -> Self {
                let $this = self;
                $duplicate
            }

            fn reach(&self, reach: &mut Reach) {
                reach_object::<T>(self.place.as_ptr(), $owned, reach);
            }

            fn show(&self, shower: &mut Shower) -> Shown {
                show_object::<T>(self.place.as_ptr(), $maker, shower)
            }
        }

        impl<T: TwinType> Deref for $twin<T> {
            type Target = T;

            #[inline(always)]
            fn deref(&self) -> &T {
                object(self.place.as_ptr())
            }
        }

        impl<T: TwinType> AsRef<T> for $twin<T> {
            fn as_ref(&self) -> &T {
                self
            }
        }

        impl<T: TwinType + PartialEq> PartialEq for $twin<T> {
            fn eq(&self, other: &Self) -> bool {
                **self == **other
            }
        }

        impl<T: TwinType + Eq> Eq for $twin<T> {}

        impl<T: TwinType + PartialOrd> PartialOrd for $twin<T> {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                (**self).partial_cmp(other)
            }
        }

        impl<T: TwinType + Ord> Ord for $twin<T> {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                (**self).cmp(other)
            }
        }

        impl<T: TwinType + std::hash::Hash> std::hash::Hash for $twin<T> {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                (**self).hash(state);
            }
        }

        impl<T: TwinType + std::fmt::Debug> std::fmt::Debug for $twin<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}
pub(super) use pointer_twin;

/// What a predicate sees in place of a `Box`.
#[repr(transparent)]
pub struct BoxTwin<T> {
    place: NonNull<()>,
    marker: PhantomData<T>,
}
pointer_twin!(BoxTwin, "Box::new", true, |this| BoxTwin::new((**this).duplicate()));

impl<T: TwinType> BoxTwin<T> {
    /// A new object, made by a method under test; it lives until the run ends.
    pub fn new(value: T) -> Self {
        BoxTwin { place: crate::korat::scratch::object(value), marker: PhantomData }
    }
}

impl<T: TwinType + Clone> Clone for BoxTwin<T> {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}

impl<T: TwinType> DerefMut for BoxTwin<T> {
    fn deref_mut(&mut self) -> &mut T {
        object_mut(self.place.as_ptr())
    }
}

impl<T: Korat> Korat for Box<T> {
    type Twin = BoxTwin<T::Twin>;

    fn class_name() -> String {
        T::class_name()
    }

    fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
        pointers::<T, _>(builder, Family::Owned, |place| BoxTwin { place, marker: PhantomData })
    }

    fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
        let twin = object_to_copy(realizer.reads())(twin.place.as_ptr());
        Box::new(T::realize(twin, realizer))
    }

    fn twin_rep_ok(twin: &Self::Twin) -> bool {
        T::twin_rep_ok(twin)
    }

    fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
        T::twin_deep_ok(twin, deep)
    }

    fn types(types: &mut Types) {
        T::types(types);
    }

    fn real_rep_ok(&self) -> bool {
        T::real_rep_ok(self)
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        // Its own, even where objects without contents share an address.
        let number = shower.fresh();
        Shown::Object { number, maker: "Box::new", inside: Box::new(T::show_real(self, shower)) }
    }
}

macro_rules! raw_twin {
    ($twin:ty, |$pointer:ident| $place:expr) => {
        impl<T: TwinType> TwinType for $twin {
            const INLINE: bool = false;

            fn share(&self) -> Self {
                *self
            }

            fn reach(&self, reach: &mut Reach) {
                let $pointer = self;
                if let Some(place) = $place {
                    reach_object::<T>(place.as_ptr().cast(), false, reach);
                }
            }

            fn show(&self, shower: &mut Shower) -> Shown {
                let $pointer = self;
                match $place {
                    None => Shown::Nothing,
                    Some(place) => show_object::<T>(place.as_ptr().cast(), "pointer to", shower),
                }
            }
        }
    };
}
raw_twin!(NonNull<T>, |pointer| Some(*pointer));
raw_twin!(*mut T, |pointer| NonNull::new(*pointer));
raw_twin!(*const T, |pointer| NonNull::new(pointer.cast_mut()));

/// The compile-time check that raw pointers lead to objects made of fields: a
/// predicate dereferences them without our help.
trait RawTarget {
    const CHECKED: ();
}

impl<T: TwinType> RawTarget for T {
    const CHECKED: () = assert!(
        T::INLINE && size_of::<T>() > 0,
        "raw pointers and NonNull must point at a derived struct with fields; wrap the value in one"
    );
}

fn raw_choices<T: Korat, P>(
    builder: &mut Builder,
    make: impl Fn(NonNull<T::Twin>) -> P,
) -> Choices<P> {
    let () = <T::Twin as RawTarget>::CHECKED;
    pointers::<T, _>(builder, Family::Raw, |place| make(place.cast()))
}

/// The predicates behind a raw pointer.
fn raw_deep_ok<T: Korat>(target: Option<NonNull<T::Twin>>, deep: &mut Deep) -> bool {
    target.is_none_or(|target| {
        // SAFETY: a twin's pointer leads to an object of its space.
        !deep.enter(target.as_ptr().cast()) || T::twin_deep_ok(unsafe { target.as_ref() }, deep)
    })
}

fn show_raw<T: Korat>(target: Option<NonNull<T>>, shower: &mut Shower) -> Shown {
    match target {
        None => Shown::Nothing,
        // SAFETY: a pointer field belongs to its structure, and `show_real` is
        // asked only of structures whose `rep_ok`, which follows the same
        // pointers, holds.
        Some(target) => show_real_object(unsafe { target.as_ref() }, "pointer to", shower),
    }
}

impl<T: Korat> Korat for NonNull<T> {
    type Twin = NonNull<T::Twin>;

    fn class_name() -> String {
        T::class_name()
    }

    fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
        raw_choices::<T, _>(builder, |place| place)
    }

    fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
        realizer.raw::<T>(*twin)
    }

    fn twin_rep_ok(_: &Self::Twin) -> bool {
        true
    }

    fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
        raw_deep_ok::<T>(Some(*twin), deep)
    }

    fn types(types: &mut Types) {
        T::types(types);
    }

    fn real_rep_ok(&self) -> bool {
        true
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        show_raw(Some(*self), shower)
    }
}

macro_rules! raw_korat {
    ($pointer:ty, $twin:ty, $null:expr, $cast:expr) => {
        impl<T: Korat> Korat for $pointer {
            type Twin = $twin;

            fn class_name() -> String {
                T::class_name()
            }

            fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
                let to = raw_choices::<T, Self::Twin>(builder, $cast);
                let mut values: Vec<Self::Twin> = vec![$null];
                values.extend(to.values);
                Choices { class: to.class, first: 1, ..Choices::plain(values) }
            }

            fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
                match NonNull::new(*twin as *mut T::Twin) {
                    None => $null,
                    Some(twin) => realizer.raw::<T>(twin).as_ptr(),
                }
            }

            fn twin_rep_ok(_: &Self::Twin) -> bool {
                true
            }

            fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
                raw_deep_ok::<T>(NonNull::new(*twin as *mut T::Twin), deep)
            }

            fn types(types: &mut Types) {
                T::types(types);
            }

            fn real_rep_ok(&self) -> bool {
                true
            }

            fn show_real(&self, shower: &mut Shower) -> Shown {
                show_raw(NonNull::new(*self as *mut T), shower)
            }
        }
    };
}
raw_korat!(*mut T, *mut T::Twin, std::ptr::null_mut(), |place| place.as_ptr());
raw_korat!(*const T, *const T::Twin, std::ptr::null(), |place| place.as_ptr().cast_const());
