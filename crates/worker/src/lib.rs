//! What is linked into the generated harness and runs beside the code under
//! test.
//!
//! It knows nothing of cargo, rustdoc or the console: it is told what to do by
//! the supervisor and answers with outcomes.

pub mod coverage;
pub mod sandbox;
