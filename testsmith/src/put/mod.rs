//! Parameterized unit tests: tests with parameters, for all inputs.
//!
//! ```
//! use testsmith::{assume, put};
//!
//! #[put]
//! fn pushing_makes_it_longer(mut list: Vec<i32>, x: i32) {
//!     assume!(list.len() < 4);
//!     let before = list.len();
//!     list.push(x);
//!     assert_eq!(list.len(), before + 1);
//! }
//! # fn main() {}
//! ```
//!
//! Under `cargo test` a put runs its stored cases, boundary values, and a few
//! hundred random inputs, and shrinks what fails. `cargo testsmith explore`
//! visits its paths instead. Both use the same decoding of inputs from bytes,
//! which is written in plain Rust so that it can be executed symbolically.

mod check;
mod inputs;
mod protocol;
mod shrink;
mod source;

#[cfg(feature = "arbitrary")]
mod by_arbitrary;

#[cfg(feature = "arbitrary")]
pub use by_arbitrary::ByArbitrary;
pub use check::{Expectation, Put, check};
pub use source::{Limits, Source};

/// A type whose values can be decoded from bytes and written as Rust.
///
/// Implement it with `#[derive(Input)]`. Every value within the limits must have
/// an encoding; bytes that encode none are refused with [`reject`].
#[diagnostic::on_unimplemented(
    message = "a put cannot make a `{Self}`",
    label = "not a type that inputs are made of",
    note = "write `#[derive(Input)]` on the type; its fields may be numbers, bool, char, texts, \
            Option, Result, Box, sequences, sets, maps, tuples and derived types",
    note = "or take what it is made of as parameters, and make it in the body"
)]
pub trait Input: Sized {
    /// Reads a value.
    fn decode(source: &mut Source<'_>) -> Self;

    /// The most bytes a value within the limits takes.
    fn max_bytes(limits: Limits) -> usize;

    /// An expression that makes this value, for the tests that are written down.
    fn expression(&self) -> String;
}

/// The payload with which an input leaves a put whose assumptions it does not meet.
pub(crate) struct Rejected;

/// Ends the run: this input is none of those that the put is about.
///
/// The exploration knows this function by its name and does not run its body.
#[inline(never)]
pub fn reject() -> ! {
    if check::is_running() {
        // Unwinding without the panic hook: nothing went wrong.
        std::panic::resume_unwind(Box::new(Rejected));
    }
    panic!("an assumption does not hold for this input: the case no longer applies")
}

/// Whether the bytes are UTF-8.
///
/// The exploration knows this function by its name and takes the answer for one fact
/// about the bytes, where its body would have a path for every shape of a text.
#[inline(never)]
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

/// Restricts a put to the inputs for which the condition holds.
#[macro_export]
macro_rules! assume {
    ($condition:expr $(,)?) => {
        if !$condition {
            $crate::put::reject()
        }
    };
}

/// Whether the text of a panic is the expected one. Called by the exploration with the
/// arguments of a panic; the expansion of `#[put(should_panic = "…")]` names the text.
#[doc(hidden)]
pub fn text_matches(arguments: std::fmt::Arguments<'_>, expected: &str) -> bool {
    arguments.to_string().contains(expected)
}

/// Panics unless the bytes are the identity that the put was built with. Called by the
/// exploration, to learn whether the bitcode before it is what it asked for.
#[doc(hidden)]
pub fn is_identity(bytes: &[u8], identity: &str) {
    assert!(bytes == identity.as_bytes(), "built for something else");
}
