//! A session: one source through one encoder to one endpoint.

use testsmith::{ensures, invariant, pure, requires};

use crate::clock::Clock;
use crate::encoder::{AdaptiveEncoder, Encoder, LadderEncoder};
use crate::endpoint::Endpoint;
use crate::error::FeedError;
use crate::quality::Level;
use crate::source::{Clip, Seekable, Source};

/// Why a session rests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    Viewer,
    /// This many packets are missing.
    Buffer {
        missing: u32,
    },
    Maintenance,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    Closed,
    Open,
    Started {
        since: u64,
    },
    Paused {
        since: u64,
        reason: Reason,
    },
    /// Meant for a graceful end; nothing leads here yet.
    Draining {
        left: u32,
    },
}

impl Phase {
    #[pure]
    #[ensures(ret == !matches!(self, Phase::Closed | Phase::Open))]
    pub fn is_running(&self) -> bool {
        matches!(self, Phase::Started { .. } | Phase::Paused { .. } | Phase::Draining { .. })
    }

    /// When it was reached, where that matters.
    #[pure]
    #[ensures(ret.is_some() -> self.is_running())]
    pub fn since(&self) -> Option<u64> {
        match self {
            Phase::Started { since } | Phase::Paused { since, .. } => Some(*since),
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
#[invariant(self.phase != Phase::Closed || self.token.is_none())]
pub struct Session<S: Source, E: Encoder> {
    source: S,
    encoder: E,
    endpoint: Endpoint,
    phase: Phase,
    token: Option<String>,
    fed: u64,
}

/// The usual kind of session: a clip, at the quality that the line can take.
pub type ClipSession = Session<Clip, LadderEncoder>;

#[invariant]
impl<S: Source, E: Encoder> Session<S, E> {
    #[requires(encoder.encoded() == 0, "the encoder is used elsewhere")]
    #[ensures(ret.phase() == Phase::Closed, ret.fed() == 0)]
    #[ensures(*ret.endpoint() == old(endpoint.clone()))]
    #[ensures(ret.source().is_exhausted() == old(source.is_exhausted()))]
    pub fn new(source: S, encoder: E, endpoint: Endpoint) -> Session<S, E> {
        let (phase, token) = (Phase::Closed, None);
        Session { source, encoder, endpoint, phase, token, fed: 0 }
    }

    #[pure]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// How many packets the source has given.
    #[pure]
    pub fn fed(&self) -> u64 {
        self.fed
    }

    #[pure]
    pub fn source(&self) -> &S {
        &self.source
    }

    #[pure]
    pub fn encoder(&self) -> &E {
        &self.encoder
    }

    #[pure]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Opens the session with a token, `tok-` and four digits.
    #[requires(self.phase() == Phase::Closed, "it is open")]
    #[requires(token.starts_with("tok-") && token.len() == 8)]
    #[requires(token.chars().skip(4).all(|c| c.is_ascii_digit()))]
    #[ensures(self.phase() == Phase::Open, unchanged(self.fed()))]
    pub fn open(&mut self, token: &str) {
        self.token = Some(token.to_owned());
        self.phase = Phase::Open;
    }

    #[requires(matches!(self.phase(), Phase::Open))]
    #[requires(!self.source().is_exhausted(), "there is nothing to send")]
    #[ensures(self.phase() == Phase::Started { since: clock.now() })]
    #[ensures(unchanged(self.fed()))]
    pub fn start<C: Clock>(&mut self, clock: &C) {
        self.phase = Phase::Started { since: clock.now() };
    }

    /// Sends some packets, as far as there are any, and says how many.
    #[requires(matches!(self.phase(), Phase::Started { .. }), "it has not started")]
    #[requires(0 < packets && packets <= 100)]
    #[ensures(ret.is_ok() -> *ret.as_ref().unwrap() <= packets)]
    #[ensures(ret.is_ok() -> self.fed() == old(self.fed()) + u64::from(*ret.as_ref().unwrap()))]
    #[ensures(ret.is_ok() && *ret.as_ref().unwrap() < packets -> self.source().is_exhausted())]
    #[ensures(ret == Err(FeedError::Ended) -> self.source().is_exhausted())]
    #[ensures(unchanged(self.phase()))]
    pub fn feed(&mut self, packets: u32) -> Result<u32, FeedError> {
        if self.source.is_exhausted() {
            return Err(FeedError::Ended);
        }
        let mut sent = 0;
        while sent < packets && !self.source.is_exhausted() {
            let packet = self.source.next_packet();
            sent += 1;
            self.encoder.encode(&packet)?;
            self.fed += 1;
        }
        Ok(sent)
    }

    #[requires(matches!(self.phase(), Phase::Started { since } if since <= clock.now()))]
    #[ensures(self.phase() == Phase::Paused { since: clock.now(), reason })]
    #[ensures(unchanged(self.fed()))]
    pub fn pause(&mut self, reason: Reason, clock: &dyn Clock) {
        self.phase = Phase::Paused { since: clock.now(), reason };
    }

    /// Goes on where the viewer paused it.
    #[requires(matches!(self.phase(), Phase::Paused { reason: Reason::Viewer, .. }))]
    #[ensures(matches!(self.phase(), Phase::Started { .. }), unchanged(self.fed()))]
    #[ensures(self.phase().since() == old(self.phase().since()))]
    pub fn resume(&mut self) {
        let since = self.phase.since().unwrap_or_default();
        self.phase = Phase::Started { since };
    }

    /// Goes on after enough packets have come in.
    #[requires(matches!(
        self.phase(),
        Phase::Paused { reason: Reason::Buffer { missing }, .. } if missing > 0 && missing <= packets
    ))]
    #[ensures(matches!(self.phase(), Phase::Started { .. }))]
    pub fn refill(&mut self, packets: u32) {
        let since = self.phase.since().unwrap_or_default();
        self.phase = Phase::Started { since };
    }

