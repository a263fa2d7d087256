//! Which left-out statements make the compiler see paths that the original does not have.
//!
//! A `return` that may be left out lets a value be moved twice, an assignment that may be left
//! out lets a variable be used without a value. The compiler then points to the moves and the
//! uses, never to the statement. Nothing is certain here: what is named is the likeliest, and
//! whoever asks finds out by compiling again.

use crate::{Source, Written};
use std::collections::BTreeSet;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

/// What a compiler says of a file; places are bytes of the written text.
#[derive(Clone, Debug)]
pub struct Complaint<'c> {
    pub code: Option<&'c str>,
    pub text: &'c str,
    /// As it is shown, with the labels of its places.
    pub rendered: &'c str,
    /// What it is about.
    pub primary: Vec<Range<usize>>,
    /// What it has to do with that.
    pub others: Vec<Range<usize>>,
}

impl Complaint<'_> {
    /// Whether it is about which paths there are, and not about a single place.
    fn is_about_paths(&self) -> bool {
        const CODES: &[&str] = &[
            "E0381", "E0382", "E0384", "E0499", "E0502", "E0503", "E0505", "E0506", "E0597",
            "E0713", "E0716",
        ];
        self.code.is_some_and(|code| CODES.contains(&code))
    }

    /// The variable that it is about, where it is about one alone.
    fn variable(&self) -> Option<&str> {
        let is_of_one = matches!(self.code, Some("E0381" | "E0382" | "E0384"));
        is_of_one.then(|| self.text.split('`').nth(1)).flatten()
    }
}

/// Mutants that may be to blame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suspects {
    pub mutants: Vec<u32>,
    /// Whether nobody else comes into question.
    pub is_sure: bool,
}

impl Suspects {
    pub(crate) fn new(mut mutants: Vec<u32>, is_sure: bool) -> Suspects {
        mutants.sort_unstable();
        mutants.dedup();
        Suspects { is_sure: is_sure || mutants.len() == 1, mutants }
    }
}

/// The blocks and statements of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    blocks: Vec<BlockPlace>,
    statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
struct BlockPlace {
    range: Range<usize>,
    is_loop: bool,
}

/// A statement that can be left out.
#[derive(Clone, Debug)]
struct Statement {
    range: Range<usize>,
    /// Whether nothing after it is reached.
    diverges: bool,
    /// Variables that it sets.
    sets: BTreeSet<String>,
    /// Whether a macro may do either.
    is_unknown: bool,
    /// Whether it gives the block around it its type: it is the last of one that is not
    /// just run.
    is_value: bool,
}

impl Statement {
    fn changes_paths(&self, variable: Option<&str>) -> bool {
        let sets = variable.map_or(!self.sets.is_empty(), |name| self.sets.contains(name));
        self.diverges || self.is_unknown || sets
    }
}

impl Source {
    /// The mutants that are to blame for a complaint about this file.
    pub fn blamed(&self, written: &Written, complaint: &Complaint) -> Suspects {
        let places: Vec<Range<usize>> =
            complaint.primary.iter().chain(&complaint.others).cloned().collect();
        if !complaint.is_about_paths() {
            let in_arms = written.arms_around(&places);
            if in_arms.is_empty() && complaint.code == Some("E0308") {
                let untyped = self.untyped(written, complaint);
                if !untyped.is_empty() {
                    return Suspects::new(untyped, false);
                }
            }
            return written.blamed(&places);
        }
        let attempts: [&dyn Fn() -> Vec<u32>; 5] = [
            &|| self.in_one_value(written, &places),
            &|| self.on_the_way(written, complaint),
            &|| self.left_out(written, complaint, |s| s.changes_paths(None)),
            &|| written.arms_around(&complaint.primary),
            &|| self.left_out(written, complaint, |_| true),
        ];
        let found = attempts.iter().map(|attempt| attempt()).find(|found| !found.is_empty());
        let Some(found) = found else { return written.blamed(&places) };
        let is_sure = self.only_set(&found, complaint);
        Suspects::new(found, is_sure)
    }

    /// Whether all that these leave out is to give a value to a variable that has none: each
    /// is needed then.
    fn only_set(&self, mutants: &[u32], complaint: &Complaint) -> bool {
        let Some(variable) = complaint.variable().filter(|_| complaint.code == Some("E0381"))
        else {
            return false;
        };
        let statement = |id: &u32| {
            let range = &self.mutant(*id)?.range;
            self.flow.statements.iter().find(|statement| statement.range == *range)
        };
        let sets = |found: &Statement| !found.is_unknown && found.sets.contains(variable);
        mutants.iter().all(|id| statement(id).is_some_and(sets))
    }

