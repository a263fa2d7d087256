//! One search on several threads.
//!
//! A busy thread gives away the untried values of the lowest field on its
//! trail; every candidate is visited by exactly one thread, so the set of
//! results is that of a single one. Each thread has a space of its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use super::Korat;
use super::finitize::FinitizeError;
use super::guard;
use super::search::{Candidate, Outcome, Search, Stats};
use super::state::State;

pub(crate) struct Pool {
    jobs: Mutex<Jobs>,
    changed: Condvar,
    /// Threads without work, for the busy ones to see without locking.
    hungry: AtomicUsize,
    stop: AtomicBool,
}

struct Jobs {
    waiting: Vec<Option<State>>,
    busy: usize,
    stopped: Option<Outcome>,
}

impl<T: Korat> Search<T> {
    /// Visits every valid structure, on `threads` threads.
    ///
    /// Limits hold for each thread; when one reaches a limit, all stop.
    pub fn par_for_each(
        &self,
        threads: usize,
        visit: impl Fn(Candidate<'_, T>) + Sync,
    ) -> Result<(Stats, Outcome), FinitizeError> {
        let jobs = Jobs { waiting: vec![self.resume.clone()], busy: 0, stopped: None };
        let pool = Arc::new(Pool {
            jobs: Mutex::new(jobs),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        });
        let total = Mutex::new(Stats::default());
        // Build once here so that errors are reported before threads start.
        drop(self.try_run()?);
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                scope.spawn(|| {
                    let stats = guard::quietly(|| pool.work(self, &visit));
                    total.lock().expect("no thread panics with the lock").add(stats);
                });
            }
        });
        let stopped = pool.jobs.lock().expect("no thread panics with the lock").stopped;
        let stats = total.into_inner().expect("all threads are done");
        Ok((stats, stopped.unwrap_or(Outcome::Complete)))
    }
}

impl Pool {
    fn work<T: Korat>(
        self: &Arc<Self>,
        search: &Search<T>,
        visit: &impl Fn(Candidate<'_, T>),
    ) -> Stats {
        let mut search = search.clone();
        search.resume = None;
        let mut run = search.try_run().expect("the space was built before");
        run.share_with(Arc::clone(self));
        while let Some(job) = self.take() {
            if let Some(state) = job {
                run.restore(&state);
            }
            while run.advance() {
                visit(run.current());
            }
            self.done(run.outcome());
        }
        run.into_stats()
    }

    pub(crate) fn give(&self, state: State) {
        let mut jobs = self.jobs.lock().expect("no thread panics with the lock");
        jobs.waiting.push(Some(state));
        self.changed.notify_one();
    }

    pub(crate) fn wants_work(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The next job, or `None` when no thread will make another.
    fn take(&self) -> Option<Option<State>> {
        let mut jobs = self.jobs.lock().expect("no thread panics with the lock");
        loop {
            if jobs.stopped.is_some() {
                return None;
            }
            if let Some(job) = jobs.waiting.pop() {
                jobs.busy += 1;
                return Some(job);
            }
            if jobs.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            self.hungry.fetch_add(1, Ordering::Relaxed);
            jobs = self.changed.wait(jobs).expect("no thread panics with the lock");
            self.hungry.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn done(&self, outcome: Outcome) {
        let mut jobs = self.jobs.lock().expect("no thread panics with the lock");
        jobs.busy -= 1;
        if let Outcome::Stopped(_) = outcome {
            jobs.stopped.get_or_insert(outcome);
            self.stop.store(true, Ordering::Relaxed);
        }
        if jobs.busy == 0 || jobs.stopped.is_some() {
            self.changed.notify_all();
        }
    }
}
