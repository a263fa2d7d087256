//! Builds all mutants at once; what does not compile is withdrawn by what the compiler says.

use super::choose::Chosen;
use super::sources::Sources;
use crate::console::Console;
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use testsmith_lab::mutants::{CompilerError, MutantBuild, MutantTree};
use testsmith_mutate::{Mutant, Written};

/// A build with mutants.
pub struct Built {
    /// Test executables, by the names of their targets.
    pub executables: Vec<(String, PathBuf)>,
    /// Mutants that the compiler refused, and in what words.
    pub withdrawn: BTreeMap<u32, String>,
}

/// Errors hide others: types come before borrows. A package whose mutants take more rounds is
/// one that we misunderstand.
const MAX_ROUNDS: usize = 25;
/// After so many, whole functions go at a time.
const CAREFUL_ROUNDS: usize = 10;

pub fn build(
    tree: &MutantTree,
    sources: &Sources,
    chosen: &Chosen,
    console: &Console,
    interrupt: &AtomicBool,
) -> Result<Built> {
    tree.add_switch()?;
    let mut withdrawn: BTreeMap<u32, String> = BTreeMap::new();
    for round in 0..MAX_ROUNDS {
        if interrupt.load(Ordering::Acquire) {
            bail!("interrupted");
        }
        let is_wanted =
            |mutant: &Mutant| chosen.contains(&mutant.id) && !withdrawn.contains_key(&mutant.id);
        let mut written: BTreeMap<&Path, Written> = BTreeMap::new();
        for file in &sources.files {
            let text = file.source.write(&is_wanted);
            tree.write(Path::new(&file.path), &text.text)?;
            written.insert(Path::new(&file.path), text);
        }
        let errors = match tree.build()? {
            MutantBuild::Built(executables) => return Ok(Built { executables, withdrawn }),
            MutantBuild::Refused(errors) => errors,
        };
        let before = withdrawn.len();
        for error in &errors {
            for mutant in blamed(error, &written, round >= CAREFUL_ROUNDS) {
                withdrawn.entry(mutant).or_insert_with(|| error.text.clone());
            }
        }
        if withdrawn.len() == before {
            let shown: Vec<&str> = errors.iter().take(3).map(|e| e.rendered.as_str()).collect();
            bail!(
                "the copy with mutants does not compile, and no mutant is to blame; this is a \
                 fault of testsmith:\n{}",
                shown.join("\n")
            );
        }
        console.say(&format!("{} mutants do not compile and are withdrawn", withdrawn.len()));
    }
    bail!("the copy with mutants still does not compile after {MAX_ROUNDS} rounds")
}

fn blamed(error: &CompilerError, written: &BTreeMap<&Path, Written>, all: bool) -> Vec<u32> {
    let mut places: BTreeMap<&Path, Vec<Range<usize>>> = BTreeMap::new();
    for (file, bytes) in &error.places {
        places.entry(file).or_default().push(bytes.clone());
    }
    let mut found = vec![];
    for (file, places) in places {
        let Some(text) = written.get(file) else { continue };
        found.extend(text.blamed(&places));
        if all {
            found.extend(places.iter().flat_map(|place| text.mutants_around(place)));
        }
    }
    found
}
