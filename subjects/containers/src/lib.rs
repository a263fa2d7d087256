//! Ten containers, each a real implementation with its representation
//! invariant, and the faults that a test suite should find in them.

pub mod search_tree;

pub use search_tree::SearchTree;
