//! The random engine: how fast it is, what each heuristic is worth, and how
//! much of an API it reaches.
//!
//! `speed`: the whole engine against a bare loop over the same thunks.
//! `thesis`: a random walk, legality pruning only and the full engine, for the
//! same number of calls. `heuristics`: the full engine with each heuristic
//! switched off, or with those that are named. `worth`: those that pay on some
//! kinds of crates only, on such crates. `oracles`: what the laws, the
//! interruptions and the watched memory cost. `reach`: the share of operations that
//! completed at least once. All take names of crates.

use super::{CRATES, session};
use anyhow::{Result, bail};
use cargo_testsmith::finding::{Failure, Findings, relative};
use cargo_testsmith::pipeline::Session;
use cargo_testsmith::selection::Selection;
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};
use testsmith_judge::{Severity, Verdict, judge};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::{Timing, Walk};
use testsmith_model::{Heuristic, Heuristics, OperationKind, Plan};

const SUBJECTS: [&str; 3] = ["indexmap@2.14.2", "fixedbitset@0.5.7", "semver@1.0.28"];
const MAX_LENGTH: u32 = 20;
const SEEDS: u64 = 3;
const CALLS: u64 = 300_000;
/// Points at which distinct values are counted.
const POINTS: u64 = 6;
/// What a worker knows when it dies is lost, so it is asked often.
const ROUNDS_A_POINT: u64 = 10;

/// Heuristics that pay where containers grow past a bound, where many calls
/// panic, and where texts are parsed.
const WORTH: [(Heuristic, &[&str]); 3] = [
    (Heuristic::Repetition, &["im"]),
    (Heuristic::Arguments, &["arrayvec", "bit-vec"]),
    (Heuristic::Texts, &["humantime", "url"]),
];

pub fn run(args: &[String]) -> Result<()> {
    let part = args.first().map_or("", String::as_str);
    let rest = args.get(1..).unwrap_or_default();
    match part {
        "speed" => speed(rest),
        "thesis" => thesis(rest),
        "heuristics" => heuristics(rest),
        "worth" => worth(rest),
        "oracles" => oracles(rest),
        "reach" => reach(rest),
        "" => {
            speed(&[])?;
            thesis(&[])?;
            heuristics(&[])?;
            worth(&[])
        }
        _ => anyhow::bail!(
            "bench random takes speed, thesis, heuristics, worth, oracles or reach, not {part:?}"
        ),
    }
}

/// The crates asked for, or the usual ones.
/// The crates of these names; any other goes with its version, as `NAME@VERSION`.
fn subjects(names: &[String]) -> Result<Vec<&str>> {
    if names.is_empty() {
        return Ok(SUBJECTS.to_vec());
    }
    let named =
        |name: &String| CRATES.into_iter().find(|krate| krate.split('@').next() == Some(name));
    let subject = |name| match named(name) {
        Some(krate) => Ok(krate),
        None if name.contains('@') => Ok(name.as_str()),
        None => bail!("{name} is none of the surveyed crates: say {name}@VERSION"),
    };
    names.iter().map(subject).collect()
}

fn speed(names: &[String]) -> Result<()> {
    println!("processor time a call in ns, optimised build, one core, median of {SEEDS} seeds");
    println!(
        "{:<20} {:>8} {:>8} {:>8} {:>12} {:>14} {:>12} {:>9} {:>9}",
        "crate",
        "engine",
        "bare",
        "rate",
        "calls/s",
        "sequences/s",
        "panics/call",
        "watched",
        "all"
    );
    println!("watched: engine with the memory of one in eight sequences watched; all: of all");
    for krate in subjects(names)? {
        let mut session = session(krate)?;
        session.build(Profile::Unoptimised)?;
        let harness = session.build(Profile::Optimised)?;
        let (mut rows, mut watched, mut all) = (vec![], vec![], vec![]);
        for seed in 0..SEEDS {
            for (watch_every, rows) in [(0, &mut rows), (8, &mut watched), (1, &mut all)] {
                let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
                let walk = Walk {
                    max_sequences: 20_000,
                    max_calls: 300_000,
                    watch_every,
                    ..walk(100 + seed, Heuristics::ALL)
                };
                rows.push(supervisor.time(&walk)?);
            }
        }
        let median_of = |rows: &[Timing], of: &dyn Fn(&Timing) -> f64| {
            let mut column: Vec<f64> = rows.iter().map(of).collect();
            column.sort_by(f64::total_cmp);
            column[column.len() / 2]
        };
        let median = |of: &dyn Fn(&Timing) -> f64| median_of(&rows, of);
        let each = |ns: u64, calls: u64| ns as f64 / calls.max(1) as f64;
        let engine = |t: &Timing| each(t.walk_ns, t.walk_calls);
        let bare = |t: &Timing| each(t.bare_ns, t.calls);
        println!(
            "{krate:<20} {:>8.1} {:>8.1} {:>8.2} {:>12.0} {:>14.0} {:>11.2}% {:>9.1} {:>9.1}",
            median(&engine),
            median(&bare),
            median(&|t| bare(t) / engine(t)),
            median(&|t| 1e9 / engine(t)),
            median(&|t| t.walk_sequences as f64 * 1e9 / t.walk_ns.max(1) as f64),
            median(&|t| 100.0 * each(t.panics, t.walk_calls)),
            median_of(&watched, &engine),
            median_of(&all, &engine),
        );
    }
    Ok(())
}

