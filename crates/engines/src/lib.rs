//! Engines: they propose calls and learn what came of them.
//!
//! Pure: an engine never prints, never touches a process, a file or a clock.
#![forbid(unsafe_code)]

pub mod hash;
pub mod random;
mod rng;
pub mod shrink;
mod stage;

pub use rng::Rng;
pub use stage::{Halt, Shelved, Stage};
