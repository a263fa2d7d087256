//! The default run: search, judge, shrink, write, report.

mod compare;
mod components;
mod failures;
mod progress;
mod regressions;
mod report;
mod search;

use crate::Exit;
use crate::args::{Format, Run};
use crate::budget::Budget;
use crate::console::Console;
use crate::finding::{Finding, tell_apart};
use crate::pipeline::Session;
use crate::selection::Selection;
use anyhow::Result;
use report::{Report, Tests};
use search::{RandomSearch, Searched};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use testsmith_judge::Severity;
use testsmith_lab::{Build, Lessons, Profile, Supervisor};

pub fn run(options: &Run, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let budget = Budget::of(options);
    let console = Console::new(options.target.quiet, options.format);
    let mut session = Session::open_on(console, &options.target, Arc::clone(&interrupt))?;
    let selection = Selection::from(&options.paths);
    selection.check(&session.plan)?;
    let harness = session.build(Profile::Unoptimised)?;
    let mut supervisors = vec![session.supervise(&harness, budget.limits())?];
    for _ in 1..options.jobs.map_or(budget.workers(), usize::from) {
        supervisors.push(session.another(&harness, budget.limits())?);
    }
    let missing = supervisors[0].missing.clone();
    let components = session.lab.root().join(components::FILE);
    // The same seed and number of calls give the same result, whatever was before.
    if !budget.is_counted() && !options.fresh {
        take_components(&session, &components, &mut supervisors);
    }
    report::started(options, &session);
    let builds = Builds::default();
    let done = std::thread::scope(|scope| {
        if budget.builds_meanwhile() {
            scope.spawn(|| builds.make(&session));
        }
        let search = RandomSearch {
            options,
            budget,
            session: &session,
            harness: &harness,
            selection: &selection,
            excluded: selection.excluded(&session.plan),
            interrupt: &interrupt,
            optimised: &builds.optimised,
        };
        search.run(supervisors)
    })?;
    components::write(&components, &session.plan, &done.components)?;
    // What was found before Ctrl-C is still made small and written down; one
    // more Ctrl-C ends that too.
    let interrupted = interrupt.swap(false, Ordering::AcqRel);
    let work = Work {
        options,
        budget,
        session: &session,
        harness: &harness,
        selection: &selection,
        missing,
    };
    let exit = work.finish(done, builds.released.into_inner(), interrupted)?;
    let stopped = interrupted || interrupt.load(Ordering::Acquire);
    Ok(if stopped { Exit::Incomplete } else { exit })
}

/// What all that comes after the search goes by.
struct Work<'w> {
    options: &'w Run,
    budget: Budget,
    session: &'w Session,
    /// Without optimisation: its coverage is exact.
    harness: &'w Path,
    selection: &'w Selection,
    /// What the machine lacks of the sandbox, as it was told already.
    missing: Vec<String>,
}

impl Work<'_> {
    /// From what was found to tests, files and the report. `released` is the build
    /// without overflow checks, if there is one already.
    fn finish(
        &self,
        mut done: Searched,
        released: Option<FurtherBuild>,
        interrupted: bool,
    ) -> Result<Exit> {
        let Work { options, session, .. } = self;
        session.console.say("shrinking what was found");
        let candidates = done.findings.into_candidates();
        let mut findings = self.confirm(&mut done.supervisor, candidates, &done.components)?;
        tell_apart(&mut findings);
        let (mut wanted, suspicious): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(|finding| {
                options.suspicious || finding.failing.severity == Severity::Violation
            });
        let not_compared = match self.released(released) {
            Some(Ok(harness)) => {
                wanted.extend(self.differing(&harness)?);
                None
            }
            Some(Err(why)) => Some(why),
            None => None,
        };
        tell_apart(&mut wanted);
        let mut tests = Tests::default();
        self.write_failures(&mut wanted, &mut tests)?;
        let stored = self.store(wanted.iter().chain(&suspicious))?;
        if !options.no_write && !options.no_regressions && !interrupted {
            let lessons = done.supervisor.lessons().of_deaths();
            self.write_regressions(lessons, &mut tests)?;
        }
        session.console.clear();
        let report = Report {
            options,
            session,
            selection: self.selection,
            tally: &done.tally,
            findings: &wanted,
            suspicious: &suspicious,
            stored: &stored,
            coverage: done.coverage,
            tests: &tests,
            not_compared,
        };
        report.write_summary()?;
        let mut out = std::io::stdout().lock();
        // A closed pipe, as with `| head`, is no failure.
        let _ = match options.format {
            Format::Text => report.print(&mut out),
            Format::Json => {
                drop(out);
                report.print_events();
                Ok(())
            }
        };
        Ok(report.exit())
    }

    /// Where tests are written.
    fn folder(&self) -> PathBuf {
        match (&self.options.output, &self.options.target.krate) {
            (Some(folder), _) => folder.clone(),
            (None, Some(_)) => self.session.lab.root().join("tests"),
            (None, None) => self.session.package.root.join("tests"),
        }
    }

    /// Says what the machine lacks to watch tests, as far as it was not told.
    fn say_missing(&self, missing: &BTreeSet<String>) {
        let new = missing.iter().filter(|words| !self.missing.contains(words));
        let new: Vec<&str> = new.map(String::as_str).collect();
        if !new.is_empty() {
            let what = new.join("; ");
            self.session.console.say(&format!("tests are not watched in full here: {what}"));
        }
    }
}

/// Starts from what earlier runs have left.
fn take_components(session: &Session, file: &Path, supervisors: &mut [Supervisor]) {
    let earlier = components::read(file, &session.plan);
    if !earlier.is_empty() {
        let count = earlier.len();
        session.console.say(&format!("starting from {count} components of earlier runs"));
    }
    for supervisor in supervisors {
        supervisor.take_lessons(Lessons::from_components(earlier.clone()));
    }
}

/// Further builds of the harness, made while the search is on.
#[derive(Default)]
struct Builds {
    /// Taken over by the search when it is ready.
    optimised: OnceLock<PathBuf>,
    /// Without overflow checks, to compare with.
    released: OnceLock<FurtherBuild>,
}

/// One more harness, or why there is none.
type FurtherBuild = Result<PathBuf, String>;

impl Builds {
    /// One after the other: the first is waited for.
    fn make(&self, session: &Session) {
        if let Ok(harness) = further_build(session, Profile::Optimised) {
            let _ = self.optimised.set(harness);
        }
        let _ = self.released.set(further_build(session, Profile::Released));
    }
}

/// One more build of the harness. A run can do without, but not without a word:
/// what is compared with nothing has not been compared.
fn further_build(session: &Session, profile: Profile) -> FurtherBuild {
    let what = match profile {
        Profile::Released => "nothing is compared: the build without overflow checks failed",
        Profile::Unoptimised | Profile::Optimised => "the optimised build failed",
    };
    let why = match session.lab.build(&session.plan, &session.package, profile) {
        Ok(Build::Done { harness, .. }) => return Ok(harness),
        Ok(Build::Refused(refused)) => match refused.first_key_value() {
            Some((n, why)) => format!("{}: {why}", session.plan.operations[*n].callee),
            None => "no operation is to blame".to_owned(),
        },
        Err(error) => error.to_string(),
    };
    session.console.say(&format!("{what}: {why}"));
    Err(why)
}
