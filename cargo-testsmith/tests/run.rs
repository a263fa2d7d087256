//! The default run: it finds the seeded bugs, writes tests that fail for them,
//! and nothing else.

mod support;

use std::process::Command;
use support::{Fixture, build_folder, stderr, stdout};

#[test]
fn the_seeded_bugs_are_found_and_their_tests_fail() {
    let fixture = Fixture::copy("shelf");
    let before = fixture.files();
    let output = fixture.run(&["--calls", "100000", "--quiet", "--no-regressions"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(100), "{text}{}", stderr(&output));
    // Two findings; a documented panic is none of them.
    insta::assert_snapshot!("last_screen", text);
    let file = fixture.path().join("tests/testsmith_failures.rs");
    let mut after = fixture.files();
    after.retain(|path| *path != file);
    assert_eq!(after, before, "only the file of tests is written");
    let written = std::fs::read_to_string(&file).expect("the tests are there");
    // As a person writes it, and without a dependency on us.
    insta::assert_snapshot!("failing_tests", written);
    let verified = "testsmith.out/lab/emitted/src/files/testsmith_failures.rs";
    let verified = std::fs::read_to_string(fixture.path().join(verified)).expect("still there");
    assert_eq!(verified, written, "what was verified is what was written");
    let stored = "testsmith.out/findings/shelf_swap_with_last_panics.json";
    assert!(fixture.path().join(stored).exists());
    // As the user would run them, in a folder that is not ours.
    let tests = Command::new("cargo")
        .args(["test", "--test", "testsmith_failures"])
        .current_dir(fixture.path())
        .env("CARGO_TARGET_DIR", build_folder().join("users"))
        .output()
        .expect("cargo runs");
    assert!(stdout(&tests).contains("0 passed; 2 failed"), "{}", stdout(&tests));
}

#[test]
fn the_same_seed_and_calls_give_the_same_report() {
    let fixture = Fixture::copy("shelf");
    let run = || {
        let args = ["--calls", "60000", "--seed", "3", "--quiet", "--no-write", "--format", "json"];
        stdout(&fixture.run(&args))
    };
    let first = run();
    assert!(first.contains("\"violation\""), "{first}");
    assert_eq!(first, run());
}

#[test]
fn two_workers_with_the_same_seed_and_calls_give_the_same_report() {
    let fixture = Fixture::copy("shelf");
    let run = || {
        let args = ["--calls", "60000", "--jobs", "2", "--quiet", "--no-write", "--format", "json"];
        stdout(&fixture.run(&args))
    };
    let first = run();
    assert!(first.contains("\"violation\""), "{first}");
    assert_eq!(first, run());
}

#[test]
fn components_are_kept_and_the_next_run_starts_from_them() {
    let fixture = Fixture::copy("shelf");
    let started = |output: &std::process::Output| stderr(output).contains("starting from");
    let first = fixture.run(&["--calls", "60000", "--no-write"]);
    assert!(!started(&first), "there is nothing yet: {}", stderr(&first));
    let file = fixture.path().join("testsmith.out/store.sqlite");
    let mut store = testsmith_store::Store::open(&file).expect("components are kept");
    let mut kept = store.components("shelf").expect("read");
    assert!(kept.len() > 10, "{kept:?}");
    let named = kept.iter().any(|c| c.steps.contains("\"call\":\"<shelf::Shelf<"));
    assert!(named, "by the names of operations: {kept:?}");
    assert!(started(&fixture.run(&["--budget", "1s", "--no-write"])));
    assert!(!started(&fixture.run(&["--budget", "1s", "--no-write", "--fresh"])));
    // A component whose operation is gone is left out, and the rest is used.
    kept[0].steps = kept[0].steps.replacen("\"call\":\"", "\"call\":\"gone::", 1);
    store.put_components("shelf", &kept).expect("writable");
    let output = fixture.run(&["--budget", "1s", "--no-write"]);
    assert!(started(&output), "{}", stderr(&output));
    assert_ne!(output.status.code(), Some(101), "{}", stderr(&output));
    // Without a store that can be read, a run goes on and leaves it as it is.
    let damaged = "no store ".repeat(1000);
    for end in ["-wal", "-shm"] {
        let _ =
            std::fs::remove_file(fixture.path().join(format!("testsmith.out/store.sqlite{end}")));
    }
    std::fs::write(&file, &damaged).expect("writable");
    let output = fixture.run(&["--calls", "60000", "--no-write"]);
    assert_eq!(output.status.code(), first.status.code(), "{}", stderr(&output));
    assert!(stderr(&output).contains("store.sqlite is damaged"), "{}", stderr(&output));
    assert_eq!(stdout(&output), stdout(&first), "it finds what it found with it");
    assert_eq!(std::fs::read_to_string(&file).expect("there"), damaged);
}

#[test]
fn what_there_was_no_time_for_is_taken_up() {
    let fixture = Fixture::copy("shelf");
    let output = fixture.run(&["--calls", "100000", "--quiet", "--no-regressions"]);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let file = fixture.path().join("tests/testsmith_failures.rs");
    let written = std::fs::read_to_string(&file).expect("the tests are there");
    let nothing = fixture.run(&["--continue"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(stderr(&nothing).contains("nothing waits"), "{}", stderr(&nothing));
    assert_eq!(std::fs::read_to_string(&file).expect("untouched"), written);
    // As if time had been short for one of the two; what is only suspicious is kept as well.
    let found = fixture.path().join("testsmith.out/lab/found.jsonl");
    let kept = std::fs::read_to_string(&found).expect("what was found is kept");
    assert_eq!(kept.matches("\"waits\":false").count(), 3, "{kept}");
    std::fs::write(&found, kept.replacen("\"waits\":false", "\"waits\":true", 1))
        .expect("writable");
    std::fs::remove_file(&file).expect("it is there");
    let output = fixture.run(&["--continue", "--budget", "19s", "--no-regressions"]);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    assert!(stderr(&output).contains("taking up 1 failures"), "{}", stderr(&output));
    assert!(!stdout(&output).contains("operations completed"), "nothing was searched");
    assert_eq!(std::fs::read_to_string(&file).expect("written again"), written, "both, as before");
    let kept = std::fs::read_to_string(&found).expect("still there");
    assert!(!kept.contains("\"waits\":true"), "{kept}");
}

#[test]
fn parts_of_the_engine_can_be_switched_off_by_name() {
    let fixture = Fixture::copy("shelf");
    let args = ["--calls", "60000", "--quiet", "--no-write", "--without", "components,repetition"];
    let output = fixture.run(&args);
    assert_eq!(output.status.code(), Some(100), "{}", stderr(&output));
    let refused = fixture.run(&["--without", "luck"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("possible values: components"), "{}", stderr(&refused));
}

#[test]
fn an_edited_file_is_left_alone_and_clean_removes_only_what_is_ours() {
    let fixture = Fixture::copy("shelf");
    let file = fixture.path().join("tests/testsmith_failures.rs");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("writable");
    std::fs::write(&file, "// mine\n").expect("writable");
    let output = fixture.run(&["--calls", "60000", "--quiet", "--no-regressions"]);
    assert!(stdout(&output).contains("was edited and stays as it is"), "{}", stdout(&output));
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "// mine\n");
    let cleaned = fixture.run(&["clean"]);
    assert!(cleaned.status.success());
    assert!(stdout(&cleaned).contains("it was edited"), "{}", stdout(&cleaned));
    assert!(!fixture.path().join("testsmith.out").exists());
    assert!(file.exists());
}

#[test]
fn a_sound_crate_gives_a_clean_exit_and_no_file() {
    let manifest =
        "[package]\nname = \"sound\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let library = "#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]\n\
                   pub struct Pair { pub a: i32, pub b: i32 }\n\
                   impl Pair { pub fn swap(self) -> Pair { Pair { a: self.b, b: self.a } } }\n\
                   /// # Panics\n/// If the number is odd.\n\
                   pub fn half(n: u32) -> u32 { assert!(n % 2 == 0); n / 2 }\n";
    let fixture = Fixture::make("sound", manifest, Some(library));
    let output = fixture.run(&["--calls", "50000", "--quiet", "--no-regressions"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("no violation found"), "{}", stdout(&output));
    assert!(!fixture.path().join("tests").exists());
}

#[test]
fn the_policy_and_the_laws_can_be_read() {
    let fixture = Fixture::copy("shelf");
    let policy = stdout(&fixture.run(&["explain", "policy"]));
    assert!(policy.contains("violation   broken law"), "{policy}");
    assert!(policy.contains("illegal     documented panic"), "{policy}");
    let laws = stdout(&fixture.run(&["explain", "laws"]));
    assert!(laws.contains("equal values have equal hashes"), "{laws}");
}

#[test]
fn a_small_api_does_not_run_out_of_calls() {
    let manifest =
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let library = "pub fn next(n: u8) -> Option<u8> { n.checked_add(1) }\n";
    let fixture = Fixture::make("small", manifest, Some(library));
    let output = fixture.run(&["--calls", "20000", "--quiet", "--no-write"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("20000 calls"), "{text}");
}

/// A call that takes a while, and failures that are there at once.
const SLOW: &str = r#"
/// # Panics
/// Never.
pub fn works(n: u8) -> u64 {
    let mut sum = 0u64;
    for k in 0..u64::from(n) * 500 { sum = std::hint::black_box(sum ^ k); }
    sum
}
pub fn first(of: &[u8]) -> u8 { of[0] }
#[derive(Clone, Debug)]
pub struct Pile(Vec<u8>);
impl Pile {
    pub fn new() -> Pile { Pile(vec![]) }
    pub fn push(&mut self, n: u8) { self.0.push(n) }
    pub fn len(&self) -> usize { self.0.len() }
    pub fn is_empty(&self) -> bool { self.0.len() < 2 }
}
"#;

/// Takes the processors away from whoever else wants them, until it is dropped.
struct Load(std::sync::Arc<std::sync::atomic::AtomicBool>);

impl Load {
    fn start() -> Load {
        let over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        for _ in 0..3 * std::thread::available_parallelism().map_or(2, usize::from) {
            let over = std::sync::Arc::clone(&over);
            std::thread::spawn(move || while !over.load(std::sync::atomic::Ordering::Relaxed) {});
        }
        Load(over)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[test]
fn where_calls_are_counted_a_busy_machine_makes_no_difference() {
    let manifest =
        "[package]\nname = \"slow\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let fixture = Fixture::make("slow", manifest, Some(SLOW));
    let run = || {
        let args = ["--calls", "3000", "--seed", "4", "--quiet", "--suspicious"];
        let text = stdout(&fixture.run(&[&args[..], &["--format", "json"]].concat()));
        // Which files had to be written is not of the search.
        text.replace("\"written\":\"yes\"", "\"written\":\"same\"")
    };
    let idle = run();
    assert!(idle.contains("\"violation\"") && idle.contains("\"regression\""), "{idle}");
    let load = Load::start();
    let busy = run();
    drop(load);
    assert_eq!(idle, busy);
}

/// What comes and goes with the keys of a hasher, and what does not.
const UNSTEADY: &str = r#"
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

#[derive(Debug, Default)]
pub struct Tally { marks: Vec<u8> }

impl Tally {
    pub fn new() -> Tally { Tally::default() }

    pub fn mostly_missing(&self) -> u8 {
        let seldom = RandomState::new().hash_one(7) % 8 == 0;
        if seldom { 0 } else { self.marks[0] }
    }

    pub fn missing(&self) -> u8 { self.marks[self.marks.len()] }
}
"#;

#[test]
fn what_fails_most_times_becomes_no_test() {
    let manifest =
        "[package]\nname = \"tally\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let fixture = Fixture::make("unsteady", manifest, Some(UNSTEADY));
    let output = fixture.run(&["--calls", "20000", "--no-regressions"]);
    let told = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(100), "{told}");
    assert!(told.contains("tally_mostly_missing_panics: it does not end in the same"), "{told}");
    let file = fixture.path().join("tests/testsmith_failures.rs");
    let written = std::fs::read_to_string(&file).expect("one fails each time");
    assert!(!written.contains("mostly_missing"), "{written}");
    assert!(written.contains(".missing()"), "{written}");
}

/// Nothing can be made but by a call that ends the process.
const NOTHING_LEFT: &str = "
pub struct Only(());

impl Only {
    pub fn new() -> Only { std::process::abort() }
    pub fn get(&self) -> u8 { 0 }
}
";

#[test]
fn a_search_with_nothing_left_to_call_ends() {
    let manifest =
        "[package]\nname = \"only\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let fixture = Fixture::make("only", manifest, Some(NOTHING_LEFT));
    let output = fixture.run(&["--calls", "5000", "--no-regressions", "--no-write"]);
    let told = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(100), "{told}");
    assert!(told.contains("only::Only::new ended by signal 6"), "{told}");
    assert!(told.contains("nothing is left to call"), "{told}");
}
