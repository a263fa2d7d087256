//! Unsigned intervals of terms, from their shape alone.
//!
//! Many comparisons of compiled code are settled by them without a solver: an
//! extended byte is never above 255, a length is never above its bound. The
//! path condition is deliberately not used: a term means the same on every path.

use super::{Node, Op, Pool, Term, mask};

/// The values from `low` to `high`, both included.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Range {
    pub low: u128,
    pub high: u128,
}

impl Range {
    pub fn single(value: u128) -> Range {
        Range { low: value, high: value }
    }

    pub fn full(width: u32) -> Range {
        Range { low: 0, high: mask(width) }
    }

    /// How many values, if that fits.
    pub fn count(self) -> Option<u128> {
        (self.high - self.low).checked_add(1)
    }

    pub fn contains(self, value: u128) -> bool {
        self.low <= value && value <= self.high
    }

    fn join(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The interval as signed numbers moved up by half, if it does not cross the sign.
    pub fn biased(self, width: u32) -> Option<Range> {
        let half = 1u128 << (width - 1);
        let same_side = (self.low < half) == (self.high < half);
        same_side.then_some(Range { low: self.low ^ half, high: self.high ^ half })
    }
}

/// The interval of a node whose operands are in the pool.
pub fn of(pool: &Pool, node: &Node) -> Range {
    let width = node.width;
    let range = |index: usize| -> Range {
        let operand: Term = node.args[index].expect("the operand is there");
        pool.range(operand)
    };
    let full = Range::full(width);
    match node.op {
        Op::Const => Range::single(node.number),
        Op::Var => full,
        Op::ZExt => range(0),
        Op::Ite => range(1).join(range(2)),
        Op::Add => add(range(0), range(1), width),
        Op::Sub if range(0).low >= range(1).high => {
            Range { low: range(0).low - range(1).high, high: range(0).high - range(1).low }
        }
        Op::Mul => match divided(pool, node) {
            Some(whole) => Range { low: 0, high: whole.high },
            None => mul(range(0), range(1), width),
        },
        Op::UDiv if range(1).low > 0 => {
            Range { low: range(0).low / range(1).high, high: range(0).high / range(1).low }
        }
        Op::URem if range(1).low > 0 => {
            Range { low: 0, high: range(0).high.min(range(1).high - 1) }
        }
        Op::And => Range { low: 0, high: range(0).high.min(range(1).high) },
        Op::Or | Op::Xor => {
            let top = range(0).high | range(1).high;
            let ones = if top == 0 { 0 } else { mask(128 - top.leading_zeros()) };
            let low = if node.op == Op::Or { range(0).low.max(range(1).low) } else { 0 };
            Range { low, high: ones }
        }
        Op::LShr => shift_right(range(0), range(1), width),
        Op::Extract if node.number == 0 && range(0).high <= mask(width) => range(0),
        Op::Concat => concat(pool, node),
        _ => full,
    }
}

fn add(a: Range, b: Range, width: u32) -> Range {
    match a.high.checked_add(b.high) {
        Some(high) if high <= mask(width) => Range { low: a.low + b.low, high },
        _ => Range::full(width),
    }
}

/// The range of what was divided, if the product is of a quotient and its divisor. By zero,
/// the product is zero.
fn divided(pool: &Pool, node: &Node) -> Option<Range> {
    let inner = |term: Term| match *pool.node(term) {
        extended if extended.op == Op::ZExt => extended.first(),
        _ => term,
    };
    let (a, b) = (inner(node.first()), inner(node.second()));
    [(a, b), (b, a)].into_iter().find_map(|(quotient, by)| {
        let quotient = pool.node(quotient);
        let fits = quotient.op == Op::UDiv && inner(quotient.second()) == by;
        fits.then(|| pool.range(quotient.first()))
    })
}

fn mul(a: Range, b: Range, width: u32) -> Range {
    match a.high.checked_mul(b.high) {
        Some(high) if high <= mask(width) => Range { low: a.low * b.low, high },
        _ => Range::full(width),
    }
}

fn shift_right(a: Range, b: Range, width: u32) -> Range {
    let shift = |value: u128, by: u128| if by >= u128::from(width) { 0 } else { value >> by };
    Range { low: shift(a.low, b.high), high: shift(a.high, b.low) }
}

fn concat(pool: &Pool, node: &Node) -> Range {
    let (high, low) = (pool.range(node.first()), pool.range(node.second()));
    let shift = pool.width(node.second());
    Range { low: high.low << shift | low.low, high: high.high << shift | low.high }
}

impl Pool {
    /// How many bits a two's complement number needs to hold every value of the term.
    pub fn signed_bits(&self, term: Term) -> u32 {
        let node = self.node(term);
        let by_range = 129 - self.range(term).high.leading_zeros();
        let by_shape = match node.op {
            Op::SExt => self.width(node.first()),
            Op::Const => {
                let number = super::signed(node.number, node.width);
                129 - number.unsigned_abs().leading_zeros()
            }
            Op::Ite => self.signed_bits(node.second()).max(self.signed_bits(node.third())),
            _ => node.width,
        };
        by_shape.min(by_range).min(node.width)
    }
}
