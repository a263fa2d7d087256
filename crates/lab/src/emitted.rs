//! Compiles and runs tests that were written down, to see whether they say
//! what was seen.

use crate::{Error, Lab, Profile, cargo};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use testsmith_model::message::STRICTLY;

/// What came of a file of tests.
#[derive(Debug)]
pub enum TestRun {
    /// Errors by line, counted from one.
    Refused(BTreeMap<usize, String>),
    Ran(TestResults),
}

/// Every test by name, and whether it passed; and all that was printed.
#[derive(Clone, Debug, Default)]
pub struct TestResults {
    pub passed: BTreeMap<String, bool>,
    pub output: String,
    /// Whether a test tried what none may, and ended the process.
    pub was_stopped: bool,
}

/// What came of compiling a file of tests.
#[derive(Debug)]
pub enum TestBuild {
    /// Errors by line, counted from one.
    Refused(BTreeMap<usize, String>),
    Built(TestProgram),
}

/// A compiled file of tests.
#[derive(Clone, Debug)]
pub struct TestProgram {
    /// The harness, which knows how to lock a program up.
    warden: PathBuf,
    executable: PathBuf,
    folder: PathBuf,
}

impl TestProgram {
    /// Runs the tests in a fresh process, with arguments for the test harness.
    /// The process ends if one of them so much as tries to change a file, to
    /// open a socket or to start a program: whoever runs it later has no sandbox.
    pub fn run(&self, arguments: &[&str]) -> Result<TestResults, Error> {
        let mut command = Command::new(&self.warden);
        command.arg(STRICTLY).arg(&self.executable).args(arguments);
        let done = cargo::output(command.current_dir(&self.folder))?;
        let output = String::from_utf8_lossy(&done.stdout).into_owned();
        let result = |line: &str| {
            let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
            let name = name.trim_end_matches(" - should panic");
            Some((name.to_owned(), result == "ok"))
        };
        let passed = output.lines().filter_map(result).collect();
        Ok(TestResults { passed, output, was_stopped: was_stopped(&done.status) })
    }
}

#[cfg(unix)]
fn was_stopped(status: &ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    /// The same number on every Linux that has the sandbox.
    const SIGSYS: i32 = 31;
    status.signal() == Some(SIGSYS)
}

#[cfg(not(unix))]
fn was_stopped(_status: &ExitStatus) -> bool {
    false
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

impl Lab {
    /// Builds the source as a crate of tests beside the crate under test, and
    /// runs each test once in a fresh process for all.
    pub fn test(&self, source: &str) -> Result<TestRun, Error> {
        self.test_in(Profile::Unoptimised, source)
    }

    /// The same in another profile than that of `cargo test`.
    pub fn test_in(&self, profile: Profile, source: &str) -> Result<TestRun, Error> {
        match self.build_tests(profile, source)? {
            TestBuild::Refused(lines) => Ok(TestRun::Refused(lines)),
            TestBuild::Built(program) => program.run(&[]).map(TestRun::Ran),
        }
    }

    /// Builds the source as a crate of tests beside the crate under test.
    pub fn build_tests(&self, profile: Profile, source: &str) -> Result<TestBuild, Error> {
        const FILE: &str = "emitted/src/lib.rs";
        // At the end, so that the lines of errors are those of the source.
        self.write(FILE, &format!("{source}{}", self.mounted()))?;
        let mut command = self.cargo("test");
        command.args(["-p", "testsmith-emitted", "--lib", "--no-run", "--message-format=json"]);
        command.args(["--profile", profile.name()]);
        let built = cargo::messages(&mut command)?;
        if !built.success {
            let mut lines = BTreeMap::new();
            for error in &built.errors {
                for (file, line) in &error.places {
                    if file.replace('\\', "/").ends_with(FILE) {
                        lines.entry(*line).or_insert_with(|| error.text.clone());
                    }
                }
            }
            if lines.is_empty() {
                let what = "a file of tests".to_owned();
                return Err(Error::Build { what, why: built.explanation() });
            }
            return Ok(TestBuild::Refused(lines));
        }
        let executable = built.executables.into_iter().find(|(n, _)| n == "testsmith_emitted");
        let (_, executable) =
            executable.ok_or_else(|| Error::Cargo("no test executable was built".to_owned()))?;
        let warden = self.harness(Profile::Unoptimised);
        Ok(TestBuild::Built(TestProgram { warden, executable, folder: self.root().to_owned() }))
    }
}
