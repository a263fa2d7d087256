//! Public functions as puts: each may not panic, whatever it is given.
//!
//! Starts from the operations of the plan, whose types are concrete and whose calls the
//! compiler has accepted. What can be decoded from bytes becomes a parameter; any other
//! value is made by a constructor of its type, and a function gets one put for each.

use std::collections::BTreeSet;

use testsmith_model::api::Api;
use testsmith_model::call::{Placeholder, Treatment, fill};
use testsmith_model::operation::{Input, Mode, Operation, OperationKind};
use testsmith_model::ty::{Arg, Ty};
use testsmith_model::{Call, OpId, Plan, TypeId};

/// More ways to make a receiver are not tried.
const MAX_CONSTRUCTORS: usize = 4;
/// Tuples of more parts are no inputs.
const MAX_TUPLE: usize = 6;
/// The numbers, and what is like them.
const PLAIN: &[&str] = &[
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "bool",
    "char", "f32", "f64",
];

/// What a put does where a value cannot be made: such inputs are not what it is about.
const REFUSE: &str = "testsmith::put::reject()";

/// A function with all that a put needs to call it.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name of its put.
    pub ident: String,
    /// As in the documentation.
    pub path: String,
    /// Where the values come from that are no inputs, in words.
    pub receivers: String,
    /// Names and types.
    pub parameters: Vec<(String, String)>,
    /// Statements over the parameters: `{n}` stands for the n-th.
    pub body: Vec<String>,
    /// What stands before them in a put only: it refuses what preconditions exclude.
    pub guard: Option<String>,
    /// Whether a parameter has no fixed size.
    pub varies: bool,
    pub documented: bool,
}

/// The operations that are functions under test, one for each that the crate has.
pub fn candidates(plan: &Plan) -> Vec<OpId> {
    let mut seen = BTreeSet::new();
    let is_function = |op: &OpId| {
        let operation = plan.operation(*op);
        let kinds = [OperationKind::Free, OperationKind::Inherent, OperationKind::LocalTrait];
        kinds.contains(&operation.kind) && !operation.panics_by_design
    };
    let mut found: Vec<OpId> = plan.op_ids().filter(is_function).collect();
    // The same call with its result taken apart is the same function.
    found.sort_by_key(|op| plan.operation(*op).call.result != Treatment::Kept);
    found.retain(|op| seen.insert(plan.operation(*op).callable));
    found.sort();
    found
}

/// Whether a path is meant by what was asked for, with or without the crate's name.
pub fn is_meant(krate: &str, path: &str, asked: &str) -> bool {
    let plain = |text: &str| {
        let text = text.split_whitespace().collect::<String>();
        text.strip_prefix(&format!("{krate}::")).unwrap_or(&text).to_owned()
    };
    let (path, asked) = (plain(path), plain(asked));
    match asked.strip_suffix('*') {
        Some(start) => path.starts_with(start),
        None => path == asked,
    }
}

/// How values of a type come about.
struct Made {
    statement: String,
    from: String,
}

pub struct Maker<'m> {
    plan: &'m Plan,
    /// Types of the crate that are inputs themselves, by path.
    inputs: BTreeSet<String>,
}

