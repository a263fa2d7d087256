//! `cargo testsmith explore` as it is started by people: what is built for one question
//! never answers another.

mod support;

use std::path::Path;
use std::process::{Command, Output};
use support::{Fixture, check_keys, executable, root, stderr, stdout};

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
        .env("TESTSMITH_TARGET_DIR", shared)
        .output()
        .expect("the command runs")
}

#[test]
fn a_shared_target_folder_gives_no_function_the_verdict_of_another() {
    let shared = tempfile::tempdir().expect("a temporary folder");
    let fixture = package("sharing", GOOD_AND_BAD);
    let verdict = |function: &str| {
        let output = explore_in(shared.path(), &fixture, &["--fn", function, "--no-write"]);
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
    let output = explore_in(shared.path(), &other, &["--fn", "bad", "--no-write"]);
    let text = stdout(&output) + &stderr(&output);
    // Either it is explored as it is, or the build is refused; never the other's verdict.
    match output.status.code() {
        Some(0) => assert!(text.contains("holds for all inputs"), "{text}"),
        Some(101) => assert!(text.contains("so nothing is claimed from it"), "{text}"),
        code => panic!("{code:?}: {text}"),
    }
}

#[test]
fn exit_codes_tell_what_happened() {
    let subjects = root().join("subjects/puts/Cargo.toml").display().to_string();
    let code = |args: &str| {
        let output = Command::new(executable())
            .arg("explore")
            .args(args.split_whitespace())
            .env("TESTSMITH_TARGET_DIR", support::build_folder())
            .output()
            .expect("the command runs");
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    assert_eq!(code("--help").0, Some(0));
    assert_eq!(code("--unknown").0, Some(2));
    assert_eq!(code(&format!("--solver guess --manifest-path {subjects}")).0, Some(2));
    assert_eq!(code("--manifest-path /nowhere/Cargo.toml").0, Some(101));
    let holding = format!("triangle::tests::equal --no-write --manifest-path {subjects}");
    let (code_holding, text) = code(&holding);
    assert_eq!(code_holding, Some(0), "{text}");
    let (code_cut, text) = code(&format!("{holding} --max-paths 1"));
    assert_eq!(code_cut, Some(0), "{text}");
    let (code_strict, text) = code(&format!("{holding} --max-paths 1 --strict"));
    assert_eq!(code_strict, Some(102), "{text}");
    let failing = format!("the_capacity --features seeded --no-write --manifest-path {subjects}");
    let (code_failing, text) = code(&failing);
    assert_eq!(code_failing, Some(100), "{text}");
}

/// Each function harms the file whose path stands in the place of the word, if it can.
const HOSTILE: &str = r#"
use std::process::Command;

pub fn delete(x: u8) {
    let _ = std::fs::remove_file("VICTIM");
    assert!(x < 200);
}

pub fn overwrite(x: u8) {
    let _ = std::fs::write("VICTIM", [x]);
}

pub fn start_a_program(x: u8) {
    let _ = Command::new("rm").arg("VICTIM").arg(x.to_string()).status();
}

pub fn connect(x: u8) {
    let _ = std::net::TcpStream::connect(("127.0.0.1", u16::from(x)));
}

/// A harmless one that fails for a single input.
pub fn fails_once(x: u16) -> u16 {
    1000 / (x - 77).max(1)
}

pub fn end_the_process(x: u8) {
    if x == 3 {
        std::process::abort();
    }
}

pub fn count(keys: Vec<u8>) -> usize {
    keys.into_iter().collect::<std::collections::HashSet<u8>>().len()
}

pub fn dangerous(x: u8) -> u8 {
    assert!(x != 9);
    x
}

/// Nothing public makes one.
pub struct Sealed(#[allow(dead_code)] u8);

impl Sealed {
    pub fn open(self, other: u8) -> u8 {
        other
    }
}
"#;

#[test]
fn hostile_functions_harm_nothing_and_every_event_has_the_documented_keys() {
    let outside = tempfile::tempdir().expect("a temporary folder");
    let victim = outside.path().join("victim");
    std::fs::write(&victim, "precious").expect("written");
    let source = HOSTILE.replace("VICTIM", &victim.display().to_string());
    let fixture = package("harmful", &source);
    let output = fixture.run(&["explore", "--all", "--len", "2", "--quiet", "--format", "json"]);
    let text = stdout(&output) + &stderr(&output);
    assert_eq!(output.status.code(), Some(100), "{text}");
    let events = check_keys(&stdout(&output), "explore: ");
    assert_eq!(std::fs::read_to_string(&victim).expect("still there"), "precious");
    let put = |function: &str| {
        let path = format!("harmful::{function}");
        let found = events.iter().find(|(name, event)| {
            name == "put" && event["function"].as_str() == Some(path.as_str())
        });
        found.map(|(_, event)| event).unwrap_or_else(|| panic!("no {path}: {text}"))
    };
    for function in ["delete", "overwrite", "start_a_program", "connect"] {
        let event = put(function);
        assert_eq!(event["verdict"], "undecided", "{event}");
        let natively = event["cut_short"][0]["natively"].as_str().expect("it was run natively");
        assert!(natively.contains("it tried to change a file"), "{natively}");
    }
    let once = put("fails_once");
    assert_eq!(once["verdict"], "fails", "{once}");
    assert_eq!(once["all_run"], 65536, "{once}");
    assert_eq!(once["disagreements"], 0, "{once}");
    let aborting = put("end_the_process");
    assert_eq!(aborting["verdict"], "fails", "{aborting}");
    assert_eq!(aborting["failures"][0]["call"], "harmful::end_the_process(3)", "{aborting}");
    assert_eq!(aborting["failures"][0]["ends_process"], true, "{aborting}");
    let closed = fixture.path().join("tests/testsmith_puts/of_end_the_process.rs");
    let closed = std::fs::read_to_string(closed).expect("its closed test is written");
    assert!(closed.contains("#[ignore = \"it ends the process"), "{closed}");
    let left = events.iter().any(|(name, event)| {
        name == "left_out" && event["path"].as_str().is_some_and(|path| path.contains("Sealed"))
    });
    assert!(left, "what is not tried is told: {text}");
}

#[test]
fn paths_name_functions_of_dependencies_unless_the_crate_has_them_itself() {
    let manifest = "[package]\nname = \"leaning\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nnear = { path = \"near\" }\ncodec = { package = \"hex\", version = \"0.4\" }\n\
         shadowed = { path = \"shadowed\" }\n\n[workspace]\n";
    let library = "pub mod shadowed {\n    pub fn bump(x: u8) -> u8 {\n        x | 1\n    }\n}\n";
    let fixture = Fixture::make("leaning", manifest, Some(library));
    for name in ["near", "shadowed"] {
        let folder = fixture.path().join(name);
        std::fs::create_dir_all(folder.join("src")).expect("made");
        let manifest =
            format!("[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n");
        std::fs::write(folder.join("Cargo.toml"), manifest).expect("written");
        let library = "pub mod deep {\n    pub fn bump(x: u8) -> u8 {\n        x + 1\n    }\n}\n";
        std::fs::write(folder.join("src/lib.rs"), library).expect("written");
    }
    std::fs::copy(root().join("Cargo.lock"), fixture.path().join("Cargo.lock")).expect("copied");
    let explore = |args: &[&str]| {
        let mut all = vec!["explore", "--quiet", "--max-time", "20s"];
        all.extend(args);
        let output = fixture.run(&all);
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    let (code, text) = explore(&["--fn", "near::deep::*", "--fn", "codec::decode", "--len", "2"]);
    assert_eq!(code, Some(100), "{text}");
    assert!(text.contains("fails: near::deep::bump(255)"), "{text}");
    // Under the name that the crate has in its own documentation.
    assert!(text.contains("hex::decode"), "{text}");
    assert!(text.contains("1 hold, 1 fail, 0 not decided"), "{text}");
    assert!(!fixture.path().join("near/tests").exists(), "the folder of a dependency is not ours");
    assert!(!fixture.path().join("tests").exists(), "its tests are not this crate's");
    let (code, text) = explore(&["--fn", "shadowed::bump"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("leaning::shadowed::bump"), "{text}");
    let (code, text) = explore(&["--fn", "near::missing"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("near has no public function missing"), "{text}");
}
