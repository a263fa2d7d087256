//! From expressions to terms.
//!
//! Every expression gives a value and the condition under which evaluating it does not
//! panic: arithmetic that overflows, an index out of bounds, a query whose precondition does
//! not hold. A clause is met where it does not panic and is true. A condition that cannot be
//! translated is a free variable, and listed.

use crate::system::Sort;
use crate::terms::{CHAR, WIDE};
use crate::value::Value;
use crate::world::World;
use std::collections::BTreeMap;
use syn::{BinOp, Expr, Lit, UnOp};
use testsmith_solver::term::{Format, Op, Term};

/// What names mean, and when objects are looked at.
#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub(crate) names: BTreeMap<String, Value>,
    pub(crate) now: usize,
    /// The moment that `old` speaks of.
    pub(crate) old: usize,
    /// Whether names that mean nothing else are queries of `self`, as in a goal.
    pub(crate) of_self: bool,
}

/// A value, and when there is one.
#[derive(Clone)]
pub(crate) struct Out {
    pub(crate) value: Value,
    pub(crate) ok: Term,
}

/// Why something cannot be translated.
pub(crate) type Why = String;

impl World<'_> {
    /// A value that is always there.
    pub(crate) fn sure(&mut self, value: Value) -> Out {
        Out { value, ok: self.terms.truth(true) }
    }

    /// A condition: whether it holds, and whether it has a value. Where it cannot be
    /// translated it is anything.
    pub(crate) fn condition(&mut self, expr: &Expr, scope: &Scope) -> (Term, Term) {
        match self.try_condition(expr, scope) {
            Ok(found) => found,
            Err(why) => {
                self.note_free(why);
                (self.terms.fresh(1), self.terms.truth(true))
            }
        }
    }

    fn try_condition(&mut self, expr: &Expr, scope: &Scope) -> Result<(Term, Term), Why> {
        match expr {
            Expr::Paren(inner) => Ok(self.condition(&inner.expr, scope)),
            Expr::Group(inner) => Ok(self.condition(&inner.expr, scope)),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let (value, ok) = self.try_condition(&unary.expr, scope)?;
                Ok((self.terms.not(value), ok))
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
                let a = self.condition(&binary.left, scope);
                let b = self.condition(&binary.right, scope);
                let later = self.terms.implies(a.0, b.1);
                Ok((self.terms.and(a.0, b.0), self.terms.and(a.1, later)))
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Or(_)) => {
                let a = self.condition(&binary.left, scope);
                let otherwise = self.terms.not(a.0);
                let b = self.only_where(otherwise, |it| it.condition(&binary.right, scope));
                let later = self.terms.or(a.0, b.1);
                Ok((self.terms.or(a.0, b.0), self.terms.and(a.1, later)))
            }
            Expr::Call(call) if is_named(&call.func, "implies") && call.args.len() == 2 => {
                let a = self.condition(&call.args[0], scope);
                let b = self.only_where(a.0, |it| it.condition(&call.args[1], scope));
                let later = self.terms.implies(a.0, b.1);
                Ok((self.terms.implies(a.0, b.0), self.terms.and(a.1, later)))
            }
            expr => {
                let out = self.expression(expr, scope)?;
                match out.value {
                    Value::Bool(term) => Ok((term, out.ok)),
                    _ => Err(format!("{} is no condition", spelled(expr))),
                }
            }
        }
    }

    pub(crate) fn expression(&mut self, expr: &Expr, scope: &Scope) -> Result<Out, Why> {
        match expr {
            Expr::Paren(inner) => self.expression(&inner.expr, scope),
            Expr::Group(inner) => self.expression(&inner.expr, scope),
            Expr::Reference(inner) => self.expression(&inner.expr, scope),
            Expr::Unary(unary) => self.unary(unary, scope),
            Expr::Binary(binary) => self.binary(binary, scope),
            Expr::Lit(lit) => {
                let value = self.literal(&lit.lit)?;
                Ok(self.sure(value))
            }
            Expr::Path(path) => self.path(&path.path, scope),
            Expr::Call(call) => self.call(call, scope),
            Expr::MethodCall(call) => self.method_call(call, scope),
            Expr::Field(field) => self.field(field, scope),
            Expr::Index(index) => self.index(index, scope),
            Expr::Cast(cast) => self.cast(cast, scope),
            Expr::If(choice) => self.choice(choice, scope),
            Expr::Match(it) => self.match_(it, scope),
            Expr::Block(block) => self.block(&block.block, scope),
            Expr::Macro(it) if it.mac.path.is_ident("matches") => {
                let parsed: crate::parse::Matches =
                    syn::parse2(it.mac.tokens.clone()).map_err(|why| why.to_string())?;
                self.matches(&parsed, scope)
            }
            Expr::Tuple(tuple) => {
                let outs = self.expressions(tuple.elems.iter(), scope)?;
                let oks: Vec<Term> = outs.iter().map(|out| out.ok).collect();
                let parts: Vec<Value> = outs.into_iter().map(|out| out.value).collect();
                let value = if parts.is_empty() { Value::Unit } else { Value::Tuple(parts) };
                Ok(Out { value, ok: self.terms.all(&oks) })
            }
            Expr::Array(array) => {
                let outs = self.expressions(array.elems.iter(), scope)?;
                let oks: Vec<Term> = outs.iter().map(|out| out.ok).collect();
                let items: Vec<Value> = outs.into_iter().map(|out| out.value).collect();
                let (len, of) = (self.terms.wide(items.len()), Sort::Opaque(String::new()));
                Ok(Out { value: Value::Seq { len, items, of }, ok: self.terms.all(&oks) })
            }
            Expr::Range(range) => self.range(range, scope),
            Expr::Struct(it) => self.put_together(it, scope),
            expr => Err(format!("{} is nothing that is translated", spelled(expr))),
        }
    }

    pub(crate) fn expressions<'e>(
        &mut self,
        all: impl Iterator<Item = &'e Expr>,
        scope: &Scope,
    ) -> Result<Vec<Out>, Why> {
        all.map(|expr| self.expression(expr, scope)).collect()
    }

    fn literal(&mut self, lit: &Lit) -> Result<Value, Why> {
        match lit {
            Lit::Bool(value) => Ok(Value::Bool(self.terms.truth(value.value))),
            Lit::Char(value) => {
                let code = i128::from(u32::from(value.value()));
                Ok(Value::Char(self.terms.number(CHAR, code)))
            }
            Lit::Byte(value) => {
                let term = self.terms.number(8, i128::from(value.value()));
                Ok(Value::Int { term, signed: false })
            }
            Lit::Int(value) => {
                let number = value.base10_parse::<u128>().map_err(|why| why.to_string())? as i128;
                match Sort::primitive(value.suffix()) {
                    Some(Sort::Int { width, signed }) => {
                        Ok(Value::Int { term: self.terms.number(width, number), signed })
                    }
                    Some(Sort::Float { .. }) => Ok(Value::Real((number as f64).to_bits())),
                    _ => Ok(Value::Number(number)),
                }
            }
            Lit::Float(value) => {
                let number: f64 = value.base10_parse().map_err(|why| why.to_string())?;
                Ok(Value::Real(number.to_bits()))
            }
            Lit::Str(value) => {
                let text = value.value();
                Ok(self.terms.literal_text(&text))
            }
            _ => Err("a literal of a kind that is not translated".to_owned()),
        }
    }

    fn unary(&mut self, unary: &syn::ExprUnary, scope: &Scope) -> Result<Out, Why> {
        let out = self.expression(&unary.expr, scope)?;
        match (&unary.op, &out.value) {
            (UnOp::Deref(_), _) => Ok(out),
            (UnOp::Not(_), Value::Bool(term)) => {
                Ok(Out { value: Value::Bool(self.terms.not(*term)), ok: out.ok })
            }
            (UnOp::Neg(_), Value::Number(number)) => {
                Ok(Out { value: Value::Number(number.wrapping_neg()), ok: out.ok })
            }
            (UnOp::Neg(_), Value::Real(bits)) => {
                let negative = (-f64::from_bits(*bits)).to_bits();
                Ok(Out { value: Value::Real(negative), ok: out.ok })
            }
            (UnOp::Neg(_), Value::Int { signed: true, .. }) => {
                let zero = Value::Number(0);
                let value = out.value.clone();
                let (value, fits) = self.arithmetic(Op::Sub, &zero, &value)?;
                Ok(Out { value, ok: self.terms.and(out.ok, fits) })
            }
            _ => Err(format!("{} is not translated", spelled(&Expr::Unary(unary.clone())))),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary, scope: &Scope) -> Result<Out, Why> {
        if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) {
            let (value, ok) = self.try_condition(&Expr::Binary(binary.clone()), scope)?;
            return Ok(Out { value: Value::Bool(value), ok });
        }
        let a = self.expression(&binary.left, scope)?;
        let b = self.expression(&binary.right, scope)?;
        let ok = self.terms.and(a.ok, b.ok);
        let no = || format!("{} is not translated", spelled(&Expr::Binary(binary.clone())));
        let compared = match &binary.op {
            BinOp::Eq(_) | BinOp::Ne(_) => {
                let (left, right) = ((&a.value, &*binary.left), (&b.value, &*binary.right));
                let same = self.same_as(left, right, scope).ok_or_else(no)?;
                let is_eq = matches!(binary.op, BinOp::Eq(_));
                Some(if is_eq { same } else { self.terms.not(same) })
            }
            BinOp::Lt(_) => Some(self.less(&a.value, &b.value).ok_or_else(no)?),
            BinOp::Gt(_) => Some(self.less(&b.value, &a.value).ok_or_else(no)?),
            BinOp::Le(_) => Some(self.at_most(&a.value, &b.value).ok_or_else(no)?),
            BinOp::Ge(_) => Some(self.at_most(&b.value, &a.value).ok_or_else(no)?),
            _ => None,
        };
        if let Some(term) = compared {
            return Ok(Out { value: Value::Bool(term), ok });
        }
        let op = match &binary.op {
            BinOp::Add(_) => Op::Add,
            BinOp::Sub(_) => Op::Sub,
            BinOp::Mul(_) => Op::Mul,
            BinOp::Div(_) => Op::UDiv,
            BinOp::Rem(_) => Op::URem,
            BinOp::BitAnd(_) => Op::And,
            BinOp::BitOr(_) => Op::Or,
            BinOp::BitXor(_) => Op::Xor,
            BinOp::Shl(_) => Op::Shl,
            BinOp::Shr(_) => Op::LShr,
            _ => return Err(no()),
        };
        let (value, fits) = self.arithmetic(op, &a.value, &b.value)?;
        Ok(Out { value, ok: self.terms.and(ok, fits) })
    }

    pub(crate) fn less(&mut self, a: &Value, b: &Value) -> Option<Term> {
        match (a, b) {
            (Value::Char(a), Value::Char(b)) => Some(self.terms.less(*a, *b, false)),
            (Value::Bool(a), Value::Bool(b)) => Some(self.terms.less(*a, *b, false)),
            (Value::Float(_) | Value::Real(_), Value::Float(_) | Value::Real(_)) => {
                let (a, b) = self.terms.floats(a, b)?;
                Some(self.terms.float_less(a, b))
            }
            // Room that is not used is zero, so that a prefix comes first.
            (Value::Text { chars: x, .. }, Value::Text { chars: y, .. }) => {
                let mut less = self.terms.truth(false);
                for at in (0..x.len().max(y.len())).rev() {
                    let (x, y) = (self.terms.char_at(x, at), self.terms.char_at(y, at));
                    let (below, same) = (self.terms.less(x, y, false), self.terms.equal(x, y));
                    less = self.terms.ite(same, less, below);
                }
                Some(less)
            }
            (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => {
                let mut less = self.terms.truth(false);
                for (x, y) in x.iter().zip(y).rev() {
                    let (below, same) = (self.less(x, y)?, self.terms.same(x, y)?);
                    less = self.terms.ite(same, less, below);
                }
                Some(less)
            }
            (Value::Enum { tag: a, fields, .. }, Value::Enum { tag: b, .. })
                if fields.iter().all(Vec::is_empty) =>
            {
                Some(self.terms.less(*a, *b, false))
            }
            _ => {
                let (a, b, signed) = self.terms.alike(a, b)?;
                Some(self.terms.less(a, b, signed))
            }
        }
    }

    fn at_most(&mut self, a: &Value, b: &Value) -> Option<Term> {
        let (less, same) = (self.less(a, b)?, self.terms.same(a, b)?);
        Some(self.terms.or(less, same))
    }

    /// A number, and whether computing it does not panic.
    pub(crate) fn arithmetic(
        &mut self,
        op: Op,
        a: &Value,
        b: &Value,
    ) -> Result<(Value, Term), Why> {
        if let (Value::Bool(a), Value::Bool(b)) = (a, b)
            && matches!(op, Op::And | Op::Or | Op::Xor)
        {
            let yes = self.terms.truth(true);
            return Ok((Value::Bool(self.terms.binary(op, *a, *b)), yes));
        }
        if let (Value::Number(m), Value::Number(n)) = (a, b) {
            let folded = match op {
                Op::Add => m.checked_add(*n),
                Op::Sub => m.checked_sub(*n),
                Op::Mul => m.checked_mul(*n),
                Op::UDiv => m.checked_div(*n),
                Op::URem => m.checked_rem(*n),
                Op::Shl => {
                    u32::try_from(*n).ok().and_then(|n| m.checked_mul(1_i128.checked_shl(n)?))
                }
                Op::And => Some(m & n),
                Op::Or => Some(m | n),
                Op::Xor => Some(m ^ n),
                _ => None,
            };
            if let Some(number) = folded {
                return Ok((Value::Number(number), self.terms.truth(true)));
            }
        }
        if matches!(a, Value::Float(_) | Value::Real(_)) {
            return self.float_arithmetic(op, a, b);
        }
        // The amount of a shift may have another type.
        let shift = matches!(op, Op::Shl | Op::LShr);
        let amount = match (shift, a, b) {
            (true, Value::Int { term, .. }, Value::Int { term: by, signed }) => {
                let width = self.terms.pool.width(*term);
                let (by, _) = self.terms.resized(*by, *signed, (width, false));
                Value::Int { term: by, signed: false }
            }
            _ => b.clone(),
        };
        let none = || "arithmetic on what are no numbers of one type".to_owned();
        let (x, y, signed) = self.terms.alike(a, &amount).ok_or_else(none)?;
        let (term, fits) = self.checked(op, x, y, signed)?;
        Ok((Value::Int { term, signed }, fits))
    }

    /// The result in the width of the operands, and whether it is the true one.
    pub(crate) fn checked(
        &mut self,
        op: Op,
        x: Term,
        y: Term,
        signed: bool,
    ) -> Result<(Term, Term), Why> {
        let width = self.terms.pool.width(x);
        let yes = self.terms.truth(true);
        match op {
            Op::Add | Op::Sub | Op::Mul => {
                let wide = if op == Op::Mul { 2 * width } else { width + 1 };
                if wide > 128 {
                    return Err("arithmetic on numbers of 128 bits".to_owned());
                }
                let (a, b) =
                    (self.terms.extended(x, wide, signed), self.terms.extended(y, wide, signed));
                let exact = self.terms.binary(op, a, b);
                let cut = self.terms.pool.extract(exact, 0, width);
                let back = self.terms.extended(cut, wide, signed);
                Ok((cut, self.terms.equal(exact, back)))
            }
            Op::UDiv | Op::URem => {
                let zero = self.terms.number(width, 0);
                let by_zero = self.terms.equal(y, zero);
                let mut bad = by_zero;
                if signed {
                    let least = self.terms.pool.number(width, 1 << (width - 1));
                    let minus_one = self.terms.number(width, -1);
                    let (at_least, by) =
                        (self.terms.equal(x, least), self.terms.equal(y, minus_one));
                    let overflows = self.terms.and(at_least, by);
                    bad = self.terms.or(bad, overflows);
                }
                let op = match (op, signed) {
                    (Op::UDiv, true) => Op::SDiv,
                    (Op::URem, true) => Op::SRem,
                    (op, _) => op,
                };
                Ok((self.terms.binary(op, x, y), self.terms.not(bad)))
            }
            Op::Shl | Op::LShr => {
                let most = self.terms.number(width, i128::from(width));
                let fits = self.terms.less(y, most, false);
                let op = if op == Op::LShr && signed { Op::AShr } else { op };
                Ok((self.terms.binary(op, x, y), fits))
            }
            op => Ok((self.terms.binary(op, x, y), yes)),
        }
    }

    fn float_arithmetic(&mut self, op: Op, a: &Value, b: &Value) -> Result<(Value, Term), Why> {
        let none = || "arithmetic on floats that is not translated".to_owned();
        let (x, y) = self.terms.floats(a, b).ok_or_else(none)?;
        let format = Format::of_width(self.terms.pool.width(x)).ok_or_else(none)?;
        let pool = &mut self.terms.pool;
        let term = match op {
            Op::Add => pool.float_add(format, x, y, false),
            Op::Sub => pool.float_add(format, x, y, true),
            Op::Mul => pool.float_multiply(format, x, y),
            Op::UDiv => pool.float_divide(format, x, y),
            _ => return Err(none()),
        };
        Ok((Value::Float(term), self.terms.truth(true)))
    }

    fn cast(&mut self, cast: &syn::ExprCast, scope: &Scope) -> Result<Out, Why> {
        let out = self.expression(&cast.expr, scope)?;
        let to = spelled_type(&cast.ty);
        let no = || format!("a cast to {to}");
        let Some(Sort::Int { width, signed: to_signed }) = Sort::primitive(&to) else {
            return Err(no());
        };
        let (term, signed) = match &out.value {
            Value::Int { term, signed } => (*term, *signed),
            Value::Number(number) => (self.terms.number(128, *number), true),
            Value::Bool(term) | Value::Char(term) => (*term, false),
            Value::Enum { tag, fields, .. } if fields.iter().all(Vec::is_empty) => (*tag, false),
            _ => return Err(no()),
        };
        let (term, _) = self.terms.resized(term, signed, (width, to_signed));
        Ok(Out { value: Value::Int { term, signed: to_signed }, ok: out.ok })
    }

    fn choice(&mut self, choice: &syn::ExprIf, scope: &Scope) -> Result<Out, Why> {
        if matches!(*choice.cond, Expr::Let(_)) {
            return Err("`if let` in a clause".to_owned());
        }
        let (condition, ok) = self.try_condition(&choice.cond, scope)?;
        let then = self.only_where(condition, |it| it.block(&choice.then_branch, scope))?;
        let Some((_, other)) = &choice.else_branch else {
            return Err("`if` without `else` in a clause".to_owned());
        };
        let otherwise = self.terms.not(condition);
        let other = self.only_where(otherwise, |it| it.expression(other, scope))?;
        let branch = self.terms.ite(condition, then.ok, other.ok);
        let value = self.terms.choice(condition, &then.value, &other.value);
        let value = value.ok_or("the branches of `if` cannot be put together")?;
        Ok(Out { value, ok: self.terms.and(ok, branch) })
    }

    /// `{ let a = ..; expression }`
    pub(crate) fn block(&mut self, block: &syn::Block, scope: &Scope) -> Result<Out, Why> {
        let mut scope = scope.clone();
        let mut ok = self.terms.truth(true);
        let (last, lets) = block.stmts.split_last().ok_or("an empty block")?;
        for statement in lets {
            let syn::Stmt::Local(local) = statement else {
                return Err("a statement that is no `let`".to_owned());
            };
            let init = local.init.as_ref().ok_or("a `let` without a value")?;
            let out = self.expression(&init.expr, &scope)?;
            ok = self.terms.and(ok, out.ok);
            let bound = self.pattern(&local.pat, &out.value, &mut scope)?;
            if !self.terms.is_constant(bound, true) {
                return Err("a `let` that may not match".to_owned());
            }
        }
        let syn::Stmt::Expr(expr, None) = last else {
            return Err("a block without a value".to_owned());
        };
        let out = self.expression(expr, &scope)?;
        Ok(Out { value: out.value, ok: self.terms.and(ok, out.ok) })
    }

    fn range(&mut self, range: &syn::ExprRange, scope: &Scope) -> Result<Out, Why> {
        let (Some(low), Some(high)) = (&range.start, &range.end) else {
            return Err("a range without an end".to_owned());
        };
        let (low, high) = (self.expression(low, scope)?, self.expression(high, scope)?);
        let ok = self.terms.and(low.ok, high.ok);
        let (value, fits) = match range.limits {
            syn::RangeLimits::HalfOpen(_) => (high.value, ok),
            syn::RangeLimits::Closed(_) => {
                self.arithmetic(Op::Add, &high.value, &Value::Number(1))?
            }
        };
        let ok = self.terms.and(ok, fits);
        Ok(Out { value: Value::Range { low: Box::new(low.value), high: Box::new(value) }, ok })
    }

    fn index(&mut self, index: &syn::ExprIndex, scope: &Scope) -> Result<Out, Why> {
        let of = self.expression(&index.expr, scope)?;
        if let Expr::Range(range) = &*index.index {
            return self.part(of, range, scope);
        }
        let at = self.expression(&index.index, scope)?;
        let ok = self.terms.and(of.ok, at.ok);
        let (value, inside) = self.element(&of.value, &at.value)?;
        Ok(Out { value, ok: self.terms.and(ok, inside) })
    }

    /// `items[low..high]`, either end left out or not.
    fn part(&mut self, of: Out, range: &syn::ExprRange, scope: &Scope) -> Result<Out, Why> {
        let (Value::Seq { len, .. } | Value::Text { len, .. }) = of.value else {
            return Err("a part of what is no sequence".to_owned());
        };
        let wide = Value::Int { term: len, signed: false };
        let mut ok = of.ok;
        let mut end = |world: &mut Self, expr: &Option<Box<Expr>>| {
            let Some(expr) = expr else { return Ok(None) };
            let out = world.expression(expr, scope)?;
            ok = world.terms.and(ok, out.ok);
            Ok::<_, Why>(Some(
                world.terms.alike(&out.value, &wide).ok_or("an index of no number")?.0,
            ))
        };
        let (low, high) = (end(self, &range.start)?, end(self, &range.end)?);
        let low = low.unwrap_or_else(|| self.terms.wide(0));
        let mut high = high.unwrap_or(len);
        if range.end.is_some() && matches!(range.limits, syn::RangeLimits::Closed(_)) {
            let (one, below) = (self.terms.wide(1), self.terms.less(high, len, false));
            high = self.terms.binary(Op::Add, high, one);
            ok = self.terms.and(ok, below);
        }
        let (ordered, inside) =
            (self.terms.at_most(low, high, false), self.terms.at_most(high, len, false));
        let ok = self.terms.all(&[ok, ordered, inside]);
        let value = match &of.value {
            Value::Text { chars, .. } if !self.terms.room.any_char => {
                self.part_of_text((len, chars), low, high)
            }
            Value::Seq { items, of, .. } => self.part_of_sequence((items, of), low, high)?,
            _ => return Err("bytes of a text that may not be ASCII".to_owned()),
        };
        Ok(Out { value, ok })
    }

    /// The element at a position, and whether there is one.
    pub(crate) fn element(&mut self, of: &Value, at: &Value) -> Result<(Value, Term), Why> {
        let Value::Seq { len, items, of: sort } = of else {
            return Err("an index into what is no sequence".to_owned());
        };
        let wide = Value::Int { term: *len, signed: false };
        let (len, at, _) = self.terms.alike(&wide, at).ok_or("an index that is no number")?;
        let inside = self.terms.less(at, len, false);
        let place = self.terms.pool.constant(at).and_then(|at| usize::try_from(at).ok());
        if let Some(item) = place.and_then(|place| items.get(place)) {
            return Ok((item.clone(), inside));
        }
        // What lies beyond the room is anything.
        let mut value = match sort {
            Sort::Opaque(_) => items.last().ok_or("an empty sequence")?.clone(),
            sort => self.any(&sort.clone(), false),
        };
        for (n, item) in items.iter().enumerate() {
            let here = self.terms.number(WIDE, n as i128);
            let is_it = self.terms.equal(at, here);
            let chosen = self.terms.choice(is_it, item, &value);
            value = chosen.ok_or("elements that cannot be chosen from")?;
        }
        Ok((value, inside))
    }
}

