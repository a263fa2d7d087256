//! What the verdicts on mutants depend on, as one text.

use super::MutantTree;
use crate::identity::Identity;
use crate::{Error, cargo};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders nested deeper than this are not the source of anything.
const MAX_DEPTH: usize = 24;

impl MutantTree {
    /// Changes with everything that verdicts depend on: all files of the copy as they were
    /// copied, what lies elsewhere and is compiled too, the toolchain, this command and
    /// `options`. Some files, by their paths in the package, count only by these texts.
    pub fn stamp(&self, texts: &BTreeMap<PathBuf, String>, options: &str) -> Result<String, Error> {
        let mut identity = Identity::default();
        identity.add(format!("{} {:?} {options}", self.spec(), self.features()).as_bytes());
        let rustc = cargo::output(Command::new("rustc").arg("-vV").current_dir(self.package()))?;
        identity.add(&rustc.stdout);
        if let Ok(own) = std::fs::metadata(self.lab().executable()).and_then(|it| it.modified()) {
            identity.add(format!("{own:?}").as_bytes());
        }
        let mut files = vec![];
        list(self.root(), &mut files, 0);
        for path in files {
            let name = path.strip_prefix(self.root()).unwrap_or(&path);
            identity.add(name.to_string_lossy().as_bytes());
            let inside = path.strip_prefix(self.package()).ok();
            match inside.and_then(|inside| texts.get(inside)) {
                Some(text) => identity.add(text.as_bytes()),
                None => identity.add(&std::fs::read(&path).map_err(Error::io(&path))?),
            }
        }
        for root in self.elsewhere() {
            identity.add_sources(root);
        }
        Ok(identity.text())
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && depth < MAX_DEPTH {
            list(&path, files, depth + 1);
        } else if path.is_file() {
            files.push(path);
        }
    }
}
