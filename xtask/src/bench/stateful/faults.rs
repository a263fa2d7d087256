//! Seeded faults of the containers and of the calculator, and known bugs of published crates:
//! which are found with stateful testing, and which by random calls alone, with as many calls.
//!
//! A fault counts as found if the command reports something that it does not report of the
//! version without it.

use super::super::folder;
use super::{command, findings_of, own_calls};
use anyhow::Result;
use serde_json::Value;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

/// Where a fault is switched on.
enum Switch {
    /// A feature of the subject.
    Feature(String),
    /// A name that the subject is compiled with.
    Name(String),
    /// A published version, and the one in which the bug was mended.
    Version { buggy: String, mended: String },
}

struct Fault {
    subject: &'static str,
    switch: Switch,
}

impl Fault {
    fn name(&self) -> &str {
        match &self.switch {
            Switch::Feature(name) | Switch::Name(name) => name,
            Switch::Version { buggy, .. } => buggy,
        }
    }

    /// The version without it.
    fn sound_name(&self) -> String {
        match &self.switch {
            Switch::Version { mended, .. } => mended.clone(),
            _ => self.subject.to_owned(),
        }
    }
}

/// The variable that the containers are compiled with.
const VARIABLE: &str = "CONTAINERS_FAULT";

/// `[SEEDS] [CALLS] [containers | stackcalc | NAME@BUGGY..MENDED | a part of a name]…`
pub(super) fn run(seeds: u64, calls: u64, wanted: &[String]) -> Result<()> {
    let (own, all) = (own_calls(calls), calls + own_calls(calls));
    println!("{calls} random calls and up to {own} of stateful testing, or {all} random ones");
    println!(
        "found in so many of {seeds} seeds; where it is found in a walk, after how many calls"
    );
    println!("{:<44} {:>5} {:>7} {:>9} {:>9}", "fault", "with", "without", "calls", "calls");
    let mut sums = [0; 4];
    // What is said of the version without the fault, which many faults share.
    let mut innocent: BTreeMap<(String, u64, bool), BTreeSet<String>> = BTreeMap::new();
    for fault in faults(wanted)? {
        let mut counts = [0u64; 2];
        let mut after: [Vec<u64>; 2] = [vec![], vec![]];
        for seed in 0..seeds {
            for (n, (calls, without)) in [(calls, false), (all, true)].into_iter().enumerate() {
                let mut search = Search { fault: &fault, seed, calls, without, sound: true };
                let told = match innocent.entry((fault.sound_name(), seed, without)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        let all = search.reported()?.into_iter();
                        new.insert(all.map(|(class, _)| class).collect())
                    }
                };
                search.sound = false;
                let found = search.reported()?;
                let new = found.iter().filter(|(class, _)| !told.contains(class));
                if let Some(calls) = new.map(|(_, calls)| *calls).min() {
                    counts[n] += 1;
                    after[n].push(calls);
                }
            }
        }
        let [with, without] = counts;
        let [first, second] = after.map(|mut calls| {
            calls.sort_unstable();
            calls.get(calls.len() / 2).map_or("-".to_owned(), u64::to_string)
        });
        println!("{:<44} {with:>5} {without:>7} {first:>9} {second:>9}", fault.name());
        sums[0] += with;
        sums[1] += without;
        sums[2] += u64::from(with > without);
        sums[3] += u64::from(with < without);
    }
    let [with, without, more, less] = sums;
    println!("found {with} times with and {without} times without, of {seeds} for each fault");
    println!("{more} faults in more seeds with than without, {less} in fewer");
    Ok(())
}

/// The faults that are wanted.
fn faults(wanted: &[String]) -> Result<Vec<Fault>> {
    let mut all = vec![];
    for name in seeded()? {
        all.push(Fault { subject: "containers", switch: Switch::Name(name) });
    }
    for n in 1..=10 {
        let switch = Switch::Feature(format!("bug-{n:02}"));
        all.push(Fault { subject: "stackcalc", switch });
    }
    let is_wanted = |fault: &Fault| {
        let named = |name: &String| fault.subject == name || fault.name().contains(name.as_str());
        wanted.is_empty() || wanted.iter().any(named)
    };
    all.retain(is_wanted);
    for name in wanted {
        let versions = name.split_once('@').and_then(|(name, rest)| {
            let (buggy, mended) = rest.split_once("..")?;
            let of = |version: &str| format!("{name}@{version}");
            Some(Switch::Version { buggy: of(buggy), mended: of(mended) })
        });
        all.extend(versions.map(|switch| Fault { subject: "", switch }));
    }
    Ok(all)
}

/// The names of the faults that the sources of the containers ask for.
fn seeded() -> Result<BTreeSet<String>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../subjects/containers/src");
    let mut names = BTreeSet::new();
    for file in std::fs::read_dir(folder)? {
        let text = std::fs::read_to_string(file?.path())?;
        let asked = text.split("seeded(\"").skip(1);
        names.extend(asked.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
    }
    Ok(names)
}

/// One run of the command.
struct Search<'f> {
    fault: &'f Fault,
    seed: u64,
    calls: u64,
    without: bool,
    /// On the version without the fault.
    sound: bool,
}

impl Search<'_> {
    /// The classes of all violations that are reported, each with the calls before it.
    fn reported(&self) -> Result<Vec<(String, u64)>> {
        let Search { fault, seed, calls, without, sound } = self;
        let mut command = match &fault.switch {
            Switch::Version { buggy, mended } => published(if *sound { mended } else { buggy })?,
            _ => command(fault.subject, &format!("faults-{}", fault.subject))?,
        };
        match &fault.switch {
            Switch::Name(name) => {
                command.args(["--features", "faults"]);
                command.env(VARIABLE, if *sound { "" } else { name });
            }
            Switch::Feature(name) if !sound => drop(command.args(["--features", name])),
            _ => {}
        }
        command.args(["--no-write", "--no-regressions", "--format", "json"]);
        command.args(["--seed", &seed.to_string(), "--calls", &calls.to_string()]);
        if *without {
            command.args(["--without", "stateful"]);
        }
        let findings = findings_of(&mut command)?;
        let text =
            |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let violations = findings.iter().filter(|finding| finding["severity"] == "violation");
        let class = |finding: &Value| {
            let class = format!("{} {}", text(finding, "operation"), text(finding, "class"));
            (class, finding["found_after"].as_u64().unwrap_or_default())
        };
        Ok(violations.map(class).collect())
    }
}

pub(super) fn published(krate: &str) -> Result<Command> {
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let mut command = Command::new(tool);
    command.args(["--crate", krate, "--fresh"]);
    command.arg("--out-dir").arg(folder().join("stateful-published"));
    command.arg("--target-dir").arg(folder().join("target"));
    Ok(command)
}
