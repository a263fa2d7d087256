//! Published crate versions with a confirmed bug: which of them the default
//! run finds, with how many calls, and how long the test is.
//!
//! A bug counts as found if a test that was written for it fails on the buggy
//! version and passes on the one in which the bug was mended. Only where there
//! is no such version, or the test does not compile with it, the operation and
//! the place have to do.

use super::emitted::{EmittedTests, TestResult, one_by_one};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

struct Bug {
    name: &'static str,
    buggy: &'static str,
    /// The first version without the bug.
    mended: Option<&'static str>,
    /// What the report of this bug contains: operation, law or place.
    marks: &'static [&'static str],
}

const fn bug(
    name: &'static str,
    buggy: &'static str,
    mended: &'static str,
    marks: &'static [&'static str],
) -> Bug {
    Bug { name, buggy, mended: Some(mended), marks }
}

const BUGS: [Bug; 23] = [
    bug("rust_decimal", "1.1.0", "1.2.0", &["equal hashes"]),
    bug("rangemap", "1.7.0", "1.7.1", &["equal hashes"]),
    bug("ustr", "0.8.1", "0.9.0", &["PartialOrd agrees with Ord"]),
    Bug { name: "priority-queue", buggy: "2.7.0", mended: None, marks: &["IterMut"] },
    bug("min-max-heap", "1.2.0", "1.2.1", &["peek_m"]),
    bug("slab", "0.4.3", "0.4.4", &["Slab::insert"]),
    bug("im", "15.0.0", "15.1.0", &["ordmap"]),
    bug("bit-set", "0.6.0", "0.7.0", &["size_hint"]),
    bug("num-integer", "0.1.39", "0.1.40", &["lcm"]),
    bug("num-rational", "0.2.3", "0.2.4", &["checked_div"]),
    bug("ropey", "1.5.1", "1.6.0", &["Lines"]),
    bug("lru", "0.5.2", "0.5.3", &["put"]),
    bug("fraction", "0.15.3", "0.16.0", &["from_str"]),
    Bug {
        name: "humantime",
        buggy: "2.1.0",
        mended: None,
        marks: &["parse_duration", "overflow in Duration::new"],
    },
    bug("generational-arena", "0.2.6", "0.2.7", &["retain"]),
    bug("thunderdome", "0.5.0", "0.5.1", &["Arena::insert"]),
    bug("circular-buffer", "0.1.5", "0.1.6", &["PartialEq"]),
    bug("hashlink", "0.7.0", "0.8.0", &["built-in hasher"]),
    bug("strsim", "0.5.0", "0.5.1", &["jaro"]),
    bug("slotmap", "1.0.3", "1.0.7", &["HopSlotMap"]),
    bug("smallvec", "1.6.0", "1.6.1", &["insert_many"]),
    bug("chrono", "0.4.31", "0.4.32", &["`NaiveDateTime + Duration` overflowed"]),
    bug("unicode-segmentation", "1.1.0", "1.2.0", &["next_back"]),
];

const USAGE: &str = "usage: cargo xtask bench known-bugs [SECONDS] [CRATE]...\n\
     searches each crate for SECONDS (60), or only the CRATEs that are named";

pub fn run(args: &[String]) -> Result<()> {
    let seconds: u32 = match args.first() {
        Some(text) => text.parse().context(USAGE)?,
        None => 60,
    };
    let only = args.get(1..).unwrap_or_default();
    if let Some(unknown) = only.iter().find(|name| BUGS.iter().all(|bug| bug.name != **name)) {
        bail!("{unknown} is not in the list\n{USAGE}");
    }
    println!("One worker, from nothing, {seconds} s of search for each crate.");
    println!("confirmed: a test written for it fails, and passes on the version without the bug.");
    println!("by place: the operation and the place are those of the bug, no more is known.");
    println!("calls: made until it was first seen, or in all where it was not.");
    println!("size: calls in the test. seconds: of the whole run, with building and shrinking.\n");
    println!(
        "{:<28} {:>9} {:>11} {:>5} {:>8}  what was found",
        "crate", "found", "calls", "size", "seconds"
    );
    let (mut confirmed, mut by_place, mut all) = (0, 0, 0);
    for bug in BUGS.iter().filter(|bug| only.is_empty() || only.iter().any(|n| n == bug.name)) {
        all += 1;
        let krate = format!("{} {}", bug.name, bug.buggy);
        match hunt(bug, seconds) {
            Ok(row) => {
                confirmed += usize::from(row.found == Found::Confirmed);
                by_place += usize::from(row.found == Found::ByPlace);
                println!("{krate:<28} {row}");
            }
            Err(error) => println!("{krate:<28} {:>9}  {error:#}", "error"),
        }
    }
    println!("\n{} of {all} found, {by_place} of them by place", confirmed + by_place);
    Ok(())
}

