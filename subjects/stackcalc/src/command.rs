//! One step of a calculation, as a value.

use testsmith::{ensures, pure};

use crate::memory::{Memory, Register};
use crate::operators::OperatorKind;
use crate::stack::Stack;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// Put a number on the stack.
    Push(i64),
    /// Apply an operator.
    Apply(OperatorKind),
    /// Take the top of the stack into a register.
    Store(Register),
    /// Put the value of a register on the stack.
    Recall(Register),
    /// Empty the stack.
    Clear,
}

impl Command {
    /// Whether the command can be carried out in this state, arithmetic aside.
    #[pure]
    #[ensures(matches!(self, Command::Clear) -> ret)]
    #[ensures(matches!(self, Command::Push(_)) -> ret == !stack.is_full())]
    pub fn possible(&self, stack: &Stack, memory: &Memory) -> bool {
        match self {
            Command::Push(_) => !stack.is_full(),
            Command::Apply(kind) => kind.operator().applicable(stack),
            Command::Store(_) => !stack.is_empty(),
            Command::Recall(register) => !stack.is_full() && memory.holds(*register),
            Command::Clear => true,
        }
    }

    /// How the command is written.
    #[pure]
    #[ensures(!ret.is_empty())]
    pub fn word(&self) -> String {
        match self {
            Command::Push(number) => number.to_string(),
            Command::Apply(kind) => kind.operator().symbol().to_owned(),
            Command::Store(register) => format!("{}!", register.letter()),
            Command::Recall(register) => format!("{}?", register.letter()),
            Command::Clear => "clear".to_owned(),
        }
    }

    #[pure]
    #[ensures(ret == matches!(self, Command::Store(_) | Command::Recall(_)))]
    pub fn uses_memory(&self) -> bool {
        self.register().is_some()
    }

    #[pure]
    #[ensures(ret.is_some() == self.uses_memory())]
    pub fn register(&self) -> Option<Register> {
        match self {
            Command::Store(register) | Command::Recall(register) => Some(*register),
            _ => None,
        }
    }
}
