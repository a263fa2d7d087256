//! From the `Debug` text of a value to the expression that equals it.
//!
//! Only for types whose `Debug` is fixed by the standard library: numbers,
//! texts, options, tuples, lists of those, and variants without fields that
//! the plan can make. Anything else has no expression here.

use crate::literal::int;
use testsmith_model::ty::Ty;
use testsmith_model::{Operation, OperationKind, Plan};

/// A longer expression says nothing to a reader.
const MAX_LENGTH: usize = 120;

/// What an expression is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The side of an `assert_eq!`: texts and lists compare across types.
    Side,
    /// Inside another value, where the type has to be the very same.
    Inside,
}

/// The expression for a value of the type that was shown like this.
pub(crate) fn expected(plan: &Plan, ty: &Ty, text: &str) -> Option<String> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let mut reader = Reader { plan, rest: text };
    let value = reader.value(ty, Place::Side)?;
    reader.rest.is_empty().then_some(value)
}

/// Whether a value that was shown like this can be written down.
pub fn has_expression(plan: &Plan, ty: &Ty, text: &str) -> bool {
    expected(plan, ty, text).is_some()
}

/// Whether values of a type can be written down from what is shown of them.
pub fn is_plain(plan: &Plan, ty: &Ty) -> bool {
    match ty {
        Ty::Prim(_) => true,
        Ty::Ref { inner, .. } => is_plain(plan, inner),
        Ty::Slice(item) | Ty::Array(item, _) => is_plain(plan, item),
        Ty::Tuple(items) => !items.is_empty() && items.iter().all(|item| is_plain(plan, item)),
        Ty::Adt { path, .. } => match path.as_str() {
            "std::string::String" | "std::cmp::Ordering" => true,
            "std::option::Option" | "std::vec::Vec" | "std::boxed::Box" => {
                ty.type_arg(0).is_some_and(|inner| is_plain(plan, inner))
            }
            "std::result::Result" => {
                [0, 1].iter().all(|n| ty.type_arg(*n).is_some_and(|inner| is_plain(plan, inner)))
            }
            "std::ops::Range" => matches!(ty.type_arg(0), Some(Ty::Prim(_))),
            _ => variants(plan, ty).next().is_some(),
        },
        _ => false,
    }
}

/// The variants without fields of a type that can be compared.
fn variants<'p>(plan: &'p Plan, ty: &Ty) -> impl Iterator<Item = &'p Operation> {
    plan.operations.iter().filter(|operation| {
        let info = plan.ty(operation.output);
        operation.kind == OperationKind::Constructor
            && operation.inputs.is_empty()
            && info.ty == *ty
            && info.abilities.partial_eq
    })
}

struct Reader<'r> {
    plan: &'r Plan,
    rest: &'r str,
}

impl<'r> Reader<'r> {
    fn value(&mut self, ty: &Ty, place: Place) -> Option<String> {
        match ty {
            Ty::Prim(name) if name == "str" => self.quoted('"').map(str::to_owned),
            Ty::Prim(name) if name == "char" => self.quoted('\'').map(str::to_owned),
            Ty::Prim(name) if name == "bool" => self.word().map(str::to_owned),
            Ty::Prim(name) => self.number(name),
            Ty::Ref { inner, mutable, .. } => self.behind(inner, *mutable, place),
            Ty::Array(item, _) => self.list(item).map(|items| format!("[{items}]")),
            Ty::Tuple(items) => self.tuple(items),
            Ty::Adt { path, .. } => self.adt(ty, path, place),
            _ => None,
        }
    }

    fn behind(&mut self, inner: &Ty, mutable: bool, place: Place) -> Option<String> {
        match inner {
            Ty::Prim(name) if name == "str" => {
                let text = self.quoted('"')?;
                // A text that can be changed has no expression, but compares with one.
                (!mutable || place == Place::Side).then(|| text.to_owned())
            }
            Ty::Slice(item) => {
                let items = self.list(item)?;
                match (place, mutable) {
                    (Place::Side, _) => Some(format!("[{items}]")),
                    (Place::Inside, false) => Some(format!("&[{items}][..]")),
                    (Place::Inside, true) => Some(format!("&mut [{items}][..]")),
                }
            }
            _ => {
                let sign = if mutable { "&mut " } else { "&" };
                Some(format!("{sign}{}", self.value(inner, Place::Inside)?))
            }
        }
    }

    fn adt(&mut self, ty: &Ty, path: &str, place: Place) -> Option<String> {
        let (first, second) = (ty.type_arg(0), ty.type_arg(1));
        match path {
            "std::string::String" => {
                let text = self.quoted('"')?;
                let owned = || format!("{text}.to_owned()");
                Some(if place == Place::Side { text.to_owned() } else { owned() })
            }
            "std::vec::Vec" => {
                let items = self.list(first?)?;
                Some(if place == Place::Side {
                    format!("[{items}]")
                } else {
                    format!("vec![{items}]")
                })
            }
            "std::boxed::Box" if !matches!(first?, Ty::Slice(_)) && *first? != Ty::prim("str") => {
                Some(format!("Box::new({})", self.value(first?, Place::Inside)?))
            }
            "std::option::Option" => match self.word()? {
                "None" => Some("None".to_owned()),
                "Some" => self.wrapped("Some", first?),
                _ => None,
            },
            "std::result::Result" => match self.word()? {
                "Ok" => self.wrapped("Ok", first?),
                "Err" => self.wrapped("Err", second?),
                _ => None,
            },
            "std::cmp::Ordering" => match self.word()? {
                word @ ("Less" | "Equal" | "Greater") => {
                    Some(format!("std::cmp::Ordering::{word}"))
                }
                _ => None,
            },
            "std::ops::Range" => {
                let start = self.value(first?, Place::Inside)?;
                self.eat("..")?;
                Some(format!("{start}..{}", self.value(first?, Place::Inside)?))
            }
            _ => {
                let word = self.word()?;
                let named = |variant: &&Operation| variant.callee.name() == word;
                variants(self.plan, ty).find(named).map(|variant| variant.call.full())
            }
        }
    }

