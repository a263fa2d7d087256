//! The algorithms and data types of "Parameterized Unit Tests", section 4, as a
//! Rust engineer would write them, each with its puts.
//!
//! The feature `seeded` puts back the three violations that the paper reports:
//! the capacity of an array list that is set to zero, the enumerator that uses
//! a value of the list as its mark, and the removal from a list that does not
//! hold the element.
#![forbid(unsafe_code)]

pub mod array_list;
pub mod bag;
pub mod hash_table;
pub mod linked_list;
pub mod quicksort;
pub mod red_black_tree;
pub mod triangle;
