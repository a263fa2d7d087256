//! `cargo testsmith mutants --kill`, as a whole command.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use support::{Fixture, check_keys, root, stderr, stdout};

const FILE: &str = "tests/testsmith_mutants.rs";

fn events(output: &Output) -> Vec<Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    stdout(output).lines().map(read).collect()
}

fn of<'e>(events: &'e [Value], name: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

fn text<'v>(event: &'v Value, key: &str) -> &'v str {
    event[key].as_str().unwrap_or_else(|| panic!("{key} of {event}"))
}

/// `57:9 statements left = …; =>  | killed`.
fn row(mutant: &Value, fate: &Value) -> String {
    let words = |key: &str| {
        let words: Vec<&str> = text(mutant, key).split_whitespace().collect();
        words.join(" ")
    };
    let fate = if fate["killed_by"].is_null() { "alive" } else { "killed" };
    format!(
        "{}:{} {} {} => {} | {fate}",
        mutant["line"],
        mutant["column"],
        words("operator"),
        words("original"),
        words("replacement")
    )
}

/// The text with the mutant written into it by hand.
fn mutated(source: &str, mutant: &Value) -> String {
    let byte = |line: &str, column: &str| {
        let number = |key: &str| mutant[key].as_u64().expect("a number") as usize;
        let start: usize = source.split_inclusive('\n').take(number(line) - 1).map(str::len).sum();
        let mut characters = source[start..].char_indices();
        start + characters.nth(number(column) - 1).map_or(0, |(at, _)| at)
    };
    let (start, end) = (byte("line", "column"), byte("end_line", "end_column"));
    format!("{}{}{}", &source[..start], text(mutant, "replacement"), &source[end..])
}

/// Runs one written test as its owner would; none if it does not end.
fn passes(package: &Path, test: &str) -> Option<bool> {
    let build = |more: &[&str]| {
        let mut cargo = Command::new("timeout");
        cargo.args(["60", "cargo", "test", "--quiet", "--test", "testsmith_mutants"]).args(more);
        cargo.current_dir(package).env("RUSTFLAGS", "--cap-lints=allow");
        cargo.env("CARGO_TARGET_DIR", package.join("plain-target"));
        cargo.output().expect("cargo runs")
    };
    let built = build(&["--no-run"]);
    assert!(built.status.success(), "{}", stderr(&built));
    let mut alone = Command::new("timeout");
    alone.args(["5", "cargo", "test", "--quiet", "--test", "testsmith_mutants", "--", "--exact"]);
    alone.arg(test).current_dir(package).env("RUSTFLAGS", "--cap-lints=allow");
    alone.env("CARGO_TARGET_DIR", package.join("plain-target"));
    let code = alone.output().expect("cargo runs").status.code();
    (code != Some(124)).then_some(code == Some(0))
}

