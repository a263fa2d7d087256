//! The meaning of the compiler's intrinsics.

use super::{End, Machine, Value};
use crate::ir::Intrinsic;
use testsmith_solver::term::{Op, fold, mask, signed};

type Results = [Option<Value>; 2];

impl Machine<'_> {
    pub(super) fn intrinsic(
        &mut self,
        which: Intrinsic,
        width: u32,
        args: &[Value],
    ) -> Result<Results, End> {
        use Intrinsic as I;
        let value = match which {
            I::Copy => {
                self.copy_bytes(args)?;
                return Ok([None, None]);
            }
            I::Set => {
                self.set_bytes(args)?;
                return Ok([None, None]);
            }
            I::UMin => self.smaller(Op::Ult, width, args[0], args[1]),
            I::UMax => self.larger(Op::Ult, width, args[0], args[1]),
            I::SMin => self.smaller(Op::Slt, width, args[0], args[1]),
            I::SMax => self.larger(Op::Slt, width, args[0], args[1]),
            I::UAddSat | I::USubSat | I::SAddSat | I::SSubSat => {
                self.saturating(which, width, args)
            }
            I::Abs => {
                let zero = Value::concrete(0);
                let negative = self.binary(Op::Slt, width, args[0], zero);
                let negated = self.binary(Op::Sub, width, zero, args[0]);
                self.select(width, negative, negated, args[0])
            }
            I::SCmp => self.three_way(Op::Slt, width, args),
            I::UCmp => self.three_way(Op::Ult, width, args),
            I::UAddOverflow | I::SAddOverflow | I::USubOverflow | I::SSubOverflow => {
                return Ok(self.add_overflow(which, width, args));
            }
            I::UMulOverflow | I::SMulOverflow => return self.mul_overflow(which, width, args),
            I::ShiftLeftFunnel | I::ShiftRightFunnel => self.funnel(which, width, args),
            I::BitReverse => self.reversed(args[0], width, 1),
            I::ByteSwap => self.reversed(args[0], width, 8),
            I::TrailingZeros | I::LeadingZeros | I::PopulationCount => {
                self.count_bits(which, width, args[0])
            }
            I::MoveMask => {
                let mut packed = self.extract(7, 1, args[0]);
                for (index, lane) in args.iter().enumerate().skip(1) {
                    let top = self.extract(7, 1, *lane);
                    packed = self.concat((top, 1), (packed, index as u32));
                }
                self.zero_extend(32, packed)
            }
        };
        Ok([Some(value), None])
    }

    fn smaller(&mut self, op: Op, width: u32, a: Value, b: Value) -> Value {
        let less = self.binary(op, width, a, b);
        self.select(width, less, a, b)
    }

    fn larger(&mut self, op: Op, width: u32, a: Value, b: Value) -> Value {
        let less = self.binary(op, width, a, b);
        self.select(width, less, b, a)
    }

    fn three_way(&mut self, op: Op, width: u32, args: &[Value]) -> Value {
        let less = self.binary(op, width, args[0], args[1]);
        let greater = self.binary(op, width, args[1], args[0]);
        let rest = self.zero_extend(8, greater);
        self.select(8, less, Value::concrete(0xff), rest)
    }

    fn saturating(&mut self, which: Intrinsic, width: u32, args: &[Value]) -> Value {
        let (overflow, unsigned) = match which {
            Intrinsic::UAddSat => (Intrinsic::UAddOverflow, Some(mask(width))),
            Intrinsic::USubSat => (Intrinsic::USubOverflow, Some(0)),
            Intrinsic::SAddSat => (Intrinsic::SAddOverflow, None),
            _ => (Intrinsic::SSubOverflow, None),
        };
        let [result, overflowed] = self.add_overflow(overflow, width, args);
        let (result, overflowed) = (result.expect("a sum"), overflowed.expect("a flag"));
        let limit = match unsigned {
            Some(limit) => Value::concrete(limit),
            None => {
                // The sign of the first operand tells which way it went.
                let low = Value::concrete(1 << (width - 1));
                let high = Value::concrete((1 << (width - 1)) - 1);
                let negative = self.binary(Op::Slt, width, args[0], Value::concrete(0));
                self.select(width, negative, low, high)
            }
        };
        self.select(width, overflowed, limit, result)
    }

    fn add_overflow(&mut self, which: Intrinsic, width: u32, args: &[Value]) -> Results {
        let (a, b) = (args[0], args[1]);
        let zero = Value::concrete(0);
        let is_signed = matches!(which, Intrinsic::SAddOverflow | Intrinsic::SSubOverflow);
        if is_signed && self.signed_bits(width, a).max(self.signed_bits(width, b)) < width {
            let op = if which == Intrinsic::SAddOverflow { Op::Add } else { Op::Sub };
            return [Some(self.binary(op, width, a, b)), Some(zero)];
        }
        let (sum, overflowed) = match which {
            Intrinsic::UAddOverflow => {
                let sum = self.binary(Op::Add, width, a, b);
                (sum, self.binary(Op::Ult, width, sum, a))
            }
            Intrinsic::USubOverflow => {
                (self.binary(Op::Sub, width, a, b), self.binary(Op::Ult, width, a, b))
            }
            Intrinsic::SAddOverflow => {
                let sum = self.binary(Op::Add, width, a, b);
                let down = self.binary(Op::Slt, width, b, zero);
                let less = self.binary(Op::Slt, width, sum, a);
                (sum, self.binary(Op::Xor, 1, down, less))
            }
            _ => {
                let difference = self.binary(Op::Sub, width, a, b);
                let down = self.binary(Op::Slt, width, zero, b);
                let less = self.binary(Op::Slt, width, difference, a);
                (difference, self.binary(Op::Xor, 1, down, less))
            }
        };
        [Some(sum), Some(overflowed)]
    }

    fn mul_overflow(
        &mut self,
        which: Intrinsic,
        width: u32,
        args: &[Value],
    ) -> Result<Results, End> {
        let signed_product = which == Intrinsic::SMulOverflow;
        let product = self.binary(Op::Mul, width, args[0], args[1]);
        // With one factor known, overflow is a matter of comparing the other.
        for (factor, other) in [(args[0], args[1]), (args[1], args[0])] {
            if factor.term.is_none() {
                let overflowed = self.beyond_quotient(width, factor.bits, other, signed_product);
                return Ok([Some(product), Some(overflowed)]);
            }
        }
        if let Some(overflowed) = self.undoes_division(width, signed_product, args) {
            return Ok([Some(product), Some(overflowed)]);
        }
        if signed_product
            && self.signed_bits(width, args[0]) + self.signed_bits(width, args[1]) <= width
        {
            return Ok([Some(product), Some(Value::concrete(0))]);
        }
        if !signed_product && self.product_fits(width, args) {
            return Ok([Some(product), Some(Value::concrete(0))]);
        }
        if width > 64 {
            return Err(End::Unsupported("overflow of a symbolic product of 128 bits".to_owned()));
        }
        let wide = 2 * width;
        let extend = |machine: &mut Self, value: Value| match signed_product {
            true => machine.sign_extend(width, wide, value),
            false => machine.zero_extend(wide, value),
        };
        let (a, b) = (extend(self, args[0]), extend(self, args[1]));
        let exact = self.binary(Op::Mul, wide, a, b);
        let kept = extend(self, product);
        let fits = self.binary(Op::Eq, wide, exact, kept);
        let overflowed = self.not(1, fits);
        Ok([Some(product), Some(overflowed)])
    }

    fn signed_bits(&mut self, width: u32, value: Value) -> u32 {
        let term = self.term(value, width);
        self.interpreter.pool.signed_bits(term)
    }

    fn product_fits(&mut self, width: u32, args: &[Value]) -> bool {
        let (a, b) = (self.term(args[0], width), self.term(args[1], width));
        let highest = |term| self.interpreter.pool.range(term).high;
        highest(a).checked_mul(highest(b)).is_some_and(|product| product <= mask(width))
    }

    /// Whether `other * factor` does not fit, the factor being known.
    fn beyond_quotient(
        &mut self,
        width: u32,
        factor: u128,
        other: Value,
        is_signed: bool,
    ) -> Value {
        if factor == 0 {
            return Value::concrete(0);
        }
        if !is_signed {
            let limit = Value::concrete(mask(width) / factor);
            return self.binary(Op::Ult, width, limit, other);
        }
        let factor = signed(factor, width);
        let (least, most) =
            (signed(1 << (width - 1), width), signed((1 << (width - 1)) - 1, width));
        if factor == -1 {
            let least = Value::concrete(least as u128 & mask(width));
            return self.binary(Op::Eq, width, other, least);
        }
        let (low, high) = match factor > 0 {
            // Division rounds toward zero, which is inward for both limits.
            true => (least / factor, most / factor),
            false => (most / factor, least / factor),
        };
        let low = Value::concrete(low as u128 & mask(width));
        let high = Value::concrete(high as u128 & mask(width));
        let below = self.binary(Op::Slt, width, other, low);
        let above = self.binary(Op::Slt, width, high, other);
        self.binary(Op::Or, 1, below, above)
    }

    /// A quotient times its divisor is never beyond what was divided, except where the
    /// quotient itself overflows: the least number by minus one.
    fn undoes_division(&mut self, width: u32, is_signed: bool, args: &[Value]) -> Option<Value> {
        let divide = if is_signed { Op::SDiv } else { Op::UDiv };
        let pool = &mut self.interpreter.pool;
        for (quotient, by) in [(args[0].term?, args[1].term?), (args[1].term?, args[0].term?)] {
            let node = *pool.node(quotient);
            if node.op != divide || node.second() != by {
                continue;
            }
            if !is_signed {
                return Some(Value::concrete(0));
            }
            let (least, minus_one) =
                (pool.number(width, 1 << (width - 1)), pool.number(width, u128::MAX));
            let least = pool.equal(node.first(), least);
            let by_minus_one = pool.equal(by, minus_one);
            let overflows = pool.and(least, by_minus_one);
            let extreme = (quotient, by) == (args[0].term?, args[1].term?);
            let (q, d) = if extreme { (args[0], args[1]) } else { (args[1], args[0]) };
            let bits = q.bits == 1 << (width - 1) && d.bits == mask(width);
            return Some(self.value(u128::from(bits), overflows));
        }
        None
    }

    fn funnel(&mut self, which: Intrinsic, width: u32, args: &[Value]) -> Value {
        let full = Value::concrete(u128::from(width));
        let by = self.binary(Op::URem, width, args[2], full);
        // A shift by the whole width gives zero, so a distance of zero needs no special case.
        let rest = self.binary(Op::Sub, width, full, by);
        let (left, right) =
            if which == Intrinsic::ShiftLeftFunnel { (by, rest) } else { (rest, by) };
        let high = self.binary(Op::Shl, width, args[0], left);
        let low = self.binary(Op::LShr, width, args[1], right);
        self.binary(Op::Or, width, high, low)
    }

    /// The value with its groups of `group` bits in reverse order.
    fn reversed(&mut self, value: Value, width: u32, group: u32) -> Value {
        let mut result = self.extract(0, group, value);
        for index in 1..width / group {
            let next = self.extract(index * group, group, value);
            result = self.concat((result, group * index), (next, group));
        }
        result
    }

    fn count_bits(&mut self, which: Intrinsic, width: u32, value: Value) -> Value {
        let empty = if which == Intrinsic::PopulationCount { 0 } else { u128::from(width) };
        let concrete = match which {
            Intrinsic::PopulationCount => value.bits.count_ones(),
            Intrinsic::TrailingZeros => value.bits.trailing_zeros().min(width),
            _ => value.bits.leading_zeros() - (128 - width),
        };
        if value.term.is_none() {
            return Value::concrete(u128::from(concrete));
        }
        let mut result = Value::concrete(empty & mask(width));
        for step in 0..width {
            // The bit that decides comes last, so it wins.
            let index = if which == Intrinsic::TrailingZeros { width - 1 - step } else { step };
            let bit = self.extract(index, 1, value);
            result = match which {
                Intrinsic::PopulationCount => {
                    let bit = self.zero_extend(width, bit);
                    self.binary(Op::Add, width, result, bit)
                }
                Intrinsic::TrailingZeros => {
                    self.select(width, bit, Value::concrete(u128::from(index)), result)
                }
                _ => {
                    let zeros = Value::concrete(u128::from(width - 1 - index));
                    self.select(width, bit, zeros, result)
                }
            };
        }
        debug_assert_eq!(result.bits, fold(Op::Add, width, u128::from(concrete), 0));
        result
    }
}
