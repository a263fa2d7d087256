//! Compiles and runs tests that were written down, to see whether they say
//! what was seen.
//!
//! What is compiled is what will be written, byte by byte: each file is put into
//! the scratch workspace as it is, and mounted from there.

use crate::identity::Identity;
use crate::{Error, Lab, Profile, cargo, check_identity, was_stopped};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testsmith_model::message::{SANDBOX_LACKS, STRICTLY, UNWATCHED};

/// Files of tests as they will be written.
#[derive(Clone, Copy)]
pub struct TestSources<'s> {
    /// By the names of their modules.
    pub files: &'s BTreeMap<String, String>,
    /// The folder that they are for: what lies there can be mounted from them by
    /// its name.
    pub folder: Option<&'s Path>,
    /// Lint levels for all of them, as `deny(warnings)`.
    pub lints: &'s str,
}

/// What came of compiling files of tests.
#[derive(Debug)]
pub enum TestBuild {
    Refused(Vec<CompileError>),
    Built(TestProgram),
}

/// An error of the compiler in one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    pub module: String,
    /// Counted from one.
    pub line: usize,
    pub why: String,
}

/// A compiled file of tests.
#[derive(Clone, Debug)]
pub struct TestProgram {
    /// Starts the tests in the strict sandbox: our own executable, which brings it along.
    sandbox: PathBuf,
    executable: PathBuf,
    folder: PathBuf,
}

/// Every test by its path, and whether it passed; and all that was printed.
#[derive(Clone, Debug, Default)]
pub struct TestResults {
    pub passed: BTreeMap<String, bool>,
    pub output: String,
    /// Whether a test tried what none may, and ended the process.
    pub was_stopped: bool,
    /// Whether a test did not return, so that we ended the process.
    pub hung: bool,
    /// What this machine lacks to watch the tests, in words. Where that is all of
    /// it, none was run.
    pub unwatched: Option<String>,
    /// Parts of the sandbox that are missing, in words; the tests were watched.
    pub missing: Vec<String>,
}

/// The tests of one program take milliseconds. What takes as long as this waits for
/// something that does not come, however busy the machine is.
const MAX_RUN: Duration = Duration::from_secs(10);

impl TestProgram {
    /// Runs the tests in a fresh process, with arguments for the test harness.
    /// The process ends if one of them so much as tries to change a file, to
    /// open a socket or to start a program: whoever runs it later has no sandbox.
    pub fn run(&self, arguments: &[&str]) -> Result<TestResults, Error> {
        let mut command = Command::new(&self.sandbox);
        command.arg(STRICTLY).arg(&self.executable).args(arguments);
        let (done, hung) = cargo::output_within(command.current_dir(&self.folder), MAX_RUN)?;
        Ok(TestResults { hung, ..TestResults::of(&done) })
    }
}

impl TestResults {
    /// What a process said that ran tests in the sandbox.
    fn of(done: &Output) -> Self {
        let output = String::from_utf8_lossy(&done.stdout).into_owned();
        let result = |line: &str| {
            let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
            let name = name.trim_end_matches(" - should panic");
            if name.starts_with(IDENTITY) {
                return None;
            }
            Some((name.to_owned(), result == "ok"))
        };
        let passed = output.lines().filter_map(result).collect();
        let errors = String::from_utf8_lossy(&done.stderr);
        let missing: Vec<String> = errors
            .lines()
            // The tests print after the sandbox does.
            .map_while(|line| Some(line.strip_prefix(SANDBOX_LACKS)?.to_owned()))
            .collect();
        let unwatched = (done.status.code() == Some(UNWATCHED)).then(|| missing.join("; "));
        let was_stopped = was_stopped(&done.status);
        Self { passed, output, was_stopped, hung: false, unwatched, missing }
    }
}

/// A test whose name says what the files hold: an executable without it is another's.
fn identity_of(root: &str, tests: &TestSources) -> String {
    let mut identity = Identity::default();
    identity.add(root.as_bytes());
    for (module, text) in tests.files {
        identity.add(module.as_bytes());
        identity.add(text.as_bytes());
    }
    format!("{IDENTITY}{}", identity.text())
}

