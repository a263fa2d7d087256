//! Published crate versions with a confirmed bug: which of them the default
//! run finds, with how many calls, and how long the test is.

use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// Crate, buggy version, and a text that the finding of this bug contains.
const BUGS: [(&str, &str, &str); 22] = [
    ("rust_decimal", "1.1.0", "equal hashes"),
    ("rangemap", "1.7.0", "equal hashes"),
    ("ustr", "0.8.1", "PartialOrd agrees with Ord"),
    ("priority-queue", "2.7.0", "IterMut"),
    ("min-max-heap", "1.2.0", "peek_m"),
    ("slab", "0.4.3", "Slab::insert"),
    ("im", "15.0.0", "ordmap"),
    ("bit-set", "0.6.0", "size_hint"),
    ("num-integer", "0.1.39", "lcm"),
    ("num-rational", "0.2.3", "checked_div"),
    ("ropey", "1.5.1", "Lines"),
    ("lru", "0.5.2", "put"),
    ("fraction", "0.15.3", "from_str"),
    ("humantime", "2.1.0", "parse_duration"),
    ("generational-arena", "0.2.6", "retain"),
    ("thunderdome", "0.5.0", "Arena::insert"),
    ("circular-buffer", "0.1.5", "PartialEq"),
    ("hashlink", "0.7.0", "built-in hasher"),
    ("strsim", "0.5.0", "jaro"),
    ("smallvec", "1.6.0", "insert_many"),
    ("chrono", "0.4.31", "`NaiveDateTime + Duration` overflowed"),
    ("unicode-segmentation", "1.1.0", "next_back"),
];

pub fn run(args: &[String]) -> Result<()> {
    let seconds = args.first().map_or("60", String::as_str);
    let only = args.get(1..).unwrap_or_default();
    println!("{:<22} {:>8} {:>10} {:>6}  what", "crate", "found", "calls", "steps");
    let mut found = 0;
    let mut all = 0;
    for (name, version, mark) in BUGS {
        if !only.is_empty() && !only.iter().any(|wanted| wanted == name) {
            continue;
        }
        all += 1;
        match hunt(name, version, mark, seconds) {
            Ok(row) => {
                let violation = |(severity, _, _): &(String, _, _)| severity == "violation";
                found += usize::from(row.hit.as_ref().is_some_and(violation));
                let (word, steps, what) = match &row.hit {
                    Some((severity, steps, what)) => (severity.as_str(), *steps, what.as_str()),
                    None => ("no", 0, ""),
                };
                let what: String = what.chars().take(70).collect();
                println!("{name:<22} {word:>8} {:>10} {steps:>6}  {what}", row.calls);
            }
            Err(error) => println!("{name:<22} {:>8} {error:#}", "error"),
        }
    }
    println!("{found} of {all} found as violations in {seconds} s each");
    Ok(())
}

struct Row {
    calls: u64,
    /// Severity, steps and text of the finding.
    hit: Option<(String, u64, String)>,
}

/// Runs the command as a user would, on one crate.
fn hunt(name: &str, version: &str, mark: &str, seconds: &str) -> Result<Row> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/testsmith-bench");
    std::fs::create_dir_all(&root)?;
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let output = Command::new(&tool)
        .args(["--crate", &format!("{name}@{version}"), "--budget", seconds, "--format", "json"])
        .args(["--quiet", "--no-write", "--jobs", "1", "--fresh", "--out-dir"])
        .arg(&root)
        .arg("--target-dir")
        .arg(root.join("target"))
        .output()
        .with_context(|| format!("{} is not built", tool.display()))?;
    let (findings, summary) = super::report_of(&output)?;
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let hit = findings
        .iter()
        .find(|finding| {
            let all = format!("{} {}", text(&finding["what"]), text(&finding["class"]));
            all.contains(mark)
        })
        .map(|finding| {
            let steps = finding["steps"].as_u64().unwrap_or_default();
            (text(&finding["severity"]), steps, text(&finding["what"]))
        });
    Ok(Row { calls: summary["calls"].as_u64().unwrap_or_default(), hit })
}
