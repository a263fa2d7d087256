//! What a term is worth when its variables have values.
//!
//! This is the meaning of the term language; the rewriting, the bit-blaster and
//! the interpreter are all tested against it.

use super::{FastMap, Op, Pool, Term, mask, signed};

/// Values for variables, by variable index; a missing one is zero.
pub type Assignment = FastMap<u32, u128>;

/// Applies a two-operand operation to numbers of `width` bits.
#[inline]
pub fn fold(op: Op, width: u32, a: u128, b: u128) -> u128 {
    // Wide division is slow, and almost every number is narrow.
    if width <= 64 && b != 0 && matches!(op, Op::UDiv | Op::URem) {
        let (a, b) = (a as u64, b as u64);
        return u128::from(if op == Op::UDiv { a / b } else { a % b });
    }
    let value = match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => {
            if signed(a, width) < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::SDiv => signed(a, width).wrapping_div(signed(b, width)) as u128,
        Op::SRem if b == 0 => a,
        Op::SRem => signed(a, width).wrapping_rem(signed(b, width)) as u128,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl if b < u128::from(width) => a << b,
        Op::LShr if b < u128::from(width) => a >> b,
        Op::Shl | Op::LShr => 0,
        Op::AShr => (signed(a, width) >> b.min(u128::from(width) - 1)) as u128,
        Op::Eq => u128::from(a == b),
        Op::Ult => u128::from(a < b),
        Op::Ule => u128::from(a <= b),
        Op::Slt => u128::from(signed(a, width) < signed(b, width)),
        Op::Sle => u128::from(signed(a, width) <= signed(b, width)),
        Op::Const | Op::Var | Op::Ite | Op::ZExt | Op::SExt | Op::Extract | Op::Concat => {
            unreachable!("{op:?} is not an operation on two numbers of one width")
        }
    };
    value & mask(width)
}

/// Evaluates many terms under one assignment, each shared part once.
pub struct Evaluator<'a> {
    pool: &'a Pool,
    assignment: &'a Assignment,
    known: FastMap<Term, u128>,
}

impl<'a> Evaluator<'a> {
    pub fn new(pool: &'a Pool, assignment: &'a Assignment) -> Evaluator<'a> {
        Evaluator { pool, assignment, known: FastMap::default() }
    }

    /// Whether a one-bit term is true.
    pub fn holds(&mut self, term: Term) -> bool {
        self.value(term) == 1
    }

    /// The value of a term. Uses a stack of its own: terms can be very deep.
    pub fn value(&mut self, term: Term) -> u128 {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = self.pool.node(top);
            let before = stack.len();
            stack.extend(node.operands().filter(|operand| !self.known.contains_key(operand)));
            if stack.len() == before {
                let value = self.apply(top);
                self.known.insert(top, value);
                stack.pop();
            }
        }
        self.known[&term]
    }

    fn apply(&self, term: Term) -> u128 {
        let node = self.pool.node(term);
        let value = |index: usize| self.known[&node.args[index].expect("the operand is there")];
        let width_of = |index: usize| self.pool.width(node.args[index].expect("an operand"));
        match node.op {
            Op::Const => node.number,
            Op::Var => {
                self.assignment.get(&(node.number as u32)).copied().unwrap_or(0) & mask(node.width)
            }
            Op::Ite if value(0) == 1 => value(1),
            Op::Ite => value(2),
            Op::ZExt => value(0),
            Op::SExt => signed(value(0), width_of(0)) as u128 & mask(node.width),
            Op::Extract => (value(0) >> node.number) & mask(node.width),
            Op::Concat => value(0) << width_of(1) | value(1),
            op => fold(op, width_of(0), value(0), value(1)) & mask(node.width),
        }
    }
}
