//! `Cell` and `RefCell`: their contents, read through the usual methods.
//!
//! The twin of a `RefCell` does not count borrows: a predicate only reads, and
//! what a method under test borrows twice is found on real values.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};

use crate::korat::cell::{Lazy, TwinType};
use crate::korat::reach::Reach;
use crate::korat::show::{Shower, Shown};
use crate::korat::space::{Builder, Choices};
use crate::korat::{Deep, Korat, Realizer, Types};

/// A twin that is one cell, shown as the call that makes the real thing.
macro_rules! cell_twin {
    ($twin:ident, $maker:expr) => {
        impl<T: TwinType> TwinType for $twin<T> {
            const INLINE: bool = true;

            fn share(&self) -> Self {
                $twin(self.0.alias())
            }

            fn duplicate(&self) -> Self {
                $twin(self.0.duplicate())
            }

            fn reach(&self, reach: &mut Reach) {
                reach.cell(&self.0);
            }

            fn show(&self, shower: &mut Shower) -> Shown {
                Shown::Wrapped($maker, Box::new(self.0.show(shower)))
            }
        }
    };
}
pub(super) use cell_twin;

/// What a predicate sees in place of a `RefCell`.
pub struct RefCellTwin<T>(Lazy<T>);
cell_twin!(RefCellTwin, "RefCell::new");

impl<T: TwinType> RefCellTwin<T> {
    /// A cell made by a method under test.
    pub fn new(value: T) -> Self {
        RefCellTwin(crate::korat::scratch::cell(value))
    }

    /// As `RefCell::borrow`.
    pub fn borrow(&self) -> RefTwin<'_, T> {
        RefTwin::of(&self.0)
    }

    /// As `RefCell::borrow_mut`.
    pub fn borrow_mut(&self) -> RefMutTwin<'_, T> {
        RefMutTwin::of(&self.0)
    }
}

/// What `borrow` returns.
pub struct RefTwin<'a, T>(&'a Lazy<T>);

impl<'a, T: TwinType> RefTwin<'a, T> {
    pub(super) fn of(cell: &'a Lazy<T>) -> Self {
        RefTwin(cell)
    }
}

impl<T: TwinType> Deref for RefTwin<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// What `borrow_mut` returns.
pub struct RefMutTwin<'a, T> {
    cell: &'a Lazy<T>,
    alias: Lazy<T>,
}

impl<'a, T: TwinType> RefMutTwin<'a, T> {
    pub(super) fn of(cell: &'a Lazy<T>) -> Self {
        RefMutTwin { cell, alias: cell.alias() }
    }
}

impl<T: TwinType> Deref for RefMutTwin<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.alias
    }
}

impl<T: TwinType> DerefMut for RefMutTwin<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        crate::korat::scratch::privatize_shared(self.cell, &mut self.alias)
    }
}

impl<T: Korat> Korat for RefCell<T> {
    type Twin = RefCellTwin<T::Twin>;

    fn class_name() -> String {
        T::class_name()
    }

    fn declare(builder: &mut Builder) {
        T::declare(builder);
    }

    fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
        Choices::inline(RefCellTwin(builder.cell::<T>()))
    }

    fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
        RefCell::new(realizer.field::<T>(&twin.0))
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
        self.borrow().real_rep_ok()
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        Shown::Wrapped("RefCell::new", Box::new(self.borrow().show_real(shower)))
    }
}

/// What a predicate sees in place of a `Cell`.
pub struct CellTwin<T>(Lazy<T>);
cell_twin!(CellTwin, "Cell::new");

impl<T: TwinType> CellTwin<T> {
    /// As `Cell::get`.
    pub fn get(&self) -> T
    where
        T: Copy,
    {
        *self.0
    }

    /// As `Cell::set`.
    pub fn set(&self, value: T) {
        *crate::korat::scratch::privatize_shared(&self.0, &mut self.0.alias()) = value;
    }
}

impl<T: Korat + Copy> Korat for Cell<T> {
    type Twin = CellTwin<T::Twin>;

    fn class_name() -> String {
        T::class_name()
    }

    fn declare(builder: &mut Builder) {
        T::declare(builder);
    }

    fn choices(builder: &mut Builder) -> Choices<Self::Twin> {
        Choices::inline(CellTwin(builder.cell::<T>()))
    }

    fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self {
        Cell::new(realizer.field::<T>(&twin.0))
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
        self.get().real_rep_ok()
    }

    fn show_real(&self, shower: &mut Shower) -> Shown {
        Shown::Wrapped("Cell::new", Box::new(self.get().show_real(shower)))
    }
}