#[test]
fn every_test_that_is_written_fails_on_its_mutants_and_nothing_else_is_claimed() {
    let fixture = Fixture::copy("unnoticed");
    let run = ["mutants", "--kill", "15s", "--format", "json", "--quiet"];
    let output = fixture.run(&run);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let printed = stdout(&output);
    let of_hunt = |line: &&str| {
        let event: Value = serde_json::from_str(line).expect("an object");
        ["test", "hunted", "kill"].contains(&text(&event, "event"))
    };
    let (hunt, rest): (Vec<&str>, Vec<&str>) = printed.lines().partition(of_hunt);
    check_keys(&rest.join("\n"), "mutants: ");
    check_keys(&hunt.join("\n"), "mutants --kill: ");
    let all = events(&output);
    let mutants: BTreeMap<u64, &Value> =
        of(&all, "mutant").into_iter().map(|one| (one["id"].as_u64().expect("it"), one)).collect();
    let hunted: BTreeMap<u64, &Value> =
        of(&all, "hunted").into_iter().map(|one| (one["id"].as_u64().expect("it"), one)).collect();
    let rows: String = hunted.iter().map(|(id, fate)| row(mutants[id], fate) + "\n").collect();
    let file = root().join("fixtures/unnoticed/fates.txt");
    if std::env::var_os("TESTSMITH_ACCEPT").is_some() {
        std::fs::write(&file, &rows).expect("writable");
    }
    assert_eq!(rows, std::fs::read_to_string(&file).expect("the list is there"));
    check_by_hand(&fixture, &mutants, &hunted);
    let elements = fixture.path().join("testsmith.out/mutants.json");
    let elements: Value =
        serde_json::from_slice(&std::fs::read(elements).expect("it is written")).expect("JSON");
    let listed = elements["files"]["src/lib.rs"]["mutants"].as_array().expect("a list");
    let killed = |id: &u64| {
        let found = listed.iter().find(|one| text(one, "id") == id.to_string());
        found.expect("every mutant is listed")["status"] == "Killed"
    };
    assert!(hunted.iter().all(|(id, fate)| killed(id) != fate["killed_by"].is_null()));
    check_again(&fixture, &run);
}

/// Each claim, in a plain copy with the mutant in it.
fn check_by_hand(
    fixture: &Fixture,
    mutants: &BTreeMap<u64, &Value>,
    hunted: &BTreeMap<u64, &Value>,
) {
    let source = fixture.path().join("src/lib.rs");
    let original = std::fs::read_to_string(&source).expect("readable");
    let mut seen = 0;
    for (id, fate) in hunted.iter().filter(|(_, fate)| !fate["killed_by"].is_null()) {
        let test = text(fate, "killed_by").trim_start_matches("testsmith_mutants::");
        if seen == 0 {
            assert_eq!(passes(&fixture.path(), test), Some(true), "{test} on the original");
        }
        std::fs::write(&source, mutated(&original, mutants[id])).expect("writable");
        assert_ne!(passes(&fixture.path(), test), Some(true), "{test} on {}", mutants[id]);
        std::fs::write(&source, &original).expect("writable");
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
    std::fs::remove_dir_all(fixture.path().join("plain-target")).expect("it was built");
}

/// A second run keeps what is there, and a file that was edited is nobody's but its editor's.
fn check_again(fixture: &Fixture, run: &[&str]) {
    let file = fixture.path().join(FILE);
    let written = std::fs::read_to_string(&file).expect("it is written");
    assert!(!written.contains("use testsmith"), "{written}");
    let short = [&run[..2], &["3s"], &run[3..]].concat();
    let again = fixture.run(&short);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    let all = events(&again);
    let kill = of(&all, "kill")[0];
    assert_eq!((kill["killed"].as_u64(), kill["tests"].as_u64()), (Some(0), Some(0)), "{kill}");
    assert_eq!(std::fs::read_to_string(&file).expect("it stays"), written);
    let edited = written.replace("#[test]", "// Mine.\n#[test]");
    std::fs::write(&file, &edited).expect("writable");
    let refused = fixture.run(&short);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("was edited"), "{}", stderr(&refused));
    assert_eq!(std::fs::read_to_string(&file).expect("it stays"), edited);
}

#[test]
fn a_package_without_tests_gets_its_first() {
    let manifest = "[package]\nname = \"bare\"\nversion = \"0.1.0\"\nedition = \"2015\"\n";
    let library = "#![no_std]\n#![deny(warnings)]\npub fn half(n: u8) -> u8 { n / 2 }\n";
    let fixture = Fixture::make("bare", manifest, Some(library));
    let output = fixture.run(&["mutants", "--quiet", "--kill", "5s", "--fail-under", "80"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("noticed before: 0.0%\nnoticed: 100.0%\n"), "{text}");
    let written = std::fs::read_to_string(fixture.path().join(FILE)).expect("it is written");
    assert!(written.contains("extern crate bare;") && written.contains("half("), "{written}");
}
