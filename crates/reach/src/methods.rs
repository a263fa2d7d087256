//! What the standard library says of values: lengths, membership, variants.
//!
//! Iterators are in `items`, texts and characters in `texts`, numbers in `numbers`.

use crate::system::Sort;
use crate::translate::{Out, Scope, Why};
use crate::value::{Items, Value};
use crate::world::World;
use syn::Expr;
use testsmith_solver::term::{Op, Term};

impl World<'_> {
    /// Methods that take a closure or a pattern.
    pub(crate) fn with_closure(
        &mut self,
        receiver: &Out,
        name: &str,
        call: &syn::ExprMethodCall,
        scope: &Scope,
    ) -> Result<Option<Out>, Why> {
        let Some(argument) = call.args.last() else { return Ok(None) };
        let is_function = matches!(argument, Expr::Closure(_))
            || matches!(argument, Expr::Path(path) if path.path.segments.len() > 1
                && path.path.segments.last().is_some_and(|s| s.ident.to_string().starts_with("is_")));
        if !is_function {
            return Ok(None);
        }
        if let ("map_or" | "fold", 2) = (name, call.args.len()) {
            let first = self.expression(&call.args[0], scope)?;
            return self.with_first(receiver, name, (first, argument), scope);
        }
        match (name, &receiver.value) {
            ("all" | "any", Value::Items(_) | Value::Range { .. } | Value::Seq { .. }) => {
                let (items, ok) = self.items(&receiver.value, receiver.ok)?;
                let out = self.each_holds(name == "all", &items, argument, scope)?;
                Ok(Some(Out { value: out.value, ok: self.terms.and(ok, out.ok) }))
            }
            ("is_sorted_by", Value::Seq { .. })
            | ("filter" | "map" | "find" | "position", Value::Range { .. }) => {
                let (items, ok) = self.items(&receiver.value, receiver.ok)?;
                self.items_with_closure(&items, name, argument, (ok, scope))
            }
            (_, Value::Items(items)) => {
                self.items_with_closure(items, name, argument, (receiver.ok, scope))
            }
            ("map" | "and_then" | "filter", Value::Option { some, value }) => {
                self.option_mapped((*some, value), name, argument, (receiver.ok, scope)).map(Some)
            }
            ("is_some_and" | "is_none_or", Value::Option { some, value }) => {
                let out = self.apply_closure(argument, &[(**value).clone()], scope)?;
                let Value::Bool(holds) = out.value else {
                    return Err("a closure that is no condition".to_owned());
                };
                let later = self.terms.implies(*some, out.ok);
                let value = match name {
                    "is_some_and" => self.terms.and(*some, holds),
                    _ => self.terms.implies(*some, holds),
                };
                let ok = self.terms.and(receiver.ok, later);
                Ok(Some(Out { value: Value::Bool(value), ok }))
            }
            ("is_ok_and", Value::Result { ok: is_ok, value, .. }) => {
                let out = self.apply_closure(argument, &[(**value).clone()], scope)?;
                let Value::Bool(holds) = out.value else {
                    return Err("a closure that is no condition".to_owned());
                };
                let value = Value::Bool(self.terms.and(*is_ok, holds));
                Ok(Some(Out { value, ok: receiver.ok }))
            }
            ("starts_with" | "ends_with" | "contains", Value::Text { len, chars }) => {
                let (len, chars) = (*len, chars.clone());
                let items = self.characters(len, &chars);
                self.text_predicate(name, (len, &items), argument, (receiver.ok, scope)).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// `map_or(other, |x| ..)` and `fold(first, |sum, x| ..)`
    fn with_first(
        &mut self,
        receiver: &Out,
        name: &str,
        (first, closure): (Out, &Expr),
        scope: &Scope,
    ) -> Result<Option<Out>, Why> {
        let ok = self.terms.and(receiver.ok, first.ok);
        let out = match (name, &receiver.value) {
            ("map_or", Value::Option { some, value } | Value::Result { ok: some, value, .. }) => {
                let out = self.apply_closure(closure, &[(**value).clone()], scope)?;
                let value = self.terms.choice(*some, &out.value, &first.value);
                let value = value.ok_or("`.map_or(..)` of another type")?;
                Out { value, ok: self.terms.implies(*some, out.ok) }
            }
            ("fold", Value::Items(items)) => self.fold(items, first.value, closure, scope)?,
            _ => return Ok(None),
        };
        Ok(Some(Out { value: out.value, ok: self.terms.and(ok, out.ok) }))
    }

    fn option_mapped(
        &mut self,
        (some, value): (Term, &Value),
        name: &str,
        closure: &Expr,
        (ok, scope): (Term, &Scope),
    ) -> Result<Out, Why> {
        let out = self.apply_closure(closure, std::slice::from_ref(value), scope)?;
        let later = self.terms.implies(some, out.ok);
        let value = match (name, out.value) {
            ("map", mapped) => Value::Option { some, value: Box::new(mapped) },
            ("and_then", Value::Option { some: inner, value }) => {
                Value::Option { some: self.terms.and(some, inner), value }
            }
            ("filter", Value::Bool(holds)) => {
                let some = self.terms.and(some, holds);
                Value::Option { some, value: Box::new(value.clone()) }
            }
            _ => return Err(format!("`.{name}(..)` with a closure of another kind")),
        };
        Ok(Out { value, ok: self.terms.and(ok, later) })
    }

    /// What is known of values that are not the crate's own; none where it is not.
    pub(crate) fn built_in(
        &mut self,
        receiver: &Value,
        name: &str,
        args: Vec<Value>,
        scope: &Scope,
    ) -> Result<Option<Out>, Why> {
        let same = [
            "clone",
            "copied",
            "cloned",
            "as_ref",
            "as_deref",
            "to_owned",
            "as_str",
            "as_slice",
            "to_vec",
            "into_iter",
            "borrow",
            "deref",
            "to_string",
            "into",
            "by_ref",
        ];
        if same.contains(&name) && args.is_empty() {
            if matches!(receiver, Value::Int { .. }) && name == "to_string" {
                return Ok(None);
            }
            return Ok(Some(self.sure(receiver.clone())));
        }
        let out = match receiver {
            Value::Text { len, chars } => self.of_text((*len, chars), name, &args)?,
            Value::Seq { .. } => self.of_sequence(receiver, name, &args)?,
            Value::Items(items) => self.of_items(items, name, &args)?,
            Value::Option { some, value } => self.of_choice(*some, value, None, name, &args)?,
            Value::Result { ok, value, error } => {
                self.of_choice(*ok, value, Some(error), name, &args)?
            }
            Value::Char(c) => self.of_char(*c, name)?,
            Value::Int { .. } | Value::Number(_) => self.of_int(receiver, name, &args)?,
            Value::Float(_) | Value::Real(_) => self.of_float(receiver, name, &args)?,
            Value::Range { low, high } => match (name, args.as_slice()) {
                ("contains", [value]) => {
                    let no = || "a range of another type".to_owned();
                    let below = self.less(value, low).ok_or_else(no)?;
                    let above = self.less(value, high).ok_or_else(no)?;
                    let inside = self.terms.not(below);
                    Some(Value::Bool(self.terms.and(inside, above)))
                }
                _ => None,
            }
            .map(|value| self.sure(value)),
            Value::Bool(term) => match (name, args.as_slice()) {
                ("then_some", [value]) => Some(Out {
                    value: Value::Option { some: *term, value: Box::new(value.clone()) },
                    ok: self.terms.truth(true),
                }),
                _ => None,
            },
            _ => None,
        };
        let _ = scope;
        Ok(out)
    }

    fn of_sequence(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        let Value::Seq { len, items, of } = receiver else { return Ok(None) };
        let yes = self.terms.truth(true);
        let zero = self.terms.wide(0);
        let value = match (name, args) {
            ("len", []) => Value::Int { term: *len, signed: false },
            ("is_empty", []) => Value::Bool(self.terms.equal(*len, zero)),
            ("iter", []) => {
                let (items, ok) = self.items(receiver, yes)?;
                return Ok(Some(Out { value: Value::Items(items), ok }));
            }
            ("contains", [wanted]) => {
                let (items, ok) = self.items(receiver, yes)?;
                let mut found = vec![];
                for (present, item) in &items.all {
                    let same = self.terms.same(item, wanted);
                    let same = same.ok_or("`.contains(..)` of another type")?;
                    found.push(self.terms.and(*present, same));
                }
                return Ok(Some(Out { value: Value::Bool(self.terms.any(&found)), ok }));
            }
            ("windows", [Value::Number(size @ 1..)]) => {
                let size = usize::try_from(*size).unwrap_or(usize::MAX);
                return self.windows(receiver, size).map(Some);
            }
            ("starts_with" | "ends_with", [Value::Seq { len: n, .. }]) => {
                let fits = self.terms.at_most(*n, *len, false);
                let rest = self.terms.binary(Op::Sub, *len, *n);
                let (low, high) = if name == "starts_with" { (zero, *n) } else { (rest, *len) };
                let part = self.part_of_sequence((items, of), low, high)?;
                let same = self.terms.same(&part, &args[0]).ok_or("a part of another type")?;
                Value::Bool(self.terms.and(fits, same))
            }
            ("first" | "last", []) => {
                let empty = self.terms.equal(*len, zero);
                let one = self.terms.wide(1);
                let at = match name {
                    "first" => zero,
                    _ => self.terms.binary(Op::Sub, *len, one),
                };
                let some = self.terms.not(empty);
                if items.is_empty() {
                    return self.named(&["None".to_owned()], &Scope::default()).map(Some);
                }
                let at = Value::Int { term: at, signed: false };
                let (value, _) = self.element(receiver, &at)?;
                Value::Option { some, value: Box::new(value) }
            }
            ("get", [at]) => {
                let (value, some) = self.element(receiver, at)?;
                Value::Option { some, value: Box::new(value) }
            }
            ("is_sorted", []) => {
                let (items, ok) = self.items(receiver, yes)?;
                let out = self.is_sorted(&items, None)?;
                return Ok(Some(Out { value: out.value, ok: self.terms.and(ok, out.ok) }));
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(value)))
    }

    /// Every so many neighbours.
    fn windows(&mut self, receiver: &Value, size: usize) -> Result<Out, Why> {
        let Value::Seq { len, items, of } = receiver else { return Err("windows".to_owned()) };
        let yes = self.terms.truth(true);
        let (_, ok) = self.items(receiver, yes)?;
        let mut all = vec![];
        for (n, window) in items.windows(size).enumerate() {
            let end = self.terms.wide(n + size);
            let present = self.terms.at_most(end, *len, false);
            let (len, items) = (self.terms.wide(size), window.to_vec());
            all.push((present, Value::Seq { len, items, of: of.clone() }));
        }
        Ok(Out { value: Value::Items(Items { all, is_dense: true }), ok })
    }

    /// The elements from one place to another, which lie in the sequence.
    pub(crate) fn part_of_sequence(
        &mut self,
        (items, of): (&[Value], &Sort),
        low: Term,
        high: Term,
    ) -> Result<Value, Why> {
        let len = self.terms.binary(Op::Sub, high, low);
        if let Some(first) = self.terms.pool.constant(low) {
            let first = usize::try_from(first).unwrap_or(usize::MAX).min(items.len());
            return Ok(Value::Seq { len, items: items[first..].to_vec(), of: of.clone() });
        }
        let mut part = vec![];
        for n in 0..items.len() {
            let here = self.terms.wide(n);
            let at = self.terms.binary(Op::Add, low, here);
            let at = Value::Int { term: at, signed: false };
            let whole = Value::Seq { len: high, items: items.to_vec(), of: of.clone() };
            part.push(self.element(&whole, &at)?.0);
        }
        Ok(Value::Seq { len, items: part, of: of.clone() })
    }

    /// Of an `Option`, which has no error, or a `Result`.
    fn of_choice(
        &mut self,
        is: Term,
        value: &Value,
        error: Option<&Value>,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        let none = self.terms.not(is);
        let inner = Box::new(value.clone());
        let found = match (name, args) {
            ("is_some" | "is_ok", []) => Value::Bool(is),
            ("is_none" | "is_err", []) => Value::Bool(none),
            ("unwrap" | "expect", _) => return Ok(Some(Out { value: *inner, ok: is })),
            ("ok", []) => Value::Option { some: is, value: inner },
            ("err", []) => {
                let error = error.cloned().unwrap_or(Value::Opaque(String::new()));
                Value::Option { some: none, value: Box::new(error) }
            }
            ("unwrap_err", []) => {
                let error = error.cloned().unwrap_or(Value::Opaque(String::new()));
                return Ok(Some(Out { value: error, ok: none }));
            }
            ("unwrap_or", [other]) => {
                let chosen = self.terms.choice(is, value, other);
                chosen.ok_or("`.unwrap_or(..)` of another type")?
            }
            ("unwrap_or_default", []) => {
                let other = match value {
                    Value::Bool(_) => Value::Bool(self.terms.truth(false)),
                    Value::Text { .. } => self.terms.literal_text(""),
                    _ => Value::Number(0),
                };
                let chosen = self.terms.choice(is, value, &other);
                chosen.ok_or("the default of what is no number")?
            }
            ("or", [Value::Option { some, value: other }]) if error.is_none() => {
                let chosen = self.terms.choice(is, value, other);
                let chosen = chosen.ok_or("`.or(..)` of another type")?;
                Value::Option { some: self.terms.or(is, *some), value: Box::new(chosen) }
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(found)))
    }

    /// Any value of a sort; what makes it one is known from then on.
    pub(crate) fn any(&mut self, sort: &Sort, bounded: bool) -> Value {
        let (terms, system) = (&mut self.terms, self.system);
        let mut making = crate::value::Making { terms, system, conditions: vec![], bounded };
        let value = making.any(sort);
        let conditions = making.conditions;
        for condition in conditions {
            self.require(condition);
        }
        value
    }
}
