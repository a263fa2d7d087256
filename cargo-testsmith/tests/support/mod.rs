//! What the tests of the whole command share: fixtures in temporary folders
//! and one build folder for all of them.
#![allow(dead_code)] // Each test file uses a part of it.

use cargo_testsmith::args::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("inside the workspace").to_owned()
}

/// A fixture copied to where it may be changed.
pub struct Fixture {
    folder: tempfile::TempDir,
    name: String,
}

impl Fixture {
    pub fn copy(name: &str) -> Fixture {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&root().join("fixtures").join(name), &folder.path().join(name));
        Fixture { folder, name: name.to_owned() }
    }

    /// A package made of a manifest and a library.
    pub fn make(name: &str, manifest: &str, library: Option<&str>) -> Fixture {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let package = folder.path().join(name);
        std::fs::create_dir_all(package.join("src")).expect("writable");
        std::fs::write(package.join("Cargo.toml"), manifest).expect("writable");
        if let Some(library) = library {
            std::fs::write(package.join("src/lib.rs"), library).expect("writable");
        }
        Fixture { folder, name: name.to_owned() }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    pub fn target(&self) -> Target {
        Target {
            manifest_path: Some(self.path().join("Cargo.toml")),
            target_dir: Some(build_folder()),
            executable: Some(executable()),
            quiet: true,
            ..Target::default()
        }
    }

    /// Runs the command in the folder of the fixture.
    pub fn run(&self, args: &[&str]) -> Output {
        Command::new(executable())
            .args(args)
            .current_dir(self.path())
            .env("TESTSMITH_TARGET_DIR", build_folder())
            .output()
            .expect("the command runs")
    }

    /// Every file of the package but those in `testsmith.out`.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut found = vec![];
        list(&self.path(), &mut found);
        found.retain(|file| !file.components().any(|part| part.as_os_str() == "testsmith.out"));
        found.sort();
        found
    }
}

pub fn executable() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_cargo-testsmith"))
}

/// Shared between all tests, so that the worker is compiled once.
pub fn build_folder() -> PathBuf {
    root().join("target/testsmith-tests")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The rows of a fixture: what fails, and the rule of the policy that has to decide.
pub fn rules(fixture: &str) -> Vec<(String, String)> {
    let file = root().join("fixtures").join(fixture).join("rules.txt");
    let text = std::fs::read_to_string(file).expect("the list is there");
    let row = |line: &str| {
        let (path, rule) = line.split_once(" | ").expect("a path and a rule");
        (path.to_owned(), rule.to_owned())
    };
    text.lines().map(row).collect()
}

/// The findings in the output of `--format json`.
pub fn findings(output: &Output) -> Vec<serde_json::Value> {
    let event = |line: &str| -> serde_json::Value {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    let text = stdout(output);
    text.lines().map(event).filter(|event| event["event"] == "finding").collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("a fixture").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            if entry.file_name() != "target" && entry.file_name() != "testsmith.out" {
                copy(&from, &to);
            }
        } else {
            std::fs::copy(&from, &to).expect("writable");
        }
    }
}

fn list(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => list(&path, found),
            path => found.push(path),
        }
    }
}

/// The keys that `docs/output.md` tells of, by event; those of explorations have a word
/// before their names.
fn documented(prefix: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("docs/output.md")).expect("it is documented");
    let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut event = String::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            event = title.to_owned();
            if prefix.is_empty() && title.contains(": ") {
                event = String::new();
            }
            event = event.strip_prefix(prefix).unwrap_or_default().to_owned();
        } else if let Some(key) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next())
            && !event.is_empty()
        {
            keys.entry(event.clone()).or_default().insert(key.to_owned());
        }
    }
    keys
}

/// The paths of all keys in a value. What is empty or null has all keys below.
fn keys(
    value: &serde_json::Value,
    path: &str,
    found: &mut BTreeSet<String>,
    open: &mut BTreeSet<String>,
) {
    use serde_json::Value;
    match value {
        // A stored sequence is a format of its own.
        Value::Object(map) if !path.ends_with("sequence") => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                found.insert(path.clone());
                keys(value, &path, found, open);
            }
        }
        Value::Array(items) if items.is_empty() => {
            open.insert(format!("{path}[]."));
        }
        Value::Array(items) => {
            items.iter().for_each(|item| keys(item, &format!("{path}[]"), found, open));
        }
        Value::Null => {
            open.insert(format!("{path}."));
        }
        _ => {}
    }
}

/// Checks that events have the documented keys and no others, and returns them by name.
pub fn check_keys(printed: &str, prefix: &str) -> Vec<(String, serde_json::Value)> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut events = vec![];
    for line in printed.lines() {
        let mut event: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let map = event.as_object_mut().expect("an object");
        let name = map.remove("event").expect("every object says what it is");
        let name = name.as_str().expect("a word").to_owned();
        let (found, open) =
            (found.entry(name.clone()).or_default(), open.entry(name.clone()).or_default());
        keys(&event, "", found, open);
        events.push((name, event));
    }
    for (event, documented) in documented(prefix) {
        let found = found.remove(&event).unwrap_or_default();
        let open = open.get(&event).unwrap_or_else(|| panic!("there is no {event}"));
        let undocumented: Vec<&String> = found.difference(&documented).collect();
        assert!(undocumented.is_empty(), "{event}: {undocumented:?}");
        let below = |key: &&String| !open.iter().any(|open| key.starts_with(open.as_str()));
        let missing: Vec<&String> = documented.difference(&found).filter(below).collect();
        assert!(missing.is_empty(), "{event}: {missing:?}");
    }
    assert!(found.is_empty(), "undocumented events: {found:?}");
    events
}