    #[requires(self.phase().is_running())]
    #[ensures(self.phase() == Phase::Open, unchanged(self.fed()))]
    pub fn stop(&mut self) {
        self.phase = Phase::Open;
    }

    #[requires(self.phase() == Phase::Open, "stop it first")]
    #[ensures(self.phase() == Phase::Closed, unchanged(self.fed()))]
    pub fn close(&mut self) {
        self.phase = Phase::Closed;
        self.token = None;
    }

    /// Sends to another place from now on.
    #[requires(matches!(self.phase(), Phase::Paused { reason: Reason::Maintenance, .. }))]
    #[requires(endpoint.port() != self.endpoint().port(), "that is where it sends to")]
    #[ensures(*self.endpoint() == old(endpoint.clone()), self.phase() == Phase::Open)]
    pub fn move_to(&mut self, endpoint: Endpoint) {
        self.endpoint = endpoint;
        self.phase = Phase::Open;
    }

    /// Ends a graceful end.
    #[requires(matches!(self.phase(), Phase::Draining { left } if left == 0))]
    #[ensures(self.phase() == Phase::Open)]
    pub fn finish_draining(&mut self) {
        self.phase = Phase::Open;
    }
}

#[invariant]
impl<S: Seekable, E: AdaptiveEncoder> Session<S, E> {
    /// Plays what has ended again, from a frame on.
    #[requires(matches!(self.phase(), Phase::Started { .. }) && self.source().is_exhausted())]
    #[requires(frame < self.source().frames())]
    #[ensures(self.source().position() == frame, unchanged(self.phase(), self.fed()))]
    pub fn replay(&mut self, frame: u32) {
        self.source.seek(frame);
    }

    /// Goes down a level for a line that is slow.
    #[requires(matches!(self.phase(), Phase::Paused { reason: Reason::Buffer { .. }, .. }))]
    #[requires(self.encoder().level() != Level::Low)]
    #[ensures(self.encoder().level() < old(self.encoder().level()))]
    #[ensures(self.encoder().can_raise(), unchanged(self.phase(), self.fed()))]
    pub fn lower_quality(&mut self) {
        self.encoder.lower();
    }
}
