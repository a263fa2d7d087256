//! `#[put]`, `#[derive(Input)]`.

mod attribute;
mod input;
mod options;

pub use attribute::attribute;
pub use input::derive_input;