    /// The mutants of one operation that holds all places: what it borrows is in its own way.
    fn in_one_value(&self, written: &Written, places: &[Range<usize>]) -> Vec<u32> {
        let holds_all = |outer: &Range<usize>| {
            places.iter().all(|place| outer.start <= place.start && place.end <= outer.end)
        };
        let guards = written.pieces.iter().rev().filter(|piece| piece.is_value);
        let mut around = guards.filter(|guard| holds_all(&guard.range));
        around.next().map_or(vec![], |guard| guard.mutants.clone())
    }

    /// Statements in a block that has no value without them.
    fn untyped(&self, written: &Written, complaint: &Complaint) -> Vec<u32> {
        let within: Vec<Range<usize>> =
            complaint.primary.iter().map(|place| written.in_source(place)).collect();
        let is_it = |statement: &Statement| {
            let holds = |place: &Range<usize>| holds(place, &statement.range);
            statement.diverges && statement.is_value && within.iter().any(holds)
        };
        self.active(written, is_it)
    }

    /// Statements without which the one place of a complaint leads to the other.
    fn on_the_way(&self, written: &Written, complaint: &Complaint) -> Vec<u32> {
        let places = complaint.primary.iter().chain(&complaint.others);
        let mut places: Vec<Range<usize>> = places.map(|p| written.in_source(p)).collect();
        places.sort_by_key(|place| (place.start, place.end));
        let (Some(first), Some(last)) = (places.first(), places.iter().map(|p| p.end).max()) else {
            return vec![];
        };
        let whole = first.start..last;
        let around = self.flow.blocks.iter().rev().find(|b| b.is_loop && holds(&b.range, first));
        let repeats = complaint.rendered.contains("iteration of");
        let around = around.filter(|_| repeats).map(|block| block.range.clone());
        let variable = complaint.variable();
        let is_it = |statement: &Statement| {
            let at = &statement.range;
            let region = around.as_ref().unwrap_or(&whole);
            let diverges_between = match (&around, complaint.code) {
                (Some(block), _) => holds(block, at) && first.end <= at.start,
                (None, Some("E0381")) => holds(&whole, at),
                (None, _) => self.is_between(&places, at),
            };
            let sets = statement.changes_paths(variable) && !statement.diverges;
            statement.diverges && diverges_between || sets && holds(region, at)
        };
        self.active(written, is_it)
    }

    /// Whether what follows one of the places in its branch would go on to a later one.
    fn is_between(&self, places: &[Range<usize>], at: &Range<usize>) -> bool {
        let blocks = &self.flow.blocks;
        let branch = |from: &Range<usize>, to: &Range<usize>| {
            let apart = |block: &&BlockPlace| holds(&block.range, from) && !holds(&block.range, to);
            blocks.iter().find(apart).map(|block| block.range.clone())
        };
        places.iter().enumerate().any(|(n, from)| {
            let later = places[n + 1..].iter().filter(|to| from.end <= to.start);
            let mut branches = later.filter_map(|to| branch(from, to));
            from.end <= at.start && branches.any(|branch| holds(&branch, at))
        })
    }

    /// Left-out statements of the function that a complaint is about.
    fn left_out(
        &self,
        written: &Written,
        complaint: &Complaint,
        is_wanted: impl Fn(&Statement) -> bool,
    ) -> Vec<u32> {
        let Some(place) = complaint.primary.first() else { return vec![] };
        let Some(function) = self.function_around(&written.in_source(place)) else {
            return vec![];
        };
        self.active(written, |s| holds(&function, &s.range) && is_wanted(s))
    }

    /// The innermost function around bytes of the source.
    pub fn function_around(&self, place: &Range<usize>) -> Option<Range<usize>> {
        let around = self.functions.iter().filter(|function| holds(function, place));
        around.min_by_key(|function| function.len()).cloned()
    }

