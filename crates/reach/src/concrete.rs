//! Values that are known, as a search finds them and as a run shows them.

use crate::system::{Sort, System, TypeId};
use crate::value::Value;
use std::fmt;
use testsmith_solver::term::{Evaluator, Pool, signed};

/// A value without anything left open. Its text is that of `Debug`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Concrete {
    Unit,
    Bool(bool),
    /// A `u128` past the range wraps.
    Int(i128),
    Char(char),
    /// By the bits of the `f64`; an `f32` is told by its width.
    Float {
        bits: u64,
        width: u32,
    },
    Text(String),
    Seq(Vec<Concrete>),
    Option(Option<Box<Concrete>>),
    Result(Result<Box<Concrete>, Box<Concrete>>),
    Tuple(Vec<Concrete>),
    Enum {
        ty: TypeId,
        number: usize,
        variant: String,
        fields: Vec<(String, Concrete)>,
    },
    /// Nothing is known of it.
    Opaque,
}

impl Concrete {
    /// Whether nothing in it is unknown.
    pub fn is_known(&self) -> bool {
        match self {
            Concrete::Opaque => false,
            Concrete::Seq(parts) | Concrete::Tuple(parts) => parts.iter().all(Self::is_known),
            Concrete::Option(inner) => inner.as_ref().is_none_or(|inner| inner.is_known()),
            Concrete::Result(Ok(inner) | Err(inner)) => inner.is_known(),
            Concrete::Enum { fields, .. } => fields.iter().all(|(_, field)| field.is_known()),
            _ => true,
        }
    }

    /// The most characters of a text in it, the most elements of a list, and whether there are
    /// characters other than printable ASCII.
    pub(crate) fn size(&self) -> (usize, usize, bool) {
        let within = |parts: &mut dyn Iterator<Item = &Concrete>| {
            parts
                .map(Concrete::size)
                .fold((0, 0, false), |a, b| (a.0.max(b.0), a.1.max(b.1), a.2 || b.2))
        };
        match self {
            Concrete::Text(text) => {
                let other = text.chars().any(|c| !(' '..='~').contains(&c));
                (text.chars().count(), 0, other)
            }
            Concrete::Seq(items) => {
                let inside = within(&mut items.iter());
                (inside.0, inside.1.max(items.len()), inside.2)
            }
            Concrete::Tuple(parts) => within(&mut parts.iter()),
            Concrete::Option(inner) => within(&mut inner.iter().map(|inner| &**inner)),
            Concrete::Result(Ok(inner) | Err(inner)) => inner.size(),
            Concrete::Enum { fields, .. } => within(&mut fields.iter().map(|(_, field)| field)),
            _ => (0, 0, false),
        }
    }

    /// The same with the numbers that the types of its enums have in a system.
    pub fn of_sort(self, sort: &Sort) -> Concrete {
        let boxed = |inner: Box<Concrete>, sort: &Sort| Box::new(inner.of_sort(sort));
        match (self, sort) {
            (Concrete::Enum { number, variant, fields, .. }, Sort::Enum(ty)) => {
                Concrete::Enum { ty: *ty, number, variant, fields }
            }
            (Concrete::Option(Some(inner)), Sort::Option(of)) => {
                Concrete::Option(Some(boxed(inner, of)))
            }
            (Concrete::Result(Ok(inner)), Sort::Result(of, _)) => {
                Concrete::Result(Ok(boxed(inner, of)))
            }
            (Concrete::Result(Err(inner)), Sort::Result(_, of)) => {
                Concrete::Result(Err(boxed(inner, of)))
            }
            (Concrete::Tuple(parts), Sort::Tuple(sorts)) => {
                let parts = parts.into_iter().zip(sorts);
                Concrete::Tuple(parts.map(|(part, sort)| part.of_sort(sort)).collect())
            }
            (Concrete::Seq(items), Sort::Seq(of)) => {
                Concrete::Seq(items.into_iter().map(|item| item.of_sort(of)).collect())
            }
            (other, _) => other,
        }
    }

    /// Reads the text that `Debug` made of a value of this sort; none where it says
    /// something else.
    pub fn read(system: &System, sort: &Sort, text: &str) -> Option<Concrete> {
        let expr: syn::Expr = syn::parse_str(text).ok()?;
        read(system, sort, &expr)
    }
}

