//! The stage: where proposed calls are carried out.
//!
//! The worker implements it over real values. An engine sees slots and
//! outcomes, never values.

use testsmith_model::operation::Signature;
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

pub trait Stage {
    /// Which slots are live, and of which type.
    fn loans(&self) -> &Loans;

    /// How an operation uses its arguments.
    fn signature(&self, op: OpId) -> &Signature;

    /// Puts the n-th literal of a type on the stage.
    fn literal(&mut self, ty: TypeId, n: usize) -> Result<u32, Halt>;

    /// Makes a call. `None` means that the borrow rules or a precondition
    /// forbid it, and that nothing has changed.
    fn call(&mut self, op: OpId, args: &[u32]) -> Option<Result<u32, Halt>>;
}
