//! Contracts: `#[requires]`, `#[ensures]`, `#[invariant]`, `#[pure]`, `#[model]`.
//!
//! The attributes themselves live at the root of the crate; this module holds
//! what a violated contract says ([`Violation`]), the words that help to write
//! one ([`forall`], [`exists`], [`implies`]), and the text in which a tool finds
//! the clauses of a crate ([`Record`]). It decides nothing about whose fault a
//! violation is: it reports the call depth and leaves the verdict to the reader.
//!
//! ```
//! use testsmith::*;
//!
//! #[requires(divisor != 0, "nothing can be divided by zero")]
//! #[ensures(ret * divisor <= n)]
//! fn divide(n: u32, divisor: u32) -> u32 {
//!     n / divisor
//! }
//!
//! assert_eq!(divide(7, 2), 3);
//! let payload = std::panic::catch_unwind(|| divide(7, 0)).unwrap_err();
//! let violation = contracts::Violation::from_payload(&*payload).unwrap();
//! assert_eq!(violation.kind, contracts::Kind::Requires);
//! assert_eq!(violation.clause.text, "divisor != 0");
//! assert_eq!(violation.depth, 0);
//! ```
//!
//! The whole story, with a table against other contract languages, is in
//! `docs/contracts.md`.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod check;
#[cfg(feature = "flip")]
pub mod flip;
mod logic;
mod plain;
pub(crate) mod purity;
mod record;
pub(crate) mod scope;
mod show;
mod violation;

pub use logic::{Variant, exists, forall, implies};
pub use record::{Record, RecordError, RecordedClause};
pub use violation::{Clause, Kind, Moment, Note, Violation, violation_of};
