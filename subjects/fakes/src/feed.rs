//! Hands what a live source gives to subscribers. Neither is implemented anywhere.

use testsmith::{FakeValue, contract_trait, ensures, fake, pure, requires};

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FakeValue)]
pub enum Delivery {
    Taken,
    Busy,
    Gone,
}

#[fake]
#[contract_trait]
pub trait LiveSource {
    #[pure]
    fn is_connected(&self) -> bool;

    #[pure]
    #[ensures(!self.is_connected() -> ret == 0)]
    #[ensures(ret <= 20)]
    fn pending(&self) -> u32;

    #[requires(!self.is_connected())]
    #[ensures(self.is_connected() == ret.is_ok())]
    #[ensures(ret.is_err() -> self.pending() == 0)]
    fn connect(&mut self) -> Result<(), String>;

    #[requires(self.is_connected() && self.pending() > 0)]
    #[ensures(self.pending() == old(self.pending()) - 1)]
    #[ensures(unchanged(self.is_connected()))]
    #[ensures(!ret.is_empty())]
    fn take(&mut self) -> String;
}

#[fake]
#[contract_trait]
pub trait Subscriber {
    #[pure]
    fn is_gone(&self) -> bool;

    #[pure]
    fn received(&self) -> u32;

    #[requires(!self.is_gone())]
    #[ensures((ret == Delivery::Gone) == self.is_gone())]
    #[ensures(ret == Delivery::Taken -> self.received() == old(self.received()) + 1)]
    #[ensures(ret != Delivery::Taken -> unchanged(self.received()))]
    fn deliver(&mut self, message: &str) -> Delivery;
}

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// All that was pending was handed on or kept, so many messages.
    Done {
        delivered: u32,
        kept: u32,
    },
    NotConnected,
    SubscriberGone {
        delivered: u32,
    },
}

/// Attempts for one message.
const TRIES: u32 = 3;

/// One round: connects if need be and hands on what is pending.
pub fn round(source: &mut impl LiveSource, subscriber: &mut impl Subscriber) -> Round {
    if !source.is_connected() && source.connect().is_err() {
        return Round::NotConnected;
    }
    let (mut delivered, mut kept) = (0, 0);
    if subscriber.is_gone() {
        return Round::SubscriberGone { delivered };
    }
    while source.pending() > 0 {
        let message = source.take();
        let mut tries = 0;
        loop {
            tries += 1;
            match subscriber.deliver(&message) {
                Delivery::Taken => delivered += 1,
                Delivery::Gone => return Round::SubscriberGone { delivered },
                Delivery::Busy if tries < TRIES => continue,
                Delivery::Busy => kept += 1,
            }
            break;
        }
    }
    Round::Done { delivered, kept }
}
