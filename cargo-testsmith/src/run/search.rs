//! The search of a run: walks until the budget is spent, and keeps what failed.
//!
//! Each worker searches by itself, from a seed of its own, and what they found
//! is put together at the end in the order of their numbers: with a number of
//! calls the result is the same every time.

use super::progress::{SharedProgress, WorkerProgress};
use crate::args::Run;
use crate::budget::Budget;
use crate::finding::Findings;
use crate::keep::look_up;
use crate::pipeline::Session;
use crate::reach::help;
use crate::selection::Selection;
use crate::stateful::{Exception, Fate, Stateful};
use anyhow::Result;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testsmith_judge::Severity;
use testsmith_lab::coverage::{Edge, Sources};
use testsmith_lab::{Error, Supervisor};
use testsmith_model::message::{Component, Walk};
use testsmith_model::outcome::Ending;
use testsmith_model::{Heuristic, OpId, Sequence, Step};

/// Walks in a row without a call, after which there is nothing to call.
const MAX_IDLE: u32 = 8;
/// Calls between two looks at the clock.
const CALLS_A_ROUND: u64 = 100_000;
/// A worker that hangs takes seconds, so the clock is looked at after a few.
const DEATHS_A_ROUND: u32 = 3;
/// How long it takes at most to run again what the optimised build has reached.
const CATCH_UP: Duration = Duration::from_secs(3);
const MAX_LENGTH: u32 = 20;
/// So many walks without news are a plateau.
const PLATEAU_ROUNDS: u64 = 5;
/// Sequences of components that stateful testing looks at first.
const MAX_KEPT: usize = 400;
/// Stateful testing makes this part of the calls again, but at least so many.
const STATEFUL_SHARE: u64 = 5;
const LEAST_STATEFUL: u64 = 60_000;
/// The memory of one in so many sequences is watched.
const WATCH_EVERY: u32 = 8;

#[derive(Clone, Default)]
pub(super) struct Tally {
    pub(super) calls: u64,
    pub(super) sequences: u64,
    pub(super) panics: u64,
    pub(super) deaths: u32,
    /// Per operation, how often it completed.
    pub(super) completed: Vec<u32>,
    /// And how often it panicked.
    pub(super) panicked: Vec<u32>,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.calls += other.calls;
        self.sequences += other.sequences;
        self.panics += other.panics;
        self.deaths += other.deaths;
        add_each(&mut self.completed, &other.completed);
        add_each(&mut self.panicked, &other.panicked);
    }
}

fn add_each(sums: &mut Vec<u32>, more: &[u32]) {
    sums.resize(sums.len().max(more.len()), 0);
    for (sum, n) in sums.iter_mut().zip(more) {
        *sum = sum.saturating_add(*n);
    }
}

/// What all workers of a search go by.
pub(super) struct RandomSearch<'s> {
    pub(super) options: &'s Run,
    pub(super) budget: Budget,
    pub(super) session: &'s Session,
    pub(super) harness: &'s Path,
    pub(super) selection: &'s Selection,
    /// Operations that are not to be called.
    pub(super) excluded: Vec<OpId>,
    pub(super) interrupt: &'s AtomicBool,
    /// The optimised harness, when it is ready.
    pub(super) optimised: &'s OnceLock<PathBuf>,
    /// Sequences of earlier runs whose values stateful testing looks at.
    pub(super) earlier: Vec<Sequence>,
}

/// What a search leaves.
pub(super) struct Searched {
    pub(super) findings: Findings,
    pub(super) tally: Tally,
    /// Lines covered, of those compiled in.
    pub(super) coverage: Option<(usize, usize)>,
    pub(super) components: Vec<Component>,
    /// What stateful testing leaves for the store.
    pub(super) learned: Option<Leaves>,
    pub(super) supervisor: Supervisor,
    /// Whether an earlier run, which is taken up, has seen builds differ.
    pub(super) differed: bool,
}

