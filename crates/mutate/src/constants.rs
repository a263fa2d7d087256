//! Bounds of what is looked at.

/// More mutants of one operator are not made of one place.
pub(crate) const MAX_ARMS: usize = 4;
/// A text that stands for any other.
pub(crate) const OTHER_TEXT: &str = "\"xyzzy\"";
