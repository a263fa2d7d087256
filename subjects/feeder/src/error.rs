//! What can go wrong without anyone breaking a contract.

use std::fmt::{self, Display};

use testsmith::{ensures, pure};

#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "fakes", derive(testsmith::FakeValue))]
pub enum FeedError {
    /// No clip goes by that name.
    NoSuchClip(String),
    /// More than an encoder or endpoint takes, in kilobits per second.
    Overloaded { limit: u32 },
    /// An address that cannot be read.
    BadAddress,
    /// The source has nothing more to give.
    Ended,
}

impl FeedError {
    /// The limit that was exceeded, where a lower quality may help.
    #[pure]
    #[ensures(ret.is_some() == matches!(self, FeedError::Overloaded { .. }))]
    pub fn limit(&self) -> Option<u32> {
        match self {
            FeedError::Overloaded { limit } => Some(*limit),
            _ => None,
        }
    }
}

impl Display for FeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FeedError::NoSuchClip(name) => write!(f, "no clip is called {name}"),
            FeedError::Overloaded { limit } => write!(f, "more than {limit} kbit/s"),
            FeedError::BadAddress => f.write_str("the address cannot be read"),
            FeedError::Ended => f.write_str("the source has ended"),
        }
    }
}

impl std::error::Error for FeedError {}
