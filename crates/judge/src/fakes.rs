//! What is a fake's own end, and nobody's fault.

use crate::contract::BrokenContract;
use crate::facts::Facts;
use testsmith_model::operation::Operation;
use testsmith_model::ty::Ty;

/// Where a fake panics that has no answer.
const WORN: &str = "src/fakes/worn.rs";

impl Facts<'_> {
    /// A fake itself came to its end: it has no answer that its contract allows, or was caught
    /// giving one that it does not.
    pub fn is_a_fakes_own(&self) -> bool {
        let Some(panic) = self.panic().filter(|_| self.makes_or_has_a_fake()) else { return false };
        let broken = self.contract().filter(|contract| contract.kind != "requires");
        let is_its_own = |contract: &BrokenContract| {
            let Some(name) = contract.type_name() else { return false };
            let mut types = self.plan.types.iter();
            let is_fake = types.any(|info| info.is_fake && info.ty.name() == name);
            // What a trait provides is code under test, and an operation.
            let is_written = self.plan.operations.iter().any(|operation| {
                let of = operation.callee.of().map(Ty::name);
                of == Some(name) && operation.callee.name() == contract.name
            });
            is_fake && !is_written
        };
        panic.file.ends_with(WORN) || broken.as_ref().is_some_and(is_its_own)
    }

    fn makes_or_has_a_fake(&self) -> bool {
        let makes = |operation: &Operation| self.plan.ty(operation.output).is_fake;
        self.with_fake || self.operation.is_some_and(makes)
    }
}
