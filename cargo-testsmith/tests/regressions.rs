//! The regression suite: it passes without a warning, stays as it is while
//! nothing changes, shows what changed, and belongs to whoever edits it.

mod support;

use std::path::PathBuf;
use std::process::Command;
use support::{Fixture, build_folder, stderr, stdout};

const MANIFEST: &str =
    "[package]\nname = \"tally\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

/// Besides what is to be tested, an address, an order of hashing and a state
/// that outlives a test: none of those may be asserted.
const LIBRARY: &str = r#"
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Debug, Default)]
pub struct Tally { marks: Vec<u32> }

impl Tally {
    pub fn new() -> Tally { Tally::default() }
    pub fn mark(&mut self, n: u32) { self.marks.push(n) }
    pub fn len(&self) -> usize { self.marks.len() }
    pub fn largest(&self) -> Option<u32> { self.marks.iter().copied().max() }
    pub fn place(&self) -> usize { self as *const Tally as usize }
    /// # Panics
    /// If there are none.
    pub fn first(&self) -> u32 {
        assert!(!self.marks.is_empty(), "there is no mark to be first");
        self.marks[0]
    }
}

pub fn hashed() -> Vec<u32> {
    let set: std::collections::HashSet<u32> = (0..9).collect();
    set.into_iter().collect()
}

/// Seldom true, by keys that are drawn anew every time.
pub fn seldom() -> bool { RandomState::new().hash_one(7) % 8 == 0 }

pub fn more_seldom(keys: &RandomState) -> bool { keys.hash_one(7) % 64 == 0 }

static COUNT: AtomicU32 = AtomicU32::new(0);

pub fn how_often() -> u32 { COUNT.fetch_add(1, Ordering::Relaxed) }
"#;

const RUN: [&str; 3] = ["--calls", "20000", "--quiet"];

/// The tests of the suite as their owner runs them.
fn cargo_test(fixture: &Fixture) -> (bool, String) {
    let done = Command::new("cargo")
        .args(["test", "--test", "testsmith_regressions"])
        .current_dir(fixture.path())
        .env("CARGO_TARGET_DIR", build_folder().join("users"))
        .output()
        .expect("cargo runs");
    (done.status.success(), format!("{}{}", stdout(&done), stderr(&done)))
}

fn module(fixture: &Fixture) -> PathBuf {
    fixture.path().join("tests/testsmith_regressions/tally_type.rs")
}

fn read(fixture: &Fixture) -> String {
    std::fs::read_to_string(module(fixture)).expect("the module is there")
}

#[test]
fn a_suite_passes_until_something_changes_and_then_says_what() {
    let fixture = Fixture::make("tally", MANIFEST, Some(LIBRARY));
    let told = stdout(&fixture.run(&RUN));
    assert!(told.contains("regression tests in"), "{told}");
    let written = read(&fixture);
    // No address and no order of hashing is asserted, no lint is switched off.
    insta::assert_snapshot!("regression_module", written);
    // Nor what random keys decide, however seldom.
    let functions = module(&fixture).with_file_name("functions.rs");
    let functions = std::fs::read_to_string(functions).unwrap_or_default();
    assert!(!functions.contains("seldom("), "{functions}");
    let (passed, text) = cargo_test(&fixture);
    assert!(passed && !text.contains("warning"), "{text}");

    let again = fixture.run(&RUN);
    assert_eq!(again.status.code(), Some(0), "{}", stdout(&again));
    assert_eq!(read(&fixture), written, "a second run changes nothing");

    let other = LIBRARY.replace("self.marks.len()", "self.marks.len() + 1");
    std::fs::write(fixture.path().join("src/lib.rs"), other).expect("writable");
    let told = stdout(&fixture.run(&RUN));
    assert!(told.contains("changed: the regression test tally_type::"), "{told}");
    assert_eq!(read(&fixture), written, "what shows a change is not wiped out");
    let told = stdout(&fixture.run(&[&RUN[..], &["--accept"]].concat()));
    assert!(!told.contains("changed:"), "{told}");
    assert_ne!(read(&fixture), written);

    std::fs::write(module(&fixture), format!("{written}// mine\n")).expect("writable");
    let told = stdout(&fixture.run(&[&RUN[..], &["--accept"]].concat()));
    assert!(told.contains("tally_type.rs was edited and stays as it is"), "{told}");
    assert!(read(&fixture).ends_with("// mine\n"));
    let told = stdout(&fixture.run(&["clean"]));
    assert!(told.contains("tally_type.rs: it was edited"), "{told}");
    assert!(!fixture.path().join("tests/testsmith_regressions.rs").exists());
}

/// The worker's sandbox refuses to write; a test would not be refused.
const WRITER: &str = r#"
pub fn double(n: u8) -> u16 { u16::from(n) * 2 }

pub fn leaves_a_mark() -> bool {
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/mark"), "here").is_ok()
}
"#;

#[test]
fn a_test_that_would_write_files_is_not_kept_and_never_writes() {
    let manifest = MANIFEST.replace("tally", "writer");
    let fixture = Fixture::make("writer", &manifest, Some(WRITER));
    let told = stdout(&fixture.run(&RUN));
    assert!(told.contains("left out: the test leaves_a_mark"), "{told}");
    assert!(told.contains("it changes files"), "{told}");
    assert!(!fixture.path().join("mark").exists());
    let folder = fixture.path().join("tests/testsmith_regressions");
    let files: Vec<_> = std::fs::read_dir(folder).expect("there are others").flatten().collect();
    for file in files {
        let text = std::fs::read_to_string(file.path()).expect("readable");
        assert!(text.contains("writer::double") && !text.contains("leaves_a_mark"), "{text}");
    }
}

/// What is in scope by itself depends on the edition: `FromIterator` and `TryFrom`
/// since 2021, and before 2018 paths start elsewhere.
const BAG: &str = r#"
use std::convert::TryFrom;
use std::iter::FromIterator;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bag { items: Vec<u8> }

impl Bag {
    pub fn len(&self) -> usize { self.items.len() }
    pub fn is_empty(&self) -> bool { self.items.is_empty() }
}

impl FromIterator<u8> for Bag {
    fn from_iter<I: IntoIterator<Item = u8>>(items: I) -> Bag {
        Bag { items: items.into_iter().collect() }
    }
}

impl TryFrom<u16> for Bag {
    type Error = u16;
    fn try_from(item: u16) -> Result<Bag, u16> {
        if item < 256 { Ok(Bag { items: vec![item as u8] }) } else { Err(item) }
    }
}
"#;

#[test]
fn tests_are_written_for_the_edition_of_their_package() {
    for edition in ["2015", "2018", "2024"] {
        let name = format!("bag_{edition}");
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = {edition:?}\n[workspace]\n"
        );
        let fixture = Fixture::make(&name, &manifest, Some(BAG));
        let output = fixture.run(&RUN);
        assert_eq!(output.status.code(), Some(0), "{edition}: {}", stderr(&output));
        let module = fixture.path().join("tests/testsmith_regressions/bag.rs");
        let written = std::fs::read_to_string(module).expect("the module is there");
        assert!(written.contains("from_iter(") && written.contains("try_from("), "{written}");
        let (passed, said) = cargo_test(&fixture);
        assert!(passed && !said.contains("warning"), "{edition}: {said}");
    }
}
