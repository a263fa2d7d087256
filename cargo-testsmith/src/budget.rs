//! How much a run may do: so many calls, or so much time.
//!
//! The options are read here once, and everything that asks «is there still
//! time?» asks the budget. Where calls are counted, the same seed has to give the
//! same result on a busy machine and on an idle one: then no method here gives a
//! point in time, no search starts from what an earlier run left, and nothing is
//! built beside the search.

use crate::args::Run;
use std::time::{Duration, Instant};
use testsmith_lab::WorkerLimits;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    Calls(u64),
    Time(Duration),
}

/// A search shorter than this ends before an optimised build is ready.
const WORTH_OPTIMISING: Duration = Duration::from_secs(20);
/// How long a call may take in a search that is bounded by time: calls that hang
/// cost it dearly.
const PATIENCE: Duration = Duration::from_millis(500);
/// The least time for all that comes after a search: tests have to be compiled.
const MIN_FINISH: Duration = Duration::from_secs(15);

/// When the parts of the work after a search end; none of them does where calls are
/// counted. Two things go on side by side: failures are confirmed, compared and
/// written as tests, and a regression suite is gathered, traced and chosen. Its tests
/// are compiled when both are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// For the build to compare with, if it is not ready by then.
    pub waiting: Option<Instant>,
    pub confirming: Option<Instant>,
    pub comparing: Option<Instant>,
    pub failing_tests: Option<Instant>,
    pub gathering: Option<Instant>,
    pub tracing: Option<Instant>,
    pub choosing: Option<Instant>,
    pub regression_tests: Option<Instant>,
}

/// Whether a part of the work that ends then has no time any more.
pub fn is_late(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
}

impl Budget {
    pub fn of(options: &Run) -> Budget {
        match options.calls {
            Some(calls) => Budget::Calls(calls),
            None => Budget::Time(options.budget),
        }
    }

    /// Whether calls are counted and no clock decides anything.
    pub fn is_counted(self) -> bool {
        matches!(self, Budget::Calls(_))
    }

    /// The end of a part of the work that may take so long; none where calls are
    /// counted.
    pub fn end_of(self, begin: Instant, part: Duration) -> Option<Instant> {
        match self {
            Budget::Calls(_) => None,
            // A time beyond what the clock can tell is no end.
            Budget::Time(_) => begin.checked_add(part),
        }
    }

    /// The end of the search itself.
    pub fn end_of_search(self, begin: Instant) -> Option<Instant> {
        match self {
            Budget::Calls(_) => None,
            Budget::Time(time) => self.end_of(begin, time),
        }
    }

    /// How long all takes that comes after a search: half of the budget again.
    pub fn finish(self) -> Duration {
        match self {
            Budget::Calls(_) => Duration::MAX,
            Budget::Time(time) => (time / 2).max(MIN_FINISH),
        }
    }

    /// When each part of the work ends that makes tests of what was found, if all of
    /// it begins at `begin` and takes so long.
    pub fn ends(self, begin: Instant, all: Duration) -> Ends {
        let end = |percent: u32| self.end_of(begin, all / 100 * percent);
        Ends {
            waiting: end(20),
            confirming: end(40),
            comparing: end(55),
            failing_tests: end(80),
            gathering: end(25),
            tracing: end(40),
            choosing: end(60),
            regression_tests: end(90),
        }
    }

    /// How many calls one of several workers makes.
    pub fn share(self, worker: usize, workers: usize) -> u64 {
        let (worker, workers) = (worker as u64, workers as u64);
        match self {
            Budget::Calls(calls) => calls / workers + u64::from(worker < calls % workers),
            Budget::Time(_) => u64::MAX,
        }
    }

    /// How many workers search at once, unless the user says so.
    pub fn workers(self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        match self {
            Budget::Calls(_) => 1,
            Budget::Time(_) => cores.saturating_sub(1).max(1),
        }
    }

    /// How long one call may take.
    pub fn limits(self) -> WorkerLimits {
        let usual = WorkerLimits::default();
        match self {
            Budget::Calls(_) => usual,
            Budget::Time(_) => WorkerLimits { call: usual.call.min(PATIENCE), ..usual },
        }
    }

    /// Whether further builds are made while the search is on. When they are
    /// ready is a matter of chance.
    pub fn builds_meanwhile(self) -> bool {
        matches!(self, Budget::Time(time) if time >= WORTH_OPTIMISING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_calls_are_counted_no_clock_is_asked() {
        let budget = Budget::Calls(10);
        let now = Instant::now();
        assert!(budget.is_counted() && !budget.builds_meanwhile());
        assert_eq!(budget.end_of(now, Duration::ZERO), None);
        assert_eq!(budget.end_of_search(now), None);
        assert_eq!(budget.ends(now, budget.finish()), Ends::default());
        assert_eq!(budget.workers(), 1);
        assert_eq!(budget.limits().call, WorkerLimits::default().call);
    }

    #[test]
    fn the_workers_make_all_calls_together() {
        for (calls, workers) in [(10, 3), (2, 3), (0, 1), (u64::MAX, 7)] {
            let shares = (0..workers).map(|worker| Budget::Calls(calls).share(worker, workers));
            assert_eq!(shares.map(u128::from).sum::<u128>(), u128::from(calls));
        }
    }

    #[test]
    fn what_comes_after_a_search_takes_half_of_its_time_again() {
        let (now, minute) = (Instant::now(), Duration::from_secs(60));
        let budget = Budget::Time(minute);
        let ends = budget.ends(now, budget.finish());
        let failing = [ends.waiting, ends.comparing, ends.failing_tests, ends.regression_tests];
        let suite = [ends.gathering, ends.tracing, ends.choosing, ends.regression_tests];
        assert!(ends.confirming < ends.comparing, "what differs is confirmed, too");
        for parts in [failing, suite] {
            assert!(parts.is_sorted() && parts.iter().all(|end| *end > Some(now)), "{parts:?}");
        }
        assert!(ends.regression_tests < Some(now + minute / 2));
        assert_eq!(Budget::Time(Duration::from_secs(1)).finish(), MIN_FINISH);
    }

    #[test]
    fn an_endless_budget_has_no_end() {
        let now = Instant::now();
        assert_eq!(Budget::Time(Duration::MAX).end_of_search(now), None);
        let minute = Duration::from_secs(60);
        assert_eq!(Budget::Time(minute).end_of_search(now), Some(now + minute));
        assert!(Budget::Time(minute).builds_meanwhile());
    }
}
