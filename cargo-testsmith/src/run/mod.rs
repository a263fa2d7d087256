//! The default run: search, judge, shrink, write, report.

mod compare;
mod kept;
mod report;
mod search;
mod smaller;

use crate::Exit;
use crate::args::{Format, Run};
use crate::emit::{self, FAILURES};
use crate::finding::{Finding, tell_apart};
use crate::pipeline::Session;
use anyhow::Result;
use compare::Builds;
use report::Report;
use search::{Search, Searched};
use smaller::shrink_all;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use testsmith_judge::Severity;
use testsmith_lab::{Build, Lessons, Limits, Profile};

/// A search shorter than this ends before an optimised build is ready.
const WORTH_OPTIMISING: Duration = Duration::from_secs(20);

pub fn run(options: &Run, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let mut session = Session::open(&options.target, Arc::clone(&interrupt))?;
    let harness = session.build(Profile::Unoptimised)?;
    let mut supervisors = vec![session.supervise(&harness, Limits::default())?];
    for _ in 1..options.workers() {
        supervisors.push(session.another(&harness, Limits::default())?);
    }
    let plan = Arc::clone(&session.plan);
    let components = session.lab.root().join(kept::FILE);
    // The same seed and number of calls give the same result, whatever other
    // runs have left behind.
    if options.calls.is_none() && !options.fresh {
        let kept = kept::read(&components, &plan);
        if !kept.is_empty() {
            session.say(&format!("starting from {} components of earlier runs", kept.len()));
        }
        for supervisor in &mut supervisors {
            supervisor.take_lessons(Lessons::from_components(kept.clone()));
        }
    }
    let worth_it = options.calls.is_none() && options.budget >= WORTH_OPTIMISING;
    let (optimised, released) = (OnceLock::new(), OnceLock::new());
    let done = std::thread::scope(|scope| {
        // Built while the search is on, and taken over when it is ready. Not
        // where calls are counted: when it is ready is a matter of chance.
        if worth_it {
            // One after the other: the first is waited for.
            scope.spawn(|| {
                let build = |profile| session.lab.build(&plan, &session.package, profile);
                if let Ok(Build::Done { harness, .. }) = build(Profile::Optimised) {
                    let _ = optimised.set(harness);
                }
                if let Ok(build) = build(Profile::Released) {
                    let _ = released.set(build);
                }
            });
        }
        let (session, harness) = (&session, harness.as_path());
        let (interrupt, optimised) = (&*interrupt, &optimised);
        Search { options, session, harness, interrupt, optimised }.run(supervisors)
    })?;
    let Searched { findings, tally, coverage, components: made, mut supervisor } = done;
    kept::write(&components, &plan, &made)?;
    let mut released = released.into_inner();
    if options.compare_release && released.is_none() {
        session.say("building without overflow checks");
        released = session.lab.build(&plan, &session.package, Profile::Released).ok();
    }
    // What was found before Ctrl-C is still made small and written down; one
    // more Ctrl-C ends that too.
    let interrupted = interrupt.swap(false, Ordering::AcqRel);
    session.say("shrinking");
    let mut findings = shrink_all(&mut supervisor, &plan, findings, &made)?;
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
