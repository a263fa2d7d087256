//! Stateful testing as users see it: what is inferred, what is tried against it, what is
//! found by that, and what is left in the store.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use support::{build_folder, executable, findings, root, stderr, stdout};

/// Runs the command on the three examples of the paper.
fn run(out: &Path, args: &[&str]) -> Output {
    Command::new(executable())
        .args(args)
        .arg("--out-dir")
        .arg(out)
        .current_dir(root().join("subjects/stateful"))
        .env("TESTSMITH_TARGET_DIR", build_folder())
        .output()
        .expect("the command runs")
}

/// The clauses of `infer --format json`, by function.
fn clauses(output: &Output) -> Vec<(String, Value)> {
    let event = |line: &str| -> Value {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    let text = stdout(output);
    let of = |event: Value| {
        let path = format!("{}::{}", event["type"], event["function"]).replace('"', "");
        (path, event["clause"].clone())
    };
    text.lines().map(event).filter(|event| event["event"] == "clause").map(of).collect()
}

fn find<'c>(all: &'c [(String, Value)], function: &str, clause: &str) -> Option<&'c Value> {
    let mut of = all.iter().filter(|(path, _)| path.ends_with(function));
    of.find(|(_, told)| told["clause"] == clause).map(|(_, told)| told)
}

#[test]
fn contracts_are_inferred_and_what_is_needed_was_tried() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let args = ["infer", "--calls", "400000", "--seed", "5", "--format", "json"];
    let output = run(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let all = clauses(&output);
    let told = |function: &str, clause: &str| {
        let of: Vec<_> = all.iter().filter(|(path, _)| path.ends_with(function)).collect();
        find(&all, function, clause).unwrap_or_else(|| panic!("no {clause} among {of:#?}"))
    };
    // Example A: where it does not hold, the call fails, and calls were made to see.
    let disjoint = told("SortedSet::merge", "self.is_disjoint(other)");
    assert_eq!(disjoint["kind"], "requires");
    assert_eq!(disjoint["fate"], "needed", "{disjoint}");
    assert!(disjoint["tried"].as_u64() > Some(0), "{disjoint}");
    // Example C: believed, whether or not such values were found.
    let siblings = told("Tree::merge_tree_after", "!self.is_sibling(other)");
    assert_eq!(siblings["kind"], "requires");
    assert_ne!(siblings["fate"], "refuted", "{siblings}");
    // What is written is not told again.
    assert!(find(&all, "Tree::merge_tree_after", "!self.off()").is_none());
    // What everybody would write, in the words of the attributes.
    for (function, clause) in [
        ("Tree::put_child", "self.arity() == old(self.arity()) + 1"),
        ("Tree::put_child", "ret.item() == old(value)"),
        ("SortedSet::extend", "self.has(item)"),
        ("SortedSet::extend", "old(!self.has(item)) ==> self.count() == old(self.count()) + 1"),
        ("SortedSet::", "self.is_empty() == (self.count() == 0)"),
        ("LinkedList::merge_left", "other.is_empty()"),
    ] {
        let told = told(function, clause);
        assert_ne!(told["fate"], "refuted", "{told}");
    }
    // What is untrue and was believed for a while.
    assert!(all.iter().any(|(_, told)| told["fate"] == "refuted"), "{all:?}");
    let few = ["infer", "--calls", "60000", "--format", "json"];
    let first = stdout(&run(folder.path(), &few));
    assert!(first.contains("\"event\":\"clause\""), "{first}");
    assert_eq!(stdout(&run(folder.path(), &few)), first, "the same calls say the same");
}

/// The operations that fail in a run.
fn failing(out: &Path, args: &[&str]) -> BTreeSet<String> {
    let common = ["--seed", "1", "--quiet", "--no-write", "--no-regressions", "--format", "json"];
    let output = run(out, &[args, &common].concat());
    let name = |finding: &Value| {
        let path = finding["operation"].as_str().unwrap_or_default();
        path.rsplit("::").next().unwrap_or_default().to_owned()
    };
    findings(&output).iter().map(name).collect()
}

#[test]
fn a_fault_is_found_that_the_walk_before_did_not_find() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let with = failing(folder.path(), &["--calls", "20000"]);
    let without = failing(folder.path(), &["--calls", "20000", "--without", "stateful"]);
    assert!(without.is_subset(&with), "{with:?} {without:?}");
    // Example B: equal lists that are not empty.
    assert!(with.contains("merge_left") && !without.contains("merge_left"), "{with:?} {without:?}");
}

#[test]
fn what_a_run_has_seen_is_in_the_store() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let nothing = run(folder.path(), &["store", "stats"]);
    assert_eq!(nothing.status.code(), Some(101));
    assert!(stderr(&nothing).contains("a run of cargo testsmith makes it"), "{}", stderr(&nothing));
    let output = run(folder.path(), &["--calls", "30000", "--no-write"]);
    assert!(stderr(&output).contains("stateful testing: "), "{}", stderr(&output));
    let plain = run(folder.path(), &["--calls", "30000", "--no-write", "--without", "stateful"]);
    assert!(!stderr(&plain).contains("stateful testing"), "{}", stderr(&plain));

    let stats = stdout(&run(folder.path(), &["store", "stats"]));
    for what in ["components", "objects", "observations", "transitions", "contracts"] {
        let line = stats.lines().find(|line| line.trim_end().ends_with(what));
        let count = line.and_then(|line| line.split_whitespace().next());
        assert!(count.is_some_and(|count| count != "0"), "no {what} in {stats}");
    }
    let condition = "SortedSet: !is_empty && count > 1";
    let found = stdout(&run(folder.path(), &["store", "objects", "--where", condition]));
    assert!(found.contains("sorted_set::SortedSet (step "), "{found}");
    assert!(!found.contains("$.is_empty()=1") && !found.contains("$.count()=1 "), "{found}");
    let wrong = run(folder.path(), &["store", "objects", "--where", "SortedSet: count > much"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("\"much\" is no number"), "{}", stderr(&wrong));

    let exported = stdout(&run(folder.path(), &["store", "export"]));
    assert!(exported.lines().any(|line| line.contains("\"kind\":\"transition\"")), "{exported}");
    let other = tempfile::tempdir().expect("another");
    let file = folder.path().join("store.sqlite");
    let merged = run(other.path(), &["store", "merge", &file.display().to_string()]);
    assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));
    assert_eq!(stdout(&run(other.path(), &["store", "stats"])), stats);
}
