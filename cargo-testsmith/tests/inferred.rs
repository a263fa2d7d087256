//! What is made of inferred contracts: a patch, tests, and what changed since another
//! version.

mod support;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use support::{Fixture, build_folder, check_keys, stderr, stdout};

/// All files of a package with their texts.
fn texts(fixture: &Fixture) -> BTreeMap<PathBuf, String> {
    let text = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("a text");
        (file, text)
    };
    let files = fixture.files().into_iter();
    files
        .filter(|file| !file.components().any(|part| part.as_os_str() == ".git"))
        .map(text)
        .collect()
}

/// One test at a time, all of them in one out-dir, so that the worker is compiled once.
static ALONE: Mutex<()> = Mutex::new(());

fn out() -> PathBuf {
    build_folder().join("inferred")
}

fn infer(fixture: &Fixture, args: &[&str]) -> Output {
    let out = out().display().to_string();
    fixture.run(&[&["infer", "-q", "--out-dir", &out], args].concat())
}

/// Runs a program in a folder.
fn run(folder: &Path, program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    command.env("CARGO_TARGET_DIR", build_folder().join("shadow"));
    command.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    for (name, value) in [("NAME", "nobody"), ("EMAIL", "nobody@example.org")] {
        command
            .env(format!("GIT_AUTHOR_{name}"), value)
            .env(format!("GIT_COMMITTER_{name}"), value);
    }
    command.output().expect("the program runs")
}

fn change(file: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(file).expect("a text");
    assert!(text.contains(from), "no {from:?} in {text}");
    std::fs::write(file, text.replace(from, to)).expect("writable");
}

/// The clauses above a function.
fn above(source: &str, function: &str) -> Vec<String> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| line.starts_with(function)).expect("the function");
    let clauses = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
    clauses.map(|line| (*line).to_owned()).collect()
}

