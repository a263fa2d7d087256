//! What a run has found, kept for one that takes it up: failures that there was no time
//! to make small or to write as tests, and beside them those that are done, because the
//! file of failing tests is written as a whole.

use super::search::{Searched, Tally};
use crate::exit::Usage;
use crate::finding::{Finding, Findings};
use crate::pipeline::Session;
use crate::selection::Selection;
use crate::stored::{Names, Stored, read_lines, write_lines};
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use std::path::Path;
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::Component;
use testsmith_model::outcome::Ending;
use testsmith_model::{Plan, Sequence};

pub(super) const FILE: &str = "found.jsonl";

/// A sequence that failed.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) sequence: Sequence,
    /// Calls that the search had made when it first saw this.
    pub(super) after: Option<u64>,
    /// Whether it does so without overflow checks only.
    pub(super) differs: bool,
    /// Whether there was no time for it.
    pub(super) waits: bool,
}

impl Found {
    /// A finding waits as long as its test was not checked; a suspicious one has none.
    pub(super) fn of(finding: &Finding) -> Found {
        let Finding { sequence, outcome, after, waits, .. } = finding.clone();
        let differs = matches!(outcome.ending, Ending::Differs { .. } | Ending::Unguarded { .. });
        Found { sequence, after, differs, waits }
    }
}

#[derive(Serialize, Deserialize)]
struct StoredFound {
    waits: bool,
    differs: bool,
    after: Option<u64>,
    #[serde(flatten)]
    stored: Stored,
}

pub(super) fn write(file: &Path, plan: &Plan, found: impl Iterator<Item = Found>) -> Result<()> {
    let stored = |found: Found| StoredFound {
        waits: found.waits,
        differs: found.differs,
        after: found.after,
        stored: Stored::new(plan, &found.sequence),
    };
    write_lines(file, found.map(stored))
}

/// What still fits the plan.
fn read(file: &Path, plan: &Plan) -> Vec<Found> {
    let names = Names::new(plan);
    let found = |found: StoredFound| {
        let sequence = found.stored.sequence_by(plan, &names).ok()?;
        let StoredFound { waits, differs, after, .. } = found;
        Some(Found { sequence, after, differs, waits })
    };
    read_lines(file).into_iter().filter_map(found).collect()
}

/// Runs what was found before again, in the place of a search.
pub(super) fn take_up(
    session: &Session,
    selection: &Selection,
    mut supervisor: Supervisor,
    components: Vec<Component>,
) -> Result<Searched> {
    let earlier = read(&session.lab.root().join(FILE), &session.plan);
    let waiting = earlier.iter().filter(|found| found.waits).count();
    if waiting == 0 {
        let why = "nothing waits to be taken up: the last run had time for all that it found, \
                   or the crate has changed since; run without --continue";
        bail!(Usage(why.to_owned()));
    }
    session.console.say(&format!("taking up {waiting} failures of the last run"));
    let mut findings = Findings::new(&session.package.root, selection.clone());
    // What differs between builds is found anew by comparing them.
    let (differing, failing): (Vec<Found>, Vec<Found>) =
        earlier.into_iter().partition(|found| found.differs);
    for found in failing {
        findings.calls = found.after.unwrap_or_default();
        supervisor.renew();
        match supervisor.run(&found.sequence, false) {
            Err(Error::Worker(_)) => {}
            outcome => findings.take(&session.plan, found.sequence, outcome?),
        }
    }
    let (tally, differed) = (Tally::default(), !differing.is_empty());
    let (coverage, learned) = (None, None);
    Ok(Searched { findings, tally, coverage, components, learned, supervisor, differed })
}
