//! A pool of terms with the small words that translation needs.

use crate::room::Room;
use testsmith_solver::term::{Op, Pool, Term};

/// Terms, and the next variable.
#[derive(Default)]
pub(crate) struct Terms {
    pub(crate) pool: Pool,
    variables: u32,
    pub(crate) room: Room,
    /// Whether a text or a list is among what was made up, which is short.
    pub(crate) is_cut_short: bool,
}

/// How wide lengths and positions are.
pub(crate) const WIDE: u32 = 64;
/// How wide a `char` is.
pub(crate) const CHAR: u32 = 21;

impl Terms {
    pub(crate) fn new(room: Room) -> Terms {
        Terms { room, ..Terms::default() }
    }

    pub(crate) fn fresh(&mut self, width: u32) -> Term {
        self.variables += 1;
        self.pool.variable(width, self.variables)
    }

    pub(crate) fn truth(&mut self, value: bool) -> Term {
        self.pool.truth(value)
    }

    pub(crate) fn number(&mut self, width: u32, value: i128) -> Term {
        self.pool.number(width, value as u128)
    }

    pub(crate) fn wide(&mut self, value: usize) -> Term {
        self.pool.number(WIDE, value as u128)
    }

    pub(crate) fn is_constant(&self, term: Term, value: bool) -> bool {
        self.pool.constant(term) == Some(u128::from(value))
    }

    pub(crate) fn not(&mut self, a: Term) -> Term {
        let yes = self.truth(true);
        self.pool.binary(Op::Xor, a, yes)
    }

    pub(crate) fn and(&mut self, a: Term, b: Term) -> Term {
        self.pool.and(a, b)
    }

    pub(crate) fn or(&mut self, a: Term, b: Term) -> Term {
        self.pool.or(a, b)
    }

    pub(crate) fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    pub(crate) fn all(&mut self, terms: &[Term]) -> Term {
        let mut all = self.truth(true);
        for term in terms {
            all = self.and(all, *term);
        }
        all
    }

    pub(crate) fn any(&mut self, terms: &[Term]) -> Term {
        let mut any = self.truth(false);
        for term in terms {
            any = self.or(any, *term);
        }
        any
    }

    pub(crate) fn equal(&mut self, a: Term, b: Term) -> Term {
        self.pool.equal(a, b)
    }

    pub(crate) fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.pool.binary(op, a, b)
    }

    pub(crate) fn less(&mut self, a: Term, b: Term, signed: bool) -> Term {
        self.pool.binary(if signed { Op::Slt } else { Op::Ult }, a, b)
    }

    pub(crate) fn at_most(&mut self, a: Term, b: Term, signed: bool) -> Term {
        self.pool.binary(if signed { Op::Sle } else { Op::Ule }, a, b)
    }

    pub(crate) fn ite(&mut self, condition: Term, then: Term, other: Term) -> Term {
        self.pool.ite(condition, then, other)
    }

    /// The same number in another width, and whether it fits.
    pub(crate) fn resized(
        &mut self,
        term: Term,
        signed: bool,
        (width, to_signed): (u32, bool),
    ) -> (Term, Term) {
        let from = self.pool.width(term);
        let wide = 128.min(from.max(width) + 2);
        let extended = self.extended(term, wide, signed);
        let cut = if width >= from {
            self.extended(term, width, signed)
        } else {
            self.pool.extract(term, 0, width)
        };
        let back = self.extended(cut, wide, to_signed);
        let same = self.equal(extended, back);
        // In the greatest width there is no bit left to tell a sign by.
        let fits = if wide < from.max(width) + 1 && signed != to_signed {
            let zero = self.number(width, 0);
            let negative = self.less(cut, zero, true);
            let not_negative = self.not(negative);
            self.and(same, not_negative)
        } else {
            same
        };
        (cut, fits)
    }

    pub(crate) fn extended(&mut self, term: Term, width: u32, signed: bool) -> Term {
        if self.pool.width(term) >= width {
            term
        } else if signed {
            self.pool.sign_extend(term, width)
        } else {
            self.pool.zero_extend(term, width)
        }
    }

    /// Whether a float is not a number.
    fn is_nan(&mut self, a: Term) -> Term {
        let (magnitude, infinity) = self.magnitude(a);
        self.less(infinity, magnitude, false)
    }

    /// A float without its sign, and infinity.
    fn magnitude(&mut self, a: Term) -> (Term, Term) {
        let width = self.pool.width(a);
        let infinity = match width {
            32 => u128::from(f32::INFINITY.to_bits()),
            _ => u128::from(f64::INFINITY.to_bits()),
        };
        let magnitude = self.pool.extract(a, 0, width - 1);
        (magnitude, self.pool.number(width - 1, infinity))
    }

    pub(crate) fn float_equal(&mut self, a: Term, b: Term) -> Term {
        let (nan, same) = (self.is_nan(a), self.equal(a, b));
        let both_zero = self.both_zero(a, b);
        let is_number = self.not(nan);
        let same = self.and(same, is_number);
        self.or(same, both_zero)
    }

    fn both_zero(&mut self, a: Term, b: Term) -> Term {
        let ((x, _), (y, _)) = (self.magnitude(a), self.magnitude(b));
        let zero = self.pool.number(self.pool.width(x), 0);
        let (x, y) = (self.equal(x, zero), self.equal(y, zero));
        self.and(x, y)
    }

    pub(crate) fn float_less(&mut self, a: Term, b: Term) -> Term {
        let width = self.pool.width(a);
        let (sa, sb) = (self.pool.extract(a, width - 1, 1), self.pool.extract(b, width - 1, 1));
        let ((x, _), (y, _)) = (self.magnitude(a), self.magnitude(b));
        let (below, above) = (self.less(x, y, false), self.less(y, x, false));
        let positive = self.not(sb);
        // Of two negative ones the greater magnitude is less.
        let same_sign = self.ite(sa, above, below);
        let other_sign = self.and(sa, positive);
        let signs_equal = self.equal(sa, sb);
        let less = self.ite(signs_equal, same_sign, other_sign);
        let (nan_a, nan_b, zeros) = (self.is_nan(a), self.is_nan(b), self.both_zero(a, b));
        let none = self.any(&[nan_a, nan_b, zeros]);
        let comparable = self.not(none);
        self.and(less, comparable)
    }
}
