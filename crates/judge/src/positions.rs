//! Indices and ranges that were right: within all that their value counts.
//!
//! Which counts a value has is known from the plan, what they say at the time of the call
//! only to whoever asks it. A function that is given a position and nothing else has
//! nothing else to complain of.

use crate::facts::{Facts, is_empty};
use crate::guesses::indices_in;
use testsmith_model::operation::{Input, Mode, Operation, OperationKind};
use testsmith_model::ty::Ty;
use testsmith_model::{OpId, Plan};

/// What has to be asked of a value to know whether a position in it was right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Which argument is the position; the first is the value.
    pub position: usize,
    /// The queries that say how many there are of something in the value.
    pub queries: Vec<OpId>,
}

/// How to find out whether the position that an operation was given is right; none if it is
/// not given one, or something else besides, or if its value counts nothing.
pub fn counts(plan: &Plan, op: OpId) -> Option<Counts> {
    let operation = plan.operation(op);
    let [value, position] = operation.inputs.as_slice() else { return None };
    let own = matches!(operation.kind, OperationKind::Inherent | OperationKind::LocalTrait);
    if !own || value.name != "self" || !is_position(plan, position) {
        return None;
    }
    let counts = |other: &OpId| is_count(plan, plan.operation(*other), value);
    let queries: Vec<OpId> = plan.op_ids().filter(counts).collect();
    (!queries.is_empty()).then_some(Counts { position: 1, queries })
}

/// Whether an operation only looks at its values, so that there is nothing to run out of.
pub(crate) fn only_looks(plan: &Plan, operation: &Operation) -> bool {
    operation.inputs.iter().all(|input| match input.mode {
        Mode::Shared => true,
        Mode::Own => plan.ty(input.ty).abilities.copy || is_range(&plan.ty(input.ty).ty),
        Mode::Exclusive | Mode::Reborrow => false,
    })
}

/// Whether a type is one of the ranges of the standard library.
pub(crate) fn is_range(ty: &Ty) -> bool {
    ty.path().is_some_and(|path| path.starts_with("std::ops::Range"))
}

/// Whether a parameter is a place in its value, by its type or by its name. A number may
/// also be a size.
fn is_position(plan: &Plan, input: &Input) -> bool {
    const PLACES: [&str; 9] =
        ["at", "i", "idx", "index", "mid", "offset", "pos", "position", "start"];
    let ty = &plan.ty(input.ty).ty;
    let number = |ty: &Ty| *ty == Ty::prim("usize");
    match is_range(ty) {
        true => ty.type_arg(0).is_none_or(number),
        false => number(ty) && input.name.split('_').any(|word| PLACES.contains(&word)),
    }
}

/// Whether an operation says how many there are of something in a value of this type. What it
/// has room for is not there.
fn is_count(plan: &Plan, operation: &Operation, of: &Input) -> bool {
    const WORDS: [&str; 12] = [
        "cols", "columns", "count", "height", "len", "length", "ncols", "nrows", "num", "rows",
        "size", "width",
    ];
    let [value] = operation.inputs.as_slice() else { return false };
    let unsigned = |ty: &Ty| matches!(ty, Ty::Prim(name) if name.starts_with('u'));
    let own = matches!(operation.kind, OperationKind::Inherent | OperationKind::LocalTrait);
    own && value.ty == of.ty
        && value.mode != Mode::Exclusive
        && (value.mode == Mode::Shared || plan.ty(value.ty).abilities.copy)
        && unsigned(&plan.ty(operation.output).ty)
        && operation.callee.name().split('_').any(|word| WORDS.contains(&word))
}

/// Whether a position, as it is shown, lies within the least of these counts: an index before
/// its end, a range up to it.
pub fn is_right(position: &str, counts: &[u128]) -> bool {
    let Some(least) = counts.iter().min() else { return false };
    let number = |text: &str, otherwise: u128| match text {
        "" => Some(otherwise),
        digits => digits.parse::<u128>().ok(),
    };
    match position.split_once("..") {
        None => position.parse::<u128>().is_ok_and(|index| index < *least),
        Some((start, end)) => {
            let start = number(start, 0);
            let end = match end.strip_prefix('=') {
                Some(last) => number(last, u128::MAX).and_then(|last| last.checked_add(1)),
                None => number(end, *least),
            };
            start.zip(end).is_some_and(|(start, end)| start <= end && end <= *least)
        }
    }
}

