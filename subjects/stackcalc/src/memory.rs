//! Named registers, in which a value outlives the stack.

use testsmith::{ensures, invariant, pure, requires};

use crate::error::CalcError;

/// The name of a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Register {
    A,
    B,
    C,
    D,
}

impl Register {
    pub const ALL: [Register; 4] = [Register::A, Register::B, Register::C, Register::D];

    /// The letter of the register.
    #[pure]
    #[ensures(Register::from_letter(ret) == Some(*self))]
    pub fn letter(&self) -> char {
        match self {
            Register::A => 'a',
            Register::B => 'b',
            Register::C => 'c',
            Register::D => 'd',
        }
    }

    /// The register of that letter.
    #[pure]
    #[ensures(ret.is_some() == ('a' <= letter && letter <= 'd'))]
    #[ensures(ret.is_some() -> ret.unwrap().letter() == letter)]
    pub fn from_letter(letter: char) -> Option<Register> {
        Some(match letter {
            'a' => Register::A,
            'b' => Register::B,
            'c' => Register::C,
            'd' => Register::D,
            _ => return None,
        })
    }

    #[pure]
    #[ensures(ret < Register::ALL.len(), Register::ALL[ret] == *self)]
    pub fn index(&self) -> usize {
        *self as usize
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[invariant(self.used == self.values.iter().flatten().count(), "the count is off")]
pub struct Memory {
    values: [Option<i64>; 4],
    used: usize,
}

#[invariant]
impl Memory {
    #[ensures(ret.is_empty())]
    pub fn new() -> Memory {
        Memory::default()
    }

    /// How many registers hold a value.
    #[pure]
    #[ensures(ret <= Register::ALL.len())]
    pub fn used(&self) -> usize {
        self.used
    }

    #[pure]
    #[ensures(ret == (self.used() == 0))]
    pub fn is_empty(&self) -> bool {
        self.values == [None; 4]
    }

    #[pure]
    #[ensures(ret == self.recall(register).is_ok())]
    pub fn holds(&self, register: Register) -> bool {
        self.values[register.index()].is_some()
    }

    /// The value in a register.
    #[pure]
    #[ensures(ret.is_err() -> ret == Err(CalcError::EmptyRegister))]
    pub fn recall(&self, register: Register) -> Result<i64, CalcError> {
        self.values[register.index()].ok_or(CalcError::EmptyRegister)
    }

    /// Puts a value into a register.
    #[ensures(self.recall(register) == Ok(value))]
    #[ensures(self.used() == old(self.used()) + usize::from(!old(self.holds(register))))]
    pub fn store(&mut self, register: Register, value: i64) {
        let before = self.values[register.index()].replace(value);
        if before.is_none() || (cfg!(feature = "bug-06") && before == Some(value)) {
            self.used += 1;
        }
    }

    /// Empties a register.
    #[requires(self.holds(register), "there is nothing to forget")]
    #[ensures(!self.holds(register), Ok(ret) == old(self.recall(register)))]
    pub fn forget(&mut self, register: Register) -> i64 {
        self.used -= 1;
        let value = self.values[register.index()].take();
        value.unwrap_or_default()
    }

    /// Exchanges two registers.
    #[ensures(self.recall(left) == old(self.recall(right)))]
    #[ensures(self.recall(right) == old(self.recall(left)), unchanged(self.used()))]
    pub fn exchange(&mut self, left: Register, right: Register) {
        self.values.swap(left.index(), right.index());
    }

    #[ensures(self.is_empty())]
    pub fn clear(&mut self) {
        *self = Memory { values: [None; 4], used: 0 };
    }
}
