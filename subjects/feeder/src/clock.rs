//! Time, in milliseconds.

use testsmith::{contract_trait, ensures, invariant, pure, requires};

/// No clock goes beyond this.
pub const LATEST: u64 = 1 << 40;

/// Something that tells the time.
#[cfg_attr(feature = "fakes", testsmith::fake)]
#[contract_trait]
pub trait Clock {
    #[pure]
    #[ensures(ret <= LATEST)]
    fn now(&self) -> u64;

    /// How long ago something was.
    #[pure]
    #[requires(earlier <= self.now(), "that is still to come")]
    #[ensures(ret + earlier == self.now())]
    fn since(&self, earlier: u64) -> u64 {
        self.now() - earlier
    }
}

/// A clock that goes when it is told to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(self.time <= LATEST)]
pub struct ManualClock {
    time: u64,
}

#[invariant]
impl ManualClock {
    #[requires(time <= LATEST)]
    #[ensures(ret.now() == time)]
    pub fn at(time: u64) -> ManualClock {
        ManualClock { time }
    }

    #[requires(step > 0 && step <= LATEST)]
    #[requires(self.now() + step <= LATEST)]
    #[ensures(self.now() == old(self.now()) + step)]
    pub fn advance(&mut self, step: u64) {
        self.time += step;
    }

    /// Goes back to the beginning of the day.
    #[requires(self.now() >= 86_400_000, "the first day has not ended")]
    #[ensures(self.now() <= old(self.now()), self.now() % 86_400_000 == 0)]
    pub fn back_to_midnight(&mut self) {
        self.time -= self.time % 86_400_000;
    }
}

#[contract_trait]
impl Clock for ManualClock {
    fn now(&self) -> u64 {
        self.time
    }
}

/// A clock that is ahead of another one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.inner.now() + self.ahead <= LATEST)]
pub struct OffsetClock<C: Clock> {
    inner: C,
    ahead: u64,
}

#[invariant]
impl<C: Clock> OffsetClock<C> {
    #[requires(ahead <= LATEST && inner.now() + ahead <= LATEST)]
    #[ensures(ret.ahead() == ahead)]
    pub fn new(inner: C, ahead: u64) -> OffsetClock<C> {
        OffsetClock { inner, ahead }
    }

    #[pure]
    #[ensures(ret <= LATEST)]
    pub fn ahead(&self) -> u64 {
        self.ahead
    }

    #[pure]
    #[ensures(ret.now() + self.ahead() == self.now())]
    pub fn inner(&self) -> &C {
        &self.inner
    }

    /// Falls back by some of what it is ahead.
    #[requires(by > 0 && by <= self.ahead())]
    #[ensures(self.ahead() == old(self.ahead()) - by, self.now() == old(self.now()) - by)]
    pub fn slow_down(&mut self, by: u64) {
        self.ahead -= by;
    }
}

#[contract_trait]
impl<C: Clock> Clock for OffsetClock<C> {
    fn now(&self) -> u64 {
        self.inner.now() + self.ahead
    }
}
