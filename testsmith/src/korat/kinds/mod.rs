//! The kinds of fields: how each std type is enumerated, seen and realized.

mod cells;
mod fixed;
mod keyed;
mod locks;
mod option;
mod plain;
mod pointers;
mod result;
mod sequences;
mod shared;
mod slices;
mod texts;

pub use cells::{CellTwin, RefCellTwin, RefMutTwin, RefTwin};
pub use fixed::Fixed;
pub use keyed::{HashMapTwin, HashSetTwin, MapTwin, SetTwin};
pub use locks::{MutexTwin, RwLockTwin};
pub use pointers::{BoxTwin, Place};
pub(crate) use pointers::{object, object_mut, peek_object, reach_object};
pub(crate) use sequences::arena_cell;
pub use sequences::{ArrayTwin, Iter, SliceTwin, VecTwin};
pub use shared::{ArcTwin, ArcWeakTwin, RcTwin, RcWeakTwin};
pub use slices::{Patterned, PatternedArray};
