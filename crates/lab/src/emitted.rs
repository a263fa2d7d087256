//! Compiles and runs tests that were written down, to see whether they say
//! what was seen.

use crate::{Error, Lab, Profile, cargo};
use std::collections::BTreeMap;
use std::process::Command;

/// What came of a file of tests.
#[derive(Debug)]
pub enum TestRun {
    /// Errors by line, counted from one.
    Refused(BTreeMap<usize, String>),
    /// Every test by name, and whether it passed; and all that was printed.
    Ran { results: BTreeMap<String, bool>, output: String },
}

impl Lab {
    /// Builds the source as a crate of tests beside the crate under test, and
    /// runs each test once in a fresh process for all.
    pub fn test(&self, source: &str) -> Result<TestRun, Error> {
        self.test_in(Profile::Unoptimised, source)
    }

    /// The same in another profile than that of `cargo test`.
    pub fn test_in(&self, profile: Profile, source: &str) -> Result<TestRun, Error> {
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
            return Ok(TestRun::Refused(lines));
        }
        let executable = built.executables.into_iter().find(|(n, _)| n == "testsmith_emitted");
        let (_, executable) =
            executable.ok_or_else(|| Error::Cargo("no test executable was built".to_owned()))?;
        let done = cargo::output(Command::new(executable).current_dir(self.root()))?;
        let output = String::from_utf8_lossy(&done.stdout).into_owned();
        let result = |line: &str| {
            let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
            let name = name.trim_end_matches(" - should panic");
            Some((name.to_owned(), result == "ok"))
        };
        Ok(TestRun::Ran { results: output.lines().filter_map(result).collect(), output })
    }
}
