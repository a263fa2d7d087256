//! What is wrong is said in words, with the exit code for it, and the user's
//! tree stays as it was.

mod support;

use support::{Fixture, stderr};

const MANIFEST: &str =
    "[package]\nname = \"bad\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";

/// Runs `list` and expects it to fail with these words.
fn check(fixture: &Fixture, words: &str) {
    let before = fixture.files();
    let output = fixture.run(&["list"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(101), "{said}");
    assert!(said.contains(words), "expected {words:?} in {said}");
    assert_eq!(fixture.files(), before);
}

#[test]
fn a_package_without_a_library_is_refused() {
    let fixture = Fixture::make("bad", MANIFEST, None);
    std::fs::write(fixture.path().join("src/main.rs"), "fn main() {}\n").expect("writable");
    check(&fixture, "has no library to test");
}

#[test]
fn a_procedural_macro_is_refused() {
    let manifest = format!("{MANIFEST}[lib]\nproc-macro = true\n");
    check(&Fixture::make("bad", &manifest, Some("")), "is a procedural macro");
}

#[test]
fn a_crate_that_does_not_build_shows_the_compilers_words() {
    let fixture = Fixture::make("bad", MANIFEST, Some("pub fn f() -> u32 { \"text\" }\n"));
    check(&fixture, "mismatched types");
}

#[test]
fn a_build_script_that_fails_is_named() {
    let fixture = Fixture::make("bad", MANIFEST, Some("pub fn f() {}\n"));
    let script = "fn main() { eprintln!(\"no compiler for you\"); std::process::exit(3) }\n";
    std::fs::write(fixture.path().join("build.rs"), script).expect("writable");
    check(&fixture, "no compiler for you");
}

#[test]
fn an_empty_api_is_said_to_be_empty() {
    check(&Fixture::make("bad", MANIFEST, Some("fn private() {}\n")), "has an empty public API");
}

#[test]
fn what_only_declares_has_nothing_to_test_and_is_no_mistake() {
    let library = "pub trait Marker {}\npub unsafe trait Stable: Marker {}\n";
    let output = Fixture::make("bad", MANIFEST, Some(library)).run(&["--calls", "1000"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("bad: nothing to test"), "{}", stderr(&output));
}

#[test]
fn an_api_of_skips_only_is_said_to_be_so() {
    let library = "pub unsafe fn f() {}\npub fn g() -> ! {\n    loop {}\n}\n";
    check(&Fixture::make("bad", MANIFEST, Some(library)), "nothing of bad can be called");
    // Nor does it help that the arguments of what nothing calls could be made.
    let library = "pub struct Key(());\npub fn f(_: &Key, _: Vec<u8>) {}\n";
    check(&Fixture::make("bad", MANIFEST, Some(library)), "nothing of bad can be called");
}

#[test]
fn a_dependency_that_does_not_exist_is_named() {
    let manifest = format!("{MANIFEST}[dependencies]\nmissing = {{ path = \"../nowhere\" }}\n");
    check(&Fixture::make("bad", &manifest, Some("")), "nowhere");
}

#[test]
fn a_folder_without_a_manifest_is_named_with_what_to_do() {
    let fixture = Fixture::make("bad", MANIFEST, Some(""));
    std::fs::remove_file(fixture.path().join("Cargo.toml")).expect("writable");
    check(&fixture, "run this in the folder of a package");
}

#[test]
fn arguments_that_make_no_sense_exit_with_two() {
    let fixture = Fixture::make("bad", MANIFEST, Some("pub fn f() {}\n"));
    for args in [&["frobnicate"][..], &["list", "--format", "yaml"], &["replay"]] {
        assert_eq!(fixture.run(args).status.code(), Some(2), "{args:?}");
    }
    assert_eq!(fixture.run(&["--help"]).status.code(), Some(0));
}

#[test]
fn an_out_folder_that_cannot_be_written_is_named() {
    let fixture = Fixture::make("bad", MANIFEST, Some("pub fn f() {}\n"));
    // A file in the way works for every user; permissions do not stop root.
    std::fs::write(fixture.path().join("blocked"), "").expect("writable");
    let output = fixture.run(&["list", "--out-dir", "blocked"]);
    assert_eq!(output.status.code(), Some(101));
    assert!(stderr(&output).contains("cannot write to blocked"), "{}", stderr(&output));
}
