//! Components that outlive a run: the next one starts from them.
//!
//! One stored sequence a line, with the step whose value it is kept for. What
//! does not fit the plan any more is left out when it is read.

use crate::stored::{Names, Stored, read_lines, write_lines};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;
use testsmith_model::Plan;
use testsmith_model::message::Component;

pub(super) const FILE: &str = "components.jsonl";
/// More would take longer to run again than to find anew.
const MAX_STORED: usize = 1000;

#[derive(Serialize, Deserialize)]
struct StoredComponent {
    value: u32,
    #[serde(flatten)]
    stored: Stored,
}

/// The components of earlier runs that still make sense.
pub(super) fn read(file: &Path, plan: &Plan) -> Vec<Component> {
    let names = Names::new(plan);
    let component = |kept: StoredComponent| {
        let sequence = kept.stored.sequence_by(plan, &names).ok()?;
        ((kept.value as usize) < sequence.len())
            .then_some(Component { sequence, value: kept.value })
    };
    read_lines(file).into_iter().filter_map(component).collect()
}

/// Writes the latest components, each once.
pub(super) fn write(file: &Path, plan: &Plan, components: &[Component]) -> Result<()> {
    let mut seen = HashSet::new();
    let latest = components.iter().rev().filter(|c| seen.insert((&c.sequence, c.value)));
    let mut latest: Vec<&Component> = latest.take(MAX_STORED).collect();
    // Earlier ones are simpler, and come first again.
    latest.reverse();
    let stored = |component: &Component| {
        let stored = Stored::new(plan, &component.sequence);
        StoredComponent { value: component.value, stored }
    };
    write_lines(file, latest.into_iter().map(stored))
}
