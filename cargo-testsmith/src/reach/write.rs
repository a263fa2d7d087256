//! Writes the calls that lead to a state as tests.
//!
//! A test makes the calls, asserts what the queries answer then, and makes the call that they
//! were for. It goes the way of all tests: compiled and run before it is kept, in a file that
//! is ours until somebody edits it. Tests of other goals in that file stay.

use super::native::{End, Native};
use crate::args::Reach;
use crate::emit::{
    Destination, Emitted, Expected, LeftOut, TestSource, Tree, Written, merged, verify,
};
use crate::pipeline::Session;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use testsmith_lab::format;
use testsmith_model::{Plan, Sequence};
use testsmith_reach::{FnId, Goal};
use testsmith_render::{Style, Test, TestEnding, snake, test_file, test_function};

/// The target of the file.
const TARGET: &str = "testsmith_reach";
/// Characters of a name.
const MAX_NAME: usize = 70;

const NOTHING: &str = "none of its queries can be asserted, and neither can its result";
const SHORT: &str = "its calls and queries do not end well together";

/// A state as a test.
pub(super) struct Witness {
    name: String,
    comment: String,
    sequence: Sequence,
    /// By step, what a query answered.
    seen: Vec<Option<String>>,
    style: Style,
}

impl Emitted for Witness {
    fn test(&self) -> Test<'_> {
        Test {
            name: self.name.clone(),
            comment: vec![self.comment.clone()],
            sequence: &self.sequence,
            ending: TestEnding::Open,
            seen: &self.seen,
            style: self.style,
        }
    }

    fn set_style(&mut self, style: Style) {
        self.style = style;
    }

    fn expected(&self) -> Expected {
        Expected::Passes
    }
}

/// What became of the tests.
#[derive(Default)]
pub(super) struct Made {
    pub(super) file: Option<(PathBuf, Written)>,
    pub(super) tests: Vec<String>,
    pub(super) left_out: Vec<LeftOut>,
}

/// Tests on their way, each with a name of its own.
#[derive(Default)]
pub(super) struct Witnesses {
    all: Vec<Witness>,
    left_out: Vec<LeftOut>,
    taken: BTreeSet<String>,
}

impl Witnesses {
    /// Adds the test of a state that was reached.
    pub(super) fn add(
        &mut self,
        native: &mut Native<'_>,
        (goal, function): (&Goal, Option<FnId>),
        state: &super::answer::State,
    ) -> Result<()> {
        let name = self.name(goal, function);
        let out = |why: &str| LeftOut { name: name.clone(), why: why.to_owned() };
        if let End::Failed(why) = &state.shown.end {
            self.left_out.push(out(&format!("the call fails there: {why}")));
            return Ok(());
        }
        let Some((sequence, seen)) = native.witness((&state.found, state.own), function)? else {
            self.left_out.push(out(SHORT));
            return Ok(());
        };
        let clauses: Vec<&str> = goal.clauses.iter().map(|clause| clause.text.as_str()).collect();
        let comment = format!("Reaches `{}`.", one_line(&clauses.join(" && ")));
        let witness = Witness { name, comment, sequence, seen, style: Style::default() };
        let text = test_function(native.plan, &witness.test());
        match text.contains("assert") {
            true => self.all.push(witness),
            false => self.left_out.push(LeftOut { name: witness.name, why: NOTHING.to_owned() }),
        }
        Ok(())
    }

    /// A name that is the same in the next run.
    fn name(&mut self, goal: &Goal, function: Option<FnId>) -> String {
        let mut words = vec!["reaches".to_owned()];
        words.extend(goal.of.split("::").map(snake));
        if function.is_none() {
            let clauses = goal.clauses.iter().map(|clause| clause.text.as_str());
            let text = clauses.collect::<Vec<&str>>().join(" ").replace('!', " not ");
            let asked = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.extend(asked.filter(|word| !word.is_empty()).map(snake));
        }
        let mut base = words.join("_");
        base.truncate(base.char_indices().nth(MAX_NAME).map_or(base.len(), |(at, _)| at));
        let base = base.trim_end_matches('_').to_owned();
        let mut name = base.clone();
        let mut n = 1;
        while !self.taken.insert(name.clone()) {
            n += 1;
            name = format!("{base}_{n}");
        }
        name
    }

    /// Compiles them, runs them, and writes those that pass.
    pub(super) fn write(self, options: &Reach, session: &Session) -> Result<Made> {
        let Witnesses { all: mut tests, left_out, .. } = self;
        let mut made = Made { left_out, ..Made::default() };
        let folder = match &options.target.krate {
            Some(_) => session.lab.root().join("tests"),
            None => session.package.root.join("tests"),
        };
        let file = folder.join(format!("{TARGET}.rs"));
        let mut tree = Tree::default();
        tree.place(file.clone());
        if tests.is_empty() {
            return Ok(made);
        }
        let earlier = tree.existing()?.remove(&file);
        session.console.say(&format!("checking {} tests in fresh processes", tests.len()));
        let compose = |tests: &[&Test]| {
            let new = text(&session.plan, tests);
            let text = earlier.as_deref().and_then(|earlier| merged(earlier, &new)).unwrap_or(new);
            BTreeMap::from([(TARGET.to_owned(), text)])
        };
        let lints = "deny(warnings)";
        let to = Destination { compose: &compose, folder: None, lints, until: None };
        let mut verified = verify(&session.lab, &mut tests, &to)?;
        made.left_out.append(&mut verified.left_out);
        if let (Some(text), false) = (verified.files.remove(TARGET), tests.is_empty()) {
            // In which order they stand is no reason to write them again.
            if earlier.as_deref().is_some_and(|earlier| same_tests(earlier, &text)) {
                made.file = Some((file, Written::Same));
            } else {
                tree.want(file, text);
                made.file = tree.write()?.into_iter().next();
            }
        }
        made.tests = tests.into_iter().map(|test| test.name).collect();
        Ok(made)
    }
}

impl Made {
    /// What is told of it.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![];
        if let Some((path, written)) = &self.file {
            let path = path.display();
            lines.push(match written {
                Written::Kept => format!(
                    "{path} was edited, so it stays as it is; {} tests are not written",
                    self.tests.len()
                ),
                Written::Same => format!("{path} has these {} tests already", self.tests.len()),
                _ => format!("wrote {} tests to {path}", self.tests.len()),
            });
        }
        let left_out = self.left_out.iter();
        lines.extend(left_out.map(|LeftOut { name, why }| format!("left out: {name}: {why}")));
        lines
    }
}

/// Whether two files hold the same tests.
fn same_tests(one: &str, other: &str) -> bool {
    let tests = |text: &str| -> Option<BTreeMap<String, String>> {
        let source = TestSource::read(text).ok()?;
        Some(
            source.tests.into_iter().map(|test| (test.name, test.text.trim().to_owned())).collect(),
        )
    };
    tests(one).is_some_and(|tests_of_one| tests(other) == Some(tests_of_one))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn text(plan: &Plan, tests: &[&Test]) -> String {
    format(&format!(
        "//! States of {} {} that its contracts ask for, each with the calls that lead there.\n\
         #![allow(clippy::all)]\n\n{}{}",
        plan.krate,
        plan.version,
        plan.extern_crate(),
        test_file(plan, &[], tests).trim_start()
    ))
}
