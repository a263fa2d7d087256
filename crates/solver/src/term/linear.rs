//! Sums in a normal form, to see that two of them are equal whatever their order.
//!
//! A term is read as a sum of multiples of terms that are no sums. A remainder
//! is what its quotient leaves, so `a / b * b + a % b` is `a`, and the digits of
//! a number put together again are the number; a solver would have to prove that
//! adder by adder. Only what cancels out completely is used.

use super::{FastMap, Op, Pool, Term, mask};

/// Terms looked at for one comparison.
const MOST_VISITS: u32 = 2_000;

/// Terms that may be left over in a comparison that is written anew.
const MOST_LEFT: usize = 8;

/// Multiples of terms, each taken for its unsigned value, and a constant.
#[derive(Default)]
struct Sum {
    multiples: FastMap<Term, u128>,
    constant: u128,
    visits: u32,
}

impl Sum {
    fn add(&mut self, term: Term, factor: u128) {
        let sum = self.multiples.entry(term).or_default();
        *sum = sum.wrapping_add(factor);
    }

    /// Counts a visit; false when there were too many.
    fn may_go_on(&mut self) -> bool {
        self.visits += 1;
        self.visits <= MOST_VISITS
    }
}

impl Pool {
    /// The equality of two terms of one width, if their sums tell more than they do: what
    /// is on both sides cancels out, and little or nothing is left.
    pub(super) fn equal_sums(&mut self, a: Term, b: Term) -> Option<Term> {
        if !self.is_sum(a) && !self.is_sum(b) {
            return None;
        }
        let width = self.width(a);
        let mut sum = Sum::default();
        let complete = self.sum_modulo(a, width, 1, &mut sum)
            && self.sum_modulo(b, width, u128::MAX, &mut sum);
        if !complete {
            return None;
        }
        let all = sum.multiples.len();
        let mut left: Vec<(Term, u128)> = sum
            .multiples
            .iter()
            .map(|(term, factor)| (*term, factor & mask(width)))
            .filter(|(_, factor)| *factor != 0)
            .collect();
        left.sort_unstable();
        let constant = sum.constant.wrapping_neg() & mask(width);
        match left[..] {
            [] => Some(self.truth(constant == 0)),
            [(term, factor)] if all > 1 => self.equal_multiple(term, factor, constant, width),
            // Fewer with every round, so this ends.
            _ if left.len() <= MOST_LEFT && all > left.len() => {
                let mut rest = self.number(width, 0);
                for (term, factor) in left {
                    let wide = self.zero_extend(term, width.max(self.width(term)));
                    let fitted = self.extract(wide, 0, width);
                    let factor = self.number(width, factor);
                    let product = self.binary(Op::Mul, fitted, factor);
                    rest = self.binary(Op::Add, rest, product);
                }
                let constant = self.number(width, constant);
                Some(self.equal(rest, constant))
            }
            _ => None,
        }
    }

    /// Whether a multiple of a term, which cannot overflow, is a constant.
    fn equal_multiple(
        &mut self,
        term: Term,
        factor: u128,
        constant: u128,
        width: u32,
    ) -> Option<Term> {
        // A factor from the upper half takes something away.
        let negative = factor > mask(width) / 2;
        let (factor, constant) = match negative {
            true => (factor.wrapping_neg() & mask(width), constant.wrapping_neg() & mask(width)),
            false => (factor, constant),
        };
        let high = self.range(term).high.checked_mul(factor)?;
        if high > mask(width) {
            return None;
        }
        if !constant.is_multiple_of(factor) || constant / factor > mask(self.width(term)) {
            return Some(self.truth(false));
        }
        let value = self.number(self.width(term), constant / factor);
        Some(self.equal(term, value))
    }

    /// Whether the first is the sum of the others.
    pub(super) fn is_sum_of(&mut self, whole: Term, a: Term, b: Term) -> bool {
        let width = self.width(whole);
        let mut sum = Sum::default();
        let complete = self.sum_modulo(whole, width, u128::MAX, &mut sum)
            && self.sum_modulo(a, width, 1, &mut sum)
            && self.sum_modulo(b, width, 1, &mut sum);
        let vanishes = sum.multiples.values().all(|factor| factor & mask(width) == 0);
        complete && vanishes && sum.constant & mask(width) == 0
    }

    fn is_sum(&self, term: Term) -> bool {
        let node = self.node(term);
        match node.op {
            Op::Add | Op::Sub | Op::Mul | Op::URem | Op::SRem => true,
            Op::ZExt | Op::Concat => self.is_sum(node.first()),
            Op::Extract => node.number == 0 && self.is_sum(node.first()),
            _ => false,
        }
    }

