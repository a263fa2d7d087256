//! Operators: commands that work on the stack.
//!
//! What all of them promise is written once, on the trait. Each kind of operator
//! has a file; those that compute one number from one or two have a function for
//! it with a contract of its own, and the macros here connect it to the stack.

pub mod aggregate;
pub mod arithmetic;
pub mod bits;
pub mod order;
pub mod shuffle;

use testsmith::{contract_trait, ensures, pure, requires};

use crate::error::CalcError;
use crate::stack::Stack;

/// Something that takes operands from a stack and puts results back.
#[contract_trait]
pub trait Operator {
    /// How the operator is written.
    #[ensures(!ret.is_empty())]
    fn symbol(&self) -> &'static str;

    /// How many operands it takes from this stack.
    #[pure]
    fn consumes(&self, stack: &Stack) -> usize;

    /// How many results it puts back.
    #[pure]
    fn produces(&self) -> usize;

    /// Whether there are enough operands, and room for the results.
    #[pure]
    fn applicable(&self, stack: &Stack) -> bool {
        let consumed = self.consumes(stack);
        consumed <= stack.size() && stack.size() - consumed + self.produces() <= stack.limit()
    }

    /// Does it. On an error the stack is as it was.
    #[requires(self.applicable(stack), "operands are missing, or room for the results")]
    #[ensures(ret.is_ok() -> stack.size() == old(stack.size() - self.consumes(stack)) + self.produces())]
    #[ensures(ret.is_err() -> *stack == old(stack))]
    fn apply(&self, stack: &mut Stack) -> Result<(), CalcError>;
}

/// Connects `compute(&self, i64) -> Result<i64, CalcError>` to the stack.
macro_rules! unary {
    ($name:ident, $symbol:literal) => {
        #[testsmith::contract_trait]
        impl $crate::operators::Operator for $name {
            fn symbol(&self) -> &'static str {
                $symbol
            }

            fn consumes(&self, _: &$crate::stack::Stack) -> usize {
                1
            }

            fn produces(&self) -> usize {
                1
            }

            fn apply(
                &self,
                stack: &mut $crate::stack::Stack,
            ) -> Result<(), $crate::error::CalcError> {
                let value = self.compute(stack.peek())?;
                stack.replace(value);
                Ok(())
            }
        }
    };
}

/// Connects `combine(&self, i64, i64) -> Result<i64, CalcError>` to the stack.
macro_rules! binary {
    ($name:ident, $symbol:literal) => {
        #[testsmith::contract_trait]
        impl $crate::operators::Operator for $name {
            fn symbol(&self) -> &'static str {
                $symbol
            }

            fn consumes(&self, _: &$crate::stack::Stack) -> usize {
                2
            }

            fn produces(&self) -> usize {
                1
            }

            fn apply(
                &self,
                stack: &mut $crate::stack::Stack,
            ) -> Result<(), $crate::error::CalcError> {
                let value = self.combine(stack.peek_at(1), stack.peek())?;
                stack.discard(2);
                stack.push(value);
                Ok(())
            }
        }
    };
}

pub(crate) use {binary, unary};

/// The list of all operators: an enumeration, and for each the operator itself.
macro_rules! kinds {
    ($($module:ident :: $name:ident,)*) => {
        /// Every operator there is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum OperatorKind {
            $($name,)*
        }

        impl OperatorKind {
            pub const ALL: &'static [OperatorKind] = &[$(OperatorKind::$name,)*];

            /// The operator of this kind.
            #[pure]
            pub fn operator(&self) -> &'static dyn Operator {
                match self {
                    $(OperatorKind::$name => &$module::$name,)*
                }
            }
        }
    };
}

kinds! {
    arithmetic::Add, arithmetic::Subtract, arithmetic::Multiply, arithmetic::Divide,
    arithmetic::Remainder, arithmetic::Negate, arithmetic::Absolute, arithmetic::Sign,
    arithmetic::Increment, arithmetic::Decrement, arithmetic::Square, arithmetic::Power,
    arithmetic::Gcd, arithmetic::Lcm, arithmetic::Factorial, arithmetic::SquareRoot,
    bits::And, bits::Or, bits::Xor, bits::Not, bits::ShiftLeft, bits::ShiftRight,
    order::Equal, order::NotEqual, order::Less, order::LessOrEqual, order::Greater,
    order::GreaterOrEqual, order::Minimum, order::Maximum,
    shuffle::Duplicate, shuffle::Swap, shuffle::Over, shuffle::Rotate, shuffle::Drop,
    shuffle::Nip, shuffle::Tuck, shuffle::Reverse,
    aggregate::SumAll, aggregate::ProductAll, aggregate::Average, aggregate::Count,
    aggregate::GreatestAll, aggregate::LeastAll,
}
