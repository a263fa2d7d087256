//! Where code under test is built and run: cargo, rustc and child processes.
//!
//! The lab carries out and observes; it passes no verdict on what it sees.
#![forbid(unsafe_code)]

mod cargo;
pub mod coverage;
mod emitted;
mod error;
mod harness;
mod lessons;
pub mod output;
mod package;
mod probe;
mod rustdoc;
mod scratch;
mod supervisor;
mod worker;

pub use emitted::{TestBuild, TestProgram, TestResults, TestRun, format};
pub use error::Error;
pub use harness::{Build, Profile};
pub use lessons::Lessons;
pub use package::{Features, Package, Subject};
pub use rustdoc::{RUSTDOC_VARIABLE, stand_in_for_rustdoc};
pub use scratch::{Lab, lock_naming};
pub use supervisor::Supervisor;
pub use worker::Limits;
