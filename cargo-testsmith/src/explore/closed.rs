//! Closed tests, one file per put, in the folder of which the put includes them.
//!
//! `tests/puts/src.list.adding.rs` belongs to the put `adding` in `src/list.rs`. The
//! files are ours until somebody edits them. Each test was compiled and run in the
//! sandbox before it is kept; one that does not do what was seen goes, and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Result, bail};
use testsmith_lab::{Lab, TestPackage, TestTarget};

use super::put::{Explored, Path};
use super::report;
use crate::args::{Explore, Keep};
use crate::console::Console;
use crate::emit::{Tree, Written};
use crate::pipeline::features;

/// A closed test.
pub struct ClosedTest<'p> {
    pub name: String,
    pub path: &'p Path,
}

/// The tests worth writing: all, or as many as the branches need and one for each place
/// that fails.
pub fn chosen(put: &Explored, keep: Keep) -> Vec<ClosedTest<'_>> {
    let failing: Vec<&Path> = match keep {
        Keep::Paths => put.paths.iter().filter(|path| !path.passes).collect(),
        Keep::Branches => report::failures(put).into_iter().map(|(path, _)| path).collect(),
    };
    let passing = put.paths.iter().filter(|path| path.passes);
    let passing = passing.filter(|path| keep == Keep::Paths || path.adds_branches);
    let mut calls = BTreeSet::new();
    let mut tests = vec![];
    for (title, list) in [("case", passing.collect()), ("fails", failing)] {
        let mut number = 0;
        for path in list {
            let path: &Path = path;
            if !path.call.is_empty() && calls.insert(&path.call) {
                number += 1;
                tests.push(ClosedTest { name: format!("{title}_{number}"), path });
            }
        }
    }
    tests
}

/// One test as Rust. What ends the process would take the others along, so it is ignored.
pub fn text(test: &ClosedTest<'_>, attribute: &str, body: &str) -> String {
    let message = test.path.message.replace('\n', " ");
    let note = match test.path.passes {
        true => String::new(),
        false => format!("    // {message}\n"),
    };
    let ignored = match test.path.kills {
        true => format!("#[ignore = {:?}]\n", format!("it ends the process: {message}")),
        false => String::new(),
    };
    format!("\n#[test]\n{attribute}{ignored}fn {}() {{\n{note}{body}}}\n", test.name)
}

/// Writes the closed tests of a target's puts, builds them, runs them, and keeps those
/// that do what was seen.
pub fn write(
    options: &Explore,
    console: &Console,
    lab: &Lab,
    package: &TestPackage,
    target: &TestTarget,
    explored: &[Explored],
) -> Result<()> {
    let mut files = BTreeSet::new();
    for put in explored {
        if !files.insert(file_of(package, put)) {
            let (file, name) = (&put.description.file, &put.description.name);
            bail!("two puts of {file} are called {name}: rename one");
        }
    }
    let before: BTreeMap<PathBuf, Option<Vec<u8>>> =
        files.iter().map(|path| (path.clone(), std::fs::read(path).ok())).collect();
    let written = write_without(options, package, explored, &BTreeSet::new())?;
    for (path, _) in written.iter().filter(|(_, written)| *written == Written::Kept) {
        console.say(&format!("{} was edited, so it stays as it is", path.display()));
    }
    if !written.iter().any(|(_, written)| matches!(written, Written::Yes | Written::Removed)) {
        return Ok(());
    }
    console.say(&format!("running the closed tests of {target}"));
    let features = features(&options.target);
    let tell = &mut |line: &str| console.tell(line);
    let executable = match lab.build_test_target(package, target, &features, tell) {
        Ok(executable) => executable,
        Err(error) => {
            for (path, bytes) in before {
                match bytes {
                    Some(bytes) => std::fs::write(path, bytes)?,
                    None => drop(std::fs::remove_file(path)),
                }
            }
            bail!("the closed tests of {target} do not build; they were taken back\n{error}");
        }
    };
    let results = run_all(lab, package, &executable)?;
    let mut wrong = BTreeSet::new();
    for put in explored {
        let module = put.module.split_once("::").map_or("", |(_, rest)| rest);
        for test in chosen(put, options.keep).iter().filter(|test| !test.path.kills) {
            let path = format!("{module}::{}", test.name);
            if results.get(&path) != Some(&test.path.passes) && !is_kept(&written, package, put) {
                console.say(&format!("left out: {path} does not do what was seen"));
                wrong.insert((put.module.clone(), test.path.call.clone()));
            }
        }
    }
    if !wrong.is_empty() {
        write_without(options, package, explored, &wrong)?;
    }
    if before.values().any(Option::is_none) {
        // The attribute looks for the file when it is expanded, which cargo cannot know.
        package.forget_tests();
    }
    Ok(())
}

fn file_of(package: &TestPackage, put: &Explored) -> PathBuf {
    package.folder.join(put.description.store.replace(".cases", ".rs"))
}

fn is_kept(written: &[(PathBuf, Written)], package: &TestPackage, put: &Explored) -> bool {
    let file = file_of(package, put);
    written.iter().any(|(path, written)| *path == file && *written == Written::Kept)
}

/// Writes the files, but for some tests by module and call.
fn write_without(
    options: &Explore,
    package: &TestPackage,
    explored: &[Explored],
    without: &BTreeSet<(String, String)>,
) -> Result<Vec<(PathBuf, Written)>> {
    let mut tree = Tree::default();
    for put in explored {
        let name = &put.description.name;
        let attribute = match put.description.expectation.as_str() {
            "panics" => "#[should_panic]\n".to_owned(),
            "panics-with" => format!("#[should_panic(expected = {:?})]\n", put.description.text),
            _ => String::new(),
        };
        let keep =
            |test: &&ClosedTest| !without.contains(&(put.module.clone(), test.path.call.clone()));
        let tests = chosen(put, options.keep);
        let tests: String = tests
            .iter()
            .filter(keep)
            .map(|test| text(test, &attribute, &format!("    {};\n", test.path.call)))
            .collect();
        tree.place(file_of(package, put));
        if !tests.is_empty() {
            let head = format!("// Closed tests of the put `{name}`: change the put instead.\n");
            tree.want(file_of(package, put), head + &tests);
        }
    }
    tree.write()
}

/// All closed tests of the executable, in the sandbox: whether each passed, by path.
fn run_all(
    lab: &Lab,
    package: &TestPackage,
    executable: &std::path::Path,
) -> Result<BTreeMap<String, bool>> {
    let run = |args: &[&str]| {
        let mut command = lab.strictly(executable);
        command.args(args).current_dir(&package.folder).stdin(std::process::Stdio::null());
        command.output().map(|done| String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let mut results = results_in(&run(&["::case_", "::fails_"])?);
    // One that ends the process takes the rest along; those are run alone.
    let listed = run(&["::case_", "::fails_", "--list", "--format=terse"])?;
    for path in listed.lines().filter_map(|line| line.strip_suffix(": test")) {
        if !results.contains_key(path) {
            results.extend(results_in(&run(&["--exact", path])?));
        }
    }
    Ok(results)
}

/// `test a::b ... ok`, for each.
fn results_in(output: &str) -> BTreeMap<String, bool> {
    let result = |line: &str| {
        let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
        let name = name.trim_end_matches(" - should panic");
        Some((name.to_owned(), result == "ok"))
    };
    output.lines().filter_map(result).collect()
}
