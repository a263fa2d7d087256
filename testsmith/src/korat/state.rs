//! Where a search stands, as text: stop now, resume later or elsewhere.
//!
//! The same value hands a part of a search to another thread.

use std::fmt;
use std::str::FromStr;

use super::cell::Header;
use super::mask::Mask;
use super::trail::Inner;

/// A point in a search. Printing and parsing it loses nothing; it is only good
/// for the same type and finitization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Tells spaces apart.
    pub(crate) fingerprint: u64,
    /// Whether the current candidate is done with and the next is due.
    pub(crate) advance: bool,
    /// How many structures the current candidate has already yielded.
    pub(crate) skip: u64,
    /// The part of the trail that is fixed.
    pub(crate) base: usize,
    /// Fields, the indexes of their values, and what generators allow. What
    /// is merely held comes back when the predicate runs again.
    pub(crate) stack: Vec<(u32, u32, Mask)>,
}

/// The text is not a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseStateError;

impl fmt::Display for ParseStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is not the state of a search; it should begin with `korat1/`")
    }
}

impl std::error::Error for ParseStateError {}

/// How many fields tell people where a search stands.
const NAMED_FIELDS: usize = 3;

impl Inner {
    /// How far the search has come: the first fields that the predicate looks
    /// at, and the values they have. No share of the whole, which nobody knows:
    /// the values of a field lead to parts of very unequal size.
    pub(crate) fn position(&self) -> String {
        let fields = (0..self.stack.len()).map(|place| self.at(place));
        let open = fields.filter(|header| header.size > 1).take(NAMED_FIELDS);
        let text = |header: &Header| {
            let (name, at) = (&self.fields[header.id as usize].name, header.index.get() + 1);
            format!("`{name}` at value {at} of {}", header.size)
        };
        open.map(text).collect::<Vec<String>>().join(", ")
    }

    /// A number that spaces with different fields are unlikely to share.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for (at, field) in self.fields.iter().enumerate() {
            let header = self.header(at as u32);
            for part in [header.size, header.class, header.first, u32::from(field.owned)] {
                hash = (hash ^ u64::from(part)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        hash
    }

    pub(crate) fn save(&self, advance: bool, skip: u64, base: usize, upto: usize) -> State {
        let choice = |header: &Header| (header.id, header.index.get(), header.mask.get());
        let stack = (0..upto).map(|place| choice(self.at(place))).collect();
        State { fingerprint: self.fingerprint(), advance, skip, base, stack }
    }

    /// Puts the trail where the state says.
    pub(crate) fn restore(&mut self, saved: &State) {
        self.reset();
        for (field, index, mask) in &saved.stack {
            self.push_at(*field, *index, mask.clone());
        }
        self.base = saved.base;
    }
}

fn write_mask(mask: &Mask, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if *mask == Mask::ALL {
        return f.write_str("*");
    }
    for (at, word) in mask.words().iter().enumerate() {
        write!(f, "{}{word:x}", if at > 0 { "_" } else { "" })?;
    }
    Ok(())
}

fn read_mask(text: &str) -> Option<Mask> {
    if text == "*" {
        return Some(Mask::ALL);
    }
    let words: Option<Vec<u64>> =
        text.split('_').map(|word| u64::from_str_radix(word, 16).ok()).collect();
    words.map(Mask::from_words)
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { fingerprint, advance, skip, base, .. } = self;
        write!(f, "korat1/{fingerprint:x}/{}/{skip}/{base}/", u8::from(*advance))?;
        for (at, (field, index, mask)) in self.stack.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{field}:{index}:")?;
            write_mask(mask, f)?;
        }
        Ok(())
    }
}

impl FromStr for State {
    type Err = ParseStateError;

    fn from_str(text: &str) -> Result<State, ParseStateError> {
        parse(text).ok_or(ParseStateError)
    }
}

fn parse(text: &str) -> Option<State> {
    let mut parts = text.trim().strip_prefix("korat1/")?.split('/');
    let fingerprint = u64::from_str_radix(parts.next()?, 16).ok()?;
    let advance = parts.next()? == "1";
    let skip = parts.next()?.parse().ok()?;
    let base = parts.next()?.parse().ok()?;
    let stack: Option<Vec<_>> =
        parts.next()?.split(',').filter(|part| !part.is_empty()).map(entry).collect();
    let stack = stack?;
    (base <= stack.len()).then_some(State { fingerprint, advance, skip, base, stack })
}

fn entry(text: &str) -> Option<(u32, u32, Mask)> {
    let mut parts = text.split(':');
    let (field, index) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((field, index, read_mask(parts.next()?)?))
}
