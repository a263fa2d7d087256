//! The default run: search, judge, shrink, write, report.

mod causes;
mod compare;
mod failures;
mod found;
mod progress;
mod regressions;
mod report;
mod search;
mod states;
mod support;

use crate::Exit;
use crate::args::{Format, Run};
use crate::budget::{Budget, Ends, is_late};
use crate::console::Console;
use crate::finding::{Finding, tell_apart};
use crate::keep::Keeper;
use crate::pipeline::Session;
use crate::selection::Selection;
use anyhow::Result;
use found::Found;
use report::{Report, Tests};
use search::{RandomSearch, Searched};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};
use testsmith_judge::Severity;
use testsmith_lab::{Build, Error, Lessons, Profile, Supervisor};

pub fn run(options: &Run, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let budget = Budget::of(options);
    let console = Console::new(options.target.quiet, options.format);
    let mut session = Session::open_on(console, &options.target, Arc::clone(&interrupt))?;
    let selection = Selection::from(&options.paths);
    selection.check(&session.plan)?;
    let harness = session.build_for_tests(Profile::Unoptimised)?;
    let mut supervisors = vec![session.supervise(&harness, budget.limits())?];
    let workers =
        if options.take_up { 1 } else { options.jobs.map_or(budget.workers(), usize::from) };
    for _ in 1..workers {
        supervisors.push(session.another(&harness, budget.limits())?);
    }
    let missing = supervisors[0].missing.clone();
    let mut keeper = Keeper::open(&session);
    // The same seed and number of calls give the same result, whatever was before.
    let mut earlier = vec![];
    if !budget.is_counted() && !options.fresh {
        take_components(&session, &mut keeper, &mut supervisors);
        earlier = keeper.objects(&session.plan);
    }
    report::started(options, &session);
    let builds = Builds::default();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        if budget.builds_meanwhile() && !options.take_up {
            scope.spawn(|| builds.make(&session));
        }
        // However this ends, nobody waits for a build that is no longer needed.
        let _no_longer = NoLonger(&builds.over);
        let done = if options.take_up {
            let earlier = keeper.components(&session.plan);
            let first = supervisors.swap_remove(0);
            found::take_up(&session, &selection, first, earlier)?
        } else {
            let search = RandomSearch {
                options,
                budget,
                session: &session,
                harness: &harness,
                selection: &selection,
                excluded: selection.excluded(&session.plan),
                interrupt: &interrupt,
                optimised: &builds.optimised,
                earlier,
            };
            let done = search.run(supervisors)?;
            keeper.put_components(&session.plan, &done.components);
            if let Some(leaves) = &done.learned {
                keeper.put_learned(&leaves.seen, &leaves.contracts);
            }
            done
        };
        // What was found before Ctrl-C is still made small and written down; one
        // more Ctrl-C ends that too.
        let interrupted = interrupt.swap(false, Ordering::AcqRel);
        let work = Work {
            options,
            budget,
            begin,
            searched: Instant::now(),
            ends: ends(options, budget, begin),
            session: &session,
            harness: &harness,
            selection: &selection,
            missing,
        };
        let exit = work.finish(done, &builds, interrupted, &mut keeper)?;
        let stopped = interrupted || interrupt.load(Ordering::Acquire);
        Ok(if stopped { Exit::Incomplete } else { exit })
    })
}

/// When the work on what was found ends. What the search took too long comes off that
/// time, but for one half of it.
fn ends(options: &Run, budget: Budget, begin: Instant) -> Ends {
    if options.take_up {
        return budget.ends(begin, options.budget);
    }
    let (now, finish) = (Instant::now(), budget.finish());
    let too_long = budget.end_of_search(begin).map(|end| now.saturating_duration_since(end));
    let left = finish.saturating_sub(too_long.unwrap_or_default());
    budget.ends(now, left.max(finish / 2))
}

/// What all that comes after the search goes by.
struct Work<'w> {
    options: &'w Run,
    budget: Budget,
    /// When the search began, and when it was over.
    begin: Instant,
    searched: Instant,
    ends: Ends,
    session: &'w Session,
    /// Without optimisation: its coverage is exact.
    harness: &'w Path,
    selection: &'w Selection,
    /// What the machine lacks of the sandbox, as it was told already.
    missing: Vec<String>,
}

/// Failures on their way to the report.
struct Failures {
    /// What is written as tests.
    wanted: Vec<Finding>,
    suspicious: Vec<Finding>,
    /// What there was no time for.
    waiting: Vec<Found>,
    /// Why there was no build without overflow checks to compare with.
    not_compared: Option<String>,
}

