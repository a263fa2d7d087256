//! The test executables of a shadow build, and the tests in them.

use super::MutantTree;
use crate::{Error, cargo};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testsmith_model::message::CONFINED;

/// Listing tests runs none.
const MAX_LIST: Duration = Duration::from_secs(20);

/// A test executable.
#[derive(Clone, Debug)]
pub struct TestExecutable {
    /// The name of its target.
    pub target: String,
    pub path: PathBuf,
    pub tests: Vec<String>,
}

/// How the tests of a tree are run.
#[derive(Clone, Debug)]
pub struct Tests {
    /// Our own executable, which confines them; none if they run as they are.
    confined_by: Option<PathBuf>,
    /// The folders that they may write to.
    writable: Vec<PathBuf>,
    package: PathBuf,
    environment: Vec<(String, String)>,
    pub(super) scratch: PathBuf,
}

impl MutantTree {
    /// Prepares to run tests, confined or not.
    pub fn tests(&self, confined: bool) -> Result<Tests, Error> {
        let scratch = self.lab().path("mutants-run");
        let _ = std::fs::remove_dir_all(&scratch);
        std::fs::create_dir_all(&scratch).map_err(Error::io(&scratch))?;
        let of_target = self.target().join("tmp");
        std::fs::create_dir_all(&of_target).map_err(Error::io(&of_target))?;
        let libraries = cargo::answer(
            Command::new("rustc").args(["--print", "target-libdir"]),
            "the folder of the standard library",
        )?;
        let deps = self.target().join("debug/deps").display().to_string();
        let environment = [
            ("CARGO_MANIFEST_DIR", self.package().display().to_string()),
            ("CARGO_TARGET_TMPDIR", of_target.display().to_string()),
            ("LD_LIBRARY_PATH", format!("{}:{deps}", libraries.trim())),
            ("TMPDIR", scratch.display().to_string()),
        ];
        Ok(Tests {
            confined_by: confined.then(|| self.lab().executable().to_owned()),
            writable: vec![scratch.clone(), self.root().to_owned(), of_target],
            package: self.package().to_owned(),
            environment: environment.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            scratch,
        })
    }
}

impl Tests {
    /// The program, as the user's own tests need it.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = match &self.confined_by {
            Some(executable) => {
                let mut command = Command::new(executable);
                command.arg(CONFINED).arg(self.writable.len().to_string()).args(&self.writable);
                command.arg(program);
                command
            }
            None => Command::new(program),
        };
        command.current_dir(&self.package).envs(self.environment.iter().cloned());
        for variable in ["RUST_BACKTRACE", "RUST_TEST_THREADS", "RUST_TEST_SHUFFLE", "NO_COLOR"] {
            command.env_remove(variable);
        }
        command
    }

    /// The tests of an executable, ignored ones left out; none if it has a harness of its own.
    pub fn list(&self, target: &str, path: &Path) -> Result<Option<TestExecutable>, Error> {
        let names = |more: &[&str]| -> Result<Option<Vec<String>>, Error> {
            let mut command = self.command(path);
            command.args(["--list", "--format=terse"]).args(more);
            let (done, late) = cargo::output_within(&mut command, MAX_LIST)?;
            let text = String::from_utf8_lossy(&done.stdout);
            let is_list = |line: &str| line.ends_with(": test") || line.ends_with(": benchmark");
            if late || !done.status.success() || !text.lines().all(is_list) {
                return Ok(None);
            }
            let tests = text.lines().filter_map(|line| line.strip_suffix(": test"));
            Ok(Some(tests.map(str::to_owned).collect()))
        };
        let (Some(mut tests), Some(ignored)) = (names(&[])?, names(&["--ignored"])?) else {
            return Ok(None);
        };
        tests.retain(|test| !ignored.contains(test));
        Ok(Some(TestExecutable { target: target.to_owned(), path: path.to_owned(), tests }))
    }
}
