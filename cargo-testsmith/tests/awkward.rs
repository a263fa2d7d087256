//! An API that is hard to call and to write about does not end a run.

mod support;

use serde_json::Value;
use support::{Fixture, findings, stderr, stdout};

#[test]
fn every_operation_is_called_and_one_cause_is_one_finding() {
    let fixture = Fixture::copy("awkward");
    let output = fixture.run(&["--calls", "60000", "--format", "json", "--no-regressions"]);
    let told = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(100), "{told}");
    let findings = findings(&output);
    let violations: Vec<&str> = findings
        .iter()
        .filter(|finding| finding["severity"] == "violation")
        .map(|finding| finding["what"].as_str().expect("a text"))
        .collect();
    // The same code for eight types, and a message that quotes what it was given; and a
    // future that panics when it is polled; and what only happens to those who give back a
    // lease before they ask for the next.
    assert_eq!(violations.len(), 3, "{violations:#?}");
    let about = |what: &str| violations.iter().any(|violation| violation.contains(what));
    assert!(about("Tail>::tail panicked") && about("last_byte panicked"), "{violations:#?}");
    assert!(about("Lease::turn panicked"), "{violations:#?}");
    let summary: Value = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .find(|event| event["event"] == "summary")
        .expect("a summary");
    assert_eq!(summary["workers_lost"], 0, "nobody waits for a lease: {summary:#}");
    let hidden = |c: char| c.is_control() || ('\u{200b}'..='\u{206f}').contains(&c);
    assert!(!violations.iter().any(|violation| violation.contains(hidden)), "{violations:#?}");
    let failing = fixture.path().join("tests/testsmith_failures.rs");
    let failing = std::fs::read_to_string(failing).expect("it was written");
    assert!(failing.contains("block_on(awkward::last_byte(\"\"))"), "{failing}");
    // Also what only an alias or an example names, and what has a size only for some arguments.
    let listed: Value =
        serde_json::from_str(&stdout(&fixture.run(&["list", "--format", "json"]))).expect("JSON");
    let skipped = listed["skips"].as_array().expect("a list");
    let paths: Vec<&str> =
        skipped.iter().map(|skip| skip["path"].as_str().expect("a path")).collect();
    // Its sizes were chosen alike, and that shows in the build only.
    let gap = |path: &&str| path.contains("Gap");
    assert!(!paths.is_empty() && paths.iter().all(gap), "{listed:#}");
    assert!(skipped.iter().all(|skip| skip["detail"] == "attempt to divide `100_u8` by zero"));
    assert!(stdout(&fixture.run(&["list"])).contains("wait_for"), "{listed:#}");
}

/// What is linked into a harness is compiled with the versions that the user's lock names.
#[test]
fn a_lock_with_an_old_libc_is_no_obstacle() {
    let manifest = "[package]\nname = \"old\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                    [workspace]\n[dependencies]\nlibc = \"=0.2.65\"\n";
    let library = "pub fn half(x: u8) -> u8 {\n    x / 2\n}\n";
    let fixture = Fixture::make("old", manifest, Some(library));
    let output = fixture.run(&["--calls", "1000", "--no-regressions"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("1 of 1 operations completed a call"), "{}", stdout(&output));
}

/// A dependency for another system does not compile here, and nothing of ours asks for it.
#[test]
#[cfg(target_os = "linux")]
fn a_dependency_for_another_system_is_no_obstacle() {
    let manifest = "[package]\nname = \"mixed\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
                    [workspace]\n[target.'cfg(target_os = \"macos\")'.dependencies]\n\
                    mach2 = \"=0.4.3\"\n";
    let library = "pub fn half(x: u8) -> u8 {\n    x / 2\n}\n";
    let fixture = Fixture::make("mixed", manifest, Some(library));
    let output = fixture.run(&["--calls", "1000", "--no-regressions"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("1 of 1 operations completed a call"), "{}", stdout(&output));
}

/// A constant that cannot be computed for an instance shows when code is made for it, also where
/// a value of that instance is only made on the way.
#[test]
fn what_cannot_be_made_for_one_instance_is_left_out_with_all_that_makes_it() {
    let manifest =
        "[package]\nname = \"room\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    let library = "
        pub struct Room<T> { items: Vec<T> }
        impl<T> Room<T> {
            const ROOM: usize = std::mem::size_of::<T>() - 8;
            pub fn new() -> Room<T> { Room { items: Vec::with_capacity(Self::ROOM) } }
            pub fn is_empty(&self) -> bool { self.items.is_empty() }
            pub fn len(&self) -> usize { self.items.len() }
        }
        impl<T> Default for Room<T> { fn default() -> Room<T> { Room::new() } }
        impl<T> FromIterator<T> for Room<T> {
            fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Room<T> {
                let mut room = Room::new();
                room.items.extend(items);
                room
            }
        }
        pub fn half(x: u8) -> u8 { x / 2 }
        ";
    let fixture = Fixture::make("room", manifest, Some(library));
    let output = fixture.run(&["--calls", "5000", "--no-regressions"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let listed = stdout(&fixture.run(&["list", "--format", "json"]));
    assert!(listed.contains("attempt to compute `4_usize - 8_usize`"), "{listed}");
}