fn read(system: &System, sort: &Sort, expr: &syn::Expr) -> Option<Concrete> {
    use syn::{Expr, Lit};
    let inner = |call: &syn::ExprCall, name: &str| {
        let Expr::Path(path) = &*call.func else { return None };
        (path.path.is_ident(name) && call.args.len() == 1).then(|| call.args[0].clone())
    };
    match (sort, expr) {
        (Sort::Unit, Expr::Tuple(tuple)) if tuple.elems.is_empty() => Some(Concrete::Unit),
        (_, Expr::Group(group)) => read(system, sort, &group.expr),
        (Sort::Int { .. }, Expr::Unary(unary)) => match read(system, sort, &unary.expr)? {
            Concrete::Int(number) => Some(Concrete::Int(number.wrapping_neg())),
            _ => None,
        },
        (Sort::Float { width }, Expr::Unary(unary)) => match read(system, sort, &unary.expr)? {
            Concrete::Float { bits, .. } => {
                Some(Concrete::Float { bits: (-f64::from_bits(bits)).to_bits(), width: *width })
            }
            _ => None,
        },
        (Sort::Bool, Expr::Lit(lit)) => match &lit.lit {
            Lit::Bool(value) => Some(Concrete::Bool(value.value)),
            _ => None,
        },
        (Sort::Int { .. }, Expr::Lit(lit)) => match &lit.lit {
            Lit::Int(value) => Some(Concrete::Int(value.base10_parse::<u128>().ok()? as i128)),
            _ => None,
        },
        (Sort::Float { width }, Expr::Lit(lit)) => match &lit.lit {
            Lit::Float(value) => {
                let number: f64 = value.base10_parse().ok()?;
                Some(Concrete::Float { bits: number.to_bits(), width: *width })
            }
            _ => None,
        },
        (Sort::Char, Expr::Lit(lit)) => match &lit.lit {
            Lit::Char(value) => Some(Concrete::Char(value.value())),
            _ => None,
        },
        (Sort::Text, Expr::Lit(lit)) => match &lit.lit {
            Lit::Str(value) => Some(Concrete::Text(value.value())),
            _ => None,
        },
        (Sort::Seq(of), Expr::Array(array)) => {
            let items: Option<Vec<Concrete>> =
                array.elems.iter().map(|item| read(system, of, item)).collect();
            Some(Concrete::Seq(items?))
        }
        (Sort::Tuple(parts), Expr::Tuple(tuple)) if parts.len() == tuple.elems.len() => {
            let items: Option<Vec<Concrete>> =
                parts.iter().zip(&tuple.elems).map(|(sort, e)| read(system, sort, e)).collect();
            Some(Concrete::Tuple(items?))
        }
        (Sort::Option(_), Expr::Path(path)) if path.path.is_ident("None") => {
            Some(Concrete::Option(None))
        }
        (Sort::Option(of), Expr::Call(call)) => {
            Some(Concrete::Option(Some(Box::new(read(system, of, &inner(call, "Some")?)?))))
        }
        (Sort::Result(value, error), Expr::Call(call)) => {
            if let Some(inside) = inner(call, "Ok") {
                return Some(Concrete::Result(Ok(Box::new(read(system, value, &inside)?))));
            }
            let inside = read(system, error, &inner(call, "Err")?)?;
            Some(Concrete::Result(Err(Box::new(inside))))
        }
        (Sort::Enum(ty), _) => read_variant(system, *ty, expr),
        // What is shown of an object says nothing of what it answers.
        (Sort::Object(_), _) => Some(Concrete::Opaque),
        _ => None,
    }
}

fn read_variant(system: &System, ty: TypeId, expr: &syn::Expr) -> Option<Concrete> {
    use syn::Expr;
    let (path, given): (&syn::Path, Vec<&Expr>) = match expr {
        Expr::Path(path) => (&path.path, vec![]),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => (&path.path, call.args.iter().collect()),
            _ => return None,
        },
        Expr::Struct(it) => (&it.path, it.fields.iter().map(|field| &field.expr).collect()),
        _ => return None,
    };
    let name = path.segments.last()?.ident.to_string();
    let variants = system.types[ty].variants.as_ref()?;
    let number = variants.iter().position(|variant| variant.name == name)?;
    let known = &variants[number].fields;
    if known.len() != given.len() {
        return None;
    }
    let fields: Option<Vec<(String, Concrete)>> = known
        .iter()
        .zip(given)
        .map(|((name, sort), expr)| Some((name.clone(), read(system, sort, expr)?)))
        .collect();
    Some(Concrete::Enum { ty, number, variant: name, fields: fields? })
}

