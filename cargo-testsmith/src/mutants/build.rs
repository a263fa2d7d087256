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
/// After so many, it is seen whether the package compiles without mutants.
const PATIENCE: usize = 3;
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
        if round == PATIENCE {
            check_plain(tree, sources)?;
        }
        let mut found = by_errors(&errors, &written, round >= CAREFUL_ROUNDS);
        if found.is_empty() {
            found = by_files(&errors, sources, &is_wanted);
        }
        if found.is_empty() {
            check_plain(tree, sources)?;
            let shown: Vec<&str> = errors.iter().take(3).map(|e| e.rendered.as_str()).collect();
            bail!(
                "the copy with mutants does not compile, and no mutant is to blame; this is a \
                 fault of testsmith:\n{}",
                shown.join("\n")
            );
        }
        withdrawn.extend(found);
        console.say(&format!("{} mutants do not compile and are withdrawn", withdrawn.len()));
    }
    bail!("the copy with mutants still does not compile after {MAX_ROUNDS} rounds")
}

/// Mutants are not to blame where the package does not compile as it is.
fn check_plain(tree: &MutantTree, sources: &Sources) -> Result<()> {
    for file in &sources.files {
        tree.write(Path::new(&file.path), &file.source.text)?;
    }
    tree.check()?;
    Ok(())
}

/// The mutants that errors point to, each with the words of the first.
fn by_errors(
    errors: &[CompilerError],
    written: &BTreeMap<&Path, Written>,
    whole_functions: bool,
) -> BTreeMap<u32, String> {
    let mut found = BTreeMap::new();
    for error in errors {
        for mutant in blamed(error, written, whole_functions) {
            found.entry(mutant).or_insert_with(|| error.text.clone());
        }
    }
    found
}

/// Where errors point to no mutant, all that are left in their files.
fn by_files(
    errors: &[CompilerError],
    sources: &Sources,
    is_wanted: &dyn Fn(&Mutant) -> bool,
) -> BTreeMap<u32, String> {
    let mut found = BTreeMap::new();
    for error in errors {
        let names = |path: &str| error.places.iter().any(|(file, _)| file == Path::new(path));
        for file in sources.files.iter().filter(|file| names(&file.path)) {
            let left = file.source.mutants.iter().filter(|mutant| is_wanted(mutant));
            found.extend(left.map(|mutant| (mutant.id, error.text.clone())));
        }
    }
    found
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
