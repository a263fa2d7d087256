//! `cargo testsmith mutants`, as a whole command.

mod support;

use std::collections::BTreeMap;
use std::process::Output;
use support::{Fixture, check_keys, root, stderr, stdout};

fn events(output: &Output) -> Vec<serde_json::Value> {
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
    stdout(output).lines().map(read).collect()
}

/// `src/lib.rs:16:16 comparisons <= => < killed`.
fn row(event: &serde_json::Value) -> String {
    let text = |key: &str| {
        let words = event[key].as_str().expect("a text").split_whitespace();
        words.collect::<Vec<&str>>().join(" ")
    };
    format!(
        "{}:{}:{} {} {} => {} | {}",
        text("file"),
        event["line"],
        event["column"],
        text("operator"),
        text("original"),
        text("replacement"),
        text("verdict")
    )
}

/// Every file of the package with its bytes.
fn contents(fixture: &Fixture) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let read = |path: std::path::PathBuf| (path.clone(), std::fs::read(path).expect("readable"));
    fixture.files().into_iter().map(read).collect()
}

#[test]
fn every_mutant_of_the_fixture_gets_its_verdict_and_the_tree_stays() {
    let fixture = Fixture::copy("mutants");
    let before = contents(&fixture);
    let output = fixture.run(&["mutants", "--format", "json", "--quiet", "--jobs", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(contents(&fixture), before, "the user's tree was changed");
    check_keys(&stdout(&output), "mutants: ");
    let events = events(&output);
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    let rows: String = of("mutant").into_iter().map(|event| row(event) + "\n").collect();
    let file = root().join("fixtures/mutants/verdicts.txt");
    if std::env::var_os("TESTSMITH_ACCEPT").is_some() {
        std::fs::write(&file, &rows).expect("writable");
    }
    assert_eq!(rows, std::fs::read_to_string(&file).expect("the list is there"));
    let skips: Vec<String> = of("skip")
        .iter()
        .map(|skip| format!("{} {}", skip["what"].as_str().unwrap(), skip["why"].as_str().unwrap()))
        .collect();
    for skip in [
        "is_off is not compiled with these features on this machine",
        "constant is evaluated by the compiler, which has no switch",
        "skipped is marked with `mutants::skip`",
        "tests is test code",
    ] {
        assert!(skips.iter().any(|known| known == skip), "{skip}: {skips:#?}");
    }
    let elements = fixture.path().join("testsmith.out/mutants.json");
    let elements: serde_json::Value =
        serde_json::from_slice(&std::fs::read(elements).expect("it is written")).expect("JSON");
    let mutants = &elements["files"]["src/lib.rs"]["mutants"];
    assert!(mutants.as_array().is_some_and(|list| list.iter().any(|m| m["status"] == "Timeout")));
    assert_eq!(elements["schemaVersion"], "2");
}

#[test]
fn a_survivor_is_shown_as_a_diff_and_too_few_kills_are_an_exit_code() {
    let fixture = Fixture::copy("mutants");
    let chosen = ["mutants", "--quiet", "--function", "Deck::take", "--operator", "assignments"];
    let output = fixture.run(&[&chosen[..], &["--fail-under", "90"]].concat());
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let text = stdout(&output);
    let survivor = "survived: src/deck.rs:17:20: assignments in deck::Deck::take, reached by 1 test\n\
                    \u{20}   -        self.moves += 1;\n    +        self.moves *= 1;\n";
    assert!(text.contains(survivor), "{text}");
    assert!(text.contains("2 mutants: 1 killed"), "{text}");
    assert!(text.ends_with("noticed: 50.0%, less than 90%\n"), "{text}");
    let enough = fixture.run(&[&chosen[..], &["--fail-under", "50"]].concat());
    assert_eq!(enough.status.code(), Some(0), "{}", stderr(&enough));
}

/// How many mutants `--list` has with these arguments.
fn listed(fixture: &Fixture, arguments: &[&str]) -> usize {
    let all = [&["mutants", "--list", "--quiet", "--format", "json"], arguments].concat();
    let output = fixture.run(&all);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    events(&output).iter().filter(|event| event["event"] == "mutant").count()
}

#[test]
fn mutants_are_chosen_by_file_function_operator_diff_and_part() {
    let fixture = Fixture::copy("mutants");
    let all = listed(&fixture, &[]);
    let in_files = |file: &str| listed(&fixture, &["--file", file]);
    assert_eq!(in_files("lib.rs") + in_files("deck.rs") + in_files("main.rs"), all);
    assert_eq!(listed(&fixture, &["--file", "lib.rs", "--file", "deck.rs", "--file", "main"]), all);
    let parts: usize =
        ["1/3", "2/3", "3/3"].map(|k| listed(&fixture, &["--shard", k])).iter().sum();
    assert_eq!(parts, all);
    assert_eq!(listed(&fixture, &["--operator", "comparisons", "--function", "fits"]), 3);
    let diff = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -15,2 +15,2 @@\n fn\n-    old\n+    new\n";
    std::fs::write(fixture.path().join("it.diff"), diff).expect("writable");
    let in_diff = listed(&fixture, &["--in-diff", "it.diff"]);
    assert!(0 < in_diff && in_diff <= listed(&fixture, &["--function", "fits"]), "{in_diff}");
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=it", "-c", "user.email=it@example.org"]).args(arguments);
        assert!(git.current_dir(fixture.path()).output().expect("git").status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "all"]);
    assert_eq!(listed(&fixture, &["--since", "HEAD"]), 0);
    let deck = fixture.path().join("src/deck.rs");
    let text = std::fs::read_to_string(&deck).expect("readable");
    std::fs::write(&deck, text.replace("self.moves += 1", "self.moves += 2")).expect("writable");
    assert!(listed(&fixture, &["--since", "HEAD"]) > 2);
    let wrong = fixture.run(&["mutants", "--list", "--since", "nope"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", stderr(&wrong));
    for wrong in [["--shard", "4/3"], ["--fail-under", "lots"], ["--operator", "nope"]] {
        assert_eq!(fixture.run(&[&["mutants"], &wrong[..]].concat()).status.code(), Some(2));
    }
}

#[test]
fn unchanged_functions_keep_their_verdicts() {
    let manifest = "[package]\nname = \"kept\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let library = "pub fn base(n: u8) -> u8 { n + 1 }\n\
                   pub fn twice(n: u8) -> u8 { base(n) * 2 }\n\
                   pub fn alone(n: u8) -> bool { n > 3 }\n\
                   pub struct Odd;\n\
                   pub fn odd(n: u8) -> Odd { alone(n); Odd }\n";
    let tests = "use kept::*;\n\
                 #[test] fn of_twice() { assert_eq!(twice(1), 4); }\n\
                 #[test] fn of_alone() { assert!(alone(9)); odd(9); }\n";
    let fixture = Fixture::make("kept", manifest, Some(library));
    let folder = fixture.path();
    std::fs::create_dir_all(folder.join("tests")).expect("made");
    std::fs::write(folder.join("tests/all.rs"), tests).expect("written");
    let judged = |more: &[&str]| {
        let run = [&["mutants", "--quiet", "--format", "json"], more].concat();
        let output = fixture.run(&run);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let events = events(&output);
        let rows = events.iter().filter(|event| event["event"] == "mutant").map(row).collect();
        let kept = events.last().expect("a summary")["kept"].as_u64().expect("a number");
        (rows, kept)
    };
    let (first, kept): (Vec<String>, u64) = judged(&[]);
    assert_eq!(kept, 0);
    let accepted = first.iter().filter(|row| !row.ends_with("withdrawn")).count() as u64;
    assert!(accepted < first.len() as u64, "one at least does not compile: {first:#?}");
    assert_eq!(judged(&[]), (first.clone(), accepted));
    assert_eq!(judged(&["--fresh"]), (first.clone(), 0));
    // Only the test of `alone` stays out of what changed.
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).expect("written");
    write("src/lib.rs", &library.replace("n + 1", "1 + n"));
    let of_alone = first.iter().filter(|row| row.contains(":3:") || row.contains(":5:"));
    let of_alone = of_alone.filter(|row| !row.ends_with("withdrawn")).count() as u64;
    let (changed, kept) = judged(&[]);
    assert_eq!(kept, of_alone, "{changed:#?}");
    assert_eq!(judged(&["--fresh"]).0, changed);
    // What has no guard at its entry may be anybody's.
    write(
        "src/lib.rs",
        &library.replace("n + 1", "1 + n").replace("alone(n);", "alone(n); drop(n);"),
    );
    assert_eq!(judged(&[]).1, 0);
    // Another test may notice more.
    write("tests/all.rs", &format!("{tests}#[test] fn more() {{ assert!(!alone(3)); }}\n"));
    let (noticed, kept) = judged(&[]);
    assert_eq!(kept, 0);
    assert_ne!(noticed, changed);
}

#[test]
fn the_file_of_options_leaves_mutants_out_and_says_why() {
    let fixture = Fixture::copy("mutants");
    let all = listed(&fixture, &[]);
    let of_deck = listed(&fixture, &["--file", "deck.rs"]);
    let file = fixture.path().join("testsmith.toml");
    let config = "[[mutants.skip]]\nfile = \"deck.rs\"\nwhy = \"nobody plays\"\n";
    std::fs::write(&file, config).expect("written");
    assert_eq!(listed(&fixture, &[]), all - of_deck);
    let output = fixture.run(&["mutants", "--list", "--quiet"]);
    let reason = "deck::Deck::take is left out by the file of options: nobody plays\n";
    assert!(stdout(&output).contains(reason), "{}", stdout(&output));
    for wrong in ["", "operator = \"nope\"\n", "nothing = 1\n"] {
        std::fs::write(&file, config.replace("file = \"deck.rs\"\n", wrong)).expect("written");
        let output = fixture.run(&["mutants", "--list", "--quiet"]);
        assert_eq!(output.status.code(), Some(2), "{wrong}: {}", stderr(&output));
    }
    std::fs::write(&file, config.replace("nobody plays", " ")).expect("written");
    assert_eq!(fixture.run(&["mutants", "--list"]).status.code(), Some(2));
}

/// What is said of a package with this manifest and this library.
fn refused(more: &str, library: &str, wanted: &str) {
    let manifest =
        format!("[package]\nname = \"odd\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}");
    let fixture = Fixture::make("odd", &manifest, Some(library));
    let output = fixture.run(&["mutants", "--quiet"]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(101), "{told}");
    assert!(told.contains(wanted), "{told}");
}

#[test]
fn what_cannot_be_judged_is_told_clearly() {
    let function = "pub fn one() -> u8 { 1 }\n";
    refused("", function, "there are no tests that could notice a mutant");
    refused("", "pub fn one() -> u8 { \"\" }\n#[test] fn t() {}\n", "odd does not build");
    refused("", "pub fn one( {\n", "cannot be parsed");
    refused("[lib]\nproc-macro = true\n", function, "is a procedural macro");
    let test = |body: &str| format!("{function}#[test]\nfn checked() {{ one(); {body} }}\n");
    refused("", &test("assert_eq!(one(), 2)"), "1 of 1 tests fail without any mutant");
    refused("", &test("std::fs::write(\"/var/tmp/testsmith-no\", \"\").unwrap()"), "--no-sandbox");
    let state = "static N: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);\n\
                 fn once() { assert_eq!(N.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0); one(); }\n\
                 #[test] fn a() { once() }\n#[test] fn b() { once() }\n";
    refused("", &format!("{function}{state}"), "pass each alone and fail together");
}

/// What leaving these out leads to is said elsewhere: a value is moved twice, a variable has no
/// value, a borrow goes on, a block has no type.
const GUILTY: &str = r#"
pub fn once(text: String, kept: &mut Vec<String>) -> usize {
    if text.is_empty() {
        kept.push(text);
        kept.push(String::new());
        return 1 + 1;
    }
    if text.len() > 3 {
        return 9;
    }
    kept.push(text);
    kept.len() + 4
}
pub fn later(flag: bool, n: u32) -> u32 {
    let value;
    if flag {
        value = n + 1;
    } else {
        value = n * 2;
    }
    value + 3
}
pub fn put(all: &mut Vec<u8>, n: u8) -> u8 {
    let mut last = all.last_mut();
    if last.is_none() {
        all.push(n);
        last = all.last_mut();
    }
    match last {
        Some(last) => *last + 5,
        None => 0,
    }
}
pub fn odd(n: Option<u32>) -> u32 {
    let Some(n) = n else {
        return 0;
    };
    if n % 2 == 1 {
        return n;
    } else {
        return n + 1;
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn all_of_it() {
        let mut kept = vec![];
        assert_eq!(once(String::new(), &mut kept), 2);
        assert_eq!(kept.len(), 2);
        assert_eq!(once("abcd".to_owned(), &mut kept), 9);
        assert_eq!(once("abc".to_owned(), &mut kept), 7);
        assert_eq!((later(true, 3), later(false, 3)), (7, 9));
        assert_eq!((put(&mut vec![], 1), put(&mut vec![2], 1)), (6, 7));
        assert_eq!((odd(None), odd(Some(4)), odd(Some(5))), (0, 5, 5));
    }
}
"#;

#[test]
fn what_does_not_compile_takes_no_innocent_mutant_with_it() {
    for edition in ["2015", "2024"] {
        let manifest =
            format!("[package]\nname = \"guilty\"\nversion = \"0.1.0\"\nedition = \"{edition}\"\n");
        let fixture = Fixture::make("guilty", &manifest, Some(GUILTY));
        let output = fixture.run(&["mutants", "--quiet", "--format", "json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let events = events(&output);
        let withdrawn = events.iter().filter(|event| event["verdict"] == "withdrawn");
        let mut withdrawn: Vec<&str> =
            withdrawn.map(|event| event["original"].as_str().expect("a text")).collect();
        withdrawn.sort_unstable();
        let guilty =
            ["last = all.last_mut();", "return 1 + 1;", "value = n * 2;", "value = n + 1;"];
        assert_eq!(withdrawn, guilty, "in the edition of {edition}");
    }
}

#[test]
fn a_package_without_the_standard_library_has_mutants_too() {
    let manifest = "[package]\nname = \"bare\"\nversion = \"0.1.0\"\nedition = \"2015\"\n";
    let library = "#![cfg_attr(not(test), no_std)]\n#![deny(warnings)]\n\
                   pub fn more(n: u8) -> u8 { n + 1 }\n\
                   #[test] fn it_is_more() { assert_eq!(more(1), 2); }\n";
    let fixture = Fixture::make("bare", manifest, Some(library));
    let output = fixture.run(&["mutants", "--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).ends_with("noticed: 100.0%\n"), "{}", stdout(&output));
}
