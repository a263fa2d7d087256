//! Where decoded inputs come from: bytes given, or bytes made up on the way.
//!
//! The same decoding serves four purposes: symbolic execution and native replay
//! read bytes; random testing makes them up, choosing likely values where it
//! knows what is being decoded; shrinking and naming read bytes and note what
//! they stood for. Lengths and choices take one byte each.

use super::reject;

/// How large inputs may be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Elements of a collection, bytes of a string.
    pub len: usize,
    /// Nesting of derived types.
    pub depth: usize,
}

impl Limits {
    /// The limits inside one more derived type; `None` at the bottom.
    pub fn deeper(self) -> Option<Limits> {
        Some(Limits { len: self.len, depth: self.depth.checked_sub(1)? })
    }
}

/// What some bytes of an input stood for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draw {
    pub start: usize,
    pub len: usize,
    pub name: String,
    pub kind: Kind,
}

/// What kind of number some bytes are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In little-endian order.
    Unsigned,
    Signed,
    /// A length or a choice, in one byte.
    Small,
}

/// An element of a collection, which shrinking may remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub start: usize,
    pub end: usize,
    /// Where the length of the collection is.
    pub length_at: usize,
}

/// How made-up numbers are chosen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choosing {
    /// Only bytes given; at their end the input is refused.
    Given,
    /// The same boundary value everywhere.
    Boundary(usize),
    Random,
}

/// Keeps the bytes of an input with what they stood for, making up missing ones.
#[derive(Debug)]
pub(crate) struct Maker {
    pub bytes: Vec<u8>,
    pub draws: Vec<Draw>,
    pub items: Vec<Item>,
    names: Vec<String>,
    choosing: Choosing,
    state: u64,
    /// All parameters were made: what happens from now on is the put itself.
    pub complete: bool,
}

/// How many different boundary runs there are.
pub(crate) const BOUNDARIES: usize = 12;

impl Maker {
    pub fn new(bytes: Vec<u8>, choosing: Choosing, seed: u64) -> Maker {
        let (draws, items, names) = (vec![], vec![], vec![]);
        Maker { bytes, draws, items, names, choosing, state: seed | 1, complete: false }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn number(&mut self, width: usize) -> u128 {
        let bits = 8 * width as u32;
        let ones = u128::MAX >> (128 - bits);
        let boundary = |kind: usize| match kind {
            0 => 0,
            1 => 1,
            2 => ones,
            3 => ones >> 1,
            4 => (ones >> 1) + 1,
            5 => 2,
            6 => ones - 1,
            7 => 10,
            8 => 16,
            9 => 100,
            10 => 127,
            _ => 255,
        };
        match self.choosing {
            Choosing::Boundary(kind) => boundary(kind),
            _ => {
                let (kind, random) = (self.next() % 8, u128::from(self.next()));
                let wide = random << 64 | u128::from(self.next());
                match kind {
                    0 | 1 => boundary(random as usize % BOUNDARIES),
                    // Small numbers of either sign meet each other often.
                    2 | 3 => random % 16,
                    4 => ones - random % 16,
                    5 => wide >> (128 - bits) >> (random as u32 % bits),
                    _ => wide,
                }
            }
        }
    }

    fn below(&mut self, limit: usize) -> u8 {
        match self.choosing {
            Choosing::Boundary(kind) => [0, limit, 1, 2][kind % 4].min(limit) as u8,
            _ => (self.next() % (limit as u64 + 1)) as u8,
        }
    }

    fn note(&mut self, start: usize, len: usize, suffix: &str, kind: Kind) {
        let name = format!("{}{suffix}", self.names.concat());
        self.draws.push(Draw { start, len, name, kind });
    }
}

/// The input being decoded.
pub struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    limits: Limits,
    maker: Option<&'a mut Maker>,
}

