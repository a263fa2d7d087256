//! `cargo testsmith reach` on a crate with states behind contracts.

mod support;

use serde_json::Value;
use std::sync::OnceLock;
use support::{Fixture, root};

/// The fixture, its manifest pointing to the library.
fn fixture() -> Fixture {
    let fixture = Fixture::copy("reach");
    let manifest = fixture.path().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("there is a manifest");
    let library = root().join("testsmith");
    let text = text.replace("../../testsmith", library.to_str().expect("a path of text"));
    std::fs::write(&manifest, text).expect("writable");
    fixture
}

/// Everything with a precondition, searched for once.
fn all() -> &'static (i32, Vec<Value>) {
    static ALL: OnceLock<(i32, Vec<Value>)> = OnceLock::new();
    ALL.get_or_init(|| {
        let fixture = fixture();
        let output = fixture.run(&["reach", "--all", "--quiet", "--format", "json"]);
        let text = String::from_utf8_lossy(&output.stdout);
        let reports = serde_json::from_str(&text).unwrap_or_else(|why| {
            panic!("{why}: {text}{}", String::from_utf8_lossy(&output.stderr))
        });
        (output.status.code().expect("an exit code"), reports)
    })
}

fn report(goal: &str) -> &'static Value {
    let found = all().1.iter().find(|report| report["goal"] == goal);
    found.unwrap_or_else(|| panic!("{goal} is among the goals"))
}

fn calls(report: &Value) -> Vec<&str> {
    let calls = report["states"][0]["calls"].as_array().expect("calls");
    calls.iter().map(|call| call.as_str().expect("text")).collect()
}

fn check_reached(goal: &str) -> &'static Value {
    let report = report(goal);
    assert_eq!(report["verdict"], "reached", "{report:#}");
    report
}

#[test]
fn numbers_texts_variants_and_lists_are_found_that_chance_does_not_find() {
    let then = |goal: &str| check_reached(goal)["states"][0]["then"].to_string();
    assert!(then("exact").contains(&(123_456_u64 * 1009 + 17).to_string()));
    let word = then("spelled");
    assert!(word.contains("ab") && word.contains("9\\\""), "{word}");
    let pair = then("chosen");
    let numbers: Vec<i8> =
        pair.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    assert!(matches!(numbers[..], [left, right] if left > 90 && left == right), "{pair}");
    assert!(then("listed").contains("4242"), "{}", then("listed"));
}

#[test]
fn a_sequence_of_calls_with_the_right_arguments_leads_to_a_state() {
    let report = check_reached("Tank::open");
    let calls = calls(report);
    // 777 takes three calls of 300 at most.
    assert_eq!(calls.iter().filter(|call| call.starts_with("tank.fill(")).count(), 3, "{calls:?}");
    assert_eq!(calls.last(), Some(&"tank.seal()"));
    let state = report["states"][0]["state"].as_array().expect("a state");
    let amount = state.iter().find(|query| query["query"] == "tank.amount()").expect("asked");
    assert_eq!((&amount["observed"], &amount["predicted"]), (&"777".into(), &"777".into()));
}

#[test]
fn what_one_goal_made_is_where_the_next_begins() {
    let calls_of = |goal: &str, start: &str| {
        let all = calls(check_reached(goal));
        all.iter().filter(|call| call.contains(start)).count()
    };
    // 95 in steps of 30, 777 in steps of 300: neither alone, nor together with the train.
    assert_eq!(calls_of("Train::new", ".warm("), 4);
    assert_eq!(calls_of("Train::new", ".fill("), 3);
    let report = check_reached("Train::leave");
    let calls = calls(report);
    assert_eq!(calls.iter().filter(|call| call.starts_with("train.couple(")).count(), 3);
    let makes_it = calls.iter().position(|call| call.starts_with("let mut train = Train::new("));
    assert!(makes_it.is_some_and(|at| at >= 9), "the calls stand where their object is made");
}

#[test]
fn what_an_option_holds_is_asked_like_any_object() {
    let report = check_reached("Train::change_engines");
    let calls = calls(report);
    let last = calls.last().expect("calls");
    assert!(last.starts_with("train.take_along("), "{calls:?}");
}

#[test]
fn queries_of_a_generic_type_belong_to_each_of_its_instances() {
    let calls = calls(check_reached("Shelf::tidy"));
    assert_eq!(calls.iter().filter(|call| call.contains(".put(")).count(), 3, "{calls:?}");
}

#[test]
fn two_objects_are_brought_into_two_states() {
    let report = report("transfer");
    assert_eq!(report["verdict"], "reached", "{report:#}");
    let calls = calls(report);
    assert_eq!(calls.iter().filter(|call| call.ends_with("= Tank::new()")).count(), 2);
}

#[test]
fn what_contradicts_itself_is_told_from_what_no_call_leads_to() {
    assert_eq!(report("Tank::impossible")["verdict"], "contradictory");
    assert_eq!(report("Tank::dead")["verdict"], "unreached", "{:#}", report("Tank::dead"));
    let wrong = report("Tank::dead")["disagreements"].as_array().expect("a list");
    assert!(
        wrong.iter().all(|it| it["contract"] == false),
        "no contract of it is wrong: {wrong:?}"
    );
    assert_eq!(report("Sealed::take")["verdict"], "unmade");
    assert_eq!(all().0, 100, "something cannot be reached");
}

