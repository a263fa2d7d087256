//! Coverage seen from outside: how crates come to be instrumented, and which
//! lines of source the edges that a worker reports stand for.
//!
//! The counters themselves live in the worker; here are only numbers and files.

mod instrument;
mod lines;

pub use instrument::{
    CRATES_VARIABLE, DETAIL_VARIABLE, Detail, UNLINTED_VARIABLE, WRAPPER_VARIABLE, environment,
    instrumented, wrap,
};
pub use lines::{Edge, Error, FileCoverage, FunctionCoverage, Place, Sources, Summary};
