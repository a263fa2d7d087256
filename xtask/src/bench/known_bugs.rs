//! Published crate versions with a confirmed bug: which of them the default
//! run finds, with how many calls, and how long the test is.
//!
//! The versions are data, in `xtask/bugs`. A bug counts as found if a test that
//! was written for it fails on the buggy version and passes on the one in which
//! the bug was mended. Only where there is no such version, or the test does not
//! compile with it, the operation and the place have to do.

use super::emitted::{EmittedTests, Profile, TestResult, one_by_one};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Those named while the tool was built, and those that nobody had named before;
/// of these, every second one was put aside before any work on them.
const LISTS: [&str; 2] =
    [include_str!("../../bugs/named.toml"), include_str!("../../bugs/bugs.toml")];

#[derive(Deserialize)]
struct List {
    bug: Vec<Bug>,
}

#[derive(Deserialize)]
struct Bug {
    krate: String,
    buggy: String,
    /// The first version without the bug; empty where there is none.
    fixed: String,
    /// What the report of this bug contains: operation, law or place. Without
    /// any, only a version without the bug can tell.
    #[serde(default)]
    marks: Vec<String>,
    /// The version without the bug refuses by a panic, so a test of it fails there, too.
    #[serde(default)]
    refuses: bool,
    #[serde(default)]
    features: Vec<String>,
    #[serde(default)]
    half: Half,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Half {
    #[default]
    Named,
    Open,
    Aside,
}

const USAGE: &str = "usage: cargo xtask bench known-bugs [SECONDS] [named|open|aside|CRATE]...\n\
     searches each crate of the list for SECONDS (60), or only the CRATEs that are named";

/// Which bugs the arguments ask for.
fn chosen(words: &[String]) -> Result<Vec<Bug>> {
    let mut all: Vec<Bug> = vec![];
    for text in LISTS {
        all.extend(toml::from_str::<List>(text)?.bug);
    }
    let half = |word: &str| match word {
        "named" => Some(Half::Named),
        "open" => Some(Half::Open),
        "aside" => Some(Half::Aside),
        _ => None,
    };
    let is_known = |word: &&String| half(word).is_some() || all.iter().any(|b| b.krate == **word);
    if let Some(unknown) = words.iter().find(|word| !is_known(word)) {
        bail!("{unknown} is not in the list\n{USAGE}");
    }
    let default = [String::from("named")];
    let words = if words.is_empty() { &default[..] } else { words };
    let is_meant =
        |bug: &Bug| words.iter().any(|w| half(w).map_or(*w == bug.krate, |h| h == bug.half));
    Ok(all.into_iter().filter(is_meant).collect())
}

/// Name, version with the bug and version without, of those that were not put aside; only of
/// these crates, if any is named.
pub(super) fn versions(names: &[String]) -> Result<Vec<(String, String, String)>> {
    let all = chosen(&["named", "open"].map(str::to_owned))?.into_iter();
    let plain = all.filter(|bug| bug.features.is_empty());
    let meant = plain.filter(|bug| names.is_empty() || names.contains(&bug.krate));
    Ok(meant.map(|bug| (bug.krate, bug.buggy, bug.fixed)).collect())
}

pub fn run(args: &[String]) -> Result<()> {
    let seconds: Option<u32> = args.first().and_then(|text| text.parse().ok());
    let bugs = chosen(&args[usize::from(seconds.is_some())..])?;
    let seconds = seconds.unwrap_or(60);
    println!("One worker, from nothing, {seconds} s of search for each crate.");
    println!("confirmed: a test written for it fails, and passes on the version without the bug.");
    println!("by place: the operation and the place are those of the bug, no more is known.");
    println!("calls: made until it was first seen, or in all where it was not.");
    println!("size: calls in the test. seconds: of the whole run, with building and shrinking.\n");
    println!(
        "{:<28} {:>9} {:>11} {:>5} {:>8}  what was found",
        "crate", "found", "calls", "size", "seconds"
    );
    let (mut confirmed, mut by_place) = (0, 0);
    for bug in &bugs {
        let krate = format!("{} {}", bug.krate, bug.buggy);
        match hunt(bug, seconds) {
            Ok(row) => {
                confirmed += usize::from(row.found == Found::Confirmed);
                by_place += usize::from(row.found == Found::ByPlace);
                println!("{krate:<28} {row}");
            }
            Err(error) => println!("{krate:<28} {:>9}  {error:#}", "error"),
        }
    }
    println!("\n{} of {} found, {by_place} of them by place", confirmed + by_place, bugs.len());
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
    let tests = root.join("known-bugs").join(&bug.krate);
    let _ = std::fs::remove_dir_all(&tests);
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let begin = Instant::now();
    let output = Command::new(&tool)
        .args(["--crate", &format!("{}@{}", bug.krate, bug.buggy)])
        .args(["--budget", &seconds.to_string(), "--format", "json", "--quiet"])
        .args(["--no-regressions", "--jobs", "1", "--fresh"])
        .args(bug.features.iter().flat_map(|feature| ["--features", feature.as_str()]))
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
    !bug.marks.is_empty() && bug.marks.iter().all(|mark| all.contains(mark.as_str()))
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
        let files: Vec<(PathBuf, String)> =
            tests.iter().map(|(name, text)| (format!("{name}.rs").into(), text.clone())).collect();
        let package = |version: &str| {
            EmittedTests::new(&format!("{}@{version}", bug.krate), &bug.features, &files)
        };
        let on_buggy = package(&bug.buggy)?;
        let names = tests.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let mut buggy = on_buggy.each(&names, Profile::Dev)?;
        if let Some((name, _)) = buggy.iter().find(|(_, v)| **v == TestResult::DoesNotCompile) {
            bail!("the test {name} that was written does not compile");
        }
        // What passes with overflow checks was written because it fails without.
        let (failing, passing): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| buggy[name] == TestResult::Failed);
        buggy.extend(on_buggy.each(&passing, Profile::Release)?);
        let mut mended = BTreeMap::new();
        if !bug.fixed.is_empty() {
            let on_mended = package(&bug.fixed)?;
            mended.extend(on_mended.each(&failing, Profile::Dev)?);
            mended.extend(on_mended.each(&passing, Profile::Release)?);
        }
        Ok(Judged { buggy, mended })
    }

    fn found(&self, bug: &Bug, finding: &Value) -> Found {
        let name = finding["name"].as_str().unwrap_or_default();
        if self.buggy.get(name) != Some(&TestResult::Failed) {
            return Found::No;
        }
        match self.mended.get(name) {
            Some(TestResult::Passed) => Found::Confirmed,
            Some(TestResult::Failed) if bug.refuses && is_marked(bug, finding) => Found::ByPlace,
            // Something else is wrong there, and still is.
            Some(TestResult::Failed) => Found::No,
            None | Some(TestResult::DoesNotCompile) if is_marked(bug, finding) => Found::ByPlace,
            None | Some(TestResult::DoesNotCompile) => Found::No,
        }
    }
}
