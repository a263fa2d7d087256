//! Values of which the parts are terms.
//!
//! A text is the number of its characters and these, the rest of its room zero; a sequence is
//! its length and its first elements. What lies beyond is not known. How much room there is
//! and what characters there may be is for [`Room`](crate::room::Room) to say.

use crate::system::{Sort, System, TypeId};
use crate::terms::{CHAR, Terms, WIDE};
use std::cmp::Ordering;
use testsmith_solver::term::Term;

/// How wide a choice of literals is whose type nothing says: as wide as all of them.
const UNTYPED: u32 = 128;

/// An object of the search, or what queries of one lead to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    /// Its number in the world.
    pub(crate) slot: usize,
    pub(crate) ty: TypeId,
    /// The queries that lead to it from there.
    pub(crate) path: Vec<(usize, Vec<Value>)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Unit,
    Bool(Term),
    Int {
        term: Term,
        signed: bool,
    },
    /// A literal whose type is not known yet.
    Number(i128),
    /// The same of a float, by its bits.
    Real(u64),
    Char(Term),
    Float(Term),
    Text {
        len: Term,
        chars: Vec<Term>,
    },
    Seq {
        len: Term,
        items: Vec<Value>,
        of: Sort,
    },
    Option {
        some: Term,
        value: Box<Value>,
    },
    Result {
        ok: Term,
        value: Box<Value>,
        error: Box<Value>,
    },
    Tuple(Vec<Value>),
    Enum {
        ty: TypeId,
        tag: Term,
        fields: Vec<Vec<Value>>,
    },
    Object(Object),
    Items(Items),
    Range {
        low: Box<Value>,
        high: Box<Value>,
    },
    /// Nothing is known of it.
    Opaque(String),
}

/// An iterator: what it may give in order, and whether it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Items {
    pub(crate) all: Vec<(Term, Value)>,
    /// Whether those that it gives are the first.
    pub(crate) is_dense: bool,
}

/// Values of sorts.
pub(crate) struct Making<'m> {
    pub(crate) terms: &'m mut Terms,
    pub(crate) system: &'m System,
    /// What has to hold for the values to be ones.
    pub(crate) conditions: Vec<Term>,
    /// Whether they are to be written down: then no sequence is longer than its room.
    pub(crate) bounded: bool,
}

impl Making<'_> {
    /// Any value of a sort.
    pub(crate) fn any(&mut self, sort: &Sort) -> Value {
        match sort {
            Sort::Unit => Value::Unit,
            Sort::Bool => Value::Bool(self.terms.fresh(1)),
            Sort::Int { width, signed } => {
                Value::Int { term: self.terms.fresh(*width), signed: *signed }
            }
            Sort::Char => Value::Char(self.character()),
            Sort::Float { width } => Value::Float(self.terms.fresh(*width)),
            Sort::Text => self.text(),
            Sort::Seq(of) => self.sequence(of),
            Sort::Option(of) => {
                Value::Option { some: self.terms.fresh(1), value: Box::new(self.any(of)) }
            }
            Sort::Result(value, error) => Value::Result {
                ok: self.terms.fresh(1),
                value: Box::new(self.any(value)),
                error: Box::new(self.any(error)),
            },
            Sort::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.any(part)).collect()),
            Sort::Enum(ty) => self.variant(*ty),
            Sort::Object(ty) => Value::Opaque(self.system.types[*ty].name.clone()),
            Sort::Opaque(name) => Value::Opaque(name.clone()),
        }
    }

    fn character(&mut self) -> Term {
        let term = self.terms.fresh(CHAR);
        let (low, high) = (self.terms.number(CHAR, 0xd800), self.terms.number(CHAR, 0xdfff));
        let most = self.terms.number(CHAR, 0x10_ffff);
        let (below, above) =
            (self.terms.less(term, low, false), self.terms.less(high, term, false));
        let outside = self.terms.or(below, above);
        let within = self.terms.at_most(term, most, false);
        self.conditions.extend([outside, within]);
        term
    }

    fn text(&mut self) -> Value {
        self.terms.is_cut_short = true;
        let room = self.terms.room;
        let len = self.terms.fresh(WIDE);
        let most = self.terms.wide(room.text);
        let fits = self.terms.at_most(len, most, false);
        self.conditions.push(fits);
        let zero = self.terms.number(CHAR, 0);
        let mut chars = vec![];
        for n in 0..room.text {
            let c = match room.any_char {
                true => self.character(),
                false => {
                    let ascii = self.terms.fresh(7);
                    self.terms.extended(ascii, CHAR, false)
                }
            };
            let here = self.terms.wide(n);
            let inside = self.terms.less(here, len, false);
            let fits_inside = self.is_of_text(c);
            let none = self.terms.equal(c, zero);
            let fits = self.terms.ite(inside, fits_inside, none);
            self.conditions.push(fits);
            chars.push(c);
        }
        Value::Text { len, chars }
    }

    /// Printable, or anything but what stands for no character.
    fn is_of_text(&mut self, c: Term) -> Term {
        if self.terms.room.any_char {
            let zero = self.terms.number(CHAR, 0);
            let none = self.terms.equal(c, zero);
            return self.terms.not(none);
        }
        let (first, last) = (self.terms.number(CHAR, 0x20), self.terms.number(CHAR, 0x7e));
        let (low, high) = (self.terms.at_most(first, c, false), self.terms.at_most(c, last, false));
        self.terms.and(low, high)
    }

    fn sequence(&mut self, of: &Sort) -> Value {
        let room = self.terms.room;
        let len = self.terms.fresh(WIDE);
        if self.bounded {
            self.terms.is_cut_short = true;
            let most = self.terms.wide(room.written);
            let fits = self.terms.at_most(len, most, false);
            self.conditions.push(fits);
        }
        let items = (0..room.items).map(|_| self.any(of)).collect();
        Value::Seq { len, items, of: of.clone() }
    }

    fn variant(&mut self, ty: TypeId) -> Value {
        let Some(variants) = self.system.types[ty].variants.clone() else {
            return Value::Opaque(self.system.types[ty].name.clone());
        };
        let tag = self.terms.fresh(16);
        let count = self.terms.number(16, variants.len() as i128);
        let is_one = self.terms.less(tag, count, false);
        self.conditions.push(is_one);
        let fields = variants.iter();
        let fields = fields.map(|v| v.fields.iter().map(|(_, sort)| self.any(sort)).collect());
        Value::Enum { ty, tag, fields: fields.collect() }
    }
}