/// Processor time a call with each oracle, against none of them.
fn oracles(names: &[String]) -> Result<()> {
    println!("processor time a call in ns, optimised build, median of {SEEDS} seeds");
    println!("ratio: against none; laws: the share of the calls that ask for one");
    println!("{:<20} {:<16} {:>8} {:>8} {:>8}", "crate", "with", "ns", "ratio", "laws");
    let (laws, interruptions) = (Heuristic::Laws, Heuristic::Interruptions);
    let none = Heuristics::ALL.without(laws).without(interruptions);
    let rows = [
        ("none", none, 0),
        ("laws", Heuristics::ALL.without(interruptions), 0),
        ("interruptions", Heuristics::ALL.without(laws), 0),
        ("watched memory", none, 8),
        ("all", Heuristics::ALL, 8),
    ];
    for krate in subjects(names)? {
        let mut session = session(krate)?;
        session.build(Profile::Unoptimised)?;
        let harness = session.build(Profile::Optimised)?;
        let asks = |n: &usize| session.plan.operations[*n].kind == OperationKind::Law;
        let of_laws: Vec<usize> = (0..session.plan.operations.len()).filter(asks).collect();
        let mut base = None;
        for (name, heuristics, watch_every) in rows {
            let (mut each, mut share) = (vec![], 0.0);
            for seed in 0..SEEDS {
                let walk =
                    Walk { max_sequences: 20_000, watch_every, ..walk(100 + seed, heuristics) };
                let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
                let timing = supervisor.time(&walk)?;
                each.push(timing.walk_ns as f64 / timing.walk_calls.max(1) as f64);
                let walked = supervisor.walk(&walk, &mut |_, _| ())?;
                let asked: u32 = of_laws.iter().map(|n| walked.completed[*n]).sum();
                share += f64::from(asked) / walked.calls.max(1) as f64 / SEEDS as f64;
            }
            each.sort_by(f64::total_cmp);
            let ns = each[each.len() / 2];
            let ratio = ns / *base.get_or_insert(ns);
            let share = 100.0 * share;
            println!("{krate:<20} {name:<16} {ns:>8.1} {ratio:>8.2} {share:>7.1}%");
        }
    }
    Ok(())
}

fn walk(seed: u64, heuristics: Heuristics) -> Walk {
    Walk {
        seed,
        max_sequences: u64::MAX,
        max_calls: CALLS,
        max_length: MAX_LENGTH,
        failures: true,
        heuristics,
        ..Walk::default()
    }
}

/// What a number of calls with one set of heuristics came to.
#[derive(Default)]
struct Came {
    classes: usize,
    distinct: Vec<usize>,
    /// Edges of the control flow that were taken.
    edges: usize,
    panics: u64,
    calls: u64,
    sequences: u64,
    deaths: u32,
    /// Calls under test, and those made after the same steps as before.
    extensions: u64,
    repeated: u64,
    /// Per operation: completed calls and panics.
    completed: Vec<u32>,
    panicked: Vec<u32>,
    reached: f64,
    seconds: f64,
}

