//! Mutants of published crates, judged by the crates' own tests: what a mutant costs, and
//! whether the verdicts are those of plain builds.
//!
//! Each crate is judged twice, so that its dependencies are built before anything is measured,
//! and the second run counts: all of it, the copy, the builds and the start of the tests
//! included. `--truth N` then writes N of the mutants by hand into plain copies, one after the
//! other, and runs the tests there: what they notice must be what was noticed. A mutant that
//! would not have ended is left out of that.
//!
//! `--peers FOLDER` compares with cargo-mutants and cargo-gamma, installed there (`peers.rs`).
//! `--beside PROGRAM` is another tool's command, run in a copy of the package (twice, too),
//! whose processor time is shown beside ours; what it counts as a mutant it says itself.

use super::emitted::EmittedTests;
use super::owned::copy;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const USAGE: &str = "usage: cargo xtask bench mutants [--truth N] [--beside COMMAND] \
                     [--peers FOLDER [--sample N]] CRATE@VERSION...";
/// All operators, as many jobs as there are cores.
pub(super) const OURS_ALL: &[&str] = &[];
/// Cargo in a plain copy: no process may work for longer than so many seconds.
const CARGO: &str = "ulimit -S -t 20 && exec cargo \"$@\"";

pub fn run(args: &[String]) -> Result<()> {
    let (mut truth, mut beside, mut peers, mut crates) = (0, None, None, vec![]);
    let mut sample = super::peers::SAMPLE;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--truth" => truth = words.next().and_then(|n| n.parse().ok()).context(USAGE)?,
            "--beside" => beside = Some(words.next().context(USAGE)?),
            "--sample" => sample = words.next().and_then(|n| n.parse().ok()).context(USAGE)?,
            "--peers" => peers = Some(Path::new(words.next().context(USAGE)?)),
            _ => crates.push(word),
        }
    }
    if crates.is_empty() {
        bail!(USAGE);
    }
    if let Some(peers) = peers {
        return super::peers::run(peers, sample, &crates);
    }
    println!(
        "{:<24} {:>7} {:>8} {:>8} {:>6} {:>7} {:>9}",
        "crate", "mutants", "noticed", "refused", "runs", "cpu s", "ms/mutant"
    );
    let mut wrong = 0;
    for krate in crates {
        judge(krate, OURS_ALL)?;
        let (events, cpu) = judge(krate, OURS_ALL)?;
        let summary = events.last().context("it tells what came of it")?;
        let count = |key: &str| summary[key].as_u64().unwrap_or(0);
        let mutants = count("mutants");
        println!(
            "{krate:<24} {mutants:>7} {:>7.1}% {:>8} {:>6} {cpu:>7.1} {:>9.1}",
            summary["score"].as_f64().unwrap_or(0.0),
            count("withdrawn"),
            count("runs"),
            1000.0 * cpu / mutants.max(1) as f64
        );
        let package = Copy::new(krate)?;
        if let Some(command) = beside {
            package.beside(command)?;
            let (output, cpu) = package.beside(command)?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let last: Vec<&str> = text.lines().rev().take(5).collect();
            println!("  beside: {cpu:.1} cpu s; it ends with");
            last.iter().rev().for_each(|line| println!("    {line}"));
        }
        if truth > 0 {
            wrong += package.compare(&events, truth)?;
        }
    }
    if wrong > 0 {
        bail!("{wrong} verdicts are not those of plain builds");
    }
    Ok(())
}

