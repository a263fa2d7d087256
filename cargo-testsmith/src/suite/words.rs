//! What a regression test is called, where it is filed, and what its comment says.

use super::observe::Observed;
use super::{Filed, Regression};
use std::collections::BTreeSet;
use std::path::Path;
use testsmith_model::outcome::Panic;
use testsmith_model::{Callee, OperationKind, Plan, Sequence, Step};
use testsmith_render::{Style, TestEnding, allowed, name_of, owner_of, short_name, snake};

/// Free functions have no type to be filed under.
const FUNCTIONS: &str = "functions";

/// A test of what was observed.
pub fn regression(plan: &Plan, observed: Observed, sources: &str) -> Regression {
    let Observed { sequence, about, seen, panic } = observed;
    let callee = match sequence.steps().nth(about) {
        Some(Step::Call(op, _)) => plan.operation(*op).callee.clone(),
        _ => Callee::item(""),
    };
    let owner = owner_of(&callee);
    let module = owner.as_deref().map_or(FUNCTIONS.to_owned(), snake);
    let result = seen[about].as_deref().unwrap_or_default();
    let verb = match result {
        _ if panic.is_some() => "panics",
        "true" => "is true",
        "false" => "is false",
        "None" => "gives none",
        text if text.starts_with("Some(") => "gives some",
        text if text.starts_with("Ok(") => "gives ok",
        text if text.starts_with("Err(") => "gives err",
        _ => "",
    };
    let comment = comment(plan, &sequence, about, &callee, result, panic.is_some());
    Regression {
        name: allowed(name_of(plan, &sequence, about, verb)),
        filed: Filed { module: module_name(&module, plan), owner },
        comment,
        ending: match panic {
            None => TestEnding::Open,
            Some(panic) => TestEnding::Panics { expected: own_words(&panic, sources) },
        },
        sequence,
        seen,
        style: Style::Plain,
    }
}

/// A module must not have the name of the crate that it imports from.
fn module_name(owner: &str, plan: &Plan) -> String {
    let name = allowed(owner.to_owned());
    if name == plan.krate { format!("{name}_type") } else { name }
}

/// What a panic says up to its first number or quoted value, if those are words
/// of the crate: the words of the standard library change with its versions.
fn own_words(panic: &Panic, sources: &str) -> Option<String> {
    const MIN_WORDS: usize = 8;
    let end = panic.message.find(|c: char| c.is_ascii_digit() || "\"'`\n{".contains(c));
    let words = panic.message[..end.unwrap_or(panic.message.len())].trim();
    (words.len() >= MIN_WORDS && sources.contains(words)).then(|| words.to_owned())
}

/// All that is written in the crate.
pub fn text_of(folder: &Path) -> String {
    let mut text = String::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
            }
        }
    }
    text
}

/// Results longer than this are read better in the assertion.
const MAX_RESULT: usize = 48;

/// One sentence: what is called, after what, and what comes of it.
fn comment(
    plan: &Plan,
    sequence: &Sequence,
    about: usize,
    callee: &Callee,
    result: &str,
    panics: bool,
) -> String {
    let called = short_name(callee).replacen(' ', "::", 1);
    let mut before: Vec<String> = vec![];
    for step in sequence.steps().take(about) {
        let Step::Call(op, _) = step else { continue };
        let operation = plan.operation(*op);
        let acts = !operation.inputs.is_empty()
            && !matches!(operation.kind, OperationKind::Builder | OperationKind::Constructor);
        let name = operation.callee.name().to_owned();
        if acts && !before.contains(&name) {
            before.push(name);
        }
    }
    let after = match before.as_slice() {
        [] => String::new(),
        names => {
            let last = names.len().saturating_sub(2);
            let shown: Vec<String> = names[last..].iter().map(|name| format!("`{name}`")).collect();
            format!(" after {}", shown.join(" and "))
        }
    };
    let unit = result.is_empty() || result == "()";
    match () {
        () if panics => format!("`{called}` panics{after}, as its documentation says it may."),
        () if unit => format!("What `{called}` leaves{after}."),
        () if result.len() <= MAX_RESULT && !result.contains('`') => {
            format!("`{called}` gives `{result}`{after}.")
        }
        () if result.starts_with("Ok(") => format!("`{called}` succeeds{after}."),
        () if result.starts_with("Err(") => format!("`{called}` gives an error{after}."),
        () => format!("What `{called}` gives{after}."),
    }
}

/// Gives each test a name of its own, with a word more before a number, and none of those that
/// are taken.
pub fn tell_apart(tests: &mut [Regression], plan: &Plan, mut taken: BTreeSet<String>) {
    for test in tests {
        let mut name = test.name.clone();
        if taken.contains(&name) {
            let earlier = test.sequence.steps().filter_map(|step| match step {
                Step::Call(op, _) => Some(plan.operation(*op)),
                Step::Literal(..) => None,
            });
            let acts = earlier.filter(|operation| {
                operation.kind == OperationKind::Inherent && !operation.inputs.is_empty()
            });
            let mut acts = acts.map(|operation| operation.callee.name());
            if let Some(first) = acts.next() {
                name = format!("{}_after_{}", test.name, snake(first));
            }
        }
        let base = name.clone();
        let mut n = 1;
        while !taken.insert(name.clone()) {
            n += 1;
            name = format!("{base}_{n}");
        }
        test.name = name;
    }
}
