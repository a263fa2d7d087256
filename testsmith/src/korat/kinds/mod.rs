//! The kinds of fields: how each std type is enumerated, seen and realized.

mod cells;
mod option;
mod plain;
mod pointers;
mod sequences;

pub use cells::{CellTwin, RefCellTwin, RefMutTwin, RefTwin};
pub use pointers::{BoxTwin, RcTwin, WeakTwin};
pub(crate) use sequences::arena_cell;
pub use sequences::{ArrayTwin, Iter, SliceTwin, VecTwin};
