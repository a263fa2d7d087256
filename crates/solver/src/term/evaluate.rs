//! What a term is worth when its variables have values.
//!
//! This is the meaning of the term language; the rewriting, the bit-blaster and
//! the interpreter are all tested against it.

use std::cell::RefCell;

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

/// Room for the values of terms by their index, used again by the next evaluator: making
/// and clearing it anew would cost more than most evaluations.
#[derive(Default)]
struct Scratch {
    values: Vec<(u32, u128)>,
    /// A value counts if it carries this number.
    round: u32,
}

thread_local! {
    static SCRATCH: RefCell<Vec<Scratch>> = const { RefCell::new(vec![]) };
}

/// Evaluates many terms under one assignment, each shared part once and of a choice only
/// the side that is taken.
pub struct Evaluator<'a> {
    pool: &'a Pool,
    assignment: &'a Assignment,
    scratch: Scratch,
    stack: Vec<Term>,
}

impl Drop for Evaluator<'_> {
    fn drop(&mut self) {
        let scratch = std::mem::take(&mut self.scratch);
        SCRATCH.with_borrow_mut(|spare| spare.push(scratch));
    }
}

impl<'a> Evaluator<'a> {
    pub fn new(pool: &'a Pool, assignment: &'a Assignment) -> Evaluator<'a> {
        let mut scratch = SCRATCH.with_borrow_mut(Vec::pop).unwrap_or_default();
        if scratch.round == u32::MAX {
            scratch = Scratch::default();
        }
        scratch.round += 1;
        if scratch.values.len() < pool.len() {
            scratch.values.resize(pool.len(), (0, 0));
        }
        Evaluator { pool, assignment, scratch, stack: vec![] }
    }

    /// Whether a one-bit term is true.
    pub fn holds(&mut self, term: Term) -> bool {
        self.value(term) == 1
    }

    fn known(&self, term: Term) -> Option<u128> {
        let (round, value) = self.scratch.values[term.index()];
        (round == self.scratch.round).then_some(value)
    }

    /// The value of a term. Uses a stack of its own: terms can be very deep.
    pub fn value(&mut self, term: Term) -> u128 {
        self.stack.push(term);
        while let Some(&top) = self.stack.last() {
            if self.known(top).is_none() {
                match self.missing(top) {
                    Some(operand) => {
                        self.stack.push(operand);
                        continue;
                    }
                    None => {
                        let value = self.apply(top);
                        self.scratch.values[top.index()] = (self.scratch.round, value);
                    }
                }
            }
            self.stack.pop();
        }
        self.known(term).expect("it was evaluated")
    }

    /// An operand whose value is needed and not known.
    fn missing(&self, term: Term) -> Option<Term> {
        let node = self.pool.node(term);
        if node.op == Op::Ite {
            let Some(condition) = self.known(node.first()) else { return Some(node.first()) };
            let side = if condition == 1 { node.second() } else { node.third() };
            return self.known(side).is_none().then_some(side);
        }
        node.operands().find(|operand| self.known(*operand).is_none())
    }

    fn apply(&self, term: Term) -> u128 {
        let node = self.pool.node(term);
        let value = |index: usize| {
            let operand = node.args[index].expect("the operand is there");
            self.known(operand).expect("operands come first")
        };
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
