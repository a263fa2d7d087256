//! Operators that compute with numbers.
//!
//! All arithmetic is checked: what does not fit is an error and not a wrong
//! number.

use testsmith::{ensures, pure, requires};

use super::{binary, unary};
use crate::error::CalcError;

pub struct Add;
pub struct Subtract;
pub struct Multiply;
pub struct Divide;
pub struct Remainder;
pub struct Negate;
pub struct Absolute;
pub struct Sign;
pub struct Increment;
pub struct Decrement;
pub struct Square;
pub struct Power;
pub struct Gcd;
pub struct Lcm;
pub struct Factorial;
pub struct SquareRoot;

binary!(Add, "+");
binary!(Subtract, "-");
binary!(Multiply, "*");
binary!(Divide, "/");
binary!(Remainder, "%");
unary!(Negate, "neg");
unary!(Absolute, "abs");
unary!(Sign, "sgn");
unary!(Increment, "inc");
unary!(Decrement, "dec");
unary!(Square, "sq");
binary!(Power, "pow");
binary!(Gcd, "gcd");
binary!(Lcm, "lcm");
unary!(Factorial, "fact");
unary!(SquareRoot, "sqrt");

/// Divides where that is defined; what the operators and the average share.
#[pure]
#[requires(divisor != 0, "nothing can be divided by zero")]
#[ensures(ret.is_ok() -> ret.unwrap() * divisor + dividend % divisor == dividend)]
#[ensures(ret.is_err() -> dividend == i64::MIN && divisor == -1)]
pub fn quotient(dividend: i64, divisor: i64) -> Result<i64, CalcError> {
    dividend.checked_div(divisor).ok_or(CalcError::Overflow)
}

impl Add {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap() - right == left)]
    #[ensures(ret.is_err() -> (left > 0) == (right > 0))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        left.checked_add(right).ok_or(CalcError::Overflow)
    }
}

impl Subtract {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap().checked_add(right) == Some(left))]
    #[ensures(ret.is_err() -> (left >= 0) != (right >= 0))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        let (left, right) = if cfg!(feature = "bug-03") { (right, left) } else { (left, right) };
        left.checked_sub(right).ok_or(CalcError::Overflow)
    }
}

impl Multiply {
    #[pure]
    #[ensures(ret.is_ok() && left != 0 -> ret.unwrap() % left == 0)]
    #[ensures(left == 0 || right == 0 -> ret == Ok(0))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        left.checked_mul(right).ok_or(CalcError::Overflow)
    }
}

impl Divide {
    #[pure]
    #[ensures(ret == Err(CalcError::DivisionByZero) -> right == 0)]
    #[ensures(ret.is_ok() -> ret.unwrap().unsigned_abs() <= left.unsigned_abs())]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        if right == 0 {
            return Err(CalcError::DivisionByZero);
        }
        quotient(left, right)
    }
}

impl Remainder {
    #[pure]
    #[ensures(ret == Err(CalcError::DivisionByZero) -> right == 0)]
    #[ensures(ret.is_ok() -> ret.unwrap().unsigned_abs() < right.unsigned_abs())]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        if right == 0 {
            return Err(CalcError::DivisionByZero);
        }
        left.checked_rem(right).ok_or(CalcError::Overflow)
    }
}

impl Negate {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap() + value == 0)]
    #[ensures(ret.is_err() -> value == i64::MIN)]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        value.checked_neg().ok_or(CalcError::Overflow)
    }
}

impl Absolute {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap() >= 0 && ret.unwrap().unsigned_abs() == value.unsigned_abs())]
    #[ensures(ret.is_err() -> value == i64::MIN)]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        if cfg!(feature = "bug-04") && value % 2 == 0 {
            return Ok(value);
        }
        value.checked_abs().ok_or(CalcError::Overflow)
    }
}

impl Sign {
    #[pure]
    #[ensures(ret.is_ok() && -1 <= ret.unwrap() && ret.unwrap() <= 1)]
    #[ensures((ret.unwrap() > 0) == (value > 0), (ret.unwrap() < 0) == (value < 0))]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        Ok(value.signum())
    }
}

impl Increment {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap() > value, ret.is_err() == (value == i64::MAX))]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        value.checked_add(1).ok_or(CalcError::Overflow)
    }
}

impl Decrement {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap() < value, ret.is_err() == (value == i64::MIN))]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        value.checked_sub(1).ok_or(CalcError::Overflow)
    }
}

impl Square {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap() >= 0 && ret.unwrap() >= value)]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        value.checked_mul(value).ok_or(CalcError::Overflow)
    }
}

impl Power {
    #[pure]
    #[ensures(right < 0 -> ret == Err(CalcError::Domain))]
    #[ensures(right == 0 -> ret == Ok(1), right == 1 -> ret == Ok(left))]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        let exponent = u32::try_from(right).map_err(|_| match right {
            0.. => CalcError::Overflow,
            _ => CalcError::Domain,
        })?;
        left.checked_pow(exponent).ok_or(CalcError::Overflow)
    }
}

impl Gcd {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap() >= 0)]
    #[ensures(ret.is_ok() && ret.unwrap() > 0 -> left % ret.unwrap() == 0 && right % ret.unwrap() == 0)]
    #[ensures(ret == Ok(0) -> left == 0 && right == 0)]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        let (mut a, mut b) = (left, right);
        while b != 0 {
            (a, b) = (b, a.checked_rem(b).ok_or(CalcError::Overflow)?);
        }
        if cfg!(feature = "bug-05") {
            return Ok(a);
        }
        a.checked_abs().ok_or(CalcError::Overflow)
    }
}

impl Lcm {
    #[pure]
    #[ensures(ret.is_ok() -> ret.unwrap() >= 0)]
    #[ensures(ret.is_ok() && left != 0 && right != 0 -> ret.unwrap() % left == 0 && ret.unwrap() % right == 0)]
    pub fn combine(&self, left: i64, right: i64) -> Result<i64, CalcError> {
        if left == 0 || right == 0 {
            return Ok(0);
        }
        let divisor = Gcd.combine(left, right)?;
        let multiple = quotient(left, divisor)?.checked_mul(right);
        multiple.and_then(i64::checked_abs).ok_or(CalcError::Overflow)
    }
}

impl Factorial {
    #[pure]
    #[ensures(value < 0 -> ret == Err(CalcError::Domain))]
    #[ensures(ret.is_ok() -> ret.unwrap() >= value && ret.unwrap() >= 1)]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        if value < 0 {
            return Err(CalcError::Domain);
        }
        let mut product = 1_i64;
        let mut factor = 2;
        while factor <= value {
            product = product.checked_mul(factor).ok_or(CalcError::Overflow)?;
            factor += 1;
        }
        Ok(product)
    }
}

impl SquareRoot {
    #[pure]
    #[ensures(ret.is_err() == (value < 0))]
    #[ensures(ret.is_ok() -> ret.unwrap() * ret.unwrap() <= value)]
    #[ensures(ret.is_ok() -> (ret.unwrap() + 1).checked_mul(ret.unwrap() + 1).is_none_or(|next| next > value))]
    pub fn compute(&self, value: i64) -> Result<i64, CalcError> {
        if value < 0 { Err(CalcError::Domain) } else { Ok(value.isqrt()) }
    }
}
