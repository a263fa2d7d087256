//! What coverage and the sandbox cost.
//!
//! One workload on indexmap and semver, built plain and instrumented, optimised
//! and not; then how long a worker takes to lock itself up, and how long the
//! supervisor takes to read the debug information.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use testsmith_lab::coverage::{Detail, Edge, Sources, environment};

const INSTRUMENTED: &[&str] = &["indexmap", "semver", "thunks"];

const THUNKS: &str = r#"
use indexmap::IndexMap;

pub fn run(n: usize) -> usize {
    let mut map: IndexMap<usize, String> = IndexMap::new();
    for i in 0..n {
        map.insert(i * 7 % 13, i.to_string());
    }
    map.swap_remove(&3);
    map.sort_keys();
    map.retain(|key, _| key % 2 == 0);
    let text = ["1.2.3", "1.0.0-alpha.1+b5", "x"][n % 3];
    let major = semver::Version::parse(text).map_or(9, |version| version.major);
    map.len() + major as usize + map.get_index(0).map_or(0, |(_, text)| text.len())
}
"#;

const PROBE: &str = r#"
use std::hint::black_box;
use std::time::Instant;

use testsmith_worker::coverage::{self, Coverage, Novelty, compares};
use testsmith_worker::sandbox::{ResourceLimits, enter};

const ROUNDS: usize = 2000;

fn time(name: &str, mut work: impl FnMut(usize)) {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        (0..ROUNDS).for_each(|i| work(i));
        best = best.min(start.elapsed().as_nanos() as f64 / ROUNDS as f64);
    }
    println!("time {name} {best:.0}");
}

fn run(i: usize) {
    black_box(thunks::run(black_box(i % 20)));
}

fn main() {
    let mut coverage = Coverage::new(Novelty::Count);
    time("run", run);
    time("run+collect", |i| {
        run(i);
        coverage.collect();
    });
    time("collect", |_| {
        black_box(coverage.collect().len());
    });
    compares::record(true);
    time("run+compares", run);
    compares::record(false);
    for edge in coverage::edges() {
        println!("edge {} {}", edge.address, edge.entry);
    }
    let scratch = std::env::args().nth(1).expect("a scratch folder");
    let start = Instant::now();
    enter(scratch.as_ref(), &ResourceLimits::default());
    println!("time enter {}", start.elapsed().as_nanos());
    time("run-locked", run);
}
"#;

pub fn run(_args: &[String]) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench-coverage");
    write_packages(&root)?;
    println!(
        "{:<10}{:<10}{:>8}{:>9}{:>13}{:>9}{:>14}{:>9}{:>11}",
        "profile",
        "detail",
        "edges",
        "run",
        "run+collect",
        "collect",
        "run+compares",
        "enter",
        "locked"
    );
    for profile in ["dev", "release"] {
        for detail in [None, Some(Detail::Counters), Some(Detail::Full)] {
            let executable = build(&root, profile, detail)?;
            measure(&root, &executable, profile, detail)?;
        }
    }
    println!("(ns per run or call)");
    Ok(())
}

fn measure(root: &Path, executable: &Path, profile: &str, detail: Option<Detail>) -> Result<()> {
    let output = Command::new(executable).arg(root.join("scratch")).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    let mut edges = Vec::new();
    let mut times = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "edge" {
            edges.push(Edge { address: words[1].parse()?, entry: words[2] == "true" });
        } else {
            times.push(words[2].to_owned());
        }
    }
    let name = detail.map_or("none".to_owned(), |detail| format!("{detail:?}").to_lowercase());
    println!(
        "{profile:<10}{name:<10}{:>8}{:>9}{:>13}{:>9}{:>14}{:>9}{:>11}",
        edges.len(),
        times[0],
        times[1],
        times[2],
        times[3],
        times[4],
        times[5]
    );
    if profile == "dev" && detail == Some(Detail::Full) {
        attribute(root, executable, &edges)?;
    }
    Ok(())
}

/// How long it takes to turn all edges into lines of indexmap.
fn attribute(root: &Path, executable: &Path, edges: &[Edge]) -> Result<()> {
    let source = package_folder(root, "indexmap")?;
    let start = Instant::now();
    let sources = Sources::read(executable, edges, &source)?;
    let summary = sources.summary(|_| false);
    println!(
        "  attribution of {} edges: {} ms; indexmap as instantiated here: {} files, {} lines, {} functions",
        edges.len(),
        start.elapsed().as_millis(),
        summary.files.len(),
        summary.lines(),
        summary.functions()
    );
    Ok(())
}

fn package_folder(root: &Path, name: &str) -> Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version=1"])
        .current_dir(root)
        .output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("packages")?;
    let package = packages.iter().find(|package| package["name"] == name).context("a package")?;
    let manifest = package["manifest_path"].as_str().context("a path")?;
    Ok(Path::new(manifest).parent().context("a folder")?.to_owned())
}

fn build(root: &Path, profile: &str, detail: Option<Detail>) -> Result<PathBuf> {
    let target =
        root.join(format!("target-{}", detail.map_or("none".into(), |d| format!("{d:?}"))));
    let mut command = Command::new("cargo");
    command
        .args(["build", "--quiet", "--package=probe", "--profile", profile])
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(root);
    if let Some(detail) = detail {
        command.envs(environment(&std::env::current_exe()?, INSTRUMENTED, detail));
    }
    ensure!(command.status()?.success(), "the probe does not build");
    Ok(target.join(if profile == "dev" { "debug" } else { profile }).join("probe"))
}

fn write_packages(root: &Path) -> Result<()> {
    let worker = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/worker").canonicalize()?;
    let package = |name: &str, dependencies: &str| {
        format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [dependencies]\n{dependencies}\n"
        )
    };
    let workspace = "[workspace]\nresolver = \"3\"\nmembers = [\"thunks\", \"probe\"]\n\
                     [profile.release]\ndebug = \"line-tables-only\"\n\
                     [profile.dev.package.testsmith-worker]\nopt-level = 3\n";
    let probe =
        format!("thunks = {{ path = \"../thunks\" }}\ntestsmith-worker = {{ path = {worker:?} }}");
    for (path, text) in [
        ("Cargo.toml", workspace.to_owned()),
        ("thunks/Cargo.toml", package("thunks", "indexmap = \"=2.10.0\"\nsemver = \"=1.0.26\"")),
        ("thunks/src/lib.rs", THUNKS.to_owned()),
        ("probe/Cargo.toml", package("probe", &probe)),
        ("probe/src/main.rs", PROBE.to_owned()),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        fs::write(path, text)?;
    }
    fs::create_dir_all(root.join("scratch"))?;
    Ok(())
}
