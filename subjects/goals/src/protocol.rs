//! Calls that are allowed in one order only, with arguments that depend on the state.

use testsmith::{ensures, invariant, pure, requires};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Closed,
    Open,
    Trusted,
}

/// A line that is opened, trusted, put to a channel and used.
#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.channel.is_none() || self.phase == Phase::Trusted)]
pub struct Link {
    phase: Phase,
    challenge: u16,
    channel: Option<u8>,
    sent: u32,
}

#[invariant]
impl Link {
    #[ensures(ret.phase() == Phase::Closed, ret.challenge() == 0, ret.channel() == None)]
    #[ensures(ret.sent() == 0)]
    pub fn new() -> Link {
        Link { phase: Phase::Closed, challenge: 0, channel: None, sent: 0 }
    }

    #[pure]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    #[pure]
    pub fn challenge(&self) -> u16 {
        self.challenge
    }

    #[pure]
    pub fn channel(&self) -> Option<u8> {
        self.channel
    }

    #[pure]
    pub fn sent(&self) -> u32 {
        self.sent
    }

    #[requires(self.phase() == Phase::Closed && seed > 0)]
    #[ensures(self.phase() == Phase::Open, self.challenge() == seed.wrapping_mul(31))]
    #[ensures(unchanged(self.channel(), self.sent()))]
    pub fn open(&mut self, seed: u16) {
        self.phase = Phase::Open;
        self.challenge = seed.wrapping_mul(31);
    }

    #[requires(self.phase() == Phase::Open && token == self.challenge() ^ 0x5a5a)]
    #[ensures(self.phase() == Phase::Trusted)]
    #[ensures(unchanged(self.challenge(), self.channel(), self.sent()))]
    pub fn authenticate(&mut self, token: u16) {
        self.phase = Phase::Trusted;
    }

    #[requires(self.phase() == Phase::Trusted && channel >= 100 && channel < 110)]
    #[ensures(self.channel() == Some(channel))]
    #[ensures(unchanged(self.phase(), self.challenge(), self.sent()))]
    pub fn select(&mut self, channel: u8) {
        self.channel = Some(channel);
    }

    #[requires(self.channel().is_some() && amount > 0 && amount <= 2000)]
    #[requires(self.sent() < 1_000_000)]
    #[ensures(self.sent() == old(self.sent()) + amount)]
    #[ensures(unchanged(self.phase(), self.challenge(), self.channel()))]
    pub fn send(&mut self, amount: u32) {
        self.sent += amount;
    }

    /// Goal: trusted, with a challenge of three digits.
    #[requires(self.phase() == Phase::Trusted && self.challenge() / 100 == 7)]
    #[ensures(ret == 33)]
    pub fn greeted(&self) -> u8 {
        33
    }

    /// Goal: trusted on one of the ten channels.
    #[requires(self.channel() == Some(102))]
    #[ensures(ret == 34)]
    pub fn on_channel(&self) -> u8 {
        34
    }

    /// Goal: an exact amount that takes two calls at least.
    #[requires(self.channel().is_some() && self.sent() == 3000)]
    #[ensures(ret == 35)]
    pub fn delivered(&self) -> u8 {
        35
    }

    /// Goal: a challenge that only one seed gives.
    #[requires(self.phase() == Phase::Trusted && self.challenge() == 0x1234)]
    #[ensures(ret == 36)]
    pub fn challenged(&self) -> u8 {
        36
    }
}

impl Default for Link {
    fn default() -> Self {
        Link::new()
    }
}

/// A vault with three dials that are set one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(self.gold == 0 || self.dials == 3)]
pub struct Vault {
    dials: u8,
    last: u16,
    gold: u32,
}

#[invariant]
impl Vault {
    #[ensures(ret.dials() == 0, ret.last() == 0, ret.gold() == 0)]
    pub fn new() -> Vault {
        Vault::default()
    }

    /// How many dials are set.
    #[pure]
    pub fn dials(&self) -> u8 {
        self.dials
    }

    /// What the last of them is set to.
    #[pure]
    pub fn last(&self) -> u16 {
        self.last
    }

    #[pure]
    pub fn gold(&self) -> u32 {
        self.gold
    }

    #[requires(self.dials() == 0 && number % 1000 == 321)]
    #[ensures(self.dials() == 1, self.last() == number, unchanged(self.gold()))]
    pub fn set_first(&mut self, number: u16) {
        (self.dials, self.last) = (1, number);
    }

    #[requires(self.dials() == 1 && number > self.last() && number - self.last() == 1234)]
    #[ensures(self.dials() == 2, self.last() == number, unchanged(self.gold()))]
    pub fn set_second(&mut self, number: u16) {
        (self.dials, self.last) = (2, number);
    }

    #[requires(self.dials() == 2 && number == self.last() ^ 0x00ff)]
    #[ensures(self.dials() == 3, self.last() == number, unchanged(self.gold()))]
    pub fn set_third(&mut self, number: u16) {
        (self.dials, self.last) = (3, number);
    }

    #[requires(self.dials() == 3 && bars > 0 && bars <= 50 && self.gold() < 1000)]
    #[ensures(self.gold() == old(self.gold()) + bars, unchanged(self.dials(), self.last()))]
    pub fn store(&mut self, bars: u32) {
        self.gold += bars;
    }

    /// Goal: two dials are set.
    #[requires(self.dials() == 2)]
    #[ensures(ret == 37)]
    pub fn half_open(&self) -> u8 {
        37
    }

    /// Goal: all dials are set, the last of them to a number of five digits.
    #[requires(self.dials() == 3 && self.last() > 10_000)]
    #[ensures(ret == 38)]
    pub fn unlocked(&self) -> u8 {
        38
    }

    /// Goal: more gold than can be stored at once.
    #[requires(self.gold() == 120)]
    #[ensures(ret == 39)]
    pub fn filled(&self) -> u8 {
        39
    }
}
