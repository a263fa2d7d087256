//! The whole command, on the subjects of this workspace and on a crate made for it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cargo_testsmith_explore::{Explored, Options, Settled, explore, run};

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is in the workspace")
}

fn subjects(name: &str, features: Option<&str>) -> Vec<Explored> {
    let options = Options {
        name: Some(name.to_owned()),
        manifest: Some(workspace().join("subjects/puts/Cargo.toml")),
        features: features.map(str::to_owned),
        emit: false,
        quiet: true,
        ..Options::default()
    };
    explore(&options).expect("the subjects are explored")
}

fn confirmed(explored: &[Explored]) {
    for put in explored {
        assert_eq!(put.mismatches, 0, "{}: {:?}", put.module, put.voids);
    }
}

#[test]
fn the_subjects_hold_with_the_cases_of_the_paper() {
    let sorts = subjects("quicksort::tests", None);
    confirmed(&sorts);
    let paths = |name: &str| {
        let put = sorts.iter().find(|put| put.module.ends_with(name)).expect("the put is there");
        assert_eq!(put.settled, Settled::Holds, "{:?}", put.voids);
        put.paths.len()
    };
    assert_eq!(paths("four_distinct_numbers_are_sorted"), 24);
    assert_eq!(paths("five_distinct_numbers_are_sorted"), 120);
    for module in ["triangle", "array_list", "linked_list"] {
        let explored = subjects(module, None);
        confirmed(&explored);
        for put in &explored {
            assert_eq!(put.settled, Settled::Holds, "{}: {:?}", put.module, put.voids);
            assert!(!put.paths.is_empty(), "{} is about something", put.module);
        }
    }
}

#[test]
fn the_three_violations_of_the_paper_are_found() {
    for name in ["the_capacity_is_what_was_set", "the_enumerator_visits", "removing_never_panics"] {
        let explored = subjects(name, Some("seeded"));
        confirmed(&explored);
        assert_eq!(explored.len(), 1);
        assert_eq!(explored[0].settled, Settled::Fails, "{name}: {:?}", explored[0].voids);
    }
}

/// A crate in a folder of its own that depends on testsmith.
fn fixture(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let library = workspace().join("testsmith").display().to_string();
    bare_fixture(name, &format!("[dev-dependencies]\ntestsmith = {{ path = {library:?} }}"), files)
}

/// A crate in a folder of its own; all of them share what they build.
fn bare_fixture(name: &str, dependencies: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("made");
    #[cfg(unix)]
    {
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("built");
        std::fs::create_dir_all(&shared).expect("made");
        std::os::unix::fs::symlink(shared, folder.join("target")).expect("linked");
    }
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         {dependencies}\n\n[workspace]\n",
    );
    for (path, text) in [("Cargo.toml", manifest.as_str())].iter().chain(files) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    // With the versions locked here nothing has to be looked up.
    std::fs::copy(workspace().join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
    folder
}

fn explore_fixture(folder: &Path, emit: bool) -> Vec<Explored> {
    let manifest = Some(folder.join("Cargo.toml"));
    let options = Options { manifest, emit, quiet: true, ..Options::default() };
    explore(&options).expect("the fixture is explored")
}

