//! A clause as plain statements: what `old` means is kept in a variable before the call,
//! what is promised is asserted after it.

use std::collections::BTreeMap;
use syn::{BinOp, Expr, UnOp};

/// The statements of a function that checks some clauses.
#[derive(Default)]
pub(super) struct Assertions {
    /// What the values of a clause are called in the function.
    pub(super) names: BTreeMap<String, String>,
    /// Those that are the same before and after.
    pub(super) constant: Vec<String>,
    /// What was kept, and under which name.
    kept: Vec<(String, String)>,
    /// Each under its condition, if it has one.
    after: Vec<(Option<String>, String)>,
}

impl Assertions {
    /// Adds a clause; false if it cannot be written like this.
    pub(super) fn add(&mut self, clause: &str) -> bool {
        let (when, promise) = match clause.split_once(" ==> ") {
            Some((when, promise)) => (Some(when), promise),
            None => (None, clause),
        };
        let parse = |text: &str| syn::parse_str::<Expr>(text).ok();
        let (Some(promise), Some(when)) =
            (parse(promise), when.map_or(Some(None), |when| parse(when).map(Some)))
        else {
            return false;
        };
        // Nothing is kept of a clause that is given up half-way.
        let kept = self.kept.len();
        let written = when.map_or(Some(None), |when| self.text(&when, false).map(Some));
        let (Some(when), Some(line)) = (written, self.assertion(&promise)) else {
            self.kept.truncate(kept);
            return false;
        };
        self.after.push((when, line));
        true
    }

    /// The statements before the call and after it; what has one condition stands together,
    /// and what has the opposite one behind it.
    pub(super) fn into_statements(self) -> (Vec<String>, Vec<String>) {
        let keep = |(text, name): (String, String)| format!("let {name} = {text};");
        let mut plain: Vec<String> = vec![];
        let mut groups: Vec<(String, Vec<String>, Vec<String>)> = vec![];
        for (when, line) in self.after {
            let Some(when) = when else {
                plain.push(line);
                continue;
            };
            let opposite = |known: &str| opposite(known) == when;
            match groups.iter_mut().find(|(known, ..)| *known == when || opposite(known)) {
                Some((known, yes, no)) => if *known == when { yes } else { no }.push(line),
                None => groups.push((when, vec![line], vec![])),
            }
        }
        // What follows from several conditions follows from any of them.
        let mut joined: Vec<(String, Vec<String>, Vec<String>)> = vec![];
        for (when, yes, no) in groups {
            let alone = no.is_empty();
            match joined.iter_mut().find(|known| alone && known.1 == yes && known.2.is_empty()) {
                Some((known, ..)) => *known = format!("{known} || {when}"),
                None => joined.push((when, yes, no)),
            }
        }
        let group = |(when, yes, no): (String, Vec<String>, Vec<String>)| match no.is_empty() {
            true => format!("if {when} {{ {} }}", yes.join(" ")),
            false => format!("if {when} {{ {} }} else {{ {} }}", yes.join(" "), no.join(" ")),
        };
        plain.extend(joined.into_iter().map(group));
        (self.kept.into_iter().map(keep).collect(), plain)
    }

    /// `assert_eq!` where two sides are compared that can be shown, else `assert!`.
    fn assertion(&mut self, promise: &Expr) -> Option<String> {
        if let Expr::Binary(binary) = promise
            && !is_value(&binary.left)
        {
            let word = match binary.op {
                BinOp::Eq(_) => "assert_eq",
                BinOp::Ne(_) => "assert_ne",
                _ => "",
            };
            if !word.is_empty() {
                let (left, right) = (bare(&binary.left), bare(&binary.right));
                let (left, right) = (self.text(left, false)?, self.text(right, false)?);
                return Some(format!("{word}!({left}, {right});"));
            }
        }
        self.text(promise, false).map(|text| format!("assert!({text});"))
    }

