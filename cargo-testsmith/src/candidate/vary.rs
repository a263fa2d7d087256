//! Different numbers and letters instead of the same ones.
//!
//! Shrinking leaves zeros and empty texts everywhere, and a list of zeros looks
//! the same when its items are swapped, lost or repeated. A reader, and an
//! assertion, sees more in `[1, 2, 3]`.

use testsmith_model::sequence::{Builder, Literal};
use testsmith_model::{Mode, Operation, OperationKind, Plan, Sequence, Step};

/// Whose literals are changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Everybodys,
    /// Only what is held: a position or a size often has to stay what it is.
    Held,
}

/// The sequence with 1, 2, 3 and so on for its numbers, and letters for its empty
/// texts; nothing if it has neither.
pub(super) fn varied(plan: &Plan, sequence: &Sequence, whose: Whose) -> Option<Sequence> {
    let steps: Vec<&Step> = sequence.steps().collect();
    let changes = |operation: &Operation| {
        let holds = matches!(operation.kind, OperationKind::Builder | OperationKind::Constructor);
        whose == Whose::Everybodys || holds
    };
    let mut builder = Builder::new(plan);
    // Literals are put where they are first needed, so that each use can have
    // its own.
    let mut slots: Vec<Option<u32>> = vec![None; steps.len()];
    let mut next = 0;
    for here in 0..steps.len() {
        let Step::Call(op, back) = steps[here] else { continue };
        let operation = plan.operation(*op);
        let mut args = vec![];
        for (distance, input) in back.iter().zip(&operation.inputs) {
            let arg = here - *distance as usize;
            let slot = match (steps[arg], slots[arg]) {
                (Step::Literal(ty, Literal::Int(_)), _)
                    if input.mode == Mode::Own && changes(operation) =>
                {
                    next += 1;
                    builder.literal(*ty, Literal::Int(next)).ok()?
                }
                (Step::Literal(ty, Literal::Str(text)), _)
                    if text.is_empty() && input.mode == Mode::Own && changes(operation) =>
                {
                    let letter = char::from(b'a' + (next % 26) as u8);
                    next += 1;
                    builder.literal(*ty, Literal::Str(letter.to_string().into())).ok()?
                }
                (_, Some(slot)) => slot,
                (Step::Literal(ty, literal), None) => {
                    *slots[arg].insert(builder.literal(*ty, literal.clone()).ok()?)
                }
                (Step::Call(..), None) => return None,
            };
            args.push(slot);
        }
        slots[here] = Some(builder.call(*op, &args).ok()?);
    }
    (next > 0).then(|| builder.finish())
}
