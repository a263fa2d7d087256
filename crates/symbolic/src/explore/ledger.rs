//! What makes a claim about all paths untrue, and what it rests on.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::{Assumption, End, Place, Run};

/// More places of one assumption tell nobody more.
const MOST_PLACES: usize = 8;

/// The account of one exploration.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    voids: BTreeMap<String, usize>,
    assumptions: BTreeMap<Assumption, BTreeSet<Place>>,
    /// Statics that some path read as it found them, and those that some path wrote.
    found: BTreeSet<String>,
    written: BTreeSet<String>,
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

    /// What the claim rests on beside the code, in the order of the names' list, each with
    /// the places of the program that made use of it.
    pub fn assumptions(&self) -> impl Iterator<Item = (Assumption, &BTreeSet<Place>)> {
        self.assumptions.iter().map(|(assumption, places)| (*assumption, places))
    }

    pub(super) fn note(&mut self, run: &Run) {
        for (assumption, place) in &run.assumptions {
            let places = self.assumptions.entry(*assumption).or_default();
            if places.len() < MOST_PLACES {
                places.insert(place.clone());
            }
        }
        self.found.extend(run.statics.found.iter().cloned());
        self.written.extend(run.statics.written.iter().cloned());
        for name in self.found.intersection(&self.written) {
            let places = self.assumptions.entry(Assumption::FreshProcess).or_default();
            if places.len() < MOST_PLACES {
                places.insert(Place { file: name.clone(), ..Place::default() });
            }
        }
        for why in &run.voids {
            self.void(why.clone());
        }
        match &run.end {
            End::Unsupported(why) => self.void(format!("unsupported: {why}")),
            End::Limit(why) => self.void(format!("bound reached: {why}")),
            End::Undefined(what) => self.void(format!("undefined behaviour, {what}")),
            End::Returned | End::Panicked { .. } | End::Rejected | End::Crashed(_) => {}
        }
    }
}
