//! Floats: numbers by the processor, terms by [`testsmith_solver::term::Format`].
//!
//! Everything but remainder, root and fused multiplication stays symbolic; for
//! these few possible operands are all visited, else one is taken and the claim
//! is void, with the operation named. Which zero `min` and `max` give is not
//! specified, so an input for which it matters voids the claim too.

use super::{End, Machine, Reason, Value};
use crate::ir::{Conversion, FloatOp};
use testsmith_solver::term::{Format, Op, Rounding, Term, mask, signed};

fn to_f64(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

fn to_f32(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

macro_rules! apply {
    ($op:expr, $a:expr, $b:expr, $c:expr) => {
        match $op {
            FloatOp::Add => $a + $b,
            FloatOp::Sub => $a - $b,
            FloatOp::Mul => $a * $b,
            FloatOp::Div => $a / $b,
            FloatOp::Rem => $a % $b,
            FloatOp::Floor => $a.floor(),
            FloatOp::Ceil => $a.ceil(),
            FloatOp::Trunc => $a.trunc(),
            FloatOp::Round => $a.round(),
            FloatOp::RoundEven => $a.round_ties_even(),
            FloatOp::Sqrt => $a.sqrt(),
            FloatOp::MulAdd => $a.mul_add($b, $c),
            FloatOp::Neg | FloatOp::Abs | FloatOp::CopySign | FloatOp::Min | FloatOp::Max => {
                unreachable!("{:?} is done on bits", $op)
            }
            FloatOp::PowI => unreachable!("a power is made of products"),
        }
    };
}

impl Machine<'_> {
    pub(super) fn float(&mut self, op: FloatOp, width: u8, args: &[Value]) -> Result<Value, End> {
        let wide = u32::from(width);
        let format = Format::of_width(wide)
            .ok_or_else(|| End::Unsupported(format!("floats of {width} bits")))?;
        if let Some(value) = self.sign_operation(op, wide, args) {
            return Ok(value);
        }
        if op == FloatOp::PowI {
            return self.power(width, args[0], args[1]);
        }
        if matches!(op, FloatOp::Min | FloatOp::Max) {
            return self.smaller_or_larger(op, wide, args[0], args[1]);
        }
        if args.iter().any(|arg| arg.term.is_some())
            && let Some(term) = self.arithmetic_term(op, format, args)
        {
            let mut numbers = [0; 3];
            for (number, arg) in numbers.iter_mut().zip(args) {
                *number = arg.bits;
            }
            return Ok(self.value(calculated(op, format, numbers), term));
        }
        let why = format!("float arithmetic ({op:?}) on the input is done on one value only");
        let mut numbers = [0; 3];
        for (number, arg) in numbers.iter_mut().zip(args) {
            *number = self.pin(*arg, wide, &why)?;
        }
        Ok(Value::concrete(calculated(op, format, numbers)))
    }

    /// A power by squaring, in the order of products of the compiler's own routine; another
    /// order would round elsewhere.
    fn power(&mut self, width: u8, base: Value, exponent: Value) -> Result<Value, End> {
        let exponent = signed(self.enumerate(exponent, 32)?, 32);
        let one = match width {
            32 => u128::from(1f32.to_bits()),
            _ => u128::from(1f64.to_bits()),
        };
        let (mut square, mut product) = (base, Value::concrete(one));
        let mut left = exponent.unsigned_abs();
        loop {
            if left & 1 == 1 {
                product = self.float(FloatOp::Mul, width, &[product, square])?;
            }
            left >>= 1;
            if left == 0 {
                break;
            }
            square = self.float(FloatOp::Mul, width, &[square, square])?;
        }
        match exponent < 0 {
            true => self.float(FloatOp::Div, width, &[Value::concrete(one), product]),
            false => Ok(product),
        }
    }

    /// What is a matter of the sign bit alone.
    fn sign_operation(&mut self, op: FloatOp, width: u32, args: &[Value]) -> Option<Value> {
        let sign = Value::concrete(1 << (width - 1));
        let rest = Value::concrete(mask(width) >> 1);
        match op {
            FloatOp::Neg => Some(self.binary(Op::Xor, width, args[0], sign)),
            FloatOp::Abs => Some(self.binary(Op::And, width, args[0], rest)),
            FloatOp::CopySign => {
                let size = self.binary(Op::And, width, args[0], rest);
                let taken = self.binary(Op::And, width, args[1], sign);
                Some(self.binary(Op::Or, width, size, taken))
            }
            _ => None,
        }
    }

    /// The term of an operation, if there is a circuit for it.
    fn arithmetic_term(&mut self, op: FloatOp, format: Format, args: &[Value]) -> Option<Term> {
        let rounding = match op {
            FloatOp::Floor => Some(Rounding::Down),
            FloatOp::Ceil => Some(Rounding::Up),
            FloatOp::Trunc => Some(Rounding::TowardZero),
            FloatOp::Round => Some(Rounding::HalfAway),
            FloatOp::RoundEven => Some(Rounding::HalfEven),
            _ => None,
        };
        let a = self.term(args[0], format.width());
        if let Some(rounding) = rounding {
            return Some(self.interpreter.pool.float_round(format, a, rounding));
        }
        if !matches!(op, FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div) {
            return None;
        }
        let b = self.term(args[1], format.width());
        let pool = &mut self.interpreter.pool;
        Some(match op {
            FloatOp::Mul => pool.float_multiply(format, a, b),
            FloatOp::Div => pool.float_divide(format, a, b),
            _ => pool.float_add(format, a, b, op == FloatOp::Sub),
        })
    }

    /// `min` and `max`: a number wins over what is none, and minus zero counts as smaller.
    fn smaller_or_larger(
        &mut self,
        op: FloatOp,
        width: u32,
        a: Value,
        b: Value,
    ) -> Result<Value, End> {
        let magnitude = Value::concrete(mask(width) >> 1);
        let both = self.binary(Op::Or, width, a, b);
        let sizes = self.binary(Op::And, width, both, magnitude);
        let zeros = self.binary(Op::Eq, width, sizes, Value::concrete(0));
        let same = self.binary(Op::Eq, width, a, b);
        let differ = self.not(1, same);
        let unclear = self.binary(Op::And, 1, zeros, differ);
        if let Some(condition) = unclear.term {
            self.decide(condition, unclear.bits == 1, Reason::Enumerated)?;
        }
        if unclear.bits == 1 {
            self.voids.insert("which of two zeros min or max gives is not specified".to_owned());
        }
        let (key_a, key_b) = (self.order_key(width, a), self.order_key(width, b));
        let less = self.binary(Op::Ult, width, key_a, key_b);
        let chosen = match op {
            FloatOp::Min => self.select(width, less, a, b),
            _ => self.select(width, less, b, a),
        };
        let (no_a, no_b) = (self.is_nan(width, a), self.is_nan(width, b));
        let chosen = self.select(width, no_b, a, chosen);
        Ok(self.select(width, no_a, b, chosen))
    }

    pub(super) fn float_compare(&mut self, predicate: u8, width: u32, a: Value, b: Value) -> Value {
        let unordered = {
            let (x, y) = (self.is_nan(width, a), self.is_nan(width, b));
            self.binary(Op::Or, 1, x, y)
        };
        let (equal, less) = self.float_order(width, a, b);
        let bit = |number: u8| Value::concrete(u128::from(predicate >> number & 1));
        // Ordered operands are equal, less, or greater; the predicate says which are wanted.
        let not_equal = self.select(1, less, bit(2), bit(1));
        let ordered = self.select(1, equal, bit(0), not_equal);
        self.select(1, unordered, bit(3), ordered)
    }

    fn is_nan(&mut self, width: u32, a: Value) -> Value {
        let infinity = if width == 32 {
            u128::from(f32::INFINITY.to_bits())
        } else {
            u128::from(f64::INFINITY.to_bits())
        };
        let size = self.binary(Op::And, width, a, Value::concrete(mask(width) >> 1));
        self.binary(Op::Ult, width, Value::concrete(infinity), size)
    }

    /// Equality and order of two floats that are not NaN.
    fn float_order(&mut self, width: u32, a: Value, b: Value) -> (Value, Value) {
        let magnitude = Value::concrete(mask(width) >> 1);
        let (size_a, size_b) =
            (self.binary(Op::And, width, a, magnitude), self.binary(Op::And, width, b, magnitude));
        let sizes = self.binary(Op::Or, width, size_a, size_b);
        let both_zero = self.binary(Op::Eq, width, sizes, Value::concrete(0));
        let same = self.binary(Op::Eq, width, a, b);
        let equal = self.binary(Op::Or, 1, same, both_zero);
        // Positive floats order as their bits do, negative ones the other way round.
        let (key_a, key_b) = (self.order_key(width, a), self.order_key(width, b));
        (equal, self.binary(Op::Ult, width, key_a, key_b))
    }

    fn order_key(&mut self, width: u32, a: Value) -> Value {
        let sign = Value::concrete(1 << (width - 1));
        let negative = self.extract(width - 1, 1, a);
        let inverted = self.not(width, a);
        let raised = self.binary(Op::Or, width, a, sign);
        self.select(width, negative, inverted, raised)
    }

    pub(super) fn convert(
        &mut self,
        kind: Conversion,
        saturate: bool,
        from: u8,
        to: u8,
        a: Value,
    ) -> Result<Value, End> {
        let (wide_from, wide_to) = (u32::from(from), u32::from(to));
        let term = match a.term {
            Some(term) => self.conversion_term(kind, saturate, (wide_from, wide_to), term),
            None => None,
        };
        let bits = match term {
            Some(_) => a.bits,
            None => {
                let why = format!("a conversion of the input ({kind:?}) is done on one value only");
                self.pin(a, wide_from, &why)?
            }
        };
        let number = match kind {
            Conversion::UnsignedToFloat if to == 32 => u128::from((bits as f32).to_bits()),
            Conversion::UnsignedToFloat => u128::from((bits as f64).to_bits()),
            Conversion::SignedToFloat => {
                let number = signed(bits, wide_from);
                match to {
                    32 => u128::from((number as f32).to_bits()),
                    _ => u128::from((number as f64).to_bits()),
                }
            }
            Conversion::FloatToFloat if is_nan(bits, wide_from) => {
                let term = self.interpreter.pool.number(wide_from, bits);
                let converted = self.conversion_term(kind, saturate, (wide_from, wide_to), term);
                converted.and_then(|term| self.interpreter.pool.constant(term)).unwrap_or(bits)
            }
            Conversion::FloatToFloat if to == 32 => u128::from((to_f64(bits) as f32).to_bits()),
            Conversion::FloatToFloat => u128::from(f64::from(to_f32(bits)).to_bits()),
            Conversion::FloatToUnsigned | Conversion::FloatToSigned => {
                let number = if from == 32 { f64::from(to_f32(bits)) } else { to_f64(bits) };
                float_to_integer(number, to, kind == Conversion::FloatToSigned, saturate)?
            }
        };
        Ok(term.map_or(Value::concrete(number), |term| self.value(number, term)))
    }

    /// The term of a conversion. One that may not be out of range has none, because an
    /// input that is out of range has to end there.
    fn conversion_term(
        &mut self,
        kind: Conversion,
        saturate: bool,
        (from, to): (u32, u32),
        a: Term,
    ) -> Option<Term> {
        let pool = &mut self.interpreter.pool;
        Some(match kind {
            Conversion::UnsignedToFloat => pool.float_from_integer(Format::of_width(to)?, a, false),
            Conversion::SignedToFloat => pool.float_from_integer(Format::of_width(to)?, a, true),
            Conversion::FloatToFloat => {
                pool.float_convert(Format::of_width(from)?, Format::of_width(to)?, a)
            }
            Conversion::FloatToUnsigned | Conversion::FloatToSigned if saturate => {
                let is_signed = kind == Conversion::FloatToSigned;
                pool.float_to_integer(Format::of_width(from)?, a, to, is_signed)
            }
            Conversion::FloatToUnsigned | Conversion::FloatToSigned => return None,
        })
    }
}

fn is_nan(bits: u128, width: u32) -> bool {
    Format::of_width(width).is_some_and(|format| format.is_nan(bits))
}

/// The result of the processor; for what is no number, by the rule that terms follow.
fn calculated(op: FloatOp, format: Format, [a, b, c]: [u128; 3]) -> u128 {
    let bits = if format.width() == 32 {
        u128::from(apply!(op, to_f32(a), to_f32(b), to_f32(c)).to_bits())
    } else {
        u128::from(apply!(op, to_f64(a), to_f64(b), to_f64(c)).to_bits())
    };
    match op {
        FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div if format.is_nan(bits) => {
            format.nan_of(&[a, b])
        }
        _ if format.is_nan(bits) => format.nan_of(&[a]),
        _ => bits,
    }
}

fn float_to_integer(number: f64, width: u8, is_signed: bool, saturate: bool) -> Result<u128, End> {
    let width = u32::from(width);
    let (low, high) = match is_signed {
        true => (signed(1 << (width - 1), width), (mask(width) >> 1) as i128),
        // The maximum of u128 does not fit; `as` saturates it below.
        false => (0, i128::try_from(mask(width)).unwrap_or(i128::MAX)),
    };
    if !is_signed && width == 128 {
        return Ok(number as u128);
    }
    let truncated = number.trunc();
    // Not a number is in no range either.
    // The highest may not be a float; the next power of two, which is, never fits.
    let fits = truncated >= low as f64 && truncated < high as f64 + 1.0;
    if !saturate && !fits {
        return Err(End::Undefined("a float out of the range of an integer".to_owned()));
    }
    Ok((number as i128).clamp(low, high) as u128 & mask(width))
}
