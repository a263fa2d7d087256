//! One put after the other: explored, replayed natively, settled.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use testsmith_lab::{Built, Lab, check_identity};
use testsmith_solver::Statistics;
use testsmith_symbolic::explore::{Expectation, Settings, explore_sides};
use testsmith_symbolic::ir::{FunctionId, Site};
use testsmith_symbolic::llvm::{Program, library_of};
use testsmith_symbolic::machine::{
    Assumption, Bounds, End, Interpreter, Layout, Place, RunRequest,
};

use super::native::{BRIEF, Description, Native, PATIENCE};
use super::settle::{self, Exhausted};
use super::solvers::solvers;
use crate::args::Explore;
use crate::console::Console;

/// The function of a put that is explored, by the last part of its path.
const ENTRY: &str = "::__testsmith_put";
/// The function that looks at the text of a panic.
const TEXT: &str = "::__testsmith_text";
/// The function of a put that compares what it is with what was asked for.
const IDENTITY: &str = "::__testsmith_identity";
/// Inputs of at most so many bytes are all run natively.
const FEW_BYTES: usize = 2;
/// More inputs of paths that were cut short tell nobody more.
const MAX_CUT: usize = 64;

/// What may be said of a put.
#[derive(Copy, Clone, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// For all inputs within its bounds.
    Holds,
    /// For some input, which was confirmed natively.
    Fails,
    Undecided,
}

/// A path with an input, run natively.
#[derive(Clone, Debug)]
pub struct Path {
    pub input: Vec<u8>,
    pub call: String,
    pub passes: bool,
    pub place: String,
    pub message: String,
    /// Whether the process ends with it.
    pub kills: bool,
    /// Whether the branches of this path are not all on earlier ones.
    pub adds_branches: bool,
    /// The condition in words, one line per decision, when asked for.
    pub explanation: Vec<String>,
    /// Whether it is one more input of a path, for a side of a branch.
    pub further: bool,
}

/// An input whose path was cut short, and what it does natively.
#[derive(Clone, Debug, serde::Serialize)]
pub struct CutShort {
    pub call: String,
    pub why: String,
    pub natively: String,
}

/// What an exploration of a put found.
#[derive(Clone, Debug)]
pub struct Explored {
    pub module: String,
    pub description: Description,
    pub settled: Settled,
    pub paths: Vec<Path>,
    pub rejected: usize,
    /// How many paths were cut short, and the inputs of some.
    pub cut: usize,
    pub cut_short: Vec<CutShort>,
    /// Inputs whose native run was not the predicted one: failures of ours.
    pub mismatches: usize,
    /// How many inputs there are, if all were run natively too.
    pub all_run: Option<usize>,
    /// Branch sides taken, and branch sides there are, in the functions it is about
    /// that were reached.
    pub branches: (usize, usize),
    /// Whether those not taken cannot be, if nothing voids the claim.
    pub sides_are_clear: bool,
    pub voids: Vec<(String, usize)>,
    /// What a claim rests on, with the places that made use of it.
    pub assumptions: Vec<(Assumption, Vec<Place>)>,
    pub steps: u64,
    pub time: Duration,
    pub queries: Statistics,
    /// The function that it was written for, if we wrote it.
    pub function: Option<About>,
}

impl Explored {
    /// Paths that were visited, each with an input.
    pub fn path_count(&self) -> usize {
        self.paths.iter().filter(|path| !path.further).count()
    }
}

/// What is said of a function beside the verdict of its put.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub path: String,
    /// Where its receiver and other values come from, in words.
    pub receivers: String,
    /// Elements per collection and bytes per text, where it takes any.
    pub len: Option<usize>,
    /// Why a larger bound was not decided.
    pub beyond: Option<String>,
    /// Its documentation says that it panics.
    pub documented: bool,
}

/// The puts of one build, ready to be explored.
pub struct Puts<'p> {
    pub options: &'p Explore,
    pub console: &'p Console,
    pub interrupt: &'p Arc<AtomicBool>,
    pub lab: &'p Lab,
    /// Where the executable is run, and what is cut off the names of files.
    pub folder: &'p std::path::Path,
    built: Built,
    interpreter: Interpreter,
}

