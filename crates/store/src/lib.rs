//! What outlives a run: objects, observations, transitions, contracts, findings.
//!
//! One SQLite file with one writer. It knows nothing of plans: sequences come and go as
//! text, and whoever reads them decides what still fits. Every change is one transaction,
//! so a process that is killed leaves the store as it was before or after it. Everything
//! is bounded, and what was dropped for it is told.
#![forbid(unsafe_code)]

mod condition;
mod error;
mod open;
#[cfg(test)]
mod plain_sql;
mod read;
mod schema;
mod write;

pub use condition::{Condition, Test};
pub use error::Error;
pub use read::Stats;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The name of the file in the out-folder.
pub const FILE: &str = "store.sqlite";
/// More components would take longer to run again than to find anew.
pub const MAX_COMPONENTS: usize = 1000;
/// Objects of one crate; the oldest make way.
pub const MAX_OBJECTS: usize = 20_000;

pub struct Store {
    connection: Connection,
    file: PathBuf,
    read_only: bool,
}

/// A value: the text of a sequence, and the step that made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    pub steps: String,
    pub slot: u32,
}

/// A value with its type, and with what tells it from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    pub value: Value,
    #[serde(rename = "type")]
    pub ty: String,
    pub identity: String,
}

/// What a predicate said of an object, or of two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// With `$` for each object.
    pub predicate: String,
    /// Numbers in the list of objects that it comes with.
    pub object: usize,
    pub other: Option<usize>,
    pub value: i64,
    /// `before` or `after` a call, or at the `end` of a sequence.
    pub moment: String,
    pub call: String,
}

/// How often an operation took a predicate from one value to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    pub operation: String,
    pub predicate: String,
    pub was: i64,
    pub became: i64,
    pub times: u64,
}

/// A clause that was inferred, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    pub operation: String,
    /// `requires`, `ensures` or `invariant`.
    pub kind: String,
    pub clause: String,
    /// In how many calls it was seen to hold.
    pub support: u64,
    /// How many calls were made to break it.
    pub tried: u64,
    /// `holds`, `needed`, `untried` or `refuted`.
    pub fate: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub name: String,
    pub class: String,
    pub operation: String,
    pub severity: String,
    pub steps: String,
}

/// Objects and all that was seen of them, in one piece.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub objects: Vec<Object>,
    pub observations: Vec<Observation>,
    pub transitions: Vec<Transition>,
}

/// What became of something that was handed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub stored: usize,
    /// What had to go to stay within the bounds, new or old.
    pub dropped: usize,
}
