//! Where code under test is built and run: cargo, rustc and child processes.
//!
//! The lab carries out and observes; it passes no verdict on what it sees.
#![forbid(unsafe_code)]

mod bitcode;
mod cargo;
pub mod coverage;
mod emitted;
mod error;
mod explored;
mod harness;
mod identity;
mod lab;
mod lessons;
mod library;
pub mod mutants;
pub mod output;
mod package;
mod probe;
mod rustdoc;
mod shadow;
mod stamp;
mod strict;
mod supervisor;
mod watchdog;
mod worker;
mod workspace;

pub use bitcode::{Built, TestPackage, TestTarget};
pub use emitted::{CompileError, TestBuild, TestProgram, TestResults, TestSources, format};
pub use error::Error;
pub use harness::{Build, Profile};
pub use identity::check_identity;
pub use lab::Lab;
pub use lessons::Lessons;
pub use package::{Features, Neighbour, Package, Subject};
pub use rustdoc::{RUSTDOC_VARIABLE, stand_in_for_rustdoc};
pub use shadow::{Shadow, ShadowCheck, ShadowTests};
pub use strict::{HARMFUL, was_stopped};
pub use supervisor::Supervisor;
pub use worker::WorkerLimits;
pub use workspace::lock_naming;
