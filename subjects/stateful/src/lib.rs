//! The three examples of section II of «Stateful Testing: Finding More Errors in Code and
//! Contracts», each with a fault that only shows where nobody looks by chance: sorted sets
//! that have much in common, lists that are equal and long, tree nodes that are siblings.

pub mod linked_list;
pub mod sorted_set;
pub mod tree;
