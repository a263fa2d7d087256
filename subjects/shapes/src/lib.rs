//! The shapes of ten structures of published crates, field by field, each with
//! its invariant, an operation or two and one seeded fault.
//!
//! Only what is needed to change a value is here; names and fields are those of
//! the crates, element types are small. `faulty` switches the fault on.

mod lists;
mod maps;
mod tables;
mod trees;

pub use lists::{Entry, Lru, LruEntry, Slab};
pub use maps::{GenArena, GenEntry, RangeMap};
pub use tables::{PriorityStore, SiblingArena, SiblingNode, UnionFind};
pub use trees::{BTreeNode, Rope, RopeChildren, TrieNode};

/// Changes a value, looks at the result and panics if it is wrong.
pub trait Exercise {
    /// Whether the value is as its methods leave it.
    fn is_valid(&self) -> bool;

    /// Runs the operations on a valid value with one argument.
    fn exercise(self, argument: u8, faulty: bool);
}
