//! Sets of indexes into a field's domain.
//!
//! Most domains have fewer than 64 values and fit a word; larger ones spill.

use std::sync::Arc;

/// Which values of a domain a field may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mask {
    All,
    Word(u64),
    Wide(Arc<[u64]>),
}

impl Mask {
    /// The indexes below `size` for which `allows` holds.
    pub(crate) fn of(size: u32, mut allows: impl FnMut(u32) -> bool) -> Mask {
        if size <= 64 {
            return Mask::Word((0..size).filter(|i| allows(*i)).fold(0, |word, i| word | 1 << i));
        }
        let mut words = vec![0u64; size.div_ceil(64) as usize];
        for i in (0..size).filter(|i| allows(*i)) {
            words[i as usize / 64] |= 1 << (i % 64);
        }
        Mask::Wide(words.into())
    }

    /// How many of `size` values are allowed.
    pub(crate) fn count(&self, size: u32) -> u32 {
        match self {
            Mask::All => size,
            Mask::Word(word) => word.count_ones(),
            Mask::Wide(words) => words.iter().map(|word| word.count_ones()).sum(),
        }
    }

    /// The least allowed index that is at least `from`, or some index not
    /// below the size of the domain.
    #[inline]
    pub(crate) fn next(&self, from: u32) -> u32 {
        match self {
            Mask::All => from,
            Mask::Word(_) if from >= 64 => u32::MAX,
            Mask::Word(word) => match word >> from << from {
                0 => u32::MAX,
                rest => rest.trailing_zeros(),
            },
            Mask::Wide(words) => {
                let mut at = from;
                while let Some(word) = words.get(at as usize / 64) {
                    let rest = word >> (at % 64);
                    if rest != 0 {
                        return at + rest.trailing_zeros();
                    }
                    at = (at / 64 + 1) * 64;
                }
                u32::MAX
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_every_width_step_through_the_same_indexes() {
        for size in [1, 5, 63, 64, 65, 128, 200] {
            let mask = Mask::of(size, |i| i % 3 == 1);
            let mut seen = Vec::new();
            let mut at = mask.next(0);
            while at < size {
                seen.push(at);
                at = mask.next(at + 1);
            }
            let expected: Vec<u32> = (0..size).filter(|i| i % 3 == 1).collect();
            assert_eq!(seen, expected, "size {size}");
        }
    }
}