impl Work<'_> {
    /// From what was found to tests, files and the report.
    fn finish(
        &self,
        done: Searched,
        builds: &Builds,
        interrupted: bool,
        keeper: &mut Keeper,
    ) -> Result<Exit> {
        let Work { options, session, .. } = self;
        let mut tests = Tests::default();
        let Searched {
            findings,
            tally,
            coverage,
            components,
            learned,
            mut supervisor,
            differed,
            ..
        } = done;
        let exceptions = learned.map(|leaves| leaves.exceptions).unwrap_or_default();
        let wants_suite = !options.no_write && !options.no_regressions && !interrupted;
        let lessons = supervisor.lessons().of_deaths();
        let released = || self.released(builds, differed);
        session.console.say("shrinking what was found");
        // One works with cargo, the other with a worker.
        let (failures, suite) = std::thread::scope(|scope| {
            let suite = wants_suite.then(|| scope.spawn(|| self.choose_suite(lessons)));
            let confirmed =
                self.confirm(&mut supervisor, findings, exceptions, &components, &mut tests);
            let failures =
                confirmed.and_then(|confirmed| self.failures(confirmed, released, &mut tests));
            let join = |suite: ScopedJoinHandle<'_, _>| match suite.join() {
                Ok(suite) => suite,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            (failures, suite.map(join))
        });
        let failures = failures?;
        let Failures { wanted, suspicious, waiting, not_compared } = failures;
        let stored = self.store(wanted.iter().chain(&suspicious))?;
        self.keep_findings(keeper, wanted.iter().chain(&suspicious));
        if let Some(suite) = self.unless_workers_die(suite.transpose())? {
            self.write_regressions(suite, &mut tests)?;
        }
        session.console.clear();
        let report = Report {
            options,
            session,
            selection: self.selection,
            tally: &tally,
            findings: &wanted,
            suspicious: &suspicious,
            stored: &stored,
            coverage,
            tests: &tests,
            not_compared,
            waiting: waiting.len() + wanted.iter().filter(|finding| finding.waits).count(),
            took: (!self.budget.is_counted())
                .then(|| (self.searched - self.begin, self.searched.elapsed())),
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

    /// From what was confirmed to tests, with what differs from the other build. What was
    /// found is kept before anything else can go wrong.
    fn failures(
        &self,
        confirmed: (Vec<Finding>, Vec<Found>),
        released: impl FnOnce() -> Option<FurtherBuild>,
        tests: &mut Tests,
    ) -> Result<Failures> {
        let (mut findings, waiting) = confirmed;
        let fail = |finding: &&Finding| !finding.is_exception();
        let not_yet =
            findings.iter().filter(fail).map(|finding| Found { waits: true, ..Found::of(finding) });
        self.keep_found(not_yet.chain(waiting.iter().cloned()))?;
        tell_apart(&mut findings);
        let (mut wanted, mut suspicious): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(|finding| {
                let wanted = self.options.suspicious && !finding.is_exception();
                wanted || finding.failing.severity == Severity::Violation
            });
        let not_compared = match released() {
            Some(Ok(harness)) => {
                let differing = self.differing(&harness, tests)?;
                let told = |known: &mut Finding| differing.iter().any(|one| one.tells(known));
                suspicious.extract_if(.., told).for_each(drop);
                wanted.extend(differing);
                None
            }
            Some(Err(why)) => Some(why),
            None => None,
        };
        tell_apart(&mut wanted);
        self.write_failures(&mut wanted, tests)?;
        let done = wanted.iter().chain(&suspicious).filter(fail).map(Found::of);
        self.keep_found(done.chain(waiting.iter().cloned()))?;
        Ok(Failures { wanted, suspicious, waiting, not_compared })
    }

    /// What came of a part of the work that the rest can do without, if no worker could be
    /// kept alive for it.
    fn unless_workers_die<T>(&self, done: Result<Option<Option<T>>>) -> Result<Option<T>> {
        match done {
            Err(error) => match error.downcast::<Error>() {
                Ok(Error::Worker(why)) => {
                    self.session.console.say(&format!("no regression tests: {why}"));
                    Ok(None)
                }
                Ok(error) => Err(error.into()),
                Err(error) => Err(error),
            },
            Ok(done) => Ok(done.flatten()),
        }
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
fn take_components(session: &Session, keeper: &mut Keeper, supervisors: &mut [Supervisor]) {
    let earlier = keeper.components(&session.plan);
    if !earlier.is_empty() {
        let count = earlier.len();
        session.console.say(&format!("starting from {count} components of earlier runs"));
    }
    for supervisor in supervisors {
        supervisor.take_lessons(Lessons::from_components(earlier.clone()));
    }
}

/// Further builds, made while the search is on.
#[derive(Default)]
struct Builds {
    /// Taken over by the search when it is ready.
    optimised: OnceLock<PathBuf>,
    /// Without overflow checks, to compare with.
    released: OnceLock<FurtherBuild>,
    /// Whether what is not ready by now is no longer wanted.
    over: AtomicBool,
}

/// Ends what is built when it goes.
struct NoLonger<'b>(&'b AtomicBool);

impl Drop for NoLonger<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// One more harness, or why there is none.
type FurtherBuild = Result<PathBuf, String>;

impl Builds {
    /// One after the other: the first is waited for by the search.
    fn make(&self, session: &Session) {
        if let Ok(harness) = further_build(session, Profile::Optimised, &self.over) {
            let _ = self.optimised.set(harness);
        }
        let _ = self.released.set(further_build(session, Profile::Released, &self.over));
    }

    /// The build without overflow checks, if it is ready by then.
    fn released_by(&self, end: Option<Instant>) -> FurtherBuild {
        while self.released.get().is_none() && !is_late(end) {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        self.over.store(true, Ordering::Release);
        self.released.get().cloned().unwrap_or_else(|| Err(UNBUILT.to_owned()))
    }
}

const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
const UNBUILT: &str = "there was no time to build it; with --compare-release and --calls there is";

/// One more build of the harness, unless `stop` is set before it is done. A run can do
/// without, but not without a word: what is compared with nothing has not been compared.
fn further_build(session: &Session, profile: Profile, stop: &AtomicBool) -> FurtherBuild {
    let what = match profile {
        Profile::Released => "nothing is compared: the build without overflow checks failed",
        Profile::Unoptimised | Profile::Optimised => "the optimised build failed",
    };
    let why = match session.lab.build(&session.plan, &session.package, profile, stop) {
        Ok(Build::Done { harness, .. }) => return Ok(harness),
        Ok(Build::Refused(refused)) => match refused.first_key_value() {
            Some((n, why)) => format!("{}: {why}", session.plan.operations[*n].callee),
            None => "no operation is to blame".to_owned(),
        },
        Err(Error::Interrupted) => return Err(UNBUILT.to_owned()),
        Err(error) => error.to_string(),
    };
    session.console.say(&format!("{what}: {why}"));
    Err(why)
}
