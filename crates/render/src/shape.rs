//! Calls as a person would write them: `a.next()` for
//! `<a::Iter<'_, i32> as std::iter::Iterator>::next({0})`.
//!
//! A guess at what reads well and still means the same. Whoever uses it
//! compiles the result, and falls back to the template where it does not.

use testsmith_model::Operation;

/// Traits whose methods everybody can call on a value.
const METHODS: [&str; 12] = [
    "Clone",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Extend",
    "IntoIterator",
    "Iterator",
    "Ord",
    "PartialOrd",
    "ToOwned",
    "ToString",
    "AsRef",
    "AsMut",
];
/// Traits whose functions everybody can call on a type.
const FUNCTIONS: [&str; 4] = ["Default", "From", "FromIterator", "TryFrom"];

const OPERATORS: [(&str, &str); 19] = [
    ("Add::add", "+"),
    ("Sub::sub", "-"),
    ("Mul::mul", "*"),
    ("Div::div", "/"),
    ("Rem::rem", "%"),
    ("BitAnd::bitand", "&"),
    ("BitOr::bitor", "|"),
    ("BitXor::bitxor", "^"),
    ("Shl::shl", "<<"),
    ("Shr::shr", ">>"),
    ("AddAssign::add_assign", "+="),
    ("SubAssign::sub_assign", "-="),
    ("MulAssign::mul_assign", "*="),
    ("DivAssign::div_assign", "/="),
    ("RemAssign::rem_assign", "%="),
    ("PartialEq::eq", "=="),
    ("PartialEq::ne", "!="),
    ("PartialOrd::lt", "<"),
    ("PartialOrd::gt", ">"),
];

/// The template of a call, made plain.
pub(crate) fn plain(operation: &Operation) -> String {
    let on_itself = operation.inputs.first().is_some_and(|input| input.name == "self");
    if let Some(method) = on_itself.then(|| as_own_method(&operation.show)).flatten() {
        return method;
    }
    plain_template(&operation.show)
}

/// `{.0}.name(…)` for `<Type>::name({0}, …)`.
fn as_own_method(template: &str) -> Option<String> {
    let inner = template.strip_prefix('<')?;
    let close = closing(inner, '<', '>').filter(|close| !inner[..*close].contains(" as "))?;
    let rest = inner[close + 1..].strip_prefix("::")?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let (turbofish, args) = split_turbofish(&rest[end..]);
    let args = args.strip_prefix("({0}")?;
    let args = args.strip_prefix(", ").unwrap_or(args);
    Some(without_turbofish(&format!("{{.0}}.{}{turbofish}({args}", &rest[..end])))
}

fn plain_template(template: &str) -> String {
    match template {
        "format!(\"{}\", {0})" => return "{.0}.to_string()".to_owned(),
        "format!(\"{:?}\", {0})" => return "format!(\"{:?}\", {.0})".to_owned(),
        _ => {}
    }
    let text = as_operator(template)
        .or_else(|| as_method(template))
        .or_else(|| as_function(template))
        .unwrap_or_else(|| template.to_owned());
    let text =
        text.replace(".ok().unwrap()", ".unwrap()").replace(".err().unwrap()", ".unwrap_err()");
    without_turbofish(&text)
}

/// `<X as a::Trait<Y>>::name` at the start, or `Trait::name`: the type, the
/// trait's last word, the name, and the rest.
fn qualified(template: &str) -> Option<(&str, &str, &str, &str)> {
    let (head, rest) = match template.strip_prefix('<') {
        Some(inner) => {
            let close = closing(inner, '<', '>')?;
            (&inner[..close], inner[close + 1..].strip_prefix("::")?)
        }
        None => {
            let (name, rest) = template.split_once("::")?;
            (name, rest)
        }
    };
    let (ty, path) = head.rsplit_once(" as ").unwrap_or(("", head));
    let path = path.split('<').next()?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some((ty, path.rsplit("::").next()?, &rest[..end], &rest[end..]))
}

/// Where the bracket that is already open is closed; arrows do not count.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            c if c == open => depth += 1,
            c if c == close && before != '-' && before != '=' => {
                if depth == 0 {
                    return Some(at);
                }
                depth -= 1;
            }
            _ => {}
        }
        before = c;
    }
    None
}

