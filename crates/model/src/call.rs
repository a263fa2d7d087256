//! How a call is written, in parts, and its text for the compiler.
//!
//! The text for people is made where tests are written; it starts from the
//! same parts. Inside arguments and templates `{n}` is the n-th argument of the
//! operation, `{.n}` the same as a receiver, and `{!}` is where the operation
//! does not apply to its argument.

use crate::api::Shape;
use crate::ty::{TraitRef, Ty};

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Call {
    pub form: Form,
    /// What stands in the parentheses.
    pub args: Vec<String>,
    /// The closures of the catalogue among the arguments.
    pub closures: Vec<ClosureKind>,
    /// It stands in an `unsafe` block, because the user asked for it.
    pub in_unsafe: bool,
    pub result: Treatment,
}

/// What is called, with the types that were chosen for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Form {
    /// `path::<generics>(…)`
    Function { path: String, generics: Vec<String> },
    /// `<Type>::name::<generics>(…)`; a method can be called on its first argument.
    Member { of: Ty, name: String, generics: Vec<String>, method: bool },
    /// `<Type as Trait>::name::<generics>(…)`, or `Trait::name(…)` without a type.
    TraitMember { of: Option<Ty>, trait_: TraitRef, name: String, generics: Vec<String> },
    /// `Path { a: …, b: … }`, `Path(…)` or `Path`.
    Constructor { path: String, fields: Vec<String>, shape: Shape },
    /// Takes a field of a variant out of an enum.
    Projection { variant: String, field: String, shape: Shape },
    /// `&value.name`
    Field(String),
    /// `PATH`, or `&PATH` for a static.
    Constant { path: String, by_reference: bool },
    /// `<Type>::NAME`
    MemberConstant { of: Ty, name: String },
    /// `format!("{:?}", …)`, with what stands after the colon.
    Format(String),
    /// A row of a table: for the compiler, and as a person would write it. In
    /// both `{call}` is the call that it is about.
    Template { full: String, show: String, about: Option<Box<Call>> },
}

/// A closure that is handed to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClosureKind {
    /// It does nothing, or says yes or no.
    Harmless,
    /// It answers with a value, or changes one, which may not fit.
    Answers,
    /// So it does, but with what it was given or always with the same, so that it never
    /// contradicts itself.
    Steady,
}

/// What is done with what the call gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Treatment {
    #[default]
    Kept,
    /// It has no name we could write, but it is an iterator.
    Boxed,
    /// It has no name we could write, but it can be shown.
    Displayed,
    /// It has no name we could write.
    Dropped,
    /// The call writes to a formatter; the text is what counts.
    Formatted,
    Unwrapped(Unwrap),
    /// It is a future, which is polled until it is ready, or has been often enough.
    Awaited,
    /// Further methods are called on it.
    Followed(String),
    /// The call is interrupted by a panic of the test's own code, which is caught: what was
    /// done to its result otherwise, and which argument says how often that code is called
    /// back before.
    Interrupted {
        otherwise: Box<Treatment>,
        times: usize,
    },
}

/// What is taken out of an option or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unwrap {
    Some,
    Ok,
    Err,
}

impl Call {
    pub fn new(form: Form, args: Vec<String>) -> Call {
        Call { form, args, closures: vec![], in_unsafe: false, result: Treatment::Kept }
    }

    /// A row of a table, as the compiler takes it and as a person would write it.
    pub fn template(full: &str, show: &str) -> Call {
        let (full, show) = (full.to_owned(), show.to_owned());
        Call::new(Form::Template { full, show, about: None }, vec![])
    }

    /// Whether any closure of ours takes part in it.
    pub fn has_closures(&self) -> bool {
        !self.closures.is_empty() || self.result == Treatment::Formatted
    }

    /// Whether it moves a part out of its argument, which takes the rest along: a tuple's or
    /// a variant's.
    pub fn takes_a_part(&self) -> bool {
        match &self.form {
            Form::Projection { .. } => true,
            Form::Template { full, .. } => {
                full.strip_prefix("{0}.").is_some_and(|part| part.parse::<usize>().is_ok())
            }
            _ => false,
        }
    }

    /// Fully qualified: the text that the compiler judges and builds.
    pub fn full(&self) -> String {
        self.result.full(&self.in_its_block(self.full_form()))
    }

