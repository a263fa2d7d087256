//! The catalogue of closures handed to higher-order functions.
//!
//! Each is a piece of source text that a person would write in a test; a
//! value that only the caller can supply becomes one more argument of the
//! operation.

use testsmith_model::call::ClosureKind;
use testsmith_model::ty::Ty;

#[derive(Clone, Debug, PartialEq)]
pub struct Closure {
    /// The text; `{+}` stands for the extra argument.
    pub text: String,
    pub kind: ClosureKind,
    pub extra: Option<Ty>,
    /// It may panic when it is called, if the call is to be interrupted.
    pub panics: bool,
}

impl Closure {
    fn new(kind: ClosureKind, text: String) -> Closure {
        Closure { text, kind, extra: None, panics: false }
    }
}

/// How often the closure may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    Once,
    Many,
    /// Without changing anything it captured.
    ManyShared,
    /// Capturing nothing: a function pointer.
    Pointer,
}

impl Calls {
    pub fn of_trait(name: &str) -> Calls {
        match name {
            "FnOnce" => Calls::Once,
            "FnMut" => Calls::Many,
            _ => Calls::ManyShared,
        }
    }
}

/// Closures for one signature, the plainest first; the last one may panic.
pub fn catalogue(inputs: &[Ty], output: &Ty, calls: Calls) -> Vec<Closure> {
    let ignore = format!("|{}|", vec!["_"; inputs.len()].join(", "));
    let plain = |text: String| Closure::new(ClosureKind::Harmless, text);
    let telling = |text: String| Closure::new(ClosureKind::Answers, text);
    let mut closures = vec![];
    match output {
        output if output.is_unit() => {
            closures.push(plain(format!("{ignore} {{}}")));
            if let [.., Ty::Ref { mutable: true, inner, .. }] = inputs
                && let Some(change) = change_of(inner)
            {
                let names = vec!["_"; inputs.len() - 1].join(", ");
                let comma = if inputs.len() > 1 { ", " } else { "" };
                closures.push(telling(format!("|{names}{comma}x| {change}")));
            }
        }
        Ty::Prim(name) if name == "bool" => {
            closures.push(plain(format!("{ignore} true")));
            closures.push(plain(format!("{ignore} false")));
            if inputs.len() == 2 && inputs[0] == inputs[1] {
                closures.push(plain("|a, b| a == b".to_owned()));
            }
            if matches!(calls, Calls::Many | Calls::Once) {
                closures.push(plain(format!(
                    "{{ let mut n = 0; move {ignore} {{ n += 1; n % 2 == 0 }} }}"
                )));
            }
        }
        Ty::Adt { path, .. } if path == "std::cmp::Ordering" => {
            if inputs.len() == 2 && inputs[0] == inputs[1] {
                closures.push(telling("|a, b| a.cmp(b)".to_owned()));
                closures.push(telling("|a, b| b.cmp(a)".to_owned()));
            } else if inputs.len() == 4 {
                closures.push(telling("|a, _, b, _| a.cmp(b)".to_owned()));
            }
            for choice in ["Less", "Equal", "Greater"] {
                closures.push(telling(format!("{ignore} std::cmp::Ordering::{choice}")));
            }
        }
        _ => closures.extend(returning(inputs, output, calls, &ignore)),
    }
    // One that says now this, now that leaves the most behind.
    let model = closures.iter().rfind(|closure| closure.text.contains("let mut n"));
    let panicking = match model.or(closures.first()) {
        Some(model) => Closure { text: with_point(&model.text), ..model.clone() },
        None => telling(format!("{ignore} troubled::panic()")),
    };
    closures.push(Closure { kind: ClosureKind::Answers, panics: true, ..panicking });
    closures
}

/// The same closure, which panics before it answers if the call is to be interrupted.
fn with_point(text: &str) -> String {
    let mut bars = text.match_indices('|').map(|(at, _)| at);
    let (Some(_), Some(closing)) = (bars.next(), bars.next()) else { return text.to_owned() };
    let (head, body) = text.split_at(closing + 1);
    // What stands in a block of its own ends with that.
    let (body, end) = match head.starts_with('{') {
        true => (body.strip_suffix('}').unwrap_or(body), "}"),
        false => (body, ""),
    };
    format!("{head} {{ troubled::point(); {} }} {end}", body.trim()).trim_end().to_owned()
}

