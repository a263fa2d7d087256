//! The calculator with full contracts: what asking for preconditions before a
//! call saves, and which of the seeded bugs are found in the budget.

use super::folder;
use anyhow::{Context, Result, ensure};
use cargo_testsmith::args::Target;
use cargo_testsmith::pipeline::Session;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use testsmith_lab::{Profile, WorkerLimits};
use testsmith_model::message::{Walk, Walked};

const BUGS: [&str; 10] = [
    "bug-01", "bug-02", "bug-03", "bug-04", "bug-05", "bug-06", "bug-07", "bug-08", "bug-09",
    "bug-10",
];
/// Calls of the walks that are compared.
const CALLS: u64 = 400_000;
/// Operations shown with their completed calls.
const SHOWN: usize = 12;

/// `[SECONDS] [guards|sound|bug-NN …]`
pub fn run(args: &[String]) -> Result<()> {
    let seconds = args.first().map_or("60", String::as_str);
    let only = args.get(1..).unwrap_or_default();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|given| given == name);
    if wanted("guards") {
        guards()?;
    }
    println!("\n{:<8} {:>6} {:>10} {:>6}  what", "version", "found", "calls", "steps");
    let mut found = 0;
    for name in ["sound"].into_iter().chain(BUGS).filter(|name| wanted(name)) {
        let row = hunt(name, seconds)?;
        let (word, steps, what) = match row.findings.first() {
            Some((steps, what)) => ("yes", *steps, what.lines().next().unwrap_or_default()),
            None => ("no", 0, ""),
        };
        println!("{name:<8} {word:>6} {:>10} {steps:>6}  {what}", row.calls);
        ensure!(name != "sound" || row.findings.is_empty(), "the sound version has no bug");
        found += usize::from(name != "sound" && !row.findings.is_empty());
    }
    println!("{found} bugs found in {seconds} s each");
    Ok(())
}

fn manifest() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../subjects/stackcalc/Cargo.toml")
}

/// Walks with the same seed and number of calls, without guards and with them.
fn guards() -> Result<()> {
    let root = folder();
    let target = Target {
        manifest_path: Some(manifest()),
        out_dir: Some(root.join("stackcalc-guards")),
        target_dir: Some(root.join("target")),
        quiet: true,
        ..Target::default()
    };
    let mut session = Session::open(&target, Default::default())?;
    let plan = Arc::clone(&session.plan);
    let with = walk(&mut session)?;
    session.plan = Arc::clone(&plan);
    for operation in &mut Arc::make_mut(&mut session.plan).operations {
        operation.guard = None;
    }
    let without = walk(&mut session)?;
    let guarded: Vec<usize> =
        (0..plan.operations.len()).filter(|n| plan.operations[*n].guard.is_some()).collect();
    println!("{} operations have a guard; {CALLS} calls, same seed", guarded.len());
    println!("{:<36} {:>10} {:>10}", "", "without", "with");
    let row = |what: &str, of: &dyn Fn(&Walked) -> f64| {
        println!("{what:<36} {:>10.1} {:>10.1}", of(&without), of(&with));
    };
    row("panics per thousand calls", &|walked| 1e3 * walked.panics as f64 / walked.calls as f64);
    row("calls per sequence", &|walked| walked.calls as f64 / walked.sequences as f64);
    row("completed calls, all operations", &|walked| sum(&walked.completed));
    let of_guarded = |walked: &Walked| -> Vec<u32> {
        let mut completed: Vec<u32> = guarded.iter().map(|n| walked.completed[*n]).collect();
        completed.sort_unstable();
        completed
    };
    row("completed calls, guarded operations", &|walked| sum(&of_guarded(walked)));
    row("  the median of them", &|walked| f64::from(of_guarded(walked)[guarded.len() / 2]));
    println!("completed calls of the guarded operations that completed least without");
    let mut least = guarded.clone();
    least.sort_by_key(|n| without.completed[*n]);
    for n in least.into_iter().take(SHOWN) {
        let path = plan.operations[n].path().replace("subject_stackcalc::", "");
        println!("  {path:<44} {:>10} {:>10}", without.completed[n], with.completed[n]);
    }
    Ok(())
}

fn walk(session: &mut Session) -> Result<Walked> {
    let harness = session.build(Profile::Unoptimised)?;
    let mut supervisor = session.supervise(&harness, WorkerLimits::default())?;
    let walk = Walk {
        seed: 1,
        max_sequences: u64::MAX,
        max_calls: CALLS,
        max_length: 20,
        ..Walk::default()
    };
    Ok(supervisor.walk(&walk, &mut |_, _| {})?)
}

fn sum(counts: &[u32]) -> f64 {
    counts.iter().map(|count| f64::from(*count)).sum()
}

struct Row {
    calls: u64,
    /// Steps and text of each violation.
    findings: Vec<(u64, String)>,
}

/// Runs the command as a user would, on one version of the subject.
fn hunt(version: &str, seconds: &str) -> Result<Row> {
    let root = folder();
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let mut command = Command::new(&tool);
    command.args(["--budget", seconds, "--format", "json", "--quiet", "--no-write"]);
    command.arg("--manifest-path").arg(manifest());
    command.arg("--out-dir").arg(root.join(format!("stackcalc-{version}")));
    command.arg("--target-dir").arg(root.join("target"));
    if version != "sound" {
        command.args(["--features", version]);
    }
    let output = command.output().with_context(|| format!("{} is not built", tool.display()))?;
    let (findings, summary) = super::report_of(&output)?;
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let violations = findings.iter().filter(|finding| finding["severity"] == "violation");
    let row = |finding: &serde_json::Value| {
        (finding["steps"].as_u64().unwrap_or_default(), text(&finding["what"]))
    };
    Ok(Row {
        calls: summary["calls"].as_u64().unwrap_or_default(),
        findings: violations.map(row).collect(),
    })
}