impl<'m> Maker<'m> {
    pub fn new(plan: &'m Plan, api: &Api) -> Maker<'m> {
        let is_input =
            |path: &&String| path.starts_with("testsmith::") && path.ends_with("::Input");
        let impls = api.impls.iter().filter(|(path, _)| is_input(path)).flat_map(|(_, list)| list);
        let inputs = impls.filter_map(|found| found.for_.path().map(str::to_owned)).collect();
        Maker { plan, inputs }
    }

    /// The puts of an operation, or why there is none.
    pub fn functions(&self, op: OpId) -> Result<Vec<Function>, String> {
        let operation = self.plan.operation(op);
        let first = operation.inputs.iter().position(|input| self.parameter(input).is_none());
        let Some(first) = first else { return Ok(vec![self.function(operation, None)?]) };
        let wanted = operation.inputs[first].ty;
        let makers = self.makers_of(wanted);
        if makers.is_empty() {
            let ty = &self.plan.ty(wanted).ty;
            return Err(format!("{ty} is no input, and nothing public makes one of inputs alone"));
        }
        let chosen = makers.into_iter().take(MAX_CONSTRUCTORS);
        chosen.map(|maker| self.function(operation, Some((first, maker)))).collect()
    }

    /// One put; `by` makes the value at that index.
    fn function(
        &self,
        operation: &Operation,
        by: Option<(usize, OpId)>,
    ) -> Result<Function, String> {
        let mut parameters: Vec<(String, String)> = vec![];
        let (mut body, mut from, mut varies) = (vec![], vec![], false);
        let mut arguments = vec![];
        for (index, input) in operation.inputs.iter().enumerate() {
            if let Some((text, varying)) = self.parameter(input) {
                varies |= varying;
                arguments.push(add(&mut parameters, &input.name, text));
                continue;
            }
            let maker = match by {
                Some((at, maker)) if at == index => Some(maker),
                _ => self.makers_of(input.ty).first().copied(),
            };
            let ty = &self.plan.ty(input.ty).ty;
            let Some(maker) = maker.filter(|_| input.mode != Mode::Reborrow) else {
                return Err(format!("{ty} is no input, and nothing public makes one"));
            };
            let name = format!("value_{index}");
            let made = self.made(maker, input.ty, &name, &mut parameters, &mut varies);
            body.push(made.statement);
            from.push(made.from);
            arguments.push(match input.mode {
                Mode::Own | Mode::Reborrow => name,
                Mode::Shared => format!("&{name}"),
                Mode::Exclusive => format!("&mut {name}"),
            });
        }
        body.push(format!("let _ = {};", filled(&template(&operation.call), &arguments)));
        let guard = operation.guard.as_ref().filter(|_| from.is_empty()).map(|guard| {
            let borrowed =
                operation.inputs.iter().zip(&arguments).map(|(input, argument)| match input.mode {
                    Mode::Own => format!("&{argument}"),
                    Mode::Exclusive => format!("&*{argument}"),
                    Mode::Shared | Mode::Reborrow => argument.clone(),
                });
            let asked = filled(&guard.full(), &borrowed.collect::<Vec<_>>());
            format!("if ({asked}).is_err() {{ testsmith::put::reject() }}")
        });
        Ok(Function {
            ident: ident(&operation.path()),
            path: operation.path(),
            receivers: from.join(", "),
            parameters,
            body,
            guard,
            varies,
            documented: operation.docs.panics_section || operation.docs.says_it_panics,
        })
    }

    /// The statement that makes a value by an operation.
    fn made(
        &self,
        maker: OpId,
        ty: TypeId,
        name: &str,
        parameters: &mut Vec<(String, String)>,
        varies: &mut bool,
    ) -> Made {
        let operation = self.plan.operation(maker);
        let mut arguments = vec![];
        for input in &operation.inputs {
            let (text, varying) = self.parameter(input).expect("only such makers are chosen");
            *varies |= varying;
            arguments.push(add(parameters, &input.name, text));
        }
        let call = filled(&template(&operation.call), &arguments);
        let statement = match self.variant(operation.output, ty) {
            Some("") => format!("let mut {name} = {call};"),
            Some(variant) => format!("let {variant}(mut {name}) = {call} else {{ {{!}} }};"),
            None => unreachable!("only operations that give the type are chosen"),
        };
        Made { statement, from: format!("on values made by {}", operation.path()) }
    }

    /// Operations that give a value of a type and take inputs alone, `new` before others.
    fn makers_of(&self, ty: TypeId) -> Vec<OpId> {
        let plan = self.plan;
        let makes = |op: &OpId| {
            let operation = plan.operation(*op);
            let kind = !matches!(
                operation.kind,
                OperationKind::Law | OperationKind::Builder | OperationKind::Projection
            );
            let simple = operation.inputs.iter().all(|input| self.parameter(input).is_some());
            kind && simple
                && operation.flows.is_empty()
                && !operation.panics_by_design
                && self.variant(operation.output, ty).is_some()
        };
        let mut found: Vec<OpId> = plan.op_ids().filter(makes).collect();
        let mut seen = BTreeSet::new();
        found.retain(|op| seen.insert(plan.operation(*op).callable));
        // Whoever takes most reaches most; `new` is what people use.
        found.sort_by_key(|op| {
            let operation = plan.operation(*op);
            (!operation.path().ends_with("::new"), std::cmp::Reverse(operation.inputs.len()))
        });
        found
    }

    /// The variant in which an output holds a type: none is the empty text.
    fn variant(&self, output: TypeId, ty: TypeId) -> Option<&'static str> {
        if output == ty {
            return Some("");
        }
        let (output, ty) = (&self.plan.ty(output).ty, &self.plan.ty(ty).ty);
        let variant = match std_name(output)? {
            "Option" => "Some",
            "Result" => "Ok",
            _ => return None,
        };
        (output.type_arg(0) == Some(ty)).then_some(variant)
    }

