//! The benches, one file each.

mod adversary;
mod callable;
mod calls;
mod contracts;
mod coverage;
mod emitted;
mod kill;
mod known_bugs;
mod korat;
mod mutants;
mod owned;
mod peers;
mod printed;
mod random;
mod reach;
mod stackcalc;
mod stateful;
mod survey;
mod symbolic;

use anyhow::{Context, Result};
use cargo_testsmith::args::Target;
use cargo_testsmith::pipeline::Session;
use serde_json::Value;
use std::path::PathBuf;

/// A bench: the name on the command line, what it shows, and its entry.
type Bench = (&'static str, &'static str, fn(&[String]) -> anyhow::Result<()>);

const BENCHES: &[Bench] = &[
    (
        "symbolic",
        "paths, cases and times of explored puts; speed of the interpreter and of solvers",
        symbolic::run,
    ),
    (
        "adversary",
        "generated programs with known truth: untrue verdicts, share decided",
        adversary::run,
    ),
    ("callable", "the share of core callables that become operations", callable::run),
    ("calls", "calls per second through the worker against a bare loop", calls::run),
    ("contracts", "what checked and unchecked contracts cost", contracts::run),
    ("coverage", "what coverage and the sandbox cost", coverage::run),
    ("kill", "the share of surviving mutants that written tests kill, and its cost", kill::run),
    ("known-bugs", "published versions with confirmed bugs: which are found", known_bugs::run),
    ("korat", "structures found per second, against the Java tool", korat::run),
    (
        "random",
        "the random engine: speed, the worth of each heuristic, how much it reaches",
        random::run,
    ),
    (
        "reach",
        "states by contracts against random: preconditions met by tries and time; goals",
        reach::run,
    ),
    (
        "survey",
        "twenty published crates: what is exercised and reported, and whether tests are steady",
        survey::run,
    ),
    (
        "mutants",
        "what a mutant costs with the crates' own tests, and whether its verdict is true",
        mutants::run,
    ),
    ("owned", "emitted tests in the crates' own packages: lints, days, zones, release", owned::run),
    ("printed", "random sequences as tests: accepted by rustc, same outcomes", printed::run),
    (
        "stateful",
        "what stateful testing finds beside random calls, how true its clauses are, its speed",
        stateful::run,
    ),
    ("stackcalc", "preconditions asked for before calls; seeded bugs found", stackcalc::run),
];

/// The published crates that benches over many crates go through.
const CRATES: [&str; 20] = [
    "indexmap@2.14.2",
    "smallvec@1.16.4",
    "arrayvec@0.7.8",
    "fixedbitset@0.5.7",
    "semver@1.0.28",
    "num-rational@0.4.2",
    "num-bigint@0.5.1",
    "roaring@0.12.0",
    "slotmap@1.1.1",
    "generational-arena@0.2.9",
    "priority-queue@2.7.0",
    "bit-vec@0.10.1",
    "ordered-float@5.5.1",
    "humantime@2.4.0",
    "heck@0.5.0",
    "geo-types@0.7.20",
    "petgraph@0.8.3",
    "hashlink@0.12.2",
    "im@15.1.0",
    "url@2.5.8",
];

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let name = args.first().map_or("", String::as_str);
    match BENCHES.iter().find(|(n, _, _)| *n == name) {
        Some((_, _, bench)) => bench(&args[1..]),
        None => anyhow::bail!("no bench is called {name:?}\n{}", names()),
    }
}

/// The list of benches, for people.
pub fn names() -> String {
    let lines: Vec<String> =
        BENCHES.iter().map(|(n, what, _)| format!("  {n:<10} {what}")).collect();
    format!("benches:\n{}", lines.join("\n"))
}

/// Where the benches keep what they build: below the workspace's own target folder, or
/// where `TESTSMITH_BENCH_DIR` says, so that two of them can run beside each other.
fn folder() -> PathBuf {
    match std::env::var_os("TESTSMITH_BENCH_DIR") {
        Some(folder) => folder.into(),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/testsmith-bench"),
    }
}

/// The findings and the summary that the command printed for programs.
fn report_of(output: &std::process::Output) -> Result<(Vec<Value>, Value)> {
    let text = String::from_utf8_lossy(&output.stdout);
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let (mut findings, mut summary) = (vec![], None);
    for event in events {
        match event["event"].as_str() {
            Some("finding") => findings.push(event),
            Some("summary") => summary = Some(event),
            _ => {}
        }
    }
    let summary = summary.with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok((findings, summary))
}

/// A published crate under test.
fn session(krate: &str) -> Result<Session> {
    let root = folder();
    let target = Target {
        krate: Some(krate.to_owned()),
        out_dir: Some(root.clone()),
        target_dir: Some(root.join("target")),
        quiet: true,
        ..Target::default()
    };
    Session::open(&target, Default::default())
}