#[test]
fn what_was_inferred_becomes_tests_and_a_patch() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let fixture = Fixture::copy("pantry");
    let library = fixture.path().join("src/lib.rs");
    let before = texts(&fixture);

    // What may panic is called seldom, and a promise is told after many calls.
    let output = infer(&fixture, &["--calls", "400000", "--tests"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let file = fixture.path().join("tests/testsmith_contracts.rs");
    let tests = std::fs::read_to_string(&file).expect("tests were written");
    for wanted in [
        "fn check_pantry_add(pantry: &mut Pantry, good: u8) {",
        "assert_eq!(pantry.len(), len_before + 1);",
        "fn pantry_clear_leaves_it_empty() {",
        "fn pantry_take_takes_1_from_len() {",
        "fn pantry_keeps_its_invariants() {",
    ] {
        assert!(tests.contains(wanted), "no {wanted} in {tests}");
    }
    assert!(!tests.contains("testsmith::"), "{tests}");
    let test = ["test", "-q", "--test", "testsmith_contracts"];
    assert!(run(&fixture.path(), "cargo", &test).status.success());
    // They are worth something: what forgets to clear is found.
    change(&library, "self.goods.clear();", "");
    let broken = run(&fixture.path(), "cargo", &test);
    assert!(stdout(&broken).contains("pantry_clear_leaves_it_empty"), "{}", stdout(&broken));
    std::fs::write(&library, &before[&library]).expect("writable");
    std::fs::remove_dir_all(fixture.path().join("tests")).expect("writable");
    let _ = std::fs::remove_file(fixture.path().join("Cargo.lock"));
    let _ = std::fs::remove_dir_all(fixture.path().join("target"));

    let output = infer(&fixture, &["--calls", "150000", "--patch"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(texts(&fixture), before, "nothing is written");
    for why in [
        "invariant(self.tare() == 0) of pantry::Pantry: the tests of the crate break it",
        "of pantry::Pantry::bump: its function is made by a macro",
        "ensures(ret == old(value)) of pantry::pass: it does not compile",
    ] {
        assert!(stderr(&output).contains(why), "no {why} in {}", stderr(&output));
    }
    let patch = fixture.path().join("it.patch");
    std::fs::write(&patch, stdout(&output)).expect("writable");
    let applied = run(&fixture.path(), "git", &["apply", "it.patch"]);
    assert!(applied.status.success(), "{}\n{}", stderr(&applied), stdout(&output));
    let source = std::fs::read_to_string(&library).expect("a text");
    assert_eq!(above(&source, "pub fn clear"), ["#[ensures(self.is_empty())]"], "{source}");
    let take = above(&source, "pub fn take");
    assert!(take.contains(&"#[requires(!self.is_empty())]".to_owned()), "{take:?}");
    let grows = "#[ensures(old(!self.has(good)) ==> self.len() == old(self.len()) + 1)]";
    assert!(above(&source, "pub fn add").contains(&grows.to_owned()), "{source}");
    assert!(!source.contains("tare() == 0"), "{source}");

    // The contracts are checked, and the tests of the crate pass with them.
    let ours = out().join("lab/library/testsmith");
    let config = format!("patch.crates-io.testsmith.path={:?}", ours.display().to_string());
    let test = ["--config", &config, "test", "--lib"];
    let passed = run(&fixture.path(), "cargo", &test);
    assert!(passed.status.success(), "{}{}", stdout(&passed), stderr(&passed));
    change(&library, "self.goods.push_back(good);", "");
    let broken = stdout(&run(&fixture.path(), "cargo", &test));
    assert!(broken.contains("Post-condition of add violated: self.has(good)"), "{broken}");
}

#[test]
fn names_queries_with_two_values_and_branches_of_the_source_are_conditions() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let fixture = Fixture::copy("lamps");
    let output = infer(&fixture, &["--calls", "150000", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let events: Vec<Value> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let told = |function: &str| -> Vec<String> {
        let clauses = events.iter().filter(|event| event["event"] == "clause");
        let own = clauses
            .filter(|event| event["function"] == function && event["clause"]["fate"] != "refuted");
        own.map(|event| event["clause"]["clause"].as_str().expect("a text").to_owned()).collect()
    };
    let check = |function: &str, clause: &str| {
        assert!(told(function).iter().any(|one| one == clause), "{clause}: {:#?}", told(function));
    };
    check("paint", "self.colour() == old(colour)");
    check("douse", "!self.is_lit_within(from, to)");
    check("dim", "old(by > 5) ==> !ret");
    check("dim", "old(by <= 5) ==> ret");
    let dark = "matches!(self.shade(), Shade::Dark)";
    check("shadow", &format!("old(matches!(shade, Shade::Dark)) ==> {dark}"));
    // What cannot be compared, what has no name, and what nobody can ask.
    let all: Vec<String> =
        events.iter().map(|event| event["clause"]["clause"].to_string()).collect();
    for never in ["shade() ==", "shade() <", "colour() <", "fitting", "swaps"] {
        assert!(!all.iter().any(|clause| clause.contains(never)), "{never}: {all:#?}");
    }
}

#[test]
fn a_change_is_told_in_words_with_a_call_that_shows_it() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let fixture = Fixture::copy("pantry");
    let git = |args: &[&str]| {
        let done = run(&fixture.path(), "git", args);
        assert!(done.status.success(), "{args:?}: {}", stderr(&done));
        stdout(&done)
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    let same = infer(&fixture, &["--against", "HEAD", "--calls", "60000"]);
    assert_eq!(same.status.code(), Some(0), "{}{}", stdout(&same), stderr(&same));
    assert!(stdout(&same).contains(" 0 were seen to behave differently"), "{}", stdout(&same));

    let library = fixture.path().join("src/lib.rs");
    let popped = "let there = self.has(good);\n        if !there {\n            let _ = self.goods.pop_back();\n        }";
    change(&library, "let there = self.has(good);", popped);
    change(&library, ".expect(\"there is none\")", ".unwrap_or(0)");
    change(&library, "self.goods.clear();", "self.goods.clear();\n        self.tare = 1;");
    let before = texts(&fixture);
    let index = std::fs::read(fixture.path().join(".git/index")).expect("an index");
    let args = ["--calls", "150000", "--format", "json"];
    let output = infer(&fixture, &[&["--against", "HEAD"], &args[..]].concat());
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    assert_eq!(texts(&fixture), before, "nothing is written");
    assert_eq!(std::fs::read(fixture.path().join(".git/index")).expect("an index"), index);
    assert_eq!(git(&["status", "--porcelain"]), " M src/lib.rs\n");

    let alone = infer(&fixture, &args);
    let events = check_keys(&(stdout(&alone) + &stdout(&output)), "infer: ");
    let change = |function: &str, sentence: &str| -> Value {
        let of = events.iter().filter(|(name, _)| name == "change").map(|(_, event)| event);
        let mut of = of.filter(|event| event["function"] == function);
        let found = of.find(|event| event["sentence"] == sentence);
        found.unwrap_or_else(|| panic!("no {sentence:?}: {}", stdout(&output))).clone()
    };
    let kept = change(
        "pantry::Pantry::remove",
        "used to keep `self.len()` where `!self.has(good)`; now it does not",
    );
    assert_eq!(kept["holds"], "then");
    let answer = &kept["answers"][0];
    assert_eq!(answer["asked"], "self.len()");
    assert_ne!(answer["then"], answer["now"]);
    // What was true of all values, and is no longer.
    let weighs = change("pantry::Pantry", "used to be `self.tare() == 0` always; now it is not");
    assert_eq!((&weighs["holds"], &weighs["kind"]), (&json!("then"), &json!("invariant")));
    let answer = json!([{ "asked": "self.tare()", "then": "0", "now": "1" }]);
    assert_eq!(weighs["answers"], answer);
    let of_values = events.iter().filter(|(_, event)| event["function"] == "pantry::Pantry");
    assert_eq!(of_values.count(), 1, "nothing else: {}", stdout(&output));
    let witness = kept["witness"].as_array().expect("calls");
    let last = witness.last().and_then(Value::as_str).expect("a call");
    assert!(last.contains(".remove("), "{witness:?}");
    change("pantry::Pantry::take", "used to need `!self.is_empty()`; now it does not");
    // What did not change is not told.
    let others = events.iter().filter(|(name, _)| name == "change").map(|(_, event)| event);
    // What `clear` leaves now is seen wherever a value goes that was cleared.
    let told = |event: &Value| {
        let function = event["function"].as_str().unwrap_or_default();
        let changed = function.ends_with("::remove") || function.ends_with("::take");
        changed || event["witness"].to_string().contains(".clear()")
    };
    assert!(others.clone().all(told), "{:?}", others.collect::<Vec<_>>());

    // What was left can be read again without a call.
    let stored = infer(&fixture, &["--stored", "--format", "json"]);
    let of = |output: &Output| {
        let text = stdout(output);
        text.lines()
            .filter(|line| line.contains("\"function\":\"clear\""))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&stored), of(&alone), "{}", stderr(&stored));
    assert!(!of(&stored).is_empty());
}

#[test]
fn what_makes_no_sense_is_said_before_anything_is_built() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let fixture = Fixture::make(
        "silent",
        "[package]\nname = \"silent\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
        Some(
            "pub struct Silent;\n\nimpl Silent {\n    pub fn new() -> Silent {\n        Silent\n    }\n}\n\n\
              impl Default for Silent {\n    fn default() -> Silent {\n        Silent\n    }\n}\n",
        ),
    );
    let check = |args: &[&str], code: i32, words: &str| {
        let output = infer(&fixture, &[&["--calls", "2000"], args].concat());
        let said = stderr(&output) + &stdout(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words), "no {words:?}: {said}");
    };
    check(&["--against", "HEAD"], 2, "is not in a git repository");
    check(&["--against", "slab@0.4.9"], 2, "slab is not silent");
    check(&["--against", "HEAD", "--patch"], 2, "cannot be used with");
    // In its own folder, where nothing is yet.
    let stored = fixture.run(&["infer", "--stored"]);
    assert_eq!(stored.status.code(), Some(101));
    assert!(stderr(&stored).contains("without --stored makes it"), "{}", stderr(&stored));
    assert!(run(&fixture.path(), "git", &["init", "-q"]).status.success());
    check(&["--against", "nonsense"], 2, "is neither NAME@VERSION nor a revision");
    check(&[], 0, "nothing can be asked of the values of this crate");
    check(&["--patch"], 0, "there is nothing to add");
    check(&["--tests"], 0, "there is nothing to test");
}
