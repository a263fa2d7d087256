//! States by contracts against random search: figures 3 and 4 of the IntiSa paper, and goals
//! that random search does not meet.
//!
//! A method is covered by a call that satisfies its precondition. Only functions with a
//! precondition count, which leaves out what both cover at once. One try of random search is
//! as many calls as there are operations under test, without asking for preconditions. The
//! state search leaves nothing to chance, so its runs differ in time only; it is told how long
//! it takes to the coverage that random search ends with, and that one how far it gets in the
//! time that the state search takes for all.

use super::folder;
use anyhow::{Context, Result, bail};
use cargo_testsmith::args::Target;
use cargo_testsmith::pipeline::Session;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::Walk;
use testsmith_model::{Heuristics, Operation};

const TRIES: usize = 10;
const DEFAULT_RUNS: usize = 30;
const DEFAULT_SECONDS: u64 = 60;
/// Runs of the state search, of which the mean is told.
const DEFAULT_SEARCHES: usize = 3;
/// Calls between two looks at the clock.
const CALLS_A_ROUND: u64 = 50_000;
/// Disagreements that are shown.
const SHOWN: usize = 12;

/// `[SUBJECT|MANIFEST] [RUNS] [SEARCHES]` or `goals [SUBJECT|MANIFEST] [SECONDS]`
pub fn run(args: &[String]) -> Result<()> {
    match args.first().map(String::as_str) {
        Some("goals") => goals(&args[1..]),
        _ => figures(args),
    }
}

/// A subject by its name, or any package by its manifest.
fn manifest(name: &str) -> Result<(String, PathBuf)> {
    let given = PathBuf::from(name);
    if given.is_file() {
        let parent = given.canonicalize()?;
        let folder = parent.parent().and_then(|folder| folder.file_name());
        return Ok((folder.context("a folder")?.to_string_lossy().into_owned(), given));
    }
    let subjects = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../subjects");
    let manifest = subjects.join(name).join("Cargo.toml");
    if !manifest.is_file() {
        bail!("there is no subject {name:?} and no such manifest");
    }
    Ok((name.to_owned(), manifest))
}

fn figures(args: &[String]) -> Result<()> {
    let (name, manifest) = manifest(args.first().map_or("stackcalc", String::as_str))?;
    let runs = args.get(1).map_or(Ok(DEFAULT_RUNS), |runs| runs.parse())?;
    let times = args.get(2).map_or(Ok(DEFAULT_SEARCHES), |times| times.parse())?;
    let searches: Vec<Vec<Value>> =
        (0..times).map(|_| searched(&name, &manifest)).collect::<Result<_>>()?;
    let reports = &searches[0];
    let open = Random::open(&name, &manifest, false)?;
    let random = open.tries(runs)?;
    println!(
        "{name}: {} functions with a precondition, random: mean of {runs} runs, state search: \
         mean of {times}",
        reports.len()
    );
    println!("{:>5} {:>13} {:>10} {:>13} {:>10}", "tries", "state search", "s", "random", "s");
    for tries in 1..=TRIES {
        let reached = |report: &&Value| {
            report["states"][0]["tries"].as_u64().is_some_and(|at| at <= tries as u64)
        };
        let covered = reports.iter().filter(reached).count();
        let taken = searches.iter().flatten().filter(reached).map(milliseconds);
        let time: f64 = taken.sum::<f64>() / times as f64;
        let (share, seconds) = random[tries - 1];
        println!(
            "{tries:>5} {:>12.1}% {:>10.2} {:>12.1}% {seconds:>10.2}",
            100.0 * covered as f64 / reports.len() as f64,
            time / 1000.0,
            100.0 * share,
        );
    }
    let all = |reports: &Vec<Value>| reports.iter().map(spent).sum::<f64>();
    let all = searches.iter().map(all).sum::<f64>() / times as f64 / 1000.0;
    let (share, seconds) = random[TRIES - 1];
    let needed: f64 = searches.iter().map(|it| until(it, share)).sum::<f64>() / times as f64;
    println!(
        "random ends with {:.1}% after {seconds:.3} s; state search is there after {needed:.3} s",
        100.0 * share
    );
    println!(
        "state search takes {all:.2} s for all; random gets to {:.1}% in that time",
        100.0 * open.share_after(Duration::from_secs_f64(all))?
    );
    model_against_code(reports);
    Ok(())
}

