//! What operations, names and numbers give away.
//!
//! Guesses from words, kept apart from the facts because each of them may be
//! wrong; a rule that rests on one says so in its reason.

use testsmith_model::api::Shape;
use testsmith_model::call::{ClosureKind, Form};
use testsmith_model::operation::Operation;
use testsmith_model::ty::Ty;

/// Whether the operation is a literal of a struct with named fields.
pub fn is_put_together(operation: &Operation) -> bool {
    matches!(operation.call.form, Form::Constructor { shape: Shape::Named, .. })
}

/// Whether the operation takes its caller's word, by its name: for a hash, for
/// fields that fit each other, for a number that was once a key.
pub fn is_a_back_door(operation: &Operation) -> bool {
    let trusts = ["ffi", "hash", "hashed", "nocheck", "raw", "unchecked"];
    let name = operation.callee.name();
    let raw = |name: &str| name.starts_with("Raw");
    let of_raw = operation.callee.of().is_some_and(|of| of.any(|ty| raw(ty.name())));
    let by_raw = operation.callee.trait_().is_some_and(|trait_| raw(trait_.name()));
    raw(name) || of_raw || by_raw || name.split('_').any(|word| trusts.contains(&word))
}

/// Whether a closure of the test answers with a value, which may not fit.
pub fn takes_an_answer(operation: &Operation) -> bool {
    operation.call.closures.contains(&ClosureKind::Answers)
}

/// Whether a parameter of this name says where or how many.
pub fn names_an_index_or_size(name: &str) -> bool {
    const WORDS: [&str; 18] = [
        "at", "bit", "capacity", "count", "depth", "end", "from", "i", "idx", "index", "len",
        "length", "n", "offset", "pos", "position", "size", "width",
    ];
    names_a_place(name) || name.split('_').any(|word| WORDS.contains(&word))
}

/// Whether a parameter of this name says which of the parts of a whole is meant.
pub fn names_a_place(name: &str) -> bool {
    const WORDS: [&str; 7] = ["goal", "node", "root", "source", "start", "target", "vertex"];
    name.split('_').any(|word| WORDS.contains(&word))
}

/// No number up to this is large; powers and factorials of larger ones overflow.
const SMALL: u128 = 30;

/// Whether the product of two such numbers, or of more than a few, may not fit
/// their type.
pub fn is_large(number: i128, ty: &Ty) -> bool {
    let root = bits(ty).map_or(u128::MAX, |bits| 1 << ((bits - 1) / 2));
    number.unsigned_abs() > root.min(SMALL)
}

/// The size of an integer type.
pub fn bits(ty: &Ty) -> Option<u32> {
    let Ty::Prim(name) = ty else { return None };
    match name.trim_start_matches(['i', 'u']) {
        "size" => Some(64),
        digits => digits.parse().ok(),
    }
}

/// A message with its numbers left out: two that differ only in those are one.
pub fn without_digits(message: &str) -> String {
    let mut text = String::new();
    for c in message.chars() {
        match c.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(c),
        }
    }
    text
}

/// Macros of the standard library that panic where they stand.
pub const OF_STD: [&str; 10] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
];

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use testsmith_model::{Callee, OperationKind};

    /// A method that is handed these closures.
    pub(crate) fn operation(ty: &str, name: &str, closures: &[ClosureKind]) -> Operation {
        let mut operation = Operation {
            callee: Callee::member(&Ty::adt(ty, vec![]), name),
            kind: OperationKind::Inherent,
            ..Operation::of_types(&[], testsmith_model::TypeId(0))
        };
        operation.call.closures = closures.to_vec();
        operation
    }

    #[test]
    fn what_is_large_depends_on_the_type() {
        assert!(is_large(-128, &Ty::prim("i8")) && is_large(10, &Ty::prim("i8")));
        assert!(!is_large(7, &Ty::prim("i8")) && !is_large(10, &Ty::prim("i32")));
        assert!(is_large(100, &Ty::prim("u64")) && !is_large(0, &Ty::prim("u64")));
        assert_eq!(bits(&Ty::prim("f64")), None);
    }

    #[test]
    fn messages_that_differ_in_numbers_are_one() {
        let message = |n: usize| format!("the len is {n} but the index is {}", n + 99);
        assert_eq!(without_digits(&message(1)), without_digits(&message(20)));
        assert_eq!(without_digits("no number"), "no number");
    }

    #[test]
    fn what_takes_its_callers_word_is_known_by_its_name_or_closure() {
        assert!(is_a_back_door(&operation("a::Map", "insert_hashed_nocheck", &[])));
        assert!(is_a_back_door(&operation("a::RawEntry", "replace_key", &[])));
        assert!(!is_a_back_door(&operation("a::Map", "insert", &[])));
        assert!(takes_an_answer(&operation("a::Set", "or_insert_with", &[ClosureKind::Answers])));
        assert!(!takes_an_answer(&operation("a::Map", "retain", &[ClosureKind::Harmless])));
        assert!(!takes_an_answer(&operation("a::Map", "insert", &[])));
    }
}
