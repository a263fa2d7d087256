//! What the standard library says of numbers.

use crate::terms::CHAR;
use crate::translate::{Out, Why};
use crate::value::Value;
use crate::world::World;
use testsmith_solver::term::{Op, Term};

impl World<'_> {
    pub(crate) fn of_int(
        &mut self,
        value: &Value,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        if let Value::Int { term, signed: false } = value
            && self.terms.pool.width(*term) == 8
            && name.starts_with("is_ascii")
        {
            let wide = self.terms.extended(*term, CHAR, false);
            return self.of_char(wide, name);
        }
        let ops = [("add", Op::Add), ("sub", Op::Sub), ("mul", Op::Mul), ("div", Op::UDiv)];
        let ops = [ops.as_slice(), &[("rem", Op::URem)]].concat();
        if let ([other], Some((kind, op))) = (args, name.split_once('_')) {
            let op = ops.iter().find(|(known, _)| *known == op).map(|(_, op)| *op);
            if let Some(op) = op {
                let (result, fits) = self.arithmetic(op, value, other)?;
                let result = match kind {
                    "checked" => Value::Option { some: fits, value: Box::new(result) },
                    "wrapping" if !matches!(op, Op::UDiv | Op::URem) => result,
                    "saturating" => return self.saturated(op, value, other, (result, fits)),
                    _ => return Ok(None),
                };
                return Ok(Some(self.sure(result)));
            }
        }
        match (name, args) {
            ("min" | "max", [other]) => {
                let less = self.less(value, other).ok_or("numbers of two types")?;
                let (a, b) = if name == "min" { (value, other) } else { (other, value) };
                let chosen = self.terms.choice(less, a, b).ok_or("numbers of two types")?;
                Ok(Some(self.sure(chosen)))
            }
            ("abs" | "unsigned_abs", []) => {
                let zero = Value::Number(0);
                let negative = self.less(value, &zero).ok_or("no number")?;
                let (minus, fits) = self.arithmetic(Op::Sub, &zero, value)?;
                let chosen = self.terms.choice(negative, &minus, value).ok_or("no number")?;
                match (name, chosen) {
                    ("unsigned_abs", Value::Int { term, .. }) => {
                        Ok(Some(self.sure(Value::Int { term, signed: false })))
                    }
                    (_, chosen) => Ok(Some(Out { value: chosen, ok: fits })),
                }
            }
            ("is_power_of_two", []) => {
                let Value::Int { term, signed: false } = value else { return Ok(None) };
                let width = self.terms.pool.width(*term);
                let (zero, one) = (self.terms.number(width, 0), self.terms.number(width, 1));
                let below = self.terms.binary(Op::Sub, *term, one);
                let common = self.terms.and(*term, below);
                let (single, none) =
                    (self.terms.equal(common, zero), self.terms.equal(*term, zero));
                let some = self.terms.not(none);
                let value = Value::Bool(self.terms.and(single, some));
                Ok(Some(self.sure(value)))
            }
            ("signum", []) => {
                let zero = Value::Number(0);
                let (below, above) = (self.less(value, &zero), self.less(&zero, value));
                let (below, above) = (below.ok_or("no number")?, above.ok_or("no number")?);
                let Value::Int { term, signed } = value else { return Ok(None) };
                let width = self.terms.pool.width(*term);
                let [minus, none, plus] = [-1, 0, 1].map(|n| self.terms.number(width, n));
                let upper = self.terms.ite(above, plus, none);
                let term = self.terms.ite(below, minus, upper);
                Ok(Some(self.sure(Value::Int { term, signed: *signed })))
            }
            _ => Ok(None),
        }
    }

    fn saturated(
        &mut self,
        op: Op,
        a: &Value,
        b: &Value,
        (result, fits): (Value, Term),
    ) -> Result<Option<Out>, Why> {
        let Value::Int { term, signed: false } = &result else { return Ok(None) };
        let width = self.terms.pool.width(*term);
        let _ = (a, b);
        let limit = match op {
            Op::Sub => self.terms.number(width, 0),
            _ => self.terms.pool.number(width, testsmith_solver::term::mask(width)),
        };
        let term = self.terms.ite(fits, *term, limit);
        Ok(Some(self.sure(Value::Int { term, signed: false })))
    }

    pub(crate) fn of_float(
        &mut self,
        value: &Value,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        let (term, _) = self.terms.floats(value, value).ok_or("no float")?;
        let width = self.terms.pool.width(term);
        let itself = self.terms.float_equal(term, term);
        let limit = |world: &mut Self, number: f64| world.terms.real(number.to_bits(), width);
        let found = match (name, args) {
            ("is_nan", []) => self.terms.not(itself),
            ("is_finite" | "is_infinite", []) => {
                let (low, high) = (limit(self, f64::NEG_INFINITY), limit(self, f64::INFINITY));
                let (above, below) =
                    (self.terms.float_less(low, term), self.terms.float_less(term, high));
                let finite = self.terms.and(above, below);
                match name {
                    "is_finite" => finite,
                    _ => {
                        let other = self.terms.not(finite);
                        self.terms.and(itself, other)
                    }
                }
            }
            ("is_sign_negative", []) => self.terms.pool.extract(term, width - 1, 1),
            ("is_sign_positive", []) => {
                let sign = self.terms.pool.extract(term, width - 1, 1);
                self.terms.not(sign)
            }
            ("abs", []) => {
                let magnitude = self.terms.pool.extract(term, 0, width - 1);
                let value = Value::Float(self.terms.extended(magnitude, width, false));
                return Ok(Some(self.sure(value)));
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(Value::Bool(found))))
    }
}
