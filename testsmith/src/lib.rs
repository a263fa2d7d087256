//! What users of testsmith put into their own code.
//!
//! Light on purpose: it depends on its own macros and on nothing else.

// The attribute shares its name with the module that explains it; the two live in
// different namespaces.
pub use testsmith_macros::{Input, put};

pub mod put;

pub use put::Input;
