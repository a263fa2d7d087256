//! What changed between two versions, for people and for programs.

use super::against::{Change, Compared, Direction};
use crate::Exit;
use crate::args::{Infer, InferFormat};
use crate::console::event;
use serde_json::json;
use std::fmt::Write;
use testsmith_infer::Kind;

/// Changes that are shown of one function; the rest are counted.
const MOST_CHANGES: usize = 3;
/// Functions that only one side has which are named.
const MOST_NAMES: usize = 10;

/// Prints it; something that changed is something found.
pub(super) fn print(options: &Infer, compared: &Compared) -> Exit {
    let exit = if compared.changes.is_empty() { Exit::Clean } else { Exit::Found };
    match options.format {
        InferFormat::Json => print_events(compared, exit),
        InferFormat::Text | InferFormat::Rust => print!("{}", text(compared)),
    }
    exit
}

fn text(compared: &Compared) -> String {
    let Compared { krate, then, now, changes, functions, only_then, only_now } = compared;
    let now_name = now.as_str();
    let mut text = String::new();
    let mut changed = 0;
    // Both directions of one function belong together.
    let mut names: Vec<&str> = changes.iter().map(|change| change.function.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for function in names {
        changed += 1;
        let _ = writeln!(text, "{function}");
        let all: Vec<&Change> =
            changes.iter().filter(|change| change.function == function).collect();
        let mut witness: &[String] = &[];
        for change in all.iter().take(MOST_CHANGES) {
            let _ = writeln!(text, "  {}", change.sentence());
            let (keeps, breaks) = match change.direction {
                Direction::Gone => (then.as_str(), now_name),
                Direction::New => (now_name, then.as_str()),
            };
            let Change { kept, seen, broken, .. } = change;
            let of = if change.kind == Kind::Invariant { "values" } else { "calls" };
            let _ = writeln!(
                text,
                "    {keeps}: so in {kept} {of}; {breaks}: not in {broken} of {seen}"
            );
            if change.witness.as_slice() != witness {
                for line in &change.witness {
                    let _ = writeln!(text, "      {line}");
                }
                witness = &change.witness;
            }
            for (asked, then, now) in &change.answers {
                let is = if change.kind == Kind::Requires { "" } else { "is " };
                let _ = writeln!(text, "    then {asked} {is}{then}, now it {is}{now}");
            }
        }
        if let Some(more) = all.len().checked_sub(MOST_CHANGES).filter(|more| *more > 0) {
            let _ = writeln!(text, "  and {more} more; --format json has all");
        }
        text.push('\n');
    }
    for (which, names) in [(then.as_str(), only_then), (now_name, only_now)] {
        if !names.is_empty() {
            let shown: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
            let more = names.len() - shown.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(text, "only in {which}: {}{more}", shown.join(", "));
        }
    }
    let _ = writeln!(
        text,
        "{krate}: of {functions} functions that both {then} and {now_name} have, {changed} were seen \
         to behave differently"
    );
    text
}

fn print_events(compared: &Compared, exit: Exit) {
    for change in &compared.changes {
        let answers: Vec<_> = change
            .answers
            .iter()
            .map(|(asked, then, now)| json!({ "asked": asked, "then": then, "now": now }))
            .collect();
        event(
            "change",
            &json!({
                "function": change.function,
                "kind": change.kind.word(),
                "clause": change.clause,
                "holds": match change.direction {
                    Direction::Gone => "then",
                    Direction::New => "now",
                },
                "sentence": change.sentence(),
                "kept": change.kept,
                "seen": change.seen,
                "broken": change.broken,
                "witness": change.witness,
                "answers": answers,
                "sequence": change.sequence,
            }),
        );
    }
    event(
        "compared",
        &json!({
            "schema": 1,
            "crate": compared.krate,
            "then": compared.then,
            "now": compared.now,
            "exit_code": exit.code(),
            "changes": compared.changes.len(),
            "functions": compared.functions,
            "only_then": compared.only_then,
            "only_now": compared.only_now,
        }),
    );
}
