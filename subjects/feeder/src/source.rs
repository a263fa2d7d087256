//! Sources of packets: from what has a name down to what can be wound.

use testsmith::{contract_trait, ensures, invariant, pure, requires};

use crate::naming::{Named, StreamName};
use crate::packet::{Packet, Payload};

/// No clip has more frames.
pub const MOST_FRAMES: u32 = 10_000;

/// How long a frame is shown, in milliseconds.
pub const FRAME_MS: u64 = 40;

/// Something that gives packets, one after the other.
#[contract_trait]
pub trait Source: Named {
    /// The number of the next packet.
    #[pure]
    #[ensures(ret == u32::MAX -> self.is_exhausted())]
    fn position(&self) -> u32;

    #[pure]
    fn is_exhausted(&self) -> bool;

    #[requires(!self.is_exhausted(), "there is nothing more to come")]
    #[ensures(self.position() == old(self.position()) + 1)]
    #[ensures(ret.sequence() == old(self.position()))]
    fn next_packet(&mut self) -> Packet;
}

/// A source that ends.
#[contract_trait]
pub trait Finite: Source {
    #[pure]
    #[ensures(ret >= self.position(), ret <= MOST_FRAMES)]
    fn frames(&self) -> u32;

    #[pure]
    #[ensures(ret + self.position() == self.frames())]
    #[ensures((ret == 0) == self.is_exhausted())]
    fn remaining(&self) -> u32 {
        self.frames() - self.position()
    }
}

/// A source that can be wound to a place.
#[contract_trait]
pub trait Seekable: Finite {
    #[requires(frame <= self.frames())]
    #[ensures(self.position() == frame, unchanged(self.frames()))]
    fn seek(&mut self, frame: u32);

    /// Goes back to the beginning.
    #[requires(self.position() > 0, "it is at the beginning")]
    #[ensures(self.position() == 0, unchanged(self.frames()))]
    fn rewind(&mut self) {
        self.seek(0);
    }
}

/// A source that comes from elsewhere while it happens.
///
/// Nothing here implements it: who uses the feeder brings one.
#[contract_trait]
pub trait LiveSource: Source {
    #[pure]
    #[ensures(self.is_exhausted() -> !ret)]
    fn is_connected(&self) -> bool;

    /// How far behind it is.
    #[pure]
    #[ensures(ret <= 60_000)]
    fn latency_ms(&self) -> u32;

    #[requires(!self.is_connected() && !self.is_exhausted())]
    #[ensures(ret == self.is_connected(), unchanged(self.position()))]
    fn reconnect(&mut self) -> bool;
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(0 < self.frames && self.frames <= MOST_FRAMES)]
#[invariant(self.position <= self.frames, "beyond the end")]
#[invariant(0 < self.key_interval && self.key_interval <= self.frames)]
pub struct Clip {
    name: StreamName,
    frames: u32,
    key_interval: u32,
    position: u32,
}

#[invariant]
impl Clip {
    #[requires(0 < frames && frames <= MOST_FRAMES)]
    #[requires(0 < key_interval && key_interval <= frames)]
    #[ensures(ret.frames() == frames, ret.key_interval() == key_interval, ret.position() == 0)]
    #[ensures(ret.is_called(&old(name.as_str().to_owned())))]
    pub fn new(name: StreamName, frames: u32, key_interval: u32) -> Clip {
        Clip { name, frames, key_interval, position: 0 }
    }

    /// How many frames there are from one key frame to the next.
    #[pure]
    #[ensures(0 < ret && ret <= self.frames())]
    pub fn key_interval(&self) -> u32 {
        self.key_interval
    }

    /// Whether the next frame is one that pictures can begin with.
    #[pure]
    #[ensures(ret == (self.position() % self.key_interval() == 0))]
    pub fn is_at_key(&self) -> bool {
        self.position.is_multiple_of(self.key_interval)
    }

    /// Cuts everything after the present place off, and gives it as a clip.
    #[requires(self.is_at_key() && self.position() > 0)]
    #[requires(self.remaining() >= self.key_interval())]
    #[ensures(self.frames() == old(self.position()), self.is_exhausted())]
    #[ensures(ret.frames() == old(self.remaining()), ret.position() == 0)]
    #[ensures(unchanged(self.key_interval(), self.position()))]
    pub fn cut(&mut self) -> Clip {
        let tail = Clip {
            name: self.name.clone(),
            frames: self.frames - self.position,
            key_interval: self.key_interval,
            position: 0,
        };
        self.frames = self.position;
        tail
    }

    /// Appends another clip that has key frames as often.
    #[requires(other.key_interval() == self.key_interval())]
    #[requires(self.frames() % self.key_interval() == 0, "the last group is not full")]
    #[requires(self.frames() + other.frames() <= MOST_FRAMES)]
    #[ensures(self.frames() == old(self.frames()) + other.frames())]
    #[ensures(unchanged(self.position(), self.key_interval()))]
    pub fn append(&mut self, other: &Clip) {
        self.frames += other.frames;
    }

    /// The frames of a clip from the time before there were key frames.
    #[requires(self.key_interval() == 0, "a clip with key frames")]
    #[ensures(ret == self.frames())]
    pub fn frames_without_keys(&self) -> u32 {
        self.frames
    }
}

#[contract_trait]
impl Named for Clip {
    fn name(&self) -> &str {
        self.name.as_str()
    }
}

#[invariant]
#[contract_trait]
impl Source for Clip {
    fn position(&self) -> u32 {
        self.position
    }

    #[ensures(ret == (self.position() == self.frames()))]
    fn is_exhausted(&self) -> bool {
        self.position == self.frames
    }

    #[ensures(matches!(ret.payload(), Payload::Video { .. }))]
    #[ensures(unchanged(self.frames(), self.key_interval()))]
    fn next_packet(&mut self) -> Packet {
        let (frame, key) = (self.position, self.is_at_key());
        self.position += 1;
        Packet::new(frame, u64::from(frame) * FRAME_MS, Payload::Video { frame, key })
    }
}

#[contract_trait]
impl Finite for Clip {
    fn frames(&self) -> u32 {
        self.frames
    }
}

#[invariant]
#[contract_trait]
impl Seekable for Clip {
    #[ensures(unchanged(self.key_interval()))]
    fn seek(&mut self, frame: u32) {
        self.position = frame;
    }
}

/// Bars and a tone, without end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestPattern {
    position: u32,
}

impl TestPattern {
    #[ensures(ret.position() == start)]
    pub fn new(start: u32) -> TestPattern {
        TestPattern { position: start }
    }
}

#[contract_trait]
impl Named for TestPattern {
    fn name(&self) -> &str {
        "test-pattern"
    }
}

#[contract_trait]
impl Source for TestPattern {
    fn position(&self) -> u32 {
        self.position
    }

    #[ensures(ret == (self.position() == u32::MAX))]
    fn is_exhausted(&self) -> bool {
        self.position == u32::MAX
    }

    /// Sound comes in every fourth packet.
    #[ensures(old(self.position()) % 4 == 3 -> matches!(ret.payload(), Payload::Audio(_)))]
    fn next_packet(&mut self) -> Packet {
        let frame = self.position;
        let payload = match frame % 4 {
            3 => Payload::Audio(vec![0x55; 64]),
            place => Payload::Video { frame, key: place == 0 },
        };
        self.position += 1;
        Packet::new(frame, u64::from(frame) * FRAME_MS, payload)
    }
}
