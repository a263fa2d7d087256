//! Stateful testing: what it finds that random testing with as many calls does not, how
//! many of its clauses are true, what observation costs, and how fast inference is.

use super::{folder, report_of};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;
use testsmith_infer::{Class, Table, infer};

/// Calls that stateful testing makes beside a small number of random ones.
const OWN_CALLS: u64 = 60_000;
/// Calls of an inference whose clauses are checked, and how many times as many check them.
const INFERRED: u64 = 300_000;
const TIMES: u64 = 10;

/// `[examples SEEDS CALLS | soundness [SUBJECT …] | speed]`
pub fn run(args: &[String]) -> Result<()> {
    let number = |n: usize, usual: u64| args.get(n).and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (seeds, calls) = (number(1, 10), number(2, 20_000));
    let subjects = args
        .get(1..)
        .filter(|all| !all.is_empty())
        .map_or(vec!["containers"], |all| all.iter().map(String::as_str).collect());
    match args.first().map(String::as_str) {
        Some("examples") => examples(seeds, calls),
        Some("soundness") => soundness(&subjects),
        Some("speed") => {
            speed();
            Ok(())
        }
        _ => {
            examples(10, 20_000)?;
            soundness(&["containers"])?;
            speed();
            Ok(())
        }
    }
}

/// The command on a subject, as a user would run it.
fn command(subject: &str, out: &str) -> Result<Command> {
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let manifest = format!("../subjects/{subject}/Cargo.toml");
    let mut command = Command::new(&tool);
    command.arg("--quiet").arg("--manifest-path");
    command.arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(manifest));
    command.arg("--out-dir").arg(folder().join(format!("stateful-{out}")));
    command.arg("--target-dir").arg(folder().join("target"));
    Ok(command)
}

/// The faults of the three examples, with stateful testing and by random calls alone.
fn examples(seeds: u64, calls: u64) -> Result<()> {
    let all = calls + OWN_CALLS;
    println!("{calls} random calls and up to {OWN_CALLS} of stateful testing, or {all} random");
    let mut found: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    let mut seconds = [0.0; 2];
    for seed in 0..seeds {
        for (n, (calls, without)) in [(calls, false), (all, true)].into_iter().enumerate() {
            let mut command = command("stateful", "examples")?;
            command.args(["--no-write", "--format", "json", "--seed", &seed.to_string()]);
            command.args(["--calls", &calls.to_string()]);
            if without {
                command.args(["--without", "stateful"]);
            }
            let begin = Instant::now();
            let (findings, _) = report_of(&command.output().context("cargo-testsmith is built")?)?;
            seconds[n] += begin.elapsed().as_secs_f64();
            let name = |finding: &Value| finding["operation"].as_str().unwrap_or("?").to_owned();
            let operations: BTreeSet<String> = findings.iter().map(name).collect();
            for operation in operations {
                found.entry(operation).or_default()[n] += 1;
            }
        }
    }
    println!("{:<60} {:>8} {:>8}", "found in so many seeds", "with", "without");
    for (operation, [with, without]) in &found {
        println!("{operation:<60} {with:>8} {without:>8}");
    }
    println!("{:<60} {:>8.1} {:>8.1}", "seconds in all", seconds[0], seconds[1]);
    Ok(())
}

/// Which clauses an independent search refutes: ten times the calls with another seed.
fn soundness(subjects: &[&str]) -> Result<()> {
    println!(
        "{:<14} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "subject", "inferred", "true", "refuted", "kept", "true"
    );
    for subject in subjects {
        let told = clauses(subject, INFERRED, 0)?;
        let judge = clauses(subject, INFERRED * TIMES, 1)?;
        // A clause is true if the larger search still believes it, or never had reason to
        // doubt what it says; it is untrue if that search has refuted it.
        let is_true = |key: &(String, String)| judge.get(key).map(|fate| fate != "refuted");
        let known: Vec<_> = told.iter().filter(|(key, _)| is_true(key).is_some()).collect();
        let count = |all: &[&(&(String, String), &String)]| {
            all.iter().filter(|(key, _)| is_true(key) == Some(true)).count()
        };
        let all: Vec<_> = known.iter().collect();
        let kept: Vec<_> = known.iter().filter(|(_, fate)| *fate != "refuted").collect();
        let share = |n: usize, of: usize| 100.0 * n as f64 / of.max(1) as f64;
        println!(
            "{subject:<14} {:>9} {:>8.1}% {:>9} {:>9} {:>8.1}%",
            all.len(),
            share(count(&all), all.len()),
            all.len() - kept.len(),
            kept.len(),
            share(count(&kept), kept.len()),
        );
        println!("  {} more that the other search does not speak of", told.len() - known.len());
        for (key, _) in kept.iter().filter(|(key, _)| is_true(key) == Some(false)).take(20) {
            println!("  untrue: {} | {}", key.0, key.1);
        }
    }
    Ok(())
}

/// Every clause by function and text, with its fate.
fn clauses(subject: &str, calls: u64, seed: u64) -> Result<BTreeMap<(String, String), String>> {
    let mut command = command(subject, &format!("soundness-{subject}"))?;
    let words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let program = command.get_program().to_owned();
    command = Command::new(program);
    command.arg("infer").args(words).args(["--format", "json"]);
    command.args(["--calls", &calls.to_string(), "--seed", &seed.to_string()]);
    let output = command.output().context("cargo-testsmith is built")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut all = BTreeMap::new();
    for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let clause = &event["clause"];
        let function = format!("{}::{}", word(&event["type"]), word(&event["function"]));
        let said = format!("{} {}", word(&clause["kind"]), word(&clause["clause"]));
        all.insert((function, said), word(&clause["fate"]));
    }
    Ok(all)
}

/// How long inference over ten million observations takes.
fn speed() {
    const ROWS: i64 = 10_000_000;
    let (yes, number) = (Class::Answer, Class::Number { least: 0 });
    let classes = vec![yes, number, number, yes, number, number];
    let columns = vec![Vec::with_capacity(ROWS as usize); classes.len()];
    let mut table = Table { classes, before: 3, columns, times: vec![] };
    for n in 0..ROWS {
        let (len, item) = (n % 1000, n.wrapping_mul(0x9e37_79b9) % 4096);
        let row = [i64::from(len == 0), len, item, 0, len + 1, item];
        table.push(row.into_iter(), 1);
    }
    let begin = Instant::now();
    let clauses = infer(&table, &Default::default(), false);
    let seconds = begin.elapsed().as_secs_f64();
    println!("{ROWS} observations, 6 columns: {} clauses in {seconds:.1} s", clauses.len());
}
