//! What users of testsmith put into their own code.
//!
//! Light on purpose: it depends on its own macros and on nothing else.

pub mod korat;

pub use korat::Korat;
pub use testsmith_macros::{Korat, korat, korat_test};
