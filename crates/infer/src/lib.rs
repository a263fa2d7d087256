//! From observations to contracts, and from contracts to calls that would break them.
//!
//! Pure: it is handed answers and hands back clauses, or sequences that are worth a try.
//! It runs nothing, and what a clause is worth is for others to say.
#![forbid(unsafe_code)]

mod between;
mod branches;
mod contracts;
mod corners;
mod data;
mod drills;
mod near;
mod nearby;
mod reduce;
mod seen;
mod stored;
mod table;
mod template;
mod vocabulary;
mod words;

pub use contracts::{Clause, Kind, Known, LEAST_SUPPORT, infer};
pub use data::{Contract, Data, Near, Suspect};
pub use near::{Cause, NearClause, Sides, cause, near};
pub use nearby::nearby;
pub use reduce::{Goal, Proposal, Reduction};
pub use seen::Call;
pub use table::{Atom, Class, Table};
pub use template::{Form, Template, templates};
pub use vocabulary::{query_of, watches};
