//! What is linked into the generated harness and runs beside the code under
//! test.
//!
//! It knows nothing of cargo, rustdoc or the console: it is told what to do by
//! the supervisor and answers with outcomes.

pub mod arena;
mod bare;
pub mod coverage;
mod executor;
mod journal;
mod literal;
mod memory;
mod mutants;
mod observer;
mod orphan;
mod panics;
mod random_keys;
mod run;
pub mod scalar;
mod shelf;
pub mod table;
mod timing;
pub mod valid;
mod watched;

pub use arena::Frame;
pub use executor::Thunk;
pub use mutants::Switch;
pub use run::{run, run_with_mutants};
pub use testsmith_sandbox as sandbox;