impl fmt::Display for Concrete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Concrete]| {
            for (n, part) in parts.iter().enumerate() {
                write!(f, "{}{part}", if n == 0 { "" } else { ", " })?;
            }
            Ok(())
        };
        match self {
            Concrete::Unit => f.write_str("()"),
            Concrete::Bool(value) => write!(f, "{value}"),
            Concrete::Int(value) => write!(f, "{value}"),
            Concrete::Char(value) => write!(f, "{value:?}"),
            Concrete::Float { bits, width: 32 } => write!(f, "{:?}", f64::from_bits(*bits) as f32),
            Concrete::Float { bits, .. } => write!(f, "{:?}", f64::from_bits(*bits)),
            Concrete::Text(value) => write!(f, "{value:?}"),
            Concrete::Seq(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
            Concrete::Option(None) => f.write_str("None"),
            Concrete::Option(Some(inner)) => write!(f, "Some({inner})"),
            Concrete::Result(Ok(inner)) => write!(f, "Ok({inner})"),
            Concrete::Result(Err(inner)) => write!(f, "Err({inner})"),
            Concrete::Tuple(parts) => {
                f.write_str("(")?;
                list(f, parts)?;
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            Concrete::Enum { variant, fields, .. } if fields.is_empty() => f.write_str(variant),
            Concrete::Enum { variant, fields, .. } if fields[0].0.is_empty() => {
                write!(f, "{variant}(")?;
                let parts: Vec<Concrete> = fields.iter().map(|(_, part)| part.clone()).collect();
                list(f, &parts)?;
                f.write_str(")")
            }
            Concrete::Enum { variant, fields, .. } => {
                let parts: Vec<String> =
                    fields.iter().map(|(name, part)| format!("{name}: {part}")).collect();
                write!(f, "{variant} {{ {} }}", parts.join(", "))
            }
            Concrete::Opaque => f.write_str("?"),
        }
    }
}

/// Reads values off a model.
pub(crate) struct Reading<'r> {
    pub(crate) pool: &'r Pool,
    pub(crate) evaluator: Evaluator<'r>,
    pub(crate) system: &'r System,
}

impl Reading<'_> {
    pub(crate) fn value(&mut self, value: &Value) -> Concrete {
        match value {
            Value::Unit => Concrete::Unit,
            Value::Bool(term) => Concrete::Bool(self.evaluator.value(*term) == 1),
            Value::Int { term, signed: is_signed } => {
                let (bits, width) = (self.evaluator.value(*term), self.pool.width(*term));
                Concrete::Int(if *is_signed { signed(bits, width) } else { bits as i128 })
            }
            Value::Number(number) => Concrete::Int(*number),
            Value::Real(bits) => Concrete::Float { bits: *bits, width: 64 },
            Value::Char(term) => {
                let code = self.evaluator.value(*term) as u32;
                Concrete::Char(char::from_u32(code).unwrap_or('?'))
            }
            Value::Float(term) => {
                let (bits, width) = (self.evaluator.value(*term), self.pool.width(*term));
                let number = match width {
                    32 => f64::from(f32::from_bits(bits as u32)),
                    _ => f64::from_bits(bits as u64),
                };
                Concrete::Float { bits: number.to_bits(), width }
            }
            Value::Text { len, chars } => {
                let len = self.evaluator.value(*len) as usize;
                let codes = chars.iter().take(len);
                let chars = codes.map(|c| self.evaluator.value(*c) as u32).collect::<Vec<u32>>();
                Concrete::Text(chars.into_iter().filter_map(char::from_u32).collect())
            }
            Value::Seq { len, items, .. } => {
                let len = self.evaluator.value(*len) as usize;
                if len > items.len() {
                    return Concrete::Opaque;
                }
                Concrete::Seq(items[..len].iter().map(|item| self.value(item)).collect())
            }
            Value::Option { some, value } => Concrete::Option(
                (self.evaluator.value(*some) == 1).then(|| Box::new(self.value(value))),
            ),
            Value::Result { ok, value, error } => {
                Concrete::Result(match self.evaluator.value(*ok) == 1 {
                    true => Ok(Box::new(self.value(value))),
                    false => Err(Box::new(self.value(error))),
                })
            }
            Value::Tuple(parts) => {
                Concrete::Tuple(parts.iter().map(|part| self.value(part)).collect())
            }
            Value::Enum { ty, tag, fields } => self.variant(*ty, *tag, fields),
            Value::Object(_) | Value::Items(_) | Value::Range { .. } | Value::Opaque(_) => {
                Concrete::Opaque
            }
        }
    }

    fn variant(
        &mut self,
        ty: TypeId,
        tag: testsmith_solver::term::Term,
        fields: &[Vec<Value>],
    ) -> Concrete {
        let number = self.evaluator.value(tag) as usize;
        let variants = self.system.types[ty].variants.as_deref().unwrap_or_default();
        let Some(variant) = variants.get(number) else { return Concrete::Opaque };
        let names = variant.fields.iter().map(|(name, _)| name.clone());
        let values = fields[number].iter().map(|field| self.value(field));
        let fields = names.zip(values).collect();
        Concrete::Enum { ty, number, variant: variant.name.clone(), fields }
    }
}
