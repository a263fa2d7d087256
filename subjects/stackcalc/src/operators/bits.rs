//! Operators on the bits of numbers.

use testsmith::{ensures, pure};

use super::{binary, unary};
use crate::error::CalcError;

pub struct And;
pub struct Or;
pub struct Xor;
pub struct Not;
pub struct ShiftLeft;
pub struct ShiftRight;

binary!(And, "and");
binary!(Or, "or");
binary!(Xor, "xor");
unary!(Not, "not");
binary!(ShiftLeft, "shl");
binary!(ShiftRight, "shr");

/// By how many bits a number says to shift.
fn distance(value: i64) -> Result<u32, CalcError> {
    match u32::try_from(value) {
        Ok(distance @ 0..64) => Ok(distance),
        _ => Err(CalcError::Domain),
    }
}

impl And {
    #[pure]
    #[ensures(ret.is_ok(), ret.unwrap() | left == left, ret.unwrap() | right == right)]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(left & right)
    }
}

impl Or {
    #[pure]
    #[ensures(ret.is_ok(), ret.unwrap() & left == left, ret.unwrap() & right == right)]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(left | right)
    }
}

impl Xor {
    #[pure]
    #[ensures(ret.is_ok(), ret.unwrap() ^ right == left)]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(left ^ right)
    }
}

impl Not {
    #[pure]
    #[ensures(ret.is_ok(), ret.unwrap() & value == 0, ret.unwrap() | value == -1)]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        Ok(!value)
    }
}

impl ShiftLeft {
    #[pure]
    #[ensures(ret.is_ok() == (0 <= right && right < 64))]
    #[ensures(ret.is_ok() -> ret.unwrap().trailing_zeros() >= u32::try_from(right).unwrap())]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(left << distance(right)?)
    }
}

impl ShiftRight {
    #[pure]
    #[ensures(ret.is_ok() == (0 <= right && right < 64))]
    #[ensures(ret.is_ok() -> (ret.unwrap() < 0) == (left < 0))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(left >> distance(right)?)
    }
}
