//! A shadow copy of a package with mutants in it: built once, its tests started once.
//!
//! Which mutants there are, and what a run means, is for others to say: here texts are
//! written, cargo is run and its errors are told with their bytes, and test programs are
//! served ([`TestServer`]).

mod harness;
mod judge;
mod server;
mod stamp;
mod tests;
mod tree;

pub use harness::MutantLab;
pub use judge::JudgeEnd;
pub use server::{End, RECORDING, Run, RunEnd, TestServer};
pub use tests::{TestExecutable, Tests};
pub(crate) use tree::SWITCH_PACKAGE;
pub use tree::{CompilerError, Entry, ErrorPlace, MutantBuild, MutantTree};

use std::ffi::OsString;
use std::process::{Command, exit};

/// Set when our executable stands in for rustc in a shadow build of mutants.
pub const WRAPPER_VARIABLE: &str = "TESTSMITH_MUTANTS_WRAPPER";

/// Stands in for rustc and never comes back: lints are capped, because mutants are no style,
/// and a crate may forbid what it warns of.
pub fn wrap(arguments: impl IntoIterator<Item = OsString>) -> ! {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let Some((rustc, rest)) = arguments.split_first() else {
        eprintln!("testsmith stands in for rustc here, but cargo named no rustc to run");
        exit(101);
    };
    let is_capped = rest.iter().any(|word| word.to_string_lossy().starts_with("--cap-lints"));
    let mut command = Command::new(rustc);
    command.args(rest);
    if !is_capped {
        command.arg("--cap-lints=allow");
    }
    match command.status() {
        Ok(status) => exit(status.code().unwrap_or(101)),
        Err(error) => {
            eprintln!("failed to run {}: {error}", rustc.display());
            exit(101)
        }
    }
}
