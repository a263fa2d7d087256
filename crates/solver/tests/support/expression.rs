//! Expressions that are generated and can be evaluated without the pool.

use super::Rng;
use testsmith_solver::term::{Op, Pool, Term, fold, mask, signed};

/// An expression as it is meant, with no sharing and no rewriting.
#[derive(Debug)]
pub enum Expr {
    Const(u32, u128),
    Var(u32, u32),
    Binary(Op, Box<Expr>, Box<Expr>),
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    ZExt(Box<Expr>, u32),
    SExt(Box<Expr>, u32),
    Extract(Box<Expr>, u32, u32),
    Concat(Box<Expr>, Box<Expr>),
}

const ARITHMETIC: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::URem,
    Op::SDiv,
    Op::SRem,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::LShr,
    Op::AShr,
];
pub const COMPARISONS: &[Op] = &[Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle];

/// Variables 0 and 1, each `bits` wide, are all there is.
pub fn generate(rng: &mut Rng, width: u32, depth: u32, bits: u32) -> Expr {
    if depth == 0 || rng.below(8) == 0 {
        if width == bits && rng.below(3) > 0 {
            return Expr::Var(bits, rng.below(2) as u32);
        }
        let interesting = [0, 1, u128::MAX, 1 << (width - 1), u128::from(rng.next())];
        return Expr::Const(width, interesting[rng.below(5) as usize] & mask(width));
    }
    let pick = |list: &'static [Op], n: u64| list[n as usize % list.len()];
    let (kind, choice) = (rng.below(9), rng.next());
    let mut sub = |width: u32| Box::new(generate(rng, width, depth - 1, bits));
    let other = [1, 3, bits, bits + 3, 2 * bits][choice as usize % 5];
    match kind {
        0..=2 => Expr::Binary(pick(ARITHMETIC, choice), sub(width), sub(width)),
        3 | 4 if width == 1 => Expr::Binary(pick(COMPARISONS, choice), sub(other), sub(other)),
        3 => Expr::Ite(sub(1), sub(width), sub(width)),
        4 | 5 if other < width => Expr::ZExt(sub(other), width),
        6 if other < width => Expr::SExt(sub(other), width),
        7 if other > width => {
            let low = (choice >> 8) as u32 % (other - width + 1);
            Expr::Extract(sub(other), low, width)
        }
        8 if width > 1 => {
            let split = 1 + (choice >> 8) as u32 % (width - 1);
            Expr::Concat(sub(width - split), sub(split))
        }
        _ => Expr::Binary(pick(ARITHMETIC, choice), sub(width), sub(width)),
    }
}

impl Expr {
    pub fn width(&self) -> u32 {
        match self {
            Expr::Const(width, _) | Expr::Var(width, _) => *width,
            Expr::Binary(op, ..) if op.is_comparison() => 1,
            Expr::Binary(_, a, _) => a.width(),
            Expr::Ite(_, then, _) => then.width(),
            Expr::ZExt(_, width) | Expr::SExt(_, width) | Expr::Extract(_, _, width) => *width,
            Expr::Concat(high, low) => high.width() + low.width(),
        }
    }

    pub fn value(&self, input: &[u128; 2]) -> u128 {
        match self {
            Expr::Const(_, bits) => *bits,
            Expr::Var(_, index) => input[*index as usize],
            Expr::Binary(op, a, b) => fold(*op, a.width(), a.value(input), b.value(input)),
            Expr::Ite(c, then, other) => {
                if c.value(input) == 1 {
                    then.value(input)
                } else {
                    other.value(input)
                }
            }
            Expr::ZExt(a, _) => a.value(input),
            Expr::SExt(a, width) => signed(a.value(input), a.width()) as u128 & mask(*width),
            Expr::Extract(a, low, width) => a.value(input) >> low & mask(*width),
            Expr::Concat(high, low) => high.value(input) << low.width() | low.value(input),
        }
    }

    pub fn build(&self, pool: &mut Pool) -> Term {
        match self {
            Expr::Const(width, bits) => pool.number(*width, *bits),
            Expr::Var(width, index) => pool.variable(*width, *index),
            Expr::Binary(op, a, b) => {
                let (a, b) = (a.build(pool), b.build(pool));
                pool.binary(*op, a, b)
            }
            Expr::Ite(c, then, other) => {
                let (c, then, other) = (c.build(pool), then.build(pool), other.build(pool));
                pool.ite(c, then, other)
            }
            Expr::ZExt(a, width) => {
                let a = a.build(pool);
                pool.zero_extend(a, *width)
            }
            Expr::SExt(a, width) => {
                let a = a.build(pool);
                pool.sign_extend(a, *width)
            }
            Expr::Extract(a, low, width) => {
                let a = a.build(pool);
                pool.extract(a, *low, *width)
            }
            Expr::Concat(high, low) => {
                let (high, low) = (high.build(pool), low.build(pool));
                pool.concat(high, low)
            }
        }
    }
}
