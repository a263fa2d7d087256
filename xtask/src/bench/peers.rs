//! Ours beside cargo-mutants and cargo-gamma: what a mutant costs, and each verdict against each.
//!
//! All three run on the same copy of a published crate, one after the other, with one job, the
//! crate's own tests without its documentation's, and the operators that all have: a binary
//! operator becomes another, `!` and `-` are left out. Each mutates by these what it mutates.
//! Processor time is that of a whole run, start-up included. Ours runs twice, so that its own
//! dependencies are built, and the second run counts; the crates should have none, since the
//! others build theirs in every run. Where the others would have too much to do they get a part
//! by their own options for that (`--sample`); start-up then weighs more on each of their mutants.
//!
//! Verdicts are compared by file, line, column and change. Where two differ, the mutant is
//! written into the copy by hand and its tests are run: that is who is right.

use super::mutants::{Copy, OURS_ALL, judge, timed};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What ours calls these operators.
const OURS: &str = "arithmetic,assignments,bits,comparisons,logic,unary";
/// The same for cargo-gamma.
const GAMMA: &str =
    "relational,arith,bitwise,shift,assign,logical.and_to_or,logical.or_to_and,unary";
/// The same for cargo-mutants, by the names of its mutants.
const CARGO_MUTANTS: &str = r": (replace \S{1,3} with \S{1,3} in|delete [!-] in)";
/// cargo-mutants gets about so many; cargo-gamma, which builds once, four times as many.
pub const SAMPLE: usize = 60;
const OF_GAMMA: usize = 4;

/// Where a mutant is and what it does: file, line, column, the operator before and after.
type Key = (String, u64, u64, String, String);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Noticed,
    Alive,
    Refused,
}

/// What a tool made of a crate.
struct Told {
    verdicts: BTreeMap<Key, Verdict>,
    mutants: usize,
    cpu: f64,
}

impl Told {
    fn each_ms(&self) -> f64 {
        1000.0 * self.cpu / self.mutants.max(1) as f64
    }
}

/// Compares on each crate; `folder` is where the others are installed.
pub fn run(folder: &Path, sample: usize, crates: &[&String]) -> Result<()> {
    println!(
        "{:<20} {:>7} {:>9} {:>8} {:>9} {:>6} {:>7} {:>9} {:>6}",
        "crate", "mutants", "ms each", "mutants", "ms each", "times", "gamma", "ms each", "times"
    );
    for krate in crates {
        let package = Copy::new(krate)?;
        judge(krate, OURS_ALL)?;
        let (events, cpu) = judge(krate, &["--operator", OURS, "--jobs", "1"])?;
        let ours = of_events(&events, cpu);
        let cargo_mutants = cargo_mutants(folder, sample, &package)?;
        let gamma = gamma(folder, sample * OF_GAMMA, &package)?;
        println!(
            "{krate:<20} {:>7} {:>9.1} {:>8} {:>9.1} {:>6.1} {:>7} {:>9.1} {:>6.1}",
            ours.mutants,
            ours.each_ms(),
            cargo_mutants.mutants,
            cargo_mutants.each_ms(),
            cargo_mutants.each_ms() / ours.each_ms(),
            gamma.mutants,
            gamma.each_ms(),
            gamma.each_ms() / ours.each_ms()
        );
        compare("cargo-mutants", &ours, &cargo_mutants, &events, &package)?;
        compare("cargo-gamma", &ours, &gamma, &events, &package)?;
    }
    Ok(())
}

fn of_events(events: &[Value], cpu: f64) -> Told {
    let mut verdicts = BTreeMap::new();
    for event in events.iter().filter(|event| event["event"] == "mutant") {
        let verdict = match event["verdict"].as_str() {
            Some("killed" | "crashed" | "timed_out") => Verdict::Noticed,
            Some("withdrawn") => Verdict::Refused,
            _ => Verdict::Alive,
        };
        verdicts.extend(key_of(event).map(|key| (key, verdict)));
    }
    let mutants = verdicts.values().filter(|verdict| **verdict != Verdict::Refused).count();
    Told { verdicts, mutants, cpu }
}

fn key_of(event: &Value) -> Option<Key> {
    let text = |key: &str| event[key].as_str().map(str::to_owned);
    let (line, column) = (event["line"].as_u64()?, event["column"].as_u64()?);
    Some((text("file")?, line, column, text("original")?, text("replacement")?))
}

