//! Shared pointers, `Rc` and `Arc`, and the weak ones that go with them: they
//! choose between any object in use and one fresh.

use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::{rc, sync};

use super::pointers::{
    object, object_to_copy, pointer_twin, pointers, reach_object, show_object, show_real_object,
};
use crate::korat::cell::TwinType;
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices, Family};
use crate::korat::{Deep, Korat, Realizer, Types};

macro_rules! shared_pointer {
    ($twin:ident, $weak_twin:ident, $real:ident, $weak:ident, $maker:literal, $family:expr,
        $realize:ident) => {
        /// What a predicate sees in place of a shared pointer.
        pub struct $twin<T> {
            place: NonNull<()>,
            marker: PhantomData<T>,
        }
        pointer_twin!($twin, $maker, false, |this| this.share());

        impl<T: TwinType> $twin<T> {
            /// A new object, made by a method under test.
            pub fn new(value: T) -> Self {
                $twin { place: crate::korat::scratch::object(value), marker: PhantomData }
            }

            /// Whether both point at the same object.
            pub fn ptr_eq(this: &Self, other: &Self) -> bool {
                this.place == other.place
            }

            /// The address of the object, good for telling objects apart.
            pub fn as_ptr(this: &Self) -> *const T {
                this.place.as_ptr() as *const T
            }

            /// A weak pointer to the same object.
            pub fn downgrade(this: &Self) -> $weak_twin<T> {
                $weak_twin { place: Some(this.place), marker: PhantomData }
            }
        }

        impl<T: TwinType> Clone for $twin<T> {
            fn clone(&self) -> Self {
                self.share()
            }
        }

        impl<T: Korat> Korat for $real<T> {
            type Twin = $twin<T::Twin>;

            fn class_name() -> String {
                T::class_name()
            }

            fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
                pointers::<T, _>(builder, $family, |place| $twin { place, marker: PhantomData })
            }

            fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
                realizer.$realize::<T>(twin.place.as_ptr(), object_to_copy(realizer.reads()))
            }

            fn twin_rep_ok(twin: &Self::Twin) -> bool {
                T::twin_rep_ok(twin)
            }

            fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
                !deep.enter(twin.place.as_ptr()) || T::twin_deep_ok(twin, deep)
            }

            fn types(types: &mut Types) {
                T::types(types);
            }

            fn real_rep_ok(&self) -> bool {
                T::real_rep_ok(self)
            }

            fn show_real(&self, shower: &mut Shower) -> Shown {
                show_real_object::<T>(self, $maker, shower)
            }
        }

        /// What a predicate sees in place of a `Weak`: nothing, or an object that some
        /// shared pointer of the structure keeps alive. Candidates whose weak pointers dangle
        /// are the same as those with nothing, and are left out.
        pub struct $weak_twin<T> {
            place: Option<NonNull<()>>,
            marker: PhantomData<T>,
        }

        impl<T: TwinType> $weak_twin<T> {
            /// A weak pointer to nothing.
            pub fn new() -> Self {
                $weak_twin { place: None, marker: PhantomData }
            }

            /// The object, if there is one.
            pub fn upgrade(&self) -> Option<$twin<T>> {
                self.place.map(|place| $twin { place, marker: PhantomData })
            }

            /// Whether both point at the same object.
            pub fn ptr_eq(&self, other: &Self) -> bool {
                self.place == other.place
            }
        }

        impl<T: TwinType> Default for $weak_twin<T> {
            fn default() -> Self {
                $weak_twin::new()
            }
        }

        impl<T: TwinType> Clone for $weak_twin<T> {
            fn clone(&self) -> Self {
                self.share()
            }
        }

        impl<T: TwinType> TwinType for $weak_twin<T> {
            const INLINE: bool = false;

            fn share(&self) -> Self {
                $weak_twin { place: self.place, marker: PhantomData }
            }

            fn reach(&self, reach: &mut Reach) {
                if let Some(place) = self.place {
                    reach.weak(place.as_ptr());
                }
            }

            fn show(&self, shower: &mut Shower) -> Shown {
                match self.place {
                    None => Shown::Atom("Weak::new()".to_owned()),
                    Some(place) => Shown::Weak(shower.number(place.as_ptr())),
                }
            }
        }

        impl<T: Korat> Korat for $weak<T> {
            type Twin = $weak_twin<T::Twin>;

            fn class_name() -> String {
                T::class_name()
            }

            fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
                builder.note_weak();
                let to = pointers::<T, _>(builder, $family, |place| $weak_twin {
                    place: Some(place),
                    marker: PhantomData,
                });
                let mut values = vec![$weak_twin { place: None, marker: PhantomData }];
                values.extend(to.values);
                Choices { class: to.class, first: 1, ..Choices::plain(values) }
            }

            fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
                match twin.place {
                    None => $weak::new(),
                    Some(place) => {
                        let object = object_to_copy(realizer.reads());
                        $real::downgrade(&realizer.$realize::<T>(place.as_ptr(), object))
                    }
                }
            }

            fn twin_rep_ok(_: &Self::Twin) -> bool {
                true
            }

            fn real_rep_ok(&self) -> bool {
                true
            }

            fn show_real(&self, shower: &mut Shower) -> Shown {
                match self.upgrade() {
                    None => Shown::Atom("Weak::new()".to_owned()),
                    Some(target) => Shown::Weak(shower.number($real::as_ptr(&target).cast())),
                }
            }
        }
    };
}

use rc::{Rc, Weak as RcWeak};
use sync::{Arc, Weak as ArcWeak};

shared_pointer!(RcTwin, RcWeakTwin, Rc, RcWeak, "Rc::new", Family::Shared, shared);
shared_pointer!(ArcTwin, ArcWeakTwin, Arc, ArcWeak, "Arc::new", Family::Atomic, atomic);
