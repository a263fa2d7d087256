//! What operations, names and numbers give away.
//!
//! Guesses from words, kept apart from the facts because each of them may be
//! wrong; a rule that rests on one says so in its reason.

use testsmith_model::call::{ClosureKind, Form};
use testsmith_model::operation::{Operation, OperationKind};
use testsmith_model::ty::{Lifetime, Ty};
use testsmith_model::{Callee, Plan};

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

/// Whether a callee, or the type it is about, is or lies in what is public for the crate's own
/// sake.
pub fn is_internal(plan: &Plan, callee: &Callee) -> bool {
    let lies_in = |path: &str| {
        plan.internals.iter().any(|internal| {
            path.strip_prefix(internal).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
    };
    match callee.of() {
        Some(of) => of.any(|ty| ty.path().is_some_and(lies_in)),
        None => lies_in(&callee.to_string()),
    }
}

/// Whether the operation says by its name that it looks at nothing it is given.
pub fn is_unchecked(operation: &Operation) -> bool {
    let mut words = operation.callee.name().split('_');
    words.any(|word| matches!(word, "nocheck" | "unchecked"))
}

/// Whether the operation lets go of memory without freeing it: its documentation says so, or the
/// type of what it gives, or that of its value. What a test makes to last for ever is never freed,
/// and none of the crate's.
pub fn keeps_memory(plan: &Plan, operation: &Operation) -> bool {
    let holds = |ty: &Ty| ty.any(|ty| ty.name() == "ManuallyDrop");
    let lasts = |ty: &Ty| matches!(ty, Ty::Ref { lifetime: Lifetime::Static, .. });
    operation.docs.keeps_memory
        || operation.callee.of().is_some_and(holds)
        || operation.kind == OperationKind::Builder && lasts(&plan.ty(operation.output).ty)
}

/// Whether a closure of the test answers with a value, which may not fit.
pub fn takes_an_answer(operation: &Operation) -> bool {
    operation.call.closures.iter().any(|closure| *closure != ClosureKind::Harmless)
}

/// Whether all closures that it is handed answer alike whenever they are asked the same.
pub fn takes_steady_answers(operation: &Operation) -> bool {
    !operation.call.closures.contains(&ClosureKind::Answers)
}

/// Whether the operation is a claim about methods by their names, and no trait's: whether
/// those panic is for their own documentation to say.
pub fn is_a_convention(operation: &Operation) -> bool {
    operation.kind == OperationKind::Law && operation.docs.mentions_panic
}

/// Whether the operation is a claim about one method of a type, whichever it has.
pub fn is_about_a_query(operation: &Operation) -> bool {
    matches!(&operation.call.form, Form::Template { about: Some(_), .. })
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
    const WORDS: [&str; 9] =
        ["begin", "end", "goal", "node", "root", "source", "start", "target", "vertex"];
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

/// Whether a message of the language says that something was divided by zero.
pub fn is_by_zero(message: &str) -> bool {
    message.contains("divide by zero") || message.contains("divisor of zero")
}

/// Whether a message of the language says that there is nothing where something was expected.
pub fn is_by_nothing(message: &str) -> bool {
    message.contains("on a `None` value")
}

/// What the author of the code says in a message, without what the standard library says when
/// something is unwrapped that is not there.
pub fn own_words(message: &str) -> &str {
    const NOT_THERE: [&str; 3] = [
        "called `Option::unwrap()` on a `None` value",
        "called `Result::unwrap()` on an `Err` value: ",
        "called `Result::unwrap_err()` on an `Ok` value: ",
    ];
    NOT_THERE.iter().find_map(|words| message.strip_prefix(words)).unwrap_or(message)
}

/// The names in a sentence that are written as those of functions: behind a path, called, or
/// quoted alone.
pub fn code_in(said: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    said.split(move |c: char| !is_word(c)).filter(move |word| {
        let (start, end) = (at, at + word.len());
        at = end + said[end..].chars().next().map_or(0, char::len_utf8);
        let called = said[end..].starts_with('(');
        let quoted = said[..start].ends_with('`') && said[end..].starts_with('`');
        !word.is_empty() && (called || quoted || said[..start].ends_with("::"))
    })
}

/// What is said of a range that ends before it begins.
pub const BACKWARDS: [&str; 2] = ["slice index starts at ", "begin <= end ("];

/// The indices that a message of the language complains of, into an array, a slice or a text.
pub fn indices_in(message: &str) -> Vec<i128> {
    if let Some((_, rest)) = BACKWARDS.iter().find_map(|words| message.split_once(words)) {
        // Both ends are named: «starts at 2 but ends at 1», «(4 <= 2) when slicing».
        let numbers = rest.split(|c: char| !c.is_ascii_digit()).filter(|text| !text.is_empty());
        return numbers.take(2).filter_map(|text| text.parse().ok()).collect();
    }
    let named = message.split_once("the index is ").or_else(|| message.split_once("index "));
    let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    named.and_then(|(_, rest)| number(rest)).into_iter().collect()
}

/// What a message says whatever values it speaks of: numbers and quoted text left out.
pub fn kind_of_message(message: &str) -> String {
    let mut text = String::new();
    // The standard library cuts a long text off so.
    let mut rest = message.trim_end_matches("[...]");
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        // What is quoted may hold the quote itself, so the last one closes it.
        let quoted = matches!(c, '`' | '"' | '\'').then(|| rest.rfind(c)).flatten();
        if let Some(end) = quoted {
            rest = &rest[end + c.len_utf8()..];
        }
        match c.is_ascii_digit() || quoted.is_some() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(c),
        }
    }
    text
}

/// Macros of the standard library that panic where they stand, or show what is written there.
pub const OF_STD: [&str; 13] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "format",
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
];

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

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
    fn the_index_is_read_from_what_the_language_says() {
        let says = |message: &str| indices_in(message);
        assert_eq!(says("index out of bounds: the len is 3 but the index is 9"), [9]);
        assert_eq!(says("range end index 5 out of range for slice of length 4"), [5]);
        assert_eq!(says("byte index 7 is out of bounds of `a`"), [7]);
        assert_eq!(says("slice index starts at 2 but ends at 1"), [2, 1]);
        assert_eq!(says("begin <= end (4 <= 2) when slicing `a9b`"), [4, 2]);
        assert!(says("there is no index").is_empty());
    }

    #[test]
    fn functions_are_named_as_code() {
        let names = |said: &'static str| code_in(said).collect::<Vec<_>>();
        assert_eq!(names("`Tape::offset_from(3)` only takes its own"), ["offset_from"]);
        assert_eq!(names("call `open()` before"), ["open"]);
        assert_eq!(names("`either` needs two"), ["either"]);
        assert!(names("the push of a full list, see push").is_empty());
    }

    #[test]
    fn what_the_library_says_is_none_of_the_authors_words() {
        assert_eq!(own_words("called `Option::unwrap()` on a `None` value"), "");
        let error = "called `Result::unwrap()` on an `Err` value: InvalidValue";
        assert_eq!(own_words(error), "InvalidValue");
        assert_eq!(own_words("no such value"), "no such value");
    }

    #[test]
    fn what_is_large_depends_on_the_type() {
        assert!(is_large(-128, &Ty::prim("i8")) && is_large(10, &Ty::prim("i8")));
        assert!(!is_large(7, &Ty::prim("i8")) && !is_large(10, &Ty::prim("i32")));
        assert!(is_large(100, &Ty::prim("u64")) && !is_large(0, &Ty::prim("u64")));
        assert_eq!(bits(&Ty::prim("f64")), None);
    }

    #[test]
    fn messages_that_differ_in_the_values_they_speak_of_are_one() {
        let message = |n: usize| format!("the len is {n} but the index is {}", n + 99);
        assert_eq!(kind_of_message(&message(1)), kind_of_message(&message(20)));
        let message = |text: &str| format!("byte 1 is inside {:?} of `{text}`", &text[..1]);
        assert_eq!(kind_of_message(&message("a`b'c")), kind_of_message(&message("x")));
        assert_eq!(kind_of_message("in `abc`[...]"), kind_of_message("in `x`"));
        assert_eq!(kind_of_message("no number"), "no number");
        assert_eq!(kind_of_message("it isn't there"), "it isn't there");
        let (none, err) =
            ("called `unwrap()` on a `None` value", "called `unwrap()` on an `Err` value: X");
        assert_ne!(kind_of_message(none), kind_of_message(err));
    }

    #[test]
    fn what_takes_its_callers_word_is_known_by_its_name_or_closure() {
        assert!(is_a_back_door(&operation("a::Map", "insert_hashed_nocheck", &[])));
        assert!(is_a_back_door(&operation("a::RawEntry", "replace_key", &[])));
        assert!(!is_a_back_door(&operation("a::Map", "insert", &[])));
        assert!(takes_an_answer(&operation("a::Set", "or_insert_with", &[ClosureKind::Answers])));
        assert!(!takes_an_answer(&operation("a::Map", "retain", &[ClosureKind::Harmless])));
        assert!(!takes_an_answer(&operation("a::Map", "insert", &[])));
        // What a name says of memory is no promise.
        let text = testsmith_model::operation::TypeInfo::owned(
            Ty::adt("a::Text", vec![]),
            Default::default(),
        );
        let plan = Plan { types: vec![text], ..Plan::default() };
        assert!(!keeps_memory(&plan, &operation("a::Text", "leak", &[])));
        let mut documented = operation("a::Text", "hand_over", &[]);
        documented.docs.keeps_memory = true;
        assert!(keeps_memory(&plan, &documented));
    }
}
