//! Which failures are one finding.

use crate::facts::Facts;
use crate::guesses::{is_about_a_query, kind_of_message};
use testsmith_model::Callee;
use testsmith_model::operation::{Input, Operation, OperationKind};
use testsmith_model::outcome::{Ending, MemoryError, Panic};

impl Facts<'_> {
    /// Error class and place. Failures that share both are one finding, unless it takes
    /// different calls to get there.
    pub fn class(&self) -> String {
        let path = match self.operation.map(|operation| &operation.callee) {
            None => "a literal".to_owned(),
            // What does not hold for one instance of a type seldom does for another, nor what
            // does not hold for one of its iterators.
            Some(Callee::Claim { claim, of, law }) => {
                // What is weak is up to the type, whichever of its methods shows it.
                let by_method = self.operation.is_some_and(is_about_a_query) && !self.is_weak();
                let law = law.as_ref().filter(|_| !by_method).map(|law| law.replace('_', " "));
                let of = self.root.as_deref().or(of.path()).unwrap_or_default();
                format!("{}, for {of}", law.as_ref().unwrap_or(claim))
            }
            Some(callee) => callee.to_string(),
        };
        match &self.outcome.ending {
            Ending::Panicked(panic) => self.class_of_a_panic(panic, &path),
            Ending::Broken => format!("law broken: {path}"),
            // Which of the two it is depends on what the elements are.
            Ending::Memory(MemoryError::DroppedTwice | MemoryError::DoubleFree) => {
                format!("{path} {}", MemoryError::DoubleFree.words())
            }
            Ending::Memory(error) => format!("{path} {}", error.words()),
            Ending::Differs { .. } => format!("different results: {path}"),
            Ending::Unguarded { .. } => format!("memory without checks: {path}"),
            Ending::Exception { .. } => format!("exception: {path}"),
            // Where a place is known, that is what counts.
            Ending::Signal { number, note } if note.contains(" at ") => {
                format!("signal {number} {note}")
            }
            Ending::Signal { number, note } => format!("signal {number} {note} in {path}"),
            Ending::OutOfMemory { .. } => format!("out of memory in {path}"),
            // What a trait of the crate brings along runs for all who do not write their own.
            Ending::TimedOut { .. } => match self.operation {
                Some(Operation { kind: OperationKind::LocalTrait, callee, .. }) => {
                    let of = callee.trait_().map_or("", |trait_| trait_.path.as_str());
                    format!("no return from {of}::{}", callee.name())
                }
                _ => format!("no return from {path}"),
            },
            Ending::Exited { code } => format!("exit {code} in {path}"),
            Ending::Completed | Ending::Inapplicable => String::new(),
        }
    }

    /// The place of a panic, or what it says where there is none to be told.
    fn class_of_a_panic(&self, panic: &Panic, path: &str) -> String {
        let kind = kind_of_message(&panic.message);
        // All that a macro makes has one place: the line that calls it. What it makes inside of a
        // function is the same wherever a function of that name calls it.
        if self.is_made_by_a_macro() {
            let inside = panic.origin.as_deref().filter(|origin| !origin.function.is_empty());
            let name = inside.map(|origin| origin.function.as_str()).or(self.name());
            let place = match inside.and_then(|origin| origin.statement.split_once('!')) {
                Some((name, _)) => format!("the macro {name}"),
                None => format!("a macro in {}", panic.file),
            };
            return format!("panic in {} made by {place}: {kind}", name.unwrap_or(path));
        }
        // Whoever shows a value panics in one place of std, whatever the value was made of.
        let shows = !panic.own && self.is_of_trait(&["Debug", "Display"]);
        if shows || panic.file.is_empty() {
            return format!("panic in {path}: {kind}");
        }
        // What must not fail for one side of a comparison need not for the other.
        if let Some(function) = self.compares_at().filter(|_| panic.own) {
            let of = self.root.as_deref().unwrap_or(path);
            return format!("panic in {function} of {of} in {}", panic.file);
        }
        // A number that is too large for one operator of a line is for the next, too.
        let column = match panic.message.contains("with overflow") {
            true => String::new(),
            false => format!(":{}", panic.column),
        };
        let place = format!("panic at {}:{}{column}", panic.file, panic.line);
        // Many roads lead to a line of another crate.
        match panic.own {
            true => place,
            false => format!("{place}, given {}: {kind}", self.kinds_given()),
        }
    }

    /// The function that compares two values and in which a panic stands.
    fn compares_at(&self) -> Option<&str> {
        const COMPARISONS: [&str; 4] = ["cmp", "eq", "ne", "partial_cmp"];
        let function = self.panic()?.origin.as_deref()?.function.as_str();
        COMPARISONS.contains(&function).then_some(function)
    }

    /// The types that the operation takes, whatever their arguments; the first is the one
    /// that it is about in the end.
    fn kinds_given(&self) -> String {
        let kind = |(n, input): (usize, &Input)| match &self.root {
            Some(root) if n == 0 => root.clone(),
            _ => {
                let ty = &self.plan.ty(input.ty).ty;
                ty.path().map_or_else(|| ty.to_string(), str::to_owned)
            }
        };
        let inputs = self.operation.map(|operation| operation.inputs.as_slice());
        let kinds: Vec<String> = inputs.unwrap_or_default().iter().enumerate().map(kind).collect();
        if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") }
    }
}
