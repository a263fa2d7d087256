//! Stateful testing: what it finds that random testing with as many calls does not, how
//! many of its clauses are true, what observation costs, and how fast inference is.

mod faults;
mod near;
mod soundness;
mod speed;
mod truth;

use super::{folder, report_of};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

/// `[examples SEEDS CALLS | soundness [SUBJECT …] | faults SEEDS CALLS [FAULT …] |
/// near CALLS [known [NAME …] | NAME@VERSION …] | speed | share]`
pub fn run(args: &[String]) -> Result<()> {
    let number = |n: usize, usual: u64| args.get(n).and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (seeds, calls) = (number(1, 10), number(2, 20_000));
    let subjects = args
        .get(1..)
        .filter(|all| !all.is_empty())
        .map_or(vec![soundness::CONTAINERS], |all| all.iter().map(String::as_str).collect());
    match args.first().map(String::as_str) {
        Some("examples") => examples(seeds, calls),
        Some("soundness") => soundness::run(&subjects),
        Some("faults") => faults::run(seeds, calls, args.get(3..).unwrap_or_default()),
        Some("near") => near::run(number(1, 300_000), args.get(2..).unwrap_or_default()),
        Some("speed") => speed::run(),
        Some("share") => speed::share(),
        _ => {
            examples(10, 20_000)?;
            soundness::run(&[soundness::CONTAINERS])?;
            faults::run(3, 20_000, &[])?;
            speed::run()
        }
    }
}

/// The command on a subject, as a user would run it.
fn command(subject: &str, out: &str) -> Result<Command> {
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let manifest = format!("../subjects/{subject}/Cargo.toml");
    let mut command = Command::new(&tool);
    command.arg("--manifest-path").arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(manifest));
    command.arg("--out-dir").arg(folder().join(format!("stateful-{out}")));
    command.arg("--target-dir").arg(folder().join("target"));
    Ok(command)
}

/// What a run reports.
fn findings_of(command: &mut Command) -> Result<Vec<Value>> {
    Ok(report_of(&command.output().context("cargo-testsmith is built")?)?.0)
}

/// The most calls that stateful testing makes beside so many random ones: its share of them or
/// the least that it makes, and a quarter more around exceptions. Random calls alone get all of
/// these, so that they never have fewer.
fn own_calls(calls: u64) -> u64 {
    (calls / 5).max(60_000) / 4 * 5
}

/// The faults of the three examples, with stateful testing and by random calls alone.
fn examples(seeds: u64, calls: u64) -> Result<()> {
    let (own, all) = (own_calls(calls), calls + own_calls(calls));
    println!("{calls} random calls and up to {own} of stateful testing, or {all} random ones");
    let mut found: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    let mut seconds = [0.0; 2];
    for seed in 0..seeds {
        for (n, (calls, without)) in [(calls, false), (all, true)].into_iter().enumerate() {
            let mut command = command("stateful", "examples")?;
            command.args(["--no-write", "--format", "json", "--seed", &seed.to_string()]);
            command.args(["--no-regressions", "--calls", &calls.to_string()]);
            if without {
                command.args(["--without", "stateful"]);
            }
            let begin = Instant::now();
            let findings = findings_of(&mut command)?;
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
