//! Every misdeed of the hostile fixture, inside the sandbox, in a process of
//! its own: it must end as the fixture's list says and harm nothing outside.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use testsmith_lab::output::Tail;

/// How long a function that hangs is watched before it is ended. It can only
/// make the test pass too easily, never fail.
const WATCH: Duration = Duration::from_millis(200);
const KEEP_BYTES: usize = 4096;

#[test]
fn every_misdeed_ends_as_listed_and_harms_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let surroundings = Surroundings::new(folder.path());
    let list = fs::read_to_string(fixture().join("expected.txt")).expect("the list");
    let list: Vec<(&str, &str)> = list.lines().filter_map(|line| line.split_once(' ')).collect();
    let runner = surroundings.build(&list);
    for (function, expected) in list {
        let (ended, tail, printed) = surroundings.run(&runner, function, expected == "hangs");
        let fine = expected.split('|').any(|word| word == ended);
        assert!(fine, "{function}: expected {expected}, got {ended}, printed:\n{tail}");
        surroundings.check_untouched(function);
        if function == "noise::print_gigabytes" {
            assert!(printed >= 2 << 30, "only {printed} bytes came through");
            assert_eq!(tail.len(), KEEP_BYTES);
        }
        if function == "deaths::overflow_the_stack" {
            assert!(tail.contains("overflowed its stack"), "the last words are kept: {tail}");
        }
    }
}

fn fixture() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hostile");
    path.canonicalize().expect("the fixture")
}

/// The folders of the test: a home with a file to be spared, and scratch.
struct Surroundings {
    root: PathBuf,
    home: PathBuf,
    victim: PathBuf,
    scratch: PathBuf,
}

impl Surroundings {
    fn new(root: &Path) -> Surroundings {
        let root = root.canonicalize().expect("a real path");
        let (home, scratch) = (root.join("home"), root.join("scratch"));
        let victim = home.join("victim");
        fs::create_dir(&home).expect("a home");
        fs::create_dir(&scratch).expect("a scratch folder");
        fs::write(&victim, "alive").expect("a victim");
        Surroundings { root, home, victim, scratch }
    }

    /// One program that calls the function it is told to and writes down how
    /// that went, if it still can.
    fn build(&self, list: &[(&str, &str)]) -> PathBuf {
        let source = self.root.join("src");
        fs::create_dir(&source).expect("a source folder");
        fs::write(source.join("main.rs"), runner(list)).expect("a source");
        let worker = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worker");
        let worker = worker.canonicalize().expect("the worker lies beside the lab");
        let manifest = format!(
            "[package]\nname = \"runner\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\nhostile = {{ path = {:?} }}\ntestsmith-worker = {{ path = {:?} }}\n",
            fixture(),
            worker
        );
        fs::write(self.root.join("Cargo.toml"), manifest).expect("a manifest");
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
        fs::copy(lock, self.root.join("Cargo.lock")).expect("a lock file");
        let status = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
            .args(["build", "--quiet"])
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            .current_dir(&self.root)
            .status()
            .expect("cargo runs");
        assert!(status.success(), "the runner does not build");
        self.root.join("target/debug/runner")
    }

    /// How the function ended, the end of what it printed, and how much that
    /// was in all.
    fn run(&self, runner: &Path, function: &str, hangs: bool) -> (String, String, u64) {
        let answer = self.root.join("answer");
        fs::write(&answer, "").expect("an answer file");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let mut command = Command::new(runner);
        command
            .arg(function)
            .arg(&answer)
            .arg(&self.scratch)
            .env("HOME", &self.home)
            .env("TESTSMITH_VICTIM", &self.victim)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(writer.try_clone().expect("a second end"))
            .stderr(writer);
        let mut child = command.spawn().expect("the runner starts");
        drop(command); // It holds writing ends of the pipe.
        let tail = Tail::drain(reader, KEEP_BYTES);
        let mut hung = false;
        if hangs {
            std::thread::sleep(WATCH);
            hung = child.try_wait().expect("a child").is_none();
            child.kill().expect("our own child");
        }
        let status = child.wait().expect("a child");
        let (text, printed) = tail.finish();
        let answer = fs::read_to_string(&answer).expect("an answer file");
        (if hung { "hangs".to_owned() } else { ended(status, &answer) }, text, printed)
    }

    fn check_untouched(&self, function: &str) {
        let entries = fs::read_dir(&self.home).expect("the home").count();
        assert_eq!(entries, 1, "{function} changed the home folder");
        let text = fs::read_to_string(&self.victim).expect("the victim");
        assert_eq!(text, "alive", "{function} changed the victim");
    }
}

fn ended(status: ExitStatus, answer: &str) -> String {
    match (status.signal(), answer) {
        (Some(6), "") => "aborts".to_owned(),
        (Some(11), "") => "faults".to_owned(),
        (Some(15), "") => "signalled".to_owned(),
        (None, "") => "exits".to_owned(),
        (None, answer) => answer.to_owned(),
        (Some(signal), answer) => format!("signal {signal} after {answer:?}"),
    }
}

fn runner(list: &[(&str, &str)]) -> String {
    let arguments = |function: &str| match function {
        "deaths::overflow_the_stack" | "deaths::run_to_the_end" => "0",
        "deaths::repeat_while" => "|| true",
        "harmless::add" => "1, 2",
        _ => "",
    };
    let arms: String = list
        .iter()
        .map(|(function, _)| {
            format!(
                "        {function:?} => hostile::{function}({}).word(),\n",
                arguments(function)
            )
        })
        .collect();
    format!(
        "{RUNNER}fn call(function: &str) -> &'static str {{\n    match function {{\n{arms}        other => panic!(\"no function {{other}}\"),\n    }}\n}}\n"
    )
}

const RUNNER: &str = r#"
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::catch_unwind;

use testsmith_worker::sandbox::{ResourceLimits, enter};

trait Word {
    fn word(&self) -> &'static str;
}

impl<T> Word for std::io::Result<T> {
    fn word(&self) -> &'static str {
        if self.is_ok() { "returns" } else { "refused" }
    }
}

macro_rules! values {
    ($($kind:ty)*) => {
        $(impl Word for $kind {
            fn word(&self) -> &'static str { "returns" }
        })*
    };
}
values! { bool u8 u32 i32 u64 usize }

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut answer = OpenOptions::new().write(true).open(&arguments[2]).unwrap();
    let limits = ResourceLimits { memory_bytes: Some(256 << 20), ..ResourceLimits::default() };
    enter(arguments[3].as_ref(), &limits);
    let word = catch_unwind(|| call(&arguments[1])).unwrap_or("panics");
    answer.write_all(word.as_bytes()).unwrap();
}

"#;
