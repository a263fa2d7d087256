//! Regression suites of published crates: how many tests, how much of the
//! crate they cover, and whether each gives the same verdict in ten fresh
//! processes, built as a user builds them and without a warning.

use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const CRATES: [&str; 5] =
    ["semver@1.0.27", "smallvec@1.15.1", "indexmap@2.14.2", "humantime@2.3.0", "itoa@1.0.15"];
const RUNS: usize = 10;

pub fn run(args: &[String]) -> Result<()> {
    let chosen: Vec<&str> = match args {
        [] => CRATES.to_vec(),
        args => args.iter().map(String::as_str).collect(),
    };
    println!(
        "{:<20} {:>6} {:>8} {:>8} {:>9} {:>9} {:>9}",
        "crate", "tests", "covered", "lines", "left out", "warnings", "verdicts"
    );
    let mut bad = 0;
    for krate in chosen {
        let summary = make(krate)?;
        let number = |pointer: &str| summary.pointer(pointer).and_then(|n| n.as_u64()).unwrap_or(0);
        let left_out = summary["tests"]["left_out"].as_array().map_or(0, Vec::len) as u64;
        let (warnings, verdicts) = try_out(krate, &summary)?;
        bad += usize::from(verdicts != 1) + warnings;
        println!(
            "{krate:<20} {:>6} {:>8} {:>8} {:>9} {warnings:>9} {verdicts:>9}",
            number("/tests/regressions"),
            number("/tests/regression_lines"),
            number("/lines/all"),
            left_out + number("/tests/unsteady"),
        );
    }
    if bad > 0 {
        bail!("a suite has warnings, or other verdicts in other runs");
    }
    Ok(())
}

/// Runs the command as a user would; the summary that it leaves.
fn make(krate: &str) -> Result<serde_json::Value> {
    let root = super::folder();
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let done = Command::new(&tool)
        .args(["--crate", krate, "--calls", "200000", "--quiet", "--accept", "--out-dir"])
        .arg(&root)
        .arg("--target-dir")
        .arg(root.join("target"))
        .output()
        .with_context(|| format!("{} is not built", tool.display()))?;
    if !matches!(done.status.code(), Some(0 | 100)) {
        bail!("{krate}: {}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(serde_json::from_slice(&std::fs::read(root.join("summary.json"))?)?)
}

/// Builds the suite in a package of its own and runs it ten times: the number
/// of warnings, and how many different verdicts there were.
fn try_out(krate: &str, summary: &serde_json::Value) -> Result<(usize, usize)> {
    let (name, version) = krate.split_once('@').context("NAME@VERSION")?;
    let folder = super::folder().join("suites").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"suite-of-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
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
    let mut warnings = 0;
    let mut verdicts = BTreeSet::new();
    for _ in 0..RUNS {
        let done = Command::new("cargo")
            .args(["test", "--test", "testsmith_regressions"])
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", super::folder().join("suites/target"))
            .output()?;
        let told = String::from_utf8_lossy(&done.stderr);
        warnings += told.lines().filter(|line| line.starts_with("warning")).count();
        let mut lines: Vec<String> = String::from_utf8_lossy(&done.stdout)
            .lines()
            .filter(|line| line.starts_with("test ") && line.contains(" ... "))
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines.push(done.status.success().to_string());
        verdicts.insert(lines);
    }
    if verdicts.iter().any(|lines| lines.last().is_some_and(|passed| passed != "true")) {
        bail!("{krate}: the suite does not pass: {verdicts:?}");
    }
    Ok((warnings, verdicts.len()))
}

/// The path below the folder of tests.
fn inside_tests(path: &Path) -> Option<&Path> {
    let tests = path.ancestors().find(|folder| folder.ends_with("tests"))?;
    path.strip_prefix(tests).ok()
}
