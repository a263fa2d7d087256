//! Where a search stands, as text: stop now, resume later or elsewhere.
//!
//! The same value hands a part of a search to another thread.

use std::fmt;
use std::str::FromStr;

use super::cell::state;
use super::mask::Mask;
use super::trail::{Held, Inner};

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
    pub(crate) stack: Vec<(u32, u32, bool, Mask)>,
    pub(crate) held: Vec<(u32, u32, u32, Mask)>,
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

impl Inner {
    /// A number that spaces with different fields are unlikely to share.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for field in &self.fields {
            for part in [field.size, field.class, field.first, u32::from(field.owned)] {
                hash = (hash ^ u64::from(part)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        hash
    }

    pub(crate) fn save(&self, advance: bool, skip: u64, base: usize, upto: usize) -> State {
        let choice = |c: &super::trail::Choice| {
            (c.field, self.header(c.field).index.get(), c.was_held, c.mask.clone())
        };
        let held = |h: &Held| (h.field, h.depth, h.call, h.mask.clone());
        let kept = self.held.iter().filter(|h| h.depth as usize <= upto);
        State {
            fingerprint: self.fingerprint(),
            advance,
            skip,
            base,
            stack: self.stack[..upto].iter().map(choice).collect(),
            held: kept.map(held).collect(),
        }
    }

    /// Puts the trail where the state says.
    pub(crate) fn restore(&mut self, saved: &State) {
        self.reset();
        for (field, depth, call, mask) in &saved.held {
            self.header(*field).state.set(state::HELD);
            self.header(*field).call.set(*call);
            let (field, mask) = (*field, mask.clone());
            self.held.push(Held { field, mask, depth: *depth, call: *call });
        }
        for (field, index, was_held, mask) in &saved.stack {
            self.push_at(*field, *index, *was_held, mask.clone());
        }
        self.base = saved.base;
    }
}

fn write_mask(mask: &Mask, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match mask {
        Mask::All => f.write_str("*"),
        Mask::Word(word) => write!(f, "{word:x}"),
        Mask::Wide(words) => words.iter().try_for_each(|word| write!(f, "{word:x}_")),
    }
}

fn read_mask(text: &str) -> Option<Mask> {
    let word = |text: &str| u64::from_str_radix(text, 16).ok();
    match text.strip_suffix('_') {
        None if text == "*" => Some(Mask::All),
        None => word(text).map(Mask::Word),
        Some(words) => {
            let words: Option<Vec<u64>> = words.split('_').map(word).collect();
            words.map(|words| Mask::Wide(words.into()))
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { fingerprint, advance, skip, base, .. } = self;
        write!(f, "korat1/{fingerprint:x}/{}/{skip}/{base}/", u8::from(*advance))?;
        for (at, (field, index, was_held, mask)) in self.stack.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{field}:{index}:{}:", u8::from(*was_held))?;
            write_mask(mask, f)?;
        }
        f.write_str("/")?;
        for (at, (field, depth, call, mask)) in self.held.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{field}:{depth}:{call}:")?;
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
    let stack = entries(parts.next()?)?;
    let held = entries(parts.next()?)?;
    let stack: Vec<_> = stack.into_iter().map(|(f, i, h, m)| (f, i, h == 1, m)).collect();
    (base <= stack.len()).then_some(State { fingerprint, advance, skip, base, stack, held })
}

fn entries(text: &str) -> Option<Vec<(u32, u32, u32, Mask)>> {
    let entry = |entry: &str| {
        let mut parts = entry.split(':');
        let mut number = || parts.next()?.parse().ok();
        let (a, b, c) = (number()?, number()?, number()?);
        Some((a, b, c, read_mask(parts.next()?)?))
    };
    text.split(',').filter(|part| !part.is_empty()).map(entry).collect()
}
