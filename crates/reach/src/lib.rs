//! From contracts to states: which calls bring objects into a state that a condition asks for.
//!
//! A [`System`] describes types by their queries and functions by their contracts. A
//! [`Search`] looks for the fewest calls after which a [`Goal`] holds, by bounded model
//! checking over bit-vectors: the calls, their arguments and what all queries answer then.
//! Nothing is run and nothing printed here, and nothing is known of operations, plans or
//! harnesses, because fakes ask at run time as well: a
//! [`Fake`] holds the state of one object and answers calls as its contracts say.
//!
//! Method: S. Galler, T. Quaritsch, M. Weiglhofer and F. Wotawa, "The IntiSa approach";
//! definitions are numbered as there.
#![forbid(unsafe_code)]

mod assumptions;
mod calls;
mod chance;
mod concrete;
mod equal;
mod fake;
mod found;
mod framing;
mod goal;
mod items;
mod lessons;
mod links;
mod methods;
mod numbers;
mod objects;
mod parse;
mod patterns;
mod plain;
mod predict;
mod room;
mod search;
mod spoken;
mod steps;
mod system;
mod terms;
mod texts;
mod translate;
mod value;
mod world;

pub use chance::Choices;
pub use concrete::Concrete;
pub use fake::{Fake, Refused, State};
pub use found::{Argument, Call, Found, Prediction, Sureness};
pub use goal::{Goal, GoalError};
pub use lessons::Lesson;
pub use room::Room;
pub use search::{Reached, Search};
pub use system::{
    Clause, Constant, FnId, Function, Mode, Param, Seen, Sort, System, TypeDef, TypeId, Variant,
    Wrap,
};
pub use world::{Free, MAX_CHAIN};
