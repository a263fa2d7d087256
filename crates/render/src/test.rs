//! Failing sequences as tests that a person would not mind in a pull request:
//! names taken from types, literals where they are used, one comment that says
//! what was found and why it counts.

use crate::literal::literal;
use crate::statements::{mark, must_be_dropped};
use std::collections::HashMap;
use testsmith_model::operation::{Mode, Operation, OperationKind, Placeholder};
use testsmith_model::ty::Ty;
use testsmith_model::{Loans, Plan, Sequence, Step};

/// A test to be written down.
pub struct Test<'t> {
    pub name: String,
    /// What was found and why it counts; one line each.
    pub comment: Vec<String>,
    pub sequence: &'t Sequence,
    /// What the last value has to look like, where the test is about that.
    pub shows: Option<String>,
    /// Why the test cannot be run with others, if it ends the process.
    pub ignored: Option<String>,
}

/// A whole file of tests. It has no dependency but the crate under test.
pub fn test_file(plan: &Plan, tests: &[Test]) -> String {
    let mut text = String::from("#![allow(unused_mut, unused_variables, clippy::all)]\n");
    let bodies: Vec<String> = tests.iter().map(|test| function(plan, test)).collect();
    if bodies.iter().any(|body| body.contains("hash_of(")) {
        text.push_str(HASH_OF);
    }
    for body in bodies {
        text.push('\n');
        text.push_str(&body);
    }
    text
}

const HASH_OF: &str = "
fn hash_of<T: std::hash::Hash>(value: &T) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
";

fn function(plan: &Plan, test: &Test) -> String {
    let mut text = String::new();
    for line in &test.comment {
        text.push_str(&format!("/// {line}\n"));
    }
    text.push_str("#[test]\n");
    if let Some(why) = &test.ignored {
        text.push_str(&format!("#[ignore = {why:?}]\n"));
    }
    text.push_str(&format!("fn {}() {{\n", test.name));
    for line in Writer::new(plan, test.sequence, test.shows.as_deref()).lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text.push_str("}\n");
    text
}

/// A name for the test of a failure: the operation and what it does.
pub fn name_of(plan: &Plan, sequence: &Sequence, step: usize, what: &str) -> String {
    let path = match sequence.steps().nth(step) {
        Some(Step::Call(op, _)) => plan.operation(*op).path.clone(),
        _ => "a literal".to_owned(),
    };
    // Of `a::b::Shelf::put` the last two words say enough.
    let short = match path.split_once(", for ") {
        Some((law, ty)) => format!("{} {law}", last_word(ty)),
        None => {
            let plain = path.replace(['<', '>', '&', '(', ')', ','], " ");
            let parts: Vec<&str> = plain.split("::").collect();
            parts[parts.len().saturating_sub(2)..].join(" ")
        }
    };
    snake(&format!("{short} {what}"))
}

fn last_word(path: &str) -> String {
    let head = path.split('<').next().unwrap_or(path);
    head.rsplit("::").next().unwrap_or(head).to_owned()
}

fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut lower = false;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && lower {
                out.push('_');
            }
            lower = c.is_ascii_lowercase() || c.is_ascii_digit();
            out.push(c.to_ascii_lowercase());
        } else {
            lower = false;
            if !out.ends_with('_') && !out.is_empty() {
                out.push('_');
            }
        }
    }
    out.trim_matches('_').to_owned()
}

/// Writes the statements of one test.
struct Writer<'w> {
    plan: &'w Plan,
    steps: Vec<&'w Step>,
    names: Vec<String>,
    /// Literals that are written where they are used.
    inline: Vec<Option<String>>,
    used: Vec<usize>,
    shows: Option<&'w str>,
}