/// Runs the same number of calls with a census of values.
fn measure(
    session: &mut Session,
    harness: &Path,
    heuristics: Heuristics,
    seed: u64,
) -> Result<Came> {
    let mut supervisor = session.supervise(harness, WorkerLimits::default())?;
    let plan = supervisor.plan();
    let mut findings = Findings::new(&session.package.root, Selection::default());
    let none = || vec![0; plan.operations.len()];
    let mut result = Came { completed: none(), panicked: none(), ..Came::default() };
    let (mut values, mut edges) = (HashSet::new(), HashSet::new());
    let begin = Instant::now();
    for round in 0..POINTS * ROUNDS_A_POINT {
        let walk = Walk {
            census: true,
            max_calls: CALLS / POINTS / ROUNDS_A_POINT,
            ..walk(seed * 1000 + round, heuristics)
        };
        let walked = supervisor.walk(&walk, &mut |sequence, outcome| {
            findings.take(&plan, sequence, outcome);
        })?;
        values.extend(walked.census);
        if (round + 1) % ROUNDS_A_POINT == 0 {
            result.distinct.push(values.len());
            edges.extend(supervisor.edges()?.1);
        }
        result.panics += walked.panics;
        result.calls += walked.calls;
        result.sequences += walked.sequences;
        result.extensions += walked.extensions;
        result.repeated += walked.repeated;
        add(&mut result.completed, &walked.completed);
        add(&mut result.panicked, &walked.panicked);
    }
    result.edges = edges.len();
    result.seconds = begin.elapsed().as_secs_f64();
    result.deaths = supervisor.deaths;
    let root = session.package.root.clone();
    let first = |ways: Vec<Failure>| ways.into_iter().next();
    for Failure { failing, sequence, .. } in findings.into_all().into_iter().filter_map(first) {
        let outcome = relative(supervisor.run_afresh(&sequence, false)?, &root);
        let again = judge(&plan, &sequence, &outcome);
        let same = matches!(again, Verdict::Failing(found) if found.class == failing.class);
        result.classes += usize::from(same && failing.severity != Severity::Illegal);
    }
    let tested = tested(&plan);
    let reached = tested.iter().filter(|n| result.completed[**n] > 0).count();
    result.reached = reached as f64 / tested.len().max(1) as f64;
    Ok(result)
}

/// The mean over seeds of one figure.
fn mean(results: &[Came], of: impl Fn(&Came) -> f64) -> f64 {
    results.iter().map(of).sum::<f64>() / results.len().max(1) as f64
}

fn header() {
    println!(
        "{:<24} {:>8} {:>9} {:>7} {:>8} {:>9} {:>9} {:>11} {:>7} {:>8}  distinct values after each sixth",
        "",
        "classes",
        "distinct",
        "edges",
        "panics",
        "risky",
        "repeated",
        "operations",
        "deaths",
        "seconds"
    );
}

/// `risky` are the operations that panicked in any row.
fn show(name: &str, results: &[Came], risky: &[usize]) {
    let last = |r: &Came| r.distinct.last().copied().unwrap_or(0) as f64;
    let points: Vec<String> = (0..POINTS as usize)
        .map(|n| format!("{:.0}", mean(results, |r| r.distinct[n] as f64)))
        .collect();
    let risky = |r: &Came| risky.iter().map(|n| f64::from(r.completed[*n])).sum::<f64>();
    println!(
        "{name:<24} {:>8.1} {:>9.0} {:>7.0} {:>7.2}% {:>8.2}% {:>8.2}% {:>10.1}% {:>7.1} {:>8.1}  {}",
        mean(results, |r| r.classes as f64),
        mean(results, last),
        mean(results, |r| r.edges as f64),
        100.0 * mean(results, |r| r.panics as f64 / r.calls.max(1) as f64),
        100.0 * mean(results, |r| risky(r) / r.calls.max(1) as f64),
        100.0 * mean(results, |r| r.repeated as f64 / r.extensions.max(1) as f64),
        100.0 * mean(results, |r| r.reached),
        mean(results, |r| f64::from(r.deaths)),
        mean(results, |r| r.seconds),
        points.join(" "),
    );
}

fn compare(krate: &str, rows: &[(String, Heuristics)]) -> Result<()> {
    let mut session = session(krate)?;
    let harness = session.build(Profile::Unoptimised)?;
    println!("\n{krate}: {CALLS} calls, mean of {SEEDS} seeds");
    header();
    let mut came = vec![];
    for (name, heuristics) in rows {
        let results: Result<Vec<Came>> =
            (1..=SEEDS).map(|seed| measure(&mut session, &harness, *heuristics, seed)).collect();
        came.push((name, results?));
    }
    let operations = session.plan.operations.len();
    let panics =
        |n: &usize| came.iter().flat_map(|(_, results)| results).any(|r| r.panicked[*n] > 0);
    let risky: Vec<usize> = (0..operations).filter(panics).collect();
    came.iter().for_each(|(name, results)| show(name, results, &risky));
    Ok(())
}

