//! What the stack looked like before each step, to go back and forth.

use testsmith::{ensures, invariant, pure, requires};

use crate::stack::Stack;

/// Older states than this are forgotten.
pub const LONGEST: usize = 100;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[invariant(self.cursor <= self.states.len(), "the cursor is beyond the end")]
#[invariant(self.states.len() <= LONGEST)]
pub struct History {
    states: Vec<Stack>,
    cursor: usize,
}

#[invariant]
impl History {
    #[ensures(ret.is_empty())]
    pub fn new() -> History {
        History::default()
    }

    /// How many states are remembered.
    #[pure]
    #[ensures(ret == self.undoable() + self.redoable())]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    #[pure]
    #[ensures(ret == (self.len() == 0))]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// How many steps can be taken back.
    #[pure]
    #[ensures(ret <= self.len())]
    pub fn undoable(&self) -> usize {
        self.cursor
    }

    /// How many steps can be taken again.
    #[pure]
    #[ensures(ret <= self.len())]
    pub fn redoable(&self) -> usize {
        self.states.len() - self.cursor
    }

    /// Remembers a state; what could be taken again is forgotten.
    #[ensures(self.redoable() == 0, self.undoable() > 0)]
    #[ensures(old(self.undoable()) < LONGEST -> self.undoable() == old(self.undoable()) + 1)]
    pub fn record(&mut self, state: Stack) {
        self.states.truncate(self.cursor);
        if self.states.len() == LONGEST {
            self.states.remove(0);
        }
        self.states.push(state);
        self.cursor = self.states.len();
    }

    /// Takes a step back: gives the state before it and keeps the present one.
    #[requires(self.undoable() > 0, "there is nothing to undo")]
    #[ensures(self.undoable() == old(self.undoable()) - 1, unchanged(self.len()))]
    pub fn undo(&mut self, present: Stack) -> Stack {
        self.cursor -= 1;
        if cfg!(feature = "bug-07") && self.cursor > 1 {
            self.cursor -= 1;
        }
        std::mem::replace(&mut self.states[self.cursor], present)
    }

    /// Takes a step again that was taken back.
    #[requires(self.redoable() > 0, "there is nothing to redo")]
    #[ensures(self.redoable() == old(self.redoable()) - 1, unchanged(self.len()))]
    pub fn redo(&mut self, present: Stack) -> Stack {
        let state = std::mem::replace(&mut self.states[self.cursor], present);
        self.cursor += 1;
        state
    }

    #[ensures(self.is_empty())]
    pub fn clear(&mut self) {
        self.states.clear();
        self.cursor = 0;
    }
}
