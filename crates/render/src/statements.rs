//! A sequence as statements, one a step, with the drops between them.

use crate::calls::explicit;
use crate::literal::literal;
use testsmith_model::call::{Placeholder, Treatment, fill};
use testsmith_model::operation::{Input, Mode, Operation, OperationKind};
use testsmith_model::ty::Ty;
use testsmith_model::{Edit, EditStep, Loans, Plan, Sequence};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub text: String,
    /// The step it carries out; none for a drop.
    pub step: Option<usize>,
}

/// Every step as a `let`. Values that must go before the end are dropped by
/// name; the rest go as Rust would have it.
pub fn statements(plan: &Plan, sequence: &Sequence) -> Vec<Statement> {
    let mut loans = Loans::default();
    let mut statements = vec![];
    for (here, step) in Edit::of(sequence).steps.into_iter().enumerate() {
        let text = match step {
            EditStep::Literal(ty, value) => {
                loans.push(ty);
                let ty = &plan.ty(ty).ty;
                format!("let mut v{here}: {ty} = {};", literal(ty, &value))
            }
            EditStep::Call(op, args) => {
                let operation = plan.operation(op);
                // A sequence from elsewhere may be illegal; then nothing ends here.
                let signature = plan.signature(op);
                let ended = loans.access(&signature, &args).unwrap_or(&[]).to_vec();
                statements.extend(drops(plan, &loans, &ended));
                let call = call(plan, &loans, operation, &args);
                loans.commit(&signature, &args);
                let ty = &plan.ty(operation.output).ty;
                if operation.call.result == Treatment::Dropped {
                    format!("let _ = {call};\nlet v{here} = ();")
                } else if ty.is_unit() {
                    format!("{call};\nlet v{here} = ();")
                } else {
                    format!("let mut v{here}: {ty} = {call};")
                }
            }
        };
        statements.push(Statement { text, step: Some(here) });
    }
    let last = loans.close_scope();
    statements.extend(drops(plan, &loans, &last));
    statements
}

fn drops(plan: &Plan, loans: &Loans, ended: &[u32]) -> Vec<Statement> {
    let each = |slot: &u32| Statement { text: format!("drop(v{slot});"), step: None };
    ended.iter().filter(|slot| must_be_dropped(plan, loans, **slot)).map(each).collect()
}

/// References and plain data need no dropping: ending them is not using them.
pub(crate) fn must_be_dropped(plan: &Plan, loans: &Loans, slot: u32) -> bool {
    let info = plan.ty(loans.ty(slot));
    !info.abilities.copy && !info.is_reference
}

/// What stands before a value that is handed to this input.
pub(crate) fn mark(plan: &Plan, loans: &Loans, input: &Input, slot: u32) -> &'static str {
    let through = loans.ty(slot) != input.ty;
    let shared = matches!(plan.ty(loans.ty(slot)).ty, Ty::Ref { mutable: false, .. });
    match (input.mode, through) {
        (Mode::Own, _) => "",
        (Mode::Shared, true) if shared => "",
        (Mode::Shared, true) => "&*",
        (Mode::Shared, false) => "&",
        (Mode::Exclusive, false) => "&mut ",
        (Mode::Exclusive, true) | (Mode::Reborrow, _) => "&mut *",
    }
}

/// The call as a person would write it.
fn call(plan: &Plan, loans: &Loans, operation: &Operation, args: &[u32]) -> String {
    // A law as a person would assert it needs names that only a test file has.
    let template = match operation.kind {
        OperationKind::Law => operation.call.full(),
        _ => explicit(&operation.call),
    };
    fill(&template, &mut |placeholder, text| match placeholder {
        Placeholder::Inapplicable => text.push_str("panic!(\"another variant\")"),
        Placeholder::Receiver(n) => text.push_str(&format!("v{}", args[n])),
        Placeholder::Argument(n) => {
            let slot = args[n];
            let mark = mark(plan, loans, &operation.inputs[n], slot);
            text.push_str(&format!("{mark}v{slot}"));
        }
    })
}