const IDENTITY: &str = "testsmith_identity_";

impl TestProgram {
    /// Whether the program says that it is what was asked for.
    fn check_identity(&self, asked: &str) -> Result<(), Error> {
        let listed = self.run(&["--list", "--format=terse"])?;
        // What cannot be watched is not run, so it is not used either.
        if listed.unwatched.is_some() {
            return Ok(());
        }
        let named = |line: &str| {
            let name = line.strip_suffix(": test")?;
            name.starts_with(IDENTITY).then(|| name.to_owned())
        };
        let says = listed.output.lines().find_map(named).unwrap_or_default();
        check_identity(&self.executable, &says, asked)
    }
}

/// The source as `rustfmt` would have it, or as it is where there is none.
pub fn format(source: &str) -> String {
    let formatted = || {
        let mut child = Command::new("rustfmt")
            .args(["--edition", "2021", "--emit", "stdout", "--quiet"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        // It reads all before it writes, so one after the other is safe.
        child.stdin.take()?.write_all(source.as_bytes()).ok()?;
        let done = child.wait_with_output().ok().filter(|done| done.status.success())?;
        String::from_utf8(done.stdout).ok().filter(|text| !text.is_empty())
    };
    formatted().unwrap_or_else(|| source.to_owned())
}

/// What the crate of emitted tests begins with.
pub(crate) const EMITTED_HEAD: &str = "emitted/head.rs";
/// Where the files lie while they are compiled.
const FILES: &str = "emitted/src/files";

impl Lab {
    /// Builds files of tests as modules of a crate beside the crate under test.
    pub fn build_tests(&self, profile: Profile, tests: &TestSources) -> Result<TestBuild, Error> {
        let identity = self.lay_out(tests)?;
        let built = cargo::messages(&mut self.emitted_build(profile))?;
        if !built.success {
            let mut refusals: BTreeMap<(String, usize), String> = BTreeMap::new();
            for error in &built.errors {
                for (file, line) in &error.places {
                    if let Some(module) = module_of(file, tests.files) {
                        refusals.entry((module, *line)).or_insert_with(|| error.text.clone());
                    }
                }
            }
            if refusals.is_empty() {
                let what = "a file of tests".to_owned();
                return Err(Error::Build { what, why: built.explanation() });
            }
            let refusal = |((module, line), why)| CompileError { module, line, why };
            return Ok(TestBuild::Refused(refusals.into_iter().map(refusal).collect()));
        }
        let executable = built.executables.into_iter().find(|(n, _)| n == "testsmith_emitted");
        let (_, executable) =
            executable.ok_or_else(|| Error::Cargo("no test executable was built".to_owned()))?;
        let sandbox = self.executable().to_owned();
        let program = TestProgram { sandbox, executable, folder: self.root().to_owned() };
        program.check_identity(&identity)?;
        Ok(TestBuild::Built(program))
    }

    /// Builds all that tests of the crate need, so that theirs are quick, unless `stop`
    /// is set before that is done. What is wrong is told when there are tests.
    pub fn prepare_tests(&self, stop: &AtomicBool) -> Result<(), Error> {
        let none = BTreeMap::new();
        self.lay_out(&TestSources { files: &none, folder: None, lints: "" })?;
        cargo::messages_unless(&mut self.emitted_build(Profile::Unoptimised), stop).map(drop)
    }

    fn emitted_build(&self, profile: Profile) -> Command {
        let mut command = self.cargo("test");
        command.args(["-p", "testsmith-emitted", "--lib", "--no-run", "--message-format=json"]);
        command.args(["--profile", profile.name()]);
        command
    }

    /// Writes the files, and returns the name that says what they hold.
    fn lay_out(&self, tests: &TestSources) -> Result<String, Error> {
        let folder = self.path(FILES);
        // Links of an earlier build must not be written through.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let mut root = std::fs::read_to_string(self.path(EMITTED_HEAD)).unwrap_or_default();
        for (module, text) in tests.files {
            self.write(&format!("{FILES}/{module}.rs"), text)?;
            let lints = match tests.lints {
                "" => String::new(),
                lints => format!("#[{lints}]\n"),
            };
            root.push_str(&format!("{lints}#[path = \"files/{module}.rs\"]\nmod {module};\n"));
        }
        let identity = identity_of(&root, tests);
        root.push_str(&format!("#[test]\nfn {identity}() {{}}\n"));
        self.write("emitted/src/lib.rs", &root)?;
        if let Some(theirs) = tests.folder {
            link_entries(theirs, &folder)?;
        }
        Ok(identity)
    }
}

/// The module of a file that the compiler names.
fn module_of(file: &str, files: &BTreeMap<String, String>) -> Option<String> {
    let (_, name) = file.rsplit_once("files/").or_else(|| file.rsplit_once("files\\"))?;
    let module = name.strip_suffix(".rs")?;
    files.contains_key(module).then(|| module.to_owned())
}

/// Makes what lies in one folder visible in another, under the same names.
fn link_entries(from: &Path, to: &Path) -> Result<(), Error> {
    let Ok(entries) = std::fs::read_dir(from) else { return Ok(()) };
    for entry in entries.flatten() {
        let target = to.join(entry.file_name());
        if !target.exists() {
            let source = entry.path().canonicalize().map_err(Error::io(entry.path()))?;
            link(&source, &target).map_err(Error::io(&target))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(source: &Path, target: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(source, target)
}

/// Links need a privilege elsewhere, so files are copied.
#[cfg(not(unix))]
fn link(source: &Path, target: &Path) -> std::io::Result<()> {
    if !source.is_dir() {
        return std::fs::copy(source, target).map(drop);
    }
    std::fs::create_dir_all(target)?;
    for entry in std::fs::read_dir(source)?.flatten() {
        link(&entry.path(), &target.join(entry.file_name()))?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// What is made of a sandbox that says this and ends with this code.
    fn check(script: &str) -> TestResults {
        let said = Command::new("sh").args(["-c", script]).output().expect("there is a shell");
        TestResults::of(&said)
    }

    #[test]
    fn a_machine_without_a_filter_watches_no_test_and_says_so() {
        let results = check(&format!("echo '{SANDBOX_LACKS}no filter' >&2; exit {UNWATCHED}"));
        assert_eq!(results.unwatched.as_deref(), Some("no filter"));
        assert!(results.passed.is_empty());
    }

    #[test]
    fn a_part_that_is_missing_is_told_and_what_a_test_prints_is_not_taken_for_it() {
        let results = check(&format!(
            "echo '{SANDBOX_LACKS}no limit' >&2; echo hello >&2; echo '{SANDBOX_LACKS}lie' >&2\n\
             echo 'test files::one ... ok'; echo 'test files::two - should panic ... FAILED'"
        ));
        assert_eq!((results.missing, results.unwatched), (vec!["no limit".to_owned()], None));
        let passed = [("files::one".to_owned(), true), ("files::two".to_owned(), false)];
        assert_eq!(results.passed, BTreeMap::from(passed));
    }

    #[test]
    fn what_lies_in_the_folder_of_the_user_is_seen_but_never_written_through() {
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(theirs.path().join("oracles.rs"), "theirs").unwrap();
        std::fs::write(theirs.path().join("mine.rs"), "theirs").unwrap();
        let lab = Lab::open(ours.path(), &ours.path().join("target"), Path::new("none")).unwrap();
        let files = |name: &str| BTreeMap::from([(name.to_owned(), "ours".to_owned())]);
        let lay_out = |files, folder| {
            lab.lay_out(&TestSources { files: &files, folder, lints: "" }).unwrap();
        };
        lay_out(files("mine"), Some(theirs.path()));
        let read = |name: &str| std::fs::read_to_string(lab.path(FILES).join(name)).unwrap();
        assert_eq!((read("mine.rs").as_str(), read("oracles.rs").as_str()), ("ours", "theirs"));
        lay_out(files("oracles"), None);
        assert_eq!(read("oracles.rs"), "ours");
        for name in ["oracles.rs", "mine.rs"] {
            assert_eq!(std::fs::read_to_string(theirs.path().join(name)).unwrap(), "theirs");
        }
    }
}
