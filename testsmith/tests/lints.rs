//! No lint of ours reaches the user: neither rustc nor clippy, pedantic, warns of
//! anything that an expansion made, with checks and without.
//!
//! The compiler is run on the sources themselves, against the library as it was built for
//! this very test, so that a build without debug assertions costs no second library.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The library as it was built beside this test, the newest if there are several.
fn library() -> (PathBuf, PathBuf) {
    let exe = std::env::current_exe().expect("a test has a path");
    let folder = exe.parent().expect("a test lies in a folder").to_owned();
    let entries = std::fs::read_dir(&folder).expect("the folder can be read").flatten();
    let libraries = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with("libtestsmith-") && name.ends_with(".rlib")
    });
    let newest = libraries.max_by_key(|entry| entry.metadata().and_then(|m| m.modified()).ok());
    (newest.expect("the library is built").path(), folder)
}

/// What the compiler says of a source file; nothing if clippy is not installed.
fn lints(source: &Path, test: bool, checked: bool, out: &str) -> Option<String> {
    let (library, folder) = library();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(out);
    let mut command = Command::new("clippy-driver");
    command
        .arg(source)
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--cap-lints=warn"])
        .args(["-Wunused", "-Wclippy::all", "-Wclippy::pedantic", "--crate-name=subject"])
        .arg(format!("-Cdebug-assertions={}", if checked { "on" } else { "off" }))
        .arg(format!("-Ldependency={}", folder.display()))
        .arg(format!("--extern=testsmith={}", library.display()))
        .arg("-o")
        .arg(out)
        .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    if test {
        command.arg("--test");
    }
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    Some(text)
}

#[test]
fn nothing_is_said_of_code_that_is_as_it_should_be() {
    let (library, tests) = (["contracts", "forms"], ["contracts", "forms", "korat", "puts"]);
    let sources =
        library.iter().map(|name| (name, false)).chain(tests.iter().map(|name| (name, true)));
    for (name, test) in sources {
        let source = Path::new("tests/lints").join(name).with_extension("rs");
        for checked in [true, false] {
            let out = format!("{name}-{test}-{checked}.rmeta");
            let text = lints(&source, test, checked, &out).unwrap_or_default();
            assert_eq!(text, "", "test: {test}, checked: {checked}");
        }
    }
}

/// How lints begin that expansions are prone to. The subjects have no such code of their own.
const UNUSED: [&str; 4] = [
    "unused variable",
    "unused import",
    "unnecessary braces",
    "variable does not need to be mutable",
];

/// The subjects may be as untidy as they like; what they are told is about their own code.
#[test]
fn what_the_subjects_are_told_is_about_their_own_code() {
    let ours = ["originates in the attribute macro", "__testsmith", "__TESTSMITH", "__contract"];
    for name in ["containers", "korat-programs", "list", "poly", "puts", "shapes", "stackcalc"] {
        let source = Path::new("../subjects").join(name).join("src/lib.rs");
        for checked in [true, false] {
            let out = format!("{name}-{checked}.rmeta");
            let text = lints(&source, true, checked, &out).unwrap_or_default();
            for sign in ours {
                assert!(!text.contains(sign), "{name}, checked: {checked}: {sign} in\n{text}");
            }
            for sign in UNUSED {
                let sign = format!("warning: {sign}");
                assert!(!text.contains(&sign), "{name}, checked: {checked}: {sign} in\n{text}");
            }
        }
    }
}

/// The guard guards: a leak shows.
#[test]
fn a_lint_is_seen_where_there_is_one() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("leaky.rs");
    std::fs::write(&source, "//! Leaky.\n\n/// Unused.\npub fn f(n: u32) {}\n").expect("a file");
    if let Some(text) = lints(&source, false, true, "leaky.rmeta") {
        assert!(text.contains("unused variable: `n`"), "{text}");
    }
}
