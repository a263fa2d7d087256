//! What makes a claim about all paths untrue, and what it rests on.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::{End, Run};

/// The account of one exploration.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    voids: BTreeMap<String, usize>,
    models: BTreeSet<&'static str>,
}

impl Ledger {
    /// Nothing voided the claim: every path was visited, under the models listed.
    pub fn is_complete(&self) -> bool {
        self.voids.is_empty()
    }

    pub fn void(&mut self, why: String) {
        *self.voids.entry(why).or_default() += 1;
    }

    /// Why not all paths were visited, and how often each reason came up.
    pub fn voids(&self) -> impl Iterator<Item = (&str, usize)> {
        self.voids.iter().map(|(why, count)| (why.as_str(), *count))
    }

    /// The models of the system that runs used.
    pub fn models(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.models.iter().copied()
    }

    /// What the model means for a claim that rests on it.
    pub fn meaning(model: &str) -> &'static str {
        match model {
            "hashing" => "hashes of unequal bytes differ; collisions are not explored",
            "random-keys" => "the random keys of hash tables are fixed",
            "output" => "writes to standard output and error succeed and show nothing",
            "empty-environment" => "no environment variable is set",
            "clock" => "the clock starts at a fixed time and advances by a microsecond a call",
            "plain-cpu" => "the processor offers no extension beyond the target's baseline",
            _ => "a model of the system",
        }
    }

    pub(super) fn note(&mut self, run: &Run) {
        self.models.extend(&run.models);
        for why in &run.voids {
            self.void(why.clone());
        }
        match &run.end {
            End::Unsupported(why) => self.void(format!("unsupported: {why}")),
            End::Limit(why) => self.void(format!("bound reached: {why}")),
            End::Returned | End::Panicked { .. } | End::Rejected | End::Crashed(_) => {}
        }
    }
}
