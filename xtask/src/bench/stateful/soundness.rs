//! How many inferred clauses are true: Table I of the paper.
//!
//! Korat says of every clause about our containers whether it holds in all calls within a scope.
//! Clauses about other crates are asked of an independent search with ten times the calls.

use super::super::folder;
use super::truth::{self, Asked};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// Calls of an inference whose clauses are checked, a third of them by stateful testing, and
/// how many times as many check them.
const INFERRED: u64 = 300_000;
const TIMES: u64 = 10;
/// The subject whose types derive Korat.
pub(super) const CONTAINERS: &str = "containers";

/// Clauses of one kind: how many there are, how many of them are known not to be true, and how
/// many of those were refuted before.
#[derive(Clone, Copy, Default)]
struct Sound {
    inferred: usize,
    unsound: usize,
    refuted: usize,
    /// Of those that were kept, the ones that nobody could be asked about.
    unseen: usize,
}

impl Sound {
    fn add(&mut self, other: Sound) {
        self.inferred += other.inferred;
        self.unsound += other.unsound;
        self.refuted += other.refuted;
        self.unseen += other.unseen;
    }

    /// The share of true clauses, before reduction and after.
    fn shares(self) -> [f64; 2] {
        let (sound, kept) = (self.inferred - self.unsound, self.inferred - self.refuted);
        [self.inferred, kept].map(|of| 100.0 * sound as f64 / of.max(1) as f64)
    }

    fn columns(self) -> String {
        let Sound { inferred, unsound, refuted, unseen } = self;
        format!("{inferred:>5} {unsound:>5} {refuted:>5} {unseen:>5}")
    }
}

/// A clause, what it is about, and what is known of it.
struct Judged {
    of: String,
    function: String,
    kind: String,
    text: String,
    refuted: bool,
    /// In how many calls it holds, and in how many not, as others have seen it.
    others: (u64, u64),
    korat: Option<(u64, u64)>,
}

/// The table for subjects of our own or published crates (`NAME@VERSION`), type by type.
pub(super) fn run(subjects: &[&str]) -> Result<()> {
    println!("#T clauses, #U untrue, #V of them refuted, #? nobody could be asked about");
    println!("{:<48} {:<23} | promises", "type", "preconditions");
    let head = "   #T    #U    #V    #?";
    println!("{:<48} {head} | {head} {:>7} {:>7}", "", "before", "after");
    let mut all = [Sound::default(); 2];
    for subject in subjects {
        let clauses = match clauses(subject) {
            Ok(clauses) => clauses,
            Err(error) => {
                println!("{subject}: {error:#}");
                continue;
            }
        };
        let mut types: BTreeMap<&str, [Sound; 2]> = BTreeMap::new();
        for clause in &clauses {
            let untrue = |(_, broken): (u64, u64)| broken > 0;
            let by_korat = clause.korat.map(untrue);
            // What was refuted was untrue, whether or not anybody else knows.
            let unsound = clause.refuted || by_korat.unwrap_or(untrue(clause.others));
            let seen = clause.korat.unwrap_or(clause.others).0 > 0;
            let one = Sound {
                inferred: 1,
                unsound: unsound.into(),
                refuted: clause.refuted.into(),
                unseen: usize::from(!unsound && !seen),
            };
            let kind = usize::from(clause.kind != "requires");
            types.entry(&clause.of).or_default()[kind].add(one);
            if unsound && !clause.refuted {
                let Judged { of, function, kind, text, .. } = clause;
                println!("  untrue: {of}::{function} {kind} {text}");
            }
        }
        for (of, [pre, post]) in &types {
            println!("{}", row(of, *pre, *post));
            all[0].add(*pre);
            all[1].add(*post);
        }
    }
    println!("{}", row("all", all[0], all[1]));
    Ok(())
}

fn row(of: &str, pre: Sound, post: Sound) -> String {
    let mut both = pre;
    both.add(post);
    let [before, after] = both.shares();
    format!("{of:<48} {} | {} {before:>6.1}% {after:>6.1}%", pre.columns(), post.columns())
}

/// Every clause about a subject, and what is known of it.
fn clauses(subject: &str) -> Result<Vec<Judged>> {
    let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
    let mut command = Command::new(&tool);
    command.args(["infer", "--quiet", "--format", "json", "--seed", "0"]);
    command.args(["--calls", &INFERRED.to_string()]);
    if subject != CONTAINERS {
        command.args(["--check-calls", &(INFERRED / 3 * TIMES).to_string()]);
    }
    match subject.contains('@') {
        true => command.args(["--crate", subject]),
        false => {
            let manifest = format!("../subjects/{subject}/Cargo.toml");
            let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(manifest);
            command.arg("--manifest-path").arg(manifest)
        }
    };
    // What is planned for a published crate once is there for all benches.
    let place = match subject.contains('@') {
        true => "stateful-published".to_owned(),
        false => format!("stateful-soundness-{subject}"),
    };
    command.arg("--out-dir").arg(folder().join(place));
    command.arg("--target-dir").arg(folder().join("target"));
    let output = command.output().context("cargo-testsmith is built")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let clauses = events.filter(|event| event["event"] == "clause");
    let mut all: Vec<Judged> = clauses.map(|event| judged(&event)).collect();
    anyhow::ensure!(!all.is_empty(), "{subject}: {}", String::from_utf8_lossy(&output.stderr));
    if subject == CONTAINERS {
        let questions: Vec<Asked> = all
            .iter()
            .map(|Judged { of, function, kind, text, .. }| Asked { of, function, kind, text })
            .collect();
        let known = truth::ask(&questions)?;
        for (clause, known) in all.iter_mut().zip(known) {
            clause.korat = known.filter(|(held, broken)| held + broken > 0);
        }
    }
    Ok(all)
}

fn judged(event: &Value) -> Judged {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let clause = &event["clause"];
    let seen = |n: usize| clause["checked"][n].as_u64().unwrap_or_default();
    Judged {
        of: word(&event["type"]),
        function: word(&event["function"]),
        kind: word(&clause["kind"]),
        text: word(&clause["clause"]),
        refuted: clause["fate"] == "refuted",
        others: (seen(0), seen(1)),
        korat: None,
    }
}
