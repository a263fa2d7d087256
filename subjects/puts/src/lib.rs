//! The algorithms and data types of "Parameterized Unit Tests", section 4, as a
//! Rust engineer would write them, each with its puts.
//!
//! The feature `seeded` puts back the three violations that the paper reports.
#![forbid(unsafe_code)]

pub mod triangle;
