//! Ten containers, each a real implementation with its representation
//! invariant, and the faults that a test suite should find in them.

pub mod faults;

mod av_tree;
mod binomial_heap;
mod disj_set;
mod fibonacci_heap;
mod hash_set;
mod heap_array;
mod linked_list;
mod search_tree;
mod sorted_list;
mod tree_map;

pub use av_tree::{AvTree, PlainBelow};
pub use binomial_heap::BinomialHeap;
pub use disj_set::DisjSet;
pub use fibonacci_heap::FibonacciHeap;
pub use hash_set::HashSet;
pub use heap_array::HeapArray;
pub use linked_list::LinkedList;
pub use search_tree::SearchTree;
pub use sorted_list::SortedList;
pub use tree_map::TreeMap;
