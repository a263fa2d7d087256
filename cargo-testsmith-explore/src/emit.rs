//! Closed tests, one file per put, in the folder of which the put includes them.
//!
//! `tests/puts/src.list.adding.rs` belongs to the put `adding` in `src/list.rs`.
//! The files are compiled and run before they are kept.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::build::{self, Package, Target};
use crate::options::Options;
use crate::put::Explored;

/// Writes the closed tests of a target's puts, then builds and runs them.
pub fn write(
    options: &Options,
    package: &Package,
    target: &Target,
    explored: &[Explored],
) -> Result<()> {
    let mut written: Vec<(PathBuf, Option<String>)> = vec![];
    let mut files = BTreeSet::new();
    for put in explored {
        let relative = put.description.store.replace(".cases", ".rs");
        if !files.insert(relative.clone()) {
            bail!(
                "two puts of {} are called {}: rename one",
                put.description.file,
                put.description.name
            );
        }
        let path = package.folder.join(&relative);
        let before = std::fs::read_to_string(&path).ok();
        let text = tests(put, options.every_path);
        if before.as_deref() == Some(text.as_str()) {
            continue;
        }
        std::fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        std::fs::write(&path, text).with_context(|| format!("failed to write {relative}"))?;
        if before.is_none() {
            // The attribute looks for the file when it is expanded; a source that seems
            // changed is expanded again.
            touch(package, put)?;
        }
        written.push((path, before));
    }
    if written.is_empty() {
        return Ok(());
    }
    if let Err(output) = build::run_closed_tests(options, package, target) {
        for (path, before) in written {
            match before {
                Some(text) => std::fs::write(path, text)?,
                None => std::fs::remove_file(path)?,
            }
        }
        bail!("the closed tests of {target} do not pass; they were taken back\n{output}");
    }
    Ok(())
}

/// The text of a file of closed tests.
pub fn tests(put: &Explored, every_path: bool) -> String {
    let name = &put.description.name;
    let mut text = format!(
        "// Closed tests of the put `{name}`, one per path. Written by `cargo testsmith explore`;\n\
         // it writes them again when asked to, so change the put instead.\n"
    );
    let attribute = match put.description.expectation.as_str() {
        "panics" => "#[should_panic]\n".to_owned(),
        "panics-with" => format!("#[should_panic(expected = {:?})]\n", put.description.text),
        _ => String::new(),
    };
    let mut calls = BTreeSet::new();
    let (mut passing, mut failing) = (0, 0);
    for path in &put.paths {
        let kept = every_path || path.adds_branches || !path.passes;
        if !kept || path.call.is_empty() || !calls.insert(&path.call) {
            continue;
        }
        let title = if path.passes {
            passing += 1;
            format!("case_{passing}")
        } else {
            failing += 1;
            format!("fails_{failing}")
        };
        let note = match path.passes {
            true => String::new(),
            false => format!("    // {}\n", path.message.replace('\n', " ")),
        };
        let call = &path.call;
        text.push_str(&format!("\n#[test]\n{attribute}fn {title}() {{\n{note}    {call};\n}}\n"));
    }
    text
}

fn touch(package: &Package, put: &Explored) -> Result<()> {
    let relative = PathBuf::from(&put.description.file);
    // `file!()` starts at the root of the workspace, which is some folder above.
    let found =
        package.folder.ancestors().map(|folder| folder.join(&relative)).find(|p| p.is_file());
    if let Some(path) = found {
        File::options().append(true).open(path)?.set_modified(SystemTime::now())?;
    }
    Ok(())
}
