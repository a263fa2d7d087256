//! Making terms, with the rewriting that keeps them small.
//!
//! Each constructor returns a term equal to the plain one for every value of
//! its variables. The rules are those that compiled Rust calls for: bytes put
//! together and taken apart again, comparisons of extended values, conditions
//! that are themselves the result of a choice between constants.

use super::{MAX_WIDTH, Node, Op, Pool, Term, fold, mask, signed};

impl Pool {
    pub fn number(&mut self, width: u32, bits: u128) -> Term {
        assert!((1..=MAX_WIDTH).contains(&width), "a term is 1 to 128 bits wide, not {width}");
        let number = bits & mask(width);
        self.intern(Node { op: Op::Const, width, args: [None; 3], number })
    }

    pub fn truth(&mut self, value: bool) -> Term {
        self.number(1, u128::from(value))
    }

    pub fn variable(&mut self, width: u32, index: u32) -> Term {
        self.intern(Node { op: Op::Var, width, args: [None; 3], number: u128::from(index) })
    }

    pub(super) fn node2(&mut self, op: Op, width: u32, a: Term, b: Term) -> Term {
        self.intern(Node { op, width, args: [Some(a), Some(b), None], number: 0 })
    }

    /// An operation on two terms of one width.
    pub fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "operands of {op:?} differ in width");
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            let result_width = if op.is_comparison() { 1 } else { width };
            return self.number(result_width, fold(op, width, x, y));
        }
        let commutes = matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq);
        // Constants go to the right, and otherwise the older term to the left, so that
        // `a + b` and `b + a` are one term.
        let swap =
            commutes && (self.constant(a).is_some() || (self.constant(b).is_none() && a > b));
        let (a, b) = if swap { (b, a) } else { (a, b) };
        if op.is_comparison() { self.comparison(op, a, b) } else { self.arithmetic(op, a, b) }
    }

    fn arithmetic(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.width(a);
        // On single bits these are the same, and conditions want one form.
        let op = match op {
            Op::Add | Op::Sub if width == 1 => Op::Xor,
            Op::Mul if width == 1 => Op::And,
            op => op,
        };
        if let Some(y) = self.constant(b)
            && let Some(term) = self.with_constant(op, a, b, y)
        {
            return term;
        }
        if a == b {
            match op {
                Op::Sub | Op::Xor => return self.number(width, 0),
                Op::And | Op::Or => return a,
                _ => {}
            }
        }
        if width == 1 && matches!(op, Op::And | Op::Or | Op::Xor) && self.negates(a, b) {
            return self.truth(op != Op::And);
        }
        if width == 1
            && op == Op::Xor
            && let Some(term) = self.negation_outside(a, b)
        {
            return term;
        }
        // Nothing is borrowed when all bits that can be set are set above.
        if op == Op::Sub
            && let Some(x) = self.constant(a)
            && x.wrapping_add(1) & x == 0
            && self.range(b).high <= x
        {
            return self.binary(Op::Xor, a, b);
        }
        if self.constant(a) == Some(0) {
            match op {
                Op::Shl | Op::LShr | Op::AShr => return a,
                _ => {}
            }
        }
        if let Some(term) = self.narrow_division(op, a, b) {
            return term;
        }
        if (op == Op::Or || op == Op::Add)
            && let Some(term) = self.disjoint_sum(a, b)
        {
            return term;
        }
        if op == Op::Add
            && let Some(term) = self.put_together(a, b)
        {
            return term;
        }
        if op == Op::Sub
            && let Some(by) = self.divisor_of_rounded(a, b)
        {
            let by = self.number(width, by);
            return self.binary(Op::URem, a, by);
        }
        self.node2(op, width, a, b)
    }

    /// What a division leaves, added to the rest, is what was divided.
    fn put_together(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        for (rest, other) in [(a, b), (b, a)] {
            let node = match *self.node(rest) {
                extended if extended.op == Op::ZExt => *self.node(extended.first()),
                node => node,
            };
            if node.op != Op::URem && (node.op != Op::SRem || node.width != width) {
                continue;
            }
            let whole = self.zero_extend(node.first(), width);
            if self.is_sum_of(whole, rest, other) {
                return Some(whole);
            }
        }
        None
    }

    /// `!x ^ y` is `!(x ^ y)`: a negation stands outside.
    fn negation_outside(&mut self, a: Term, b: Term) -> Option<Term> {
        let (x, y) = match (self.negated(a), self.negated(b)) {
            (None, None) => return None,
            (x, y) => (x, y),
        };
        let inner = self.binary(Op::Xor, x.unwrap_or(a), y.unwrap_or(b));
        let odd = x.is_some() != y.is_some();
        Some(if odd { self.not(inner) } else { inner })
    }

    fn with_constant(&mut self, op: Op, a: Term, b: Term, y: u128) -> Option<Term> {
        let width = self.width(a);
        let ones = mask(width);
        match (op, y) {
            (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr, 0) => {
                return Some(a);
            }
            (Op::And | Op::Mul, 0) => return Some(b),
            (Op::Mul | Op::UDiv | Op::SDiv, 1) if width > 1 => return Some(a),
            (Op::URem, 1) => return Some(self.number(width, 0)),
            (Op::And, y) if y == ones => return Some(a),
            (Op::Or, y) if y == ones => return Some(b),
            // A subtraction of a constant is an addition, so that chains of both fold.
            (Op::Sub, y) => {
                let negated = self.number(width, y.wrapping_neg());
                return Some(self.binary(Op::Add, a, negated));
            }
            (Op::Mul, y) if y.is_power_of_two() => {
                let by = self.number(width, u128::from(y.trailing_zeros()));
                return Some(self.binary(Op::Shl, a, by));
            }
            (Op::UDiv, y) if y.is_power_of_two() => {
                let by = self.number(width, u128::from(y.trailing_zeros()));
                return Some(self.binary(Op::LShr, a, by));
            }
            (Op::URem, y) if y.is_power_of_two() => {
                let low = self.number(width, y - 1);
                return Some(self.binary(Op::And, a, low));
            }
            _ => {}
        }
        self.masked(op, a, y).or_else(|| self.reassociated(op, a, y))
    }

    /// Masks and shifts by constants are extracts in disguise.
    fn masked(&mut self, op: Op, a: Term, y: u128) -> Option<Term> {
        let width = self.width(a);
        let range = self.range(a);
        match op {
            Op::And if (y + 1).is_power_of_two() && y < mask(width) => {
                if range.high <= y {
                    return Some(a);
                }
                let low = self.extract(a, 0, y.count_ones());
                Some(self.zero_extend(low, width))
            }
            // Neighbouring bits somewhere in the middle.
            Op::And
                if y > 0
                    && (y >> y.trailing_zeros()) + 1 == 1 << y.count_ones()
                    && y < mask(width) =>
            {
                let free = y.trailing_zeros();
                let bits = self.extract(a, free, y.count_ones());
                let zeros = self.number(free, 0);
                let placed = self.concat(bits, zeros);
                Some(self.zero_extend(placed, width))
            }
            Op::LShr if y < u128::from(width) => {
                if let Some(quotient) = self.shifted_product(a, y as u32, mask(width)) {
                    return Some(quotient);
                }
                let high = self.extract(a, y as u32, width - y as u32);
                Some(self.zero_extend(high, width))
            }
            Op::LShr | Op::Shl if y >= u128::from(width) => Some(self.number(width, 0)),
            Op::Shl => {
                let kept = self.extract(a, 0, width - y as u32);
                let zeros = self.number(y as u32, 0);
                Some(self.concat(kept, zeros))
            }
            Op::URem if range.high < y => Some(a),
            Op::UDiv if range.high < y => Some(self.number(width, 0)),
            _ => None,
        }
    }

    /// The divisor, if the second is what a division by a constant takes from the first:
    /// `a / by * by`, in whatever widths.
    pub(super) fn divisor_of_rounded(&mut self, a: Term, product: Term) -> Option<u128> {
        let product = *self.node(product);
        if product.op != Op::Mul {
            return None;
        }
        let by = self.constant(product.second()).filter(|by| *by > 1)?;
        let quotient = match *self.node(product.first()) {
            extended if extended.op == Op::ZExt => *self.node(extended.first()),
            node => node,
        };
        if quotient.op != Op::UDiv || self.constant(quotient.second()) != Some(by) {
            return None;
        }
        // What was divided may have been made narrower, without loss.
        let (width, narrow) = (product.width, quotient.width);
        let whole = narrow == width || self.range(a).high <= mask(narrow);
        (whole && self.extract(a, 0, narrow) == quotient.first()).then_some(by)
    }

    /// `(x * m) >> by` is `x / d`, where that is so for every `x` up to `most`: how code
    /// that is quick divides. With `m * d = 2^by + e` the two differ by `x * e / (d * 2^by)`,
    /// which takes the quotient to the next whole number only if `x * e >= 2^by`.
    pub fn shifted_product(&mut self, product: Term, by: u32, most: u128) -> Option<Term> {
        let node = *self.node(product);
        if node.op != Op::Mul || by == 0 || by >= node.width.min(127) {
            return None;
        }
        let factor = self.constant(node.second()).filter(|factor| *factor > 1)?;
        let most = self.range(node.first()).high.min(most);
        let fits = most.checked_mul(factor).is_some_and(|high| high <= mask(node.width));
        let power = 1u128 << by;
        let divisor = power.div_ceil(factor);
        let excess = divisor.checked_mul(factor)? - power;
        let exact = most.checked_mul(excess).is_some_and(|beyond| beyond < power);
        if !fits || !exact || divisor < 2 || divisor > mask(node.width) {
            return None;
        }
        let divisor = self.number(node.width, divisor);
        Some(self.binary(Op::UDiv, node.first(), divisor))
    }

    /// `(x op c) op y` is `x op (c op y)`; a choice between constants folds inside.
    fn reassociated(&mut self, op: Op, a: Term, y: u128) -> Option<Term> {
        let node = *self.node(a);
        let width = node.width;
        if matches!(op, Op::Add | Op::And | Op::Or | Op::Xor | Op::Mul)
            && node.op == op
            && let Some(c) = self.constant(node.second())
        {
            let folded = self.number(width, fold(op, width, c, y));
            return Some(self.binary(op, node.first(), folded));
        }
        if op == Op::UDiv
            && node.op == Op::UDiv
            && let Some(by) = self.constant(node.second()).and_then(|c| c.checked_mul(y))
            && by <= mask(width)
            && by > 0
        {
            let by = self.number(width, by);
            return Some(self.binary(Op::UDiv, node.first(), by));
        }
        if node.op == Op::Ite {
            let (then, other) = (self.constant(node.second())?, self.constant(node.third())?);
            let then = self.number(width, fold(op, width, then, y));
            let other = self.number(width, fold(op, width, other, y));
            return Some(self.ite(node.first(), then, other));
        }
        None
    }

    /// Small numbers are divided as small numbers: a divider is as long as it is wide.
    fn narrow_division(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let divides = match op {
            // By zero gives ones as wide as the numbers are.
            Op::UDiv => self.range(b).low > 0,
            Op::URem => true,
            _ => false,
        };
        let high = self.range(a).high.max(self.range(b).high);
        let needed = (128 - high.leading_zeros()).max(1);
        if !divides || needed >= width {
            return None;
        }
        let (a, b) = (self.extract(a, 0, needed), self.extract(b, 0, needed));
        let narrow = self.binary(op, a, b);
        Some(self.zero_extend(narrow, width))
    }

    /// Values that share no bit position, put together: what shifting and or-ing bytes does.
    fn disjoint_sum(&mut self, a: Term, b: Term) -> Option<Term> {
        for (high, low) in [(a, b), (b, a)] {
            let width = self.width(high);
            let node = match *self.node(high) {
                extended if extended.op == Op::ZExt => *self.node(extended.first()),
                node => node,
            };
            if node.op != Op::Concat || self.constant(node.second()) != Some(0) {
                continue;
            }
            let zeros = self.width(node.second());
            if self.range(low).high <= mask(zeros) {
                let low = self.extract(low, 0, zeros);
                let together = self.concat(node.first(), low);
                return Some(self.zero_extend(together, width));
            }
        }
        None
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::And, a, b)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Or, a, b)
    }

    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Eq, a, b)
    }

    /// `then` where the condition holds, `other` elsewhere.
    pub fn ite(&mut self, condition: Term, then: Term, other: Term) -> Term {
        if then == other {
            return then;
        }
        match self.constant(condition) {
            Some(1) => return then,
            Some(_) => return other,
            None => {}
        }
        let width = self.width(then);
        if width == 1 {
            match (self.constant(then), self.constant(other)) {
                (Some(1), _) => return self.or(condition, other),
                (_, Some(0)) => return self.and(condition, then),
                (Some(0), _) => {
                    let negated = self.not(condition);
                    return self.and(negated, other);
                }
                (_, Some(1)) => {
                    let negated = self.not(condition);
                    return self.or(negated, then);
                }
                _ => {}
            }
        }
        let node = *self.node(other);
        if node.op == Op::Ite && node.first() == condition {
            return self.ite(condition, then, node.third());
        }
        self.intern(Node {
            op: Op::Ite,
            width,
            args: [Some(condition), Some(then), Some(other)],
            number: 0,
        })
    }

    pub fn zero_extend(&mut self, a: Term, width: u32) -> Term {
        let node = *self.node(a);
        if node.width == width {
            return a;
        }
        if let Some(bits) = self.constant(a) {
            return self.number(width, bits);
        }
        // A constant that was added without overflow is added outside, where it may meet the
        // one that takes it away again.
        if node.op == Op::Add
            && let Some(c) = self.constant(node.second())
            && self.range(node.first()).high.checked_add(c).is_some_and(|h| h <= mask(node.width))
        {
            let (inner, c) = (self.zero_extend(node.first(), width), self.number(width, c));
            return self.binary(Op::Add, inner, c);
        }
        let inner = if node.op == Op::ZExt { node.first() } else { a };
        self.intern(Node { op: Op::ZExt, width, args: [Some(inner), None, None], number: 0 })
    }

    pub fn sign_extend(&mut self, a: Term, width: u32) -> Term {
        let node = *self.node(a);
        if node.width == width {
            return a;
        }
        if let Some(bits) = self.constant(a) {
            return self.number(width, signed(bits, node.width) as u128);
        }
        // A value whose top bit is never set extends with zeros.
        if self.range(a).high < 1 << (node.width - 1) {
            return self.zero_extend(a, width);
        }
        let inner = if node.op == Op::SExt { node.first() } else { a };
        self.intern(Node { op: Op::SExt, width, args: [Some(inner), None, None], number: 0 })
    }

    /// `width` bits of `a`, from bit `low` up.
    pub fn extract(&mut self, a: Term, low: u32, width: u32) -> Term {
        let node = *self.node(a);
        debug_assert!(low + width <= node.width, "an extract lies inside its operand");
        if low == 0 && width == node.width {
            return a;
        }
        match node.op {
            Op::Const => return self.number(width, node.number >> low),
            Op::Extract => return self.extract(node.first(), node.number as u32 + low, width),
            Op::Concat => {
                let split = self.width(node.second());
                if low + width <= split {
                    return self.extract(node.second(), low, width);
                }
                if low >= split {
                    return self.extract(node.first(), low - split, width);
                }
                let bottom = self.extract(node.second(), low, split - low);
                let top = self.extract(node.first(), 0, low + width - split);
                return self.concat(top, bottom);
            }
            Op::ZExt | Op::SExt => {
                let inner = self.width(node.first());
                if low + width <= inner {
                    return self.extract(node.first(), low, width);
                }
                if node.op == Op::ZExt && low >= inner {
                    return self.number(width, 0);
                }
                if low < inner {
                    let kept = self.extract(node.first(), low, inner - low);
                    return if node.op == Op::ZExt {
                        self.zero_extend(kept, width)
                    } else {
                        self.sign_extend(kept, width)
                    };
                }
            }
            Op::Ite => {
                let constant = |pool: &Pool, term| pool.constant(term).is_some();
                if constant(self, node.second()) || constant(self, node.third()) {
                    let then = self.extract(node.second(), low, width);
                    let other = self.extract(node.third(), low, width);
                    return self.ite(node.first(), then, other);
                }
            }
            Op::And | Op::Or | Op::Xor => {
                let a = self.extract(node.first(), low, width);
                let b = self.extract(node.second(), low, width);
                return self.binary(node.op, a, b);
            }
            // Below the lowest bit of what is added nothing changes.
            Op::Add
                if self
                    .constant(node.second())
                    .is_some_and(|c| low + width <= c.trailing_zeros()) =>
            {
                return self.extract(node.first(), low, width);
            }
            // The low bits of a sum depend on the low bits alone.
            Op::Add | Op::Sub | Op::Mul if low == 0 => {
                let a = self.extract(node.first(), 0, width);
                let b = self.extract(node.second(), 0, width);
                return self.binary(node.op, a, b);
            }
            _ => {}
        }
        if low > 0 && self.range(a).high <= mask(low) {
            return self.number(width, 0);
        }
        let number = u128::from(low);
        self.intern(Node { op: Op::Extract, width, args: [Some(a), None, None], number })
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (h, l) = (*self.node(high), *self.node(low));
        let width = h.width + l.width;
        assert!(width <= MAX_WIDTH, "a term is at most 128 bits wide");
        if let (Some(x), Some(y)) = (self.constant(high), self.constant(low)) {
            return self.number(width, x << l.width | y);
        }
        if self.constant(high) == Some(0) {
            return self.zero_extend(low, width);
        }
        // The lower part of a term may have been rewritten; it is still its lower part.
        if h.op == Op::Extract
            && h.number == u128::from(l.width)
            && self.extract(h.first(), 0, l.width) == low
        {
            return self.extract(h.first(), 0, width);
        }
        if h.op == Op::Extract {
            // Neighbouring parts of one term, and the whole of a term with its own top.
            if l.op == Op::Extract
                && h.first() == l.first()
                && h.number == l.number + u128::from(l.width)
            {
                return self.extract(h.first(), l.number as u32, width);
            }
        }
        // Right-leaning chains of parts, so that equal contents are equal terms.
        if h.op == Op::Concat {
            let inner = self.concat(h.second(), low);
            return self.concat(h.first(), inner);
        }
        if l.op == Op::Concat {
            let top = *self.node(l.first());
            if h.op == Op::Extract
                && top.op == Op::Extract
                && h.first() == top.first()
                && h.number == top.number + u128::from(top.width)
            {
                let joined = self.concat(high, l.first());
                return self.concat(joined, l.second());
            }
        }
        self.node2(Op::Concat, width, high, low)
    }
}
