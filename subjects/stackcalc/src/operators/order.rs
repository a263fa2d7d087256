//! Operators that compare: they give 1 for yes and 0 for no, or one of the two.

use testsmith::{ensures, pure};

use super::binary;
use crate::error::CalcError;

pub struct Equal;
pub struct NotEqual;
pub struct Less;
pub struct LessOrEqual;
pub struct Greater;
pub struct GreaterOrEqual;
pub struct Minimum;
pub struct Maximum;

binary!(Equal, "=");
binary!(NotEqual, "<>");
binary!(Less, "<");
binary!(LessOrEqual, "<=");
binary!(Greater, ">");
binary!(GreaterOrEqual, ">=");
binary!(Minimum, "min");
binary!(Maximum, "max");

impl Equal {
    #[pure]
    #[ensures(ret == Ok(1) || ret == Ok(0), (ret == Ok(1)) == (left == right))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(i64::from(left == right))
    }
}

impl NotEqual {
    #[pure]
    #[ensures(ret != Equal.combine(left, right), ret == Ok(1) || ret == Ok(0))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(i64::from(left != right))
    }
}

impl Less {
    #[pure]
    #[ensures(ret == Ok(1) || ret == Ok(0), (ret == Ok(1)) == (left < right))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(i64::from(left < right))
    }
}

impl LessOrEqual {
    #[pure]
    #[ensures(ret != Greater.combine(left, right), ret == Ok(1) || ret == Ok(0))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(i64::from(left <= right))
    }
}

impl Greater {
    #[pure]
    #[ensures(ret == Less.combine(right, left))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(i64::from(left > right))
    }
}

impl GreaterOrEqual {
    #[pure]
    #[ensures(ret == LessOrEqual.combine(right, left))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(i64::from(left >= right))
    }
}

impl Minimum {
    #[pure]
    #[ensures(ret == Ok(left) || ret == Ok(right), ret <= Ok(left), ret <= Ok(right))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(left.min(right))
    }
}

impl Maximum {
    #[pure]
    #[ensures(ret == Ok(left) || ret == Ok(right), ret >= Ok(left), ret >= Ok(right))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        Ok(left.max(right))
    }
}