/// `{0} + {1}`
fn as_operator(template: &str) -> Option<String> {
    let (_, of, name, rest) = qualified(template)?;
    let key = format!("{of}::{name}");
    let (_, sign) = OPERATORS.iter().find(|(known, _)| *known == key)?;
    let compares = matches!(*sign, "==" | "!=" | "<" | ">");
    let assigns = sign.ends_with('=') && !compares;
    match rest {
        "({0}, {1})" if compares => Some(format!("{{.0}} {sign} {{.1}}")),
        "({0}, {1})" if assigns => Some(format!("{{.0}} {sign} {{1}}")),
        "({0}, {1})" => Some(format!("{{0}} {sign} {{1}}")),
        _ => None,
    }
}

/// `{.0}.name(…)`
fn as_method(template: &str) -> Option<String> {
    let (ty, of, name, rest) = qualified(template)?;
    if !METHODS.contains(&of) {
        return None;
    }
    let (turbofish, rest) = split_turbofish(rest);
    let rest = rest.strip_prefix("({0}")?;
    let rest = rest.strip_prefix(", ").unwrap_or(rest);
    // What is implemented for a reference is not called on the value itself.
    let receiver = if ty.starts_with('&') { "({0})" } else { "{.0}" };
    Some(format!("{receiver}.{name}{turbofish}({rest}"))
}

/// `Type::<T>::name(…)`, or `Trait::name({0}, …)` where there is a receiver.
fn as_function(template: &str) -> Option<String> {
    let inner = template.strip_prefix('<')?;
    let (ty, of, name, rest) = qualified(template)?;
    let (turbofish, args) = split_turbofish(rest);
    if ty.is_empty() {
        // `<Type<T>>::name`
        let close = closing(inner, '<', '>')?;
        return Some(format!("{}::{name}{rest}", on_type(&inner[..close])?));
    }
    if FUNCTIONS.contains(&of) {
        return Some(format!("{}::{name}{args}", on_type(ty)?));
    }
    let path = inner.split(" as ").nth(1)?;
    let path = &path[..path.find(['<', '>'])?];
    args.starts_with("({0}").then(|| format!("{path}::{name}{turbofish}{args}"))
}

/// `a::Shelf<i32>` as `a::Shelf::<i32>`; nothing for what is no path.
fn on_type(ty: &str) -> Option<String> {
    if !ty.starts_with(|c: char| c.is_alphabetic()) || ty.starts_with("dyn ") {
        return None;
    }
    match ty.split_once('<') {
        Some((path, args)) => Some(format!("{path}::<{args}")),
        None => Some(ty.to_owned()),
    }
}

/// `::<T>` and what comes after it.
fn split_turbofish(text: &str) -> (&str, &str) {
    let Some(inner) = text.strip_prefix("::<") else { return ("", text) };
    match closing(inner, '<', '>') {
        Some(close) => text.split_at("::<".len() + close + 1),
        None => ("", text),
    }
}

/// A method that is given a value or a closure says by that what its types are.
fn without_turbofish(text: &str) -> String {
    let Some(rest) = text.strip_prefix("{.0}.") else { return text.to_owned() };
    let Some(at) = rest.find("::<") else { return text.to_owned() };
    let (name, rest) = rest.split_at(at);
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return text.to_owned();
    }
    let (turbofish, args) = split_turbofish(rest);
    let says_nothing = turbofish.trim_matches(['<', '>', ':', '_', ',', ' ']).is_empty();
    if says_nothing || !args.starts_with("()") {
        format!("{{.0}}.{name}{args}")
    } else {
        text.to_owned()
    }
}

/// Whether the template is two operands and a sign between them.
pub(crate) fn is_operator(template: &str) -> bool {
    OPERATORS.iter().any(|(_, sign)| {
        let infix = format!("}} {sign} {{");
        template.len() <= infix.len() + "{.0".len() + ".1}".len() && template.contains(&infix)
    })
}

