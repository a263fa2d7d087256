//! What a search found, confirmed from scratch and made small.

use crate::finding::{Failure, Finding, Findings, relative};
use anyhow::Result;
use std::time::{Duration, Instant};
use testsmith_engines::shrink::shrink;
use testsmith_judge::{Severity, Verdict, judge};
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::Component;
use testsmith_model::{Builder, Outcome, Plan, Sequence};

/// Shrinking all findings of a run takes at most this long.
const SHRINK_TIME: Duration = Duration::from_secs(60);

/// Confirms every failure from scratch and makes it small.
pub(super) fn shrink_all(
    supervisor: &mut Supervisor,
    plan: &Plan,
    findings: Findings,
    components: &[Component],
) -> Result<Vec<Finding>> {
    let begin = Instant::now();
    let root = findings.root().to_owned();
    let mut small = vec![];
    for Failure { failing, sequence, after, .. } in findings.into_all() {
        // A clone may have stood for steps that a test cannot have.
        if Builder::new(plan).append(&sequence).is_err() {
            continue;
        }
        // A failure that needs what earlier sequences left behind is not one
        // that a test can show.
        let outcome = match supervisor.run_afresh(&sequence, false) {
            Err(Error::Interrupted) => break,
            outcome => relative(outcome?, &root),
        };
        let is_it = |(severity, class): (Severity, String)| {
            severity <= failing.severity && class == failing.class
        };
        if !class_of(plan, &sequence, &outcome).is_some_and(is_it) {
            continue;
        }
        let mut fails = |candidate: &Sequence| {
            if begin.elapsed() > SHRINK_TIME {
                return false;
            }
            let Ok(outcome) = supervisor.run(candidate, false) else { return false };
            let outcome = relative(outcome, &root);
            class_of(plan, candidate, &outcome).is_some_and(is_it)
        };
        let shrunk = shrink(plan, &sequence, outcome.step as usize, components, &mut fails);
        let outcome = match supervisor.run_afresh(&shrunk, false) {
            Err(Error::Interrupted) => break,
            outcome => relative(outcome?, &root),
        };
        if let Verdict::Failing(failing) = judge(plan, &shrunk, &outcome) {
            let finding = Finding::new(plan, failing, shrunk, outcome);
            small.push(Finding { after: Some(after), ..finding });
        }
    }
    small.sort_by_key(|finding| match finding.failing.severity {
        Severity::Suspicious => {
            (Severity::Suspicious, finding.failing.rank, finding.sequence.len())
        }
        severity => (severity, 0, finding.sequence.len()),
    });
    Ok(small)
}

/// What is found where; a smaller sequence must not turn it into less.
fn class_of(plan: &Plan, sequence: &Sequence, outcome: &Outcome) -> Option<(Severity, String)> {
    match judge(plan, sequence, outcome) {
        Verdict::Failing(failing) => Some((failing.severity, failing.class)),
        Verdict::Passed => None,
    }
}
