//! A hash for keys of our own and for values under test: quick, the same
//! everywhere, and no defence against anybody. Ours rather than a library's,
//! because it is linked into every harness, which is to build fast.

use std::hash::{BuildHasherDefault, Hasher};

/// Odd, as in a multiplicative hash.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A hash with one more word in it.
#[inline]
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

/// Hashes word by word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

/// For maps and sets.
pub type Mixing = BuildHasherDefault<Mixer>;

impl Hasher for Mixer {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.write_u64(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            // Its length, so that zeros at the end are not nothing.
            self.write_u64(u64::from_le_bytes(last) | (rest.len() as u64) << 56);
        }
    }

    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u16(&mut self, word: u16) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = mix(self.0, word);
    }

    #[inline]
    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // Sets look at both ends of a hash; a product is good at its upper end.
        let hash = (self.0 ^ (self.0 >> 32)).wrapping_mul(FACTOR);
        hash ^ (hash >> 29)
    }
}

/// The hash of a text that is written in pieces: it is the same however it is cut. Pieces are
/// of a few bytes, so they are gathered into words first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pieces {
    hash: u64,
    /// The bytes that make no whole word yet.
    word: u64,
    length: usize,
}

impl Pieces {
    #[inline]
    pub fn write(&mut self, text: &str) {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word), 8);
        }
        self.add(short(rest), rest.len());
    }

    /// Adds up to eight bytes, of which those past the last are nought.
    #[inline]
    fn add(&mut self, bytes: u64, count: usize) {
        let there = self.length % 8;
        self.word |= bytes << (8 * there);
        self.length += count;
        if there + count >= 8 {
            self.hash = mix(self.hash, self.word);
            // What did not fit; if all did, nothing.
            self.word = bytes.checked_shr(64 - 8 * there as u32).unwrap_or(0);
        }
    }

    /// How many bytes were written.
    pub fn length(&self) -> usize {
        self.length
    }

    pub fn finish(&self) -> u64 {
        let mut last = Mixer(mix(self.hash, self.word));
        last.write_usize(self.length);
        last.finish()
    }
}

/// Less than eight bytes as a word, the first of them the lowest. Both ends are read at
/// once, whether they overlap or not.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    let shift = |less: usize| 8 * (bytes.len() - less);
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift(4)
        }
        _ => match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u16::from_le_bytes(*first), u16::from_le_bytes(*last));
                u64::from(first) | u64::from(last) << shift(2)
            }
            _ => bytes.first().map_or(0, |byte| u64::from(*byte)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::Hash;

    fn hash(value: impl Hash) -> u64 {
        let mut mixer = Mixer::default();
        value.hash(&mut mixer);
        mixer.finish()
    }

    #[test]
    fn short_lists_of_small_numbers_have_hashes_of_their_own() {
        let mut seen = HashSet::new();
        for a in 0..40u32 {
            for b in 0..40u32 {
                for c in 0..40u32 {
                    assert!(seen.insert(hash([a, b, c])), "{a} {b} {c}");
                }
            }
        }
        let low: HashSet<u64> = seen.iter().map(|hash| hash % 4096).collect();
        let high: HashSet<u64> = seen.iter().map(|hash| hash >> 52).collect();
        assert_eq!((low.len(), high.len()), (4096, 4096), "both ends are spread");
    }

    #[test]
    fn a_text_in_pieces_is_known_by_its_bytes_alone() {
        let hash = |pieces: &[&str]| {
            let mut all = Pieces::default();
            pieces.iter().for_each(|piece| all.write(piece));
            all.finish()
        };
        let text = "Version { major: 1, minor: 20 }";
        let whole = hash(&[text]);
        for at in 0..=text.len() {
            for end in at..=text.len() {
                let pieces = [&text[..at], "", &text[at..end], &text[end..]];
                assert_eq!(hash(&pieces), whole, "{at} {end}");
            }
            assert_ne!(hash(&[&text[..at], "\0", &text[at..]]), whole, "{at}");
        }
    }

    #[test]
    fn texts_that_differ_in_zeros_have_hashes_of_their_own() {
        let texts = ["", "\0", "\0\0", "a", "a\0", "\0a", "aaaaaaaa", "aaaaaaaa\0"];
        let hashes: HashSet<u64> = texts.iter().map(hash).collect();
        assert_eq!(hashes.len(), texts.len());
    }
}