/// Closures that hand back what they were given, or a value from outside.
fn returning(inputs: &[Ty], output: &Ty, calls: Calls, ignore: &str) -> Vec<Closure> {
    let mut closures = vec![];
    let nth = |n: usize, body: &str| {
        let names: Vec<&str> = (0..inputs.len()).map(|i| if i == n { "x" } else { "_" }).collect();
        let text = format!("|{}| {body}", names.join(", "));
        Closure::new(ClosureKind::Steady, text)
    };
    for (n, input) in inputs.iter().enumerate() {
        match input {
            input if input.erase_lifetimes() == output.erase_lifetimes() => {
                closures.push(nth(n, "x"));
            }
            Ty::Ref { inner, .. } if **inner == *output => closures.push(nth(n, "x.clone()")),
            _ => {}
        }
    }
    if let Some(text) = constant_of(output) {
        closures.push(Closure::new(ClosureKind::Steady, format!("{ignore} {text}")));
    }
    let given = match calls {
        Calls::Once => Some(format!("move {ignore} {{+}}")),
        Calls::Many | Calls::ManyShared => {
            Some(format!("{{ let x = {{+}}; move {ignore} x.clone() }}"))
        }
        Calls::Pointer => None,
    };
    if let Some(text) = given
        && !output.borrows()
    {
        let extra = Some(output.clone());
        closures.push(Closure { extra, ..Closure::new(ClosureKind::Steady, text) });
    }
    closures
}

fn change_of(ty: &Ty) -> Option<String> {
    match ty {
        Ty::Prim(name) if name == "bool" => Some("*x = !*x".into()),
        Ty::Prim(name) if name == "f32" || name == "f64" => Some("*x += 1.0".into()),
        Ty::Prim(name) if name != "char" && name != "str" => Some("*x = x.wrapping_add(1)".into()),
        Ty::Adt { path, .. } if path == "std::string::String" => Some("x.push('!')".into()),
        _ => None,
    }
}

fn constant_of(ty: &Ty) -> Option<String> {
    match ty {
        Ty::Prim(name) if name == "str" => None,
        Ty::Prim(name) if name == "char" => Some("'x'".into()),
        Ty::Prim(name) if name == "f32" || name == "f64" => Some("1.0".into()),
        Ty::Prim(_) => Some("1".into()),
        Ty::Adt { path, .. } if path == "std::option::Option" => Some("None".into()),
        Ty::Adt { path, .. } if path == "std::string::String" => Some("String::from(\"x\")".into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_closure_panics_and_the_first_is_plain() {
        let closures = catalogue(&[Ty::prim("i32")], &Ty::prim("bool"), Calls::Many);
        assert_eq!(closures[0].text, "|_| true");
        assert!(closures.last().unwrap().panics);
        assert!(closures[..closures.len() - 1].iter().all(|closure| !closure.panics));
    }

    #[test]
    fn the_one_that_may_panic_answers_as_another_does() {
        let last = |inputs: &[Ty], output: &Ty, calls: Calls| {
            catalogue(inputs, output, calls).last().map(|closure| closure.text.clone()).unwrap()
        };
        let (int, yes) = (Ty::prim("i32"), Ty::prim("bool"));
        assert_eq!(
            last(std::slice::from_ref(&int), &yes, Calls::Many),
            "{ let mut n = 0; move |_| { troubled::point(); { n += 1; n % 2 == 0 } } }"
        );
        assert_eq!(
            last(std::slice::from_ref(&int), &int, Calls::Many),
            "|x| { troubled::point(); x }"
        );
        let unit = last(&[int], &Ty::unit(), Calls::ManyShared);
        assert_eq!(unit, "|_| { troubled::point(); {} }");
        let unknown = Ty::adt("a::B", vec![]);
        let given = last(&[], &unknown, Calls::ManyShared);
        assert_eq!(given, "{ let x = {+}; move || { troubled::point(); x.clone() } }");
        assert_eq!(last(&[], &unknown, Calls::Pointer), "|| troubled::panic()");
    }

    #[test]
    fn an_unknown_output_is_an_argument_of_the_operation() {
        let output = Ty::adt("a::B", vec![]);
        let closures = catalogue(&[], &output, Calls::Once);
        assert_eq!(closures[0].text, "move || {+}");
        assert_eq!(closures[0].extra, Some(output));
    }
}
