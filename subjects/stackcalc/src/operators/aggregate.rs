//! Operators that take everything on the stack.

use testsmith::{contract_trait, ensures, requires};

use super::Operator;
use super::arithmetic::quotient;
use crate::error::CalcError;
use crate::stack::Stack;

pub struct SumAll;
pub struct ProductAll;
pub struct Average;
pub struct Count;
pub struct GreatestAll;
pub struct LeastAll;

/// Connects a function from a stack to a number; the stack then holds only that.
macro_rules! aggregate {
    ($name:ident, $symbol:literal, $(#[$clause:meta])* $stack:ident => $value:expr) => {
        #[contract_trait]
        impl Operator for $name {
            fn symbol(&self) -> &'static str {
                $symbol
            }

            fn consumes(&self, stack: &Stack) -> usize {
                // At least one, so that the empty stack is refused.
                stack.size().max(1)
            }

            fn produces(&self) -> usize {
                1
            }

            $(#[$clause])*
            fn apply(&self, $stack: &mut Stack) -> Result<(), CalcError> {
                let value: i64 = $value;
                settle($stack, value, $symbol);
                Ok(())
            }
        }
    };
}

/// Leaves the value alone on the stack.
#[requires(!stack.is_empty())]
#[ensures(stack.peek() == value)]
fn settle(stack: &mut Stack, value: i64, symbol: &str) {
    let kept = usize::from(cfg!(feature = "bug-08") && symbol == "sum" && stack.size() > 2);
    stack.discard(stack.size() - kept);
    stack.push(value);
}

aggregate!(SumAll, "sum",
    #[ensures(ret.is_ok() -> Some(stack.peek()) == old(stack.sum()))]
    stack => stack.sum().ok_or(CalcError::Overflow)?);

aggregate!(ProductAll, "prod",
#[ensures(old(stack.contains(0)) && ret.is_ok() -> stack.peek() == 0)]
stack => {
    let product = |product: i64, item: &i64| product.checked_mul(*item);
    stack.as_slice().iter().try_fold(1, product).ok_or(CalcError::Overflow)?
});

aggregate!(Average, "avg",
#[ensures(ret.is_ok() -> old(stack.least()) <= stack.peek() && stack.peek() <= old(stack.greatest()))]
stack => {
    let count = stack.size() - usize::from(cfg!(feature = "bug-10"));
    let count = i64::try_from(count).map_err(|_| CalcError::Overflow)?;
    quotient(stack.sum().ok_or(CalcError::Overflow)?, count)?
});

aggregate!(Count, "cnt",
    #[ensures(usize::try_from(stack.peek()) == Ok(old(stack.size())))]
    stack => i64::try_from(stack.size()).map_err(|_| CalcError::Overflow)?);

aggregate!(GreatestAll, "maxall",
    #[ensures(stack.peek() == old(stack.greatest()))]
    stack => stack.greatest());

aggregate!(LeastAll, "minall",
    #[ensures(stack.peek() == old(stack.least()))]
    stack => stack.least());