impl Terms {
    /// Whether two values are equal; none if that cannot be said.
    pub(crate) fn same(&mut self, a: &Value, b: &Value) -> Option<Term> {
        if a == b && !matches!(a, Value::Float(_) | Value::Opaque(_)) {
            return Some(self.truth(true));
        }
        match (a, b) {
            (Value::Unit, Value::Unit) => Some(self.truth(true)),
            (Value::Bool(a), Value::Bool(b)) | (Value::Char(a), Value::Char(b)) => {
                Some(self.equal(*a, *b))
            }
            (Value::Number(a), Value::Number(b)) => Some(self.truth(a == b)),
            (Value::Int { .. } | Value::Number(_), Value::Int { .. } | Value::Number(_)) => {
                let (a, b, _) = self.alike(a, b)?;
                Some(self.equal(a, b))
            }
            (Value::Float(_) | Value::Real(_), Value::Float(_) | Value::Real(_)) => {
                let (a, b) = self.floats(a, b)?;
                Some(self.float_equal(a, b))
            }
            (Value::Text { len: m, chars: x }, Value::Text { len: n, chars: y }) => {
                let lengths = self.equal(*m, *n);
                let mut all = vec![lengths];
                for at in 0..x.len().max(y.len()) {
                    let (x, y) = (self.char_at(x, at), self.char_at(y, at));
                    all.push(self.equal(x, y));
                }
                Some(self.all(&all))
            }
            (Value::Seq { len: m, items: x, .. }, Value::Seq { len: n, items: y, .. }) => {
                self.same_sequence((*m, x), (*n, y))
            }
            (Value::Option { some: s, value: x }, Value::Option { some: t, value: y }) => {
                let kinds = self.equal(*s, *t);
                if self.is_constant(*s, false) || self.is_constant(*t, false) {
                    return Some(kinds);
                }
                let inside = self.same(x, y)?;
                let inside = self.implies(*s, inside);
                Some(self.and(kinds, inside))
            }
            (
                Value::Result { ok: s, value: x, error: e },
                Value::Result { ok: t, value: y, error: f },
            ) => {
                let kinds = self.equal(*s, *t);
                let one_is = |terms: &Terms, what| {
                    terms.is_constant(*s, what) || terms.is_constant(*t, what)
                };
                let yes = self.truth(true);
                let value = if one_is(self, false) { yes } else { self.same(x, y)? };
                let error = if one_is(self, true) { yes } else { self.same(e, f)? };
                let inside = self.ite(*s, value, error);
                Some(self.and(kinds, inside))
            }
            (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => {
                let parts: Option<Vec<Term>> =
                    x.iter().zip(y).map(|(x, y)| self.same(x, y)).collect();
                Some(self.all(&parts?))
            }
            (Value::Enum { ty, tag: s, fields: x }, Value::Enum { ty: u, tag: t, fields: y })
                if ty == u =>
            {
                self.same_variant((*s, x), (*t, y))
            }
            _ => None,
        }
    }

    fn same_sequence(&mut self, a: (Term, &[Value]), b: (Term, &[Value])) -> Option<Term> {
        let mut all = vec![self.equal(a.0, b.0)];
        // A literal has no more room than elements.
        let room = a.1.len().max(b.1.len());
        for n in 0..room {
            if let (Some(x), Some(y)) = (a.1.get(n), b.1.get(n)) {
                let here = self.wide(n);
                let inside = self.less(here, a.0, false);
                let equal = self.same(x, y)?;
                all.push(self.implies(inside, equal));
            }
        }
        Some(self.all(&all))
    }

    fn same_variant(&mut self, a: (Term, &[Vec<Value>]), b: (Term, &[Vec<Value>])) -> Option<Term> {
        let mut all = vec![self.equal(a.0, b.0)];
        for (n, (x, y)) in a.1.iter().zip(b.1).enumerate() {
            let number = self.number(16, n as i128);
            let (is_a, is_b) = (self.equal(a.0, number), self.equal(b.0, number));
            let both = self.and(is_a, is_b);
            if x.is_empty() || self.is_constant(both, false) {
                continue;
            }
            let fields: Option<Vec<Term>> = x.iter().zip(y).map(|(x, y)| self.same(x, y)).collect();
            let fields = self.all(&fields?);
            all.push(self.implies(both, fields));
        }
        Some(self.all(&all))
    }

    /// Two integers as terms of one width, and whether they are signed.
    pub(crate) fn alike(&mut self, a: &Value, b: &Value) -> Option<(Term, Term, bool)> {
        match (a, b) {
            (Value::Int { term: x, signed }, Value::Int { term: y, signed: other }) => {
                let (v, w) = (self.pool.width(*x), self.pool.width(*y));
                // Types of a program agree, so what is wider is a choice of literals.
                Some(match v.cmp(&w) {
                    Ordering::Equal => (*x, *y, *signed),
                    Ordering::Less if w == UNTYPED => (*x, self.pool.extract(*y, 0, v), *signed),
                    Ordering::Greater if v == UNTYPED => (self.pool.extract(*x, 0, w), *y, *other),
                    _ => return None,
                })
            }
            (Value::Int { term, signed }, Value::Number(n)) => {
                let width = self.pool.width(*term);
                Some((*term, self.number(width, *n), *signed))
            }
            (Value::Number(n), Value::Int { term, signed }) => {
                let width = self.pool.width(*term);
                Some((self.number(width, *n), *term, *signed))
            }
            // A literal whose type nothing says is an `i32`.
            (Value::Number(m), Value::Number(n)) => {
                Some((self.number(32, *m), self.number(32, *n), true))
            }
            _ => None,
        }
    }

    pub(crate) fn floats(&mut self, a: &Value, b: &Value) -> Option<(Term, Term)> {
        let width = match (a, b) {
            (Value::Float(term), _) | (_, Value::Float(term)) => self.pool.width(*term),
            _ => 64,
        };
        let mut term = |value: &Value| match value {
            Value::Float(term) => Some(*term),
            Value::Real(bits) => Some(self.real(*bits, width)),
            _ => None,
        };
        Some((term(a)?, term(b)?))
    }

    pub(crate) fn real(&mut self, bits: u64, width: u32) -> Term {
        let bits = match width {
            32 => u128::from((f64::from_bits(bits) as f32).to_bits()),
            _ => u128::from(bits),
        };
        self.pool.number(width, bits)
    }

    /// A text that is known.
    pub(crate) fn literal_text(&mut self, text: &str) -> Value {
        let len = self.wide(text.chars().count());
        let mut chars: Vec<Term> =
            text.chars().map(|c| self.number(CHAR, i128::from(u32::from(c)))).collect();
        let zero = self.number(CHAR, 0);
        chars.resize(chars.len().max(self.room.text), zero);
        Value::Text { len, chars }
    }

    /// The character at a place of a text; zero beyond its room, where there is none.
    pub(crate) fn char_at(&mut self, chars: &[Term], at: usize) -> Term {
        chars.get(at).copied().unwrap_or_else(|| self.number(CHAR, 0))
    }

    /// The one text or sequence or the other.
    fn choice_of_parts(&mut self, condition: Term, a: &Value, b: &Value) -> Option<Value> {
        Some(match (a, b) {
            (Value::Text { len: m, chars: x }, Value::Text { len: n, chars: y }) => {
                let len = self.ite(condition, *m, *n);
                let mut chars = vec![];
                for at in 0..x.len().max(y.len()) {
                    let (x, y) = (self.char_at(x, at), self.char_at(y, at));
                    chars.push(self.ite(condition, x, y));
                }
                Value::Text { len, chars }
            }
            (Value::Seq { len: m, items: x, of }, Value::Seq { len: n, items: y, .. }) => {
                let len = self.ite(condition, *m, *n);
                // Of what is shorter all has to be known.
                let short = if x.len() < y.len() { (*m, x.len()) } else { (*n, y.len()) };
                let room = self.wide(short.1);
                let fits = self.at_most(short.0, room, false);
                if x.len() != y.len() && !self.is_constant(fits, true) {
                    return None;
                }
                let mut items = vec![];
                for at in 0..x.len().max(y.len()) {
                    items.push(match (x.get(at), y.get(at)) {
                        (Some(x), Some(y)) => self.choice(condition, x, y)?,
                        (Some(one), None) | (None, Some(one)) => one.clone(),
                        (None, None) => return None,
                    });
                }
                Value::Seq { len, items, of: of.clone() }
            }
            _ => return None,
        })
    }

    /// The one or the other; none if they are not of one sort.
    pub(crate) fn choice(&mut self, condition: Term, a: &Value, b: &Value) -> Option<Value> {
        if a == b {
            return Some(a.clone());
        }
        let boxed = |terms: &mut Terms, a: &Value, b: &Value| {
            Some(Box::new(terms.choice(condition, a, b)?))
        };
        Some(match (a, b) {
            (Value::Bool(a), Value::Bool(b)) => Value::Bool(self.ite(condition, *a, *b)),
            (Value::Char(a), Value::Char(b)) => Value::Char(self.ite(condition, *a, *b)),
            (Value::Number(a), Value::Number(b)) => {
                let (a, b) = (self.number(UNTYPED, *a), self.number(UNTYPED, *b));
                Value::Int { term: self.ite(condition, a, b), signed: true }
            }
            (Value::Int { .. } | Value::Number(_), Value::Int { .. } | Value::Number(_)) => {
                let (a, b, signed) = self.alike(a, b)?;
                Value::Int { term: self.ite(condition, a, b), signed }
            }
            (Value::Float(_) | Value::Real(_), Value::Float(_) | Value::Real(_)) => {
                let (a, b) = self.floats(a, b)?;
                Value::Float(self.ite(condition, a, b))
            }
            (Value::Text { .. }, Value::Text { .. }) | (Value::Seq { .. }, Value::Seq { .. }) => {
                self.choice_of_parts(condition, a, b)?
            }
            (Value::Option { some: s, value: x }, Value::Option { some: t, value: y }) => {
                Value::Option {
                    some: self.ite(condition, *s, *t),
                    value: boxed(self, x, y).unwrap_or_else(|| known(x, y)),
                }
            }
            (
                Value::Result { ok: s, value: x, error: e },
                Value::Result { ok: t, value: y, error: f },
            ) => Value::Result {
                ok: self.ite(condition, *s, *t),
                value: boxed(self, x, y).unwrap_or_else(|| known(x, y)),
                error: boxed(self, e, f).unwrap_or_else(|| known(e, f)),
            },
            (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => {
                let parts: Option<Vec<Value>> =
                    x.iter().zip(y).map(|(x, y)| self.choice(condition, x, y)).collect();
                Value::Tuple(parts?)
            }
            (Value::Enum { ty, tag: s, fields: x }, Value::Enum { ty: u, tag: t, fields: y })
                if ty == u =>
            {
                let tag = self.ite(condition, *s, *t);
                let mut fields = vec![];
                for (x, y) in x.iter().zip(y) {
                    let parts: Option<Vec<Value>> =
                        x.iter().zip(y).map(|(x, y)| self.choice(condition, x, y)).collect();
                    fields.push(parts?);
                }
                Value::Enum { ty: *ty, tag, fields }
            }
            _ => return None,
        })
    }
}

/// Of what stands in two variants, of which one has nothing there, the other.
fn known(a: &Value, b: &Value) -> Box<Value> {
    Box::new(if matches!(a, Value::Opaque(_)) { b.clone() } else { a.clone() })
}
