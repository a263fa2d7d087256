//! A place that is guarded, and how its text is put together.
//!
//! Decides nothing: operators make sites, `write.rs` writes them.

use std::ops::Range;

/// A guarded place.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub span: Range<usize>,
    pub level: Level,
    pub pieces: Vec<Piece>,
    /// The number of the first arm's mutant; the others follow.
    pub first: u32,
    /// What each mutant runs.
    pub arms: Vec<String>,
}

/// Of places with the same bytes, which one is around the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Body,
    Hoisted,
    Statement,
    Condition,
    Expression,
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(&'static str),
    Owned(String),
    /// What stood there, with the guards inside of it.
    Original(Range<usize>),
    /// `match pick(..) {` and an arm for each mutant.
    Choice,
}

use Piece::{Choice, Original, Owned, Text};

/// The whole expression is chosen. Only for scopes in which temporaries end anyway.
pub(crate) fn whole(span: &Range<usize>) -> Vec<Piece> {
    vec![Text("("), Choice, Text(" _ => ("), Original(span.clone()), Text(") })")]
}

/// The whole statement is chosen; `span` reaches over its semicolon.
pub(crate) fn statement(span: &Range<usize>) -> Vec<Piece> {
    vec![Choice, Text(" _ => { "), Original(span.clone()), Text(" } }")]
}

/// Something is done first, or not; what stood there is not touched.
pub(crate) fn before(span: &Range<usize>) -> Vec<Piece> {
    vec![Choice, Text(" _ => {} } "), Original(span.clone())]
}

/// Operands are evaluated, then it is chosen what is done with them. `original` is that in
/// terms of `__0`, `__1` …; each operand comes with what stands before it (`&`, or nothing).
pub(crate) fn operands(operands: &[(&'static str, Range<usize>)], original: String) -> Vec<Piece> {
    let mut pieces = vec![Text("(match (")];
    for (prefix, range) in operands {
        pieces.extend([Text(prefix), Text("("), Original(range.clone()), Text("), ")]);
    }
    let names: String = (0..operands.len()).map(|n| format!("__{n}, ")).collect();
    pieces.push(Owned(format!(") {{ ({names}) => ")));
    pieces.extend([Choice, Text(" _ => ("), Owned(original), Text(") } })")]);
    pieces
}

/// The left operand is evaluated, in a condition, since its temporaries end before the right
/// one is; and that one only where the operator asks for it, in the arms.
pub(crate) fn lazy(left: &Range<usize>, operator: &str, right: &Range<usize>) -> Vec<Piece> {
    vec![
        Text("(match (if ("),
        Original(left.clone()),
        Text(") { true } else { false }) { __0 => "),
        Choice,
        Owned(format!(" _ => (__0 {operator} (")),
        Original(right.clone()),
        Text(")) } })"),
    ]
}