    /// Mutants of the written text that leave out such statements.
    fn active(&self, written: &Written, is_it: impl Fn(&Statement) -> bool) -> Vec<u32> {
        let wanted: BTreeSet<(usize, usize)> = (self.flow.statements.iter())
            .filter(|statement| is_it(statement))
            .map(|statement| (statement.range.start, statement.range.end))
            .collect();
        let arms = written.pieces.iter().filter(|piece| piece.is_arm);
        let mutants = arms.flat_map(|arm| &arm.mutants).copied();
        let is_left_out = |id: &u32| {
            self.mutant(*id).is_some_and(|mutant| {
                mutant.replacement.is_empty()
                    && wanted.contains(&(mutant.range.start, mutant.range.end))
            })
        };
        mutants.filter(is_left_out).collect()
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Reads the blocks and statements of a parsed file.
pub(crate) fn read(file: &syn::File, prefix: usize) -> Flow {
    let mut reader = Reader { prefix, flow: Flow::default() };
    reader.visit_file(file);
    // Outer ones first.
    reader.flow.blocks.sort_by_key(|b| (b.range.start, std::cmp::Reverse(b.range.end)));
    reader.flow
}

struct Reader {
    prefix: usize,
    flow: Flow,
}

impl Reader {
    fn range(&self, of: &impl Spanned) -> Range<usize> {
        let Range { start, end } = of.span().byte_range();
        start + self.prefix..end + self.prefix
    }

    fn block(&mut self, block: &Block, is_loop: bool, is_value: bool) {
        self.flow.blocks.push(BlockPlace { range: self.range(block), is_loop });
        let last = block.stmts.iter().rposition(|statement| !matches!(statement, Stmt::Item(_)));
        for (n, statement) in block.stmts.iter().enumerate() {
            let mut found = Statement {
                range: self.range(statement),
                diverges: diverges(statement),
                sets: BTreeSet::new(),
                is_unknown: is_unknown(statement),
                is_value: is_value && Some(n) == last,
            };
            Sets(&mut found.sets).visit_stmt(statement);
            self.flow.statements.push(found);
        }
        visit::visit_block(self, block);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_block(&mut self, block: &'ast Block) {
        self.block(block, false, true);
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.visit_expr(&branch.cond);
        self.block(&branch.then_branch, false, branch.else_branch.is_some());
        if let Some((_, other)) = &branch.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, each: &'ast syn::ExprWhile) {
        self.visit_expr(&each.cond);
        self.block(&each.body, true, false);
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.visit_expr(&each.expr);
        self.block(&each.body, true, false);
    }

    fn visit_expr_loop(&mut self, each: &'ast syn::ExprLoop) {
        self.block(&each.body, true, false);
    }
}

/// Collects variables that are set.
struct Sets<'s>(&'s mut BTreeSet<String>);

impl<'ast> Visit<'ast> for Sets<'_> {
    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.target(&assign.left);
        visit::visit_expr_assign(self, assign);
    }
}

impl Sets<'_> {
    fn target(&mut self, target: &Expr) {
        match target {
            Expr::Path(path) => self.0.extend(path.path.get_ident().map(ToString::to_string)),
            Expr::Tuple(tuple) => tuple.elems.iter().for_each(|element| self.target(element)),
            _ => {}
        }
    }
}

/// Macros of the standard library that do not return.
const NEVER: &[&str] = &["panic", "todo", "unimplemented", "unreachable"];
/// Others of it, which change no path.
const RETURNING: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "write",
    "writeln",
];

fn name_of(mac: &syn::Macro) -> String {
    mac.path.segments.last().map_or(String::new(), |last| last.ident.to_string())
}

fn is_unknown(statement: &Stmt) -> bool {
    let Stmt::Macro(call) = statement else { return false };
    let name = name_of(&call.mac);
    !NEVER.contains(&name.as_str()) && !RETURNING.contains(&name.as_str())
}

/// Whether what is written after a statement is never reached, as far as can be seen.
pub(crate) fn diverges(statement: &Stmt) -> bool {
    match statement {
        Stmt::Expr(expression, _) => leaves(expression),
        Stmt::Macro(call) => NEVER.contains(&name_of(&call.mac).as_str()),
        Stmt::Local(_) | Stmt::Item(_) => false,
    }
}

/// The statements by which a block ends without a value, in each of its branches.
pub(crate) fn ends(block: &Block) -> Vec<&Stmt> {
    let last = block.stmts.iter().rev().find(|statement| !matches!(statement, Stmt::Item(_)));
    match last {
        Some(Stmt::Expr(expression, None)) => ends_of(expression),
        Some(statement) if diverges(statement) => vec![statement],
        _ => vec![],
    }
}

fn ends_of(expression: &Expr) -> Vec<&Stmt> {
    match expression {
        Expr::Block(inner) => ends(&inner.block),
        Expr::Unsafe(inner) => ends(&inner.block),
        Expr::If(branch) => {
            let Some((_, other)) = &branch.else_branch else { return vec![] };
            [ends(&branch.then_branch), ends_of(other)].concat()
        }
        Expr::Match(choice) => choice.arms.iter().flat_map(|arm| ends_of(&arm.body)).collect(),
        _ => vec![],
    }
}

fn leaves(expression: &Expr) -> bool {
    let of_block = |block: &Block| block.stmts.iter().any(diverges);
    match expression {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Macro(call) => NEVER.contains(&name_of(&call.mac).as_str()),
        Expr::Block(inner) => inner.label.is_none() && of_block(&inner.block),
        Expr::Unsafe(inner) => of_block(&inner.block),
        Expr::If(branch) => {
            let other = branch.else_branch.as_ref();
            of_block(&branch.then_branch) && other.is_some_and(|(_, other)| leaves(other))
        }
        Expr::Match(choice) => choice.arms.iter().all(|arm| leaves(&arm.body)),
        _ => false,
    }
}
