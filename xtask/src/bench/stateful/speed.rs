//! How fast inference is, how fast a store of a million objects answers, and what it costs to
//! observe.

use super::super::{folder, report_of};
use super::command;
use anyhow::Result;
use cargo_testsmith::args::Target;
use cargo_testsmith::pipeline::Session;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use testsmith_infer::{Class, Table, infer, watches};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::Walk;
use testsmith_model::observation::Watching;
use testsmith_store::{Condition, FILE, MAX_OBJECTS, Object, Observation, Seen, Store, Value};

/// Observations of one operation.
const ROWS: i64 = 10_000_000;
/// Objects of the store, and queries of each kind.
const OBJECTS: usize = 1_000_000;
const QUERIES: usize = 101;
/// Calls of the walks that are compared, and how often each is made.
const CALLS: u64 = 200_000;
const WALKS: u64 = 5;
/// Seconds of a whole run.
const RUN: &str = "12";

pub(super) fn run() -> Result<()> {
    inference();
    queries()?;
    for subject in ["stateful", "containers", "stackcalc"] {
        observation(subject)?;
    }
    Ok(())
}

/// What a run that is bounded by time loses to stateful testing: random calls of runs with it
/// and without, one after the other, since the machine may be busy with something else.
pub(super) fn share() -> Result<()> {
    for subject in ["stateful", "containers", "stackcalc"] {
        let mut calls = [vec![], vec![]];
        for seed in 0..WALKS {
            for (n, without) in [false, true].into_iter().enumerate() {
                let mut command = command(subject, "share")?;
                command.args(["--no-write", "--no-regressions", "--format", "json", "--fresh"]);
                command.args(["--budget", RUN, "--jobs", "1", "--seed", &seed.to_string()]);
                if without {
                    command.args(["--without", "stateful"]);
                }
                let (_, summary) = report_of(&command.output()?)?;
                calls[n].push(summary["calls"].as_u64().unwrap_or_default());
            }
        }
        calls.iter_mut().for_each(|all| all.sort_unstable());
        let [with, without] = calls.map(|all| all[all.len() / 2]);
        let lost = 100.0 - 100.0 * with as f64 / without.max(1) as f64;
        println!("{subject:<12} {with} random calls with and {without} without: {lost:.1}% lost");
    }
    Ok(())
}

/// How long inference over ten million observations takes.
fn inference() {
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

/// How long a store of a million objects takes to answer: as many crates as it needs, each with
/// all the objects that a crate may have.
fn queries() -> Result<()> {
    let place = folder().join("stateful-store");
    std::fs::create_dir_all(&place)?;
    let file = place.join(FILE);
    let crates: Vec<String> = (0..OBJECTS.div_ceil(MAX_OBJECTS)).map(|n| format!("c{n}")).collect();
    if !file.exists() {
        let begin = Instant::now();
        let mut store = Store::open(&file)?;
        for krate in &crates {
            store.put_seen(krate, &many_objects())?;
        }
        println!("{OBJECTS} objects stored in {:.0} s", begin.elapsed().as_secs_f64());
    }
    let store = Store::open_to_read(&file)?;
    for text in [
        "Stack: is_empty",
        "Stack: !is_empty && len > 3",
        "Stack: len == 77",
        "Queue: len > 90 && capacity == 128 && !is_empty",
        "Queue: len > 1000",
    ] {
        let condition = Condition::parse(text)?;
        let mut found = 0;
        let mut all: Vec<f64> = vec![];
        for n in 0..QUERIES {
            let krate = &crates[n % crates.len()];
            let begin = Instant::now();
            found = store.objects(krate, &condition, 45)?.len();
            all.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        all.sort_by(f64::total_cmp);
        let (median, worst) = (all[QUERIES / 2], all[QUERIES - 1]);
        println!("{text:<52} {found:>3} objects, median {median:>6.2} ms, longest {worst:>6.2} ms");
    }
    Ok(())
}

/// All objects of one crate, of two types, with three answers each.
fn many_objects() -> Seen {
    let mut seen = Seen::default();
    for n in 0..MAX_OBJECTS {
        let ty = ["krate::Stack", "krate::Queue<i32>"][n % 2];
        let value = Value { steps: format!("[{n}]"), slot: 0 };
        seen.objects.push(Object { value, ty: ty.to_owned(), identity: n.to_string() });
        let len = (n * 7919 % 100) as i64;
        let answers =
            [("$.is_empty()", i64::from(len == 0)), ("$.len()", len), ("$.capacity()", 128)];
        for (predicate, value) in answers {
            seen.observations.push(Observation {
                predicate: predicate.to_owned(),
                object: n,
                other: None,
                value,
                moment: "end".to_owned(),
                call: String::new(),
            });
        }
    }
    seen
}

/// The same walk without observation and with it: what each call costs, and what part of the
/// calls of a whole run that is, where a sixth of all are observed.
fn observation(subject: &str) -> Result<()> {
    let root = folder();
    let manifest = format!("../subjects/{subject}/Cargo.toml");
    let target = Target {
        manifest_path: Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(manifest)),
        out_dir: Some(root.join(format!("stateful-speed-{subject}"))),
        target_dir: Some(root.join("target")),
        quiet: true,
        ..Target::default()
    };
    let mut session = Session::open(&target, Default::default())?;
    let plan = Arc::clone(&session.plan);
    let harness = session.build(Profile::Unoptimised)?;
    let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
    let watching = Watching { watches: watches(&plan, &|_| true), rows_each: 2000 };
    let (mut plain, mut watched) = (vec![], vec![]);
    for seed in 0..WALKS {
        let max_calls = CALLS;
        let walk =
            Walk { seed, max_sequences: u64::MAX, max_calls, max_length: 20, ..Walk::default() };
        let begin = Instant::now();
        let calls = supervisor.walk(&walk, &mut |_, _| ())?.calls;
        plain.push(begin.elapsed().as_secs_f64() / calls.max(1) as f64);
        let begin = Instant::now();
        let (observed, walked) = supervisor.observe(&watching, &walk, &[], &mut |_, _| ())?;
        let calls = (walked.calls + observed.calls).max(1);
        watched.push(begin.elapsed().as_secs_f64() / calls as f64);
    }
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2] * 1e6
    };
    let (plain, watched) = (median(plain), median(watched));
    println!(
        "{subject:<12} a call {plain:.2} us, under observation {watched:.2} us: {:.1} times",
        watched / plain
    );
    Ok(())
}
