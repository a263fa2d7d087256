//! What can be wrong with a store, for the person who reads it.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} is damaged ({why}); move it away and the next run starts a new one", .file.display())]
    Damaged { file: PathBuf, why: String },
    #[error(
        "{} was written by a newer testsmith (its version is {version}, this one knows {known})",
        .file.display()
    )]
    Newer { file: PathBuf, version: usize, known: usize },
    #[error("{} is a database, but not of testsmith; nothing in it was changed", .file.display())]
    Foreign { file: PathBuf },
    #[error("another run is writing to {}", .file.display())]
    Locked { file: PathBuf },
    #[error("{} can be read but not written", .file.display())]
    ReadOnly { file: PathBuf },
    #[error("there is no space left for {}", .file.display())]
    Full { file: PathBuf },
    #[error("cannot open {}: {why}", .file.display())]
    Unreachable { file: PathBuf, why: String },
    #[error("{text:?} is no condition: {why}")]
    Condition { text: String, why: String },
}

impl Error {
    /// What the database says, about this file.
    pub(crate) fn of(file: &std::path::Path, error: &rusqlite::Error) -> Error {
        use rusqlite::ErrorCode as Code;
        let file = file.to_owned();
        match error.sqlite_error_code() {
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Error::Locked { file },
            Some(Code::ReadOnly) => Error::ReadOnly { file },
            Some(Code::DiskFull) => Error::Full { file },
            Some(Code::CannotOpen | Code::PermissionDenied) => {
                Error::Unreachable { file, why: error.to_string() }
            }
            // Whatever else it says, it does not find what we have written.
            _ => Error::Damaged { file, why: error.to_string() },
        }
    }
}
