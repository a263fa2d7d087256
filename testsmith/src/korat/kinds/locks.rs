//! `Mutex` and `RwLock`: their contents, read through the usual methods.
//!
//! The twin is never locked nor poisoned: a predicate runs alone.

use std::ops::Deref;
use std::sync::{LockResult, Mutex, RwLock, TryLockResult};

use super::cells::{RefMutTwin, RefTwin, cell_twin};
use crate::korat::cell::{Lazy, TwinType};
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices};
use crate::korat::{Deep, Korat, Realizer, Types};

macro_rules! lock {
    ($twin:ident, $real:ident, $maker:literal, $read:ident) => {
        /// What a predicate sees in place of the lock of this name.
        pub struct $twin<T>(Lazy<T>);

        impl<T: TwinType> $twin<T> {
            /// A lock made by a method under test.
            pub fn new(value: T) -> Self {
                $twin(crate::korat::scratch::cell(value))
            }
        }

        cell_twin!($twin, $maker);

        impl<T: Korat> Korat for $real<T> {
            type Twin = $twin<T::Twin>;

            fn class_name() -> String {
                T::class_name()
            }

            fn declare(builder: &mut Builder) {
                T::declare(builder);
            }

            fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
                Choices::inline($twin(builder.cell::<T>()))
            }

            fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
                $real::new(realizer.field::<T>(&twin.0))
            }

            fn twin_rep_ok(twin: &Self::Twin) -> bool {
                T::twin_rep_ok(&twin.0)
            }

            fn twin_deep_ok(twin: &Self::Twin, deep: &mut Deep) -> bool {
                T::twin_deep_ok(&twin.0, deep)
            }

            fn types(types: &mut Types) {
                T::types(types);
            }

            fn real_rep_ok(&self) -> bool {
                self.$read().is_ok_and(|inside| inside.real_rep_ok())
            }

            fn show_real(&self, shower: &mut Shower) -> Shown {
                let inside = match self.$read() {
                    Ok(inside) => inside,
                    Err(poisoned) => poisoned.into_inner(),
                };
                Shown::Wrapped($maker, Box::new(inside.deref().show_real(shower)))
            }
        }
    };
}
lock!(MutexTwin, Mutex, "std::sync::Mutex::new", lock);
lock!(RwLockTwin, RwLock, "std::sync::RwLock::new", read);

impl<T: TwinType> MutexTwin<T> {
    /// As `Mutex::lock`.
    pub fn lock(&self) -> LockResult<RefMutTwin<'_, T>> {
        Ok(RefMutTwin::of(&self.0))
    }

    /// As `Mutex::try_lock`.
    pub fn try_lock(&self) -> TryLockResult<RefMutTwin<'_, T>> {
        Ok(RefMutTwin::of(&self.0))
    }

    /// As `Mutex::is_poisoned`.
    pub fn is_poisoned(&self) -> bool {
        false
    }
}

impl<T: TwinType> RwLockTwin<T> {
    /// As `RwLock::read`.
    pub fn read(&self) -> LockResult<RefTwin<'_, T>> {
        Ok(RefTwin::of(&self.0))
    }

    /// As `RwLock::write`.
    pub fn write(&self) -> LockResult<RefMutTwin<'_, T>> {
        Ok(RefMutTwin::of(&self.0))
    }

    /// As `RwLock::is_poisoned`.
    pub fn is_poisoned(&self) -> bool {
        false
    }
}
