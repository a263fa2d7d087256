//! Exhaustive testing of data structures: every structure within a scope that
//! satisfies its `rep_ok`, no two of them isomorphic.
//!
//! ```
//! use testsmith::{Korat, korat};
//!
//! #[derive(Korat)]
//! struct Pair {
//!     low: u8,
//!     high: u8,
//! }
//!
//! #[korat]
//! impl Pair {
//!     fn rep_ok(&self) -> bool {
//!         self.low <= self.high
//!     }
//! }
//!
//! let pairs = korat::Search::<Pair>::new(2).run();
//! assert_eq!(pairs.count(), 6);
//! ```
//!
//! `#[derive(Korat)]` makes a twin of a type whose fields note that they were
//! read; `#[korat]` on an `impl` block compiles its methods a second time for
//! the twin. The search runs the twin's `rep_ok`, and changes only fields that
//! it read. Nothing here generates random data or looks at coverage.

mod answer;
mod arenas;
mod calls;
mod canonical;
mod cell;
mod child;
mod deep;
mod finitize;
mod generators;
mod guard;
mod hold;
mod kinds;
mod mask;
mod memory;
mod necessary;
mod oracle;
mod outcome;
mod parallel;
mod product;
mod reach;
mod realize;
mod resume;
mod scratch;
mod search;
mod show;
mod space;
mod state;
mod testing;
mod trail;
pub mod twin;

pub use calls::{Api, Bounds, Calls, calls_that_build};
pub use cell::{Lazy, TwinType};
pub use deep::{Constraint, Deep, Types};
pub use finitize::{Finitization, FinitizeError, Plain};
pub use generators::*;
pub use oracle::brute_force;
pub use reach::Reach;
pub use realize::Realizer;
pub use search::{Candidate, Found, Outcome, Run, Search, Stats, Stop, Trouble};
pub use show::{Shower, Shown};
pub use space::{Builder, Choices, Claim};
pub use state::{ParseStateError, State};
pub use testing::Test;

/// A type whose values can be enumerated within a scope.
///
/// Derive it; the library implements it for the types that fields are made of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be enumerated by the structure search",
    label = "`Korat` is not implemented for `{Self}`",
    note = "derive it: `#[derive(Korat)] struct ...`; fields may be numbers, bool, char, texts, \
            Option, Result, Box, Rc, Arc, Weak, cells, locks, NonNull, raw pointers, Vec, \
            VecDeque, slices, arrays, sets, maps, tuples and derived types",
    note = "or leave the field out: `#[korat(skip)]` or `#[korat(default = ..)]`",
    note = "in a `#[korat]` impl block every type that is not from std is taken for a derived one"
)]
pub trait Korat: Sized + 'static {
    /// What the predicate sees in place of this type.
    type Twin: TwinType;

    /// The name that a finitization uses for objects of this type.
    fn class_name() -> String;

    /// Tells the builder what the type's own attributes say.
    fn declare(_builder: &mut Builder) {}

    /// The values a field of this type may take.
    fn choices(builder: &mut Builder) -> Choices<Self::Twin>;

    /// Makes a real value of a twin.
    fn realize(twin: &Self::Twin, realizer: &mut Realizer) -> Self;

    /// Runs the predicate on a twin. True for types without one.
    fn twin_rep_ok(twin: &Self::Twin) -> bool;

    /// Runs the predicate on a twin, and those of the values inside it.
    fn twin_deep_ok(twin: &Self::Twin, _deep: &mut Deep) -> bool {
        Self::twin_rep_ok(twin)
    }

    /// Lists the derived types that this one is made of.
    fn types(_types: &mut Types) {}

    /// Runs the predicate on a real value.
    fn real_rep_ok(&self) -> bool;

    /// Describes a real value, for comparing it with others. Called only on
    /// values that satisfy `rep_ok`, whose pointers are taken to be good.
    fn show_real(&self, shower: &mut Shower) -> Shown;
}
