//! Closed tests of functions: plain calls, one file per function, mounted by
//! `tests/testsmith_puts.rs`.
//!
//! They are compiled and run beside the crate, in the sandbox, before they are written,
//! and one that does not do what was seen goes alone. Files are ours until edited.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use testsmith_lab::{Profile, TestBuild, TestProgram, TestSources};

use super::closed::{ClosedTest, chosen, text};
use super::functions::Function;
use super::put::Explored;
use crate::args::Explore;
use crate::console::Console;
use crate::emit::{Tree, Written};
use crate::pipeline::{Session, manifest_of};

/// The compiler tells of one kind of error at a time.
const MAX_BUILDS: usize = 4;
const MOUNT: &str = "testsmith_puts";

/// A function's tests with their texts, in the order written.
struct Module<'f> {
    function: &'f Function,
    tests: Vec<(ClosedTest<'f>, String)>,
}

pub fn write(
    options: &Explore,
    console: &Console,
    session: &Session,
    functions: &[(&Function, &Explored)],
) -> Result<()> {
    let mut modules: Vec<Module<'_>> =
        functions.iter().map(|(f, put)| module(options, f, put)).collect();
    modules.retain(|module| !module.tests.is_empty());
    if modules.is_empty() {
        return Ok(());
    }
    console.say("compiling and running the closed tests");
    let mut program = None;
    for _ in 0..MAX_BUILDS {
        let files: BTreeMap<String, String> =
            modules.iter().map(|module| (module.function.ident.clone(), module.text())).collect();
        let sources = TestSources { files: &files, folder: None, lints: "allow(warnings)" };
        match session.lab.build_tests(Profile::Unoptimised, &sources)? {
            TestBuild::Built(built) => {
                program = Some(built);
                break;
            }
            TestBuild::Refused(refusals) => {
                for refusal in &refusals {
                    let named = |m: &&mut Module<'_>| m.function.ident == refusal.module;
                    if let Some(module) = modules.iter_mut().find(named) {
                        module.drop_line(refusal.line);
                    }
                }
                modules.retain(|module| !module.tests.is_empty());
            }
        }
    }
    let Some(program) = program else {
        console.say("no closed tests: they do not compile outside the harness");
        return Ok(());
    };
    let results = results(&program)?;
    for module in &mut modules {
        let ident = &module.function.ident;
        module.tests.retain(|(test, _)| {
            let right = test.path.kills
                || results.get(&format!("{ident}::{}", test.name)) == Some(&test.path.passes);
            if !right {
                console.say(&format!("left out: {ident}::{} does not do what was seen", test.name));
            }
            right
        });
    }
    put_down(options, console, session, &modules)
}

fn module<'f>(options: &Explore, function: &'f Function, put: &'f Explored) -> Module<'f> {
    let body = |call: &str| match call.starts_with("let ") {
        // Statements were put on one line to be shown.
        true => format!("    {call}\n"),
        false => format!("    let _ = {call};\n"),
    };
    let tests = chosen(put, options.keep).into_iter().map(|test| {
        let text = text(&test, "", &body(&test.path.call));
        (test, text)
    });
    Module { function, tests: tests.collect() }
}

impl Module<'_> {
    fn head(&self) -> String {
        format!("//! Closed tests of `{}`.\n", self.function.path)
    }

    /// The file, as it is compiled and then written.
    fn text(&self) -> String {
        self.tests.iter().fold(self.head(), |text, (_, test)| text + test)
    }

    /// Leaves out the test that stands on a line, counted from one.
    fn drop_line(&mut self, line: usize) {
        let mut first = self.head().lines().count() + 1;
        self.tests.retain(|(_, text)| {
            let lines = first..first + text.lines().count();
            first = lines.end;
            !lines.contains(&line)
        });
    }
}

/// Whether each test passed; one that takes the others along is left without an answer.
fn results(program: &TestProgram) -> Result<BTreeMap<String, bool>> {
    let mut results = program.run(&[])?.passed;
    let listed = program.run(&["--list", "--format=terse"])?.output;
    for path in listed.lines().filter_map(|line| line.strip_suffix(": test")) {
        if !results.contains_key(path) {
            results.extend(program.run(&["--exact", path])?.passed);
        }
    }
    Ok(results)
}

/// Writes the files and the one that mounts them.
fn put_down(
    options: &Explore,
    console: &Console,
    session: &Session,
    modules: &[Module<'_>],
) -> Result<()> {
    let folder = match manifest_of(&options.target)? {
        Some(manifest) if !options.is_dependency => manifest.with_file_name("tests"),
        _ => session.lab.root().join("tests"),
    };
    let mut tree = Tree::default();
    let krate = &session.plan.krate;
    for module in modules.iter().filter(|module| !module.tests.is_empty()) {
        let file = folder.join(MOUNT).join(format!("{}.rs", module.function.ident));
        tree.want(file, module.text());
    }
    let written = tree.write()?;
    let mut named: BTreeSet<String> = BTreeSet::new();
    for entry in std::fs::read_dir(folder.join(MOUNT)).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            named.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    let mut mount = Tree::default();
    let mut text = format!(
        "//! Closed tests of functions of {krate}, written by `cargo testsmith explore`.\n\
         #![allow(clippy::all)]\n{}",
        session.plan.extern_crate()
    );
    for name in named {
        text.push_str(&format!("\n#[path = \"{MOUNT}/{name}.rs\"]\nmod {name};\n"));
    }
    mount.want(folder.join(format!("{MOUNT}.rs")), text);
    let kept: Vec<PathBuf> = written
        .into_iter()
        .chain(mount.write()?)
        .filter(|(_, written)| *written == Written::Kept)
        .map(|(path, _)| path)
        .collect();
    for path in kept {
        console.say(&format!("{} was edited, so it stays as it is", path.display()));
    }
    Ok(())
}
