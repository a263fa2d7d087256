//! What a build is of, as one number, and whether an artefact says that it is it.
//!
//! Cargo names what it builds after packages and tells old from new by times; in a
//! target folder that several packages share, one can be given what was built for
//! another. So the number goes into the build, and comes back out of the executable
//! and the bitcode, or neither is used.

use std::hash::Hasher;
use std::path::{Path, PathBuf};

use crate::Error;
use siphasher::sip128::{Hasher128, SipHasher13};

/// The variable that carries the number into the build; the attribute of puts reads it.
pub(crate) const VARIABLE: &str = "TESTSMITH_IDENTITY";

/// Files larger than this count by their size and time.
const MAX_READ_BYTES: u64 = 16 << 20;
/// Folders nested deeper than this are not the source of anything.
const MAX_DEPTH: usize = 24;

/// A hash with a fixed definition: the number outlives releases of Rust.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity(SipHasher13);

impl Identity {
    /// Takes a part in; parts are kept apart by their lengths.
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.write(&(part.len() as u64).to_le_bytes());
        self.0.write(part);
    }

    /// Takes in every file below a folder, but for what is built or learned there.
    pub(crate) fn add_sources(&mut self, folder: &Path) {
        self.add_folder(folder, 0);
    }

    fn add_folder(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let built = name == "target" || name == "testsmith.out" || name.starts_with('.');
            if built || name.ends_with(".cases") {
                continue;
            }
            if path.is_dir() && depth < MAX_DEPTH {
                self.add_folder(&path, depth + 1);
            } else if let Ok(about) = path.metadata()
                && about.is_file()
            {
                self.add(path.to_string_lossy().as_bytes());
                match about.len() <= MAX_READ_BYTES {
                    true => self.add(&std::fs::read(&path).unwrap_or_default()),
                    false => self.add(format!("{} {:?}", about.len(), about.modified()).as_bytes()),
                }
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        format!("{:032x}", self.0.finish128().as_u128())
    }
}

/// Refuses an artefact that says it is something else, or nothing at all.
pub fn check_identity(what: &Path, says: &str, asked: &str) -> Result<(), Error> {
    if says == asked {
        return Ok(());
    }
    let says = if says.is_empty() { "says nothing of what it is" } else { "is of another build" };
    Err(Error::Identity { what: what.to_owned(), says, asked: asked.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_kept_apart_and_sources_count() {
        let of = |parts: &[&str]| {
            let mut identity = Identity::default();
            parts.iter().for_each(|part| identity.add(part.as_bytes()));
            identity.text()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_eq!(of(&["ab"]), "4055b87d9eb2c74e975ca3c3f4ea5eb6");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sources = || {
            let mut identity = Identity::default();
            identity.add_sources(folder.path());
            identity.text()
        };
        let before = sources();
        std::fs::create_dir_all(folder.path().join("target")).expect("made");
        std::fs::write(folder.path().join("target/built"), "x").expect("written");
        assert_eq!(sources(), before);
        std::fs::write(folder.path().join("lib.rs"), "fn f() {}").expect("written");
        assert_ne!(sources(), before);
    }

    #[test]
    fn an_artefact_that_is_something_else_is_refused() {
        let path = Path::new("built");
        assert!(check_identity(path, "a", "a").is_ok());
        let why = check_identity(path, "b", "a").expect_err("refused").to_string();
        assert!(why.starts_with("built is of another build"), "{why}");
        let why = check_identity(path, "", "a").expect_err("refused").to_string();
        assert!(why.contains("says nothing of what it is"), "{why}");
    }
}