/// All heuristics, and each of these switched off.
fn switched_off(heuristics: impl IntoIterator<Item = Heuristic>) -> Vec<(String, Heuristics)> {
    let off = heuristics.into_iter().map(|heuristic| {
        (format!("without {}", heuristic.name()), Heuristics::ALL.without(heuristic))
    });
    std::iter::once(("full".to_owned(), Heuristics::ALL)).chain(off).collect()
}

fn thesis(names: &[String]) -> Result<()> {
    let rows = [
        ("random walk".to_owned(), Heuristics::walk()),
        ("legality pruning only".to_owned(), Heuristics::ALL.without(Heuristic::Pruning)),
        ("full".to_owned(), Heuristics::ALL),
    ];
    subjects(names)?.into_iter().try_for_each(|krate| compare(krate, &rows))
}

/// `heuristics [heuristics] [crates]`.
fn heuristics(args: &[String]) -> Result<()> {
    let (named, names): (Vec<_>, Vec<_>) =
        args.iter().cloned().partition(|arg| Heuristic::named(arg).is_some());
    let mut chosen: Vec<Heuristic> = named.iter().filter_map(|n| Heuristic::named(n)).collect();
    if chosen.is_empty() {
        chosen.extend(Heuristic::ALL);
    }
    let rows = switched_off(chosen);
    subjects(&names)?.into_iter().try_for_each(|krate| compare(krate, &rows))
}

fn worth(names: &[String]) -> Result<()> {
    for (heuristic, crates) in WORTH {
        let wanted = |name: &&str| names.is_empty() || names.iter().any(|wanted| wanted == name);
        let crates: Vec<String> =
            crates.iter().filter(|n| wanted(n)).map(|n| n.to_string()).collect();
        if !crates.is_empty() {
            let rows = switched_off([heuristic]);
            subjects(&crates)?.into_iter().try_for_each(|krate| compare(krate, &rows))?;
        }
    }
    Ok(())
}

/// `reach SECONDS [crates]`: the share of operations that completed.
fn reach(args: &[String]) -> Result<()> {
    let seconds = args.first().map_or(Ok(60), |text| text.parse())?;
    let names = args.get(1..).unwrap_or_default();
    println!("operations completed at least once in {seconds} s, unoptimised build, one worker");
    for krate in CRATES {
        let name = krate.split('@').next().unwrap_or(krate);
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            reach_one(krate, Duration::from_secs(seconds))?;
        }
    }
    Ok(())
}

fn reach_one(krate: &str, budget: Duration) -> Result<()> {
    let mut session = session(krate)?;
    let harness = session.build(Profile::Unoptimised)?;
    let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
    supervisor.patience = 3;
    let plan = supervisor.plan();
    let mut completed = vec![0u32; plan.operations.len()];
    let (mut calls, mut round) = (0, 0);
    let begin = Instant::now();
    while begin.elapsed() < budget {
        let walk = Walk { max_calls: 100_000, ..walk(round, Heuristics::ALL) };
        let walked = supervisor.walk(&walk, &mut |_, _| {})?;
        add(&mut completed, &walked.completed);
        calls += walked.calls;
        round += 1;
    }
    let (done, missed): (Vec<usize>, Vec<usize>) =
        tested(&plan).into_iter().partition(|n| completed[*n] > 0);
    println!(
        "{krate:<26} {:>5.1}% of {:>4}, {calls:>10} calls, {} workers lost",
        100.0 * done.len() as f64 / (done.len() + missed.len()).max(1) as f64,
        done.len() + missed.len(),
        supervisor.deaths
    );
    missed.iter().for_each(|n| println!("    not {}", plan.operations[*n].callee));
    Ok(())
}

fn add(sums: &mut [u32], counts: &[u32]) {
    sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum = sum.saturating_add(*n));
}

/// The operations that are under test and not laws.
fn tested(plan: &Plan) -> Vec<usize> {
    let helps =
        |n: &usize| matches!(plan.operations[*n].kind, OperationKind::Builder | OperationKind::Law);
    (0..plan.operations.len()).filter(|n| !helps(n)).collect()
}