    /// The type of a parameter that can be decoded, and whether its size varies.
    fn parameter(&self, input: &Input) -> Option<(String, bool)> {
        let ty = &self.plan.ty(input.ty).ty;
        match (input.mode, ty) {
            (Mode::Own, Ty::Ref { mutable, inner, .. }) => {
                let varies = self.behind(inner)?;
                Some((format!("&{}{inner}", if *mutable { "mut " } else { "" }), varies))
            }
            (Mode::Own, ty) => Some((ty.to_string(), self.owned(ty)?)),
            (Mode::Shared, ty) => Some((format!("&{ty}"), self.behind(ty)?)),
            (Mode::Exclusive, ty) => Some((format!("&mut {ty}"), self.behind(ty)?)),
            (Mode::Reborrow, _) => None,
        }
    }

    /// Whether the target of a reference can be decoded.
    fn behind(&self, ty: &Ty) -> Option<bool> {
        match ty {
            Ty::Prim(name) if name == "str" => Some(true),
            Ty::Slice(inner) => self.owned(inner).map(|_| true),
            ty => self.owned(ty),
        }
    }

    /// Whether a value can be decoded, and then whether its size varies.
    fn owned(&self, ty: &Ty) -> Option<bool> {
        match ty {
            Ty::Prim(name) => PLAIN.contains(&name.as_str()).then_some(false),
            Ty::Tuple(parts) if parts.len() <= MAX_TUPLE => {
                parts.iter().try_fold(false, |varies, part| Some(self.owned(part)? || varies))
            }
            Ty::Array(inner, _) => self.owned(inner),
            Ty::Adt { path, args } => {
                if self.inputs.contains(path) {
                    return Some(true);
                }
                let given: Vec<&Ty> = args.iter().filter_map(Arg::as_type).collect();
                let all = || given.iter().try_fold(false, |any, ty| Some(self.owned(ty)? || any));
                match (std_name(ty)?, given.len()) {
                    ("String", 0) => Some(true),
                    ("Vec" | "VecDeque" | "BTreeSet" | "HashSet", 1) => all().map(|_| true),
                    ("BTreeMap" | "HashMap", 2) => all().map(|_| true),
                    ("Option" | "Box" | "Rc" | "Arc", 1) | ("Result", 2) => all(),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The last word of a type of the standard library.
fn std_name(ty: &Ty) -> Option<&str> {
    let path = ty.path()?;
    let (start, last) = path.rsplit_once("::").unwrap_or(("std", path));
    let of_std = ["std", "core", "alloc"].iter().any(|root| {
        start == *root || start.strip_prefix(root).is_some_and(|rest| rest.starts_with("::"))
    });
    of_std.then_some(last)
}

/// Adds a parameter under a name that is free, and returns what stands for it.
fn add(parameters: &mut Vec<(String, String)>, name: &str, ty: String) -> String {
    let usable = syn::parse_str::<syn::Ident>(name).is_ok() && name != "self" && name != "_";
    let mut name = match usable {
        true => name.to_owned(),
        false if name == "self" => "receiver".to_owned(),
        false => format!("input_{}", parameters.len()),
    };
    while parameters.iter().any(|(other, _)| *other == name) {
        name.push('_');
    }
    parameters.push((name, ty));
    format!("{{{}}}", parameters.len() - 1)
}

/// The call of an operation as people would write its path: `<a::B>::c` is `a::B::c`.
fn template(call: &Call) -> String {
    let (full, mut text) = (call.full(), String::new());
    let mut rest = full.as_str();
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let is_path = |part: &&str| {
            part.contains("::") && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':')
        };
        match after.split_once(">::").filter(|(inner, _)| is_path(inner)) {
            Some((inner, behind)) if !before.ends_with("::") => {
                text.push_str(&format!("{inner}::"));
                rest = behind;
            }
            _ => {
                text.push('<');
                rest = after;
            }
        }
    }
    text + rest
}

/// A call with these arguments; where it does not apply stays open.
fn filled(call: &str, arguments: &[String]) -> String {
    filled_or(call, arguments, "{!}")
}

fn filled_or(call: &str, arguments: &[String], otherwise: &str) -> String {
    fill(call, &mut |placeholder, text| match placeholder {
        Placeholder::Argument(n) | Placeholder::Receiver(n) => text.push_str(&arguments[n]),
        Placeholder::Inapplicable => text.push_str(otherwise),
    })
}

/// A path as a name: `demo::Stack::push` is `stack_push`.
fn ident(path: &str) -> String {
    let path = path.split_once("::").map_or(path, |(_, rest)| rest);
    let letter = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let mut name: String = path.chars().map(letter).collect();
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    format!("of_{}", name.trim_matches('_'))
}

impl Function {
    /// The statements with something in the place of the parameters.
    pub fn body_with(&self, arguments: &[String]) -> String {
        self.body_or(arguments, "return")
    }

    /// The same, with what happens where a value cannot be made.
    fn body_or(&self, arguments: &[String], otherwise: &str) -> String {
        let line =
            |statement: &String| format!("    {}\n", filled_or(statement, arguments, otherwise));
        self.body.iter().map(line).collect()
    }

    /// The function of its puts, and a put for each bound. One line each.
    pub fn source(&self, lens: &[usize]) -> String {
        let typed: Vec<String> =
            self.parameters.iter().map(|(name, ty)| format!("mut {name}: {ty}")).collect();
        let plain: Vec<String> =
            self.parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let names: Vec<String> = self.parameters.iter().map(|(name, _)| name.clone()).collect();
        let guard = self.guard.as_ref().map(|guard| {
            let alone = Function { body: vec![guard.clone()], ..self.clone() };
            alone.body_or(&names, REFUSE)
        });
        let body = guard.unwrap_or_default() + &self.body_or(&names, REFUSE);
        let ident = &self.ident;
        let mut text =
            format!("fn {ident}({}) {{ {} }}", typed.join(", "), body.replace('\n', " "));
        for len in lens {
            text.push_str(&format!(
                " mod {} {{ use testsmith::put; #[put(len = {len})] \
                 fn {ident}({}) {{ super::{ident}({}) }} }}",
                module(ident, *len),
                plain.join(", "),
                names.join(", ")
            ));
        }
        text + "\n"
    }

    /// The statements of a call that the put wrote down.
    pub fn written(&self, call: &str) -> Option<String> {
        let inner = call.strip_prefix(&self.ident)?.strip_prefix('(')?.strip_suffix(')')?;
        let arguments = split(inner);
        (arguments.len() == self.parameters.len()).then(|| self.body_with(&arguments))
    }
}

/// The module of the put with a bound.
pub fn module(ident: &str, len: usize) -> String {
    format!("{ident}_at_{len}")
}

/// Arguments of a call, apart: commas inside brackets and texts do not count.
fn split(arguments: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quote) = (vec![String::new()], 0, None);
    let mut chars = arguments.chars();
    while let Some(next) = chars.next() {
        let last = parts.last_mut().expect("there is always one");
        match (quote, next) {
            (Some(_), '\\') => {
                last.push(next);
                last.extend(chars.next());
                continue;
            }
            (Some(open), _) if open == next => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(next),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            (None, _) => {}
        }
        last.push(next);
    }
    let parts: Vec<String> = parts.into_iter().map(|part| part.trim().to_owned()).collect();
    if parts == [""] { vec![] } else { parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_where_calls_have_commas() {
        let parts = split(r#"vec![1, 2], "a, \"b\"", ',', (1, 2), String::from("x)")"#);
        assert_eq!(
            parts,
            ["vec![1, 2]", r#""a, \"b\"""#, "','", "(1, 2)", r#"String::from("x)")"#]
        );
        assert!(split("").is_empty());
    }

    #[test]
    fn plain_paths_lose_their_brackets() {
        let text = |full: &str| template(&Call::template(full, full));
        assert_eq!(text("<a::B>::c({0})"), "a::B::c({0})");
        assert_eq!(text("<a::B<u8>>::c({0})"), "<a::B<u8>>::c({0})");
        assert_eq!(text("<a::B as a::T>::c({0})"), "<a::B as a::T>::c({0})");
        assert_eq!(text("a::f::<i16>({0} < {1})"), "a::f::<i16>({0} < {1})");
        assert_eq!(text("a::f::<a::B>::g()"), "a::f::<a::B>::g()");
    }

    #[test]
    fn paths_are_meant_with_or_without_the_crate_and_by_patterns() {
        assert!(is_meant("demo", "demo::deep::first", "deep::first"));
        assert!(is_meant("demo", "demo::deep::first", "demo::deep::first"));
        assert!(is_meant("demo", "demo::deep::first", "deep::*"));
        assert!(!is_meant("demo", "demo::deeper::first", "deep::*"));
        assert!(!is_meant("demo", "demo::deep::first", "first"));
    }

    #[test]
    fn a_put_calls_the_function_with_its_parameters() {
        let function = Function {
            ident: "of_stack_push".to_owned(),
            path: "demo::Stack::push".to_owned(),
            receivers: "on values made by demo::Stack::new".to_owned(),
            parameters: vec![
                ("limit".to_owned(), "usize".to_owned()),
                ("text".to_owned(), "&str".to_owned()),
            ],
            body: vec![
                "let Some(mut value_0) = demo::Stack::new({0}) else { {!} };".to_owned(),
                "let _ = demo::Stack::push(&mut value_0, {1});".to_owned(),
            ],
            guard: None,
            varies: true,
            documented: false,
        };
        let source = function.source(&[2]);
        assert!(source.contains("mod of_stack_push_at_2 {"), "{source}");
        assert!(source.contains("demo::Stack::push(&mut value_0, text)"), "{source}");
        assert!(source.contains("else { testsmith::put::reject() };"), "{source}");
        assert_eq!(source.lines().count(), 1);
        let written = function.written(r#"of_stack_push(3, "a, b")"#).expect("it is a call");
        assert_eq!(
            written,
            "    let Some(mut value_0) = demo::Stack::new(3) else { return };\n    \
             let _ = demo::Stack::push(&mut value_0, \"a, b\");\n"
        );
    }
}
