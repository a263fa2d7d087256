//! Asks rustdoc what a crate offers.
//!
//! JSON is an unstable output. A wrapper in the place of rustdoc sets
//! `RUSTC_BOOTSTRAP` for rustdoc alone: set for all of cargo it would reach
//! build scripts, and some behave differently when they see it.

use crate::package::{Neighbour, Package};
use crate::{Error, Lab, cargo};
use std::ffi::OsString;
use std::process::{Command, exit};

/// Set when our executable stands in for rustdoc.
pub const RUSTDOC_VARIABLE: &str = "TESTSMITH_RUSTDOC";

impl Lab {
    /// The JSON that rustdoc writes for the library of the package, with the
    /// features that `prepare` wrote into the manifest.
    pub fn rustdoc(&self, package: &Package) -> Result<String, Error> {
        self.document(&package.spec(), &package.library)
    }

    /// The same for a package that this one depends on.
    pub fn rustdoc_of(&self, neighbour: &Neighbour) -> Result<String, Error> {
        self.document(&neighbour.spec, &neighbour.library)
    }

    fn document(&self, spec: &str, library: &str) -> Result<String, Error> {
        let mut command = self.cargo("rustdoc");
        command
            .args(["--lib", "-p", spec, "--message-format=json", "--"])
            .args(["-Zunstable-options", "--output-format=json", "--document-hidden-items"])
            .arg("--cap-lints=allow")
            .env("RUSTDOC", self.executable())
            .env(RUSTDOC_VARIABLE, "1");
        self.exclusively(|| {
            let output = cargo::messages(&mut command)?;
            if !output.success {
                let what = spec.replace('@', " ");
                return Err(Error::Build { what, why: output.explanation() });
            }
            let file = self.target().join("doc").join(format!("{library}.json"));
            std::fs::read_to_string(&file).map_err(Error::io(file))
        })
    }
}

/// Runs rustdoc in our own place and never comes back.
pub fn stand_in_for_rustdoc(arguments: impl IntoIterator<Item = OsString>) -> ! {
    let mut command = Command::new("rustdoc");
    command.args(arguments).env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTDOC");
    match command.status() {
        Ok(status) => exit(status.code().unwrap_or(101)),
        Err(error) => {
            eprintln!("failed to run rustdoc: {error}; is it part of your toolchain?");
            exit(101)
        }
    }
}
