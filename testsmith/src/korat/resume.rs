//! Going on after a failed check from the check, not from the predicate's
//! start.
//!
//! The macro turns checks whose failure is the predicate's into closures. When
//! one fails, the search would next change the last field on the stack and run
//! the predicate again; a deterministic predicate comes back to the same check
//! with the same variables if that field was first read inside it. So the
//! field is changed here and the check made again. Every such step is a
//! candidate like any other: the same ones are tried in the same order.
//!
//! Checks that contain other checks do the same for what was read before the
//! inner ones; what was read before all of them is left to the search.

use std::cell::Cell;

use super::guard as bounds;
use super::necessary::Must;
use super::trail::Trail;

/// What it costs to start a run, in reads of fields that it repeats.
const A_RUN: u64 = 3;

/// What it costs to pass a checkpoint, in the same.
const A_CHECKPOINT: u64 = 1;

/// How many candidates a search has that is over before checkpoints matter.
const A_SHORT_SEARCH: u64 = 128;

/// For how many candidates checkpoints are tried.
const A_TRIAL: u64 = 32;

/// After how many more it is looked whether they still pay.
const A_PERIOD: u64 = 256;

/// For how many candidates they are off at most before they are tried again.
const LONGEST_PAUSE: u64 = 32 * A_PERIOD;

/// What checkpoints cost and saved of late. All of it is counted, none is
/// timed, so the same search does the same everywhere.
#[derive(Default)]
pub(crate) struct Tally {
    passed: Cell<u64>,
    saved: Cell<u64>,
    on: Cell<bool>,
    /// At which candidate to look again.
    look_at: Cell<u64>,
    /// How long checkpoints were off the last time that they did not pay.
    pause: Cell<u64>,
}

impl Tally {
    /// A run is over that passed so many checkpoints.
    #[inline]
    pub(crate) fn run(&self, passed: u32) {
        self.passed.set(self.passed.get() + u64::from(passed));
    }

    /// A check is made again after so many checkpoints, where a run would read
    /// so many fields before it.
    #[inline]
    fn repeat(&self, passed: u32, fields: u32) {
        self.run(passed);
        self.saved.set(self.saved.get() + u64::from(fields) + A_RUN);
    }

    /// Whether checkpoints are on after so many candidates. They are as long
    /// as they save more than they cost, and now and then to see; the longer
    /// they have not paid, the less often.
    pub(crate) fn pays(&self, candidates: u64) -> bool {
        if candidates < self.look_at.get() {
            return self.on.get();
        }
        let until_next = if !self.on.replace(true) {
            self.passed.set(0);
            self.saved.set(0);
            A_TRIAL
        } else if self.saved.get() > self.passed.get() * A_CHECKPOINT {
            // Later periods count more.
            self.passed.set(self.passed.get() / 2);
            self.saved.set(self.saved.get() / 2);
            self.pause.set(0);
            A_PERIOD
        } else {
            self.on.set(false);
            self.pause.set((self.pause.get() * 2).clamp(A_PERIOD, LONGEST_PAUSE));
            self.pause.get()
        };
        self.look_at.set(candidates + until_next);
        self.on.get()
    }

    /// Leaves checkpoints off in a search that is over soon.
    pub(crate) fn wait(&self) {
        self.look_at.set(A_SHORT_SEARCH);
    }

    /// How many candidates there are until it is to be looked again.
    pub(crate) fn until_next(&self, candidates: u64) -> u64 {
        self.look_at.get().saturating_sub(candidates)
    }
}

impl Trail {
    /// Passes a checkpoint: how many fields had been read there. A run that
    /// repeats an earlier one has them all on its stack already, so the number
    /// was written down when they were read for the first time.
    #[inline]
    fn pass(&self) -> u32 {
        let at = self.passed.get();
        self.passed.set(at + 1);
        if at < self.passed_before.get() {
            return self.inner.borrow().checkpoints[at as usize];
        }
        let depth = self.depth.get();
        let mut inner = self.inner.borrow_mut();
        inner.checkpoints.push(depth);
        inner.rests = inner.rests.max(depth);
        self.passed_before.set(at + 1);
        depth
    }
}

/// A check that is made again as long as it fails and something that it read
/// first has another value.
#[doc(hidden)]
#[inline(always)]
pub fn guard<const REPEATS: bool>(must: Must<REPEATS>, check: impl Fn() -> bool) -> bool {
    // The check is written once, so that it is compiled in place.
    let checkpoint = Checkpoint::here(must);
    loop {
        if check() {
            return true;
        }
        if !checkpoint.again() {
            return false;
        }
    }
}

/// As [`guard`], for a value that may not be `None`.
#[doc(hidden)]
#[inline(always)]
pub fn guard_option<const REPEATS: bool, T>(
    must: Must<REPEATS>,
    value: impl Fn() -> Option<T>,
) -> Option<T> {
    let checkpoint = Checkpoint::here(must);
    loop {
        let value = value();
        if value.is_some() || !checkpoint.again() {
            return value;
        }
    }
}

/// The state of the run where a check begins.
struct Checkpoint {
    trail: *const Trail,
    depth: u32,
    calls: u32,
    passed: u32,
    steps: u64,
}

impl Checkpoint {
    #[inline(always)]
    fn here<const REPEATS: bool>(must: Must<REPEATS>) -> Checkpoint {
        let Some(trail) = must.trail() else {
            return Checkpoint { trail: std::ptr::null(), depth: 0, calls: 0, passed: 0, steps: 0 };
        };
        // SAFETY: only a running search lets checks be repeated, and
        // its trail is boxed in the space that it owns.
        let here = unsafe { &*trail };
        let depth = here.pass();
        let (calls, passed) = (here.calls.get(), here.passed.get());
        Checkpoint { trail, depth, calls, passed, steps: bounds::steps_left() }
    }

    /// Changes the last field that was read since, and makes the run as it was
    /// here; `false` if no such field has another value.
    #[inline]
    fn again(&self) -> bool {
        if self.trail.is_null() {
            return false;
        }
        // SAFETY: as in `here`; the run goes on.
        let trail = unsafe { &*self.trail };
        let left = trail.repeats_left.get();
        if left == 0 || trail.depth.get() <= self.depth {
            return false;
        }
        if !trail.retry(self.depth as usize) {
            return false;
        }
        trail.repeats_left.set(left - 1);
        trail.repeats.set(trail.repeats.get() + 1);
        trail.tally.repeat(trail.passed.get() - self.passed, self.depth);
        trail.calls.set(self.calls);
        trail.passed.set(self.passed);
        bounds::set_steps_left(self.steps);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_that_save_nothing_are_tried_less_and_less_often() {
        let tally = Tally::default();
        let mut at = 0;
        let mut pauses = Vec::new();
        while pauses.len() < 8 {
            assert!(tally.pays(at), "a trial begins at {at}");
            at += tally.until_next(at);
            assert!(!tally.pays(at), "it has shown nothing at {at}");
            pauses.push(tally.until_next(at) / A_PERIOD);
            at += tally.until_next(at);
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 32, 32]);
    }

    #[test]
    fn checkpoints_that_save_more_than_they_cost_stay_on() {
        let tally = Tally::default();
        let mut at = 0;
        for _ in 0..8 {
            assert!(tally.pays(at));
            tally.repeat(2, 4);
            at += tally.until_next(at);
        }
        tally.run(100);
        assert!(!tally.pays(at), "until they cost more");
    }
}
