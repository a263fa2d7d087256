//! Comparisons and negations, in one form each.

use super::{Node, Op, Pool, Term, fold, mask, signed};

impl Pool {
    pub(super) fn comparison(&mut self, op: Op, a: Term, b: Term) -> Term {
        if a == b {
            return self.truth(matches!(op, Op::Eq | Op::Ule | Op::Sle));
        }
        if let Some(known) = self.compare_ranges(op, a, b) {
            return self.truth(known);
        }
        let width = self.width(a);
        if width == 1
            && op == Op::Eq
            && let Some(y) = self.constant(b)
        {
            return if y == 1 { a } else { self.not(a) };
        }
        if let Some(term) = self.narrowed(op, a, b) {
            return term;
        }
        if let Some(term) = self.compare_choice(op, a, b) {
            return term;
        }
        if op == Op::Eq
            && let Some(term) = self.equal_moved(a, b)
        {
            return term;
        }
        self.node2(op, 1, a, b)
    }

    fn compare_ranges(&self, op: Op, a: Term, b: Term) -> Option<bool> {
        let width = self.width(a);
        let (mut x, mut y) = (self.range(a), self.range(b));
        if matches!(op, Op::Slt | Op::Sle) {
            (x, y) = (x.biased(width)?, y.biased(width)?);
        }
        match op {
            Op::Eq if x.high < y.low || y.high < x.low => Some(false),
            Op::Ult | Op::Slt if x.high < y.low => Some(true),
            Op::Ult | Op::Slt if x.low >= y.high => Some(false),
            Op::Ule | Op::Sle if x.high <= y.low => Some(true),
            Op::Ule | Op::Sle if x.low > y.high => Some(false),
            _ => None,
        }
    }

    /// Comparisons of extended values are comparisons of the values.
    fn narrowed(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let (x, y) = (*self.node(a), *self.node(b));
        let extended = |node: &Node| matches!(node.op, Op::ZExt | Op::SExt);
        if !extended(&x) && !extended(&y) {
            return None;
        }
        let kind = if extended(&x) { x.op } else { y.op };
        let inner = if extended(&x) { x.first() } else { y.first() };
        let width = self.width(inner);
        let full = x.width;
        let strip = |pool: &mut Pool, term: Term, node: &Node| -> Option<Term> {
            if node.op == kind && pool.width(node.first()) == width {
                return Some(node.first());
            }
            let bits = pool.constant(term)?;
            let fits = match kind {
                Op::ZExt => bits <= mask(width),
                _ => signed(bits & mask(width), width) as u128 & mask(full) == bits,
            };
            fits.then(|| pool.number(width, bits))
        };
        let (na, nb) = (strip(self, a, &x)?, strip(self, b, &y)?);
        let op = match (kind, op) {
            // Zero-extended values are never negative, so signs do not matter.
            (Op::ZExt, Op::Slt) => Op::Ult,
            (Op::ZExt, Op::Sle) => Op::Ule,
            // Sign extension keeps the unsigned order too: the negatives stay on top.
            (_, op) => op,
        };
        Some(self.binary(op, na, nb))
    }

    /// A comparison of a choice between constants with a constant is about the choice.
    fn compare_choice(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let (x, y) = (*self.node(a), *self.node(b));
        let width = x.width;
        let (node, left) = match (x.op, y.op) {
            (Op::Ite, Op::Const) => (x, true),
            (Op::Const, Op::Ite) => (y, false),
            _ => return None,
        };
        let number = if left { y.number } else { x.number };
        let value = |pool: &Pool, side: Term| -> Option<bool> {
            let side = pool.constant(side)?;
            let (p, q) = if left { (side, number) } else { (number, side) };
            Some(fold(op, width, p, q) == 1)
        };
        let (then, other) = (value(self, node.second()), value(self, node.third()));
        match (then, other) {
            (Some(then), Some(other)) => {
                let (then, other) = (self.truth(then), self.truth(other));
                Some(self.ite(node.first(), then, other))
            }
            // One side decided: the comparison descends into the other.
            (Some(_), None) | (None, Some(_)) => {
                let compare = |pool: &mut Pool, side: Term| {
                    if left { pool.binary(op, side, b) } else { pool.binary(op, a, side) }
                };
                let then = compare(self, node.second());
                let other = compare(self, node.third());
                Some(self.ite(node.first(), then, other))
            }
            (None, None) => None,
        }
    }

    /// What is added to one side is taken from the other.
    fn equal_moved(&mut self, a: Term, b: Term) -> Option<Term> {
        let x = *self.node(a);
        if let Some(bits) = self.constant(b) {
            match x.op {
                Op::Add => {
                    let c = self.constant(x.second())?;
                    let moved = self.number(x.width, bits.wrapping_sub(c));
                    return Some(self.binary(Op::Eq, x.first(), moved));
                }
                Op::Xor => {
                    let c = self.constant(x.second())?;
                    let moved = self.number(x.width, bits ^ c);
                    return Some(self.binary(Op::Eq, x.first(), moved));
                }
                _ => return None,
            }
        }
        None
    }

    pub(super) fn negates(&self, a: Term, b: Term) -> bool {
        let is_not = |x: Term, y: Term| {
            let node = self.node(x);
            node.op == Op::Xor
                && node.width == 1
                && node.first() == y
                && self.constant(node.second()) == Some(1)
        };
        is_not(a, b) || is_not(b, a)
    }

    /// Every bit flipped; of a condition, its negation.
    pub fn not(&mut self, a: Term) -> Term {
        let node = *self.node(a);
        if node.width == 1 {
            // `!(x < y)` is `y <= x`: one node fewer, and the same term either way round.
            let turned = match node.op {
                Op::Ult => Some(Op::Ule),
                Op::Ule => Some(Op::Ult),
                Op::Slt => Some(Op::Sle),
                Op::Sle => Some(Op::Slt),
                _ => None,
            };
            if let Some(op) = turned {
                return self.binary(op, node.second(), node.first());
            }
        }
        let ones = self.number(node.width, u128::MAX);
        self.binary(Op::Xor, a, ones)
    }
}