impl<'w> Writer<'w> {
    fn new(plan: &'w Plan, sequence: &'w Sequence, shows: Option<&'w str>) -> Writer<'w> {
        let steps: Vec<&Step> = sequence.steps().collect();
        let mut writer = Writer {
            plan,
            names: names(plan, &steps),
            inline: vec![None; steps.len()],
            used: vec![0; steps.len()],
            steps,
            shows,
        };
        writer.find_inline();
        writer
    }

    fn args(&self, here: usize) -> Vec<u32> {
        match self.steps[here] {
            Step::Call(_, back) => back.iter().map(|distance| here as u32 - distance).collect(),
            Step::Literal(..) => vec![],
        }
    }

    /// A literal is written in place unless somebody needs it as a variable.
    fn find_inline(&mut self) {
        let mut needs_variable = vec![false; self.steps.len()];
        for here in 0..self.steps.len() {
            let Step::Call(op, _) = self.steps[here] else { continue };
            let operation = self.plan.operation(*op);
            let receiver = operation.show.contains("{.");
            for (n, arg) in self.args(here).into_iter().enumerate() {
                let input = &operation.inputs[n];
                self.used[arg as usize] += 1;
                let as_receiver = receiver && operation.show.contains(&format!("{{.{n}}}"));
                let borrows = !operation.flows.is_empty() && input.mode == Mode::Shared;
                needs_variable[arg as usize] |= as_receiver
                    || borrows
                    || matches!(input.mode, Mode::Exclusive | Mode::Reborrow);
            }
        }
        for (here, needed) in needs_variable.into_iter().enumerate() {
            if let Step::Literal(ty, value) = self.steps[here] {
                let info = self.plan.ty(*ty);
                let repeatable = info.abilities.copy || self.used[here] == 1;
                if repeatable && !needed {
                    self.inline[here] = Some(literal(&info.ty, value));
                }
            }
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut loans = Loans::default();
        let mut lines = vec![];
        for here in 0..self.steps.len() {
            match self.steps[here] {
                Step::Literal(ty, value) => {
                    loans.push(*ty);
                    if self.inline[here].is_none() {
                        let ty = &self.plan.ty(*ty).ty;
                        let text = literal(ty, value);
                        lines.push(format!("let mut {}: {ty} = {text};", self.names[here]));
                    }
                }
                Step::Call(op, _) => {
                    let args = self.args(here);
                    let signature = self.plan.signature(*op);
                    let ended = loans.access(&signature, &args).unwrap_or(&[]).to_vec();
                    lines.extend(self.drops(&loans, &ended));
                    lines.push(self.call(&loans, self.plan.operation(*op), &args, here));
                    loans.commit(&signature, &args);
                }
            }
        }
        let last = loans.close_scope();
        lines.extend(self.drops(&loans, &last));
        lines
    }

    fn drops(&self, loans: &Loans, ended: &[u32]) -> Vec<String> {
        let each = |slot: &u32| format!("drop({});", self.names[*slot as usize]);
        ended.iter().filter(|slot| must_be_dropped(self.plan, loans, **slot)).map(each).collect()
    }

    fn call(&self, loans: &Loans, operation: &Operation, args: &[u32], here: usize) -> String {
        let text = Operation::fill(&operation.show, &mut |placeholder, text| match placeholder {
            Placeholder::Inapplicable => text.push_str("panic!(\"another variant\")"),
            Placeholder::Receiver(n) => text.push_str(&self.names[args[n] as usize]),
            Placeholder::Argument(n) => {
                let slot = args[n];
                let mark = mark(self.plan, loans, &operation.inputs[n], slot);
                let value = match &self.inline[slot as usize] {
                    Some(text) => text,
                    None => &self.names[slot as usize],
                };
                text.push_str(&format!("{mark}{value}"));
            }
        });
        if operation.kind == OperationKind::Law {
            let name = operation.path.split(", for ").next().unwrap_or_default();
            return format!("assert!({text}, \"{name}\");");
        }
        if let Some(shows) = self.shows.filter(|_| here + 1 == self.steps.len()) {
            return format!("assert_eq!(format!(\"{{:?}}\", {text}), {shows:?});");
        }
        let ty = &self.plan.ty(operation.output).ty;
        if ty.is_unit() || (self.used[here] == 0 && here + 1 == self.steps.len()) {
            return format!("{text};");
        }
        format!("let mut {}: {ty} = {text};", self.names[here])
    }
}

/// Words that cannot name a variable, and names that would hide something.
const TAKEN: [&str; 24] = [
    "as", "box", "break", "const", "crate", "dyn", "else", "enum", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "mod", "move", "mut", "ref", "self", "static", "type", "use",
];

/// A value is named after its type, with a number from the second one on.
fn names(plan: &Plan, steps: &[&Step]) -> Vec<String> {
    let mut count: HashMap<String, usize> = HashMap::new();
    steps
        .iter()
        .map(|step| {
            let ty = match step {
                Step::Literal(ty, _) => *ty,
                Step::Call(op, _) => plan.operation(*op).output,
            };
            let base = base_name(&plan.ty(ty).ty);
            let n = count.entry(base.clone()).or_default();
            *n += 1;
            if *n == 1 { base } else { format!("{base}_{n}") }
        })
        .collect()
}

fn base_name(ty: &Ty) -> String {
    let name = match ty {
        Ty::Adt { path, .. } => snake(&last_word(path)),
        Ty::Prim(name) if name == "bool" => "flag".to_owned(),
        Ty::Prim(name) if name == "char" => "letter".to_owned(),
        Ty::Prim(name) if name == "str" => "text".to_owned(),
        Ty::Prim(_) => "number".to_owned(),
        Ty::Ref { inner, .. } => base_name(inner),
        Ty::Slice(_) => "slice".to_owned(),
        Ty::Array(..) => "array".to_owned(),
        Ty::Tuple(items) if items.is_empty() => "unit".to_owned(),
        Ty::Tuple(_) => "pair".to_owned(),
        _ => "value".to_owned(),
    };
    if TAKEN.contains(&name.as_str()) || name.is_empty() { format!("a_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_snake_case() {
        assert_eq!(snake("IndexMap swap_remove panics"), "index_map_swap_remove_panics");
        assert_eq!(snake("equal values have equal hashes"), "equal_values_have_equal_hashes");
        assert_eq!(base_name(&Ty::adt("a::BitVec", vec![])), "bit_vec");
        assert_eq!(base_name(&Ty::adt("a::Match", vec![])), "a_match");
    }
}
