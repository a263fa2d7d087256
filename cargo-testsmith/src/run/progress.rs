//! How far the workers of a search are, put together for who waits.

use crate::console::{Console, Progress};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How far one worker is.
#[derive(Clone, Copy, Default)]
pub(super) struct WorkerProgress {
    pub(super) calls: u64,
    pub(super) sequences: u64,
    pub(super) edges: Option<usize>,
    pub(super) violations: usize,
    pub(super) suspicious: usize,
}

/// Where all workers write what they have, and who waits is told now and then.
pub(super) struct SharedProgress {
    pub(super) begin: Instant,
    of_workers: Mutex<Vec<WorkerProgress>>,
}

impl SharedProgress {
    pub(super) fn new(workers: usize) -> SharedProgress {
        let of_workers = Mutex::new(vec![WorkerProgress::default(); workers]);
        SharedProgress { begin: Instant::now(), of_workers }
    }

    /// Takes in how far one worker is, and tells of all.
    pub(super) fn tell(&self, number: usize, mine: WorkerProgress, console: &Console) {
        let mut all = self.of_workers.lock().unwrap_or_else(PoisonError::into_inner);
        all[number] = mine;
        // Workers find the same, so what all found together is not known yet.
        let most = |found: fn(&WorkerProgress) -> usize| all.iter().map(found).max().unwrap_or(0);
        console.progress(&Progress {
            seconds: self.begin.elapsed().as_secs(),
            calls: all.iter().map(|worker| worker.calls).sum(),
            sequences: all.iter().map(|worker| worker.sequences).sum(),
            edges: all.iter().filter_map(|worker| worker.edges).max(),
            violations: most(|worker| worker.violations),
            suspicious: most(|worker| worker.suspicious),
        });
    }
}
