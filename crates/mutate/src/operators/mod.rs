//! The operators, one file each, and what they have to propose mutants with.
//!
//! An operator is data: a name, a sentence, and a function that looks at one place. It has a
//! fixture of the same name in `fixtures/`: a source, the mutants that must be made of it, and
//! a function that tells them from the original. A test fails for an operator without one.

mod arithmetic;
mod assignments;
mod bits;
mod bodies;
mod comparisons;
mod conditions;
mod errors;
mod fields;
mod iterators;
mod literals;
mod logic;
mod methods;
mod ranges;
mod statements;
mod unary;
mod values;
mod variables;

use crate::constants::MAX_ARMS;
use crate::site::{Level, Piece, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, Signature, Stmt, Type};

/// A way to make mutants.
pub struct Operator {
    pub name: &'static str,
    /// What it does, in a sentence.
    pub what: &'static str,
    pub(crate) look: fn(&Node, &mut Finder),
}

/// In the order of their names.
pub const OPERATORS: &[Operator] = &[
    arithmetic::OPERATOR,
    assignments::OPERATOR,
    bits::OPERATOR,
    bodies::OPERATOR,
    comparisons::OPERATOR,
    conditions::OPERATOR,
    errors::OPERATOR,
    fields::OPERATOR,
    iterators::OPERATOR,
    literals::OPERATOR,
    logic::OPERATOR,
    methods::OPERATOR,
    ranges::OPERATOR,
    statements::OPERATOR,
    unary::OPERATOR,
    variables::OPERATOR,
];

/// A place that operators are shown.
pub(crate) enum Node<'a> {
    Function(&'a Signature, &'a Block),
    /// The value of a function's body.
    Tail(&'a Expr),
    Statement(&'a Stmt),
    /// Of `if`, `while` and of an arm, without a pattern in it.
    Condition(&'a Expr),
    /// Wherever a value is used.
    Expression(&'a Expr),
}

/// A variable whose type is written.
#[derive(Clone)]
pub(crate) struct Variable {
    pub name: String,
    pub ty: Type,
}

/// A mutant before it has a number.
pub(crate) struct Draft {
    pub operator: &'static str,
    pub function: String,
    pub at: Range<usize>,
    pub becomes: String,
}

/// One mutant of a place: what runs, and how it is told (the bytes that it replaces, and by
/// what).
pub(crate) struct Arm {
    pub runs: String,
    pub at: Range<usize>,
    pub becomes: String,
}

/// What operators know of a file, and where they leave what they find.
pub(crate) struct Finder<'s> {
    text: &'s str,
    prefix: usize,
    pub operator: &'static str,
    /// The path of the function that is looked at.
    pub function: String,
    pub variables: Vec<Variable>,
    /// The type of the `impl` around.
    pub self_type: Option<String>,
    /// The named fields of the structures in this file.
    structures: BTreeMap<String, Vec<Variable>>,
    pub found: Vec<(Site, Vec<Draft>)>,
    /// Statements that a block has its type by.
    pub needed: Vec<Range<usize>>,
    /// Changes that were proposed: two operators may have the same idea.
    proposed: BTreeSet<(usize, usize, String)>,
}

impl<'s> Finder<'s> {
    pub fn new(text: &'s str, prefix: usize, file: &syn::File) -> Self {
        Finder {
            text,
            prefix,
            operator: "",
            function: String::new(),
            variables: vec![],
            self_type: None,
            structures: fields::structures(&file.items),
            found: vec![],
            needed: vec![],
            proposed: BTreeSet::new(),
        }
    }

    /// The bytes of something.
    pub fn range(&self, of: &impl Spanned) -> Range<usize> {
        let Range { start, end } = of.span().byte_range();
        start + self.prefix..end + self.prefix
    }

    pub fn text(&self, range: &Range<usize>) -> &'s str {
        &self.text[range.clone()]
    }

    /// From the first to the last statement of a block, if there is one.
    pub fn inside(&self, block: &Block) -> Option<Range<usize>> {
        let (first, last) = (block.stmts.first()?, block.stmts.last()?);
        Some(self.range(first).start..self.range(last).end)
    }

    /// Guards a place, unless there is nothing to choose from.
    pub fn propose(
        &mut self,
        span: Range<usize>,
        level: Level,
        pieces: Vec<Piece>,
        mut arms: Vec<Arm>,
    ) {
        // An attribute belongs to the whole expression, and would be lost with its first part.
        let is_part = matches!(level, Level::Condition | Level::Expression);
        if is_part && self.text(&span).starts_with('#') {
            return;
        }
        arms.retain(|arm| self.text(&arm.at).trim() != arm.becomes);
        arms.truncate(MAX_ARMS);
        arms.retain(|arm| self.proposed.insert((arm.at.start, arm.at.end, arm.becomes.clone())));
        if arms.is_empty() {
            return;
        }
        let runs = arms.iter().map(|arm| arm.runs.clone()).collect();
        let (operator, function) = (self.operator, self.function.clone());
        let draft = |arm: Arm| Draft {
            operator,
            function: function.clone(),
            at: arm.at,
            becomes: arm.becomes,
        };
        let drafts = arms.into_iter().map(draft).collect();
        self.found.push((Site { span, level, pieces, first: 0, arms: runs }, drafts));
    }
}

/// Whether an operator changes its left operand.
pub(crate) fn is_assigning(operator: &BinOp) -> bool {
    use BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    matches!(
        operator,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// Replaces an operator that takes its operands by value, or by reference with `&`, by others.
pub(crate) fn swap_operator(
    node: &Node,
    finder: &mut Finder,
    by: &'static str,
    others: fn(&str) -> &'static [&'static str],
) {
    let Node::Expression(expression @ Expr::Binary(binary)) = node else { return };
    let is_text =
        |side: &Expr| matches!(side, Expr::Lit(lit) if matches!(lit.lit, syn::Lit::Str(_)));
    let at = finder.range(&binary.op);
    let operator = finder.text(&at);
    let others = others(operator);
    if others.is_empty() || (by.is_empty() && is_text(&binary.right)) {
        return;
    }
    let operands = [(by, finder.range(&*binary.left)), (by, finder.range(&*binary.right))];
    let star = if by.is_empty() { "" } else { "*" };
    let written = |operator: &str| format!("{star}__0 {operator} {star}__1");
    let arm =
        |other: &&str| Arm { runs: written(other), at: at.clone(), becomes: (*other).to_owned() };
    let arms = others.iter().map(arm).collect();
    let pieces = crate::site::operands(&operands, written(operator));
    finder.propose(finder.range(expression), Level::Expression, pieces, arms);
}