/// All that was spent on a goal, reached or not.
fn spent(report: &Value) -> f64 {
    report["milliseconds"].as_f64().unwrap_or_default()
}

/// The seconds until this share is covered, goal by goal in the order of the search.
fn until(reports: &[Value], share: f64) -> f64 {
    let mut order: Vec<&Value> = reports.iter().collect();
    order.sort_by_key(|report| report["order"].as_u64());
    let (mut covered, mut time) = (0, 0.0);
    for report in order {
        if covered as f64 >= share * reports.len() as f64 {
            break;
        }
        time += spent(report) / 1000.0;
        covered += usize::from(report["verdict"] == "reached");
    }
    time
}

fn milliseconds(report: &Value) -> f64 {
    report["states"][0]["milliseconds"].as_f64().unwrap_or_default()
}

/// How often a sequence did not do what the contracts said, and what was wrong.
fn model_against_code(reports: &[Value]) {
    let sum = |key: &str| -> u64 { reports.iter().filter_map(|it| it[key].as_u64()).sum() };
    let all = || reports.iter().flat_map(|it| it["disagreements"].as_array().into_iter().flatten());
    let by_contract = all().filter(|it| it["contract"] == true).count();
    println!(
        "{} sequences were run, {} of them not as predicted: {} answers by contract, {} assumed",
        sum("runs"),
        sum("wrong_runs"),
        by_contract,
        all().count() - by_contract,
    );
    let mut kinds: std::collections::BTreeMap<String, usize> = Default::default();
    for it in all() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let last = it["calls"].as_array().and_then(|calls| calls.last()).map(text);
        let last = last.unwrap_or_default();
        let call = last.split('(').next().unwrap_or_default().to_owned();
        let by = if it["contract"] == true { "contract" } else { "assumed" };
        *kinds.entry(format!("{call}: {} ({by})", text(&it["query"]))).or_default() += 1;
    }
    let mut kinds: Vec<(String, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (kind, count) in kinds.into_iter().take(SHOWN) {
        println!("  {count:>4}  {kind}");
    }
    for it in reports.iter().filter(|it| it["verdict"] != "reached") {
        println!("  not reached: {} ({}: {})", it["goal"], it["verdict"], it["why"]);
    }
}

/// Goals that chance does not meet: the share that each reaches, and how long that takes.
fn goals(args: &[String]) -> Result<()> {
    let (name, manifest) = manifest(args.first().map_or("goals", String::as_str))?;
    let seconds = args.get(1).map_or(Ok(DEFAULT_SECONDS), |seconds| seconds.parse())?;
    let reports = searched(&name, &manifest)?;
    let reached: Vec<&Value> = reports.iter().filter(|it| it["verdict"] == "reached").collect();
    let mut times: Vec<f64> = reached.iter().map(|report| milliseconds(report)).collect();
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let (met, of) = Random::open(&name, &manifest, true)?.within(Duration::from_secs(seconds))?;
    println!("{name}: {} goals", reports.len());
    println!("state search: {} reached, median {median:.0} ms", reached.len());
    println!("random: {met} of {of} within {seconds} s for all together");
    for it in reports.iter().filter(|it| it["verdict"] != "reached") {
        println!("  not reached: {} ({}: {})", it["goal"], it["verdict"], it["why"]);
    }
    Ok(())
}

