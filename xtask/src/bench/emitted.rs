//! Emitted tests in a package of their own, built as a user builds them: with
//! nothing but the crate that they are about.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package whose tests are those that a run wrote about a published crate.
pub struct Package {
    folder: PathBuf,
}

/// What one run of the tests said.
pub struct Run {
    /// Warnings of the compiler.
    pub warnings: usize,
    /// A line for each test, sorted: its name and how it ended.
    pub tests: Vec<String>,
}

impl Package {
    /// Puts the files that `summary` says were written around `krate`, a
    /// `NAME@VERSION`; it need not be the version that they were written for.
    pub fn around(krate: &str, summary: &Value) -> Result<Package> {
        let (name, version) = krate.split_once('@').context("NAME@VERSION")?;
        let folder = super::folder().join("emitted").join(krate);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("src"))?;
        std::fs::write(folder.join("src/lib.rs"), "")?;
        let manifest = format!(
            "[package]\nname = \"tests-of-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [dependencies]\n{name} = \"={version}\"\n[workspace]\n"
        );
        std::fs::write(folder.join("Cargo.toml"), manifest)?;
        let files = summary["tests"]["files"].as_array().cloned().unwrap_or_default();
        for file in files.iter().filter(|file| file["written"] != "removed") {
            let path = PathBuf::from(file["path"].as_str().context("a path")?);
            let inside = inside_tests(&path).context("it lies in the folder of tests")?;
            let to = folder.join("tests").join(inside);
            std::fs::create_dir_all(to.parent().context("a folder")?)?;
            std::fs::copy(&path, &to)?;
        }
        Ok(Package { folder })
    }

    /// Builds the tests and runs all of them in a fresh process for each file.
    pub fn run(&self) -> Result<Run> {
        let done = Command::new("cargo")
            .args(["test", "--tests", "--no-fail-fast"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", super::folder().join("emitted/target"))
            .output()?;
        let told = String::from_utf8_lossy(&done.stderr);
        if told.contains("could not compile") {
            bail!("the tests do not compile:\n{told}");
        }
        let warnings = told.lines().filter(|line| line.starts_with("warning")).count();
        let is_test = |line: &&str| line.starts_with("test ") && line.contains(" ... ");
        let printed = String::from_utf8_lossy(&done.stdout);
        let mut tests: Vec<String> = printed.lines().filter(is_test).map(str::to_owned).collect();
        tests.sort();
        Ok(Run { warnings, tests })
    }

    /// Runs the tests so many times: the number of warnings, and of different
    /// verdicts.
    pub fn verdicts(&self, runs: usize) -> Result<(usize, usize)> {
        let mut warnings = 0;
        let mut verdicts = BTreeSet::new();
        for _ in 0..runs {
            let run = self.run()?;
            warnings += run.warnings;
            verdicts.insert(run.tests);
        }
        Ok((warnings, verdicts.len()))
    }
}

/// The path below the folder of tests.
fn inside_tests(path: &Path) -> Option<&Path> {
    let tests = path.ancestors().find(|folder| folder.ends_with("tests"))?;
    path.strip_prefix(tests).ok()
}
