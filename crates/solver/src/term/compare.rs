//! Comparisons and negations, in one form each.
//!
//! A condition and its negation differ by one outer negation and by nothing
//! else, however the compiler wrote them: `x <= y` is made as `!(y < x)`, and
//! against a constant only `x < c` and `x == c` remain. So a condition turned
//! twice is the term it was, which is what an exploration relies on when it
//! compares the path a run takes with the one it was to take.

use super::{Node, Op, Pool, Term, fold, mask, signed};

impl Pool {
    pub(super) fn comparison(&mut self, op: Op, a: Term, b: Term) -> Term {
        match op {
            Op::Ule => {
                let greater = self.binary(Op::Ult, b, a);
                return self.not(greater);
            }
            Op::Sle => {
                let greater = self.binary(Op::Slt, b, a);
                return self.not(greater);
            }
            _ => {}
        }
        if a == b {
            return self.truth(op == Op::Eq);
        }
        if let Some(known) = self.compare_ranges(op, a, b) {
            return self.truth(known);
        }
        if self.width(a) == 1 {
            return self.compare_bits(op, a, b);
        }
        if op == Op::Ult
            && let Some(term) = self.never_or_zero(a, b)
        {
            return term;
        }
        if op == Op::Slt
            && let Some(term) = self.beyond_rounded(a, b)
        {
            return term;
        }
        let rewritten = self
            .narrowed(op, a, b)
            .or_else(|| self.compare_choice(op, a, b))
            .or_else(|| self.against_constant(op, a, b));
        if let Some(term) = rewritten {
            return term;
        }
        if op == Op::Eq
            && let Some(term) = self.equal_moved(a, b)
        {
            return term;
        }
        if op == Op::Eq
            && let Some(term) = self.equal_sums(a, b)
        {
            return term;
        }
        if op == Op::Eq
            && let Some(known) = self.equal_parities(a, b)
        {
            return self.truth(known);
        }
        self.node2(op, 1, a, b)
    }

    /// Comparisons that checked arithmetic makes and that its operands settle.
    fn never_or_zero(&mut self, a: Term, b: Term) -> Option<Term> {
        let (x, y) = (*self.node(a), *self.node(b));
        // A remainder is below its divisor, unless that is zero.
        if x.op == Op::URem && x.second() == b {
            let zero = self.number(self.width(b), 0);
            let by_zero = self.equal(b, zero);
            return Some(self.not(by_zero));
        }
        // A sum is below its part only after an overflow.
        if x.op == Op::Add && (x.first() == b || x.second() == b) {
            let most = mask(x.width);
            let high = self.range(x.first()).high.checked_add(self.range(x.second()).high);
            if high.is_some_and(|high| high <= most) {
                return Some(self.truth(false));
            }
        }
        // A quotient times its divisor is at most what was divided.
        if self.divisor_of_rounded(a, b).is_some() {
            return Some(self.truth(false));
        }
        if y.op == Op::Mul {
            for (quotient, by) in [(y.first(), y.second()), (y.second(), y.first())] {
                let node = self.node(quotient);
                if node.op == Op::UDiv && node.first() == a && node.second() == by {
                    return Some(self.truth(false));
                }
            }
        }
        None
    }

    /// Rounded toward zero, a quotient times its divisor is above what was divided exactly
    /// if the remainder is negative; by zero, and where the quotient overflows, as well.
    fn beyond_rounded(&mut self, a: Term, b: Term) -> Option<Term> {
        let product = *self.node(b);
        if product.op != Op::Mul {
            return None;
        }
        let pairs = [(product.first(), product.second()), (product.second(), product.first())];
        for (quotient, by) in pairs {
            let node = *self.node(quotient);
            if node.op == Op::SDiv && node.first() == a && node.second() == by {
                let rest = self.binary(Op::SRem, a, by);
                return Some(self.extract(rest, node.width - 1, 1));
            }
        }
        None
    }

    /// Conditions compared with each other are connected, not ordered.
    fn compare_bits(&mut self, op: Op, a: Term, b: Term) -> Term {
        let (smaller, larger) = match op {
            Op::Eq => {
                let differ = self.binary(Op::Xor, a, b);
                return self.not(differ);
            }
            // As a signed number, a single bit that is set is minus one.
            Op::Slt => (b, a),
            _ => (a, b),
        };
        let clear = self.not(smaller);
        self.and(clear, larger)
    }

    /// One form for all comparisons with a constant: the constant stands on the right of
    /// `<`, and what leaves one value is an equality.
    fn against_constant(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let half = 1u128 << (width - 1);
        let least = if op == Op::Slt { half } else { 0 };
        let most = least.wrapping_sub(1) & mask(width);
        if op == Op::Eq {
            return None;
        }
        if let Some(x) = self.constant(a) {
            if x == most {
                return Some(self.truth(false));
            }
            let next = self.number(width, x.wrapping_add(1));
            let at_most = self.binary(op, b, next);
            return Some(self.not(at_most));
        }
        let y = self.constant(b)?;
        if y == least {
            return Some(self.truth(false));
        }
        if y == least.wrapping_add(1) & mask(width) {
            let least = self.number(width, least);
            return Some(self.equal(a, least));
        }
        if y == most {
            let equal = self.equal(a, b);
            return Some(self.not(equal));
        }
        match (op, y) {
            (Op::Slt, 0) => Some(self.extract(a, width - 1, 1)),
            (Op::Ult, y) if y == half => {
                let top = self.extract(a, width - 1, 1);
                Some(self.not(top))
            }
            _ => None,
        }
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

    /// The condition that this one is the negation of.
    pub(super) fn negated(&self, a: Term) -> Option<Term> {
        let node = self.node(a);
        let is_negation =
            node.op == Op::Xor && node.width == 1 && self.constant(node.second()) == Some(1);
        is_negation.then(|| node.first())
    }

    pub(super) fn negates(&self, a: Term, b: Term) -> bool {
        self.negated(a) == Some(b) || self.negated(b) == Some(a)
    }

    /// Every bit flipped; of a condition, its negation. Twice is the term itself.
    pub fn not(&mut self, a: Term) -> Term {
        let ones = self.number(self.width(a), u128::MAX);
        self.binary(Op::Xor, a, ones)
    }
}
