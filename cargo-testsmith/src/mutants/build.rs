//! Builds all mutants at once; what does not compile is withdrawn by what the compiler says.
//!
//! The compiler names places, not mutants. Where several come into question all of them go,
//! and once the rest compiles they are brought back in halves (`doubts.rs`), so that only the
//! guilty stay away.

use super::choose::Chosen;
use super::doubts::Doubts;
use super::sources::{File, Sources};
use crate::console::Console;
use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use testsmith_lab::mutants::{CompilerError, MutantBuild, MutantTree};
use testsmith_mutate::{Complaint, Mutant, Suspects, Written};

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
/// So often it is tried to bring mutants back.
const MAX_TRIES: usize = 24;

/// `known` are mutants that do not compile, and in what words.
pub fn build(
    tree: &MutantTree,
    sources: &Sources,
    chosen: &Chosen,
    known: BTreeMap<u32, String>,
    console: &Console,
    interrupt: &AtomicBool,
) -> Result<Built> {
    tree.add_switch()?;
    let withdrawn = known.into_iter().filter(|(mutant, _)| chosen.contains(mutant)).collect();
    let (doubts, rounds) = (Doubts::default(), 0);
    let mut rounds =
        Rounds { tree, sources, chosen, console, interrupt, withdrawn, doubts, rounds };
    rounds.withdraw_until_it_compiles()?;
    rounds.bring_back()?;
    // Tests are compiled for the first time here.
    loop {
        let written = rounds.write(&BTreeSet::new())?;
        match tree.build()? {
            MutantBuild::Built(executables) => {
                return Ok(Built { executables, withdrawn: rounds.withdrawn });
            }
            MutantBuild::Refused(errors) => rounds.withdraw(&errors, &written)?,
        }
    }
}

/// A round writes what is left, compiles it and learns from the errors.
struct Rounds<'b> {
    tree: &'b MutantTree,
    sources: &'b Sources,
    chosen: &'b Chosen,
    console: &'b Console,
    interrupt: &'b AtomicBool,
    withdrawn: BTreeMap<u32, String>,
    doubts: Doubts,
    rounds: usize,
}