const ADDING: &str = r#"
/// Adds, but not beyond a hundred.
#[allow(dead_code)]
fn add_up_to_hundred(a: u8, b: u8) -> u8 {
    let sum = u16::from(a) + u16::from(b);
    if sum > 100 { 100 } else { sum as u8 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testsmith::{assume, put};

    #[put]
    fn adding_stays_below(a: u8, b: u8) {
        assume!(a != 7);
        assert!(add_up_to_hundred(a, b) <= 100);
    }
}
"#;

const OUTSIDE: &str = r#"
use testsmith::{assume, put};

#[put(should_panic = "got 5")]
fn the_text_depends_on_the_input(x: u8) {
    panic!("got {x}");
}

#[put(should_panic = "got")]
fn the_text_is_always_there(x: u8) {
    panic!("got {x}");
}

#[put(should_panic)]
fn only_most_inputs_panic(x: u32) {
    assert!(x == 123_456_789);
}

#[put]
fn nothing_is_assumed_possible(x: u8) {
    assume!(x > 3 && x < 2);
}

#[put(values(x = [1, 2, 3]), len(list = 2))]
fn candidates_and_bounds(x: u64, list: Vec<bool>, text: &str) {
    assert!(x < 4 && list.len() < 3 && text.len() < 5);
}

#[put]
fn a_thread_is_not_supported(x: u8) {
    std::thread::spawn(move || assert!(x < 200)).join().unwrap();
}
"#;

#[test]
fn closed_tests_are_written_beside_private_puts_and_pass() {
    let folder = fixture("emitting", &[("src/lib.rs", ADDING)]);
    let explored = explore_fixture(&folder, true);
    assert_eq!(explored[0].settled, Settled::Holds, "{:?}", explored[0].voids);
    let text = std::fs::read_to_string(folder.join("tests/puts/src.lib.adding_stays_below.rs"));
    let text = text.expect("the closed tests are there");
    let expected = "\
// Closed tests of the put `adding_stays_below`, one per path. Written by `cargo testsmith explore`;
// it writes them again when asked to, so change the put instead.

#[test]
fn case_1() {
    adding_stays_below(0, 0);
}

#[test]
fn case_2() {
    adding_stays_below(";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(text.matches("#[test]").count(), 2, "{text}");
    let again = explore_fixture(&folder, true);
    assert_eq!(again[0].paths.len(), explored[0].paths.len());
}

#[test]
fn what_a_put_expects_is_judged_for_every_input() {
    let folder = fixture("expecting", &[("src/lib.rs", ""), ("tests/outside.rs", OUTSIDE)]);
    let explored = explore_fixture(&folder, false);
    let put = |name: &str| {
        let suffix = format!("::{name}");
        explored.iter().find(|put| put.module.ends_with(&suffix)).expect("the put is there")
    };
    assert_eq!(put("the_text_depends_on_the_input").settled, Settled::Fails);
    assert_eq!(put("the_text_is_always_there").settled, Settled::Holds);
    let most = put("only_most_inputs_panic");
    assert_eq!(most.settled, Settled::Fails);
    assert!(most.paths.iter().any(|path| path.call == "only_most_inputs_panic(123456789)"));
    let vacuous = put("nothing_is_assumed_possible");
    assert_eq!((vacuous.settled, vacuous.paths.len()), (Settled::Holds, 0));
    let bounded = put("candidates_and_bounds");
    assert_eq!(bounded.settled, Settled::Holds, "{:?}", bounded.voids);
    assert!(bounded.description.bounds.contains("x among 3 candidate values"));
    let thread = put("a_thread_is_not_supported");
    assert_eq!(thread.settled, Settled::Undecided, "{:?}", thread.voids);
    assert_eq!(thread.mismatches, 0, "paths that are cut short are not replayed");
}

const PUBLIC: &str = r#"
pub mod codes {
    /// The digit at the end of a code.
    pub fn last_digit(code: &str, base: u8) -> Option<u32> {
        let last = code.chars().last()?;
        if base == 77 {
            return Some(code.len() as u32 / u32::from(base - 77));
        }
        last.to_digit(10)
    }
}
"#;

#[test]
fn a_public_function_is_tried_on_everything_it_may_be_given() {
    let folder = fixture("robust", &[("src/lib.rs", PUBLIC)]);
    let options = Options {
        manifest: Some(folder.join("Cargo.toml")),
        function: Some("codes::last_digit".to_owned()),
        len: 2,
        quiet: true,
        ..Options::default()
    };
    let explored = explore(&options).expect("the function is explored");
    assert_eq!(explored[0].settled, Settled::Fails, "{:?}", explored[0].voids);
    let failing = explored[0].paths.iter().find(|path| !path.passes).expect("it fails");
    assert!(failing.message.contains("divide by zero"), "{}", failing.message);
    let text = std::fs::read_to_string(folder.join("tests/testsmith_puts.rs")).expect("written");
    assert!(text.contains("let _ = robust::codes::last_digit(\"\", 0);"), "{text}");
    assert!(text.contains("fn fails_1()"), "{text}");
}

/// The files of a fixture, without what was built.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            let inside = path.strip_prefix(folder).expect("below it").display().to_string();
            if path.is_dir() && inside != "target" {
                folders.push(path);
            } else if path.is_file() {
                found.insert(inside);
            }
        }
    }
    found
}

const METHODS: &str = r#"
use std::collections::BTreeMap;

pub struct Scores {
    best: BTreeMap<u8, u8>,
}

impl Scores {
    pub fn starting_with(player: u8, score: u8) -> Scores {
        Scores { best: BTreeMap::from([(player, score)]) }
    }