/// What the command says of every precondition.
fn searched(name: &str, manifest: &Path) -> Result<Vec<Value>> {
    let root = folder();
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let mut command = Command::new(&tool);
    command
        .args(["reach", "--all", "--format", "json", "--quiet", "--manifest-path"])
        .arg(manifest);
    command.arg("--out-dir").arg(root.join(format!("reach-{name}")));
    command.arg("--target-dir").arg(root.join("target"));
    let output = command.output().with_context(|| format!("{} is not built", tool.display()))?;
    serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Random search on the same functions.
struct Random {
    session: Session,
    harness: PathBuf,
    /// The operations with a precondition, by their numbers.
    guarded: Vec<usize>,
    under_test: u64,
}

impl Random {
    /// With `asks`, preconditions are asked for before a call, and refused ones not made.
    fn open(name: &str, manifest: &Path, asks: bool) -> Result<Random> {
        let root = folder();
        let target = Target {
            manifest_path: Some(manifest.to_owned()),
            out_dir: Some(root.join(format!("reach-random-{name}"))),
            target_dir: Some(root.join("target")),
            quiet: true,
            ..Target::default()
        };
        let mut session = Session::open(&target, Default::default())?;
        // Operations that do not compile are dropped first, so that numbers stay.
        session.build(Profile::Unoptimised)?;
        let is_guarded = |operation: &Operation| operation.core && operation.guard.is_some();
        let operations = &session.plan.operations;
        let guarded = (0..operations.len()).filter(|n| is_guarded(&operations[*n])).collect();
        let under_test = operations.iter().filter(|operation| operation.core).count() as u64;
        if !asks {
            for operation in &mut Arc::make_mut(&mut session.plan).operations {
                operation.guard = None;
            }
        }
        let harness = session.build(Profile::Unoptimised)?;
        session.supervise(&harness, WorkerLimits::default())?;
        Ok(Random { session, harness, guarded, under_test })
    }

    /// The mean share of functions covered after each try, and the seconds until then.
    fn tries(&self, runs: usize) -> Result<Vec<(f64, f64)>> {
        let mut sums = vec![(0.0, 0.0); TRIES];
        for run in 0..runs {
            let mut supervisor = self.session.another(&self.harness, WorkerLimits::default())?;
            let mut completed = vec![0; self.session.plan.operations.len()];
            let begin = Instant::now();
            for (tries, sum) in sums.iter_mut().enumerate() {
                let walk = Walk {
                    seed: (run * TRIES + tries) as u64,
                    max_sequences: u64::MAX,
                    max_calls: self.under_test,
                    max_length: 20,
                    heuristics: Heuristics::walk(),
                    ..Walk::default()
                };
                add(&mut completed, &supervisor.walk(&walk, &mut |_, _| {})?.completed);
                sum.0 += self.share(&completed);
                sum.1 += begin.elapsed().as_secs_f64();
            }
        }
        let mean = |(share, seconds): (f64, f64)| (share / runs as f64, seconds / runs as f64);
        Ok(sums.into_iter().map(mean).collect())
    }

    /// How many functions the whole engine covers in this time, and of how many.
    fn within(&self, time: Duration) -> Result<(usize, usize)> {
        let mut supervisor = self.session.another(&self.harness, WorkerLimits::default())?;
        let mut completed = vec![0; self.session.plan.operations.len()];
        let begin = Instant::now();
        let mut seed = 0;
        while begin.elapsed() < time {
            let walk = Walk {
                seed,
                max_sequences: u64::MAX,
                max_calls: CALLS_A_ROUND,
                max_length: 20,
                ..Walk::default()
            };
            add(&mut completed, &supervisor.walk(&walk, &mut |_, _| {})?.completed);
            seed += 1;
        }
        let met = self.guarded.iter().filter(|n| completed[**n] > 0).count();
        Ok((met, self.guarded.len()))
    }

    /// The share that plain walks cover in this time.
    fn share_after(&self, time: Duration) -> Result<f64> {
        let mut supervisor = self.session.another(&self.harness, WorkerLimits::default())?;
        let mut completed = vec![0; self.session.plan.operations.len()];
        let begin = Instant::now();
        let mut seed = 0;
        while begin.elapsed() < time {
            let walk = Walk {
                seed,
                max_sequences: u64::MAX,
                max_calls: CALLS_A_ROUND.min(self.under_test * TRIES as u64),
                max_length: 20,
                heuristics: Heuristics::walk(),
                ..Walk::default()
            };
            add(&mut completed, &supervisor.walk(&walk, &mut |_, _| {})?.completed);
            seed += 1;
        }
        Ok(self.share(&completed))
    }

    fn share(&self, completed: &[u32]) -> f64 {
        let covered = self.guarded.iter().filter(|n| completed[**n] > 0).count();
        covered as f64 / self.guarded.len().max(1) as f64
    }
}

fn add(all: &mut [u32], more: &[u32]) {
    for (sum, count) in all.iter_mut().zip(more) {
        *sum += count;
    }
}
