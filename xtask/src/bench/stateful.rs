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
/// Calls of an inference whose clauses are checked, a third of them by stateful testing, and
/// how many times as many check them.
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

/// Clauses of one kind: how many there are, how many of them an independent search with ten
/// times the calls breaks, and how many of those were refuted before.
#[derive(Clone, Copy, Default)]
struct Sound {
    inferred: usize,
    unsound: usize,
    refuted: usize,
    /// Of those that were kept, the ones that the other search never came across.
    unseen: usize,
}

impl Sound {
    fn add(&mut self, other: Sound) {
        self.inferred += other.inferred;
        self.unsound += other.unsound;
        self.refuted += other.refuted;
        self.unseen += other.unseen;
    }

    /// The share of true clauses, before reduction and after.
    fn shares(self) -> [f64; 2] {
        let (sound, kept) = (self.inferred - self.unsound, self.inferred - self.refuted);
        [self.inferred, kept].map(|of| 100.0 * sound as f64 / of.max(1) as f64)
    }

    fn columns(self) -> String {
        let [before, after] = self.shares();
        let Sound { inferred, unsound, refuted, unseen } = self;
        format!("{inferred:>6} {unsound:>5} {refuted:>5} {before:>6.1}% {after:>6.1}% {unseen:>5}")
    }
}

/// Table I of the paper: preconditions, and promises with invariants, of subjects of our own
/// or published crates (`NAME@VERSION`), type by type.
fn soundness(subjects: &[&str]) -> Result<()> {
    let head =
        format!("{:>6} {:>5} {:>5} {:>7} {:>7} {:>5}", "#T", "#U", "#V", "before", "after", "?");
    println!("{:<52} preconditions {} promises {}", "type", &head[13..], head);
    let mut all = [Sound::default(); 2];
    for subject in subjects {
        let clauses = clauses(subject)?;
        let mut types: BTreeMap<String, [Sound; 2]> = BTreeMap::new();
        for (of, clause) in &clauses {
            let word = |key: &str| clause[key].as_str().unwrap_or_default();
            let seen = |n: usize| clause["checked"][n].as_u64().unwrap_or_default();
            let refuted = word("fate") == "refuted";
            // What was refuted was untrue, whether or not the other search knows.
            let unsound = refuted || seen(1) > 0;
            let one = Sound {
                inferred: 1,
                unsound: unsound.into(),
                refuted: refuted.into(),
                unseen: usize::from(!unsound && seen(0) == 0),
            };
            let kind = usize::from(word("kind") != "requires");
            types.entry(of.clone()).or_default()[kind].add(one);
            if unsound && !refuted {
                println!("  untrue: {of} {} {}", word("kind"), word("clause"));
            }
        }
        for (of, [pre, post]) in &types {
            println!("{of:<52} {} {}", pre.columns(), post.columns());
            all[0].add(*pre);
            all[1].add(*post);
        }
    }
    println!("{:<52} {} {}", "all", all[0].columns(), all[1].columns());
    let mut both = all[0];
    both.add(all[1]);
    println!("{:<52} {}", "preconditions and promises together", both.columns());
    Ok(())
}

/// Every clause with its type, and what an independent search says of it.
fn clauses(subject: &str) -> Result<Vec<(String, Value)>> {
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let mut command = Command::new(&tool);
    command.args(["infer", "--quiet", "--format", "json", "--seed", "0"]);
    command.args(["--calls", &INFERRED.to_string()]);
    command.args(["--check-calls", &(INFERRED / 3 * TIMES).to_string()]);
    match subject.contains('@') {
        true => command.args(["--crate", subject]),
        false => {
            let manifest = format!("../subjects/{subject}/Cargo.toml");
            let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(manifest);
            command.arg("--manifest-path").arg(manifest)
        }
    };
    command.arg("--out-dir").arg(folder().join(format!("stateful-soundness-{subject}")));
    command.arg("--target-dir").arg(folder().join("target"));
    let output = command.output().context("cargo-testsmith is built")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let clauses = events.filter(|event| event["event"] == "clause");
    let of = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
    let all: Vec<(String, Value)> =
        clauses.map(|event| (of(&event), event["clause"].clone())).collect();
    anyhow::ensure!(!all.is_empty(), "{subject}: {}", String::from_utf8_lossy(&output.stderr));
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
