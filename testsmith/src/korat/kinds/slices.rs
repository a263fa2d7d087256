//! What the twins of sequences can do because slices can: compare, print, and
//! be taken for a slice by code that is not compiled for the twin.
//!
//! Comparing reads element by element and stops at the first difference. A
//! twin that is taken for a slice is copied, which reads all of it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{
    Deref, Index, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

use super::sequences::{ArrayTwin, Iter, SliceTwin, VecTwin};
use crate::korat::cell::{Lazy, TwinType};
use crate::korat::scratch;

impl<T: TwinType> Deref for SliceTwin<T> {
    type Target = [T];

    /// For methods that are not here, and functions that take slices.
    fn deref(&self) -> &[T] {
        let values: Vec<T> = self.iter().map(T::share).collect();
        scratch::lend(values)
    }
}

impl<T: TwinType> Index<usize> for SliceTwin<T> {
    type Output = T;

    #[track_caller]
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        &self.0[index]
    }
}

macro_rules! index_ranges {
    ($($range:ty)*) => {$(
        impl<T: TwinType> Index<$range> for SliceTwin<T> {
            type Output = SliceTwin<T>;

            #[track_caller]
            fn index(&self, range: $range) -> &SliceTwin<T> {
                SliceTwin::of(&self.0[range])
            }
        }

        impl<T: TwinType> Index<$range> for VecTwin<T> {
            type Output = SliceTwin<T>;

            #[track_caller]
            fn index(&self, range: $range) -> &SliceTwin<T> {
                &(**self)[range]
            }
        }
    )*};
}
index_ranges!(Range<usize> RangeFrom<usize> RangeTo<usize> RangeFull RangeInclusive<usize>
    RangeToInclusive<usize>);

impl<T: TwinType + Clone> VecTwin<T> {
    /// As `Vec::clone`.
    #[expect(clippy::should_implement_trait, reason = "the copy is a vector of its own")]
    pub fn clone(&self) -> Vec<T> {
        self.to_vec()
    }
}

impl<T: TwinType + Clone> SliceTwin<T> {
    /// As for slices.
    pub fn to_vec(&self) -> Vec<T> {
        self.iter().map(T::duplicate).collect()
    }

    /// As for slices.
    pub fn to_owned(&self) -> Vec<T> {
        self.to_vec()
    }
}

/// An index or a range of indexes.
pub trait Position<T> {
    /// What lies there.
    type Found: ?Sized;

    /// It, if there is such a place.
    fn find(self, cells: &[Lazy<T>]) -> Option<&Self::Found>;
}

impl<T: TwinType> Position<T> for usize {
    type Found = T;

    #[inline]
    fn find(self, cells: &[Lazy<T>]) -> Option<&T> {
        cells.get(self).map(|cell| &**cell)
    }
}

macro_rules! ranges_are_positions {
    ($($range:ty)*) => {$(
        impl<T: TwinType> Position<T> for $range {
            type Found = SliceTwin<T>;

            fn find(self, cells: &[Lazy<T>]) -> Option<&SliceTwin<T>> {
                cells.get(self).map(SliceTwin::of)
            }
        }
    )*};
}
ranges_are_positions!(Range<usize> RangeFrom<usize> RangeTo<usize> RangeFull
    RangeInclusive<usize> RangeToInclusive<usize>);

#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn out_of_bounds(index: usize) -> ! {
    panic!("index out of bounds: the index is {index}")
}

impl<'a, T: TwinType> IntoIterator for &'a SliceTwin<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// What can be taken apart by the pattern of a slice.
pub trait Patterned {
    type Item;
    fn korat_slice(&self) -> &[Self::Item];
}

impl<T: TwinType> Patterned for SliceTwin<T> {
    type Item = T;

    fn korat_slice(&self) -> &[T] {
        self
    }
}

impl<T> Patterned for [T] {
    type Item = T;

    fn korat_slice(&self) -> &[T] {
        self
    }
}

/// What can be taken apart by the pattern of an array.
pub trait PatternedArray<const N: usize> {
    type Item;
    fn korat_array(&self) -> &[Self::Item; N];
}

impl<T: TwinType, const N: usize> PatternedArray<N> for ArrayTwin<T, N> {
    type Item = T;

    fn korat_array(&self) -> &[T; N] {
        let values: &[T] = self;
        values.try_into().expect("it has as many elements as the array")
    }
}

impl<T, const N: usize> PatternedArray<N> for [T; N] {
    type Item = T;

    fn korat_array(&self) -> &[T; N] {
        self
    }
}

/// Whether both have the same elements in the same order.
fn same<'a, T: PartialEq + 'a>(
    a: impl ExactSizeIterator<Item = &'a T>,
    b: impl ExactSizeIterator<Item = &'a T>,
) -> bool {
    a.len() == b.len() && a.eq(b)
}

macro_rules! comparable {
    ($([$($parameters:tt)*] $left:ty, $right:ty;)*) => {$(
        impl<T: TwinType + PartialEq, $($parameters)*> PartialEq<$right> for $left {
            fn eq(&self, other: &$right) -> bool {
                same(self.iter(), other.iter())
            }
        }
    )*};
}
comparable! {
    [] VecTwin<T>, VecTwin<T>;
    [] VecTwin<T>, SliceTwin<T>;
    [] VecTwin<T>, Vec<T>;
    [] VecTwin<T>, [T];
    [] VecTwin<T>, &[T];
    [] VecTwin<T>, &SliceTwin<T>;
    [const N: usize] VecTwin<T>, [T; N];
    [const N: usize] VecTwin<T>, &[T; N];
    [const N: usize] VecTwin<T>, ArrayTwin<T, N>;
    [] SliceTwin<T>, SliceTwin<T>;
    [] SliceTwin<T>, VecTwin<T>;
    [] SliceTwin<T>, Vec<T>;
    [] SliceTwin<T>, [T];
    [const N: usize] SliceTwin<T>, [T; N];
    [const N: usize] ArrayTwin<T, N>, ArrayTwin<T, N>;
    [const N: usize] ArrayTwin<T, N>, [T; N];
    [const N: usize] ArrayTwin<T, N>, VecTwin<T>;
    [] Vec<T>, VecTwin<T>;
    [] Vec<T>, SliceTwin<T>;
    [] Vec<T>, &SliceTwin<T>;
    [] [T], VecTwin<T>;
    [] [T], SliceTwin<T>;
    [const N: usize] [T; N], ArrayTwin<T, N>;
    [const N: usize] [T; N], VecTwin<T>;
    [const N: usize] [T; N], SliceTwin<T>;
}

macro_rules! as_a_whole {
    ($([$($parameters:tt)*] $twin:ty;)*) => {$(
        impl<T: TwinType + Eq, $($parameters)*> Eq for $twin {}

        impl<T: TwinType + PartialOrd, $($parameters)*> PartialOrd for $twin {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.iter().partial_cmp(other.iter())
            }
        }

        impl<T: TwinType + Ord, $($parameters)*> Ord for $twin {
            fn cmp(&self, other: &Self) -> Ordering {
                self.iter().cmp(other.iter())
            }
        }

        impl<T: TwinType + Hash, $($parameters)*> Hash for $twin {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.iter().for_each(|item| item.hash(state));
            }
        }

        impl<T: TwinType + fmt::Debug, $($parameters)*> fmt::Debug for $twin {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.iter()).finish()
            }
        }
    )*};
}
as_a_whole! {
    [] VecTwin<T>;
    [] SliceTwin<T>;
    [const N: usize] ArrayTwin<T, N>;
}

impl<T: TwinType + Clone, const N: usize> Clone for ArrayTwin<T, N> {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}
