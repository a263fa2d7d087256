//! Oracles of the user's own: asked about every value, shrunk and printed like
//! laws; and both seeded errors of `subjects/poly` are found through them.

mod support;

use std::process::Output;
use support::{Fixture, build_folder, executable, root, stderr, stdout};

/// A run on `subjects/poly` where it stands, with its tests written elsewhere.
fn run_poly(feature: Option<&str>, seed: usize) -> (Output, Option<String>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = std::process::Command::new(executable());
    command.args(["--calls", "100000", "--seed", &seed.to_string(), "--quiet", "--no-regressions"]);
    command.arg("--manifest-path");
    command.arg(root().join("subjects/poly/Cargo.toml"));
    command.arg("--out-dir").arg(folder.path().join("out"));
    command.arg("--output").arg(folder.path()).args(["--target-dir"]).arg(build_folder());
    if let Some(feature) = feature {
        command.args(["--features", feature]);
    }
    let output = command.output().expect("the command runs");
    let written = std::fs::read_to_string(folder.path().join("testsmith_failures.rs")).ok();
    (output, written)
}

/// The statements of the only test in the file.
fn statements(written: &str) -> usize {
    assert_eq!(written.matches("#[test]").count(), 1, "{written}");
    let body = written.split("() {").nth(1).and_then(|rest| rest.split("\n}").next());
    body.expect("a function").lines().filter(|line| line.trim_end().ends_with(';')).count()
}

/// The shortest test that a few seeds find for a seeded error, with this in it.
fn shortest(feature: &str, shows: &str) -> (usize, String) {
    let found = (0..4).filter_map(|seed| {
        let (output, written) = run_poly(Some(feature), seed);
        let text = stdout(&output);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 100)), "{text}{}", stderr(&output));
        assert_eq!(code == Some(100), written.is_some(), "{text}");
        let written = written?;
        assert!(written.contains(shows), "{written}");
        assert!(written.contains("mod oracles;"), "{written}");
        Some((statements(&written), written))
    });
    found.min().expect("one seed of four finds it")
}

#[test]
fn a_zero_that_addition_keeps_is_found_by_an_oracle() {
    let (statements, written) =
        shortest("add-keeps-zero", "assert!(oracles::poly_is_well_formed(&");
    // The thesis's test: two numbers, two terms, a polynomial, the sum, the check.
    assert!(statements <= 7, "{written}");
}

#[test]
fn storage_that_a_copy_shares_is_found_by_an_oracle() {
    let (statements, written) = shortest("copy-shares-storage", "oracles::stack_is_well_formed(&");
    // The thesis's test: stack, copy, polynomial, push, pop, pop.
    assert!(statements <= 6, "{written}");
}

#[test]
fn the_sound_polynomials_have_no_report() {
    let (output, written) = run_poly(None, 0);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("no violation found"), "{text}");
    assert!(!text.contains("suspicious"), "{text}");
    assert_eq!(written, None);
}

const MANIFEST: &str =
    "[package]\nname = \"even\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
const LIBRARY: &str = "#[derive(Debug)]\npub struct Even(u64);\n\
                       impl Even {\n    pub fn new(n: u32) -> Even { Even(u64::from(n) * 2) }\n    \
                       pub fn next(&mut self) { self.0 += 1; }\n    \
                       pub fn get(&self) -> u64 { self.0 }\n}\n";

fn even(oracle: &str) -> Fixture {
    let fixture = Fixture::make("even", MANIFEST, Some(LIBRARY));
    let tests = fixture.path().join("tests");
    std::fs::create_dir_all(&tests).expect("writable");
    std::fs::write(tests.join("checks.rs"), oracle).expect("writable");
    fixture
}

#[test]
fn an_oracle_needs_no_dependency_and_its_test_stands_beside_it() {
    let fixture = even(
        "use even::Even;\n/// testsmith: oracle\npub fn is_even(value: &Even) -> bool \
         { value.get() % 2 == 0 }\n",
    );
    let output = fixture.run(&["--calls", "20000", "--quiet"]);
    assert_eq!(output.status.code(), Some(100), "{}{}", stdout(&output), stderr(&output));
    let file = fixture.path().join("tests/testsmith_failures.rs");
    let written = std::fs::read_to_string(file).expect("a file of tests");
    assert!(written.contains("assert!(checks::is_even(&even), \"is_even\");"), "{written}");
    assert!(written.contains("#[path = \"checks.rs\"]\nmod checks;"), "{written}");
}

#[test]
fn a_misused_mark_is_told_at_its_place_before_anything_is_built() {
    let fixture = even("/// testsmith: oracle\nfn is_even(value: &even::Even) -> bool { true }\n");
    let output = fixture.run(&["--calls", "1000", "--quiet"]);
    assert_eq!(output.status.code(), Some(101), "{}", stdout(&output));
    let text = stderr(&output);
    assert!(text.contains("tests/checks.rs:2:4: the oracle `is_even` cannot be used"), "{text}");
    assert!(text.contains("write `pub fn`"), "{text}");
}
