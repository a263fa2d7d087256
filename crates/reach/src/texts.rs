//! Texts: their length, their characters, and what is in them.
//!
//! A text is followed character by character. Its length in bytes is that number as long as
//! all are ASCII; where clauses speak of others it is counted, and what asks for bytes at a
//! position is not translated.

use crate::terms::CHAR;
use crate::translate::{Out, Scope, Why};
use crate::value::{Items, Value};
use crate::world::World;
use syn::Expr;
use testsmith_solver::term::{Op, Term};

impl World<'_> {
    pub(crate) fn text_predicate(
        &mut self,
        name: &str,
        (len, items): (Term, &Items),
        predicate: &Expr,
        (ok, scope): (Term, &Scope),
    ) -> Result<Out, Why> {
        let mut found = vec![];
        for (n, (present, item)) in items.all.iter().enumerate() {
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

    pub(crate) fn characters(&mut self, len: Term, chars: &[Term]) -> Items {
        let mut all = vec![];
        for (n, c) in chars.iter().enumerate() {
            let here = self.terms.wide(n);
            all.push((self.terms.less(here, len, false), Value::Char(*c)));
        }
        Items { all, is_dense: true }
    }

    pub(crate) fn of_text(
        &mut self,
        (len, chars): (Term, &[Term]),
        name: &str,
        args: &[Value],
    ) -> Result<Option<Out>, Why> {
        let zero = self.terms.wide(0);
        let value = match (name, args) {
            ("len", []) => Value::Int { term: self.bytes(len, chars), signed: false },
            ("is_empty", []) => Value::Bool(self.terms.equal(len, zero)),
            ("is_ascii", []) => Value::Bool(self.all_ascii(chars)),
            ("chars", []) => Value::Items(self.characters(len, chars)),
            ("bytes" | "as_bytes" | "char_indices", []) if self.terms.room.any_char => {
                return Err("bytes of a text that may not be ASCII".to_owned());
            }
            ("char_indices", []) => {
                let items = self.characters(len, chars);
                return self.of_items(&items, "enumerate", &[]);
            }
            ("bytes" | "as_bytes", []) => {
                let mut items = self.characters(len, chars);
                for (_, item) in &mut items.all {
                    if let Value::Char(c) = item {
                        let term = self.terms.pool.extract(*c, 0, 8);
                        *item = Value::Int { term, signed: false };
                    }
                }
                Value::Items(items)
            }
            ("starts_with" | "ends_with" | "contains", [Value::Char(_) | Value::Seq { .. }]) => {
                Value::Bool(self.has_char((len, chars), name, &args[0])?)
            }
            ("starts_with" | "ends_with" | "contains", [Value::Text { len: n, chars: other }]) => {
                Value::Bool(self.has_text((len, chars), name, (*n, other)))
            }
            ("strip_prefix", [Value::Text { len: n, chars: other }]) => {
                let some = self.has_text((len, chars), "starts_with", (*n, other));
                let rest = self.part_of_text((len, chars), *n, len);
                Value::Option { some, value: Box::new(rest) }
            }
            ("strip_suffix", [Value::Text { len: n, chars: other }]) => {
                let some = self.has_text((len, chars), "ends_with", (*n, other));
                let end = self.terms.binary(Op::Sub, len, *n);
                let rest = self.part_of_text((len, chars), zero, end);
                Value::Option { some, value: Box::new(rest) }
            }
            ("to_ascii_lowercase" | "to_ascii_uppercase", []) => {
                let changed = chars.iter().map(|c| match name {
                    "to_ascii_lowercase" => self.lower(*c),
                    _ => self.upper(*c),
                });
                let chars = changed.collect();
                Value::Text { len, chars }
            }
            ("eq_ignore_ascii_case", [Value::Text { len: n, chars: other }]) => {
                let mut all = vec![self.terms.equal(len, *n)];
                for at in 0..chars.len().max(other.len()) {
                    let (x, y) = (self.terms.char_at(chars, at), self.terms.char_at(other, at));
                    let (x, y) = (self.lower(x), self.lower(y));
                    all.push(self.terms.equal(x, y));
                }
                Value::Bool(self.terms.all(&all))
            }
            _ => return Ok(None),
        };
        Ok(Some(self.sure(value)))
    }

    /// How many bytes a text takes.
    fn bytes(&mut self, len: Term, chars: &[Term]) -> Term {
        if !self.terms.room.any_char {
            return len;
        }
        let mut bytes = len;
        for c in chars {
            for least in [0x80, 0x800, 0x1_0000] {
                let least = self.terms.number(CHAR, least);
                let longer = self.terms.at_most(least, *c, false);
                let longer = self.terms.extended(longer, crate::terms::WIDE, false);
                bytes = self.terms.binary(Op::Add, bytes, longer);
            }
        }
        bytes
    }

    fn all_ascii(&mut self, chars: &[Term]) -> Term {
        let limit = self.terms.number(CHAR, 0x80);
        let all: Vec<Term> = chars.iter().map(|c| self.terms.less(*c, limit, false)).collect();
        self.terms.all(&all)
    }

    /// Whether a character, or one of several, stands at the beginning, at the end or
    /// somewhere.
    fn has_char(
        &mut self,
        (len, chars): (Term, &[Term]),
        name: &str,
        wanted: &Value,
    ) -> Result<Term, Why> {
        let wanted = match wanted {
            Value::Seq { items, .. } => items.clone(),
            one => vec![one.clone()],
        };
        let items = self.characters(len, chars);
        let mut found = vec![];
        for (n, (present, item)) in items.all.iter().enumerate() {
            let here = match name {
                "starts_with" if n > 0 => break,
                "ends_with" => {
                    let last = self.terms.wide(n + 1);
                    self.terms.equal(len, last)
                }
                _ => *present,
            };
            for c in &wanted {
                let equal = self.terms.same(item, c).ok_or("a text that holds no such thing")?;
                // The first place of an empty text holds nothing.
                let equal = self.terms.and(*present, equal);
                found.push(self.terms.and(here, equal));
            }
        }
        Ok(self.terms.any(&found))
    }

    fn has_text(
        &mut self,
        (len, chars): (Term, &[Term]),
        name: &str,
        (n, other): (Term, &[Term]),
    ) -> Term {
        let starts = self.occurrences((len, chars), (n, other));
        let found: Vec<Term> = match name {
            "starts_with" => starts.iter().take(1).map(|(_, fits)| *fits).collect(),
            "contains" => starts.iter().map(|(_, fits)| *fits).collect(),
            _ => {
                let mut found = vec![];
                for (at, fits) in &starts {
                    let end = self.terms.binary(Op::Add, *at, n);
                    let ends = self.terms.equal(end, len);
                    found.push(self.terms.and(ends, *fits));
                }
                found
            }
        };
        self.terms.any(&found)
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

    /// The characters from one place to another, which lie in the text.
    pub(crate) fn part_of_text(
        &mut self,
        (len, chars): (Term, &[Term]),
        low: Term,
        high: Term,
    ) -> Value {
        let size = self.terms.binary(Op::Sub, high, low);
        let zero = self.terms.number(CHAR, 0);
        let items = self.characters(len, chars);
        let mut part = vec![];
        for n in 0..chars.len() {
            let here = self.terms.wide(n);
            let at = self.terms.binary(Op::Add, low, here);
            let mut c = zero;
            for (k, (_, item)) in items.all.iter().enumerate() {
                let place = self.terms.wide(k);
                let is_it = self.terms.equal(at, place);
                if let Value::Char(item) = item {
                    c = self.terms.ite(is_it, *item, c);
                }
            }
            let inside = self.terms.less(here, size, false);
            part.push(self.terms.ite(inside, c, zero));
        }
        Value::Text { len: size, chars: part }
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
        self.shifted(c, ('A', 'Z'), Op::Add)
    }

    fn upper(&mut self, c: Term) -> Term {
        self.shifted(c, ('a', 'z'), Op::Sub)
    }

    fn shifted(&mut self, c: Term, (low, high): (char, char), op: Op) -> Term {
        let inside = self.between(c, low, high);
        let by = self.terms.number(self.terms.pool.width(c), 32);
        let other = self.terms.binary(op, c, by);
        self.terms.ite(inside, other, c)
    }

    /// Classes of characters. What those of Unicode say of characters beyond ASCII is not
    /// known.
    pub(crate) fn of_char(&mut self, c: Term, name: &str) -> Result<Option<Out>, Why> {
        let upper = self.between(c, 'A', 'Z');
        let lower = self.between(c, 'a', 'z');
        let digit = self.between(c, '0', '9');
        let letter = self.terms.or(upper, lower);
        let limit = self.terms.number(self.terms.pool.width(c), 128);
        let ascii = self.terms.less(c, limit, false);
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
                let all = self.terms.or(blank, other);
                // A vertical tab is none of ASCII's.
                let tab = self.between(c, '\u{b}', '\u{b}');
                let no_tab = self.terms.not(tab);
                if name == "is_whitespace" { all } else { self.terms.and(all, no_tab) }
            }
            "is_ascii_punctuation" => {
                let printable = self.between(c, '!', '~');
                let word = self.terms.or(letter, digit);
                let other = self.terms.not(word);
                self.terms.and(printable, other)
            }
            "is_ascii_graphic" => self.between(c, '!', '~'),
            "is_ascii" => ascii,
            "is_control" | "is_ascii_control" => {
                let (low, del) =
                    (self.between(c, '\0', '\u{1f}'), self.between(c, '\u{7f}', '\u{7f}'));
                self.terms.or(low, del)
            }
            "to_ascii_lowercase" | "to_ascii_uppercase" => {
                let changed =
                    if name.ends_with("lowercase") { self.lower(c) } else { self.upper(c) };
                return Ok(Some(self.sure(Value::Char(changed))));
            }
            _ => return Ok(None),
        };
        let knows_all = name.contains("ascii") || self.terms.is_constant(ascii, true);
        let value = if knows_all {
            value
        } else {
            let beyond = self.terms.fresh(1);
            self.terms.ite(ascii, value, beyond)
        };
        Ok(Some(self.sure(Value::Bool(value))))
    }
}