    /// The expression in terms of the function; `old` says that it is about the time
    /// before the call.
    fn text(&mut self, expression: &Expr, old: bool) -> Option<String> {
        Some(match expression {
            Expr::Paren(inner) => format!("({})", self.text(&inner.expr, old)?),
            Expr::Unary(unary) => match unary.op {
                UnOp::Not(_) => format!("!{}", self.text(&unary.expr, old)?),
                UnOp::Neg(_) => format!("-{}", self.text(&unary.expr, old)?),
                _ if old => self.keep(expression)?,
                _ => format!("*{}", self.text(&unary.expr, false)?),
            },
            Expr::Binary(binary) if old && is_value(&binary.left) => self.keep(expression)?,
            Expr::Binary(binary) => {
                let sign = &binary.op;
                let sign = quote::quote!(#sign).to_string();
                let left = self.text(&binary.left, old)?;
                format!("{left} {sign} {}", self.text(&binary.right, old)?)
            }
            Expr::Call(call) => match (&*call.func, call.args.first()) {
                (Expr::Path(path), Some(inner)) if path.path.is_ident("old") && !old => {
                    self.text(inner, true)?
                }
                _ => return None,
            },
            Expr::Path(path) => {
                let word = path.path.get_ident()?.to_string();
                match old && !self.constant.contains(&word) {
                    true => self.keep(expression)?,
                    false => self.names.get(&word).cloned().unwrap_or(word),
                }
            }
            Expr::MethodCall(_) | Expr::Field(_) | Expr::Cast(_) if old => self.keep(expression)?,
            Expr::MethodCall(call) => {
                let mut arguments = vec![];
                for argument in &call.args {
                    arguments.push(self.text(argument, false)?);
                }
                let of = self.text(&call.receiver, false)?;
                format!("{of}.{}({})", call.method, arguments.join(", "))
            }
            Expr::Field(field) => {
                let member = &field.member;
                let of = self.text(&field.base, false)?;
                format!("{of}.{}", quote::quote!(#member))
            }
            Expr::Cast(cast) => {
                let ty = &cast.ty;
                format!("{} as {}", self.text(&cast.expr, false)?, quote::quote!(#ty))
            }
            Expr::Reference(inner) => format!("&{}", self.text(&inner.expr, old)?),
            Expr::Lit(literal) => quote::quote!(#literal).to_string(),
            _ => return None,
        })
    }

    /// The variable that has what an expression was before the call.
    fn keep(&mut self, expression: &Expr) -> Option<String> {
        let text = self.text(expression, false)?;
        if let Some((_, name)) = self.kept.iter().find(|(known, _)| *known == text) {
            return Some(name.clone());
        }
        let taken = |name: &str| {
            self.kept.iter().any(|(_, known)| known == name)
                || self.names.values().any(|known| known == name)
        };
        let short = format!("{}_before", word_for(expression));
        let long = testsmith_render::snake(&format!("{} before", text.replace('*', "")));
        let mut name = if taken(&short) { long.clone() } else { short };
        let mut n = 2;
        while taken(&name) {
            name = format!("{long}_{n}");
            n += 1;
        }
        self.kept.push((text, name.clone()));
        Some(name)
    }
}

/// The opposite of a condition that is one answer or its opposite.
fn opposite(when: &str) -> String {
    match when.strip_prefix('!') {
        Some(answer) => answer.to_owned(),
        None if when.contains(' ') => String::new(),
        None => format!("!{when}"),
    }
}

/// Whether it is a whole value, which need not be one that can be shown.
fn is_value(expression: &Expr) -> bool {
    matches!(bare(expression), Expr::Unary(unary)
        if matches!(unary.op, UnOp::Deref(_)) && matches!(&*unary.expr, Expr::Path(_)))
}

/// Without parentheses around it.
fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        expression => expression,
    }
}

/// What an expression is about.
fn word_for(expression: &Expr) -> String {
    match expression {
        Expr::Paren(inner) => word_for(&inner.expr),
        Expr::Unary(inner) => word_for(&inner.expr),
        Expr::Cast(inner) => word_for(&inner.expr),
        Expr::Binary(_) => "equal".to_owned(),
        Expr::MethodCall(call) => match &*call.receiver {
            inner @ Expr::MethodCall(_) => format!("{}_{}", word_for(inner), call.method),
            _ => call.method.to_string(),
        },
        Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => name.to_string(),
            syn::Member::Unnamed(index) => format!("field_{}", index.index),
        },
        Expr::Path(path) => path.path.get_ident().map_or("value".to_owned(), ToString::to_string),
        _ => "value".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(clauses: &[&str], before: &[&str], after: &[&str]) {
        let names = [("self", "set"), ("ret", "result")];
        let mut assertions = Assertions {
            names: names.map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
            constant: vec!["item".to_owned()],
            ..Assertions::default()
        };
        clauses.iter().for_each(|clause| assert!(assertions.add(clause), "{clause}"));
        let (kept, asserted) = assertions.into_statements();
        assert_eq!((kept, asserted), (to_owned(before), to_owned(after)));
    }

    fn to_owned(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn what_was_before_is_kept_once() {
        check(
            &[
                "self.len() == old(self.len()) + 1",
                "old(!self.has(item)) ==> self.len() != old(self.len())",
            ],
            &["let len_before = set.len();", "let has_before = set.has(item);"],
            &[
                "assert_eq!(set.len(), len_before + 1);",
                "if !has_before { assert_ne!(set.len(), len_before); }",
            ],
        );
        check(
            &["self.len() >= old(other.len())", "self.cap() > old(self.len())"],
            &["let len_before = other.len();", "let set_len_before = set.len();"],
            &["assert!(set.len() >= len_before);", "assert!(set.cap() > set_len_before);"],
        );
    }

    #[test]
    fn one_condition_stands_once() {
        check(
            &[
                "old(self.has(item)) ==> ret",
                "old(!self.has(item)) ==> !ret",
                "old(self.has(item)) ==> self.a()",
            ],
            &["let has_before = set.has(item);"],
            &["if has_before { assert!(result); assert!(set.a()); } else { assert!(!result); }"],
        );
        check(
            &["old(self.a()) ==> ret", "old(self.b()) ==> ret"],
            &["let a_before = set.a();", "let b_before = set.b();"],
            &["if a_before || b_before { assert!(result); }"],
        );
    }

    #[test]
    fn values_are_compared_and_not_shown() {
        check(
            &["*self == *other", "old(*self == *other) ==> !ret", "ret == old(item)"],
            &["let equal_before = *set == *other;"],
            &[
                "assert!(*set == *other);",
                "assert_eq!(result, item);",
                "if equal_before { assert!(!result); }",
            ],
        );
        check(
            &["self.is_empty() == (self.get(*key).is_some() == false)"],
            &[],
            &["assert_eq!(set.is_empty(), set.get(*key).is_some() == false);"],
        );
    }

    #[test]
    fn what_cannot_be_written_is_left() {
        let mut assertions = Assertions::default();
        assert!(!assertions.add("self.len() == old(self.len()) + f(1)"));
        assert!(!assertions.add("self.len( == 1"));
        assert_eq!(assertions.into_statements(), (vec![], vec![]));
    }
}
