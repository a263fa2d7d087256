//! Where a search stops before its end, and when it looks whether it should.
//!
//! Nothing here changes what is searched: a search that was stopped goes on
//! from where it stands.

use std::time::Duration;

use super::{Outcome, Phase, Run, Stop};
use crate::korat::Korat;

/// How often limits, progress and other threads are looked at, in candidates
/// and structures.
const POLL_EVERY: u64 = 256;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchLimits {
    pub candidates: Option<u64>,
    pub valid: Option<u64>,
    pub time: Option<Duration>,
}

impl<T: Korat> Run<T> {
    /// How many candidates and structures there have been.
    pub(super) fn steps(&self) -> u64 {
        self.stats.candidates + self.stats.inferred
    }

    /// Whether it is time to look at limits and progress.
    #[inline(always)]
    pub(super) fn due(&self) -> bool {
        self.steps() >= self.poll_at
    }

    /// Whether another thread waits for work.
    #[inline(always)]
    pub(super) fn wanted(&self) -> bool {
        self.sharing.as_ref().is_some_and(|pool| pool.wants_work())
    }

    /// Looks at the limits and reports progress; `true` to stop.
    #[cold]
    pub(super) fn poll(&mut self) -> bool {
        if let Some(pool) = self.sharing.clone() {
            if pool.stopped() {
                self.outcome = Outcome::Stopped(Stop::Elsewhere);
                return true;
            }
            if pool.wants_work() {
                self.split().into_iter().for_each(|state| pool.give(state));
            }
        }
        let steps = self.steps();
        if let Some((every, report)) = &self.progress
            && steps >= self.report_at
        {
            if steps > 0 {
                report(&self.stats);
            }
            self.report_at = (steps / every + 1) * every;
        }
        let over = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count >= limit);
        let stop =
            if over(self.limits.candidates, self.stats.candidates) && self.phase == Phase::Check {
                Stop::Candidates
            } else if over(self.limits.valid, self.stats.valid) {
                Stop::Valid
            } else if self.limits.time.is_some_and(|limit| self.started.elapsed() >= limit) {
                Stop::Time
            } else {
                if self.repeats {
                    let pays = self.space.trail.tally.pays(self.stats.candidates);
                    self.must = self.must.repeating(pays);
                }
                self.poll_at = self.next_poll();
                return false;
            };
        self.outcome = Outcome::Stopped(stop);
        true
    }

    /// The number of steps at which to look at limits and progress again:
    /// exactly where a count may be reached, now and then otherwise.
    fn next_poll(&self) -> u64 {
        let steps = self.steps();
        let left = |limit: Option<u64>, count: u64| {
            limit.map_or(POLL_EVERY, |limit| limit.saturating_sub(count))
        };
        let candidates = left(self.limits.candidates, self.stats.candidates);
        let valid = left(self.limits.valid, self.stats.valid);
        let soon = candidates.min(valid).min(POLL_EVERY);
        let look = self.space.trail.tally.until_next(self.stats.candidates);
        steps + if self.repeats { soon.min(look) } else { soon }
    }
}