/// Runs the command and reads its events.
pub(super) fn judge(krate: &str, more: &[&str]) -> Result<(Vec<Value>, f64)> {
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let folder = super::folder();
    let mut command = Command::new(&tool);
    command.args(["mutants", "--fresh", "--quiet", "--format", "json", "--crate", krate]);
    command
        .arg("--out-dir")
        .arg(folder.join("mutants"))
        .arg("--target-dir")
        .arg(folder.join("mutants/target"));
    command.args(more);
    let (output, cpu) = timed(&command)?;
    if !output.status.success() {
        bail!("{krate}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(), cpu))
}

/// Runs a command through a shell that tells, as the last line of its errors, how much of the
/// processor's time it and all that it started have used.
pub(super) fn timed(command: &Command) -> Result<(Output, f64)> {
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" \"$@\"; code=$?; times >&2; exit $code"]);
    shell.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    let named = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let output = shell.envs(named).output()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let seconds = |word: &str| {
        let (minutes, seconds) = word.trim_end_matches('s').split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    let words = text.lines().last().unwrap_or_default().split_whitespace();
    Ok((output, words.filter_map(seconds).sum()))
}

/// A plain copy of a package.
pub(super) struct Copy {
    pub(super) folder: PathBuf,
}

impl Copy {
    pub(super) fn new(krate: &str) -> Result<Copy> {
        let source = EmittedTests::new(krate, &[], &[])?.source_of(krate)?;
        let folder = super::folder().join("mutants/plain").join(krate);
        let _ = std::fs::remove_dir_all(&folder);
        copy(&source, &folder)?;
        let manifest = folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest)?;
        if !text.lines().any(|line| line.starts_with("[workspace")) {
            std::fs::write(&manifest, format!("{text}\n[workspace]\n"))?;
        }
        Ok(Copy { folder })
    }

    fn beside(&self, command: &str) -> Result<(Output, f64)> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(&self.folder);
        timed(&shell)
    }

    /// Whether the tests pass as the copy is; none if it does not compile.
    pub fn passes(&self) -> Result<Option<bool>> {
        let cargo = |more: &[&str]| {
            let mut cargo = Command::new("sh");
            cargo
                .args(["-c", CARGO, "sh", "test", "--tests", "--quiet"])
                .args(more)
                .current_dir(&self.folder);
            cargo.env("CARGO_TARGET_DIR", super::folder().join("mutants/plain/target"));
            cargo.env("RUSTFLAGS", "--cap-lints=allow").output()
        };
        if !cargo(&["--no-run"])?.status.success() {
            return Ok(None);
        }
        Ok(Some(cargo(&[])?.status.success()))
    }

    /// Adds a file of tests, as a target of its own.
    pub(super) fn add_test(&self, name: &str, text: &[u8]) -> Result<()> {
        let file = format!("tests/{name}.rs");
        std::fs::create_dir_all(self.folder.join("tests"))?;
        std::fs::write(self.folder.join(&file), text)?;
        let manifest = self.folder.join("Cargo.toml");
        let known = std::fs::read_to_string(&manifest)?;
        let section = format!("\n[[test]]\nname = {name:?}\npath = {file:?}\n");
        Ok(std::fs::write(&manifest, known + &section)?)
    }

    /// Whether one test of a target passes; one that does not end within ten seconds does not.
    pub(super) fn passes_alone(&self, target: &str, test: &str) -> Result<bool> {
        let cargo = |limit: &str, more: &[&str]| {
            let mut cargo = Command::new("timeout");
            cargo.args([limit, "cargo", "test", "--quiet", "--test", target]).args(more);
            cargo.env("CARGO_TARGET_DIR", super::folder().join("mutants/plain/target"));
            cargo.current_dir(&self.folder).env("RUSTFLAGS", "--cap-lints=allow").output()
        };
        let built = cargo("600", &["--no-run"])?;
        if !built.status.success() {
            bail!("{target}: {}", String::from_utf8_lossy(&built.stderr));
        }
        Ok(cargo("10", &["--", "--exact", test])?.status.success())
    }

    /// Asks something while a mutant stands in the copy.
    pub fn with<T>(&self, mutant: &Value, ask: impl Fn(&Copy) -> Result<T>) -> Result<T> {
        let file = self.folder.join(mutant["file"].as_str().context("a file")?);
        let text = std::fs::read_to_string(&file)?;
        std::fs::write(&file, mutated(&text, mutant).context("a place")?)?;
        let answer = ask(self);
        std::fs::write(&file, &text)?;
        answer
    }

    /// How many of the sampled verdicts are not those of plain builds.
    fn compare(&self, events: &[Value], count: usize) -> Result<usize> {
        let judged: Vec<&Value> = events
            .iter()
            .filter(|event| event["event"] == "mutant" && event["verdict"] != "timed_out")
            .collect();
        let every = (judged.len() / count).max(1);
        let (mut same, mut wrong) = (0, 0);
        for mutant in judged.into_iter().step_by(every).take(count) {
            let passes = self.with(mutant, Copy::passes)?;
            let wanted = match mutant["verdict"].as_str() {
                Some("killed" | "crashed") => Some(false),
                Some("withdrawn") => None,
                _ => Some(true),
            };
            // A change that our guards cannot hold may compile without them.
            if passes == wanted || wanted.is_none() {
                same += 1;
            } else {
                wrong += 1;
                println!("  plain: passes {passes:?}, but {mutant}");
            }
        }
        println!("  {same} of {} verdicts are those of plain builds", same + wrong);
        Ok(wrong)
    }
}

/// The text with the mutant written into it.
fn mutated(text: &str, mutant: &Value) -> Option<String> {
    let at =
        |line: &str, column: &str| byte(text, mutant[line].as_u64()?, mutant[column].as_u64()?);
    let (start, end) = (at("line", "column")?, at("end_line", "end_column")?);
    Some(format!("{}{}{}", &text[..start], mutant["replacement"].as_str()?, &text[end..]))
}

/// The byte of a line and a column, both from 1.
pub(super) fn byte(text: &str, line: u64, column: u64) -> Option<usize> {
    let lines = text.split_inclusive('\n').take(line.checked_sub(1)? as usize);
    let start: usize = lines.map(str::len).sum();
    let column = column.checked_sub(1)? as usize;
    let rest = &text[start..];
    let inside = rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
    Some(start + inside)
}
