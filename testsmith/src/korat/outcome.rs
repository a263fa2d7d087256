//! What a search says of itself: how far it got, what it met, why it ended.

use super::show::Shown;

/// How many troubles are described; all are counted.
pub(crate) const DESCRIBED_TROUBLES: usize = 10;

/// What a search has done so far.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Candidates on which the predicate ran.
    pub candidates: u64,
    /// Structures found valid.
    pub valid: u64,
    /// How many of those needed no run of their own, because they differ from
    /// a valid one only in fields that the predicate did not read.
    pub inferred: u64,
    /// Runs of the predicate that panicked, did not end, or overflowed.
    pub troubled: u64,
    /// The first of those, described.
    pub troubles: Vec<Trouble>,
    /// The size of the whole space, as a power of two.
    pub space_log2: f64,
}

impl Stats {
    pub(crate) fn add(&mut self, other: Stats) {
        self.candidates += other.candidates;
        self.valid += other.valid;
        self.inferred += other.inferred;
        self.troubled += other.troubled;
        self.troubles.extend(other.troubles);
        self.troubles.truncate(DESCRIBED_TROUBLES);
        self.space_log2 = other.space_log2;
    }
}

/// A candidate on which the predicate did not return.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// What happened.
    pub what: String,
    /// The candidate, in a picture. Fields that were not read have some value.
    pub candidate: String,
    /// The candidate itself.
    pub shown: Shown,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Not yet.
    Running,
    /// Every structure of the scope has been found.
    Complete,
    /// A limit was reached; [`Run::state`] tells where to go on.
    Stopped(Stop),
}

/// The limit that stopped a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Candidates,
    Valid,
    Time,
    /// Another thread reached a limit.
    Elsewhere,
}
