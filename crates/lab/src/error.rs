//! What can go wrong in the lab, worded for the person who runs the tool.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{manifest} has no library to test: it only has binaries, examples or tests", manifest = manifest.display())]
    NoLibrary { manifest: PathBuf },
    #[error("{name} is a procedural macro: it has no functions that a test could call")]
    ProcMacro { name: String },
    #[error(
        "{name} is a procedural macro: it runs while others are compiled, where no mutant can be \
         switched on"
    )]
    MacroMutants { name: String },
    #[error("there is no package called {name} here; the workspace has: {}", known.join(", "))]
    NoPackage { name: String, known: Vec<String> },
    #[error("this workspace has several packages; choose one with -p: {}", known.join(", "))]
    Ambiguous { known: Vec<String> },
    #[error("{what} does not build:\n{why}")]
    Build { what: String, why: String },
    /// The same, with the places of the errors: file, line, text.
    #[error("{what} does not build:\n{why}")]
    Refused { what: String, why: String, places: Vec<(String, usize, String)> },
    #[error("cargo could not work out the dependencies of {what}:\n{why}")]
    Resolve { what: String, why: String },
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("failed to run {program}: {source}")]
    Spawn { program: String, source: std::io::Error },
    #[error("cargo printed something that is not what it promises: {0}")]
    Cargo(String),
    #[error("the worker could not be started or spoke nonsense: {0}")]
    Worker(String),
    #[error(
        "{what} {says}, so nothing is claimed from it: build {asked} was asked for; \
         remove it and try again", what = what.display()
    )]
    Identity { what: PathBuf, says: &'static str, asked: String },
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }
}
