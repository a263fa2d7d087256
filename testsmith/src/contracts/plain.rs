//! Types of the standard library whose methods and operators run no code of
//! the user's.
//!
//! A body that only works on such values cannot reach another contract, so its
//! call need not be tracked. The macros see no types; they ask here, and the
//! answer is a constant once it is compiled. What is not listed is not known,
//! which costs a little and is never wrong.

use std::collections::VecDeque;

/// A place whose type is asked for. Only its address is taken, so that fields of
/// packed structs may be asked for too.
pub struct Known<T: ?Sized>(pub *const T);

/// Implemented for the types in question.
pub trait Plain {}

macro_rules! plain {
    ($($ty:ty),*) => { $(impl Plain for $ty {})* };
}

plain!((), bool, char, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
plain!(str, String);

impl<T: Plain + ?Sized> Plain for &T {}
impl<T: Plain + ?Sized> Plain for &mut T {}
impl<T: Plain> Plain for [T] {}
impl<T: Plain, const N: usize> Plain for [T; N] {}
impl<T: Plain> Plain for Vec<T> {}
impl<T: Plain> Plain for VecDeque<T> {}
impl<T: Plain> Plain for Option<T> {}
impl<A: Plain, B: Plain> Plain for (A, B) {}

/// Chosen first.
pub trait OfStandard {
    fn is_plain(&self) -> bool;
}

impl<T: Plain + ?Sized> OfStandard for Known<T> {
    #[inline(always)]
    fn is_plain(&self) -> bool {
        true
    }
}

/// Chosen otherwise.
pub trait AnyOther {
    fn is_plain(&self) -> bool;
}

impl<T: ?Sized> AnyOther for &Known<T> {
    #[inline(always)]
    fn is_plain(&self) -> bool {
        false
    }
}

#[cfg(test)]
#[allow(clippy::needless_borrow, reason = "the borrow is what chooses between the traits")]
mod tests {
    use super::*;

    fn of_parameter<T>(value: &T) -> bool {
        (&Known(std::ptr::from_ref(value))).is_plain()
    }

    #[test]
    fn a_type_is_plain_if_all_of_it_is_of_the_standard_library() {
        struct Own;
        let (numbers, own) = (vec![Some((1_u8, "a"))], vec![Own]);
        assert!((&Known(&raw const numbers)).is_plain());
        assert!(!(&Known(&raw const own)).is_plain());
        assert!(!of_parameter(&1_u8), "a type parameter can be anything");
    }
}
