//! The regression suite: few legal sequences that reach much, with what was
//! observed of them, named and told apart.
//!
//! Decides what is worth keeping. Writing it down and compiling it is the work
//! of `emit`.

mod candidates;
mod choose;
mod observe;
mod vary;

use crate::emit::Emitted;
use crate::pipeline::Session;
use anyhow::Result;
use candidates::{Derived, Gatherer, Points};
use observe::{Observed, observe_all, with_queries};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::time::Duration;
use testsmith_lab::Supervisor;
use testsmith_model::outcome::Panic;
use testsmith_model::{Callee, OpId, OperationKind, Plan, Sequence, Step};
use testsmith_render::{
    Style, Test, TestEnding, allowed, name_of, owner_of, short_name, snake, test_function,
};

/// A test of what the crate does now.
#[derive(Clone)]
pub struct Regression {
    pub name: String,
    /// The file that it belongs to: the type that it is about.
    pub module: String,
    /// That type; none for a free function.
    pub owner: Option<String>,
    pub comment: String,
    pub sequence: Sequence,
    pub seen: Vec<Option<String>>,
    pub ending: TestEnding,
    pub style: Style,
}

impl Emitted for Regression {
    fn test(&self) -> Test<'_> {
        Test {
            name: self.name.clone(),
            comment: vec![self.comment.clone()],
            sequence: &self.sequence,
            ending: self.ending.clone(),
            seen: &self.seen,
            style: self.style,
        }
    }

    fn set_style(&mut self, style: Style) {
        self.style = style;
    }
}

/// A suite before it was compiled.
#[derive(Default)]
pub struct Suite {
    pub tests: Vec<Regression>,
    /// Sequences that did not always end in the same way.
    pub unsteady: usize,
    /// Lines of the crate that the chosen sequences cover.
    pub lines: usize,
}

/// Free functions have no type to be filed under.
const FUNCTIONS: &str = "functions";

/// What suite is wanted.
pub struct Wish<'w> {
    pub seed: u64,
    /// At most so many tests.
    pub most: usize,
    pub excluded: &'w [OpId],
    /// How long gathering, tracing and choosing may take, each; all the time they need where
    /// the suite has to be the same each time.
    pub time: Option<Duration>,
}

/// Chooses sequences and observes them.
pub fn make(
    session: &Session,
    harness: &Path,
    mut supervisor: Supervisor,
    wish: &Wish,
) -> Result<Suite> {
    let plan = &*session.plan;
    let derived = Derived::new(plan);
    let sources = &session.package.sources;
    let points = Points::read(&mut supervisor, harness, sources, &derived)?;
    let mut gatherer =
        Gatherer { supervisor: &mut supervisor, plan, points: &points, derived: &derived, wish };
    let candidates = gatherer.gather()?;
    let chosen = gatherer.choose(&candidates)?;
    let reached: HashSet<u32> =
        chosen.iter().flat_map(|candidate| candidate.points.iter().copied()).collect();
    let mut sequences = vec![];
    for candidate in &chosen {
        let about = candidate.sequence.len() - 1;
        let longer = match candidate.panics {
            true => candidate.sequence.clone(),
            false => with_queries(&mut supervisor, plan, &candidate.sequence)?,
        };
        sequences.push((longer, about));
    }
    let observed = observe_all(&mut supervisor, plan, &sequences)?;
    let all = observed.len();
    let sources = text_of(&session.package.sources);
    let mut tests: Vec<Regression> = observed
        .into_iter()
        .flatten()
        .map(|observed| regression(plan, observed, &sources))
        .collect();
    let unsteady = all - tests.len();
    // Without an assertion a test says no more than that nothing panics.
    tests.retain(|test| {
        test.ending != TestEnding::Open || test_function(plan, &test.test()).contains("assert")
    });
    tell_apart(&mut tests, plan);
    tests.sort_by(|a, b| (&a.module, &a.name).cmp(&(&b.module, &b.name)));
    Ok(Suite { tests, unsteady, lines: points.lines(&reached) })
}

fn regression(plan: &Plan, observed: Observed, sources: &str) -> Regression {
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
        module: module_name(&module, plan),
        owner,
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
fn text_of(folder: &Path) -> String {
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

/// Gives each test a name of its own, with a word more before a number.
fn tell_apart(tests: &mut [Regression], plan: &Plan) {
    let mut taken = BTreeSet::new();
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
