//! What the tests of the whole command share: fixtures in temporary folders
//! and one build folder for all of them.
#![allow(dead_code)] // Each test file uses a part of it.

use cargo_testsmith::args::Target;
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
