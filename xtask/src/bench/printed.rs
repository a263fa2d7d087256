//! Random sequences printed as tests: the borrow checker has to accept all of
//! them, and every one has to end as the worker saw it end.

use super::session;
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use testsmith_lab::{Profile, TestBuild, TestResults, TestSources, WorkerLimits};
use testsmith_model::message::Walk;
use testsmith_model::outcome::Outcome;
use testsmith_model::{Plan, Sequence};

/// Crates with iterators, entries, guards and slices that borrow.
const CRATES: [&str; 6] = [
    "indexmap@2.14.2",
    "smallvec@1.15.1",
    "arrayvec@0.7.6",
    "slotmap@1.0.7",
    "hashlink@0.10.0",
    "im@15.1.0",
];
const SEQUENCES_EACH: u32 = 1700;
/// An order of hashing may be the same twice by chance.
const RUNS_TO_COMPARE: usize = 12;
/// Tests in one file; the compiler's time grows faster than that.
const TESTS_A_FILE: usize = 600;

const HEADER: &str = r#"#![allow(warnings)]
#[cfg(test)]
fn message<T>(caught: std::thread::Result<T>) -> String {
    match caught {
        Ok(_) => "no panic".to_owned(),
        Err(payload) => match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
            (Some(text), _) => text.to_string(),
            (_, Some(text)) => text.clone(),
            _ => "a value that is not text".to_owned(),
        },
    }
}
#[cfg(test)]
mod printed {
"#;

pub fn run(args: &[String]) -> Result<()> {
    let each: u32 = match args.first() {
        Some(number) => number.parse()?,
        None => SEQUENCES_EACH,
    };
    let chosen: Vec<&str> = match args.get(1..) {
        Some([first, rest @ ..]) => {
            std::iter::once(first).chain(rest).map(String::as_str).collect()
        }
        _ => CRATES.to_vec(),
    };
    println!(
        "{:<24} {:>9} {:>8} {:>8} {:>9} {:>9} {:>8}",
        "crate", "sequences", "calls", "printed", "rejected", "differing", "fatal"
    );
    let mut bad = 0;
    let mut total = 0;
    for krate in chosen {
        let row = check(krate, each)?;
        total += row.printed;
        bad += row.rejected + row.differing;
        println!(
            "{krate:<24} {:>9} {:>8} {:>8} {:>9} {:>9} {:>8}",
            row.sequences, row.calls, row.printed, row.rejected, row.differing, row.unseen
        );
    }
    println!("{total} tests printed, {bad} of them wrong");
    if bad > 0 {
        bail!("{bad} printed sequences were rejected or ended differently");
    }
    Ok(())
}

#[derive(Default)]
struct Row {
    sequences: usize,
    calls: usize,
    printed: usize,
    rejected: usize,
    differing: usize,
    /// The process ended, or a drop panicked: no test can show that.
    unseen: usize,
}

fn check(krate: &str, each: u32) -> Result<Row> {
    let mut session = session(krate)?;
    let harness = session.build(Profile::Unoptimised)?;
    let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
    let walk = Walk {
        seed: 2024,
        max_sequences: each.into(),
        max_calls: u64::MAX,
        max_length: 18,
        keep: each,
        ..Walk::default()
    };
    let mut kept: Vec<(Sequence, Outcome)> = vec![];
    supervisor.walk(&walk, &mut |sequence, outcome| kept.push((sequence, outcome)))?;
    // Addresses and orders of hashing differ in another process.
    let mut other = session.supervise(&harness, WorkerLimits::default())?;
    let plan = std::sync::Arc::clone(&session.plan);
    let mut row = Row { sequences: kept.len(), ..Row::default() };
    let mut tests: Vec<(String, String)> = vec![];
    for (n, (sequence, outcome)) in kept.iter().enumerate() {
        row.calls += sequence.calls();
        match print(&plan, sequence, outcome, &mut other, n)? {
            Some(test) => tests.push(test),
            None => row.unseen += 1,
        }
    }
    row.printed = tests.len();
    for file in tests.chunks(TESTS_A_FILE) {
        compile_and_run(&session.lab, file.to_vec(), &mut row)?;
    }
    Ok(row)
}

fn print(
    plan: &Plan,
    sequence: &Sequence,
    outcome: &Outcome,
    other: &mut testsmith_lab::Supervisor,
    n: usize,
) -> Result<Option<(String, String)>> {
    if outcome.ending.is_fatal() {
        return Ok(None);
    }
    let mut unstable = std::collections::HashSet::new();
    for _ in 0..RUNS_TO_COMPARE {
        let again = other.run(sequence, true)?;
        if again.ending != outcome.ending {
            return Ok(None);
        }
        let differs = |step: &usize| outcome.values.get(*step) != again.values.get(*step);
        unstable.extend((0..sequence.len()).filter(differs));
    }
    let stable = |step: usize| !unstable.contains(&step);
    let name = format!("sequence_{n}");
    let text = testsmith_render::witness(plan, sequence, outcome, &name, &stable);
    Ok(text.map(|text| (name, text)))
}

/// Tests that do not compile are counted, shown and left out of the next try.
fn compile_and_run(
    lab: &testsmith_lab::Lab,
    mut tests: Vec<(String, String)>,
    row: &mut Row,
) -> Result<()> {
    for _ in 0..8 {
        let mut source = HEADER.to_owned();
        let mut lines = BTreeMap::new();
        for (n, (_, text)) in tests.iter().enumerate() {
            lines.insert(source.lines().count() + 1, n);
            source.push_str(text);
        }
        source.push_str("}\n");
        let files = BTreeMap::from([("printed".to_owned(), source)]);
        let sources = TestSources { files: &files, folder: None, lints: "allow(warnings)" };
        match lab.build_tests(Profile::Unoptimised, &sources)? {
            TestBuild::Refused(errors) => {
                let mut gone: BTreeMap<usize, String> = BTreeMap::new();
                for error in errors {
                    if let Some((_, n)) = lines.range(..=error.line).next_back() {
                        gone.entry(*n).or_insert(error.why);
                    }
                }
                for (n, why) in gone.iter().rev() {
                    let (_, text) = tests.remove(*n);
                    println!("rejected: {why}\n{text}");
                    row.rejected += 1;
                }
            }
            TestBuild::Built(program) => {
                let TestResults { passed: results, output, .. } = program.run(&[])?;
                for (name, passed) in &results {
                    if !passed {
                        row.differing += 1;
                        let short = name.rsplit("::").next().unwrap_or(name);
                        let text = tests.iter().find(|(name, _)| name == short);
                        println!("differs: {}", text.map_or("", |(_, text)| text));
                        let why = output.split(&format!("---- {name} stdout ----")).nth(1);
                        println!("{}", why.map_or("", |why| &why[..why.len().min(600)]));
                    }
                }
                if results.len() != tests.len() {
                    bail!("{} of {} tests reported", results.len(), tests.len());
                }
                return Ok(());
            }
        }
    }
    bail!("tests still do not compile after eight tries")
}
