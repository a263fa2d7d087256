//! The command on twenty published crates, with its default options and from
//! nothing: how much of each it exercised, what it reported, and whether each
//! emitted test builds without a warning and gives the same verdict in ten
//! fresh processes. What was reported is left in a file, to be read. Other crates may
//! be named; `took` is the time from the first call to the last test.

use super::emitted::EmittedTests;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

const RUNS: usize = 10;

pub fn run(args: &[String]) -> Result<()> {
    let seconds = args.first().map_or("60", String::as_str);
    let only = args.get(1..).unwrap_or_default();
    let chosen: Vec<&str> = match only {
        [] => super::CRATES.to_vec(),
        only => only.iter().flat_map(|name| meant(name)).collect(),
    };
    println!(
        "{:<25} {:>11} {:>13} {:>8} {:>5} {:>4} {:>6} {:>6} {:>5} {:>8} {:>8} {:>5}",
        "crate",
        "operations",
        "lines",
        "calls",
        "lost",
        "bad",
        "susp.",
        "tests",
        "out",
        "warnings",
        "verdicts",
        "took"
    );
    let mut all = Totals::default();
    for krate in chosen {
        let row = survey(krate, seconds).with_context(|| format!("{krate} was not surveyed"))?;
        println!("{row}", row = row.line(krate));
        all.add(&row);
    }
    println!("{all}", all = all.line());
    println!("what was reported: {}", super::folder().join("survey").display());
    if all.unsteady > 0 {
        bail!("{} suites have warnings, or other verdicts in other runs", all.unsteady);
    }
    Ok(())
}

/// The crates of the list that begin so, or any other.
fn meant(name: &str) -> Vec<&str> {
    let known: Vec<&str> =
        super::CRATES.iter().copied().filter(|krate| krate.starts_with(name)).collect();
    if known.is_empty() { vec![name] } else { known }
}

/// What a run said of one crate.
struct Row {
    summary: Value,
    /// Calls in each sequence that fails.
    calls: Vec<u64>,
    warnings: usize,
    verdicts: usize,
}

impl Row {
    fn number(&self, pointer: &str) -> u64 {
        self.summary.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
    }

    fn line(&self, krate: &str) -> String {
        let (completed, operations) =
            (self.number("/operations/completed"), self.number("/operations/all"));
        let (covered, lines) = (self.number("/lines/covered"), self.number("/lines/all"));
        let seconds = |key: &str| self.summary["seconds"][key].as_f64().unwrap_or_default();
        let took = seconds("search") + seconds("after");
        let left_out = self.summary["tests"]["left_out"].as_array().map_or(0, Vec::len) as u64;
        format!(
            "{krate:<25} {:>11} {:>13} {:>7.2}M {:>5} {:>4} {:>6} {:>6} {:>5} {:>8} {:>8} {took:>4.0}s",
            format!("{completed}/{operations}"),
            format!("{covered}/{lines}"),
            self.number("/calls") as f64 / 1e6,
            self.number("/workers_lost"),
            self.number("/violations"),
            self.number("/suspicious"),
            self.number("/tests/failing") + self.number("/tests/regressions"),
            left_out + self.number("/tests/unsteady"),
            self.warnings,
            self.verdicts,
        )
    }
}

/// Means over all crates.
#[derive(Default)]
struct Totals {
    crates: usize,
    operations: f64,
    least: Option<f64>,
    lines: f64,
    calls: Vec<u64>,
    unsteady: usize,
}

impl Totals {
    fn add(&mut self, row: &Row) {
        let share = |part: &str, whole: &str| row.number(part) as f64 / row.number(whole) as f64;
        let operations = share("/operations/completed", "/operations/all");
        self.crates += 1;
        self.operations += operations;
        self.least = Some(self.least.map_or(operations, |least| least.min(operations)));
        self.lines += share("/lines/covered", "/lines/all");
        self.calls.extend(&row.calls);
        self.unsteady += usize::from(row.warnings > 0 || row.verdicts != 1);
    }

    fn line(&self) -> String {
        let crates = self.crates.max(1) as f64;
        let calls: u64 = self.calls.iter().sum();
        format!(
            "operations completed: {:.1}% on average, {:.1}% at least; lines: {:.1}% on average; \
             {} failing sequences of {:.1} calls on average, {} at most",
            100.0 * self.operations / crates,
            100.0 * self.least.unwrap_or(0.0),
            100.0 * self.lines / crates,
            self.calls.len(),
            calls as f64 / self.calls.len().max(1) as f64,
            self.calls.iter().max().unwrap_or(&0),
        )
    }
}

/// Runs the command as a user would, then the tests that it leaves.
fn survey(krate: &str, seconds: &str) -> Result<Row> {
    let root = super::folder();
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let done = Command::new(&tool)
        .args(["--crate", krate, "--budget", seconds, "--fresh", "--accept"])
        .args(["--quiet", "--format", "json", "--out-dir"])
        .arg(&root)
        .arg("--target-dir")
        .arg(root.join("target"))
        .output()
        .with_context(|| format!("{} is not built", tool.display()))?;
    let (findings, summary) = super::report_of(&done)?;
    tell(krate, &findings)?;
    let (warnings, verdicts) = EmittedTests::around(krate, &summary)?.verdicts(RUNS)?;
    let calls = findings.iter().filter_map(|finding| finding["calls"].as_u64()).collect();
    Ok(Row { summary, calls, warnings, verdicts })
}

/// Leaves what was found in a file, violations first.
fn tell(krate: &str, findings: &[Value]) -> Result<()> {
    let folder = super::folder().join("survey");
    std::fs::create_dir_all(&folder)?;
    let mut text = String::new();
    for severity in ["violation", "suspicious"] {
        for finding in findings.iter().filter(|finding| finding["severity"] == severity) {
            let part = |key: &str| finding[key].as_str().unwrap_or_default();
            writeln!(text, "## {severity}: {}\n\n{}\n", part("what"), part("reason"))?;
            writeln!(text, "```rust\n{}\n```\n", part("test").trim_end())?;
        }
    }
    Ok(std::fs::write(folder.join(format!("{krate}.md")), text)?)
}
