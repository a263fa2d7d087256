//! Where code under test is built and run: cargo, rustc and child processes.
//!
//! The lab carries out and observes; it passes no verdict on what it sees.
#![forbid(unsafe_code)]

pub mod coverage;
pub mod output;
