//! Source text in; the same text with guarded mutants, and a table of them, out.
//!
//! A file is parsed once, and each operator (`operators/`) proposes mutants for the places it
//! knows. [`Source::write`] then edits the text, byte by byte guided by the spans of the parser:
//! every place becomes a `match` on the switch (`crates/switch`), whose last arm is what stood
//! there. Whatever is not edited, comments and line breaks included, stays.
//!
//! ```text
//! a + b     (match (a, b) { (__0, __1) => match pick(7, 2) { 1 => __0 - __1, 2 => __0 * __1, _ => (__0 + __1) } })
//! if c {    if (match pick(9, 2) { 1 => true, 2 => false, _ => (c) }) {
//! f(x);     match pick(11, 1) { 1 => {} _ => { f(x); } }
//! { body }  { match pick(12, 1) { 1 => return 0, _ => {} } body }
//! ```
//! Operands are evaluated once and in their order, in the scrutinee of a `match`, so that
//! temporaries live as long as before; what is copied into an arm stands there without guards,
//! because one mutant is active at most.
//!
//! Knows no types and runs no compiler: a mutant that does not compile is found by whoever
//! does, and left out in the next text. Reads no files either: modules in other files are
//! told ([`Source::modules`]).
#![forbid(unsafe_code)]

mod cfg;
mod constants;
mod flow;
mod lines;
mod mutant;
mod names;
pub mod operators;
mod scan;
mod site;
mod write;

pub use cfg::Cfg;
pub use flow::{Complaint, Suspects};
pub use mutant::{ModuleFile, Mutant, Place, Reason, Skip, Source, Unit};
pub use scan::{Scope, scan};
pub use write::{Piece as WrittenPiece, Written};

/// Why a file has no mutants at all.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: it cannot be parsed: {why}")]
pub struct Error {
    pub line: usize,
    pub why: String,
}