impl<'a> Source<'a> {
    /// Reads the bytes given, and refuses inputs that need more.
    pub fn new(bytes: &'a [u8]) -> Source<'a> {
        Source { bytes, at: 0, limits: Limits { len: 0, depth: 0 }, maker: None }
    }

    pub(crate) fn making(maker: &'a mut Maker) -> Source<'a> {
        Source { bytes: &[], at: 0, limits: Limits { len: 0, depth: 0 }, maker: Some(maker) }
    }

    /// Says that all parameters were made and the put begins.
    #[doc(hidden)]
    pub fn complete(&mut self) {
        if let Some(maker) = &mut self.maker {
            maker.complete = true;
        }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Decodes a parameter under its own limits.
    pub fn parameter<T>(
        &mut self,
        name: &str,
        limits: Limits,
        decode: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.limits = limits;
        self.part(name, decode)
    }

    /// Decodes a part of a value; `name` is what follows the name of the whole.
    pub fn part<T>(&mut self, name: &str, decode: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(maker) = &mut self.maker {
            maker.names.push(name.to_owned());
        }
        let value = decode(self);
        if let Some(maker) = &mut self.maker {
            maker.names.pop();
        }
        value
    }

    /// Decodes the inside of a derived type.
    pub fn nested<T>(&mut self, decode: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.limits;
        match outside.deeper() {
            Some(inside) => self.limits = inside,
            None => reject(),
        }
        let value = decode(self);
        self.limits = outside;
        value
    }

    /// The bytes of a number, lowest first.
    pub fn number<const N: usize>(&mut self) -> [u8; N] {
        self.digits(Kind::Unsigned)
    }

    /// The bytes of a number that may be negative.
    pub fn signed_number<const N: usize>(&mut self) -> [u8; N] {
        self.digits(Kind::Signed)
    }

    fn digits<const N: usize>(&mut self, kind: Kind) -> [u8; N] {
        if let Some(maker) = &mut self.maker {
            if self.at == maker.bytes.len() && maker.choosing != Choosing::Given {
                let number = maker.number(N);
                maker.bytes.extend_from_slice(&number.to_le_bytes()[..N]);
            }
            maker.note(self.at, N, "", kind);
        }
        let bytes = match &self.maker {
            Some(maker) => &maker.bytes,
            None => self.bytes,
        };
        let Some(taken) = bytes.get(self.at..self.at + N) else { reject() };
        let mut number = [0; N];
        number.copy_from_slice(taken);
        self.at += N;
        number
    }

    /// A number from 0 to `limit`, both included, in one byte.
    fn small(&mut self, limit: usize, suffix: &str) -> usize {
        if let Some(maker) = &mut self.maker {
            if self.at == maker.bytes.len() && maker.choosing != Choosing::Given {
                let number = maker.below(limit);
                maker.bytes.push(number);
            }
            maker.note(self.at, 1, suffix, Kind::Small);
        }
        let bytes = match &self.maker {
            Some(maker) => &maker.bytes,
            None => self.bytes,
        };
        let Some(byte) = bytes.get(self.at) else { reject() };
        let number = usize::from(*byte);
        if number > limit {
            reject();
        }
        self.at += 1;
        number
    }

    /// One of `count` alternatives; the simplest should be number 0.
    pub fn choice(&mut self, count: usize) -> usize {
        self.small(count.saturating_sub(1), " (variant)")
    }

    /// A boolean: any byte, of which the lowest bit counts.
    pub fn flag(&mut self) -> bool {
        self.number::<1>()[0] & 1 == 1
    }

    /// Decodes a collection element by element.
    pub fn list<T>(&mut self, mut decode: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let length_at = self.at;
        let len = self.small(self.limits.len.min(255), ".len()");
        let mut list = Vec::with_capacity(len);
        for index in 0..len {
            let start = self.at;
            list.push(self.element(index, &mut decode));
            let end = self.at;
            if let Some(maker) = &mut self.maker {
                maker.items.push(Item { start, end, length_at });
            }
        }
        list
    }

    /// Decodes the element at an index. The name is made only if somebody wants it:
    /// formatting would cost the exploration dearly.
    pub fn element<T>(&mut self, index: usize, decode: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(maker) = &mut self.maker {
            maker.names.push(format!("[{index}]"));
        }
        let value = decode(self);
        if let Some(maker) = &mut self.maker {
            maker.names.pop();
        }
        value
    }
}
