//! What users of testsmith put into their own code.
//!
//! Light on purpose: it depends on its own macros and on nothing else; only the feature
//! `fakes`, which is off by default, brings the solver along.

// The attributes expand to paths that start with `::testsmith`; this makes
// them resolve inside the crate's own unit tests too.
extern crate self as testsmith;

pub mod contracts;

pub use contracts::{exists, forall, implies};
pub use testsmith_macros::{
    contract, contract_trait, debug_ensures, debug_invariant, debug_requires, ensures, invariant,
    loop_invariant, model, pure, requires, skip_invariant, test_ensures, test_invariant,
    test_requires,
};

/// The examples of the documentation are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/contracts.md")]
mod contracts_documentation {}

// The attribute shares its name with the module that explains it; the two live in
// different namespaces.
pub use testsmith_macros::{Input, put};

pub mod put;

pub use put::Input;

pub mod korat;

pub use korat::Korat;
pub use testsmith_macros::{Korat, korat, korat_test};

pub use testsmith_macros::oracle;

/// The examples of the documentation are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/laws.md")]
mod laws_documentation {}

#[cfg(feature = "fakes")]
pub mod fakes;

#[cfg(feature = "fakes")]
pub use testsmith_macros::{FakeValue, fake};

#[cfg(feature = "fakes")]
#[doc(hidden)]
pub use testsmith_macros::__fake_with;

/// The examples of the documentation are run as tests.
#[cfg(all(doctest, feature = "fakes"))]
#[doc = include_str!("../../docs/fakes.md")]
mod fakes_documentation {}
