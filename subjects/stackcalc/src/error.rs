//! What can go wrong without anyone breaking a contract.

use std::fmt::{self, Display};

use testsmith::{ensures, pure};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CalcError {
    /// There are not enough operands.
    Underflow,
    /// The stack is full.
    NoRoom,
    /// The result does not fit.
    Overflow,
    /// A divisor is zero.
    DivisionByZero,
    /// An operand lies outside of what the operator is defined for.
    Domain,
    /// A word that is neither a number nor a known symbol.
    UnknownWord,
    /// A register that holds nothing.
    EmptyRegister,
}

impl CalcError {
    /// Whether another operand could have avoided it.
    #[pure]
    #[ensures(ret -> !self.is_structural())]
    pub fn is_arithmetic(&self) -> bool {
        matches!(self, CalcError::Overflow | CalcError::DivisionByZero | CalcError::Domain)
    }

    /// Whether the stack was not as the operation needs it.
    #[pure]
    #[ensures(ret -> !self.is_arithmetic())]
    pub fn is_structural(&self) -> bool {
        matches!(self, CalcError::Underflow | CalcError::NoRoom)
    }
}

impl Display for CalcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CalcError::Underflow => "not enough operands",
            CalcError::NoRoom => "the stack is full",
            CalcError::Overflow => "the result does not fit",
            CalcError::DivisionByZero => "division by zero",
            CalcError::Domain => "not defined for this operand",
            CalcError::UnknownWord => "neither a number nor a known symbol",
            CalcError::EmptyRegister => "the register is empty",
        })
    }
}

impl std::error::Error for CalcError {}