/// Whether the expression can be followed by a dot, or preceded by a sign,
/// without parentheses.
pub(crate) fn is_atomic(text: &str) -> bool {
    if text.starts_with(['&', '*', '|', '-', '{', '!']) || text.starts_with("move ") {
        return false;
    }
    let mut depth = 0;
    let mut quoted = false;
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 => return false,
            '.' if depth == 0 && before == '.' => return false,
            _ => {}
        }
        before = if before == '\\' { ' ' } else { c };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_called_on_their_values() {
        assert_eq!(plain_template("Iterator::next({0})"), "{.0}.next()");
        let nth = "<a::Values<'_, i32> as std::iter::Iterator>::nth({0}, {1})";
        assert_eq!(plain_template(nth), "{.0}.nth({1})");
        let each = "<&mut a::Shelf<i32> as std::iter::IntoIterator>::into_iter({0})";
        assert_eq!(plain_template(each), "({0}).into_iter()");
        let back = "Iterator::rev({0}).take(1000).collect::<Vec<_>>()";
        assert_eq!(plain_template(back), "{.0}.rev().take(1000).collect::<Vec<_>>()");
        let extend =
            "<a::Set<i32, S> as std::iter::Extend<i32>>::extend::<std::vec::Vec<i32>>({0}, {1})";
        assert_eq!(plain_template(extend), "{.0}.extend({1})");
    }

    #[test]
    fn a_function_that_takes_itself_is_a_method() {
        let map = "<a::Shelf<i32>>::map::<i32, _>({0}, |x| x)";
        assert_eq!(as_own_method(map).as_deref(), Some("{.0}.map(|x| x)"));
        assert_eq!(as_own_method("<a::Shelf as a::Priced>::price({0})"), None);
    }

    #[test]
    fn operators_stand_between_their_operands() {
        let sub = "<&a::Set<i32> as std::ops::Sub<&a::Set<i32>>>::sub({0}, {1})";
        assert_eq!(plain_template(sub), "{0} - {1}");
        let eq = "<a::Op as std::cmp::PartialEq>::eq({0}, {1})";
        assert_eq!(plain_template(eq), "{.0} == {.1}");
        assert!(is_operator("{.0} == {.1}") && is_operator("{0} - {1}"));
        assert!(!is_operator("{.0} != {.1} || {.1} == {.2}"));
    }

    #[test]
    fn functions_are_called_on_their_types() {
        assert_eq!(plain_template("<a::Shelf<i32>>::default()"), "a::Shelf::<i32>::default()");
        assert_eq!(plain_template("<a::Version>::parse({0})"), "a::Version::parse({0})");
        assert_eq!(plain_template("<a::Version>::EMPTY"), "a::Version::EMPTY");
        assert_eq!(plain_template("format!(\"{}\", {0})"), "{.0}.to_string()");
        let from =
            "<a::Req as std::iter::FromIterator<a::C>>::from_iter::<std::vec::Vec<a::C>>({0})";
        assert_eq!(plain_template(from), "a::Req::from_iter({0})");
        let own = "<a::Set<i32> as a::set::MutableValues>::retain2::<_>({0}, |_| true)";
        assert_eq!(plain_template(own), "a::set::MutableValues::retain2::<_>({0}, |_| true)");
    }

    #[test]
    fn types_are_told_where_nothing_else_tells_them() {
        assert_eq!(plain_template("{.0}.parse::<a::Version>()"), "{.0}.parse::<a::Version>()");
        assert_eq!(plain_template("{.0}.shift_remove::<i32>({1})"), "{.0}.shift_remove({1})");
        assert_eq!(plain_template("{.0}.retain::<_>(|_| true)"), "{.0}.retain(|_| true)");
        assert_eq!(plain_template("{.0}.ok().unwrap()"), "{.0}.unwrap()");
    }

    #[test]
    fn an_atom_needs_no_parentheses() {
        assert!(is_atomic("Some(1 + 2)"));
        assert!(is_atomic("\"a b\""));
        assert!(!is_atomic("1 + 2"));
        assert!(!is_atomic("0..3"));
        assert!(!is_atomic("&a"));
        assert!(!is_atomic("Board { width: 1 }"));
    }
}