impl RandomSearch<'_> {
    /// What earlier runs have left of values that satisfy one of these conditions; nothing
    /// where the same calls have to give the same result.
    fn look_up(&self, asked: &[String]) -> Vec<Sequence> {
        match self.budget.is_counted() || self.options.fresh {
            true => vec![],
            false => look_up(self.session, asked),
        }
    }

    /// Lets every worker walk until the budget is spent. An interruption keeps
    /// what was found. There must be at least one supervisor.
    pub(super) fn run(&self, supervisors: Vec<Supervisor>) -> Result<Searched> {
        let progress = SharedProgress::new(supervisors.len());
        let workers = supervisors.len();
        let done: Vec<Result<Walker<'_>>> = std::thread::scope(|scope| {
            let start = |(number, supervisor): (usize, Supervisor)| {
                let mut walker = Walker {
                    search: self,
                    progress: &progress,
                    number,
                    left: self.budget.share(number, workers),
                    supervisor,
                    findings: Findings::new(&self.session.package.root, self.selection.clone()),
                    tally: Tally::default(),
                    covered: None,
                    plateau: Plateau::default(),
                    learned: None,
                    helped: false,
                    idle: 0,
                };
                scope.spawn(move || walker.walk().map(|()| walker))
            };
            let threads: Vec<_> = supervisors.into_iter().enumerate().map(start).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| match thread.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            threads.into_iter().map(join).collect()
        });
        self.merge(done)
    }

    fn merge(&self, done: Vec<Result<Walker<'_>>>) -> Result<Searched> {
        let mut findings = Findings::new(&self.session.package.root, self.selection.clone());
        let mut tally = Tally::default();
        let mut covered: Option<Covered> = None;
        let mut components = vec![];
        let mut first = None;
        let mut learned = None;
        for walker in done {
            let walker = walker?;
            findings.absorb(walker.findings);
            tally.add(&walker.tally);
            components.extend_from_slice(&walker.supervisor.lessons().components);
            match (&mut covered, walker.covered) {
                (Some(all), Some(more)) => all.taken.extend(more.taken),
                (none, more) => *none = none.take().or(more),
            }
            learned = learned.or(walker.learned);
            first.get_or_insert(walker.supervisor);
        }
        let coverage = covered.and_then(|covered| {
            let sources =
                Sources::read(self.harness, &covered.edges, &self.session.package.sources).ok()?;
            let summary = sources.summary(|edge| covered.taken.contains(&edge));
            Some((summary.lines_covered(), summary.lines()))
        });
        let supervisor = first.expect("a search has at least one worker");
        Ok(Searched { findings, tally, coverage, components, learned, supervisor, differed: false })
    }
}

/// The edges of the unoptimised harness, and those taken.
struct Covered {
    edges: Vec<Edge>,
    taken: HashSet<usize>,
}

/// What stateful testing leaves.
pub(super) struct Leaves {
    pub(super) seen: testsmith_store::Seen,
    pub(super) contracts: Vec<testsmith_store::Contract>,
    /// What nearly all calls keep, and calls that do not.
    pub(super) exceptions: Vec<Exception>,
}

/// Whether walks still bring anything.
#[derive(Default)]
struct Plateau {
    news: (usize, usize),
    rounds: u64,
    /// Rounds since there was any news.
    quiet: u64,
}

impl Plateau {
    /// Takes in how much is known after a round. It is reached when nothing was new for
    /// several rounds and for half of all.
    fn is_reached(&mut self, news: (usize, usize)) -> bool {
        self.rounds += 1;
        self.quiet = if news == self.news { self.quiet + 1 } else { 0 };
        self.news = news;
        self.quiet >= PLATEAU_ROUNDS && 2 * self.quiet >= self.rounds
    }
}

/// One worker's search.
struct Walker<'s> {
    search: &'s RandomSearch<'s>,
    progress: &'s SharedProgress,
    number: usize,
    /// Calls still to be made.
    left: u64,
    supervisor: Supervisor,
    findings: Findings,
    tally: Tally,
    covered: Option<Covered>,
    plateau: Plateau,
    learned: Option<Leaves>,
    /// Whether states were searched for that random search does not get to.
    helped: bool,
    /// Walks in a row in which nothing could be called.
    idle: u32,
}

