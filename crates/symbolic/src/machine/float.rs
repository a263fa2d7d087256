//! Floats: exact on numbers; on terms, what is a matter of bits.
//!
//! Comparison, sign, absolute value and copying of signs are expressed over the
//! bits and stay symbolic. Arithmetic and conversions of symbolic operands need
//! a number: few possible ones are all visited, else one is taken and the claim
//! is void, with the operation named.

use super::{End, Machine, Value};
use crate::ir::{Conversion, FloatOp};
use crate::term::{Op, mask, signed};

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
            FloatOp::Neg => -$a,
            FloatOp::Abs => $a.abs(),
            FloatOp::CopySign => $a.copysign($b),
            FloatOp::Floor => $a.floor(),
            FloatOp::Ceil => $a.ceil(),
            FloatOp::Trunc => $a.trunc(),
            FloatOp::Round => $a.round(),
            FloatOp::RoundEven => $a.round_ties_even(),
            FloatOp::Sqrt => $a.sqrt(),
            FloatOp::Min => $a.min($b),
            FloatOp::Max => $a.max($b),
            FloatOp::MulAdd => $a.mul_add($b, $c),
        }
    };
}

impl Machine<'_> {
    pub(super) fn float(&mut self, op: FloatOp, width: u8, args: &[Value]) -> Result<Value, End> {
        let sign = Value::concrete(1 << (width - 1));
        let wide = u32::from(width);
        if args.iter().any(|arg| arg.term.is_some()) {
            match op {
                FloatOp::Neg => return Ok(self.binary(Op::Xor, wide, args[0], sign)),
                FloatOp::Abs => {
                    let rest = self.not(wide, sign);
                    return Ok(self.binary(Op::And, wide, args[0], rest));
                }
                FloatOp::CopySign => {
                    let rest = self.not(wide, sign);
                    let size = self.binary(Op::And, wide, args[0], rest);
                    let taken = self.binary(Op::And, wide, args[1], sign);
                    return Ok(self.binary(Op::Or, wide, size, taken));
                }
                _ => {}
            }
        }
        let why = format!("float arithmetic ({op:?}) on the input is done on one value only");
        let mut numbers = [0; 3];
        for (number, arg) in numbers.iter_mut().zip(args) {
            *number = self.pin(*arg, wide, &why)?;
        }
        let [a, b, c] = numbers;
        let bits = if width == 32 {
            u128::from(apply!(op, to_f32(a), to_f32(b), to_f32(c)).to_bits())
        } else {
            u128::from(apply!(op, to_f64(a), to_f64(b), to_f64(c)).to_bits())
        };
        Ok(Value::concrete(bits))
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
        let why = format!("a conversion of the input ({kind:?}) is done on one value only");
        let bits = self.pin(a, u32::from(from), &why)?;
        let number = match kind {
            Conversion::UnsignedToFloat if to == 32 => u128::from((bits as f32).to_bits()),
            Conversion::UnsignedToFloat => u128::from((bits as f64).to_bits()),
            Conversion::SignedToFloat => {
                let number = signed(bits, u32::from(from));
                match to {
                    32 => u128::from((number as f32).to_bits()),
                    _ => u128::from((number as f64).to_bits()),
                }
            }
            Conversion::FloatToFloat if to == 32 => u128::from((to_f64(bits) as f32).to_bits()),
            Conversion::FloatToFloat => u128::from(f64::from(to_f32(bits)).to_bits()),
            Conversion::FloatToUnsigned | Conversion::FloatToSigned => {
                let number = if from == 32 { f64::from(to_f32(bits)) } else { to_f64(bits) };
                float_to_integer(number, to, kind == Conversion::FloatToSigned, saturate)?
            }
        };
        Ok(Value::concrete(number))
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
    let fits = truncated >= low as f64 && truncated <= high as f64;
    if !saturate && !fits {
        return Err(End::Crashed("a float out of the range of an integer".to_owned()));
    }
    Ok((number as i128).clamp(low, high) as u128 & mask(width))
}
