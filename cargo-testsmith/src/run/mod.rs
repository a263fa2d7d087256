//! The default run: search, judge, shrink, write, report.

mod report;
mod search;
mod smaller;

use crate::Exit;
use crate::args::{Format, Run};
use crate::emit::{self, FAILURES};
use crate::finding::{Finding, Findings, tell_apart};
use crate::pipeline::Session;
use anyhow::Result;
use report::Report;
use search::{Search, Searched, Tally};
use smaller::shrink_all;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use testsmith_judge::Severity;
use testsmith_lab::{Limits, Profile};

/// A search shorter than this ends before an optimised build is ready.
const WORTH_OPTIMISING: Duration = Duration::from_secs(20);

pub fn run(options: &Run, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let mut session = Session::open(&options.target, Arc::clone(&interrupt))?;
    let harness = session.build(Profile::Unoptimised)?;
    let supervisor = session.supervise(&harness, Limits::default())?;
    let plan = Arc::clone(&session.plan);
    let search =
        Search { options, findings: Findings::new(&session.package.root), tally: Tally::default() };
    let worth_it = options.calls.is_none() && options.budget >= WORTH_OPTIMISING;
    let done = std::thread::scope(|scope| {
        // Built while the search is on, and taken over when it is ready. Not
        // where calls are counted: when it is ready is a matter of chance.
        let optimised = worth_it.then(|| {
            scope.spawn(|| session.lab.build(&plan, &session.package, Profile::Optimised).ok())
        });
        search.run(supervisor, &harness, &interrupt, &session, optimised)
    })?;
    let Searched { findings, tally, coverage, mut supervisor } = done;
    // What was found before Ctrl-C is still made small and written down; one
    // more Ctrl-C ends that too.
    let interrupted = interrupt.swap(false, Ordering::AcqRel);
    session.say("shrinking");
    let mut findings = shrink_all(&mut supervisor, &plan, findings)?;
    tell_apart(&mut findings);
    let (wanted, rest): (Vec<Finding>, Vec<Finding>) = findings
        .into_iter()
        .partition(|finding| options.suspicious || finding.failing.severity == Severity::Violation);
    let mut wanted = wanted;
    let mut file = None;
    let mut dropped = vec![];
    if !wanted.is_empty() {
        session.say("checking the tests in fresh processes");
        dropped = emit::verify(&session.lab, &plan, &mut wanted)?;
    }
    if !options.no_write {
        let path = output_folder(options, &session).join(FAILURES);
        let written = emit::write(&path, &plan, &wanted)?;
        file = Some((path, written));
    }
    let report = Report {
        plan: &plan,
        tally,
        findings: &wanted,
        suspicious: &rest,
        dropped,
        coverage,
        file,
    };
    let mut out = std::io::stdout().lock();
    let _ = match options.format {
        Format::Text => report.print(&mut out),
        Format::Json => report.print_json(&mut out),
    };
    let violation = wanted.iter().any(|f| f.failing.severity == Severity::Violation);
    if interrupted || interrupt.load(Ordering::Acquire) {
        return Ok(Exit::Incomplete);
    }
    Ok(if violation { Exit::Found } else { Exit::Clean })
}

fn output_folder(options: &Run, session: &Session) -> PathBuf {
    match (&options.output, &options.target.krate) {
        (Some(folder), _) => folder.clone(),
        (None, Some(_)) => session.lab.root().join("tests"),
        (None, None) => session.package.root.join("tests"),
    }
}
