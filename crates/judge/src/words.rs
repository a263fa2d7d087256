//! What the language, its library and its macros say and are called.
//!
//! Words only: what follows from them is for the policy.

use crate::guesses::BACKWARDS;

/// Macros that check something.
pub(crate) const ASSERTIONS: [&str; 6] =
    ["assert", "assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "debug_assert_ne"];

/// The traits of operators on numbers.
pub(crate) const OPERATORS: [&str; 18] = [
    "Add",
    "AddAssign",
    "Div",
    "DivAssign",
    "Mul",
    "MulAssign",
    "Pow",
    "Neg",
    "Product",
    "Rem",
    "RemAssign",
    "Shl",
    "ShlAssign",
    "Shr",
    "ShrAssign",
    "Sub",
    "SubAssign",
    "Sum",
];

/// What is said when a text is cut inside a letter.
pub(crate) const INSIDE_A_LETTER: [&str; 2] = ["not a char boundary", "self.is_char_boundary("];

/// What is said when there is nothing at an index.
pub(crate) const BOUNDS: [&str; 5] =
    ["index out of bounds", "out of range", "exceeds", BACKWARDS[0], BACKWARDS[1]];

/// What the language says when arithmetic or an index goes wrong.
pub(crate) const ARITHMETIC: [&str; 7] = [
    "with overflow",
    "divide by zero",
    "divisor of zero",
    "index out of bounds",
    "out of range",
    BACKWARDS[0],
    BACKWARDS[1],
];
