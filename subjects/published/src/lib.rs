//! Contracts on types of published crates, for `cargo testsmith reach`.
//!
//! A wrapper hands its calls on and does nothing else; a goal gives its number.
#![forbid(unsafe_code)]

pub mod desk;
pub mod order;
pub mod release;
pub mod short;

pub use desk::Desk;
pub use order::Order;
pub use release::Release;
pub use short::Short;