pub(crate) fn is_named(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == name))
}

/// An expression as a person would write it, near enough.
pub(crate) fn spelled(expr: &Expr) -> String {
    let text = match expr {
        Expr::Path(path) => words(&path.path).join("::"),
        Expr::Call(call) => format!("{}(..)", spelled(&call.func)),
        Expr::MethodCall(call) => format!("{}.{}(..)", spelled(&call.receiver), call.method),
        Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => format!("{}.{name}", spelled(&field.base)),
            syn::Member::Unnamed(index) => format!("{}.{}", spelled(&field.base), index.index),
        },
        Expr::Index(index) => format!("{}[..]", spelled(&index.expr)),
        Expr::Paren(inner) => spelled(&inner.expr),
        Expr::Reference(inner) => spelled(&inner.expr),
        Expr::Unary(inner) => spelled(&inner.expr),
        Expr::Closure(_) => "a closure".to_owned(),
        Expr::Binary(binary) => {
            return format!(
                "a comparison of {} and {}",
                spelled(&binary.left),
                spelled(&binary.right)
            );
        }
        Expr::Lit(_) => "a literal".to_owned(),
        Expr::Macro(it) => format!("{}!(..)", words(&it.mac.path).join("::")),
        _ => "an expression".to_owned(),
    };
    format!("`{}`", text.replace('`', ""))
}

pub(crate) fn words(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn spelled_type(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => words(&path.path).last().cloned().unwrap_or_default(),
        _ => "another type".to_owned(),
    }
}
