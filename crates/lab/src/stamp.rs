//! What everything built or learned in a lab depends on, as one number.

use crate::package::{Features, Package};
use crate::{Error, Lab, cargo};
use std::path::{Path, PathBuf};
use std::process::Command;
use testsmith_model::wire::Wire;

impl Lab {
    /// What everything built or learned here depends on, as one number.
    pub fn stamp(&self, package: &Package, features: &Features) -> Result<u64, Error> {
        let mut text = vec![];
        format!("{features:?} {} {}", package.spec(), env!("CARGO_PKG_VERSION")).put(&mut text);
        let rustc = cargo::output(Command::new("rustc").arg("-vV").current_dir(self.root()))?;
        text.extend_from_slice(&rustc.stdout);
        text.extend(std::fs::read(self.path("Cargo.lock")).unwrap_or_default());
        text.extend(std::fs::read(self.path("probe/Cargo.toml")).unwrap_or_default());
        // Our own code decides too: what is proposed, and what is linked.
        if let Ok(own) = std::fs::metadata(self.executable()).and_then(|meta| meta.modified()) {
            format!("{own:?}").put(&mut text);
        }
        for root in package.local_roots.iter().filter(|root| !root.starts_with(self.root())) {
            sources_of(root, self.root(), &mut text, 0);
        }
        Ok(hash(&text))
    }
}

/// Reads every source of a package in a fixed order.
fn sources_of(folder: &Path, except: &Path, text: &mut Vec<u8>, depth: usize) {
    const MAX_DEPTH: usize = 16;
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // What we write ourselves after a run must not make the next one plan anew.
        let ours = name.starts_with("testsmith_") && folder.ends_with("tests");
        let foreign = name == "target" || name == "testsmith.out" || name.starts_with('.');
        if ours {
            continue;
        }
        if path.is_dir() {
            if !foreign && !except.starts_with(&path) && depth < MAX_DEPTH {
                sources_of(&path, except, text, depth + 1);
            }
        } else if name.ends_with(".rs") || name == "Cargo.toml" {
            path.display().to_string().put(text);
            text.extend(std::fs::read(&path).unwrap_or_default());
        }
    }
}

pub(crate) fn hash(bytes: &[u8]) -> u64 {
    siphasher::sip::SipHasher13::new().hash(bytes)
}
