//! `cargo testsmith explore` on puts and functions: the subjects of this workspace, and
//! crates made for it.

mod support;

use cargo_testsmith::args::{Explore, Format};
use cargo_testsmith::console::Console;
use cargo_testsmith::explore::{Explored, Settled};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use support::{build_folder, executable, root as workspace};

fn options(manifest: &Path, words: &[&str]) -> Explore {
    let manifest = manifest.join("Cargo.toml").display().to_string();
    let words = [&["--manifest-path", &manifest, "--quiet"], words].concat();
    let mut options = Explore::from_words(&words).expect("the arguments make sense");
    options.target.executable = Some(executable());
    options.target.target_dir = Some(build_folder());
    options
}

fn try_explore(folder: &Path, words: &[&str]) -> anyhow::Result<Vec<Explored>> {
    explore_until(folder, words, &Arc::default())
}

fn explore_until(
    folder: &Path,
    words: &[&str],
    interrupt: &Arc<AtomicBool>,
) -> anyhow::Result<Vec<Explored>> {
    let console = Console::new(true, Format::Text);
    let options = options(folder, words);
    cargo_testsmith::explore::explore(&options, &console, interrupt, &mut |_| ())
}

fn explore(folder: &Path, words: &[&str]) -> Vec<Explored> {
    try_explore(folder, words).expect("it is explored")
}

