//! The exit codes, in one place.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, and nothing was found.
    Clean,
    /// The arguments or the configuration make no sense.
    Usage,
    /// Done, and a sequence failed.
    Found,
    /// Could not be completed; the message says why.
    Incomplete,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Usage => 2,
            Exit::Found => 100,
            Exit::Incomplete => 101,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// The codes of a command that was run for us.
impl From<u8> for Exit {
    fn from(code: u8) -> Exit {
        match code {
            0 => Exit::Clean,
            2 => Exit::Usage,
            100 => Exit::Found,
            _ => Exit::Incomplete,
        }
    }
}

/// What the user asked for makes no sense; the words say why.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}
