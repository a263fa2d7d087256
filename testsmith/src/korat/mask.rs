//! Sets of indexes into a field's domain.
//!
//! Most domains have fewer than 64 values and fit a word; larger ones spill.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Which values of a domain a field may take.
///
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mask {
    /// The first 64 indexes, when there is no `wide`.
    word: u64,
    /// All indexes, where a domain of more than 64 is restricted.
    wide: Option<Arc<Vec<u64>>>,
}

impl Mask {
    /// No restriction, whatever the domain.
    pub(crate) const ALL: Mask = Mask { word: u64::MAX, wide: None };

    /// The indexes below `size` for which `allows` holds.
    #[inline]
    pub(crate) fn of(size: u32, mut allows: impl FnMut(u32) -> bool) -> Mask {
        if size <= 64 {
            let word = (0..size).filter(|i| allows(*i)).fold(0, |word, i| word | 1 << i);
            return Mask { word, wide: None };
        }
        let mut words = vec![0u64; size.div_ceil(64) as usize];
        for i in (0..size).filter(|i| allows(*i)) {
            words[i as usize / 64] |= 1 << (i % 64);
        }
        Mask::from_words(words)
    }

    /// From one word, or from all of a domain that needs more.
    pub(crate) fn from_words(words: Vec<u64>) -> Mask {
        match words[..] {
            [word] => Mask { word, wide: None },
            _ => Mask { word: 0, wide: Some(Arc::new(words)) },
        }
    }

    /// What `from_words` takes.
    pub(crate) fn words(&self) -> &[u64] {
        self.wide.as_ref().map_or(std::slice::from_ref(&self.word), |wide| wide)
    }

    /// The first word, if the domain has no more than that.
    #[inline]
    pub(crate) fn narrow(&self, size: u32) -> Option<u64> {
        (size <= 64 && self.wide.is_none())
            .then(|| self.word & u64::MAX.checked_shr(64 - size).unwrap_or(0))
    }

    /// The index `only`, among `size`.
    pub(crate) fn single(size: u32, only: u32) -> Mask {
        Mask::of(size, |i| i == only)
    }

    /// Whether an index of the domain is allowed.
    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        self.next(index) == index
    }

    /// What both allow, among `size` indexes.
    pub(crate) fn and(&self, other: &Mask, size: u32) -> Mask {
        Mask::of(size, |i| self.contains(i) && other.contains(i))
    }

    /// The allowed indexes from `least` on, among `size`.
    pub(crate) fn starting_at(&self, size: u32, least: u32) -> Mask {
        match self.narrow(size) {
            Some(word) => {
                Mask { word: word & u64::MAX.checked_shl(least).unwrap_or(0), wide: None }
            }
            None => Mask::of(size, |i| i >= least && self.contains(i)),
        }
    }

    /// Whether no index below `size` is allowed.
    #[inline(always)]
    pub(crate) fn is_empty(&self, size: u32) -> bool {
        self.next(0) >= size
    }

    /// How many of `size` values are allowed.
    pub(crate) fn count(&self, size: u32) -> u32 {
        (0..size).filter(|i| self.contains(*i)).count() as u32
    }

    /// The least allowed index that is at least `from`, or some index not
    /// below the size of the domain.
    #[inline(always)]
    pub(crate) fn next(&self, from: u32) -> u32 {
        self.wide.as_ref().map_or_else(|| next_in(self.word, from), |wide| next_of(wide, from))
    }
}

/// Where a field keeps its mask. A plain word unless the domain is large:
/// masks are written and read for every candidate.
#[derive(Default)]
pub(crate) struct Slot {
    /// Never zero while a mask with one word is kept.
    word: Cell<u64>,
    wide: RefCell<Option<Arc<Vec<u64>>>>,
}

impl Slot {
    #[inline(always)]
    pub(crate) fn set(&self, mask: Mask) {
        self.word.set(mask.word);
        if mask.wide.is_some() {
            self.word.set(0);
            self.wide.replace(mask.wide);
        }
    }

    pub(crate) fn get(&self) -> Mask {
        match self.word.get() {
            0 => Mask { word: 0, wide: self.wide.borrow().clone() },
            word => Mask { word, wide: None },
        }
    }

    /// As `Mask::next`, for the mask that was set last, which allows some.
    #[inline(always)]
    pub(crate) fn next(&self, from: u32) -> u32 {
        match self.word.get() {
            0 => next_of(self.wide.borrow().as_ref().map_or(&[], |wide| wide), from),
            word => next_in(word, from),
        }
    }
}

#[inline(always)]
fn next_in(word: u64, from: u32) -> u32 {
    if from >= 64 {
        return from;
    }
    match word >> from << from {
        0 => u32::MAX,
        rest => rest.trailing_zeros(),
    }
}

#[cold]
fn next_of(words: &[u64], from: u32) -> u32 {
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
