//! Operators that move operands about and compute nothing.

use testsmith::{contract_trait, ensures};

use super::Operator;
use crate::error::CalcError;
use crate::stack::Stack;

pub struct Duplicate;
pub struct Swap;
pub struct Over;
pub struct Rotate;
pub struct Drop;
pub struct Nip;
pub struct Tuck;
pub struct Reverse;

/// Connects a function on the stack to the trait; the clauses say what it does
/// beyond what every operator promises.
macro_rules! shuffle {
    ($name:ident, $symbol:literal, $consumes:literal -> $produces:literal,
     $(#[$clause:meta])* $stack:ident => $body:expr) => {
        #[contract_trait]
        impl Operator for $name {
            fn symbol(&self) -> &'static str {
                $symbol
            }

            fn consumes(&self, _: &Stack) -> usize {
                $consumes
            }

            fn produces(&self) -> usize {
                $produces
            }

            $(#[$clause])*
            fn apply(&self, $stack: &mut Stack) -> Result<(), CalcError> {
                $body;
                Ok(())
            }
        }
    };
}

shuffle!(Duplicate, "dup", 1 -> 2,
    #[ensures(stack.peek() == old(stack.peek()), stack.peek_at(1) == stack.peek())]
    stack => { stack.duplicate() });

shuffle!(Swap, "swap", 2 -> 2,
    #[ensures(stack.peek() == old(stack.peek_at(1)))]
    stack => { stack.swap() });

shuffle!(Over, "over", 2 -> 3,
    #[ensures(stack.peek() == old(stack.peek_at(1)))]
    stack => { stack.push(stack.peek_at(1)) });

shuffle!(Rotate, "rot", 3 -> 3,
    #[ensures(stack.peek() == old(stack.peek_at(2)))]
    stack => { stack.rotate(3) });

shuffle!(Drop, "drop", 1 -> 0,
    #[ensures(stack.as_slice()[..] == old(stack.clone()).as_slice()[..stack.size()])]
    stack => { stack.discard(1) });

shuffle!(Nip, "nip", 2 -> 1,
#[ensures(stack.peek() == old(stack.peek()))]
stack => {
    let top = stack.pop();
    stack.replace(top);
});

shuffle!(Tuck, "tuck", 2 -> 3,
#[ensures(stack.peek() == old(stack.peek()), stack.peek_at(2) == stack.peek())]
stack => {
    let (left, right) = stack.pop_pair();
    stack.push(right);
    stack.push(left);
    stack.push(right);
});

#[contract_trait]
impl Operator for Reverse {
    fn symbol(&self) -> &'static str {
        "rev"
    }

    fn consumes(&self, _: &Stack) -> usize {
        0
    }

    fn produces(&self) -> usize {
        0
    }

    #[ensures(!stack.is_empty() -> stack.peek() == old(stack.as_slice().first().copied().unwrap_or(0)))]
    fn apply(&self, stack: &mut Stack) -> Result<(), CalcError> {
        stack.reverse();
        Ok(())
    }
}
