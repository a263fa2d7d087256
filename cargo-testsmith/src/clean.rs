//! `cargo testsmith clean`: removes what runs have left, and nothing else.

use crate::Exit;
use crate::args::Clean;
use crate::emit::{FAILURES, MUTANTS, REGRESSION_MODULES, REGRESSIONS, Tree, Written};
use crate::infer::CONTRACTS;
use anyhow::{Context, Result};
use std::path::PathBuf;

pub fn run(options: &Clean) -> Result<Exit> {
    let manifest = options.manifest_path.clone().unwrap_or_else(|| PathBuf::from("Cargo.toml"));
    let folder = match manifest.parent() {
        Some(parent) if manifest.is_file() || !manifest.is_dir() => parent.to_owned(),
        _ => manifest.clone(),
    };
    let out = folder.join("testsmith.out");
    if out.join(".gitignore").exists() {
        std::fs::remove_dir_all(&out)
            .with_context(|| format!("cannot remove {}", out.display()))?;
        println!("removed {}", out.display());
    }
    let mut tree = Tree::default();
    for place in [FAILURES, REGRESSIONS, REGRESSION_MODULES, CONTRACTS, MUTANTS] {
        tree.place(folder.join("tests").join(place));
    }
    for (path, written) in tree.write()? {
        match written {
            Written::Removed => println!("removed {}", path.display()),
            _ => println!("kept {}: it was edited", path.display()),
        }
    }
    Ok(Exit::Clean)
}
