//! What the expansions of the macros refer to. Not for use by hand.

pub use super::answer::{Answer, AnythingGoes, Probe, Returned, of_generic, spelled};
pub use super::calls::{Argument, Listed, Sequence, Unlisted};
pub use super::cell::{Lazy, TwinType};
pub use super::generators::twin::*;
pub use super::guard::{enter, tick};
pub use super::kinds::{
    ArcTwin as Arc, ArcWeakTwin as ArcWeak, ArrayTwin as Array, BoxTwin as Box, CellTwin as Cell,
    Fixed, HashMapTwin as HashMap, HashSetTwin as HashSet, Iter, MapTwin as BTreeMap,
    MutexTwin as Mutex, Patterned, PatternedArray, RcTwin as Rc, RcWeakTwin as Weak,
    RefCellTwin as RefCell, RefMutTwin as RefMut, RefTwin as Ref, RwLockTwin as RwLock,
    SetTwin as BTreeSet, SliceTwin as Slice, VecTwin as Vec,
};
pub use super::necessary::{
    CalledOn, Known, KnownOption, Must, PLAIN, Unknown, Word, forget_must, must_next, predicate,
    take_must,
};
pub use super::realize::real;
pub use super::resume::{guard, guard_option};
pub use super::scratch::cell;
pub use super::testing::Parameter;

/// Reads a part of a tuple, which may be a field of a twin or a plain local.
///
/// Method lookup decides: the implementation for cells is found before the one
/// for everything else.
pub trait ReadCell<'a> {
    type Value;
    fn korat_read(self) -> &'a Self::Value;
}

impl<'a, T: TwinType> ReadCell<'a> for &'a Lazy<T> {
    type Value = T;

    fn korat_read(self) -> &'a T {
        self
    }
}

/// As [`ReadCell`], for what is not a cell.
pub trait ReadPlain<'a> {
    type Value;
    fn korat_read(self) -> &'a Self::Value;
}

impl<'a, T> ReadPlain<'a> for &&'a T {
    type Value = T;

    fn korat_read(self) -> &'a T {
        self
    }
}

/// Reads a field that a pattern bound.
#[diagnostic::on_unimplemented(
    message = "a pattern binds `{Self}`, which is not a field of a derived type",
    note = "in a `#[korat]` impl block, patterns may take apart derived types, `Some`, `Ok`, \
            `Err` and tuples"
)]
pub trait Touch {
    type Output;
    fn touch(self) -> Self::Output;
}

impl<'a, T: TwinType> Touch for &'a Lazy<T> {
    type Output = &'a T;

    fn touch(self) -> &'a T {
        self
    }
}

impl<'a, T> Touch for &'a Fixed<T> {
    type Output = &'a T;

    fn touch(self) -> &'a T {
        self
    }
}

impl<'a, T: TwinType> Touch for &'a mut Lazy<T> {
    type Output = &'a mut T;

    fn touch(self) -> &'a mut T {
        self
    }
}
