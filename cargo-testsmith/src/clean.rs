//! `cargo testsmith clean`: removes what runs have left, and nothing else.

use crate::Exit;
use crate::args::Clean;
use crate::emit::{FAILURES, State, state_of};
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
    let tests = folder.join("tests").join(FAILURES);
    match state_of(&tests)? {
        State::Ours => {
            std::fs::remove_file(&tests)
                .with_context(|| format!("cannot remove {}", tests.display()))?;
            println!("removed {}", tests.display());
        }
        State::Edited => println!("kept {}: it was edited", tests.display()),
        State::Missing => {}
    }
    Ok(Exit::Clean)
}
