//! `cargo testsmith explore` as it is started by people: what is built for one question
//! never answers another.

mod support;

use std::path::Path;
use std::process::{Command, Output};
use support::{Fixture, executable, root, stderr, stdout};

const GOOD_AND_BAD: &str = "\
pub fn good(x: u8) -> u8 {
    x / 2
}

pub fn bad(x: u8) -> u8 {
    x + 1
}
";

/// A package that knows of testsmith, so that nothing has to be looked up.
fn package(name: &str, library: &str) -> Fixture {
    let testsmith = root().join("testsmith").display().to_string();
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dev-dependencies]\ntestsmith = {{ path = {testsmith:?} }}\n\n[workspace]\n"
    );
    let fixture = Fixture::make(name, &manifest, Some(library));
    std::fs::copy(root().join("Cargo.lock"), fixture.path().join("Cargo.lock")).expect("copied");
    fixture
}

/// Explores with a target folder that others use too.
fn explore_in(shared: &Path, fixture: &Fixture, args: &[&str]) -> Output {
    Command::new(executable())
        .arg("explore")
        .args(args)
        .current_dir(fixture.path())
        .env("CARGO_TARGET_DIR", shared)
        .output()
        .expect("the command runs")
}

#[test]
fn a_shared_target_folder_gives_no_function_the_verdict_of_another() {
    let shared = tempfile::tempdir().expect("a temporary folder");
    let fixture = package("sharing", GOOD_AND_BAD);
    let verdict = |function: &str| {
        let output = explore_in(shared.path(), &fixture, &["--fn", function, "--no-emit"]);
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    for _ in 0..2 {
        let (code, text) = verdict("good");
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("holds for all inputs"), "{text}");
        let (code, text) = verdict("bad");
        assert_eq!(code, Some(100), "{text}");
        assert!(text.contains("attempt to add with overflow"), "{text}");
    }
    // The same names and older files: to cargo it is the package that was built before.
    let mended = GOOD_AND_BAD.replace("x + 1", "x | 1");
    let other = package("sharing", &mended);
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for file in ["src/lib.rs", "Cargo.toml", "Cargo.lock"] {
        let file = std::fs::File::options().append(true).open(other.path().join(file));
        file.and_then(|file| file.set_modified(old)).expect("it is ours");
    }
    let output = explore_in(shared.path(), &other, &["--fn", "bad", "--no-emit"]);
    let text = stdout(&output) + &stderr(&output);
    // Either it is explored as it is, or the build is refused; never the other's verdict.
    match output.status.code() {
        Some(0) => assert!(text.contains("holds for all inputs"), "{text}"),
        Some(101) => assert!(text.contains("so nothing is claimed from it"), "{text}"),
        code => panic!("{code:?}: {text}"),
    }
}
