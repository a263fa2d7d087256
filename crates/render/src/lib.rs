//! From sequences to Rust source: straight-line code over the public API.
//!
//! Writes text and nothing else. The same loan rules that the worker kept
//! decide where a `drop` has to stand.
#![forbid(unsafe_code)]

mod beside;
mod calls;
mod check;
mod expected;
mod imports;
mod literal;
mod names;
mod statements;
mod test;
mod valid;
mod witness;

pub use check::{Check, Parameter, checked_file};
pub use expected::{has_expression, is_plain};
pub use literal::literal;
pub use names::{allowed, name_of, owner_of, short_name, snake};
pub use statements::{Statement, statements};
pub use test::{Style, Test, TestEnding, Watch, test_file, test_function};
pub use witness::witness;
