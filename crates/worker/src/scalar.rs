//! Values as single numbers, so that answers can be compared and counted.
//!
//! What has no such number is not observed. Which types have one is also known, by their
//! names, to whoever asks.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use testsmith_model::observation::UNKNOWN;

pub trait Scalar {
    fn scalar(&self) -> i64;
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Scalar for $ty {
            fn scalar(&self) -> i64 {
                i64::try_from(*self).unwrap_or(UNKNOWN)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

impl Scalar for bool {
    fn scalar(&self) -> i64 {
        i64::from(*self)
    }
}

impl Scalar for char {
    fn scalar(&self) -> i64 {
        i64::from(u32::from(*self))
    }
}

impl Scalar for Ordering {
    fn scalar(&self) -> i64 {
        *self as i64
    }
}

impl<T> Scalar for Option<T> {
    fn scalar(&self) -> i64 {
        i64::from(self.is_some())
    }
}

impl<T, E> Scalar for Result<T, E> {
    fn scalar(&self) -> i64 {
        i64::from(self.is_ok())
    }
}

impl<T: Scalar + ?Sized> Scalar for &T {
    fn scalar(&self) -> i64 {
        (**self).scalar()
    }
}

macro_rules! lengths {
    ($([$($generics:tt)*] $ty:ty),* $(,)?) => {$(
        impl<$($generics)*> Scalar for $ty {
            fn scalar(&self) -> i64 {
                i64::try_from(self.len()).unwrap_or(UNKNOWN)
            }
        }
    )*};
}

lengths!(
    [] str, [] String, [T] [T], [T] Vec<T>, [T] VecDeque<T>, [T] BTreeSet<T>, [K, V] BTreeMap<K, V>,
    [T, S] HashSet<T, S>, [K, V, S] HashMap<K, V, S>,
);

/// What is inside of a value that may be empty, as a number; of a pair the first.
pub trait Inside {
    fn inside(&self) -> i64;
}

impl<T: Scalar> Inside for Option<T> {
    fn inside(&self) -> i64 {
        self.as_ref().map_or(UNKNOWN, Scalar::scalar)
    }
}

impl<T: Scalar, E> Inside for Result<T, E> {
    fn inside(&self) -> i64 {
        self.as_ref().map_or(UNKNOWN, Scalar::scalar)
    }
}

impl<T: Scalar, U> Inside for Option<(T, U)> {
    fn inside(&self) -> i64 {
        self.as_ref().map_or(UNKNOWN, |(first, _)| first.scalar())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::type_table;

    /// What the table of a type says of a value.
    macro_rules! says {
        ($ty:ty, $value:expr) => {{
            let value: $ty = $value;
            let scalar = type_table!($ty).scalar.expect("it has a number");
            // SAFETY: the value is there and of this type.
            unsafe { scalar((&raw const value).cast()) }
        }};
    }

    #[test]
    fn each_kind_of_value_has_its_number() {
        assert_eq!(says!(bool, true), 1);
        assert_eq!(says!(u8, 7), 7);
        assert_eq!(says!(u64, u64::MAX), UNKNOWN);
        assert_eq!(says!(char, 'a'), 97);
        assert_eq!(says!(Ordering, Ordering::Less), -1);
        assert_eq!(says!(Option<Vec<f64>>, None), 0);
        assert_eq!(says!(Result<(), String>, Ok(())), 1);
        assert_eq!(says!(&'static str, "abc"), 3);
        assert_eq!(says!(&'static [f64], &[0.5, 1.5]), 2);
        assert_eq!(says!(Vec<String>, vec![String::new()]), 1);
        let inside = |value: Option<(u8, f64)>| {
            let inside = type_table!(Option<(u8, f64)>).inside.expect("it has a number inside");
            // SAFETY: the value is there and of this type.
            unsafe { inside((&raw const value).cast()) }
        };
        assert_eq!((inside(Some((3, 0.5))), inside(None)), (3, UNKNOWN));
        assert!(type_table!(Option<i32>).inside.is_some());
        assert!(type_table!(Result<char, String>).inside.is_some());
        assert!(type_table!(Option<f64>).inside.is_none() && type_table!(u8).inside.is_none());
        assert!(type_table!(f64).scalar.is_none());
        assert!(type_table!(&'static mut i32).scalar.is_none());
    }
}
