//! Threads that each have the test executables started once.

use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use testsmith_lab::mutants::{Run, RunEnd, TestExecutable, TestServer, Tests};

pub struct Pool<'p> {
    jobs: usize,
    tests: &'p Tests,
    mutants: u32,
    interrupt: &'p AtomicBool,
}

/// What one thread has: the executables that it has started.
pub struct Hand<'p> {
    tests: &'p Tests,
    mutants: u32,
    servers: BTreeMap<PathBuf, TestServer>,
}

impl<'p> Pool<'p> {
    pub fn new(jobs: Option<u16>, tests: &'p Tests, mutants: u32, i: &'p AtomicBool) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.map_or(cores, usize::from);
        Pool { jobs, tests, mutants, interrupt: i }
    }

    /// Does something for each number below `count`, and returns what came of it in their
    /// order.
    pub fn each<T: Send>(
        &self,
        count: usize,
        work: impl Fn(&mut Hand, usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let next = AtomicUsize::new(0);
        let done: Mutex<Vec<(usize, Result<T>)>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(count) {
                scope.spawn(|| {
                    let servers = BTreeMap::new();
                    let mut hand = Hand { tests: self.tests, mutants: self.mutants, servers };
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n >= count || self.interrupt.load(Ordering::Acquire) {
                            break;
                        }
                        let came = work(&mut hand, n);
                        let failed = came.is_err();
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((n, came));
                        if failed {
                            next.store(count, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        if self.interrupt.load(Ordering::Acquire) {
            bail!("interrupted");
        }
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(n, _)| *n);
        done.into_iter().map(|(_, came)| came).collect()
    }
}

impl Hand<'_> {
    /// Runs tests of an executable; none if it has nothing of the package in it.
    pub fn run(&mut self, executable: &TestExecutable, run: &Run) -> Result<Option<RunEnd>> {
        Ok(match self.server(executable)? {
            Some(server) => Some(server.run(run)?),
            None => None,
        })
    }

    /// The executable, started.
    pub fn server(&mut self, executable: &TestExecutable) -> Result<Option<&mut TestServer>> {
        if !self.servers.contains_key(&executable.path) {
            let Some(server) = self.tests.serve(executable, self.mutants)? else {
                return Ok(None);
            };
            self.servers.insert(executable.path.clone(), server);
        }
        Ok(self.servers.get_mut(&executable.path))
    }
}
