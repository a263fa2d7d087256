//! Packets: what goes through a session.

use testsmith::{ensures, invariant, pure, requires};

/// A payload is never larger, in bytes.
pub const LARGEST: usize = 1400;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Payload {
    /// A picture, or what changed since the last one.
    Video { frame: u32, key: bool },
    /// Samples.
    Audio(Vec<u8>),
    /// A sign in the stream, such as `ADVERT`.
    Marker(String),
    /// Nothing follows.
    End,
}

impl Payload {
    /// Whether it may go into a packet.
    #[pure]
    #[ensures(matches!(self, Payload::Video { .. } | Payload::End) -> ret)]
    pub fn is_valid(&self) -> bool {
        match self {
            Payload::Audio(samples) => !samples.is_empty() && samples.len() <= LARGEST,
            Payload::Marker(text) => {
                text.len() >= 3 && text.len() <= 16 && text.chars().all(|c| c.is_ascii_uppercase())
            }
            Payload::Video { .. } | Payload::End => true,
        }
    }

    /// Whether pictures can begin here.
    #[pure]
    #[ensures(ret == matches!(self, Payload::Video { key: true, .. }))]
    pub fn is_key(&self) -> bool {
        matches!(self, Payload::Video { key: true, .. })
    }

    /// The size in bytes that it is reckoned with.
    #[pure]
    #[ensures(self.is_valid() -> ret <= LARGEST)]
    #[ensures(self.is_key() -> ret == 1000)]
    pub fn size(&self) -> usize {
        match self {
            Payload::Video { key, .. } => {
                if *key {
                    1000
                } else {
                    200
                }
            }
            Payload::Audio(samples) => samples.len(),
            Payload::Marker(text) => text.len(),
            Payload::End => 0,
        }
    }

    /// The sign, of a marker.
    #[pure]
    #[ensures(ret.is_some() == matches!(self, Payload::Marker(_)))]
    pub fn sign(&self) -> Option<&str> {
        match self {
            Payload::Marker(text) => Some(text),
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.payload.is_valid())]
pub struct Packet {
    sequence: u32,
    timestamp: u64,
    payload: Payload,
}

#[invariant]
impl Packet {
    #[requires(payload.is_valid(), "a payload that nobody can read")]
    #[requires(timestamp <= crate::clock::LATEST)]
    #[ensures(ret.sequence() == sequence)]
    #[ensures(*ret.payload() == old(payload.clone()))]
    pub fn new(sequence: u32, timestamp: u64, payload: Payload) -> Packet {
        Packet { sequence, timestamp, payload }
    }

    #[pure]
    pub fn sequence(&self) -> u32 {
        self.sequence
    }

    #[pure]
    #[ensures(ret.is_valid())]
    pub fn payload(&self) -> &Payload {
        &self.payload
    }

    /// Says a sign to the receivers, in place of an end.
    #[requires(matches!(self.payload(), Payload::End))]
    #[requires(sign.len() >= 3 && sign.len() <= 16)]
    #[requires(sign.chars().all(|c| c.is_ascii_uppercase()))]
    #[ensures(self.payload().sign() == Some(sign), unchanged(self.sequence()))]
    pub fn mark(&mut self, sign: &str) {
        self.payload = Payload::Marker(sign.to_owned());
    }

    /// The text that is shown where an advertisement begins.
    #[requires(self.payload().sign() == Some("ADVERT"))]
    #[requires(self.sequence() > 0)]
    #[ensures(ret.starts_with("advert "))]
    pub fn caption(&self) -> String {
        format!("advert {}", self.sequence)
    }
}
