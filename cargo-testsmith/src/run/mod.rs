//! The default run: search, judge, shrink, write, report.

mod compare;
mod finish;
mod kept;
mod report;
mod search;
mod smaller;

use crate::Exit;
use crate::args::Run;
use crate::console::Console;
use crate::finding::tell_apart;
use crate::pipeline::Session;
use crate::selection::Selection;
use anyhow::Result;
use finish::Finish;
use search::Search;
use smaller::shrink_all;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use testsmith_lab::{Build, Lessons, Limits, Profile, Supervisor};

/// A search shorter than this ends before an optimised build is ready.
const WORTH_OPTIMISING: Duration = Duration::from_secs(20);

/// How long a call may take in a search that is bounded by time.
const PATIENCE: Duration = Duration::from_millis(500);

pub fn run(options: &Run, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let console = Console::new(options.target.quiet, options.format);
    let mut session = Session::open_on(console, &options.target, Arc::clone(&interrupt))?;
    let selection = Selection::from(&options.paths);
    selection.check(&session.plan)?;
    let harness = session.build(Profile::Unoptimised)?;
    let mut supervisors = vec![session.supervise(&harness, limits(options))?];
    for _ in 1..options.workers() {
        supervisors.push(session.another(&harness, limits(options))?);
    }
    let plan = Arc::clone(&session.plan);
    let components = session.lab.root().join(kept::FILE);
    take_kept(options, &session, &components, &mut supervisors);
    report::started(options, &session);
    let builds = Builds::default();
    let mut done = std::thread::scope(|scope| {
        if options.calls.is_none() && options.budget >= WORTH_OPTIMISING {
            scope.spawn(|| builds.make(&session));
        }
        let search = Search {
            options,
            session: &session,
            harness: &harness,
            selection: &selection,
            excluded: selection.excluded(&plan),
            interrupt: &interrupt,
            optimised: &builds.optimised,
        };
        search.run(supervisors)
    })?;
    kept::write(&components, &plan, &done.components)?;
    // What was found before Ctrl-C is still made small and written down; one
    // more Ctrl-C ends that too.
    let interrupted = interrupt.swap(false, Ordering::AcqRel);
    session.console.say("shrinking what was found");
    let mut findings = shrink_all(&mut done.supervisor, &plan, done.findings, &done.components)?;
    tell_apart(&mut findings);
    let finish = Finish {
        options,
        session: &session,
        harness: &harness,
        released: builds.released.into_inner(),
        selection: &selection,
        tally: done.tally,
        coverage: done.coverage,
        lessons: done.supervisor.lessons().of_deaths(),
        interrupted,
    };
    let exit = finish.run(findings)?;
    let stopped = interrupted || interrupt.load(Ordering::Acquire);
    Ok(if stopped { Exit::Incomplete } else { exit })
}

/// Calls that hang cost the search dearly, so it has little patience; but where
/// calls are counted, a busy machine must not make a difference.
fn limits(options: &Run) -> Limits {
    let usual = Limits::default();
    match options.calls {
        Some(_) => usual,
        None => Limits { call: usual.call.min(PATIENCE), ..usual },
    }
}

/// Starts from what earlier runs have left. Not where calls are counted: the
/// same seed and number of calls give the same result, whatever was before.
fn take_kept(options: &Run, session: &Session, file: &Path, supervisors: &mut [Supervisor]) {
    if options.calls.is_some() || options.fresh {
        return;
    }
    let kept = kept::read(file, &session.plan);
    if !kept.is_empty() {
        session.console.say(&format!("starting from {} components of earlier runs", kept.len()));
    }
    for supervisor in supervisors {
        supervisor.take_lessons(Lessons::from_components(kept.clone()));
    }
}

/// Further builds of the harness, made while the search is on. Not where calls
/// are counted: when they are ready is a matter of chance.
#[derive(Default)]
struct Builds {
    /// Taken over by the search when it is ready.
    optimised: OnceLock<PathBuf>,
    /// Without overflow checks, to compare with.
    released: OnceLock<PathBuf>,
}

impl Builds {
    /// One after the other: the first is waited for.
    fn make(&self, session: &Session) {
        let rows = [(Profile::Optimised, &self.optimised), (Profile::Released, &self.released)];
        for (profile, place) in rows {
            let build = session.lab.build(&session.plan, &session.package, profile);
            if let Ok(Build::Done { harness, .. }) = build {
                let _ = place.set(harness);
            }
        }
    }
}
