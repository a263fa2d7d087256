//! The share of a crate's core callables that become operations.
//!
//! Twenty published crates, each planned, built unoptimised and walked for a
//! moment: an operation counts when its thunk stands in a harness that runs.
//! Unsafe and async callables count as skipped. Only what is asked of the
//! compiler anew is timed honestly, so `--cold` throws away what earlier runs
//! left behind.

use super::{CRATES, folder, session};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::Plan;
use testsmith_model::message::Walk;
use testsmith_model::skip::Reason;

/// The walk only shows that the harness runs.
const WALK_CALLS: u64 = 20_000;

pub fn run(args: &[String]) -> Result<()> {
    let (flags, names): (Vec<&String>, Vec<&String>) =
        args.iter().partition(|arg| arg.starts_with("--"));
    if let Some(flag) = flags.iter().find(|flag| **flag != "--cold") {
        anyhow::bail!("bench callable takes --cold and names of crates, not {flag}");
    }
    let cold = !flags.is_empty();
    let wanted = |krate: &str| {
        let name = krate.split('@').next().unwrap_or(krate);
        names.is_empty() || names.iter().any(|asked| *asked == name || *asked == krate)
    };
    println!(
        "{:<25} {:>5} {:>5} {:>6} {:>6} {:>5}  {:>5} {:>5} {:>5} {:>5} {:>5} {:>5} {:>8}",
        "",
        "core",
        "ops",
        "share",
        "safe",
        "all",
        "disc",
        "plan",
        "cpu",
        "build",
        "cpu",
        "types",
        "walked"
    );
    let mut rows = vec![];
    let mut failed = vec![];
    for krate in CRATES.iter().filter(|krate| wanted(krate)) {
        match Row::measure(krate, cold) {
            Ok(row) => {
                row.print(krate);
                rows.push(row);
            }
            Err(error) => {
                println!("{krate:<25} failed: {error:#}");
                failed.push(*krate);
            }
        }
    }
    sum_up(&rows);
    anyhow::ensure!(failed.is_empty(), "no harness for {}", failed.join(", "));
    Ok(())
}

/// What was measured of one crate. Times are in seconds.
struct Row {
    core: u32,
    covered: u32,
    /// Core callables that are unsafe or async.
    untouchable: u32,
    operations: usize,
    types: usize,
    discover: f64,
    plan: f64,
    plan_cpu: f64,
    build: f64,
    build_cpu: f64,
    walked: u64,
    skips: BTreeMap<Reason, u32>,
}

impl Row {
    fn measure(krate: &str, cold: bool) -> Result<Row> {
        if cold {
            forget(krate)?;
        }
        let begin = cpu_seconds()?;
        let mut session = session(krate)?;
        let planned = cpu_seconds()?;
        let harness = session.build(Profile::Unoptimised)?;
        let built = cpu_seconds()?;
        let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
        let walk = Walk {
            seed: 1,
            max_sequences: 2_000,
            max_calls: WALK_CALLS,
            max_length: 20,
            ..Walk::default()
        };
        let walked = supervisor.walk(&walk, &mut |_, _| {})?;
        anyhow::ensure!(walked.calls > 0, "the harness runs, but no call was made");
        let plan = &session.plan;
        let skips = core_skips(plan);
        let count = |reason| skips.get(&reason).copied().unwrap_or(0);
        Ok(Row {
            core: plan.core_callables,
            covered: plan.core_covered(),
            untouchable: count(Reason::Unsafe),
            operations: plan.operations.len(),
            types: plan.types.len(),
            discover: session.times.resolve + session.times.discover,
            plan: session.times.plan,
            plan_cpu: planned - begin,
            build: session.times.build,
            build_cpu: built - planned,
            walked: walked.calls,
            skips,
        })
    }

    fn share(&self) -> f64 {
        f64::from(self.covered) / f64::from(self.core.max(1))
    }

    /// Among the callables that are neither unsafe nor async.
    fn safe_share(&self) -> f64 {
        f64::from(self.covered) / f64::from((self.core - self.untouchable).max(1))
    }

    fn print(&self, krate: &str) {
        println!(
            "{krate:<25} {:>5} {:>5} {:>5.1}% {:>5.1}% {:>5}  {:>5.1} {:>5.1} {:>5.1} {:>5.1} {:>5.1} {:>5} {:>8}",
            self.core,
            self.covered,
            100.0 * self.share(),
            100.0 * self.safe_share(),
            self.operations,
            self.discover,
            self.plan,
            self.plan_cpu,
            self.build,
            self.build_cpu,
            self.types,
            self.walked,
        );
    }
}

fn sum_up(rows: &[Row]) {
    let mean = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len().max(1) as f64;
    println!(
        "\n{} crates: mean share {:.1}%; {:.1}% of what is neither unsafe nor async",
        rows.len(),
        100.0 * mean(Row::share),
        100.0 * mean(Row::safe_share)
    );
    println!(
        "mean seconds: discover {:.1}, plan {:.1} (both {:.1} of CPU), build {:.1} ({:.1} of CPU)",
        mean(|row| row.discover),
        mean(|row| row.plan),
        mean(|row| row.plan_cpu),
        mean(|row| row.build),
        mean(|row| row.build_cpu)
    );
    let mut reasons: BTreeMap<Reason, u32> = BTreeMap::new();
    for (reason, count) in rows.iter().flat_map(|row| &row.skips) {
        *reasons.entry(*reason).or_default() += count;
    }
    let core: u32 = rows.iter().map(|row| row.core).sum();
    let covered: u32 = rows.iter().map(|row| row.covered).sum();
    println!("core callables: {core}, of which {covered} became operations; the others:");
    let mut reasons: Vec<(Reason, u32)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in reasons {
        println!("{count:>6}  {}", reason.text());
    }
}

/// Skips of core callables by reason, a callable counted once. One whose
/// instance failed in the build may still have another that did not.
fn core_skips(plan: &Plan) -> BTreeMap<Reason, u32> {
    let called: BTreeSet<String> = plan.operations.iter().map(|op| op.path()).collect();
    let mut reasons = BTreeMap::new();
    let mut failed = BTreeSet::new();
    for skip in plan.skips.iter().filter(|skip| skip.core) {
        let twice = called.contains(skip.path.as_str()) && !failed.insert(&skip.path);
        if !twice {
            *reasons.entry(skip.reason).or_default() += 1;
        }
    }
    reasons
}

/// Throws away the plan, the verdicts and the build products of one crate.
fn forget(krate: &str) -> Result<()> {
    let scratch = folder().join("crates").join(krate.replace('@', "-"));
    let name = krate.split('@').next().unwrap_or(krate).replace('-', "_");
    for path in [scratch, folder().join("target").join(name)] {
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The processor time of this process and of the children it has waited for.
fn cpu_seconds() -> Result<f64> {
    /// What Linux reports to every program, whatever the kernel's own clock.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").context("only Linux tells CPU times")?;
    // The name of the program stands in parentheses and may hold spaces.
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(4).filter_map(|n| n.parse::<u64>().ok());
    Ok(ticks.sum::<u64>() as f64 / TICKS_PER_SECOND)
}
