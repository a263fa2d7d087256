//! Files that are ours until somebody edits them.
//!
//! The first line of each names the hash of the rest. A file whose hash is
//! wrong, or that has no such line, belongs to somebody else.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Who a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Missing,
    /// As we wrote it.
    Ours,
    /// Changed by somebody since, or never ours.
    Edited,
}

const MARK: &str = "// Written by cargo testsmith. Edit it and it is yours: ";

fn state_of(file: &Path) -> Result<State> {
    Ok(match read(file)? {
        None => State::Missing,
        Some(text) if body_of(&text).is_some() => State::Ours,
        Some(_) => State::Edited,
    })
}

fn read(file: &Path) -> Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// What stands below the mark, if the mark is right.
fn body_of(text: &str) -> Option<&str> {
    let (mark, body) = text.strip_prefix(MARK)?.split_once('\n')?;
    (mark == mark_of(body)).then_some(body)
}

/// Formatting is not editing: spaces and commas do not count.
fn mark_of(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    // SipHash-1-3 with keys of zero, by its definition. That is also what the
    // standard library's hasher was when the first of these files were written,
    // but it may become another, and then all files would look edited.
    let number = siphasher::sip::SipHasher13::new().hash(kept.as_bytes());
    format!("it is only replaced while this number is right: {number:016x}")
}

/// The whole text of a file of ours.
pub fn marked(body: &str) -> String {
    format!("{MARK}{}\n{body}", mark_of(body))
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// Written or replaced.
    Yes,
    /// It was already like that.
    Same,
    /// An old file of ours was removed, since there is nothing for it any more.
    Removed,
    /// It was edited, so it stays as it is.
    Kept,
}

/// Files to be written together, by path.
#[derive(Default)]
pub struct Tree {
    wanted: BTreeMap<PathBuf, String>,
    /// Folders and files that may hold older files of ours.
    places: Vec<PathBuf>,
}

impl Tree {
    /// Older files of ours in this place that are not wanted any more go.
    pub fn place(&mut self, path: PathBuf) {
        self.places.push(path);
    }

    pub fn want(&mut self, path: PathBuf, text: String) {
        self.wanted.insert(path, text);
    }

    /// The texts of the files of ours that are there now, by path. Edited ones
    /// come with the mark that no longer fits.
    pub fn existing(&self) -> Result<BTreeMap<PathBuf, String>> {
        let mut found = BTreeMap::new();
        for path in self.present()? {
            if let Some(text) = read(&path)? {
                let body = body_of(&text).map(str::to_owned);
                found.insert(path, body.unwrap_or(text));
            }
        }
        Ok(found)
    }

    fn present(&self) -> Result<Vec<PathBuf>> {
        let mut paths = vec![];
        for place in &self.places {
            if place.is_file() {
                paths.push(place.clone());
            }
            let Ok(entries) = std::fs::read_dir(place) else { continue };
            paths.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()));
        }
        paths.sort();
        Ok(paths)
    }

    /// Files of somebody else in our places.
    pub fn edited(&self) -> Result<Vec<PathBuf>> {
        let mut edited = vec![];
        for path in self.present()? {
            if state_of(&path)? == State::Edited {
                edited.push(path);
            }
        }
        Ok(edited)
    }

    /// Writes, updates and removes files; whatever was edited stays.
    pub fn write(&self) -> Result<Vec<(PathBuf, Written)>> {
        let mut done = vec![];
        for (path, body) in &self.wanted {
            done.push((path.clone(), write(path, body)?));
        }
        for path in self.present()?.into_iter().filter(|path| !self.wanted.contains_key(path)) {
            let written = match state_of(&path)? {
                State::Ours => {
                    std::fs::remove_file(&path)
                        .with_context(|| format!("cannot remove {}", path.display()))?;
                    Written::Removed
                }
                _ => Written::Kept,
            };
            done.push((path, written));
        }
        for place in self.places.iter().filter(|place| place.is_dir()) {
            // Only an empty folder goes.
            let _ = std::fs::remove_dir(place);
        }
        Ok(done)
    }
}

fn write(path: &Path, body: &str) -> Result<Written> {
    let why = || format!("cannot write {}", path.display());
    let text = marked(body);
    match state_of(path)? {
        State::Edited => return Ok(Written::Kept),
        State::Ours if read(path)?.as_deref() == Some(&text) => return Ok(Written::Same),
        State::Ours | State::Missing => {}
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(why)?;
    }
    std::fs::write(path, text).with_context(why)?;
    Ok(Written::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "#[test]\nfn f() {}\n";

    fn tree(folder: &Path, wanted: &[&str]) -> Tree {
        let mut tree = Tree::default();
        tree.place(folder.join("modules"));
        for name in wanted {
            tree.want(folder.join("modules").join(name), BODY.to_owned());
        }
        tree
    }

    #[test]
    fn a_file_that_an_earlier_version_wrote_is_still_ours() {
        // Written with the hasher of the standard library of Rust 1.95.
        const EARLIER: &str = "// Written by cargo testsmith. Edit it and it is yours: it is only \
                               replaced while this number is right: 3f9aca7d14798fdd\n\
            //! What `cargo testsmith` found in shelf 0.1.0: each of these tests fails, and passes\n\
            //! once what it shows is mended.\n#![allow(clippy::all)]\n\nuse shelf::Shelf;\n\n\
            /// shelf::Shelf::swap_with_last panicked at src/lib.rs:84: attempt to subtract with overflow\n\
            /// A violation: it returns an Option or a Result, does not say that it panics, and panics.\n\
            #[test]\nfn shelf_swap_with_last_panics() {\n    let mut shelf = Shelf::<i32>::default();\n    \
            let _ = shelf.swap_with_last(0);\n}\n";
        assert!(body_of(EARLIER).is_some());
        assert!(body_of(&EARLIER.replace("(0)", "(1)")).is_none());
    }

    #[test]
    fn a_file_is_ours_until_somebody_touches_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("modules/a.rs");
        assert_eq!(state_of(&file).unwrap(), State::Missing);
        assert_eq!(tree(folder.path(), &["a.rs"]).write().unwrap(), [(file.clone(), Written::Yes)]);
        assert_eq!(state_of(&file).unwrap(), State::Ours);
        assert_eq!(
            tree(folder.path(), &["a.rs"]).write().unwrap(),
            [(file.clone(), Written::Same)]
        );
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("{}", "{\n}")).unwrap();
        assert_eq!(state_of(&file).unwrap(), State::Ours, "it was only formatted");
        std::fs::write(&file, format!("{text}// mine")).unwrap();
        assert_eq!(state_of(&file).unwrap(), State::Edited);
        assert_eq!(
            tree(folder.path(), &["a.rs"]).write().unwrap(),
            [(file.clone(), Written::Kept)]
        );
        assert!(std::fs::read_to_string(&file).unwrap().ends_with("// mine"));
    }

    #[test]
    fn what_is_not_wanted_any_more_goes_unless_it_was_edited() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join("modules").join(name);
        tree(folder.path(), &["a.rs", "b.rs"]).write().unwrap();
        std::fs::write(path("c.rs"), "// mine").unwrap();
        let done = tree(folder.path(), &["b.rs"]).write().unwrap();
        let wanted = [
            (path("b.rs"), Written::Same),
            (path("a.rs"), Written::Removed),
            (path("c.rs"), Written::Kept),
        ];
        assert_eq!(done, wanted);
        assert!(!path("a.rs").exists() && path("c.rs").exists());
        std::fs::remove_file(path("c.rs")).unwrap();
        tree(folder.path(), &[]).write().unwrap();
        assert!(!folder.path().join("modules").exists());
    }
}
