//! Quality: levels, bitrates, and the ladder that connects them.

use testsmith::{ensures, forall, invariant, pure, requires};

/// Bitrates lie between these, in kilobits per second.
pub const LEAST_KBPS: u32 = 64;
pub const MOST_KBPS: u32 = 50_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "fakes", derive(testsmith::FakeValue))]
pub enum Level {
    Low,
    Medium,
    High,
    Ultra,
}

impl Level {
    pub const ALL: [Level; 4] = [Level::Low, Level::Medium, Level::High, Level::Ultra];

    #[pure]
    #[ensures(ret < 4, Level::ALL[ret] == *self)]
    pub fn index(&self) -> usize {
        *self as usize
    }

    #[requires(*self != Level::Ultra, "there is nothing higher")]
    #[ensures(ret.index() == self.index() + 1)]
    pub fn higher(&self) -> Level {
        Level::ALL[self.index() + 1]
    }

    #[requires(!matches!(self, Level::Low), "there is nothing lower")]
    #[ensures(ret.index() == self.index() - 1)]
    pub fn lower(&self) -> Level {
        Level::ALL[self.index() - 1]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[invariant(LEAST_KBPS <= self.kbps && self.kbps <= MOST_KBPS)]
pub struct Bitrate {
    kbps: u32,
}

#[invariant]
impl Bitrate {
    #[requires(LEAST_KBPS <= kbps && kbps <= MOST_KBPS)]
    #[ensures(ret.kbps() == kbps)]
    pub fn new(kbps: u32) -> Bitrate {
        Bitrate { kbps }
    }

    #[pure]
    #[ensures(LEAST_KBPS <= ret && ret <= MOST_KBPS)]
    pub fn kbps(&self) -> u32 {
        self.kbps
    }

    /// Whether a stream of this rate goes through another one.
    #[pure]
    #[ensures(ret == (self.kbps() <= other.kbps()))]
    pub fn fits(&self, other: Bitrate) -> bool {
        self.kbps <= other.kbps
    }

    /// A part of it.
    #[requires(0 < percent && percent <= 100)]
    #[requires(self.kbps() * percent / 100 >= LEAST_KBPS, "too little would be left")]
    #[ensures(ret.kbps() == self.kbps() * percent / 100)]
    pub fn scaled(&self, percent: u32) -> Bitrate {
        Bitrate { kbps: self.kbps * percent / 100 }
    }

    /// The rate in the middle of two that differ.
    #[requires(self.kbps() < other.kbps())]
    #[requires(other.kbps() <= self.kbps(), "written when the order was the other one")]
    #[ensures(self.kbps() <= ret.kbps())]
    pub fn between(&self, other: Bitrate) -> Bitrate {
        Bitrate { kbps: self.kbps.midpoint(other.kbps) }
    }
}

/// A bitrate for each of the lower levels, rising.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(self.rates.len() <= Level::ALL.len())]
#[invariant(forall(1..self.rates.len(), |i| self.rates[i - 1].kbps() < self.rates[i].kbps()))]
pub struct Ladder {
    rates: Vec<Bitrate>,
}

#[invariant]
impl Ladder {
    #[ensures(ret.size() == 0, !ret.is_complete(), ret.top().is_none())]
    pub fn new() -> Ladder {
        Ladder::default()
    }

    #[pure]
    #[ensures(ret <= 4)]
    pub fn size(&self) -> usize {
        self.rates.len()
    }

    /// Whether every level has a rate.
    #[pure]
    #[ensures(ret == (self.size() == 4))]
    pub fn is_complete(&self) -> bool {
        self.rates.len() == Level::ALL.len()
    }

    /// The highest rate.
    #[pure]
    #[ensures(ret.is_some() == (self.size() > 0))]
    pub fn top(&self) -> Option<Bitrate> {
        self.rates.last().copied()
    }

    #[pure]
    #[ensures(ret.is_some() == (level.index() < self.size()))]
    pub fn rate(&self, level: Level) -> Option<Bitrate> {
        self.rates.get(level.index()).copied()
    }

    /// Gives the lowest level that has none a rate above all others.
    #[requires(!self.is_complete(), "all levels have a rate")]
    #[requires(self.top().is_none_or(|top| top.kbps() < rate.kbps()), "rates rise")]
    #[ensures(self.size() == old(self.size()) + 1, self.top() == Some(rate))]
    pub fn add(&mut self, rate: Bitrate) {
        self.rates.push(rate);
    }

    /// The best level that goes through this.
    #[pure]
    #[ensures(ret.is_some() -> self.rate(ret.unwrap()).unwrap().fits(through))]
    pub fn best(&self, through: Bitrate) -> Option<Level> {
        let fitting = self.rates.iter().filter(|rate| rate.fits(through)).count();
        fitting.checked_sub(1).map(|index| Level::ALL[index])
    }
}
