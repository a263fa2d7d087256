//! Integer operations on values: the number at once, the term if there is one.

use super::{Machine, Value};
use testsmith_solver::term::{Op, Term, fold, mask, signed};

impl Machine<'_> {
    #[inline]
    pub(super) fn binary(&mut self, op: Op, width: u32, a: Value, b: Value) -> Value {
        let bits = fold(op, width, a.bits, b.bits);
        if a.term.is_none() && b.term.is_none() {
            return Value::concrete(bits);
        }
        if let Some(known) = self.distance_of(op, a, b) {
            return known;
        }
        let (a, b) = (self.term(a, width), self.term(b, width));
        let quotient = if op == Op::LShr { self.quotient(a, b) } else { None };
        let term = quotient.unwrap_or_else(|| self.interpreter.pool.binary(op, a, b));
        self.value(bits, term)
    }

    /// A shifted product that is a quotient for the values that the path admits.
    fn quotient(&mut self, product: Term, by: Term) -> Option<Term> {
        let pool = &mut self.interpreter.pool;
        let by = pool.constant(by).and_then(|by| u32::try_from(by).ok())?;
        let node = pool.node(product);
        let most = *self.highest.get(&node.args[0]?)?;
        pool.shifted_product(product, by, most)
    }

    pub(super) fn not(&mut self, width: u32, a: Value) -> Value {
        let bits = !a.bits & mask(width);
        match a.term {
            None => Value::concrete(bits),
            Some(term) => {
                let term = self.interpreter.pool.not(term);
                self.value(bits, term)
            }
        }
    }

    #[inline]
    pub(super) fn select(
        &mut self,
        width: u32,
        condition: Value,
        then: Value,
        other: Value,
    ) -> Value {
        let chosen = if condition.bits == 1 { then } else { other };
        let Some(condition) = condition.term else { return chosen };
        let (then, other) = (self.term(then, width), self.term(other, width));
        let term = self.interpreter.pool.ite(condition, then, other);
        self.value(chosen.bits, term)
    }

    #[inline]
    pub(super) fn zero_extend(&mut self, to: u32, a: Value) -> Value {
        let term = a.term.map(|term| self.interpreter.pool.zero_extend(term, to));
        Value { bits: a.bits, term }
    }

    #[inline]
    pub(super) fn sign_extend(&mut self, from: u32, to: u32, a: Value) -> Value {
        let bits = signed(a.bits, from) as u128 & mask(to);
        let term = a.term.map(|term| self.interpreter.pool.sign_extend(term, to));
        Value { bits, term }
    }

    /// `width` bits from bit `low` up.
    #[inline]
    pub(super) fn extract(&mut self, low: u32, width: u32, a: Value) -> Value {
        let bits = (a.bits >> low) & mask(width);
        match a.term {
            None => Value::concrete(bits),
            Some(term) => {
                let term = self.interpreter.pool.extract(term, low, width);
                self.value(bits, term)
            }
        }
    }

    pub(super) fn concat(&mut self, high: (Value, u32), low: (Value, u32)) -> Value {
        let bits = high.0.bits << low.1 | low.0.bits;
        if high.0.term.is_none() && low.0.term.is_none() {
            return Value::concrete(bits);
        }
        let (h, l) = (self.term(high.0, high.1), self.term(low.0, low.1));
        let term = self.interpreter.pool.concat(h, l);
        self.value(bits, term)
    }
}