/// How well it is known that the bug was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Confirmed,
    ByPlace,
    No,
}

struct Row {
    found: Found,
    calls: u64,
    size: u64,
    seconds: u64,
    what: String,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = match self.found {
            Found::Confirmed => "confirmed",
            Found::ByPlace => "by place",
            Found::No => "no",
        };
        let size = if self.found == Found::No { "-".to_owned() } else { self.size.to_string() };
        let what: String = self.what.chars().take(90).collect();
        write!(f, "{word:>9} {:>11} {size:>5} {:>8}  {what}", self.calls, self.seconds)
    }
}

/// Runs the command as a user would, and tries its tests on both versions.
fn hunt(bug: &Bug, seconds: u32) -> Result<Row> {
    let root = super::folder();
    let tests = root.join("known-bugs").join(bug.name);
    let _ = std::fs::remove_dir_all(&tests);
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let begin = Instant::now();
    let output = Command::new(&tool)
        .args(["--crate", &format!("{}@{}", bug.name, bug.buggy)])
        .args(["--budget", &seconds.to_string(), "--format", "json", "--quiet"])
        .args(["--no-regressions", "--jobs", "1", "--fresh"])
        .arg("--out-dir")
        .arg(&root)
        .arg("--output")
        .arg(&tests)
        .arg("--target-dir")
        .arg(root.join("target"))
        .output()
        .with_context(|| format!("{} is not built", tool.display()))?;
    let seconds = begin.elapsed().as_secs();
    let (findings, summary) = super::report_of(&output)?;
    let judged = Judged::new(bug, &tests)?;
    let best = findings
        .iter()
        .map(|finding| (judged.found(bug, finding), !is_marked(bug, finding), finding))
        .filter(|(found, _, _)| *found != Found::No)
        .min_by_key(|(found, elsewhere, _)| (*found, *elsewhere));
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    Ok(match best {
        Some((found, _, finding)) => Row {
            found,
            calls: number(&finding["found_after"]),
            size: number(&finding["calls"]),
            seconds,
            what: finding["what"].as_str().unwrap_or_default().replace('\n', " "),
        },
        None => {
            let calls = number(&summary["calls"]);
            Row { found: Found::No, calls, size: 0, seconds, what: String::new() }
        }
    })
}

/// Whether a finding reads as that of the bug.
fn is_marked(bug: &Bug, finding: &Value) -> bool {
    let text = |key: &str| finding[key].as_str().unwrap_or_default();
    let all = format!("{} {} {}", text("what"), text("class"), text("operation"));
    bug.marks.iter().all(|mark| all.contains(mark))
}

/// The verdicts of the tests that were written, by name.
struct Judged {
    buggy: BTreeMap<String, TestResult>,
    mended: BTreeMap<String, TestResult>,
}

impl Judged {
    /// Builds the tests that the command wrote, with both versions.
    fn new(bug: &Bug, written: &Path) -> Result<Judged> {
        let tests = match std::fs::read_to_string(written.join("testsmith_failures.rs")) {
            Ok(source) => one_by_one(&source)?,
            // Nothing was found.
            Err(_) => vec![],
        };
        let names = || tests.iter().map(|(name, _)| name.clone());
        let files: Vec<(PathBuf, String)> =
            tests.iter().map(|(name, text)| (format!("{name}.rs").into(), text.clone())).collect();
        let verdicts = |version: &str| {
            EmittedTests::new(&format!("{}@{version}", bug.name), &files)?.each(names())
        };
        let buggy = verdicts(bug.buggy)?;
        if let Some((name, _)) = buggy.iter().find(|(_, v)| **v == TestResult::DoesNotCompile) {
            bail!("the test {name} that was written does not compile");
        }
        let mended = bug.mended.map(verdicts).transpose()?.unwrap_or_default();
        Ok(Judged { buggy, mended })
    }

    fn found(&self, bug: &Bug, finding: &Value) -> Found {
        let name = finding["name"].as_str().unwrap_or_default();
        if self.buggy.get(name) != Some(&TestResult::Failed) {
            return Found::No;
        }
        match self.mended.get(name) {
            Some(TestResult::Passed) => Found::Confirmed,
            // Something else is wrong there, and still is.
            Some(TestResult::Failed) => Found::No,
            None | Some(TestResult::DoesNotCompile) if is_marked(bug, finding) => Found::ByPlace,
            None | Some(TestResult::DoesNotCompile) => Found::No,
        }
    }
}
