//! What a call is given to be interrupted by: closures, iterators and elements
//! of the test that panic when they are called back for the n-th time.
//!
//! Source text, the same in the probes, in the harness and beside the tests
//! that are written, which depend on nothing but the crate under test.

use crate::outcome::MemoryError;
use crate::ty::Ty;

/// The name of the module.
pub const MODULE: &str = "troubled";
/// The module itself.
pub const SOURCE: &str = include_str!("troubled.txt");

/// Whether a piece of source refers to the module.
pub fn is_named_in(text: &str) -> bool {
    text.contains("troubled::")
}

/// The element that knows whether it lives.
pub fn counted() -> Ty {
    Ty::adt("troubled::Counted", vec![])
}

const ITEMS: &str = "troubled::Items";

/// The iterator over a list that may panic midway.
pub fn items_of(item: Ty) -> Ty {
    Ty::adt(ITEMS, vec![item])
}

/// What such an iterator yields.
pub fn item_of(ty: &Ty) -> Option<&Ty> {
    if ty.path() == Some(ITEMS) { ty.type_arg(0) } else { None }
}

/// How an element was misused, if that is what a panic says.
pub fn misuse(message: &str) -> Option<MemoryError> {
    [MemoryError::DroppedTwice, MemoryError::DeadElement]
        .into_iter()
        .find(|error| error.words() == message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_says_what_the_model_says() {
        assert!(SOURCE.contains(&format!("mod {MODULE} {{")));
        for error in [MemoryError::DroppedTwice, MemoryError::DeadElement] {
            assert!(SOURCE.contains(&format!("misused({:?})", error.words())));
            assert_eq!(misuse(error.words()), Some(error));
        }
        assert_eq!(misuse(MemoryError::DoubleFree.words()), None);
    }
}
