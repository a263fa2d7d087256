//! Encoders: what brings packets to a quality.

use testsmith::{contract_trait, ensures, invariant, pure, requires};

use crate::error::FeedError;
use crate::naming::{Named, StreamName};
use crate::packet::{Packet, Payload};
use crate::quality::{Bitrate, Ladder, Level};

#[cfg_attr(feature = "fakes", testsmith::fake)]
#[contract_trait]
pub trait Encoder: Named {
    #[pure]
    fn level(&self) -> Level;

    /// How many bytes were encoded.
    #[pure]
    fn encoded(&self) -> u64;

    /// Encodes a packet and gives the number of bytes that came of it.
    #[requires(!matches!(packet.payload(), Payload::End), "there is nothing to encode")]
    #[ensures(ret.is_ok() -> self.encoded() == old(self.encoded()) + *ret.as_ref().unwrap() as u64)]
    #[ensures(ret.is_err() -> matches!(ret, Err(FeedError::Overloaded { .. })))]
    #[ensures(ret.is_err() -> unchanged(self.encoded()))]
    #[ensures(unchanged(self.level()))]
    fn encode(&mut self, packet: &Packet) -> Result<usize, FeedError>;
}

/// An encoder whose quality follows what the line can take.
#[contract_trait]
pub trait AdaptiveEncoder: Encoder {
    /// What the line can take.
    #[pure]
    fn limit(&self) -> Bitrate;

    #[pure]
    #[ensures(ret -> self.level() != Level::Ultra)]
    fn can_raise(&self) -> bool;

    #[requires(self.can_raise(), "the line does not take more")]
    #[ensures(self.level().index() == old(self.level().index()) + 1)]
    #[ensures(unchanged(self.limit(), self.encoded()))]
    fn raise(&mut self);

    #[requires(self.level() != Level::Low)]
    #[ensures(self.level().index() == old(self.level().index()) - 1, self.can_raise())]
    #[ensures(unchanged(self.limit(), self.encoded()))]
    fn lower(&mut self);
}

/// Leaves packets as they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passthrough {
    level: Level,
    encoded: u64,
}

impl Passthrough {
    #[ensures(ret.level() == level, ret.encoded() == 0)]
    pub fn new(level: Level) -> Passthrough {
        Passthrough { level, encoded: 0 }
    }

    /// Counts from the beginning.
    #[requires(self.encoded() >= 2000, "not worth it")]
    #[ensures(self.encoded() == 0, unchanged(self.level()))]
    pub fn reset(&mut self) {
        self.encoded = 0;
    }
}

#[contract_trait]
impl Named for Passthrough {
    fn name(&self) -> &str {
        "passthrough"
    }
}

#[contract_trait]
impl Encoder for Passthrough {
    fn level(&self) -> Level {
        self.level
    }

    fn encoded(&self) -> u64 {
        self.encoded
    }

    #[ensures(ret == Ok(packet.payload().size()))]
    fn encode(&mut self, packet: &Packet) -> Result<usize, FeedError> {
        let size = packet.payload().size();
        self.encoded += size as u64;
        Ok(size)
    }
}

/// Goes up and down a ladder of bitrates.
#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.ladder.is_complete())]
#[invariant(self.current().fits(self.limit), "more than the line can take")]
pub struct LadderEncoder {
    name: StreamName,
    ladder: Ladder,
    level: Level,
    limit: Bitrate,
    encoded: u64,
}

#[invariant]
impl LadderEncoder {
    /// An encoder at the best level that the line can take.
    #[requires(ladder.is_complete(), "levels are without a rate")]
    #[requires(ladder.best(limit).is_some(), "the line takes not even the lowest")]
    #[ensures(ret.limit() == limit, ret.encoded() == 0)]
    #[ensures(Some(ret.level()) == old(ladder.best(limit)))]
    pub fn new(name: StreamName, ladder: Ladder, limit: Bitrate) -> LadderEncoder {
        let level = ladder.best(limit).expect("the line takes the lowest");
        LadderEncoder { name, ladder, level, limit, encoded: 0 }
    }

    #[pure]
    #[ensures(ret.is_complete())]
    pub fn ladder(&self) -> &Ladder {
        &self.ladder
    }

    /// Says what the line can take; the level falls if it must.
    #[requires(self.ladder().best(limit).is_some())]
    #[ensures(self.limit() == limit, self.level() <= old(self.level()))]
    #[ensures(unchanged(self.encoded()))]
    pub fn set_limit(&mut self, limit: Bitrate) {
        let best = self.ladder.best(limit).expect("the line takes the lowest");
        self.level = self.level.min(best);
        self.limit = limit;
    }

    #[pure]
    fn current(&self) -> Bitrate {
        self.ladder.rate(self.level).expect("the ladder is complete")
    }
}

#[contract_trait]
impl Named for LadderEncoder {
    fn name(&self) -> &str {
        self.name.as_str()
    }
}

#[invariant]
#[contract_trait]
impl Encoder for LadderEncoder {
    fn level(&self) -> Level {
        self.level
    }

    fn encoded(&self) -> u64 {
        self.encoded
    }

    /// Too much is what would take more than the rate at 25 packets in a second.
    #[ensures(ret.is_err() -> packet.payload().size() as u32 / 5 > self.ladder().rate(self.level()).unwrap().kbps())]
    fn encode(&mut self, packet: &Packet) -> Result<usize, FeedError> {
        let (size, limit) = (packet.payload().size(), self.current().kbps());
        if size as u32 / 5 > limit {
            return Err(FeedError::Overloaded { limit });
        }
        let size = size * (self.level.index() + 1) / 4;
        self.encoded += size as u64;
        Ok(size)
    }
}

#[invariant]
#[contract_trait]
impl AdaptiveEncoder for LadderEncoder {
    fn limit(&self) -> Bitrate {
        self.limit
    }

    fn can_raise(&self) -> bool {
        self.level != Level::Ultra
            && self.ladder.rate(self.level.higher()).is_some_and(|rate| rate.fits(self.limit))
    }

    fn raise(&mut self) {
        self.level = self.level.higher();
    }

    fn lower(&mut self) {
        self.level = self.level.lower();
    }
}
