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
    /// Something was not decided, and the user wanted to know.
    Undecided,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Usage => 2,
            Exit::Found => 100,
            Exit::Incomplete => 101,
            Exit::Undecided => 102,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
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

/// What was asked for is done at once: there is nothing to do it to. The words say why.
#[derive(Debug)]
pub struct NothingToDo(pub String);

impl std::fmt::Display for NothingToDo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NothingToDo {}
