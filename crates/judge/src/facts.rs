//! What the rules of the policy may look at.

use testsmith_model::operation::{Operation, OperationKind};
use testsmith_model::outcome::{Ending, Outcome, Panic, Phase};
use testsmith_model::ty::Ty;
use testsmith_model::{Plan, Sequence, Step};

/// A broken contract, as its message tells it.
struct Contract<'m> {
    kind: &'m str,
    depth: &'m str,
    name: &'m str,
}

/// One failure, seen from all sides.
pub struct Facts<'f> {
    plan: &'f Plan,
    /// The operation under way; none while a literal is shown or dropped.
    pub operation: Option<&'f Operation>,
    pub outcome: &'f Outcome,
}

impl<'f> Facts<'f> {
    pub fn new(plan: &'f Plan, sequence: &Sequence, outcome: &'f Outcome) -> Facts<'f> {
        let operation = match sequence.steps().nth(outcome.step as usize) {
            Some(Step::Call(op, _)) => Some(plan.operation(*op)),
            _ => None,
        };
        Facts { plan, operation, outcome }
    }

    pub fn panic(&self) -> Option<&Panic> {
        match &self.outcome.ending {
            Ending::Panicked(panic) => Some(panic),
            _ => None,
        }
    }

    /// Whether the panic's message contains one of these.
    pub fn says(&self, words: &[&str]) -> bool {
        self.panic().is_some_and(|panic| words.iter().any(|word| panic.message.contains(word)))
    }

    /// What the machine-readable last line of a broken contract says.
    fn contract(&self) -> Option<Contract<'_>> {
        let line = self.panic()?.message.lines().last()?.trim();
        let fields = line.strip_prefix("[testsmith-contract 1; ")?.strip_suffix(']')?;
        let field = |name: &str| {
            fields.split("; ").find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
        };
        Some(Contract { kind: field("kind")?, depth: field("depth")?, name: field("name")? })
    }

    /// A contract of the code under test was broken.
    pub fn breaks_a_contract(&self) -> bool {
        self.contract().is_some()
    }

    /// The precondition of the very function that the test called was broken.
    pub fn breaks_its_precondition(&self) -> bool {
        let called = self.operation.and_then(|op| op.path.rsplit("::").next());
        self.contract().is_some_and(|contract| {
            contract.kind == "requires" && contract.depth == "0" && Some(contract.name) == called
        })
    }

    pub fn is_calling(&self) -> bool {
        self.outcome.phase == Phase::Calling
    }

    pub fn kind(&self) -> Option<OperationKind> {
        self.operation.map(|operation| operation.kind)
    }

    /// The documentation says something about panics.
    pub fn documents_panics(&self) -> bool {
        self.operation
            .is_some_and(|operation| operation.docs.panics_section || operation.docs.mentions_panic)
    }

    /// The function promises an `Option` or a `Result` instead of a panic.
    pub fn promises_failure(&self) -> bool {
        self.operation.is_some_and(|operation| {
            let output = self.plan.ty(operation.output).ty.path();
            matches!(output, Some("std::option::Option" | "std::result::Result"))
        })
    }

    /// Some argument is an integer, or made of integers: an index or a size.
    pub fn takes_a_number(&self) -> bool {
        let number = |ty: &Ty| match ty {
            Ty::Prim(name) => !matches!(name.as_str(), "bool" | "char" | "str"),
            Ty::Adt { path, .. } => path.starts_with("std::ops::Range"),
            _ => false,
        };
        self.operation.is_some_and(|operation| {
            operation.inputs.iter().any(|input| number(&self.plan.ty(input.ty).ty))
        })
    }

    /// The call goes through a trait with this name.
    pub fn is_of_trait(&self, names: &[&str]) -> bool {
        let through = |operation: &&Operation| {
            operation.path.split(" as ").nth(1).is_some_and(|rest| {
                let path = rest.split(['<', '>']).next().unwrap_or_default();
                names.contains(&path.rsplit("::").next().unwrap_or_default())
            })
        };
        self.operation.as_ref().is_some_and(through)
    }

    /// Error class and place: failures that share both are one finding.
    pub fn class(&self) -> String {
        let path = self.operation.map_or("a literal", |operation| operation.path.as_str());
        match &self.outcome.ending {
            Ending::Panicked(panic) if !panic.file.is_empty() => {
                format!("panic at {}:{}:{}", panic.file, panic.line, panic.column)
            }
            Ending::Panicked(panic) => format!("panic in {path}: {}", panic.message),
            Ending::Broken => format!("law broken: {path}"),
            Ending::Signal { number, note } => format!("signal {number} {note} in {path}"),
            Ending::OutOfMemory { .. } => format!("out of memory in {path}"),
            Ending::TimedOut { .. } => format!("no return from {path}"),
            Ending::Exited { code } => format!("exit {code} in {path}"),
            Ending::Completed | Ending::Inapplicable => String::new(),
        }
    }
}