/// Runs a command of a tool in the copy.
fn tool(folder: &Path, package: &Copy, arguments: &[&str]) -> Result<(String, f64)> {
    let mut command = Command::new(folder.join("bin").join(format!("cargo-{}", arguments[0])));
    command.args(arguments).current_dir(&package.folder);
    let (output, cpu) = timed(&command)?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    // They have codes of their own for survivors and timeouts.
    if output.status.code().is_none_or(|code| code == 1 || code >= 4) {
        bail!("{arguments:?} failed: {told}{}", String::from_utf8_lossy(&output.stdout));
    }
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), cpu))
}

fn cargo_mutants(folder: &Path, sample: usize, package: &Copy) -> Result<Told> {
    let fixed = ["mutants", "--no-config", "--re", CARGO_MUTANTS];
    let (list, _) = tool(folder, package, &[&fixed[..], &["--list"]].concat())?;
    let parts = list.lines().count().div_ceil(sample).max(1);
    let shard = format!("0/{parts}");
    let more = ["--jobs", "1", "--cap-lints", "true", "--cargo-test-arg=--tests", "--colors=never"];
    let sharding = ["--shard", &shard, "--sharding", "round-robin"];
    let (_, cpu) = tool(folder, package, &[&fixed[..], &more, &sharding].concat())?;
    let text = std::fs::read(package.folder.join("mutants.out/outcomes.json"))?;
    let told: Value = serde_json::from_slice(&text)?;
    let mut verdicts = BTreeMap::new();
    let outcomes = told["outcomes"].as_array().context("outcomes")?;
    for outcome in outcomes.iter().filter(|outcome| outcome["scenario"]["Mutant"].is_object()) {
        let mutant = &outcome["scenario"]["Mutant"];
        let verdict = match outcome["summary"].as_str() {
            Some("CaughtMutant" | "Timeout") => Verdict::Noticed,
            Some("Unviable") => Verdict::Refused,
            _ => Verdict::Alive,
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (file, becomes) = (text(&mutant["file"]), text(&mutant["replacement"]));
        let start = &mutant["span"]["start"];
        let place = |key: &str| start[key].as_u64().unwrap_or(0);
        // `src/lib.rs:3:5: replace + with - in it`, `src/lib.rs:3:5: delete ! in it`.
        let name = text(&mutant["name"]);
        let mut words = name.split(' ').skip(2);
        let was = words.next().unwrap_or_default().to_owned();
        verdicts.insert((file, place("line"), place("column"), was, becomes), verdict);
    }
    let mutants = verdicts.values().filter(|verdict| **verdict != Verdict::Refused).count();
    Ok(Told { verdicts, mutants, cpu })
}

fn gamma(folder: &Path, sample: usize, package: &Copy) -> Result<Told> {
    let chosen = ["--no-config", "--mutators", GAMMA];
    let (list, _) = tool(folder, package, &[&["gamma", "list", "mutants"], &chosen[..]].concat())?;
    let parts = list.lines().count().div_ceil(sample).max(1).to_string();
    let shard = ["--shard-count", &parts, "--shard-index", "0", "--memory", "off"];
    let more = ["--incremental", "no", "--progress", "never", "--jobs", "1"];
    let (_, cpu) =
        tool(folder, package, &[&["gamma", "run"], &chosen[..], &shard, &more].concat())?;
    let report = package.folder.join("target/cargo-gamma/gamma-report.json");
    let told: Value = serde_json::from_slice(&std::fs::read(report)?)?;
    let mut verdicts = BTreeMap::new();
    for (file, of_file) in told["files"].as_object().context("files")? {
        let text = std::fs::read_to_string(package.folder.join(file))?;
        for mutant in of_file["mutants"].as_array().context("mutants")? {
            let verdict = match mutant["status"].as_str() {
                Some("Killed" | "Timeout" | "RuntimeError") => Verdict::Noticed,
                Some("CompileError") => Verdict::Refused,
                Some("Survived" | "NoCoverage") => Verdict::Alive,
                _ => continue,
            };
            let (line, column, was, becomes) = operator_of(&text, mutant)
                .with_context(|| format!("the operator of {mutant} is not found"))?;
            verdicts.insert((file.clone(), line, column, was, becomes), verdict);
        }
    }
    let mutants = verdicts.values().filter(|verdict| **verdict != Verdict::Refused).count();
    Ok(Told { verdicts, mutants, cpu })
}

/// Where the operator stands that a mutant of cargo-gamma changes: it tells the whole
/// expression, and what becomes of that.
fn operator_of(text: &str, mutant: &Value) -> Option<(u64, u64, String, String)> {
    let name = mutant["mutatorName"].as_str()?;
    let (was, becomes) = operators(name)?;
    let (start, end) = (&mutant["location"]["start"], &mutant["location"]["end"]);
    let byte = |place: &Value| {
        super::mutants::byte(text, place["line"].as_u64()?, place["column"].as_u64()?)
    };
    let (start, end) = (byte(start)?, byte(end)?);
    let original = &text[start..end];
    let plain = |text: &str| text.replace(|c: char| c.is_whitespace() || "()".contains(c), "");
    let wanted = plain(mutant["replacement"].as_str()?);
    let at = original.match_indices(was).map(|(at, _)| at).find(|at| {
        let (before, after) = (&original[..*at], &original[at + was.len()..]);
        plain(before) + &plain(becomes) + &plain(after) == wanted
    })?;
    let before = &text[..start + at];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() as u64 + 1;
    let column = before[line_start..].chars().count() as u64 + 1;
    Some((line, column, was.to_owned(), becomes.to_owned()))
}

/// `relational.lt_to_le`: the operators before and after.
fn operators(name: &str) -> Option<(&'static str, &'static str)> {
    let (family, change) = name.split_once('.')?;
    match change {
        "remove_not" => return Some(("!", "")),
        "remove_neg" => return Some(("-", "")),
        _ => {}
    }
    let word = |word: &str| {
        Some(match (family, word) {
            ("relational", "lt") => "<",
            ("relational", "le") => "<=",
            ("relational", "gt") => ">",
            ("relational", "ge") => ">=",
            ("relational", "eq") => "==",
            ("relational", "ne") => "!=",
            ("logical", "and") => "&&",
            ("logical", "or") => "||",
            ("assign", "add") => "+=",
            ("assign", "sub") => "-=",
            ("assign", "mul") => "*=",
            ("assign", "div") => "/=",
            ("assign", "rem") => "%=",
            ("assign", "and") => "&=",
            ("assign", "or") => "|=",
            ("assign", "xor") => "^=",
            ("assign", "shl") => "<<=",
            ("assign", "shr") => ">>=",
            (_, "add") => "+",
            (_, "sub") => "-",
            (_, "mul") => "*",
            (_, "div") => "/",
            (_, "rem") => "%",
            (_, "and") => "&",
            (_, "or") => "|",
            (_, "xor") => "^",
            (_, "shl") => "<<",
            (_, "shr") => ">>",
            _ => return None,
        })
    };
    let (from, to) = change.split_once("_to_")?;
    Some((word(from)?, word(to)?))
}

/// Tells each verdict that differs, and what a plain build says.
fn compare(name: &str, ours: &Told, theirs: &Told, events: &[Value], package: &Copy) -> Result<()> {
    let both: Vec<(&Key, Verdict, Verdict)> = (ours.verdicts.iter())
        .filter_map(|(key, ours)| Some((key, *ours, *theirs.verdicts.get(key)?)))
        .collect();
    let differ: Vec<_> = both.iter().filter(|(_, ours, theirs)| ours != theirs).collect();
    println!(
        "  {name}: {} mutants are the same, {} of their verdicts too",
        both.len(),
        both.len() - differ.len()
    );
    for (key, ours, theirs) in differ {
        let event = events.iter().find(|event| key_of(event).as_ref() == Some(*key));
        let event = event.context("it was one of ours")?;
        let plain = package.with(event, Copy::passes)?;
        let plain = match plain {
            None => "it does not compile",
            Some(true) => "it is alive",
            Some(false) => "it is noticed",
        };
        let (file, line, column, was, becomes) = key;
        println!(
            "    {file}:{line}:{column} {was} to {becomes:?}: ours {ours:?} ({}), theirs \
             {theirs:?}; written by hand {plain}",
            event["verdict"].as_str().unwrap_or_default()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_of_a_whole_expression_is_found() {
        let text = "fn f() {\n    a + b + c;\n}\n";
        let place = |column: u64| serde_json::json!({ "line": 2, "column": column });
        let mutant = |replacement: &str, end: u64| {
            serde_json::json!({
                "mutatorName": "arith.add_to_sub",
                "location": { "start": place(5), "end": place(end) },
                "replacement": replacement,
            })
        };
        let (was, becomes) = ("+".to_owned(), "-".to_owned());
        let last = operator_of(text, &mutant("(a + b) - (c)", 14));
        assert_eq!(last, Some((2, 11, was.clone(), becomes.clone())));
        assert_eq!(operator_of(text, &mutant("(a) - (b)", 10)), Some((2, 7, was, becomes)));
    }
}
