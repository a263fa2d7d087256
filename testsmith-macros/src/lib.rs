//! The attributes and derives of testsmith.
//!
//! Each capability has a module of its own; this file holds only the entry
//! points that the compiler requires at the crate root.
#![forbid(unsafe_code)]
