//! What iterators show changes: `rev`, `filter` and their like are left out, and the first
//! element is skipped.
//!
//! Each adaptor has a type of its own, so no expression can be one or the other. A whole
//! statement can, and the value of a function can be returned earlier, by a copy of its last
//! expression; elsewhere iterators stay.

use super::{Arm, Finder, Node, Operator};
use crate::site::{Level, Piece, before, statement, whole};
use std::ops::Range;
use syn::{Expr, Stmt};

pub(super) const OPERATOR: Operator = Operator {
    name: "iterators",
    what: "an iterator skips its first element, or loses `rev`, `filter` or the like",
    look: |node, finder| match node {
        Node::Statement(Stmt::Local(local)) => {
            let Some(init) = &local.init else { return };
            // With an `else`, the pattern decides what the expression may be.
            if init.diverge.is_none() {
                let span = finder.range(&*init.expr);
                chosen(finder, &init.expr, &span, Level::Hoisted, whole(&span), "");
            }
        }
        Node::Statement(all @ Stmt::Expr(expression, semi)) => {
            let iterator = match expression {
                Expr::ForLoop(each) => &*each.expr,
                chain if semi.is_some() => chain,
                _ => return,
            };
            let span = finder.range(*all);
            chosen(finder, iterator, &span, Level::Statement, statement(&span), "");
        }
        Node::Tail(tail) if !matches!(tail, Expr::ForLoop(_)) => {
            let span = finder.range(*tail);
            chosen(finder, tail, &span, Level::Hoisted, before(&span), "return ");
        }
        _ => {}
    },
};

/// Adaptors that can be left out.
const LEFT_OUT: &[&str] = &["filter", "rev", "skip", "skip_while", "step_by", "take", "take_while"];
/// Methods that begin an iteration.
const BEGIN: &[&str] =
    &["bytes", "char_indices", "chars", "into_iter", "iter", "iter_mut", "lines"];

/// Proposes the changes of a chain of calls, as changes of all that stands in `span`.
fn chosen(
    finder: &mut Finder,
    chain: &Expr,
    span: &Range<usize>,
    level: Level,
    pieces: Vec<Piece>,
    keyword: &str,
) {
    let mut arms = vec![];
    let mut rest = chain;
    while let Expr::MethodCall(call) = rest {
        let name = call.method.to_string();
        let (receiver, whole) = (finder.range(&*call.receiver), finder.range(rest));
        let change = if LEFT_OUT.contains(&name.as_str()) {
            Some((receiver.end..whole.end, ""))
        } else if BEGIN.contains(&name.as_str()) {
            Some((whole.end..whole.end, ".skip(1)"))
        } else {
            None
        };
        if let Some((at, becomes)) = change {
            let (before, after) = (span.start..at.start, at.end..span.end);
            let (before, after) = (finder.text(&before), finder.text(&after));
            let runs = format!("{keyword}{before}{becomes}{after}");
            arms.push(Arm { runs, at, becomes: becomes.to_owned() });
        }
        rest = &call.receiver;
    }
    finder.propose(span.clone(), level, pieces, arms);
}
