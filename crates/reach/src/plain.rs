//! Values that are easy to read, and values that are known.

use crate::concrete::Concrete;
use crate::system::Sort;
use crate::terms::CHAR;
use crate::value::Value;
use crate::world::World;
use testsmith_solver::term::Term;

/// The greatest number that is as good as a smaller one.
const SMALL: i128 = 9;

impl World<'_> {
    /// What makes a value plain to read, as conditions.
    pub(crate) fn wishes(&mut self, value: &Value, wishes: &mut Vec<Term>) {
        match value {
            Value::Int { term, signed } => {
                let width = self.terms.pool.width(*term);
                let (zero, most) = (self.terms.number(width, 0), self.terms.number(width, SMALL));
                let small = self.terms.at_most(*term, most, *signed);
                let positive = self.terms.at_most(zero, *term, *signed);
                wishes.push(self.terms.and(small, positive));
            }
            Value::Text { len, chars } => {
                let most = self.terms.wide(8);
                wishes.push(self.terms.at_most(*len, most, false));
                let (low, high) = (
                    self.terms.number(CHAR, i128::from(u32::from('a'))),
                    self.terms.number(CHAR, i128::from(u32::from('z'))),
                );
                let none = self.terms.number(CHAR, 0);
                let mut all = vec![];
                for c in chars {
                    let (above, below) =
                        (self.terms.at_most(low, *c, false), self.terms.at_most(*c, high, false));
                    let letter = self.terms.and(above, below);
                    let unused = self.terms.equal(*c, none);
                    all.push(self.terms.or(letter, unused));
                }
                wishes.push(self.terms.all(&all));
            }
            Value::Char(c) => {
                let (low, high) = (self.terms.number(CHAR, 0x21), self.terms.number(CHAR, 0x7e));
                let (above, below) =
                    (self.terms.at_most(low, *c, false), self.terms.at_most(*c, high, false));
                wishes.push(self.terms.and(above, below));
            }
            Value::Float(term) => {
                let width = self.terms.pool.width(*term);
                let zero = self.terms.number(width, 0);
                wishes.push(self.terms.equal(*term, zero));
            }
            Value::Seq { items, .. } => {
                items.iter().for_each(|item| self.wishes(item, wishes));
            }
            Value::Tuple(parts) => parts.iter().for_each(|part| self.wishes(part, wishes)),
            Value::Option { value, .. } => self.wishes(value, wishes),
            _ => {}
        }
    }

    /// Whether a value is one that is known, or has the variant of one that is known in part.
    pub(crate) fn known_as(&mut self, value: &Value, known: &Concrete) -> Option<Term> {
        match (value, known) {
            (Value::Option { some, .. }, Concrete::Option(Some(inner))) if !inner.is_known() => {
                Some(*some)
            }
            (Value::Result { ok, .. }, Concrete::Result(Ok(inner))) if !inner.is_known() => {
                Some(*ok)
            }
            _ => {
                let written = self.written(known)?;
                self.terms.same(value, &written)
            }
        }
    }

    /// A value that is known, as terms; none where something in it is not.
    pub(crate) fn written(&mut self, concrete: &Concrete) -> Option<Value> {
        Some(match concrete {
            Concrete::Unit => Value::Unit,
            Concrete::Bool(value) => Value::Bool(self.terms.truth(*value)),
            Concrete::Int(number) => Value::Number(*number),
            Concrete::Char(c) => Value::Char(self.terms.number(CHAR, i128::from(u32::from(*c)))),
            Concrete::Float { bits, width } => Value::Float(self.terms.real(*bits, *width)),
            Concrete::Text(text) => self.terms.literal_text(text),
            Concrete::Seq(items) => {
                let items: Option<Vec<Value>> =
                    items.iter().map(|item| self.written(item)).collect();
                let items = items?;
                let len = self.terms.wide(items.len());
                Value::Seq { len, items, of: Sort::Opaque(String::new()) }
            }
            Concrete::Option(inner) => Value::Option {
                some: self.terms.truth(inner.is_some()),
                value: Box::new(match inner {
                    Some(inner) => self.written(inner)?,
                    None => Value::Opaque(String::new()),
                }),
            },
            Concrete::Result(result) => {
                let nothing = || Box::new(Value::Opaque(String::new()));
                let (ok, value, error) = match result {
                    Ok(value) => (true, Box::new(self.written(value)?), nothing()),
                    Err(error) => (false, nothing(), Box::new(self.written(error)?)),
                };
                Value::Result { ok: self.terms.truth(ok), value, error }
            }
            Concrete::Tuple(parts) => {
                let parts: Option<Vec<Value>> =
                    parts.iter().map(|part| self.written(part)).collect();
                Value::Tuple(parts?)
            }
            Concrete::Enum { ty, number, fields, .. } => {
                let system = self.system;
                let count = system.types[*ty].variants.as_deref().unwrap_or_default().len();
                let mut all = vec![vec![]; count];
                let own: Option<Vec<Value>> =
                    fields.iter().map(|(_, field)| self.written(field)).collect();
                *all.get_mut(*number)? = own?;
                let tag = self.terms.number(16, *number as i128);
                Value::Enum { ty: *ty, tag, fields: all }
            }
            Concrete::Opaque => return None,
        })
    }
}