    /// The form of the call, however it is written, in the block that it needs.
    pub fn in_its_block(&self, form: String) -> String {
        if self.in_unsafe { format!("unsafe {{ {form} }}") } else { form }
    }

    fn full_form(&self) -> String {
        let args = self.args.join(", ");
        match &self.form {
            Form::Function { path, generics } => format!("{path}{}({args})", turbofish(generics)),
            Form::Member { of, name, generics, .. } => {
                format!("<{of}>::{name}{}({args})", turbofish(generics))
            }
            Form::TraitMember { of, trait_, name, generics } => {
                let generics = turbofish(generics);
                match of {
                    Some(of) => format!("<{of} as {trait_}>::{name}{generics}({args})"),
                    None => format!("{trait_}::{name}{generics}({args})"),
                }
            }
            Form::Constructor { path, fields, shape } => match shape {
                Shape::Unit => path.clone(),
                Shape::Tuple => format!("{path}({args})"),
                Shape::Named => {
                    let pair = |(name, arg): (&String, &String)| format!("{name}: {arg}");
                    let pairs: Vec<String> = fields.iter().zip(&self.args).map(pair).collect();
                    format!("{path} {{ {} }}", pairs.join(", "))
                }
            },
            Form::Projection { variant, field, shape } => {
                let pattern = match (shape, field.parse::<usize>()) {
                    (Shape::Tuple, Ok(n)) => format!("{variant}({}x, ..)", "_, ".repeat(n)),
                    _ => format!("{variant} {{ {field}: x, .. }}"),
                };
                // An enum with one variant makes the last arm unreachable, which is fine.
                let other = "#[allow(unreachable_patterns)] _ => {!}";
                format!("match {args} {{ {pattern} => x, {other} }}")
            }
            Form::Field(name) => format!("&{args}.{name}"),
            Form::Constant { path, by_reference } => {
                format!("{}{path}", if *by_reference { "&" } else { "" })
            }
            Form::MemberConstant { of, name } => format!("<{of}>::{name}"),
            Form::Format(spec) if spec.is_empty() => format!("format!(\"{{}}\", {args})"),
            Form::Format(spec) => format!("format!(\"{{:{spec}}}\", {args})"),
            Form::Template { full, about: Some(about), .. } => {
                full.replace("{call}", &about.full())
            }
            Form::Template { full, about: None, .. } => full.clone(),
        }
    }

    /// The text for the compiler, over parameters `a0`, `a1` …
    pub fn on_parameters(&self, inapplicable: &str) -> String {
        fill(&self.full(), &mut |placeholder, text| match placeholder {
            Placeholder::Argument(n) | Placeholder::Receiver(n) => text.push_str(&format!("a{n}")),
            Placeholder::Inapplicable => text.push_str(inapplicable),
        })
    }
}

impl Treatment {
    /// The call with what is done to its result, for the compiler.
    pub fn full(&self, call: &str) -> String {
        match self {
            Treatment::Kept => call.to_owned(),
            Treatment::Boxed => format!("Box::new({call})"),
            Treatment::Displayed => format!("({call}).to_string()"),
            Treatment::Dropped => format!("drop({call})"),
            // `format!` panics where the call gives an error, which it may.
            Treatment::Formatted => format!(
                "{{ let mut text = String::new(); \
                 match std::fmt::Write::write_fmt(&mut text, \
                 format_args!(\"{{}}\", std::fmt::from_fn(|formatter| {call}))) \
                 {{ Ok(()) => text, Err(_) => {{!}} }} }}"
            ),
            Treatment::Unwrapped(Unwrap::Some) => {
                format!("match {call} {{ Some(x) => x, None => {{!}} }}")
            }
            Treatment::Unwrapped(Unwrap::Ok) => {
                format!("match {call} {{ Ok(x) => x, Err(_) => {{!}} }}")
            }
            Treatment::Unwrapped(Unwrap::Err) => {
                format!("match {call} {{ Ok(_) => {{!}}, Err(x) => x }}")
            }
            Treatment::Awaited => format!(
                "{{ let mut future = std::pin::pin!({call}); \
                 let mut context = std::task::Context::from_waker(std::task::Waker::noop()); \
                 let mut polls = 0; \
                 loop {{ match std::future::Future::poll(future.as_mut(), &mut context) {{ \
                 std::task::Poll::Ready(x) => break x, \
                 std::task::Poll::Pending if polls < {MAX_POLLS} => polls += 1, \
                 std::task::Poll::Pending => {{!}} }} }} }}"
            ),
            Treatment::Followed(methods) => format!("{call}{methods}"),
            Treatment::Interrupted { otherwise, times } => {
                interrupted(&otherwise.full(call), *times)
            }
        }
    }
}

