//! The default run: search, judge, shrink, write, report.

mod compare;
mod report;
mod search;
mod smaller;

use crate::Exit;
use crate::args::{Format, Run};
use crate::emit::{self, FAILURES};
use crate::finding::{Finding, Findings, tell_apart};
use crate::pipeline::Session;
use anyhow::Result;
use compare::Builds;
use report::Report;
use search::{Search, Searched, Tally};
use smaller::shrink_all;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use testsmith_judge::Severity;
use testsmith_lab::{Build, Limits, Profile};

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
        let (sooner, later) = std::sync::mpsc::channel::<()>();
        let build = |profile| session.lab.build(&plan, &session.package, profile).ok();
        let optimised = worth_it.then(|| {
            scope.spawn(move || {
                let built = build(Profile::Optimised);
                drop(sooner);
                built
            })
        });
        // One after the other: the first is waited for.
        let released = worth_it.then(|| {
            scope.spawn(move || {
                let _ = later.recv();
                build(Profile::Released)
            })
        });
        let done = search.run(supervisor, &harness, &interrupt, &session, optimised);
        done.map(|done| (done, released.and_then(|released| released.join().ok().flatten())))
    })?;
    let (done, mut released) = done;
    if options.compare_release && released.is_none() {
        session.say("building without overflow checks");
        released = session.lab.build(&plan, &session.package, Profile::Released).ok();
    }
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
    if let Some(Build::Done { harness: released, .. }) = released {
        session.say("comparing with a build without overflow checks");
        let mut released = session.another(&released, Limits::default())?;
        let mut checked = session.another(&harness, Limits::default())?;
        let (checked, released) = (&mut checked, &mut released);
        wanted.extend(Builds { session: &session, checked, released }.compare(options)?);
        tell_apart(&mut wanted);
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
