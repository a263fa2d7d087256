//! From sequences to Rust source: straight-line code over the public API.
//!
//! Writes text and nothing else. The same loan rules that the worker kept
//! decide where a `drop` has to stand.
#![forbid(unsafe_code)]

mod literal;
mod statements;
mod test;
mod witness;

pub use literal::literal;
pub use statements::{Statement, statements};
pub use test::{Test, name_of, test_file};
pub use witness::witness;
