//! Fakes: implementations of traits by nothing but their contracts.
//!
//! [`fake`](macro@crate::fake) writes a type for a trait; what it does when it is called is here. A
//! [`Description`] is made once for a trait, from what the macro read; a [`Worn`] is one
//! fake of it. What is answered comes from the solver (`testsmith-reach`), which knows
//! neither traits nor seeds. The checks of the contracts themselves are those of
//! `#[contract_trait]`: nothing is checked here a second time.

mod describe;
mod given;
mod value;
mod worn;

pub use describe::{Describing, Description, Method, Sorts};
pub use given::{
    Argument, Given, GivenAnything, GivenShown, GivenValue, Kind, KindOfAnything, KindOfValue,
};
pub use testsmith_reach::{Concrete, Sort};
pub use value::{FakeValue, fields_of, variant};
pub use worn::{Call, Worn};

/// A type that [`fake`](macro@crate::fake) has made. `cargo testsmith` knows it by this, and
/// uses it where a trait has no implementation that could be made.
pub trait Faked {}
