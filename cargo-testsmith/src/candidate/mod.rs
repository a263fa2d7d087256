//! What a search hands over, and the one way from there to a test.
//!
//! A search (at random, by comparing builds, by choosing what covers much)
//! proposes candidates, one after the other, and learns what became of each. It
//! does not confirm, shrink, judge, render or verify: [`Confirmer`] takes any
//! candidate to a small sequence that was seen to keep its claim in fresh
//! processes, and `emit` takes that to files that were compiled and run. A new
//! search implements [`Search`] and is done; only what has to be *seen* in
//! another way than before needs a new [`Claim`].

mod claim;
mod confirm;
mod lasting;
mod positions;
mod spelled;
pub mod steady;
mod vary;
mod zeros;

pub use claim::Workers;
pub use confirm::Confirmer;

use std::collections::BTreeSet;
use testsmith_infer::Clause;
use testsmith_judge::{Failing, Severity};
use testsmith_lab::Error;
use testsmith_model::observation::Watch;
use testsmith_model::{Outcome, Sequence};

/// A sequence that may be worth a test.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub sequence: Sequence,
    /// The step that it is about; what comes after it does not matter.
    pub step: usize,
    pub claim: Claim,
    /// Calls that the search had made when it first saw this, if it counts them.
    pub after: Option<u64>,
}

/// What a candidate is said to show. It is looked at again and again while the
/// sequence is made small, and must hold each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It fails in this class, and no less severely, in another way than these, which are known.
    Fails { class: String, severity: Severity, known: Vec<BTreeSet<String>> },
    /// Its last call gives something else without overflow checks.
    Differs { class: String },
    /// A check stops it, and without overflow checks and debug assertions it misuses memory.
    Unguarded { class: String },
    /// It completes, or panics as documented, and reaches these points of the
    /// crate.
    Reaches { points: Vec<u32>, panics: bool },
    /// Its last call does not keep a clause that nearly all calls of its kind keep.
    Excepts(Box<NearContract>),
}

/// What nearly all calls of an operation keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearContract {
    /// What has to be asked to see whether it is kept; the last is what it is about.
    pub watches: Vec<Watch>,
    pub clause: Clause,
    /// It in words, and what the exceptions have in common.
    pub words: String,
    pub cause: String,
    /// In how many calls it was seen to hold, and in how many not.
    pub held: u64,
    pub broken: u64,
}

/// A candidate that was confirmed and made small.
#[derive(Clone, Debug)]
pub struct Confirmed {
    pub sequence: Sequence,
    pub outcome: Outcome,
    /// The verdict on it; none for what passes.
    pub failing: Option<Failing>,
    /// Points of the crate that it reaches, sorted, where the claim is about that.
    pub points: Vec<u32>,
    pub after: Option<u64>,
    /// Whether it kept its claim however often it was run.
    pub steady: bool,
}

/// Whatever proposes sequences that may be worth a test.
pub trait Search {
    /// The next candidate, or none when there is nothing left worth a test. It may
    /// run sequences to find out.
    fn propose(&mut self, workers: &mut Workers) -> Result<Option<Candidate>, Error>;

    /// What became of the last candidate; none if its claim did not hold in a
    /// fresh process, or does not hold each time.
    fn learn(&mut self, _confirmed: Option<&Confirmed>) {}
}

/// A search that is over: whatever it found, in its order.
impl Search for std::vec::IntoIter<Candidate> {
    fn propose(&mut self, _workers: &mut Workers) -> Result<Option<Candidate>, Error> {
        Ok(self.next())
    }
}
