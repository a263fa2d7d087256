//! Emitted tests in a package of their own, built as a user builds them: with
//! the crate that they are about, what it depends on, and nothing else.

use anyhow::{Context, Result, bail};
use quote::ToTokens;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A package whose tests are those that a run wrote about a published crate.
pub struct EmittedTests {
    folder: PathBuf,
}

/// What one run of the tests said.
pub struct Run {
    /// Warnings of the compiler.
    pub warnings: usize,
    /// A line for each test, sorted: its name and how it ended.
    pub tests: Vec<String>,
}

/// How tests are built: with or without checks for overflow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    Dev,
    Release,
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestResult {
    Passed,
    Failed,
    DoesNotCompile,
}

impl EmittedTests {
    /// A package that depends on `krate`, a `NAME@VERSION`, and these of its
    /// features, with these files in its folder of tests: path below it, and text.
    pub fn new(
        krate: &str,
        features: &[String],
        files: &[(PathBuf, String)],
    ) -> Result<EmittedTests> {
        let (name, version) = krate.split_once('@').context("NAME@VERSION")?;
        let folder = super::folder().join("emitted").join(krate);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("src"))?;
        std::fs::write(folder.join("src/lib.rs"), "")?;
        let mut manifest = format!(
            "[package]\nname = \"tests-of-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [workspace]\n[dependencies]\n\
             {name} = {{ version = \"={version}\", features = {features:?} }}\n"
        );
        std::fs::write(folder.join("Cargo.toml"), &manifest)?;
        std::fs::write(folder.join("Cargo.lock"), testsmith_lab::lock_naming(name, version))?;
        for (inside, text) in files {
            let file = folder.join("tests").join(inside);
            std::fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
            std::fs::write(&file, text)?;
        }
        let package = EmittedTests { folder };
        manifest.push_str(&package.dependencies_of(name, version)?);
        std::fs::write(package.folder.join("Cargo.toml"), manifest)?;
        Ok(package)
    }

    fn metadata(&self) -> Result<Value> {
        let done = self.cargo(&["metadata", "--format-version=1"])?;
        let told = String::from_utf8_lossy(&done.stderr);
        serde_json::from_slice(&done.stdout).context(told.into_owned())
    }

    /// The folder of the sources of `krate`, a `NAME@VERSION` among the packages.
    pub fn source_of(&self, krate: &str) -> Result<PathBuf> {
        let (name, version) = krate.split_once('@').context("NAME@VERSION")?;
        let metadata = self.metadata()?;
        let package = package(&metadata, name, version)?;
        let manifest = package["manifest_path"].as_str();
        Ok(Path::new(manifest.context("it has a manifest")?).with_file_name(""))
    }

    /// Lines of a manifest for what the crate depends on: a test may name traits
    /// of it.
    fn dependencies_of(&self, name: &str, version: &str) -> Result<String> {
        let metadata = self.metadata()?;
        let packages = list(&metadata["packages"]);
        let it = package(&metadata, name, version)?;
        let nodes = list(&metadata["resolve"]["nodes"]);
        let node = nodes.iter().find(|node| node["id"] == it["id"]).context("it is resolved")?;
        let is_normal = |dep: &Value| list(&dep["dep_kinds"]).iter().any(|k| k["kind"].is_null());
        let line = |dep: &Value| {
            let found = packages.iter().find(|package| package["id"] == dep["pkg"])?;
            let (package, version) = (found["name"].as_str()?, found["version"].as_str()?);
            Some(format!(
                "{} = {{ package = {package:?}, version = \"={version}\", default-features = false }}\n",
                dep["name"].as_str()?
            ))
        };
        Ok(list(&node["deps"]).iter().filter(|dep| is_normal(dep)).filter_map(line).collect())
    }

    /// Puts the files that `summary` says were written around `krate`, a
    /// `NAME@VERSION`; it need not be the version that they were written for.
    pub fn around(krate: &str, summary: &Value) -> Result<EmittedTests> {
        let written = summary["tests"]["files"].as_array().cloned().unwrap_or_default();
        let mut files = vec![];
        for file in written.iter().filter(|file| file["written"] != "removed") {
            let path = PathBuf::from(file["path"].as_str().context("a path")?);
            let inside = inside_tests(&path).context("it lies in the folder of tests")?;
            files.push((inside.to_owned(), std::fs::read_to_string(&path)?));
        }
        EmittedTests::new(krate, &[], &files)
    }

    /// Cargo in this package; all packages of emitted tests share what it builds.
    fn cargo(&self, arguments: &[&str]) -> Result<std::process::Output> {
        let target = super::folder().join("emitted/target");
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(&self.folder).env("CARGO_TARGET_DIR", target);
        Ok(command.output()?)
    }

    /// Builds the tests and runs all of them in a fresh process for each file.
    pub fn run(&self) -> Result<Run> {
        let done = self.cargo(&["test", "--tests", "--no-fail-fast"])?;
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

    /// For a package whose files hold one test each and are named like it: runs
    /// each in a process of its own, those too that end it and are ignored.
    pub fn each(&self, names: &[String], profile: Profile) -> Result<BTreeMap<String, TestResult>> {
        if names.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut arguments =
            vec!["build", "--tests", "--keep-going", "--quiet", "--message-format=json"];
        if profile == Profile::Release {
            arguments.push("--release");
        }
        let built = self.cargo(&arguments)?;
        let mut programs: BTreeMap<String, PathBuf> = BTreeMap::new();
        for line in String::from_utf8_lossy(&built.stdout).lines() {
            let message: Value = serde_json::from_str(line).unwrap_or_default();
            if let (Some(name), Some(program)) =
                (message["target"]["name"].as_str(), message["executable"].as_str())
            {
                programs.insert(name.to_owned(), program.into());
            }
        }
        let verdict = |name: &String| {
            let Some(program) = programs.get(name) else {
                return Ok((name.clone(), TestResult::DoesNotCompile));
            };
            let done = Command::new(program)
                .args(["--include-ignored", "--exact", name])
                .current_dir(&self.folder)
                .stdin(Stdio::null())
                .output()?;
            let passed = done.status.success();
            Ok((name.clone(), if passed { TestResult::Passed } else { TestResult::Failed }))
        };
        names.iter().map(verdict).collect()
    }
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// What cargo knows of this package.
fn package(metadata: &Value, name: &str, version: &str) -> Result<Value> {
    let is_it = |package: &Value| package["name"] == name && package["version"] == version;
    let mut packages = list(&metadata["packages"]).into_iter();
    packages.find(is_it).context("the crate is among its packages")
}

/// Takes a file of tests apart: each test by name, with the text of a file that
/// holds it and no other. One that does not compile then stands in nobody's way.
pub fn one_by_one(source: &str) -> Result<Vec<(String, String)>> {
    let file = syn::parse_file(source).context("emitted tests are Rust")?;
    let test = |item: &syn::Item| match item {
        syn::Item::Fn(function) => {
            let is_test = function.attrs.iter().any(|attribute| attribute.path().is_ident("test"));
            is_test.then(|| function.sig.ident.to_string())
        }
        _ => None,
    };
    let alone = |name: String| {
        let belongs = |item: &&syn::Item| test(item).is_none_or(|other| other == name);
        let items = file.items.iter().filter(belongs).cloned().collect();
        let text = syn::File { items, ..file.clone() }.to_token_stream().to_string();
        (name, text)
    };
    Ok(file.items.iter().filter_map(test).map(alone).collect())
}

/// The path below the folder of tests.
fn inside_tests(path: &Path) -> Option<&Path> {
    let tests = path.ancestors().find(|folder| folder.ends_with("tests"))?;
    path.strip_prefix(tests).ok()
}
