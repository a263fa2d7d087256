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
    fn texts_that_differ_in_zeros_have_hashes_of_their_own() {
        let texts = ["", "\0", "\0\0", "a", "a\0", "\0a", "aaaaaaaa", "aaaaaaaa\0"];
        let hashes: HashSet<u64> = texts.iter().map(hash).collect();
        assert_eq!(hashes.len(), texts.len());
    }
}
