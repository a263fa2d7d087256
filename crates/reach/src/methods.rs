//! What the standard library says of values: lengths, membership, variants, checked
//! arithmetic, classes of characters.

use crate::system::Sort;
use crate::terms::WIDE;
use crate::translate::{Out, Scope, Why};
use crate::value::Value;
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
        let Some(argument) = call.args.first() else { return Ok(None) };
        let is_function = matches!(argument, Expr::Closure(_))
            || matches!(argument, Expr::Path(path) if path.path.segments.len() > 1
                && path.path.segments.last().is_some_and(|s| s.ident.to_string().starts_with("is_")));
        if !is_function {
            return Ok(None);
        }
        match (name, &receiver.value) {
            ("all" | "any", Value::Items(_) | Value::Range { .. } | Value::Seq { .. }) => {
                let (items, ok) = self.items(&receiver.value, receiver.ok)?;
                let out = self.each_holds(name == "all", &items, argument, scope)?;
                Ok(Some(Out { value: out.value, ok: self.terms.and(ok, out.ok) }))
            }
            ("filter", Value::Items(items)) => {
                let mut kept = vec![];
                for (present, item) in items {
                    let out = self.apply_closure(argument, std::slice::from_ref(item), scope)?;
                    let Value::Bool(holds) = out.value else {
                        return Err("a filter that is no condition".to_owned());
                    };
                    kept.push((self.terms.and(*present, holds), item.clone()));
                }
                Ok(Some(Out { value: Value::Items(kept), ok: receiver.ok }))
            }
            ("map", Value::Items(items)) => {
                let mut mapped = vec![];
                for (present, item) in items {
                    let out = self.apply_closure(argument, std::slice::from_ref(item), scope)?;
                    mapped.push((*present, out.value));
                }
                Ok(Some(Out { value: Value::Items(mapped), ok: receiver.ok }))
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

    fn text_predicate(
        &mut self,
        name: &str,
        (len, items): (Term, &[(Term, Value)]),
        predicate: &Expr,
        (ok, scope): (Term, &Scope),
    ) -> Result<Out, Why> {
        let mut found = vec![];
        for (n, (present, item)) in items.iter().enumerate() {
            let counts = match name {
                "starts_with" if n > 0 => break,
                "ends_with" => {
                    let last = self.terms.wide(n + 1);
                    self.terms.equal(len, last)
                }
                _ => *present,
            };
            let out = self.apply_closure(predicate, std::slice::from_ref(item), scope)?;
            let Value::Bool(holds) = out.value else {
                return Err("a closure that is no condition".to_owned());
            };
            found.push(self.terms.and(counts, holds));
        }
        Ok(Out { value: Value::Bool(self.terms.any(&found)), ok })
    }

    fn characters(&mut self, len: Term, chars: &[Term]) -> Vec<(Term, Value)> {
        let mut all = vec![];
        for (n, c) in chars.iter().enumerate() {
            let here = self.terms.wide(n);
            all.push((self.terms.less(here, len, false), Value::Char(*c)));
        }
        all
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
            "as_bytes",
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

    fn of_text(
        &mut self,
        (len, chars): (Term, &[Term]),
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        let value = match (name, args) {
            ("len", []) => Value::Int { term: len, signed: false },
            ("is_empty", []) => {
                let zero = self.terms.wide(0);
                Value::Bool(self.terms.equal(len, zero))
            }
            ("is_ascii", []) => Value::Bool(self.terms.truth(true)),
            ("chars" | "bytes", []) => {
                let items = self.characters(len, chars);
                Value::Items(match name {
                    "chars" => items,
                    _ => items.into_iter().map(|(present, c)| (present, self.byte(&c))).collect(),
                })
            }
            ("starts_with" | "ends_with" | "contains", [Value::Char(c)]) => {
                let items = self.characters(len, chars);
                let mut found = vec![];
                for (n, (present, item)) in items.iter().enumerate() {
                    let Value::Char(item) = item else { continue };
                    let here = match name {
                        "starts_with" if n > 0 => break,
                        "ends_with" => {
                            let last = self.terms.wide(n + 1);
                            self.terms.equal(len, last)
                        }
                        _ => *present,
                    };
                    let equal = self.terms.equal(*item, *c);
                    found.push(self.terms.and(here, equal));
                }
                Value::Bool(self.terms.any(&found))
            }
            ("starts_with" | "ends_with" | "contains", [Value::Text { len: n, chars: other }]) => {
                let starts = self.occurrences((len, chars), (*n, other));
                let found: Vec<Term> = match name {
                    "starts_with" => starts.iter().take(1).map(|(_, fits)| *fits).collect(),
                    "contains" => starts.iter().map(|(_, fits)| *fits).collect(),
                    _ => {
                        let mut found = vec![];
                        for (at, fits) in &starts {
                            let end = self.terms.binary(Op::Add, *at, *n);
                            let ends = self.terms.equal(end, len);
                            found.push(self.terms.and(ends, *fits));
                        }
                        found
                    }
                };
                Value::Bool(self.terms.any(&found))
            }
            ("eq_ignore_ascii_case", [Value::Text { len: n, chars: other }]) => {
                let mut all = vec![self.terms.equal(len, *n)];
                for (x, y) in chars.iter().zip(other) {
                    let (x, y) = (self.lower(*x), self.lower(*y));
                    all.push(self.terms.equal(x, y));
                }
                Value::Bool(self.terms.all(&all))
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(value)))
    }

    fn byte(&mut self, c: &Value) -> Value {
        match c {
            Value::Char(c) => Value::Int { term: self.terms.pool.extract(*c, 0, 8), signed: false },
            other => other.clone(),
        }
    }

    /// Where a text may stand in another, and whether it does.
    fn occurrences(&mut self, a: (Term, &[Term]), b: (Term, &[Term])) -> Vec<(Term, Term)> {
        let mut found = vec![];
        for at in 0..=a.1.len() {
            let place = self.terms.wide(at);
            let end = self.terms.binary(Op::Add, place, b.0);
            let mut all = vec![self.terms.at_most(end, a.0, false)];
            for (n, wanted) in b.1.iter().enumerate() {
                let here = self.terms.wide(n);
                let inside = self.terms.less(here, b.0, false);
                if self.terms.is_constant(inside, false) {
                    break;
                }
                let same = match a.1.get(at + n) {
                    Some(c) => self.terms.equal(*c, *wanted),
                    None => self.terms.truth(false),
                };
                all.push(self.terms.implies(inside, same));
            }
            found.push((place, self.terms.all(&all)));
        }
        found
    }

    fn of_sequence(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        let Value::Seq { len, items, .. } = receiver else { return Ok(None) };
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
                for (present, item) in &items {
                    let same = self.terms.same(item, wanted);
                    let same = same.ok_or("`.contains(..)` of another type")?;
                    found.push(self.terms.and(*present, same));
                }
                return Ok(Some(Out { value: Value::Bool(self.terms.any(&found)), ok }));
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
                let mut all = vec![];
                for pair in items.windows(2) {
                    let above = self.less(&pair[1].1, &pair[0].1);
                    let above = above.ok_or("an order of what has none")?;
                    let sorted = self.terms.not(above);
                    all.push(self.terms.implies(pair[1].0, sorted));
                }
                return Ok(Some(Out { value: Value::Bool(self.terms.all(&all)), ok }));
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(value)))
    }

    fn of_items(
        &mut self,
        items: &[(Term, Value)],
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        let value = match (name, args) {
            ("iter" | "into_iter" | "copied" | "cloned", []) => Value::Items(items.to_vec()),
            ("count", []) => {
                let mut count = self.terms.wide(0);
                for (present, _) in items {
                    let one = self.terms.extended(*present, WIDE, false);
                    count = self.terms.binary(Op::Add, count, one);
                }
                Value::Int { term: count, signed: false }
            }
            ("next", []) => match items.first() {
                Some((some, value)) => {
                    Value::Option { some: *some, value: Box::new(value.clone()) }
                }
                None => return Ok(None),
            },
            ("enumerate", []) => {
                let numbered = items.iter().enumerate().map(|(n, (present, item))| {
                    let term = self.terms.wide(n);
                    let number = Value::Int { term, signed: false };
                    (*present, Value::Tuple(vec![number, item.clone()]))
                });
                Value::Items(numbered.collect())
            }
            ("sum", []) => {
                let (first, rest) = items.split_first().ok_or("a sum of nothing")?;
                let mut ok = self.terms.truth(true);
                let zero = Value::Number(0);
                let none = || "a sum of what are no numbers".to_owned();
                let mut sum = self.terms.choice(first.0, &first.1, &zero).ok_or_else(none)?;
                for (present, item) in rest {
                    let more = self.terms.choice(*present, item, &zero).ok_or_else(none)?;
                    let (value, fits) = self.arithmetic(Op::Add, &sum, &more)?;
                    (sum, ok) = (value, self.terms.and(ok, fits));
                }
                return Ok(Some(Out { value: sum, ok }));
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(value)))
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
                    _ => Value::Number(0),
                };
                let chosen = self.terms.choice(is, value, &other);
                chosen.ok_or("the default of what is no number")?
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(found)))
    }

    fn between(&mut self, c: Term, low: char, high: char) -> Term {
        let width = self.terms.pool.width(c);
        let low = self.terms.number(width, i128::from(u32::from(low)));
        let high = self.terms.number(width, i128::from(u32::from(high)));
        let (above, below) =
            (self.terms.at_most(low, c, false), self.terms.at_most(c, high, false));
        self.terms.and(above, below)
    }

    fn lower(&mut self, c: Term) -> Term {
        let upper = self.between(c, 'A', 'Z');
        let by = self.terms.number(self.terms.pool.width(c), 32);
        let lowered = self.terms.binary(Op::Add, c, by);
        self.terms.ite(upper, lowered, c)
    }

    /// Classes are those of ASCII: a character beyond is in none of them, which only leaves
    /// some states out.
    pub(crate) fn of_char(&mut self, c: Term, name: &str) -> Result<Option<Out>, Why> {
        let upper = self.between(c, 'A', 'Z');
        let lower = self.between(c, 'a', 'z');
        let digit = self.between(c, '0', '9');
        let letter = self.terms.or(upper, lower);
        let value = match name {
            "is_ascii_uppercase" | "is_uppercase" => upper,
            "is_ascii_lowercase" | "is_lowercase" => lower,
            "is_ascii_digit" | "is_numeric" => digit,
            "is_ascii_alphabetic" | "is_alphabetic" => letter,
            "is_ascii_alphanumeric" | "is_alphanumeric" => self.terms.or(letter, digit),
            "is_ascii_hexdigit" => {
                let (a, b) = (self.between(c, 'a', 'f'), self.between(c, 'A', 'F'));
                self.terms.any(&[a, b, digit])
            }
            "is_whitespace" | "is_ascii_whitespace" => {
                let (blank, other) = (self.between(c, ' ', ' '), self.between(c, '\t', '\r'));
                self.terms.or(blank, other)
            }
            "is_ascii_punctuation" => {
                let printable = self.between(c, '!', '~');
                let word = self.terms.or(letter, digit);
                let other = self.terms.not(word);
                self.terms.and(printable, other)
            }
            "is_ascii" => {
                let limit = self.terms.number(self.terms.pool.width(c), 128);
                self.terms.less(c, limit, false)
            }
            "is_control" | "is_ascii_control" => {
                let (low, del) =
                    (self.between(c, '\0', '\u{1f}'), self.between(c, '\u{7f}', '\u{7f}'));
                self.terms.or(low, del)
            }
            "to_ascii_lowercase" => {
                let value = Value::Char(self.lower(c));
                return Ok(Some(self.sure(value)));
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(Value::Bool(value))))
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
