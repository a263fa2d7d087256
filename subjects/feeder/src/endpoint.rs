//! Where a stream is sent to.

use testsmith::{ensures, invariant, pure, requires};

use crate::error::FeedError;
use crate::quality::{Bitrate, MOST_KBPS};

/// The lowest port that is not reserved.
pub const LOWEST_PORT: u16 = 1024;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scheme {
    Rtp,
    Rtmp,
    Hls,
}

impl Scheme {
    pub const ALL: [Scheme; 3] = [Scheme::Rtp, Scheme::Rtmp, Scheme::Hls];

    #[pure]
    #[ensures(ret.ends_with("://"))]
    pub fn prefix(&self) -> &'static str {
        match self {
            Scheme::Rtp => "rtp://",
            Scheme::Rtmp => "rtmp://",
            Scheme::Hls => "hls://",
        }
    }

    #[pure]
    #[ensures(ret >= LOWEST_PORT)]
    #[ensures(*self == Scheme::Rtmp -> ret == 1935)]
    pub fn default_port(&self) -> u16 {
        match self {
            Scheme::Rtp => 5004,
            Scheme::Rtmp => 1935,
            Scheme::Hls => 8080,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[invariant(!self.host.is_empty() && self.port >= LOWEST_PORT)]
pub struct Endpoint {
    scheme: Scheme,
    host: String,
    port: u16,
    capacity: Bitrate,
}

#[invariant]
impl Endpoint {
    #[requires(!host.is_empty() && host.len() <= 40)]
    #[requires(host.chars().all(|c| c.is_ascii_alphanumeric() || c == '.'))]
    #[requires(port >= LOWEST_PORT, "reserved ports are not ours")]
    #[ensures(ret.scheme() == scheme, ret.host() == host, ret.port() == port)]
    #[ensures(ret.capacity() == capacity)]
    pub fn new(scheme: Scheme, host: &str, port: u16, capacity: Bitrate) -> Endpoint {
        Endpoint { scheme, host: host.to_owned(), port, capacity }
    }

    /// Reads `scheme://host`, with the port of the scheme.
    #[requires(address.contains("://"))]
    #[ensures(ret.is_ok() -> address.starts_with(ret.as_ref().unwrap().scheme().prefix()))]
    #[ensures(ret.is_err() -> matches!(ret, Err(FeedError::BadAddress)))]
    pub fn parse(address: &str, capacity: Bitrate) -> Result<Endpoint, FeedError> {
        let scheme = Scheme::ALL.into_iter().find(|scheme| address.starts_with(scheme.prefix()));
        let scheme = scheme.ok_or(FeedError::BadAddress)?;
        let host = &address[scheme.prefix().len()..];
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '.';
        if host.is_empty() || host.len() > 40 || !host.chars().all(allowed) {
            return Err(FeedError::BadAddress);
        }
        Ok(Endpoint::new(scheme, host, scheme.default_port(), capacity))
    }

    #[pure]
    #[ensures(ret.prefix().len() >= 6)]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    #[pure]
    #[ensures(!ret.is_empty())]
    pub fn host(&self) -> &str {
        &self.host
    }

    #[pure]
    #[ensures(ret >= LOWEST_PORT)]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What it takes at most.
    #[pure]
    #[ensures(ret.kbps() > 0)]
    pub fn capacity(&self) -> Bitrate {
        self.capacity
    }

    /// Moves to the port that control messages use: the next odd one.
    #[requires(matches!(self.scheme(), Scheme::Rtp))]
    #[requires(self.port() % 2 == 0)]
    #[ensures(self.port() == old(self.port()) + 1)]
    #[ensures(unchanged(self.scheme(), self.capacity()))]
    pub fn use_control_port(&mut self) {
        self.port += 1;
    }

    /// Opens the way for tests on this machine.
    #[requires(self.host() == "localhost" && self.port() > 50_000)]
    #[ensures(self.capacity().kbps() == MOST_KBPS, self.port() == self.scheme().default_port())]
    pub fn open_locally(&mut self) {
        self.capacity = Bitrate::new(MOST_KBPS);
        self.port = self.scheme.default_port();
    }
}
