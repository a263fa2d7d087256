//! From observations to contracts, and from contracts to calls that would break them.
//!
//! Pure: it is handed answers and hands back clauses, or sequences that are worth a try.
//! It runs nothing, and what a clause is worth is for others to say.
#![forbid(unsafe_code)]

mod contracts;
mod data;
mod reduce;
mod table;
mod template;
mod vocabulary;
mod words;

pub use contracts::{Clause, Kind, Known, LEAST_SUPPORT, infer};
pub use data::{Contract, Data};
pub use reduce::{Goal, Proposal, Reduction};
pub use table::{Atom, Class, Table};
pub use template::{Form, Relation, Template, templates};
pub use vocabulary::watches;