impl Walker<'_> {
    fn walk(&mut self) -> Result<()> {
        let interrupt = self.search.interrupt;
        let mut round = 0;
        self.supervisor.patience = DEATHS_A_ROUND;
        let end = self.search.budget.end_of_search(self.progress.begin);
        self.supervisor.until = self.walks_until();
        while self.left > 0 && !interrupt.load(Ordering::Acquire) {
            if self.supervisor.is_late() {
                break;
            }
            if self.covered.is_none()
                && let Some(harness) = self.search.optimised.get()
            {
                self.switch_to(harness);
            }
            if !self.round(round)? {
                break;
            }
            round += 1;
            self.tell();
            self.help()?;
            let news = (self.supervisor.reached(), self.findings.count(Severity::Violation));
            if self.plateau.is_reached(news) && self.learned.is_none() {
                self.supervisor.until = self.stateful_until();
                self.stateful(round)?;
                self.supervisor.until = end;
            }
        }
        if self.learned.is_none() && !interrupt.load(Ordering::Acquire) {
            self.supervisor.until = end;
            self.stateful(round)?;
        }
        self.tally.deaths += self.supervisor.deaths;
        if self.supervisor.gave_up() {
            let why = "workers die between two sequences, of what could not be found out";
            self.search.session.console.say(&format!("a search ends early: {why}"));
        }
        match self.covered.take() {
            None => self.covered = self.coverage(),
            Some(before) => self.covered = Some(self.catch_up(before)?),
        }
        Ok(())
    }

    /// Adds what the optimised build has reached: its components are run again
    /// without optimisation, and a round is walked from there.
    fn catch_up(&mut self, mut covered: Covered) -> Result<Covered> {
        let until = self.search.budget.end_of(Instant::now(), CATCH_UP);
        let Ok(exact) = self.successor(self.search.harness, until) else { return Ok(covered) };
        let optimised = std::mem::replace(&mut self.supervisor, exact);
        if self.round(u64::MAX)?
            && let Some(more) = self.coverage()
        {
            covered.taken.extend(more.taken);
        }
        self.tally.deaths += self.supervisor.deaths;
        self.supervisor = optimised;
        Ok(covered)
    }

    /// Goes on with the optimised build.
    fn switch_to(&mut self, harness: &Path) {
        // Lines are exact without optimisation only, so they are read now.
        self.covered = self.coverage();
        if let Ok(faster) = self.successor(harness, self.supervisor.until) {
            if self.number == 0 {
                self.search.session.console.say("going on with an optimised build");
            }
            self.tally.deaths += self.supervisor.deaths;
            self.supervisor = faster;
        }
    }

    /// Goes on with another build, and with what was learnt.
    fn successor(&self, harness: &Path, until: Option<Instant>) -> Result<Supervisor> {
        let limits = self.search.budget.limits();
        let mut successor = self.search.session.another(harness, limits)?;
        successor.take_lessons(self.supervisor.lessons().clone());
        successor.patience = DEATHS_A_ROUND;
        successor.until = until;
        Ok(successor)
    }

    /// When walks end: where there is an end, stateful testing gets the last tenth.
    fn walks_until(&self) -> Option<Instant> {
        let (search, begin) = (self.search, self.progress.begin);
        let end = search.budget.end_of_search(begin)?;
        if !self.is_stateful() {
            return Some(end);
        }
        Some(begin + end.saturating_duration_since(begin) / 10 * 9)
    }

    /// When stateful testing ends that begins now: it takes a tenth of the time at most, since
    /// calls under observation are slow.
    fn stateful_until(&self) -> Option<Instant> {
        let begin = self.progress.begin;
        let end = self.search.budget.end_of_search(begin)?;
        Some(end.min(Instant::now() + end.saturating_duration_since(begin) / 10))
    }

    /// Searches once for states in which operations can be called that no walk has called.
    fn help(&mut self) -> Result<()> {
        let has = self.search.options.heuristics().has(Heuristic::Reach);
        if self.helped || self.number != 0 || !has {
            return Ok(());
        }
        self.helped = true;
        let (session, excluded) = (self.search.session, &self.search.excluded);
        let completed = &self.tally.completed;
        let missing = |op: OpId| {
            completed.get(op.index()).is_none_or(|count| *count == 0) && !excluded.contains(&op)
        };
        let until = self.stateful_until();
        let helped = match help(session, &mut self.supervisor, &missing, until) {
            Err(why) if matches!(why.downcast_ref(), Some(Error::Interrupted)) => return Ok(()),
            helped => helped?,
        };
        if helped.goals == 0 {
            return Ok(());
        }
        session.console.say(&format!(
            "{} of {} preconditions met by contracts that no walk has met",
            helped.reached, helped.goals
        ));
        for (sequence, outcome) in helped.outcomes {
            if outcome.ending != Ending::Completed {
                self.findings.take(&session.plan, sequence, outcome);
            } else if let Some(Step::Call(op, _)) = sequence.steps().last() {
                let completed = &mut self.tally.completed;
                completed.resize(completed.len().max(op.index() + 1), 0);
                completed[op.index()] += 1;
            }
        }
        if !helped.components.is_empty() {
            let mut lessons = self.supervisor.lessons().clone();
            lessons.components.extend(helped.components);
            self.supervisor.take_lessons(lessons);
            // Only a new worker starts from what it is given.
            self.supervisor.renew();
        }
        Ok(())
    }

    /// One worker does it for all.
    fn is_stateful(&self) -> bool {
        self.number == 0 && self.search.options.heuristics().has(Heuristic::Stateful)
    }

    /// Makes calls that would break what all calls so far have in common.
    fn stateful(&mut self, round: u64) -> Result<()> {
        if !self.is_stateful() || self.supervisor.is_late() {
            return Ok(());
        }
        let search = self.search;
        let (plan, console) = (&*search.session.plan, &search.session.console);
        let (completed, panicked) = (self.tally.completed.clone(), self.tally.panicked.clone());
        let count = |all: &[u32], op: OpId| all.get(op.index()).copied().unwrap_or_default();
        // What the walks have kept are values that differ from each other.
        let components = self.supervisor.lessons().components.iter().rev();
        let kept: Vec<Sequence> = components.map(|c| c.sequence.clone()).take(MAX_KEPT).collect();
        let fit = |op: OpId| count(&completed, op) > 0 && count(&panicked, op) == 0;
        let stateful = Stateful {
            plan,
            seed: search.options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(round) ^ (1 << 50),
            heuristics: search.options.heuristics(),
            avoid: search.excluded.clone(),
            calls: (self.tally.calls / STATEFUL_SHARE).max(LEAST_STATEFUL),
            fit: &fit,
            earlier: [search.earlier.as_slice(), &kept].concat(),
            look_up: &|asked| search.look_up(asked),
        };
        let before = self.findings.classes();
        let findings = &mut self.findings;
        findings.calls = self.tally.calls;
        let learned = stateful.run(&mut self.supervisor, &mut |sequence, outcome| {
            findings.take(plan, sequence, outcome);
        });
        let learned = match learned {
            Err(Error::Interrupted) => return Ok(()),
            learned => learned?,
        };
        let refuted = learned.contracts.iter().filter(|(.., fate)| *fate == Fate::Refuted).count();
        if !learned.contracts.is_empty() {
            console.say(&format!(
                "stateful testing: {} clauses inferred, {refuted} refuted, {} new failures, {} calls",
                learned.contracts.len(),
                self.findings.classes() - before,
                learned.calls
            ));
        }
        self.learned = Some(Leaves {
            seen: crate::stateful::seen(plan, &learned),
            contracts: crate::stateful::contracts(plan, &learned),
            exceptions: crate::stateful::exceptions(&learned),
        });
        Ok(())
    }

    /// One walk; false if it was interrupted, or if there is nothing left to call.
    fn round(&mut self, round: u64) -> Result<bool> {
        let options = self.search.options;
        let seed = options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(round);
        let walk = Walk {
            seed: seed.wrapping_add((self.number as u64) << 40),
            max_sequences: u64::MAX,
            max_calls: CALLS_A_ROUND.min(self.left),
            max_length: MAX_LENGTH,
            failures: true,
            heuristics: options.heuristics(),
            avoid: self.search.excluded.clone(),
            watch_every: WATCH_EVERY,
            ..Walk::default()
        };
        let (findings, plan) = (&mut self.findings, &self.search.session.plan);
        findings.calls = self.tally.calls + walk.max_calls;
        let walked = self.supervisor.walk(&walk, &mut |sequence, outcome| {
            findings.take(plan, sequence, outcome);
        });
        let walked = match walked {
            Err(Error::Interrupted) => return Ok(false),
            // What was found so far is worth more than an end with an error.
            Err(Error::Worker(why)) => {
                self.search.session.console.say(&format!("a search ends early: {why}"));
                return Ok(false);
            }
            walked => walked?,
        };
        self.left = self.left.saturating_sub(walked.calls.max(1));
        self.idle = if walked.calls > 0 { 0 } else { self.idle + 1 };
        self.tally.add(&Tally {
            calls: walked.calls,
            sequences: walked.sequences,
            panics: walked.panics,
            deaths: 0,
            completed: walked.completed,
            panicked: walked.panicked,
        });
        if self.idle >= MAX_IDLE {
            self.search.session.console.say("a search ends early: nothing is left to call");
        }
        Ok(self.idle < MAX_IDLE)
    }

    fn tell(&mut self) {
        let console = &self.search.session.console;
        if !console.is_due() {
            return;
        }
        // Asking reads the counters, which must not depend on the clock where
        // calls are counted.
        let edges = match self.search.budget {
            Budget::Calls(_) => None,
            Budget::Time(_) => self.supervisor.edges().ok().map(|(_, taken)| taken.len()),
        };
        let mine = WorkerProgress {
            calls: self.tally.calls,
            sequences: self.tally.sequences,
            edges,
            violations: self.findings.count(Severity::Violation),
            suspicious: self.findings.count(Severity::Suspicious),
        };
        self.progress.tell(self.number, mine, console);
    }

    /// The edges that the workers of this build took.
    fn coverage(&mut self) -> Option<Covered> {
        let (edges, taken) = self.supervisor.edges().ok()?;
        Some(Covered { edges, taken: taken.iter().map(|edge| *edge as usize).collect() })
    }
}