/// A call as one that is interrupted.
pub fn interrupted(call: &str, times: usize) -> String {
    format!("troubled::after({{{times}}}, || {{ let _ = {call}; }})")
}

/// Nothing else runs while a future is polled, so what it waits for does not come about by
/// waiting. A few polls see through those that only give way to others.
pub const MAX_POLLS: usize = 16;

/// `::<A, B>`, or nothing.
pub fn turbofish(generics: &[String]) -> String {
    if generics.is_empty() { String::new() } else { format!("::<{}>", generics.join(", ")) }
}

/// What stands in braces in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    Argument(usize),
    Receiver(usize),
    Inapplicable,
}

impl Placeholder {
    fn parse(text: &str) -> Option<Placeholder> {
        if text == "!" {
            return Some(Placeholder::Inapplicable);
        }
        match text.strip_prefix('.') {
            Some(number) => number.parse().ok().map(Placeholder::Receiver),
            None => text.parse().ok().map(Placeholder::Argument),
        }
    }
}

/// Writes a template with `put` in the place of its placeholders.
pub fn fill(template: &str, put: &mut dyn FnMut(Placeholder, &mut String)) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let close = rest[open..].find('}').map(|n| open + n);
        let inner = close.map(|close| &rest[open + 1..close]);
        match inner.and_then(Placeholder::parse) {
            Some(placeholder) => {
                text.push_str(&rest[..open]);
                put(placeholder, &mut text);
                rest = &rest[close.expect("parsed") + 1..];
            }
            None => {
                text.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: Form, args: &[&str], full: &str) {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        assert_eq!(Call::new(form, args).full(), full);
    }

    #[test]
    fn a_template_keeps_braces_that_are_not_placeholders() {
        let template = "match {0} { Some(x) => x, _ => {!} }";
        let text = fill(template, &mut |placeholder, text| match placeholder {
            Placeholder::Argument(n) => text.push_str(&format!("a{n}")),
            Placeholder::Receiver(_) => unreachable!(),
            Placeholder::Inapplicable => text.push_str("return"),
        });
        assert_eq!(text, "match a0 { Some(x) => x, _ => return }");
    }

    #[test]
    fn every_form_has_its_text() {
        let (path, name) = ("a::Shelf".to_owned(), "put".to_owned());
        let of = Ty::adt("a::Shelf", vec![Ty::prim("u8")]);
        let generics = vec!["i8".to_owned()];
        let fields = vec!["a".to_owned(), "b".to_owned()];
        let trait_ = TraitRef::new("a::Put", vec![]);
        let constructor =
            |shape| Form::Constructor { path: path.clone(), fields: fields.clone(), shape };
        check(constructor(Shape::Named), &["{0}", "{1}"], "a::Shelf { a: {0}, b: {1} }");
        check(constructor(Shape::Tuple), &["{0}", "{1}"], "a::Shelf({0}, {1})");
        check(constructor(Shape::Unit), &[], "a::Shelf");
        let function = Form::Function { path: path.clone(), generics: generics.clone() };
        check(function, &["{0}"], "a::Shelf::<i8>({0})");
        let member =
            Form::Member { of: of.clone(), name: name.clone(), generics: vec![], method: true };
        check(member, &["{0}"], "<a::Shelf<u8>>::put({0})");
        let trait_member = |of| Form::TraitMember {
            of,
            trait_: trait_.clone(),
            name: name.clone(),
            generics: generics.clone(),
        };
        check(trait_member(Some(of)), &["{0}"], "<a::Shelf<u8> as a::Put>::put::<i8>({0})");
        check(trait_member(None), &["{0}"], "a::Put::put::<i8>({0})");
        check(Form::Format("?".into()), &["{0}"], "format!(\"{:?}\", {0})");
        check(Form::Format(String::new()), &["{0}"], "format!(\"{}\", {0})");
        let second =
            Form::Projection { variant: "a::E::V".into(), field: "1".into(), shape: Shape::Tuple };
        let taken = "match {0} { a::E::V(_, x, ..) => x, #[allow(unreachable_patterns)] _ => {!} }";
        check(second, &["{0}"], taken);
    }
}
