//! The words that every part of testsmith speaks, and nothing else.
//!
//! An [`Api`] is what a crate offers; an [`Operation`] is one callable with
//! concrete types; a [`Sequence`] applies operations to numbered earlier
//! results; an [`Outcome`] is what happened when it ran. Nothing here prints,
//! runs or reads anything, and nothing here depends on another crate of ours.
#![forbid(unsafe_code)]

pub mod api;
pub mod branch;
pub mod call;
pub mod callee;
pub mod edit;
pub mod heuristics;
pub mod journal;
pub mod judging;
pub mod loans;
pub mod message;
pub mod observation;
pub mod operation;
pub mod outcome;
pub mod pipe;
pub mod relation;
pub mod sequence;
pub mod skip;
pub mod troubled;
pub mod ty;
pub mod wire;

pub use api::Api;
pub use call::Call;
pub use callee::Callee;
pub use edit::{Edit, EditStep};
pub use heuristics::{Heuristic, Heuristics};
pub use loans::{Conflict, Loans};
pub use operation::{Mode, OpId, Operation, OperationKind, Plan, TypeId, TypeInfo};
pub use outcome::{Ending, Outcome, Panic, Value};
pub use sequence::{Builder, Refusal, Sequence, Step};
pub use skip::Skip;
pub use ty::Ty;
