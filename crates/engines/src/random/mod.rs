//! Directed random testing: sequences grown call by call, from the values of
//! earlier legal ones.
//!
//! With every heuristic switched off it is the plain random walk.

mod components;
mod engine;
mod learned;
mod sizes;
mod sources;
mod steps;
mod texts;
mod trace;
mod variety;

pub use engine::Engine;
pub use sources::numbered;
pub use steps::{Made, Recipe, Steps};

#[cfg(test)]
mod tests;
