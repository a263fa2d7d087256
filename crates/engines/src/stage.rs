//! The stage: where proposed calls are carried out.
//!
//! The worker implements it over real values. An engine sees slots and
//! outcomes, never values.

use crate::random::Recipe;
use std::sync::Arc;
use testsmith_model::operation::{Sameness, Signature};
use testsmith_model::{Loans, OpId, TypeId};

/// Why a sequence cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The call panicked: its arguments are in an unknown state.
    Panicked,
    /// The call did not apply; its arguments are used up.
    Inapplicable,
    /// There is no room for more.
    Full,
}

/// A value that the stage keeps from one sequence to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shelved(pub u32);

pub trait Stage {
    /// Which slots are live, and of which type.
    fn loans(&self) -> &Loans;

    /// How an operation uses its arguments.
    fn signature(&self, op: OpId) -> &Signature;

    /// An operation is about to be called, once its arguments are there: what that takes can be
    /// fetched meanwhile.
    fn expect(&self, _op: OpId) {}

    /// Puts the n-th literal of a type on the stage.
    fn literal(&mut self, ty: TypeId, n: usize) -> Result<u32, Halt>;

    /// Puts a text on the stage that is no literal of the plan. It lasts as long
    /// as the sequence, so its type must not ask for more.
    fn text(&mut self, ty: TypeId, text: &Arc<str>) -> Result<u32, Halt>;

    /// Makes a call. `None` means that the borrow rules or a precondition
    /// forbid it, and that nothing has changed.
    fn call(&mut self, op: OpId, args: &[u32]) -> Option<Result<u32, Halt>>;

    /// Whether a value shows itself as an `Err` or a `None`.
    fn is_refusal(&mut self, slot: u32) -> bool;

    /// Whether the last call asked for much more memory than most do.
    fn was_heavy(&self) -> bool;

    /// Adds a shelved value: its recipe becomes part of the sequence, but of
    /// its calls none is made, and a clone of the value is the only slot. On an
    /// error the sequence cannot go on.
    fn place(&mut self, shelved: Shelved) -> Result<u32, Halt>;

    /// A number that equal values share: their hash, or that of their text.
    /// `None` if the value refuses to say.
    fn identity(&mut self, slot: u32, by: Sameness) -> Option<u64>;

    /// Whether the value of a slot is equal to a shelved one of its type.
    fn equals(&mut self, slot: u32, shelved: Shelved) -> bool;

    /// Keeps a clone of a value with the recipe for it, in the place of another
    /// of its type if one is given. `None` if it cannot be cloned or is too
    /// large to keep; then the other stays.
    fn shelve(&mut self, slot: u32, recipe: &Recipe, over: Option<Shelved>) -> Option<Shelved>;

    /// Gives a shelved value another recipe.
    fn rewrite(&mut self, shelved: Shelved, recipe: &Recipe);
}
