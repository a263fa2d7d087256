//! What the models share: programs as conjunctions, where a panic means that
//! a structure is not valid.

use crate::program::Clause;

/// Whether all clauses hold; `None` when one of them panics.
fn conjunction(clauses: &[Clause], mut holds: impl FnMut(&Clause) -> Option<bool>) -> Option<bool> {
    for clause in clauses {
        if !holds(clause)? {
            return Some(false);
        }
    }
    Some(true)
}

/// Whether a whole program holds.
pub fn all(program: &[Clause], holds: impl FnMut(&Clause) -> Option<bool>) -> bool {
    conjunction(program, holds) == Some(true)
}

/// A clause with clauses under it.
pub fn condition(
    clause: &Clause,
    condition: bool,
    holds: impl FnMut(&Clause) -> Option<bool>,
) -> Option<bool> {
    match clause.word {
        "if" if condition => conjunction(&clause.then, holds),
        "if" => conjunction(&clause.otherwise, holds),
        "or" if condition => Some(true),
        "or" | "twice" => conjunction(&clause.then, holds),
        word => panic!("no such word: {word}"),
    }
}
