//! Symbolic execution of compiled Rust.
//!
//! From the bottom up: terms and solvers are `testsmith-solver`; `llvm` reads bitcode into the compact form of [`ir`]; [`machine`] runs that
//! form with concrete values and their terms side by side; [`explore`] runs it
//! once per path and keeps the [`explore::Ledger`] of everything that would make
//! a claim of completeness untrue. Nothing here knows about cargo, tests or
//! files of the user: that is the command's part.

pub mod explore;
pub mod ir;
pub mod llvm;
pub mod machine;