impl<'p> Puts<'p> {
    pub fn open(
        options: &'p Explore,
        console: &'p Console,
        interrupt: &'p Arc<AtomicBool>,
        lab: &'p Lab,
        folder: &'p std::path::Path,
        built: Built,
    ) -> Result<Puts<'p>> {
        let library = library_of(&lab.sysroot()?)?;
        let parts = [ENTRY, TEXT, IDENTITY];
        let wanted = |name: &str| parts.iter().any(|part| name.ends_with(part));
        let interpreter = Interpreter::new(Program::open(&library, &built.bitcode, &wanted)?);
        Ok(Puts { options, console, interrupt, lab, folder, built, interpreter })
    }

    /// The modules of all puts.
    pub fn modules(&self) -> BTreeSet<String> {
        let entries = self.interpreter.program.find(&|name: &str| name.ends_with(ENTRY));
        entries.into_iter().map(|(_, name)| name.trim_end_matches(ENTRY).to_owned()).collect()
    }

    pub fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Acquire)
    }

    /// Explores one put. `ours` says which functions its branch sides are counted in.
    pub fn explore(
        &mut self,
        module: &str,
        settings: &Settings,
        ours: &dyn Fn(&Site) -> bool,
    ) -> Result<Explored> {
        self.interpreter.forget_terms();
        let native = Native::new(self.lab, &self.built.executable, self.folder, module);
        let description = native.describe()?;
        check_identity(&self.built.executable, &description.identity, &self.built.identity)?;
        self.check_bitcode(module)?;
        let entry = self.function(module, ENTRY).context("the put has an entry")?;
        let mut settings = settings.clone();
        settings.input_len = description.max_bytes;
        settings.text_check = self.function(module, TEXT);
        settings.expectation = match description.expectation.as_str() {
            "panics" => Expectation::Panics,
            "panics-with" => Expectation::PanicsWithText,
            _ => Expectation::Returns,
        };
        let solvers = solvers(self.options)?;
        let interpreter = &mut self.interpreter;
        let found = telling(self.console, module, &mut settings, |settings| {
            explore_sides(interpreter, entry, settings, solvers, ours)
        });
        let inputs: Vec<Vec<u8>> = found.cases.iter().map(|case| case.input.clone()).collect();
        let mut replayed = native.run(&inputs, PATIENCE)?;
        let otherwise = settle::doubt(&native, &found.cases, &mut replayed)?;
        let inputs: Vec<Vec<u8>> =
            found.cut.iter().take(MAX_CUT).map(|cut| cut.input.clone()).collect();
        let mut cut = native.run(&inputs, BRIEF)?;
        settle::doubt_failures(&native, &inputs, &mut cut)?;
        let exhausted = match description.max_bytes {
            1..=FEW_BYTES => {
                let letters = native.every(description.max_bytes)?;
                Some(Exhausted::compare(
                    &self.interpreter,
                    &found,
                    &native,
                    &description,
                    &letters,
                )?)
            }
            _ => None,
        };
        let natively = settle::Natively { replayed, cut, exhausted, otherwise };
        Ok(settle::settle(self, module, description, found, natively, ours))
    }

    pub(super) fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    pub(super) fn interpreter_mut(&mut self) -> &mut Interpreter {
        &mut self.interpreter
    }

    fn function(&self, module: &str, suffix: &str) -> Option<FunctionId> {
        let path = format!("{module}{suffix}");
        self.interpreter.program.find(&|name: &str| name == path).first().map(|(id, _)| *id)
    }

    /// Asks the bitcode what it is, by running the function of the put that knows.
    fn check_bitcode(&mut self, module: &str) -> Result<()> {
        let asked = &self.built.identity;
        let says = match self.function(module, IDENTITY) {
            None => "",
            Some(entry) => {
                let job = RunRequest {
                    entry,
                    input: asked.as_bytes(),
                    script: &[],
                    bounds: &Bounds::default(),
                    text_check: None,
                    symbolic: false,
                    layout: Layout::Ordered,
                    unwind: false,
                    hash_order: &[],
                };
                let same = self.interpreter.run(&job).end == End::Returned;
                if same { asked.as_str() } else { "another" }
            }
        };
        Ok(check_identity(&self.built.bitcode, says, asked)?)
    }
}

/// Does the work, telling now and then how many paths were visited.
fn telling<T>(
    console: &Console,
    module: &str,
    settings: &mut Settings,
    work: impl FnOnce(&Settings) -> T,
) -> T {
    /// How often it is looked whether there is something to tell.
    const GLANCE: Duration = Duration::from_millis(100);
    let visited = Arc::new(AtomicUsize::new(0));
    settings.visited = Arc::clone(&visited);
    let over = AtomicBool::new(false);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                std::thread::sleep(GLANCE);
                let paths = visited.load(Ordering::Relaxed);
                let seconds = begin.elapsed().as_secs();
                if seconds > 0 {
                    console.tell(&format!("exploring {module}, {seconds} s: {paths} paths"));
                }
            }
        });
        let done = work(settings);
        over.store(true, Ordering::Release);
        done
    })
}