fn subjects(name: &str, features: Option<&str>) -> Vec<Explored> {
    let mut words = vec![name, "--no-write"];
    words.extend(features.iter().flat_map(|features| ["--features", features]));
    explore(&workspace().join("subjects/puts"), &words)
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

/// A crate in a folder of its own.
fn bare_fixture(name: &str, dependencies: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("made");
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
    let source = folder.join("src/lib.rs");
    let time = || source.metadata().and_then(|about| about.modified()).expect("it is there");
    let before = time();
    let explored = explore(&folder, &[]);
    assert_eq!(explored[0].settled, Settled::Holds, "{:?}", explored[0].voids);
    let text = std::fs::read_to_string(folder.join(FILE));
    let text = text.expect("the closed tests are there");
    let expected = "\
// Closed tests of the put `adding_stays_below`: change the put instead.

#[test]
fn case_1() {
    adding_stays_below(0, 0);
}

#[test]
fn case_2() {
    adding_stays_below(";
    assert!(text.contains(expected), "{text}");
    assert_eq!(text.matches("#[test]").count(), 2, "{text}");
    let again = explore(&folder, &[]);
    assert_eq!(again[0].paths.len(), explored[0].paths.len());
    let after = || std::fs::read_to_string(folder.join(FILE)).expect("still there");
    assert_eq!(after(), text, "nothing changed");
    assert_eq!(time(), before, "sources are not touched");
    let edited = text.replace("case_1", "mine");
    std::fs::write(folder.join(FILE), &edited).expect("written");
    explore(&folder, &["--keep", "paths"]);
    assert_eq!(after(), edited, "what a person changed is never replaced");
}

const FILE: &str = "tests/puts/src.lib.adding_stays_below.rs";

#[test]
fn what_a_put_expects_is_judged_for_every_input() {
    let folder = fixture("expecting", &[("src/lib.rs", ""), ("tests/outside.rs", OUTSIDE)]);
    let explored = explore(&folder, &["--no-write"]);
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
    assert_eq!(thread.settled, Settled::Fails, "{:?}", thread.voids);
    assert!(!thread.cut_short.is_empty(), "an input that was cut short is run natively");
    assert_eq!(thread.mismatches, 0, "{:?}", thread.voids);
    // All 256 inputs were run natively, and those above 199 fail there.
    assert_eq!(thread.all_run, Some(256));
}

const SURROUNDED: &str = r#"
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use testsmith::put;

thread_local!(static CALLS: Cell<u32> = const { Cell::new(0) });
static LAST: AtomicU32 = AtomicU32::new(0);

#[put]
fn only_the_first_call_is_free(x: u32) {
    let before = CALLS.replace(CALLS.get() + 1);
    assert!(x != 7 || before == 0);
}

#[put]
fn nine_leaves_something(x: u8) {
    let before = LAST.swap(u32::from(x), Ordering::Relaxed);
    assert!(!(x == 10 && before == 9));
}

#[put]
fn what_is_left_shows_for_too_many_to_look_at_each(x: u16) {
    let before = LAST.swap(u32::from(x), Ordering::Relaxed);
    assert!(before == 0 || x < 100);
}

#[put]
fn the_lesser_comes_first(x: u8, y: u8) {
    let set: HashSet<u8> = [x, y].into();
    assert!(x == y || set.iter().next() == Some(&x.min(y)));
}

#[put]
fn beyond_the_end_of_two(x: u8, place: u8) {
    let bytes = [x, 7];
    // SAFETY: none, it reads beyond the end.
    let byte = unsafe { *bytes.as_ptr().add(usize::from(place % 8)) };
    assert!(place % 8 < 2 || byte == 77);
}

#[put]
fn the_first_of_a_set_is_not_the_second(x: u8, y: u8, z: u8) {
    let set: HashSet<u8> = [x, y].into();
    assert!(x == y || z == 0 || set.iter().next() == Some(&x));
}

#[put]
fn beyond_the_end(x: u32, place: u8) {
    let bytes = x.to_le_bytes();
    // SAFETY: none, it reads beyond the end.
    let byte = unsafe { *bytes.as_ptr().add(usize::from(place % 8)) };
    std::hint::black_box(byte);
}
"#;

#[test]
fn what_surrounds_an_input_is_not_put_down_to_it() {
    let folder = fixture("surrounded", &[("src/lib.rs", ""), ("tests/outside.rs", SURROUNDED)]);
    let explored = explore(&folder, &["--no-write"]);
    let put = |name: &str| explored.iter().find(|put| put.module.ends_with(name)).expect("a put");
    // They fail after other inputs of the same process, and alone they do not.
    for name in ["only_the_first_call_is_free", "nine_leaves_something"] {
        let put = put(name);
        assert_eq!(put.settled, Settled::Holds, "{name}: {:?} {:?}", put.voids, put.paths);
        assert!(put.assumptions.iter().any(|(on, _)| on.name() == "fresh-process"), "{name}");
    }
    // What was not seen alone is not claimed.
    let many = put("what_is_left_shows_for_too_many_to_look_at_each");
    assert_eq!(many.settled, Settled::Undecided, "{:?} {:?}", many.voids, many.paths);
    assert!(many.voids.iter().any(|(why, _)| why.contains("not run alone")), "{:?}", many.voids);
    for name in ["the_first_of_a_set_is_not_the_second", "the_lesser_comes_first"] {
        let put = put(name);
        assert_eq!(put.settled, Settled::Fails, "{name}: {:?}", put.voids);
    }
    let two = put("beyond_the_end_of_two");
    assert_ne!(two.settled, Settled::Holds, "{:?}", two.voids);
    let beyond = put("beyond_the_end");
    assert_eq!(beyond.settled, Settled::Undecided);
    let undefined = |(why, _): &(String, usize)| why.starts_with("undefined behaviour");
    assert!(beyond.voids.iter().any(undefined), "{:?}", beyond.voids);
    // Nothing of this is a failure of ours.
    confirmed(&explored);
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
fn a_function_is_asked_for_by_the_name_that_it_has_in_the_table() {
    let source = r#"
pub trait Shared {
    fn share(self, among: u8) -> u8;
}

impl Shared for u8 {
    fn share(self, among: u8) -> u8 {
        self / among
    }
}
"#;
    let folder = fixture("by-table", &[("src/lib.rs", source)]);
    let all = explore(&folder, &["--all"]);
    let path = all[0].function.as_ref().expect("it is about a function").path.clone();
    assert!(path.starts_with('<'), "{path}");
    let explored = explore(&folder, &["--fn", &path]);
    assert_eq!(explored.len(), 1);
    assert_eq!(explored[0].settled, Settled::Fails, "{:?}", explored[0].voids);
    confirmed(&explored);
}

#[test]
fn a_public_function_is_tried_on_everything_it_may_be_given() {
    let folder = fixture("robust", &[("src/lib.rs", PUBLIC)]);
    let explored = explore(&folder, &["--fn", "codes::last_digit", "--len", "2"]);
    assert_eq!(explored[0].settled, Settled::Fails, "{:?}", explored[0].voids);
    let failing = explored[0].paths.iter().find(|path| !path.passes).expect("it fails");
    assert!(failing.message.contains("divide by zero"), "{}", failing.message);
    let (taken, all) = explored[0].branches;
    assert!(taken > 0 && taken <= all, "branch sides are counted in the function by name");
    let file = folder.join("tests/testsmith_puts/of_codes_last_digit.rs");
    let text = std::fs::read_to_string(file).expect("written");
    assert!(text.contains("let _ = robust::codes::last_digit(\"\", 0);"), "{text}");
    assert!(text.contains("fn fails_1()"), "{text}");
    let why = try_explore(&folder, &["--fn", "codes::last_digti"]).expect_err("it is not there");
    assert!(why.to_string().contains("did you mean"), "{why}");
}

/// The files of a fixture, without what was built.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            let inside = path.strip_prefix(folder).expect("below it").display().to_string();
            if path.is_dir() && inside != "testsmith.out" {
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
    for (function, file, call) in [
        ("Scores::add", "of_scores_add", "embedded::Scores::starting_with(0, 255)"),
        ("embedded::largest::<i16>", "of_largest", "let _ = embedded::largest::<i16>("),
    ] {
        let explored = explore(&folder, &["--fn", function]);
        assert_eq!(explored[0].settled, Settled::Fails, "{function}: {:?}", explored[0].voids);
        assert_eq!(explored[0].mismatches, 0);
        let file = format!("tests/testsmith_puts/{file}.rs");
        let text = std::fs::read_to_string(folder.join(&file)).expect("written");
        assert!(text.contains(call), "{text}");
        expected.insert(file);
    }
    expected.insert("tests/testsmith_puts.rs".to_owned());
    assert_eq!(files(&folder), expected, "nothing else is written beside the crate");
}

#[test]
fn a_lock_file_that_was_not_there_is_not_left_behind() {
    let folder = bare_fixture("unlocked", "", &[("src/lib.rs", "pub fn nothing() {}\n")]);
    let explored = |folder: &Path| try_explore(folder, &[]);
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
    let explored = explore_until(&folder, &[], &Arc::new(true.into())).expect("what there is");
    assert_eq!(explored[0].settled, Settled::Undecided);
    assert_eq!(explored[0].voids[0].0, "it was interrupted");
    assert_eq!(files(&folder), before);
}

#[test]
fn puts_of_binaries_are_explored_with_a_library_and_without() {
    let main = "mod half;\n\nfn main() {\n    println!(\"{}\", half::half(3));\n}\n\n\
         #[cfg(test)]\nmod tests {\n    #[testsmith::put]\n    fn doubling_fits(x: u8) {\n        \
         assert!(u16::from(x) * 2 < 512);\n    }\n}\n";
    let half = "pub fn half(x: u8) -> u8 {\n    x / 2\n}\n\n#[cfg(test)]\nmod tests {\n    \
         #[testsmith::put]\n    fn halves_are_small(x: u8) {\n        \
         assert!(super::half(x) < 127);\n    }\n}\n";
    let alone = fixture("binary-alone", &[("src/main.rs", main), ("src/half.rs", half)]);
    let library = "#[cfg(test)]\nmod tests {\n    #[testsmith::put]\n    fn in_the_library(x: u8) {\n        \
         assert!(x <= 255);\n    }\n}\n";
    let files = [("src/main.rs", main), ("src/half.rs", half), ("src/lib.rs", library)];
    let both = fixture("binary-and-library", &files);
    for (folder, more) in [(alone, 0), (both, 1)] {
        let explored = explore(&folder, &["--no-write"]);
        assert_eq!(explored.len(), 2 + more, "{explored:?}");
        for put in &explored {
            let fails = put.module.ends_with("halves_are_small");
            let expected = if fails { Settled::Fails } else { Settled::Holds };
            assert_eq!(put.settled, expected, "{}: {:?}", put.module, put.voids);
        }
    }
}
