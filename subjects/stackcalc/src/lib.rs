//! A stack-based calculator: a stack, operators as commands, a factory that
//! knows them by their symbols, registers, and a history.
//!
//! Written in the spirit of the calculator that the IntiSa study used, as a
//! subject for tools that read contracts. Every public function says what it
//! requires and ensures; without a seeded bug, no contract can be broken except
//! a precondition by whoever calls in.
//!
//! Each of ten features turns one bug on:
//!
//! | feature | what goes wrong | caught by |
//! | --- | --- | --- |
//! | `bug-01` | `Stack::push` loses a zero | its postcondition |
//! | `bug-02` | `Stack::rotate` turns the wrong way | its postcondition |
//! | `bug-03` | `Subtract` swaps its operands | its postcondition |
//! | `bug-04` | `Absolute` keeps the sign of even numbers | its postcondition |
//! | `bug-05` | `Gcd` may give a negative number | its postcondition |
//! | `bug-06` | `Memory::store` counts an overwritten register again | the invariant |
//! | `bug-07` | `History::undo` moves the cursor twice | the postcondition of `undo` |
//! | `bug-08` | `SumAll` leaves the last operand on the stack | the contract of the trait |
//! | `bug-09` | `Factory::create` mixes up two operators | its postcondition |
//! | `bug-10` | `Average` divides by one less than the number of values | a precondition, inside |
#![forbid(unsafe_code)]

pub mod calculator;
pub mod command;
pub mod error;
pub mod factory;
pub mod history;
pub mod memory;
pub mod operators;
pub mod stack;

pub use calculator::Calculator;
pub use command::Command;
pub use error::CalcError;
pub use factory::Factory;
pub use history::History;
pub use memory::{Memory, Register};
pub use operators::{Operator, OperatorKind};
pub use stack::Stack;