/// The texts of a round, by their files.
type Texts<'s> = BTreeMap<&'s Path, (&'s File, Written)>;

impl<'b> Rounds<'b> {
    fn withdraw_until_it_compiles(&mut self) -> Result<()> {
        loop {
            let written = self.write(&BTreeSet::new())?;
            let errors = self.tree.refused()?;
            if errors.is_empty() {
                return Ok(());
            }
            self.withdraw(&errors, &written)?;
        }
    }

    /// Writes the chosen mutants but those that were withdrawn and are not on trial.
    fn write(&self, on_trial: &BTreeSet<u32>) -> Result<Texts<'b>> {
        if self.interrupt.load(Ordering::Acquire) {
            bail!("interrupted");
        }
        let is_wanted = |mutant: &Mutant| {
            let id = &mutant.id;
            self.chosen.contains(id) && (!self.withdrawn.contains_key(id) || on_trial.contains(id))
        };
        let mut written = BTreeMap::new();
        for file in &self.sources.files {
            let text = file.source.write(&is_wanted);
            self.tree.write(Path::new(&file.path), &text.text)?;
            written.insert(Path::new(&file.path), (file, text));
        }
        Ok(written)
    }

    fn withdraw(&mut self, errors: &[CompilerError], written: &Texts) -> Result<()> {
        if self.rounds == MAX_ROUNDS {
            bail!("the copy with mutants still does not compile after {MAX_ROUNDS} rounds");
        }
        if self.rounds == PATIENCE {
            self.check_plain()?;
        }
        let known = self.withdrawn.len();
        let careful = self.rounds >= CAREFUL_ROUNDS;
        let blamed = errors.iter().flat_map(|error| {
            blamed(error, written, careful).into_iter().map(move |(file, all)| (error, file, all))
        });
        let (sure, unsure): (Vec<_>, Vec<_>) = blamed.partition(|(_, _, all)| all.is_sure);
        for (error, file, suspects) in sure.into_iter().chain(unsure) {
            self.take(error, file, suspects);
        }
        if self.withdrawn.len() == known {
            self.withdraw_files(errors);
        }
        if self.withdrawn.len() == known {
            self.check_plain()?;
            let shown: Vec<&str> = errors.iter().take(3).map(|e| e.rendered.as_str()).collect();
            bail!(
                "the copy with mutants does not compile, and no mutant is to blame; this is a \
                 fault of testsmith:\n{}",
                shown.join("\n")
            );
        }
        self.rounds += 1;
        let count = self.withdrawn.len();
        self.console.say(&format!("{count} mutants do not compile and are withdrawn"));
        Ok(())
    }

    fn take(&mut self, error: &CompilerError, file: &File, suspects: Suspects) {
        let mut news = suspects.mutants;
        news.retain(|mutant| !self.withdrawn.contains_key(mutant));
        self.withdrawn.extend(news.iter().map(|mutant| (*mutant, error.text.clone())));
        if !suspects.is_sure {
            self.doubts.add(&file.path, &file.source, &news);
        }
    }

    /// Where errors point to no mutant, all that are left in their files.
    fn withdraw_files(&mut self, errors: &[CompilerError]) {
        for error in errors {
            let names = |path: &str| error.places.iter().any(|p| p.file == Path::new(path));
            for file in self.sources.files.iter().filter(|file| names(&file.path)) {
                let mutants = file.source.mutants.iter().map(|mutant| mutant.id);
                let left = |id: &u32| self.chosen.contains(id) && !self.withdrawn.contains_key(id);
                let mutants: Vec<u32> = mutants.filter(left).collect();
                self.take(error, file, Suspects { mutants, is_sure: false });
            }
        }
    }

    /// Tries which of the doubtful ones compile after all.
    fn bring_back(&mut self) -> Result<()> {
        for _ in 0..MAX_TRIES {
            let on_trial = self.doubts.next();
            if on_trial.is_empty() {
                break;
            }
            self.console.say(&format!("{} of them are tried once more", on_trial.len()));
            let written = self.write(&on_trial)?;
            let errors = self.tree.refused()?;
            let places = errors.iter().map(|error| places_of(error, &written));
            for mutant in self.doubts.learn(&places.collect::<Vec<_>>()) {
                self.withdrawn.remove(&mutant);
            }
        }
        Ok(())
    }

    /// Mutants are not to blame where the package does not compile as it is.
    fn check_plain(&self) -> Result<()> {
        for file in &self.sources.files {
            self.tree.write(Path::new(&file.path), &file.source.text)?;
        }
        self.tree.check()?;
        Ok(())
    }
}

/// Where an error points to: files, and bytes of their sources.
fn places_of(error: &CompilerError, written: &Texts) -> Vec<(String, Range<usize>)> {
    let place = |place: &testsmith_lab::mutants::ErrorPlace| {
        let (file, text) = written.get(place.file.as_path())?;
        Some((file.path.clone(), text.in_source(&place.bytes)))
    };
    error.places.iter().filter_map(place).collect()
}

/// The mutants that an error may be about, file by file.
fn blamed<'s>(
    error: &CompilerError,
    written: &Texts<'s>,
    whole_functions: bool,
) -> Vec<(&'s File, Suspects)> {
    let named: BTreeSet<&Path> = error.places.iter().map(|place| place.file.as_path()).collect();
    let mut found = vec![];
    for (file, text) in named.into_iter().filter_map(|name| written.get(name)) {
        let of = |primary: bool| {
            let places = error.places.iter().filter(|place| place.is_primary == primary);
            let places = places.filter(|place| place.file == Path::new(&file.path));
            places.map(|place| place.bytes.clone()).collect::<Vec<_>>()
        };
        let (primary, others) = (of(true), of(false));
        if whole_functions {
            let places = primary.iter().chain(&others);
            let mutants = places.flat_map(|place| text.mutants_around(place)).collect();
            found.push((*file, Suspects { mutants, is_sure: false }));
            continue;
        }
        let (code, rendered) = (error.code.as_deref(), &error.rendered);
        let complaint = Complaint { code, text: &error.text, rendered, primary, others };
        found.push((*file, file.source.blamed(text, &complaint)));
    }
    found
}
