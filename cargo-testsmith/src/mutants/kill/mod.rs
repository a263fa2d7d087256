//! `--kill`: tests for the mutants that the user's own tests do not notice.
//!
//! ```text
//! plan on the original -> harness on the copy -> search -> witnesses -> choose -> check -> write
//! ```
//! A test is written only if it was seen to pass on the original and to fail on a mutant, both
//! by running it.

mod check;
mod choose;
mod killer;
mod report;
mod search;
mod vary;
mod witness;

use super::pool::Pool;
use super::sources::Sources;
use crate::args::Mutants;
use crate::budget::Budget;
use crate::console::Console;
use crate::emit::{LeftOut, MUTANTS, TestSource, Tree, Written};
use crate::exit::Usage;
use crate::pipeline::{Session, features};
use anyhow::Result;
use check::{Checked, Processes};
use choose::choose;
use search::{Hunt, Hunted};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testsmith_lab::mutants::{MutantTree, Tests};
use testsmith_lab::{Lab, Package, Profile, Supervisor};

/// What became of the mutants that were hunted.
#[derive(Default)]
pub struct Killed {
    pub fates: BTreeMap<u32, Fate>,
    /// The tests that were written, with the mutants that each was seen to fail on.
    pub tests: Vec<(String, BTreeSet<u32>)>,
    pub files: Vec<(PathBuf, Written)>,
    pub left_out: Vec<LeftOut>,
    /// Sequences that were judged with, and runs with a mutant on.
    pub sequences: u64,
    pub runs: u64,
    /// What the processor spent on these runs.
    pub judging: Duration,
    /// What it took to see the written tests fail.
    pub processes: Processes,
    pub interrupted: bool,
    /// Survivors that were not hunted, because they are in programs.
    pub in_programs: usize,
}

/// What became of one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// This test fails on it.
    Killed { test: String, tried: u64 },
    /// So many runs reached it, and none was told from the original by a test.
    Alive { tried: u64 },
}

/// All that the hunt takes from the judgement before it.
pub struct Kill<'k> {
    pub options: &'k Mutants,
    pub time: Duration,
    pub tree: &'k MutantTree,
    pub sources: &'k Sources,
    pub tests: &'k Tests,
    pub pool: &'k Pool<'k>,
    /// The mutants that nothing notices so far.
    pub survivors: Vec<u32>,
    /// How many more there are in programs, which no call of the library reaches.
    pub in_programs: usize,
    pub interrupt: &'k Arc<AtomicBool>,
}

impl Kill<'_> {
    pub fn run(&self) -> Result<Killed> {
        if self.survivors.is_empty() {
            return Ok(Killed { in_programs: self.in_programs, ..Killed::default() });
        }
        let options = self.options;
        let console = Console::new(options.target.quiet, options.format);
        let mut session = Session::open_on(console, &options.target, Arc::clone(self.interrupt))?;
        let file = file_of(&session.lab, &session.package.root, options);
        let around = self.tree.mutant_lab(&session.lab, &features(&options.target))?;
        let harness = session.build_in(&around.lab, &around.package, Profile::Unoptimised)?;
        let budget = Budget::Time(self.time);
        let supervisor = session.supervise(&harness, budget.limits())?;
        let checker = session.another(&harness, budget.limits())?;
        let hunted = self.hunt(&session, supervisor, checker)?;
        // What was found before Ctrl-C is still written down; one more ends that too.
        let interrupted = self.interrupt.swap(false, Ordering::AcqRel);
        let until = Instant::now() + budget.finish();
        let observer = session.another(&harness, budget.limits())?;
        let mut killed = self.write(&session, hunted, observer, (&around.package, &file), until)?;
        killed.interrupted = interrupted || self.interrupt.load(Ordering::Acquire);
        session.console.clear();
        Ok(killed)
    }

    fn hunt(&self, session: &Session, hunter: Supervisor, checker: Supervisor) -> Result<Hunted> {
        let places = self.survivors.iter().map(|id| (*id, self.sources.place_of(*id))).collect();
        let numbers = self.sources.count() + 1;
        session
            .console
            .say(&format!("looking for calls that tell {} mutants", self.survivors.len()));
        let until = Instant::now() + self.time;
        let mut hunt = Hunt::new(session, hunter, checker, places, numbers);
        hunt.run(until, self.interrupt)?;
        Ok(hunt.finish())
    }

    /// From witnesses to a file that was seen to do what it should.
    fn write(
        &self,
        session: &Session,
        hunted: Hunted,
        observer: Supervisor,
        (package, file): (&Package, &Path),
        until: Instant,
    ) -> Result<Killed> {
        let mut killed = Killed {
            sequences: hunted.sequences,
            runs: hunted.tried.values().sum(),
            judging: Duration::from_nanos(hunted.judging_ns),
            in_programs: self.in_programs,
            ..Killed::default()
        };
        let mut tree = Tree::default();
        tree.place(file.to_owned());
        let earlier = tree.existing()?.remove(file);
        let taken = earlier.as_deref().and_then(|text| TestSource::read(text).ok());
        let taken = taken.map(|source| source.tests.into_iter().map(|test| test.name).collect());
        let chosen =
            choose(session, package, self.sources, &hunted, observer, taken.unwrap_or_default())?;
        let checked = check::check(self, session, chosen, earlier.as_deref(), Some(until))?;
        let Checked { killers, text, left_out, processes } = checked;
        (killed.left_out, killed.processes) = (left_out, processes);
        if let Some(text) = text {
            tree.want(file.to_owned(), text);
            killed.files = tree.write()?;
        }
        for killer in &killers {
            killed.tests.push((killer.name().to_owned(), killer.kills.clone()));
        }
        for mutant in &self.survivors {
            let by = killers.iter().find(|killer| killer.kills.contains(mutant));
            let tried = hunted.tried.get(mutant).copied().unwrap_or(0);
            let fate = match by {
                Some(killer) => Fate::Killed { test: killer.path(), tried },
                None => Fate::Alive { tried },
            };
            killed.fates.insert(*mutant, fate);
        }
        Ok(killed)
    }
}

/// The file that tests are written to.
fn file_of(lab: &Lab, package: &Path, options: &Mutants) -> PathBuf {
    let folder = if options.target.krate.is_some() { lab.root() } else { package };
    folder.join("tests").join(MUTANTS)
}

/// A file that somebody edited is never replaced, so nothing is looked for that would stand in
/// it.
pub fn refuse_edited(lab: &Lab, package: &Path, options: &Mutants) -> Result<()> {
    let file = file_of(lab, package, options);
    let mut tree = Tree::default();
    tree.place(file.clone());
    match tree.edited()?.is_empty() {
        true => Ok(()),
        false => Err(Usage(format!(
            "{} was edited, so it is yours and stays as it is; give it another name, and --kill \
             writes a new one",
            file.display()
        ))
        .into()),
    }
}