    pub fn add(&mut self, player: u8, score: u8) -> u8 {
        let best = self.best.entry(player).or_default();
        *best += score;
        *best
    }
}

/// The largest of three, by a wrong rule.
pub fn largest<T: Ord + Copy>(list: [T; 3]) -> T {
    let largest = if list[0] > list[1] { list[0] } else { list[2] };
    assert!(list.iter().all(|x| *x <= largest));
    largest
}
"#;

#[test]
fn a_crate_that_knows_nothing_of_testsmith_is_explored_with_the_embedded_library() {
    // What the embedded library depends on is locked too, so nothing has to be looked up.
    let locked = "[dev-dependencies]\nproc-macro2 = \"1\"\nquote = \"1\"\nsyn = \"2\"";
    let folder = bare_fixture("embedded", locked, &[("src/lib.rs", METHODS)]);
    let mut expected = files(&folder);
    for (function, call) in [
        ("Scores::add", "robustness(0, 255, 0, 1);"),
        ("embedded::largest::<i16>", "let _ = embedded::largest::<i16>("),
    ] {
        let options = Options {
            manifest: Some(folder.join("Cargo.toml")),
            function: Some(function.to_owned()),
            quiet: true,
            ..Options::default()
        };
        let explored = explore(&options).expect("the function is explored");
        assert_eq!(explored[0].settled, Settled::Fails, "{function}: {:?}", explored[0].voids);
        assert_eq!(explored[0].mismatches, 0);
        let text = std::fs::read_to_string(folder.join("tests/testsmith_puts.rs"));
        let text = text.expect("written");
        assert!(text.contains(call), "{text}");
    }
    expected.insert("tests/testsmith_puts.rs".to_owned());
    assert_eq!(files(&folder), expected, "nothing else is written beside the crate");
    let built = std::fs::read_dir(folder.join("target/testsmith")).expect("it can be read");
    let mut named = built.flatten().map(|entry| entry.path());
    let is_it = |path: &PathBuf| path.display().to_string().contains("robustness-scores_add-");
    let harness = named.find(is_it).expect("the harness is there").join("Cargo.toml");
    let harness = std::fs::read_to_string(harness).expect("it can be read");
    let sources = workspace().join("testsmith").display().to_string();
    assert!(!harness.contains(&format!("{sources}\"")), "{harness}");
}

#[test]
fn a_lock_file_that_was_not_there_is_not_left_behind() {
    let folder = bare_fixture("unlocked", "", &[("src/lib.rs", "pub fn nothing() {}\n")]);
    let explored = |folder: &Path| {
        let manifest = Some(folder.join("Cargo.toml"));
        explore(&Options { manifest, quiet: true, ..Options::default() })
    };
    assert!(explored(&folder).is_err(), "it has no put");
    assert!(folder.join("Cargo.lock").is_file(), "the user's stays");
    std::fs::remove_file(folder.join("Cargo.lock")).expect("removed");
    assert!(explored(&folder).is_err(), "it has no put");
    assert!(!folder.join("Cargo.lock").exists());
}

#[test]
fn an_interruption_ends_the_exploration_and_writes_nothing() {
    let folder = fixture("interrupted", &[("src/lib.rs", ADDING)]);
    let before = files(&folder);
    let mut options =
        Options { manifest: Some(folder.join("Cargo.toml")), quiet: true, ..Options::default() };
    options.settings.interrupt = Arc::new(true.into());
    let explored = explore(&options).expect("what there is");
    assert_eq!(explored[0].settled, Settled::Undecided);
    assert_eq!(explored[0].voids[0].0, "it was interrupted");
    assert_eq!(files(&folder), before);
}

#[test]
fn exit_codes_tell_what_happened() {
    let args = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let run = |text: &str| run(&args(text), Arc::default());
    assert_eq!(run("--help"), 0);
    assert_eq!(run("--unknown"), 2);
    assert_eq!(run("--manifest-path /nowhere/Cargo.toml"), 101);
    let manifest = workspace().join("subjects/puts/Cargo.toml").display().to_string();
    let command = format!("triangle::tests::equal --no-emit --manifest-path {manifest}");
    assert_eq!(run(&command), 0);
    let command = format!("the_capacity --features seeded --no-emit --manifest-path {manifest}");
    assert_eq!(run(&command), 100);
}