impl Facts<'_> {
    /// An assertion inside fails, of which no argument is spoken and nobody is told why, in a
    /// function that only looks at its values.
    pub fn asserts_inside(&self) -> bool {
        let bare = self.panic().is_some_and(|panic| {
            let said = panic.message.strip_prefix("assertion failed: ");
            said.is_some_and(|said| !said.contains("boundary"))
        });
        let looks = |operation: &Operation| {
            let words = self.panic().map(|panic| panic.message.as_str()).unwrap_or_default();
            let mut words = words.split(|c: char| !c.is_alphanumeric() && c != '_');
            let names: Vec<&str> =
                operation.inputs.iter().skip(1).map(|input| input.name.as_str()).collect();
            only_looks(self.plan, operation) && !words.any(|word| names.contains(&word))
        };
        bare && !self.mentions_an_argument() && self.operation.is_some_and(looks)
    }

    /// One of its arguments is a place in its value, by its type or its name.
    pub fn is_told_a_place(&self) -> bool {
        let inputs = self.operation.map(|operation| operation.inputs.as_slice());
        inputs.unwrap_or_default().iter().any(|input| is_position(self.plan, input))
    }

    /// What an assertion says of itself is that one thing is less than another.
    pub fn asserts_an_order(&self) -> bool {
        let said = self.panic().and_then(|panic| panic.message.strip_prefix("assertion failed: "));
        let signs = ["<", "<=", ">", ">="];
        said.is_some_and(|said| said.split_whitespace().any(|word| signs.contains(&word)))
    }

    /// The function promises an `Option` or a `Result` instead of a panic. An error of which
    /// there is no value is no promise.
    pub fn promises_failure(&self) -> bool {
        let output = self.operation.map(|operation| &self.plan.ty(operation.output).ty);
        output.is_some_and(|output| match output.path() {
            Some("std::option::Option") => true,
            Some("std::result::Result") => !output.type_arg(1).is_some_and(is_empty),
            _ => false,
        })
    }

    /// An index that it was given is beyond the end, in the words of the language. Where a value is
    /// changed there, that panics by convention; an error is about what goes there.
    pub fn complains_of_a_given_index(&self) -> bool {
        self.panic().is_some_and(|panic| {
            let beyond = panic.message.starts_with("index out of bounds");
            beyond && indices_in(&panic.message).iter().any(|index| self.times_given(*index) > 0)
        }) && self.is_told_a_place()
    }

    /// The function promises a `Result`.
    pub fn returns_a_result(&self) -> bool {
        let output = self.operation.map(|operation| &self.plan.ty(operation.output).ty);
        output.and_then(Ty::path) == Some("std::result::Result")
    }

    /// It changes its value, and its documentation speaks of panics.
    pub fn changes_and_documents_panics(&self) -> bool {
        let looks = |operation: &Operation| only_looks(self.plan, operation);
        self.documents_panics() && !self.operation.is_some_and(looks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith_model::operation::TypeInfo;
    use testsmith_model::{Callee, TypeId};

    const TEXT: TypeId = TypeId(0);
    const NUMBER: TypeId = TypeId(1);

    /// A plan of methods of a text, each with the name of its second argument, if it has one.
    fn plan(methods: &[(&str, Option<&str>)]) -> Plan {
        let text = Ty::adt("a::Text", vec![]);
        let method = |(name, argument): &(&str, Option<&str>)| {
            let mut inputs = vec![(TEXT, Mode::Shared)];
            inputs.extend(argument.map(|_| (NUMBER, Mode::Own)));
            let mut operation = Operation {
                callee: Callee::member(&text, name),
                kind: OperationKind::Inherent,
                ..Operation::of_types(&inputs, NUMBER)
            };
            operation.inputs[0].name = "self".to_owned();
            if let Some(argument) = argument {
                operation.inputs[1].name = (*argument).to_owned();
            }
            operation
        };
        Plan {
            types: vec![
                TypeInfo::owned(text.clone(), Default::default()),
                TypeInfo::owned(Ty::prim("usize"), Default::default()),
            ],
            operations: methods.iter().map(method).collect(),
            ..Plan::default()
        }
    }

    #[test]
    fn all_that_a_value_counts_is_asked() {
        let plan = plan(&[
            ("get", Some("index")),
            ("chunk", Some("size")),
            ("len_chars", None),
            ("line_count", None),
            ("capacity", None),
            ("first", None),
        ]);
        let asked = counts(&plan, OpId(0)).map(|counts| counts.queries);
        assert_eq!(asked, Some(vec![OpId(2), OpId(3)]));
        assert_eq!(counts(&plan, OpId(1)), None, "a size is no position");
        assert_eq!(counts(&plan, OpId(2)), None);
    }

    #[test]
    fn what_is_only_room_is_no_count() {
        let plan = plan(&[("get", Some("index")), ("capacity", None)]);
        assert_eq!(counts(&plan, OpId(0)), None);
    }

    #[test]
    fn a_position_is_right_within_the_least_count() {
        let right = |position: &str| is_right(position, &[3, 2]);
        assert!(right("1") && right("0..2") && right("2..2") && right("..") && right("1.."));
        assert!(right("0..=1") && right("..=1"));
        assert!(!right("2") && !right("2..1") && !right("0..3") && !right("..=2") && !right("3.."));
        assert!(!right("Some(1)") && !is_right("0", &[]));
    }
}
