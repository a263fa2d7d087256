//! Names of streams, and the root of all traits: what has a name.

use testsmith::{contract_trait, ensures, invariant, pure, requires};

/// No name is longer.
pub const LONGEST_NAME: usize = 24;

/// What the name of a live stream begins with.
pub const LIVE_PREFIX: &str = "live-";

/// Something that can be told apart by its name.
#[cfg_attr(feature = "fakes", testsmith::fake)]
#[contract_trait]
pub trait Named {
    #[pure]
    #[ensures(!ret.is_empty() && ret.len() <= LONGEST_NAME)]
    fn name(&self) -> &str;

    /// Whether the name is this one.
    #[pure]
    #[ensures(ret == (self.name() == name))]
    fn is_called(&self, name: &str) -> bool {
        self.name() == name
    }
}

/// A name in small letters, digits and hyphens.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[invariant(!self.text.is_empty() && self.text.len() <= LONGEST_NAME)]
#[invariant(StreamName::is_valid(&self.text))]
pub struct StreamName {
    text: String,
}

#[invariant]
impl StreamName {
    #[requires(!text.is_empty(), "a name has at least one letter")]
    #[requires(text.len() <= LONGEST_NAME)]
    #[requires(text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))]
    #[ensures(ret.as_str() == text)]
    pub fn new(text: &str) -> StreamName {
        StreamName { text: text.to_owned() }
    }

    /// The name of a live stream.
    #[requires(!text.is_empty() && text.len() + LIVE_PREFIX.len() <= LONGEST_NAME)]
    #[requires(text.chars().all(|c| c.is_ascii_lowercase()))]
    #[ensures(ret.is_live(), ret.as_str().len() == text.len() + 5)]
    pub fn live(text: &str) -> StreamName {
        StreamName { text: format!("{LIVE_PREFIX}{text}") }
    }

    #[pure]
    fn is_valid(text: &str) -> bool {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        !text.is_empty() && text.len() <= LONGEST_NAME && text.chars().all(allowed)
    }

    #[pure]
    #[ensures(!ret.is_empty() && ret.len() <= LONGEST_NAME)]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    #[pure]
    #[ensures(ret == self.as_str().starts_with("live-"))]
    pub fn is_live(&self) -> bool {
        self.text.starts_with(LIVE_PREFIX)
    }

    /// The name of the recording of a live stream.
    #[requires(self.is_live() && self.as_str().len() > 5)]
    #[ensures(ret.as_str().len() == self.as_str().len() - 5, self.as_str().ends_with(ret.as_str()))]
    pub fn recorded(&self) -> StreamName {
        StreamName { text: self.text[LIVE_PREFIX.len()..].to_owned() }
    }
}