    /// Adds `factor` times the term, all of it modulo two to the power of `bits`, of which
    /// the term has at least as many.
    fn sum_modulo(&mut self, term: Term, bits: u32, factor: u128, sum: &mut Sum) -> bool {
        if !sum.may_go_on() {
            return false;
        }
        let node = *self.node(term);
        match node.op {
            Op::Const => {
                sum.constant = sum.constant.wrapping_add(node.number.wrapping_mul(factor));
                true
            }
            Op::Add | Op::Sub => {
                let second = if node.op == Op::Add { factor } else { factor.wrapping_neg() };
                self.sum_modulo(node.first(), bits, factor, sum)
                    && self.sum_modulo(node.second(), bits, second, sum)
            }
            Op::Mul if self.constant(node.second()).is_some() => {
                let by = self.constant(node.second()).unwrap_or_default();
                self.sum_modulo(node.first(), bits, factor.wrapping_mul(by), sum)
            }
            // What a division leaves; by zero, all of it, and the product is nothing.
            Op::URem | Op::SRem => {
                let divide = if node.op == Op::URem { Op::UDiv } else { Op::SDiv };
                let quotient = self.binary(divide, node.first(), node.second());
                let product = self.binary(Op::Mul, quotient, node.second());
                self.sum_modulo(node.first(), bits, factor, sum)
                    && self.sum_modulo(product, bits, factor.wrapping_neg(), sum)
            }
            Op::Extract if node.number == 0 => self.sum_modulo(node.first(), bits, factor, sum),
            Op::ZExt if self.width(node.first()) >= bits => {
                self.sum_modulo(node.first(), bits, factor, sum)
            }
            Op::Concat => {
                let low = self.width(node.second());
                if low >= bits {
                    return self.sum_modulo(node.second(), bits, factor, sum);
                }
                // The upper part counts modulo what is left above the lower one.
                let upper = factor.wrapping_mul(1 << low);
                self.sum_modulo(node.first(), bits - low, upper, sum)
                    && self.sum_exact(node.second(), factor, sum)
            }
            _ => self.sum_exact(term, factor, sum),
        }
    }

    /// Adds `factor` times the unsigned value of the term, which counts in full.
    fn sum_exact(&mut self, term: Term, factor: u128, sum: &mut Sum) -> bool {
        if !sum.may_go_on() {
            return false;
        }
        let node = *self.node(term);
        let most = mask(node.width);
        match node.op {
            Op::Const => {
                sum.constant = sum.constant.wrapping_add(node.number.wrapping_mul(factor));
                true
            }
            Op::ZExt => self.sum_exact(node.first(), factor, sum),
            Op::Extract if node.number == 0 && self.range(node.first()).high <= most => {
                self.sum_exact(node.first(), factor, sum)
            }
            Op::Concat => {
                let low = self.width(node.second());
                self.sum_exact(node.first(), factor.wrapping_mul(1 << low), sum)
                    && self.sum_exact(node.second(), factor, sum)
            }
            Op::Add => {
                let (a, b) = (self.range(node.first()), self.range(node.second()));
                if a.high.checked_add(b.high).is_some_and(|high| high <= most) {
                    return self.sum_exact(node.first(), factor, sum)
                        && self.sum_exact(node.second(), factor, sum);
                }
                // An addition that always wraps takes something away.
                let taken = most - b.low + 1;
                if b.low == b.high && b.low > 0 && a.low >= taken && node.width < 128 {
                    sum.constant = sum.constant.wrapping_sub(taken.wrapping_mul(factor));
                    return self.sum_exact(node.first(), factor, sum);
                }
                sum.add(term, factor);
                true
            }
            Op::Mul => match self.constant(node.second()) {
                Some(by)
                    if self
                        .range(node.first())
                        .high
                        .checked_mul(by)
                        .is_some_and(|high| high <= most) =>
                {
                    self.sum_exact(node.first(), factor.wrapping_mul(by), sum)
                }
                _ => {
                    sum.add(term, factor);
                    true
                }
            },
            Op::URem => match self.constant(node.second()) {
                Some(by) if by > 0 => {
                    let quotient = self.binary(Op::UDiv, node.first(), node.second());
                    self.sum_exact(node.first(), factor, sum)
                        && self.sum_exact(quotient, factor.wrapping_mul(by).wrapping_neg(), sum)
                }
                _ => {
                    sum.add(term, factor);
                    true
                }
            },
            _ => {
                sum.add(term, factor);
                true
            }
        }
    }
}
