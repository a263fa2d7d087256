//! `mutants --kill` on published crates: the share of survivors that written tests kill, what it
//! costs to judge a mutant in the worker, and whether the written tests are what they say.
//!
//! What a run with a mutant costs in the worker is set beside two processes: one that is forked
//! from a test executable that was started before, as the written tests are checked, and one that
//! is started for one test. `--truth N` takes N of the mutants that a test was written for, writes
//! each by hand into a plain copy, and runs its test there, which has to fail.

use super::mutants::{Copy, timed};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask bench kill [--time TIME] [--truth N] CRATE@VERSION...";
/// Starts of a test executable that are timed.
const STARTS: usize = 100;

pub fn run(args: &[String]) -> Result<()> {
    let (mut time, mut truth, mut crates) = ("60s", 0, vec![]);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--time" => time = words.next().context(USAGE)?,
            "--truth" => truth = words.next().and_then(|n| n.parse().ok()).context(USAGE)?,
            krate => crates.push(krate),
        }
    }
    if crates.is_empty() {
        bail!(USAGE);
    }
    println!(
        "{:<20} {:>6} {:>6} {:>5} {:>5} {:>8} {:>8} {:>7} {:>7}",
        "crate", "hunted", "killed", "", "tests", "runs", "runs/s", "fork us", "start us"
    );
    let mut wrong = 0;
    for krate in crates {
        let killed = Killed::new(krate, time)?;
        killed.print()?;
        wrong += killed.check(truth)?;
    }
    if wrong > 0 {
        bail!("{wrong} tests pass on a mutant that they are said to kill");
    }
    Ok(())
}

struct Killed<'k> {
    krate: &'k str,
    events: Vec<Value>,
    /// Of the kill.
    summary: Value,
    out: PathBuf,
}

impl<'k> Killed<'k> {
    fn new(krate: &'k str, time: &str) -> Result<Killed<'k>> {
        let out = super::folder().join("kill");
        let folder = out.join("crates").join(krate.replace('@', "-"));
        let _ = std::fs::remove_dir_all(folder.join("tests"));
        let mut command = Command::new(std::env::current_exe()?.with_file_name("cargo-testsmith"));
        command.args(["mutants", "--quiet", "--format", "json", "--kill", time, "--crate", krate]);
        command.arg("--out-dir").arg(&out).arg("--target-dir").arg(out.join("target"));
        let output = command.output()?;
        if !output.status.success() {
            bail!("{krate}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let events: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let kill = events.iter().find(|event| event["event"] == "kill");
        let summary = kill.context("it tells what came of the hunt")?.clone();
        Ok(Killed { krate, events, summary, out: folder })
    }

    fn print(&self) -> Result<()> {
        let count = |key: &str| self.summary[key].as_u64().unwrap_or(0);
        let seconds = |key: &str| self.summary[key].as_f64().unwrap_or(0.0);
        let (hunted, killed) = (count("hunted"), count("killed"));
        println!(
            "{:<20} {hunted:>6} {killed:>6} {:>4.0}% {:>5} {:>8} {:>8.0} {:>7.0} {:>7.0}",
            self.krate,
            100.0 * killed as f64 / hunted.max(1) as f64,
            count("tests"),
            count("runs"),
            count("runs") as f64 / seconds("judging_seconds").max(f64::EPSILON),
            1e6 * seconds("process_seconds") / count("processes").max(1) as f64,
            1e6 * self.start()?,
        );
        Ok(())
    }

    /// What one test costs in a process that is started for it, in seconds of the processor.
    fn start(&self) -> Result<f64> {
        let first = self.events.iter().find(|event| event["event"] == "test");
        let Some(test) = first.and_then(|event| event["name"].as_str()) else { return Ok(0.0) };
        let program = newest(&self.out.join("mutants-target/debug/deps"), "testsmith_mutants-")?;
        let mut shell = Command::new("sh");
        let repeat = format!(
            "n=0; while [ $n -lt {STARTS} ]; do \"$0\" --exact {test} >/dev/null; n=$((n+1)); done"
        );
        shell.args(["-c", &repeat]).arg(program);
        let (_, cpu) = timed(&shell)?;
        Ok(cpu / STARTS as f64)
    }

    /// How many of the sampled tests pass on a mutant that they are said to kill.
    fn check(&self, truth: usize) -> Result<usize> {
        let of = |name: &'static str| self.events.iter().filter(move |e| e["event"] == name);
        let mutants: BTreeMap<u64, &Value> =
            of("mutant").filter_map(|mutant| Some((mutant["id"].as_u64()?, mutant))).collect();
        let told: Vec<(&Value, &str)> = of("hunted")
            .filter_map(|event| {
                let test = event["killed_by"].as_str()?.rsplit("::").next()?;
                Some((*mutants.get(&event["id"].as_u64()?)?, test))
            })
            .collect();
        if truth == 0 || told.is_empty() {
            return Ok(0);
        }
        let copy = Copy::new(self.krate)?;
        let file = std::fs::read(self.out.join("tests/testsmith_mutants.rs"))?;
        copy.add_test("testsmith_mutants", &file)?;
        let every = (told.len() / truth).max(1);
        let (mut right, mut wrong) = (0, 0);
        for (mutant, test) in told.into_iter().step_by(every).take(truth) {
            let passes = |copy: &Copy| copy.passes_alone("testsmith_mutants", test);
            let (before, after) = (passes(&copy)?, copy.with(mutant, passes)?);
            if before && !after {
                right += 1;
            } else {
                wrong += 1;
                println!("  {test} passes: {before} before and {after} after {mutant}");
            }
        }
        println!("  {right} of {} claims hold in plain copies", right + wrong);
        Ok(wrong)
    }
}

/// The newest program whose name begins so.
fn newest(folder: &Path, start: &str) -> Result<PathBuf> {
    let entries = std::fs::read_dir(folder)?.flatten();
    let programs = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(start) && !name.contains('.')
    });
    let newest = programs.max_by_key(|entry| entry.metadata().and_then(|it| it.modified()).ok());
    Ok(newest.context("the written tests were built")?.path())
}
