//! Programs that run under our eyes: whoever tries to change anything outside itself
//! is ended.
//!
//! Our own executable locks itself up and becomes the program. The environment is
//! empty but for what is given, so that no run depends on who started it.

use crate::Lab;
use std::path::Path;
use std::process::{Command, ExitStatus};
use testsmith_model::message::STRICTLY;

/// What a program did that the sandbox ended, in words.
pub const HARMFUL: &str = "it tried to change a file, to use the network or to start a program";

impl Lab {
    /// The program, in the strict sandbox.
    pub fn strictly(&self, program: &Path) -> Command {
        let mut command = Command::new(self.executable());
        command.env_clear().arg(STRICTLY).arg(program);
        command
    }
}

/// Whether the sandbox ended the process.
#[cfg(unix)]
pub fn was_stopped(status: &ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    /// The same number on every Linux that has the sandbox.
    const SIGSYS: i32 = 31;
    status.signal() == Some(SIGSYS)
}

#[cfg(not(unix))]
pub fn was_stopped(_status: &ExitStatus) -> bool {
    false
}