#[test]
fn a_contract_that_the_code_does_not_keep_is_reported_with_the_calls() {
    let report = report("Liar::use_it");
    assert_ne!(report["verdict"], "reached");
    let broken = &report["broken_contracts"][0];
    assert!(broken["why"].as_str().expect("text").contains("grow"), "{report:#}");
    assert!(broken["calls"].to_string().contains("liar.grow()"), "{report:#}");
}

#[test]
fn what_cannot_be_translated_is_shown_and_does_not_stop_the_search() {
    let report = check_reached("Tank::odd");
    let free = report["free"].to_string();
    assert!(free.contains("format!"), "{free}");
}

#[test]
fn generic_types_are_searched_with_the_types_that_were_chosen() {
    let report = check_reached("Shelf::tidy");
    assert_eq!(calls(report).len(), 4);
}

#[test]
fn contracts_that_speak_of_each_other_without_end_are_cut_and_the_search_goes_on() {
    let report = check_reached("Tower::climb");
    assert_eq!(report["endless"], true);
    assert_eq!(calls(report), ["let mut tower = Tower::of(4)"]);
}

#[test]
fn states_are_asked_for_by_their_queries_and_differ_from_each_other() {
    let fixture = fixture();
    let output = fixture.run(&[
        "reach",
        "--quiet",
        "--state",
        "Tank: amount() > 290 && !is_sealed()",
        "--count",
        "2",
    ]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let amounts: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("tank.amount() = ")).collect();
    assert_eq!(amounts.len(), 2, "{text}");
    assert_ne!(amounts[0], amounts[1]);
}

#[test]
fn goals_that_make_no_sense_are_refused_with_what_would() {
    let fixture = fixture();
    let refused = |args: &[&str], wanted: &str| {
        let output = fixture.run(&[&["reach", "--quiet"], args].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(wanted), "{args:?}: {text}");
    };
    refused(&["Tank::opne"], "did you mean Tank::open");
    refused(&["--state", "Tank: level == 3"], "`level`");
    refused(&["--state", "Tank: amuont() == 3"], "there are `amount`, `is_sealed`");
    refused(&["--state", "Tank: amount( =="], "cannot read");
    refused(&["--state", "Tnak: amount() == 3"], "there is no type Tnak");
    refused(&["--state", "amount() == 3"], "a type, a colon and a condition");
    refused(&[], "what is to be reached?");
}

#[test]
fn a_run_meets_preconditions_by_contracts_that_walks_do_not_meet() {
    let fixture = fixture();
    let run = |more: &[&str]| {
        let args = ["--calls", "100001", "--no-write", "--without", "stateful"];
        let output = fixture.run(&[&args, more].concat());
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let completed = |text: &str| -> u32 {
        let line = text.lines().find(|line| line.contains("operations completed a call"));
        let line = line.unwrap_or_else(|| panic!("no such line in {text}"));
        line.split(' ').next().and_then(|word| word.parse().ok()).expect("a number")
    };
    let (with, without) = (run(&[]), run(&["--without", "reach"]));
    assert!(with.contains("preconditions met by contracts that no walk has met"), "{with}");
    assert!(!without.contains("preconditions met by contracts"), "{without}");
    assert!(completed(&with) >= completed(&without) + 3, "{with}\n{without}");
}

#[test]
fn the_way_to_a_state_is_written_as_a_test_that_passes_and_asserts_what_is_seen() {
    let fixture = fixture();
    let write = |args: &[&str]| {
        let output = fixture.run(&[&["reach", "--quiet", "--write"], args].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{told}");
        told
    };
    let file = fixture.path().join("tests/testsmith_reach.rs");
    let text = || std::fs::read_to_string(&file).expect("a file of tests");
    let told = write(&["Tank::open"]);
    assert!(told.contains("wrote 1 tests"), "{told}");
    assert!(text().contains("fn reaches_tank_open()"), "{}", text());
    assert!(text().contains("assert_eq!(tank.amount(), 777)"), "{}", text());
    assert!(text().contains("assert_eq!(tank.open(), 777)"), "{}", text());
    // Another goal is added, the same one again changes nothing.
    write(&["--state", "Tank: amount() == 301"]);
    assert!(text().contains("fn reaches_tank_open()"), "{}", text());
    assert!(text().contains("fn reaches_tank_amount_301()"), "{}", text());
    assert!(text().contains("assert_eq!(tank.amount(), 301)"), "{}", text());
    let told = write(&["Tank::open"]);
    assert!(told.contains("already"), "{told}");
    // Whoever edits the file keeps it.
    let edited = text().replace("777", "7_7_7");
    std::fs::write(&file, &edited).expect("writable");
    let told = write(&["exact"]);
    assert!(told.contains("was edited"), "{told}");
    assert_eq!(text(), edited);
}

#[test]
fn a_state_of_which_nothing_can_be_asserted_is_not_written() {
    let fixture = fixture();
    let output = fixture.run(&["reach", "--quiet", "--write", "noted"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("left out: reaches_noted"), "{told}");
    assert!(!fixture.path().join("tests/testsmith_reach.rs").exists());
}