    fn wrapped(&mut self, name: &str, inner: &Ty) -> Option<String> {
        self.eat("(")?;
        let value = if inner.is_unit() {
            self.eat("()").map(|()| "()".to_owned())
        } else {
            self.value(inner, Place::Inside)
        }?;
        self.eat(")")?;
        Some(format!("{name}({value})"))
    }

    fn tuple(&mut self, items: &[Ty]) -> Option<String> {
        self.eat("(")?;
        let mut values = vec![];
        for (n, item) in items.iter().enumerate() {
            if n > 0 {
                self.eat(", ")?;
            }
            values.push(self.value(item, Place::Inside)?);
        }
        if items.len() == 1 {
            self.eat(",")?;
            values.push(String::new());
        }
        self.eat(")")?;
        Some(format!("({})", values.join(", ").trim_end()))
    }

    /// The items between brackets, separated by commas.
    fn list(&mut self, item: &Ty) -> Option<String> {
        self.eat("[")?;
        let mut values = vec![];
        while self.eat("]").is_none() {
            if !values.is_empty() {
                self.eat(", ")?;
            }
            values.push(self.value(item, Place::Inside)?);
        }
        Some(values.join(", "))
    }

    fn number(&mut self, name: &str) -> Option<String> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
        let mut end = end.unwrap_or(self.rest.len());
        // The dots of a range belong to the range.
        if let Some(dots) = self.rest[..end].find("..") {
            end = dots;
        }
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        if matches!(name, "f32" | "f64") {
            let finite = text.parse::<f64>().is_ok_and(f64::is_finite);
            return finite.then(|| text.to_owned());
        }
        match text.parse::<i128>() {
            Ok(value) => Some(int(value, name)),
            Err(_) => text.parse::<u128>().ok().map(|value| value.to_string()),
        }
    }

    /// A quoted literal: `Debug` writes texts as Rust does.
    fn quoted(&mut self, quote: char) -> Option<&'r str> {
        let mut characters = self.rest.char_indices();
        if characters.next()?.1 != quote {
            return None;
        }
        let mut escaped = false;
        for (at, c) in characters {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    let (text, rest) = self.rest.split_at(at + 1);
                    self.rest = rest;
                    return Some(text);
                }
                _ => {}
            }
        }
        None
    }

    fn word(&mut self) -> Option<&'r str> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn eat(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ty: &Ty, text: &str, wanted: Option<&str>) {
        assert_eq!(expected(&Plan::default(), ty, text).as_deref(), wanted);
    }

    fn option(inner: Ty) -> Ty {
        Ty::adt("std::option::Option", vec![inner])
    }

    #[test]
    fn numbers_and_texts_are_themselves() {
        check(&Ty::prim("u8"), "255", Some("u8::MAX"));
        check(&Ty::prim("i64"), "-3", Some("-3"));
        check(&Ty::prim("f64"), "1.5", Some("1.5"));
        check(&Ty::prim("f64"), "NaN", None);
        check(&Ty::prim("char"), "'\\''", Some("'\\''"));
        check(&Ty::shared(Ty::prim("str")), "\"a\\\"b\"", Some("\"a\\\"b\""));
        check(&Ty::adt("std::string::String", vec![]), "\"x\"", Some("\"x\""));
        let changeable = Ty::exclusive(Ty::prim("str"));
        check(&changeable, "\"x\"", Some("\"x\""));
        check(&option(changeable), "Some(\"x\")", None);
    }

    #[test]
    fn what_lies_inside_has_its_very_type() {
        check(&option(Ty::shared(Ty::prim("i32"))), "Some(3)", Some("Some(&3)"));
        check(
            &option(Ty::adt("std::string::String", vec![])),
            "Some(\"x\")",
            Some("Some(\"x\".to_owned())"),
        );
        check(
            &option(Ty::Tuple(vec![Ty::prim("u8"), Ty::prim("bool")])),
            "Some((1, true))",
            Some("Some((1, true))"),
        );
        check(&Ty::adt("std::vec::Vec", vec![Ty::prim("u8")]), "[1, 2]", Some("[1, 2]"));
        check(
            &option(Ty::adt("std::vec::Vec", vec![Ty::prim("u8")])),
            "Some([1])",
            Some("Some(vec![1])"),
        );
        check(&Ty::adt("std::ops::Range", vec![Ty::prim("usize")]), "0..3", Some("0..3"));
        check(&Ty::Tuple(vec![Ty::prim("u8")]), "(1,)", Some("(1,)"));
    }

    #[test]
    fn what_is_not_understood_to_the_end_has_no_expression() {
        check(&Ty::prim("u8"), "1 and more", None);
        check(&Ty::adt("a::Shelf", vec![]), "Shelf { things: [] }", None);
        check(&option(Ty::prim("u8")), "Some(1", None);
    }
}
