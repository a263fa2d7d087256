//! Polynomials over rational numbers, and a stack of them.
//!
//! The running example of Pacheco's thesis on directed random testing: `Rat`,
//! `Mono`, `Poly` and `PStack`, with its two errors as features:
//!
//! - `add-keeps-zero`: [`Poly::add`] keeps a term whose coefficients cancel.
//! - `copy-shares-storage`: [`PStack::copy`] gives both stacks the same storage.
//!
//! Neither shows where it happens. They are found because [`Poly::rep_ok`] and
//! [`PStack::rep_ok`] are asked by the oracles in `tests/oracles.rs`.
#![forbid(unsafe_code)]

mod mono;
mod poly;
mod rat;
mod stack;

pub use mono::Mono;
pub use poly::Poly;
pub use rat::Rat;
pub use stack::PStack;
