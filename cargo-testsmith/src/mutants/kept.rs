//! Verdicts of the last run, for functions that did not change since.
//!
//! They are used only if nothing else changed: not a test, a type, a dependency, the toolchain
//! or this command. Then a verdict holds if no test that has to do with it gets into a function
//! that changed. Where one does, the mutant is judged again, by the test first that noticed it.

use super::baseline::Baseline;
use super::sources::{File, Sources};
use super::trials::{Trial, Verdict};
use crate::args::Mutants;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use testsmith_lab::mutants::MutantTree;
use testsmith_mutate::{Mutant, Unit};

const FILE: &str = "mutants-kept.json";

/// What the last run knew, by the mutants of this one.
pub struct Kept {
    file: PathBuf,
    stamp: String,
    /// Of mutants in functions that did not change.
    verdicts: BTreeMap<u32, Verdict>,
    /// Functions that did.
    changed: Vec<Unit>,
}

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    stamp: String,
    functions: Vec<Function>,
}

#[derive(Serialize, Deserialize)]
struct Function {
    file: String,
    body: String,
    mutants: Vec<StoredMutant>,
}

#[derive(Serialize, Deserialize)]
struct StoredMutant {
    /// Bytes of the body.
    start: usize,
    end: usize,
    replacement: String,
    verdict: Verdict,
}

/// How a mutant is to be judged.
pub enum Known {
    /// As it was.
    Verdict(Verdict),
    /// By this test first.
    Killer(usize),
    Nothing,
}

impl Kept {
    /// Reads what the last run of this package left, unless it is not wanted.
    pub fn load(
        folder: &Path,
        tree: &MutantTree,
        sources: &Sources,
        options: &Mutants,
    ) -> Result<Kept> {
        let texts = sources.files.iter().map(|file| {
            let text = file.source.without(&file.source.units());
            (PathBuf::from(&file.path), text)
        });
        let decisive = format!("{:?} {}", options.timeout, options.no_sandbox);
        let stamp = tree.stamp(&texts.collect(), &decisive)?;
        let file = folder.join(FILE);
        let text = std::fs::read(&file).ok().filter(|_| !options.fresh);
        let stored: Option<Stored> = text.and_then(|text| serde_json::from_slice(&text).ok());
        let stored = stored.filter(|stored| stored.stamp == stamp).unwrap_or_default();
        let (mut verdicts, mut changed) = (BTreeMap::new(), vec![]);
        // The same text around them, so the same functions in the same order.
        for (n, (file, unit)) in units(sources).enumerate() {
            let body = &file.source.text[unit.range.clone()];
            let is_same =
                |function: &&Function| function.file == file.path && function.body == body;
            let Some(function) = stored.functions.get(n).filter(is_same) else {
                changed.push(unit);
                continue;
            };
            for mutant in unit.mutants.clone().filter_map(|id| file.source.mutant(id)) {
                let known = function.mutants.iter().find(|stored| stored.is(mutant, &unit));
                verdicts.extend(known.map(|known| (mutant.id, known.verdict.clone())));
            }
        }
        Ok(Kept { file, stamp, verdicts, changed })
    }

    /// Mutants that did not compile, and in what words.
    pub fn withdrawn(&self) -> BTreeMap<u32, String> {
        let why = |(id, verdict): (&u32, &Verdict)| match verdict {
            Verdict::Withdrawn { why } => Some((*id, why.clone())),
            _ => None,
        };
        self.verdicts.iter().filter_map(why).collect()
    }

    /// Which tests get into functions that changed; none if that cannot be said.
    pub fn touched(
        &self,
        baseline: &Baseline,
        is_written: impl Fn(&u32) -> bool,
    ) -> Option<BTreeSet<usize>> {
        let mut touched = BTreeSet::new();
        for unit in &self.changed {
            // Who gets into a function passes its first guard, if there is one.
            if !unit.entry.clone().any(|id| is_written(&id)) {
                return None;
            }
            let tests = baseline.reached.get(&unit.entry.start).into_iter().flatten();
            touched.extend(tests.copied());
        }
        Some(touched)
    }

    /// How a mutant that these tests reach is to be judged.
    pub fn known(
        &self,
        mutant: u32,
        reached_by: &[usize],
        touched: Option<&BTreeSet<usize>>,
        baseline: &Baseline,
    ) -> Known {
        let Some(verdict) = self.verdicts.get(&mutant) else { return Known::Nothing };
        let killer = verdict.killer();
        let killer = killer
            .and_then(|killer| reached_by.iter().find(|test| baseline.name(**test) == killer));
        let is_touched = |test: &usize| touched.is_none_or(|touched| touched.contains(test));
        let holds = match verdict {
            Verdict::Survived => !reached_by.is_empty(),
            Verdict::Unreached => reached_by.is_empty(),
            Verdict::Withdrawn { .. } => false,
            _ => killer.is_some(),
        };
        if holds && !reached_by.iter().any(is_touched) {
            return Known::Verdict(verdict.clone());
        }
        killer.map_or(Known::Nothing, |killer| Known::Killer(*killer))
    }

    /// Writes down what is known now.
    pub fn save(&self, sources: &Sources, trials: &[Trial]) -> Result<()> {
        let judged: BTreeMap<u32, &Verdict> =
            trials.iter().map(|trial| (trial.mutant, &trial.verdict)).collect();
        let function = |(file, unit): (&File, Unit)| {
            let stored = |id: u32| {
                // What was not chosen this time is known from before.
                let verdict = judged.get(&id).copied().or_else(|| self.verdicts.get(&id))?;
                let mutant = file.source.mutant(id)?;
                Some(StoredMutant {
                    start: mutant.range.start - unit.range.start,
                    end: mutant.range.end - unit.range.start,
                    replacement: mutant.replacement.clone(),
                    verdict: verdict.clone(),
                })
            };
            let mutants = unit.mutants.clone().filter_map(stored).collect();
            let body = file.source.text[unit.range.clone()].to_owned();
            Function { file: file.path.clone(), body, mutants }
        };
        let functions = units(sources).map(function).collect();
        let text = serde_json::to_vec(&Stored { stamp: self.stamp.clone(), functions })?;
        std::fs::write(&self.file, text)
            .with_context(|| format!("cannot write {}", self.file.display()))
    }
}

impl StoredMutant {
    fn is(&self, mutant: &Mutant, unit: &Unit) -> bool {
        self.start + unit.range.start == mutant.range.start
            && self.end + unit.range.start == mutant.range.end
            && self.replacement == mutant.replacement
    }
}

fn units(sources: &Sources) -> impl Iterator<Item = (&File, Unit)> {
    sources.files.iter().flat_map(|file| file.source.units().into_iter().map(move |u| (file, u)))
}
