//! The default run: search, judge, shrink, write, report.

mod finish;
mod report;
mod search;
mod smaller;

use crate::Exit;
use crate::args::Run;
use crate::console::Console;
use crate::finding::{Findings, tell_apart};
use crate::pipeline::Session;
use crate::selection::Selection;
use anyhow::Result;
use finish::Finish;
use search::{Search, Tally};
use smaller::shrink_all;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use testsmith_lab::{Limits, Profile};

/// A search shorter than this ends before an optimised build is ready.
const WORTH_OPTIMISING: Duration = Duration::from_secs(20);

pub fn run(options: &Run, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let console = Console::new(options.target.quiet, options.format);
    let mut session = Session::open_on(console, &options.target, Arc::clone(&interrupt))?;
    let selection = Selection::from(&options.paths);
    selection.check(&session.plan)?;
    let harness = session.build(Profile::Unoptimised)?;
    let supervisor = session.supervise(&harness, Limits::default())?;
    let plan = Arc::clone(&session.plan);
    report::started(options, &session);
    let search = Search {
        options,
        excluded: selection.excluded(&plan),
        findings: Findings::new(&session.package.root, selection.clone()),
        tally: Tally::default(),
    };
    let worth_it = options.calls.is_none() && options.budget >= WORTH_OPTIMISING;
    let mut done = std::thread::scope(|scope| {
        // Built while the search is on, and taken over when it is ready. Not
        // where calls are counted: when it is ready is a matter of chance.
        let optimised = worth_it.then(|| {
            scope.spawn(|| session.lab.build(&plan, &session.package, Profile::Optimised).ok())
        });
        search.run(supervisor, &harness, &interrupt, &session, optimised)
    })?;
    // What was found before Ctrl-C is still made small and written down; one
    // more Ctrl-C ends that too.
    let interrupted = interrupt.swap(false, Ordering::AcqRel);
    session.console.say("shrinking what was found");
    let mut findings = shrink_all(&mut done.supervisor, &plan, done.findings)?;
    tell_apart(&mut findings);
    let finish = Finish {
        options,
        session: &session,
        harness: &harness,
        selection: &selection,
        tally: done.tally,
        coverage: done.coverage,
        interrupted,
    };
    let exit = finish.run(findings)?;
    let stopped = interrupted || interrupt.load(Ordering::Acquire);
    Ok(if stopped { Exit::Incomplete } else { exit })
}
