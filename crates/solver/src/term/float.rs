//! Arithmetic of binary floats as terms over their bits.
//!
//! Exact for every value, subnormal numbers, infinities and rounding to nearest
//! even included. A number is taken apart into sign, exponent and a significand
//! whose leading bit is one, computed with at full precision, and put together
//! again with one rounding. What is not a number follows the rule of common
//! processors: the first operand's payload, made quiet, or else the processor's
//! own. Remainder, root and fused multiplication are not here.

use super::{Op, Pool, Term, mask};

/// Exponents are computed with in this many bits, more than any format needs.
const EXPONENT: u32 = 16;

/// A binary format.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Format {
    exponent: u32,
    fraction: u32,
}

/// Which way a float is made whole.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Rounding {
    Down,
    Up,
    TowardZero,
    /// To nearest, halves away from zero.
    HalfAway,
    /// To nearest, halves to the even one.
    HalfEven,
}

impl Format {
    /// `f32` or `f64`.
    pub fn of_width(width: u32) -> Option<Format> {
        match width {
            32 => Some(Format { exponent: 8, fraction: 23 }),
            64 => Some(Format { exponent: 11, fraction: 52 }),
            _ => None,
        }
    }

    pub fn width(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Bits of a significand, the leading one included.
    fn precision(self) -> u32 {
        self.fraction + 1
    }

    fn infinity(self) -> u128 {
        mask(self.exponent) << self.fraction
    }

    fn quiet(self) -> u128 {
        1 << (self.fraction - 1)
    }

    fn sign(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// Whether bits are not a number.
    pub fn is_nan(self, bits: u128) -> bool {
        bits & !self.sign() & mask(self.width()) > self.infinity()
    }

    /// What an operation on these operands gives when it gives no number.
    pub fn nan_of(self, operands: &[u128]) -> u128 {
        let found = operands.iter().find(|bits| self.is_nan(**bits));
        found.map_or_else(|| self.own_nan(), |bits| bits | self.quiet())
    }

    /// What the processor makes of zero divided by zero.
    fn own_nan(self) -> u128 {
        let (zero, none) = (std::hint::black_box(0.0f32), std::hint::black_box(0.0f32));
        let negative = (zero / none).is_sign_negative();
        self.infinity() | self.quiet() | if negative { self.sign() } else { 0 }
    }
}

/// A float taken apart.
#[derive(Copy, Clone)]
struct Parts {
    sign: Term,
    /// Of the leading bit, without bias.
    exponent: Term,
    /// `precision` bits; the first is one unless the number is zero.
    significand: Term,
    nan: Term,
    infinite: Term,
    zero: Term,
}

impl Pool {
    fn exponent(&mut self, value: i32) -> Term {
        self.number(EXPONENT, value as u128)
    }

    fn is_zero(&mut self, a: Term) -> Term {
        let zero = self.number(self.width(a), 0);
        self.equal(a, zero)
    }

    fn any(&mut self, conditions: &[Term]) -> Term {
        let none = self.truth(false);
        conditions.iter().fold(none, |sum, condition| self.or(sum, *condition))
    }

    fn all(&mut self, conditions: &[Term]) -> Term {
        let every = self.truth(true);
        conditions.iter().fold(every, |sum, condition| self.and(sum, *condition))
    }

    /// The term with zeros behind it.
    fn padded(&mut self, a: Term, zeros: u32) -> Term {
        if zeros == 0 {
            return a;
        }
        let zeros = self.number(zeros, 0);
        self.concat(a, zeros)
    }

    /// Shifted left until the first bit is one, and by how much; zero stays.
    fn normalised(&mut self, a: Term) -> (Term, Term) {
        let width = self.width(a);
        let mut shifted = a;
        let mut count = self.exponent(0);
        for stage in (0..width.ilog2() + 1).rev() {
            let distance = 1 << stage;
            if distance >= width {
                continue;
            }
            let top = self.extract(shifted, width - distance, distance);
            let empty = self.is_zero(top);
            let rest = self.extract(shifted, 0, width - distance);
            let moved = self.padded(rest, distance);
            shifted = self.ite(empty, moved, shifted);
            let by = self.exponent(distance as i32);
            let more = self.binary(Op::Add, count, by);
            count = self.ite(empty, more, count);
        }
        (shifted, count)
    }

    /// Shifted right; the last bit is one if any bit that fell out was.
    fn shifted_sticky(&mut self, a: Term, by: Term) -> Term {
        let width = self.width(a);
        // Beyond its width everything falls out, however far.
        let most = self.exponent(width as i32);
        let within = self.binary(Op::Ult, by, most);
        let by = self.ite(within, by, most);
        let amount = self.zero_extend(by, width);
        let kept = self.binary(Op::LShr, a, amount);
        let back = self.binary(Op::Shl, kept, amount);
        let same = self.equal(back, a);
        let lost = self.not(same);
        let lost = self.zero_extend(lost, width);
        self.binary(Op::Or, kept, lost)
    }

    fn unpacked(&mut self, format: Format, a: Term) -> Parts {
        let sign = self.extract(a, format.width() - 1, 1);
        let field = self.extract(a, format.fraction, format.exponent);
        let fraction = self.extract(a, 0, format.fraction);
        let ones = self.number(format.exponent, u128::MAX);
        let largest = self.equal(field, ones);
        let least = self.is_zero(field);
        let whole = self.is_zero(fraction);
        let broken = self.not(whole);
        let (one, none) = (self.truth(true), self.truth(false));
        let normal = self.concat(one, fraction);
        let subnormal = self.concat(none, fraction);
        let (subnormal, zeros) = self.normalised(subnormal);
        let significand = self.ite(least, subnormal, normal);
        let (bias, lowest) = (self.exponent(format.bias()), self.exponent(1 - format.bias()));
        let field = self.zero_extend(field, EXPONENT);
        let of_normal = self.binary(Op::Sub, field, bias);
        let of_subnormal = self.binary(Op::Sub, lowest, zeros);
        Parts {
            sign,
            exponent: self.ite(least, of_subnormal, of_normal),
            significand,
            nan: self.and(largest, broken),
            infinite: self.and(largest, whole),
            zero: self.and(least, whole),
        }
    }

    /// Rounds to nearest even. The significand has its leading one at the top and at least
    /// two bits more than the format keeps; its last bit may stand for any that are lost.
    fn rounded(&mut self, format: Format, sign: Term, exponent: Term, significand: Term) -> Term {
        let width = self.width(significand);
        let lowest = self.exponent(1 - format.bias());
        let tiny = self.binary(Op::Slt, exponent, lowest);
        let below = self.binary(Op::Sub, lowest, exponent);
        let none = self.exponent(0);
        let by = self.ite(tiny, below, none);
        let significand = self.shifted_sticky(significand, by);
        let rest = width - format.precision();
        let kept = self.extract(significand, rest, format.precision());
        let guard = self.extract(significand, rest - 1, 1);
        let after = self.extract(significand, 0, rest - 1);
        let exact = self.is_zero(after);
        let beyond = self.not(exact);
        let odd = self.extract(kept, 0, 1);
        let tie_up = self.or(beyond, odd);
        let up = self.and(guard, tie_up);
        // The leading one adds to the field of the exponent, and so does a carry.
        let above = self.binary(Op::Sub, exponent, lowest);
        let field = self.ite(tiny, none, above);
        let packed_width = EXPONENT + format.fraction;
        let field = self.padded(field, format.fraction);
        let kept = self.zero_extend(kept, packed_width);
        let up = self.zero_extend(up, packed_width);
        let packed = self.binary(Op::Add, field, kept);
        let packed = self.binary(Op::Add, packed, up);
        let infinity = self.number(packed_width, format.infinity());
        let fits = self.binary(Op::Ult, packed, infinity);
        let size = self.ite(fits, packed, infinity);
        let size = self.extract(size, 0, format.width() - 1);
        self.concat(sign, size)
    }

    fn signed_size(&mut self, format: Format, sign: Term, size: u128) -> Term {
        let size = self.number(format.width() - 1, size);
        self.concat(sign, size)
    }

    /// The payload of the first operand that is not a number, or the processor's own.
    fn nan_term(&mut self, format: Format, operands: &[(Term, Parts)]) -> Term {
        let mut result = self.number(format.width(), format.own_nan());
        let quiet = self.number(format.width(), format.quiet());
        for (bits, parts) in operands.iter().rev() {
            let quieted = self.or(*bits, quiet);
            result = self.ite(parts.nan, quieted, result);
        }
        result
    }

    /// Sum or difference.
    pub fn float_add(&mut self, format: Format, a: Term, b: Term, subtract: bool) -> Term {
        let (x, mut y) = (self.unpacked(format, a), self.unpacked(format, b));
        let nan = self.nan_term(format, &[(a, x), (b, y)]);
        if subtract {
            y.sign = self.not(y.sign);
        }
        let size = |pool: &mut Pool, bits: Term| pool.extract(bits, 0, format.width() - 1);
        let (size_a, size_b) = (size(self, a), size(self, b));
        let swapped = self.binary(Op::Ult, size_a, size_b);
        let choose =
            |pool: &mut Pool, x: Term, y: Term| (pool.ite(swapped, y, x), pool.ite(swapped, x, y));
        let (big_exponent, small_exponent) = choose(self, x.exponent, y.exponent);
        let (big, small) = choose(self, x.significand, y.significand);
        let sign = self.ite(swapped, y.sign, x.sign);
        // Guard, round and sticky bits behind, room for a carry in front.
        let width = format.precision() + 4;
        let mut extended = |significand: Term| {
            let padded = self.padded(significand, 3);
            self.zero_extend(padded, width)
        };
        let (big, small) = (extended(big), extended(small));
        let apart = self.binary(Op::Sub, big_exponent, small_exponent);
        let small = self.shifted_sticky(small, apart);
        let differ = self.binary(Op::Xor, x.sign, y.sign);
        let (sum, difference) =
            (self.binary(Op::Add, big, small), self.binary(Op::Sub, big, small));
        let total = self.ite(differ, difference, sum);
        let gone = self.is_zero(total);
        let (total, zeros) = self.normalised(total);
        let one = self.exponent(1);
        let exponent = self.binary(Op::Add, big_exponent, one);
        let exponent = self.binary(Op::Sub, exponent, zeros);
        let finite = self.rounded(format, sign, exponent, total);
        let both = self.and(x.sign, y.sign);
        let zero = self.signed_size(format, both, 0);
        let finite = self.ite(gone, zero, finite);
        let infinite_sign = self.ite(x.infinite, x.sign, y.sign);
        let infinity = self.signed_size(format, infinite_sign, format.infinity());
        let infinite = self.or(x.infinite, y.infinite);
        let result = self.ite(infinite, infinity, finite);
        let opposed = self.all(&[x.infinite, y.infinite, differ]);
        let invalid = self.any(&[x.nan, y.nan, opposed]);
        self.ite(invalid, nan, result)
    }

    pub fn float_multiply(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(format, a), self.unpacked(format, b));
        let sign = self.binary(Op::Xor, x.sign, y.sign);
        let width = 2 * format.precision();
        let (wide_x, wide_y) =
            (self.zero_extend(x.significand, width), self.zero_extend(y.significand, width));
        let product = self.binary(Op::Mul, wide_x, wide_y);
        let exponent = self.binary(Op::Add, x.exponent, y.exponent);
        let one = self.exponent(1);
        let exponent = self.binary(Op::Add, exponent, one);
        let finite = self.rounded_after_one(format, sign, exponent, product);
        let zero = self.or(x.zero, y.zero);
        let infinite = self.or(x.infinite, y.infinite);
        let undefined = self.and(zero, infinite);
        let invalid = self.any(&[x.nan, y.nan, undefined]);
        let nan = self.nan_term(format, &[(a, x), (b, y)]);
        self.closed(format, sign, finite, (zero, infinite, invalid), nan)
    }

    pub fn float_divide(&mut self, format: Format, a: Term, b: Term) -> Term {
        let (x, y) = (self.unpacked(format, a), self.unpacked(format, b));
        let sign = self.binary(Op::Xor, x.sign, y.sign);
        let width = 2 * format.precision() + 2;
        let padded = self.padded(x.significand, format.precision() + 2);
        let divisor = self.zero_extend(y.significand, width);
        let quotient = self.binary(Op::UDiv, padded, divisor);
        let remainder = self.binary(Op::URem, padded, divisor);
        let quotient = self.extract(quotient, 0, format.precision() + 3);
        let exact = self.is_zero(remainder);
        let rest = self.not(exact);
        let quotient = self.concat(quotient, rest);
        let exponent = self.binary(Op::Sub, x.exponent, y.exponent);
        let finite = self.rounded_after_one(format, sign, exponent, quotient);
        let zero = self.or(x.zero, y.infinite);
        let infinite = self.or(x.infinite, y.zero);
        let undefined = self.and(zero, infinite);
        let invalid = self.any(&[x.nan, y.nan, undefined]);
        let nan = self.nan_term(format, &[(a, x), (b, y)]);
        self.closed(format, sign, finite, (zero, infinite, invalid), nan)
    }

    /// Rounds what has its leading one at the top or one below.
    fn rounded_after_one(
        &mut self,
        format: Format,
        sign: Term,
        exponent: Term,
        significand: Term,
    ) -> Term {
        let width = self.width(significand);
        let leading = self.extract(significand, width - 1, 1);
        let rest = self.extract(significand, 0, width - 1);
        let moved = self.padded(rest, 1);
        let significand = self.ite(leading, significand, moved);
        let one = self.exponent(1);
        let lower = self.binary(Op::Sub, exponent, one);
        let exponent = self.ite(leading, exponent, lower);
        self.rounded(format, sign, exponent, significand)
    }

    /// The result with its special cases: zero, infinite, not a number.
    fn closed(
        &mut self,
        format: Format,
        sign: Term,
        finite: Term,
        (zero, infinite, invalid): (Term, Term, Term),
        nan: Term,
    ) -> Term {
        let (none, infinity) =
            (self.signed_size(format, sign, 0), self.signed_size(format, sign, format.infinity()));
        let result = self.ite(zero, none, finite);
        let result = self.ite(infinite, infinity, result);
        self.ite(invalid, nan, result)
    }

    /// From one format to another.
    pub fn float_convert(&mut self, from: Format, to: Format, a: Term) -> Term {
        let x = self.unpacked(from, a);
        let missing = (to.precision() + 2).saturating_sub(from.precision());
        let significand = self.padded(x.significand, missing);
        let finite = self.rounded(to, x.sign, x.exponent, significand);
        // The payload keeps its first bits and becomes quiet.
        let fraction = self.extract(a, 0, from.fraction);
        let fraction = match to.fraction.checked_sub(from.fraction) {
            Some(more) => self.padded(fraction, more),
            None => self.extract(fraction, from.fraction - to.fraction, to.fraction),
        };
        let fraction = self.zero_extend(fraction, to.width());
        let payload = self.number(to.width(), to.infinity() | to.quiet());
        let payload = self.or(fraction, payload);
        let payload = self.extract(payload, 0, to.width() - 1);
        let nan = self.concat(x.sign, payload);
        self.closed(to, x.sign, finite, (x.zero, x.infinite, x.nan), nan)
    }

    /// The nearest float of an integer.
    pub fn float_from_integer(&mut self, format: Format, a: Term, is_signed: bool) -> Term {
        let width = self.width(a);
        let zero = self.number(width, 0);
        let sign = match is_signed {
            true => self.binary(Op::Slt, a, zero),
            false => self.truth(false),
        };
        let negated = self.binary(Op::Sub, zero, a);
        let size = self.ite(sign, negated, a);
        let size = self.padded(size, (format.precision() + 2).saturating_sub(width));
        let (significand, zeros) = self.normalised(size);
        let top = self.exponent(width as i32 - 1);
        let exponent = self.binary(Op::Sub, top, zeros);
        let finite = self.rounded(format, sign, exponent, significand);
        let nothing = self.is_zero(a);
        let none = self.number(format.width(), 0);
        self.ite(nothing, none, finite)
    }

    /// The integer toward zero, at its limits where it does not fit, and zero for what is
    /// not a number: what `as` does.
    pub fn float_to_integer(
        &mut self,
        format: Format,
        a: Term,
        width: u32,
        is_signed: bool,
    ) -> Term {
        let x = self.unpacked(format, a);
        let wide = width.max(format.precision());
        let point = self.exponent(format.fraction as i32);
        let significand = self.zero_extend(x.significand, wide);
        // Outside the range of the shifts their result is not used.
        let left = self.binary(Op::Sub, x.exponent, point);
        let right = self.binary(Op::Sub, point, x.exponent);
        let (left, right) = (self.zero_extend(left, wide), self.zero_extend(right, wide));
        let shifted_left = self.binary(Op::Shl, significand, left);
        let shifted_right = self.binary(Op::LShr, significand, right);
        let small = self.binary(Op::Slt, x.exponent, point);
        let size = self.ite(small, shifted_right, shifted_left);
        let size = self.extract(size, 0, width);
        let nothing = self.number(width, 0);
        let none = self.exponent(0);
        let below_one = self.binary(Op::Slt, x.exponent, none);
        let vanishes = self.any(&[x.zero, below_one]);
        let size = self.ite(vanishes, nothing, size);
        let negated = self.binary(Op::Sub, nothing, size);
        let bits = width - u32::from(is_signed);
        let limit = self.exponent(bits as i32);
        let fits = self.binary(Op::Slt, x.exponent, limit);
        let unfit = self.not(fits);
        let too_large = self.or(unfit, x.infinite);
        let (high, low) = match is_signed {
            true => (mask(width) >> 1, 1 << (width - 1)),
            false => (mask(width), 0),
        };
        let (high, low) = (self.number(width, high), self.number(width, low));
        let saturated = self.ite(x.sign, low, high);
        let below = if is_signed { negated } else { nothing };
        let exact = self.ite(x.sign, below, size);
        let result = self.ite(too_large, saturated, exact);
        // Zero has the exponent of the least number, and so never seems too large.
        self.ite(x.nan, nothing, result)
    }

    /// The float made whole.
    pub fn float_round(&mut self, format: Format, a: Term, rounding: Rounding) -> Term {
        let x = self.unpacked(format, a);
        let width = format.width();
        let field = self.extract(a, format.fraction, format.exponent);
        let field = self.zero_extend(field, EXPONENT);
        let bias = self.exponent(format.bias());
        let exponent = self.binary(Op::Sub, field, bias);
        // The bits behind the point, for exponents from 0 to those with no such bits.
        let all = self.number(width, mask(format.fraction));
        let by = self.zero_extend(exponent, width);
        let behind = self.binary(Op::LShr, all, by);
        let one = self.number(width, 1);
        let unit = self.binary(Op::Add, behind, one);
        let half = self.binary(Op::LShr, unit, one);
        let rest = self.binary(Op::And, a, behind);
        let whole = self.is_zero(rest);
        let broken = self.not(whole);
        let negative = x.sign;
        let positive = self.not(negative);
        let up = match rounding {
            Rounding::TowardZero => self.truth(false),
            Rounding::Down => self.and(broken, negative),
            Rounding::Up => self.and(broken, positive),
            Rounding::HalfAway => self.binary(Op::Ule, half, rest),
            Rounding::HalfEven => {
                let above = self.binary(Op::Ult, half, rest);
                let tie = self.equal(half, rest);
                // The unit bit; for exponent 0 it is the last of the biased exponent, which
                // is odd as the number one is.
                let last = self.binary(Op::And, a, unit);
                let even = self.is_zero(last);
                let odd = self.not(even);
                let tied_up = self.and(tie, odd);
                self.or(above, tied_up)
            }
        };
        let outside = self.not(behind);
        let truncated = self.binary(Op::And, a, outside);
        let larger = self.binary(Op::Add, truncated, unit);
        let middle = self.ite(up, larger, truncated);
        let small = self.rounded_below_one(format, a, x, rounding);
        let none = self.exponent(0);
        let below_one = self.binary(Op::Slt, exponent, none);
        let point = self.exponent(format.fraction as i32);
        let with_fraction = self.binary(Op::Slt, exponent, point);
        let result = self.ite(with_fraction, middle, a);
        let result = self.ite(below_one, small, result);
        let nan = self.nan_term(format, &[(a, x)]);
        self.ite(x.nan, nan, result)
    }

    /// Numbers between minus one and one become zero or one, with their sign.
    fn rounded_below_one(&mut self, format: Format, a: Term, x: Parts, to: Rounding) -> Term {
        let one = (format.bias() as u128) << format.fraction;
        let half = ((format.bias() - 1) as u128) << format.fraction;
        let size = self.extract(a, 0, format.width() - 1);
        let half = self.number(format.width() - 1, half);
        let broken = self.not(x.zero);
        let up = match to {
            Rounding::TowardZero => self.truth(false),
            Rounding::Down => self.and(broken, x.sign),
            Rounding::Up => {
                let positive = self.not(x.sign);
                self.and(broken, positive)
            }
            Rounding::HalfAway => self.binary(Op::Ule, half, size),
            Rounding::HalfEven => self.binary(Op::Ult, half, size),
        };
        let (one, none) =
            (self.signed_size(format, x.sign, one), self.signed_size(format, x.sign, 0));
        self.ite(up, one, none)
    }
}
