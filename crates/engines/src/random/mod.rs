//! Random testing: sequences grown call by call.

mod walk;

pub use walk::Walk;
