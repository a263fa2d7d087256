//! The three examples of section II of «Stateful Testing: Finding More Errors in Code and
//! Contracts», each with a fault that only shows where nobody looks by chance: sorted sets
//! that have something in common, lists that are equal and not empty, siblings in a tree.
//!
//! As in Eiffel, what is put in is known by its identity: a token is equal to itself only,
//! so two sets have something in common only if the same token went into both.

pub mod linked_list;
pub mod sorted_set;
pub mod tree;

use std::cell::Cell;

thread_local! {
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// Something that is equal to itself only.
#[derive(Debug, PartialEq, Eq)]
pub struct Token(u64);

impl Token {
    pub fn new() -> Token {
        let next = NEXT.get();
        NEXT.set(next + 1);
        Token(next)
    }
}

impl Default for Token {
    fn default() -> Token {
        Token::new()
    }
}
