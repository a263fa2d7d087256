//! The calculator: carries out commands and can take them back.

use testsmith::{ensures, invariant, pure, requires};

use crate::command::Command;
use crate::error::CalcError;
use crate::factory::Factory;
use crate::history::History;
use crate::memory::{Memory, Register};
use crate::operators::OperatorKind;
use crate::stack::Stack;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(self.steps >= self.history.undoable() as u64, "more steps to undo than were taken")]
pub struct Calculator {
    stack: Stack,
    memory: Memory,
    history: History,
    factory: Factory,
    steps: u64,
}

#[invariant]
impl Calculator {
    #[ensures(ret.size() == 0, ret.steps() == 0, !ret.can_undo())]
    pub fn new() -> Calculator {
        Calculator::default()
    }

    /// A calculator whose stack has room for this many operands.
    #[requires(0 < limit && limit <= crate::stack::MOST)]
    #[ensures(ret.room() == limit)]
    pub fn with_limit(limit: usize) -> Calculator {
        Calculator { stack: Stack::with_limit(limit), ..Calculator::default() }
    }

    #[pure]
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    #[pure]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    #[pure]
    #[ensures(ret == self.stack().size())]
    pub fn size(&self) -> usize {
        self.stack.size()
    }

    #[pure]
    #[ensures(ret == self.stack().room())]
    pub fn room(&self) -> usize {
        self.stack.room()
    }

    /// How many commands were carried out.
    #[pure]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The value on top, if there is one.
    #[pure]
    #[ensures(ret.is_some() == (self.size() > 0))]
    pub fn result(&self) -> Option<i64> {
        self.stack.as_slice().last().copied()
    }

    #[pure]
    #[ensures(ret == command.possible(self.stack(), self.memory()))]
    pub fn can(&self, command: Command) -> bool {
        command.possible(&self.stack, &self.memory)
    }

    #[pure]
    pub fn can_undo(&self) -> bool {
        self.history.undoable() > 0
    }

    #[pure]
    pub fn can_redo(&self) -> bool {
        self.history.redoable() > 0
    }

    /// Puts a number on the stack.
    #[requires(self.room() > 0, "the stack is full")]
    #[ensures(self.result() == Some(number), self.size() == old(self.size()) + 1, self.can_undo())]
    pub fn enter(&mut self, number: i64) {
        self.remember();
        self.stack.push(number);
    }

    /// Applies an operator.
    #[requires(self.can(Command::Apply(kind)), "operands or room are missing")]
    #[ensures(ret.is_ok() -> self.can_undo() && !self.can_redo())]
    #[ensures(ret.is_err() -> self.stack == old(self.stack), ret.is_err() -> unchanged(self.steps()))]
    pub fn apply(&mut self, kind: OperatorKind) -> Result<(), CalcError> {
        let before = self.stack.clone();
        kind.operator().apply(&mut self.stack)?;
        self.history.record(before);
        self.steps += 1;
        Ok(())
    }

    /// Takes the top of the stack into a register.
    #[requires(self.size() > 0, "there is nothing to store")]
    #[ensures(self.memory().recall(register).ok() == old(self.result()))]
    #[ensures(self.size() == old(self.size()) - 1)]
    pub fn store(&mut self, register: Register) {
        self.remember();
        let value = self.stack.pop();
        self.memory.store(register, value);
    }

    /// Puts the value of a register on the stack.
    #[requires(self.room() > 0 && self.memory().holds(register))]
    #[ensures(self.result() == self.memory().recall(register).ok())]
    pub fn recall(&mut self, register: Register) {
        self.remember();
        let value = self.memory.recall(register).unwrap_or_default();
        self.stack.push(value);
    }

    /// Carries out a command.
    #[requires(self.can(command), "the command is not possible now")]
    #[ensures(ret.is_ok() -> self.steps() == old(self.steps()) + 1)]
    #[ensures(ret.is_err() -> matches!(command, Command::Apply(_)))]
    pub fn execute(&mut self, command: Command) -> Result<(), CalcError> {
        match command {
            Command::Push(number) => self.enter(number),
            Command::Apply(kind) => self.apply(kind)?,
            Command::Store(register) => self.store(register),
            Command::Recall(register) => self.recall(register),
            Command::Clear => {
                self.remember();
                self.stack.clear();
            }
        }
        Ok(())
    }

    /// Carries out the words of a line, up to the first that cannot be.
    #[ensures(ret.is_ok() -> ret.as_ref().ok() == Some(&self.result()))]
    #[ensures(self.steps() >= old(self.steps()))]
    pub fn evaluate(&mut self, line: &str) -> Result<Option<i64>, CalcError> {
        for word in line.split_whitespace() {
            let command = self.factory.parse(word)?;
            if !self.can(command) {
                return Err(self.obstacle(command));
            }
            self.execute(command)?;
        }
        Ok(self.result())
    }

    /// Why a command is not possible now.
    #[pure]
    #[requires(!self.can(command))]
    #[ensures(!ret.is_arithmetic())]
    pub fn obstacle(&self, command: Command) -> CalcError {
        match command {
            Command::Recall(register) if !self.memory.holds(register) => CalcError::EmptyRegister,
            Command::Push(_) | Command::Recall(_) => CalcError::NoRoom,
            Command::Apply(kind) if kind.operator().consumes(&self.stack) <= self.size() => {
                CalcError::NoRoom
            }
            _ => CalcError::Underflow,
        }
    }

    /// Takes the last step back; registers keep what they hold.
    #[requires(self.can_undo(), "there is nothing to undo")]
    #[ensures(self.can_redo())]
    pub fn undo(&mut self) {
        self.stack = self.history.undo(self.stack.clone());
    }

    /// Takes a step again.
    #[requires(self.can_redo(), "there is nothing to redo")]
    #[ensures(self.can_undo())]
    pub fn redo(&mut self) {
        self.stack = self.history.redo(self.stack.clone());
    }

    /// Lets a word stand for an operator.
    #[requires(!self.knows(word) && word.starts_with(char::is_alphabetic))]
    #[ensures(self.knows(word))]
    pub fn add_alias(&mut self, word: &str, kind: OperatorKind) {
        self.factory.add_alias(word, kind);
    }

    #[pure]
    pub fn knows(&self, word: &str) -> bool {
        self.factory.knows(word)
    }

    /// Forgets everything but the aliases.
    #[ensures(self.size() == 0, self.memory().is_empty(), !self.can_undo(), !self.can_redo())]
    pub fn reset(&mut self) {
        self.stack.clear();
        self.memory.clear();
        self.history.clear();
    }

    fn remember(&mut self) {
        self.history.record(self.stack.clone());
        self.steps += 1;
    }
}
