//! One put after the other: explored, replayed, settled.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use testsmith_solver::Statistics;
use testsmith_symbolic::explore::{Case, Expectation, Exploration, Names, describe, explore};
use testsmith_symbolic::llvm::{Program, library_of};
use testsmith_symbolic::machine::{Assumption, End, Engine, Place, Reason};

use crate::build::{self, Built, Package};
use crate::identity;
use crate::options::Options;
use crate::replay::{Description, Fate, Native, Replayed};
use crate::report;

/// The function of a put that is explored, by the last part of its path.
const ENTRY: &str = "::__testsmith_put";
/// The function that looks at the text of a panic.
const TEXT: &str = "::__testsmith_text";

/// What may be said of a put.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
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
    /// Whether the branches of this path are not all on earlier ones.
    pub adds_branches: bool,
    /// The condition in words, one line per decision, when asked for.
    pub explanation: Vec<String>,
}

/// What an exploration of a put found.
#[derive(Clone, Debug)]
pub struct Explored {
    pub module: String,
    pub description: Description,
    pub settled: Settled,
    pub paths: Vec<Path>,
    pub rejected: usize,
    pub cut: usize,
    /// Inputs whose native run was not the predicted one.
    pub mismatches: usize,
    /// Branch sides taken, and branch sides there are, in the functions of the package
    /// that were reached.
    pub branches: (usize, usize),
    pub voids: Vec<(String, usize)>,
    /// What a claim rests on, with the places that made use of it.
    pub assumptions: Vec<(Assumption, Vec<Place>)>,
    pub steps: u64,
    pub time: Duration,
    pub queries: Statistics,
}

/// Explores the puts of a built target.
pub fn explore_target(
    options: &Options,
    package: &Package,
    built: &Built,
) -> Result<Vec<Explored>> {
    let library = library_of(&build::sysroot(package)?)?;
    let parts = [ENTRY, TEXT, identity::ASKED];
    let wanted = |name: &str| parts.iter().any(|part| name.ends_with(part));
    let program = Program::open(&library, &built.bitcode, &wanted)?;
    let modules: BTreeSet<String> = program
        .find(&|name: &str| name.ends_with(ENTRY))
        .into_iter()
        .map(|(_, name)| name.trim_end_matches(ENTRY).to_owned())
        .filter(|module| options.name.as_ref().is_none_or(|name| module.contains(name.as_str())))
        .collect();
    let mut engine = Engine::new(program);
    let mut explored = vec![];
    for module in modules {
        engine.forget_terms();
        let put = explore_put(options, package, built, &mut engine, &module)?;
        if !options.quiet {
            report::put(&put, options.explain);
        }
        explored.push(put);
        if options.interrupted() {
            break;
        }
    }
    Ok(explored)
}

fn explore_put(
    options: &Options,
    package: &Package,
    built: &Built,
    engine: &mut Engine,
    module: &str,
) -> Result<Explored> {
    // Explorations may run side by side, even of the same put with other features.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = package.target_dir.join(format!("replay/{}-{number}", std::process::id()));
    let native = Native::new(&built.executable, &folder, &package.folder, module);
    let description = native.describe()?;
    identity::check(&built.executable, &description.identity, &built.identity)?;
    identity::check_bitcode(engine, &built.bitcode, module, &built.identity)?;
    let function = |engine: &Engine, suffix: &str| {
        let path = format!("{module}{suffix}");
        engine.program.find(&|name: &str| name == path).first().map(|(id, _)| *id)
    };
    let entry = function(engine, ENTRY).context("the put has an entry")?;
    let mut settings = options.settings.clone();
    settings.input_len = description.max_bytes;
    settings.text_check = function(engine, TEXT);
    settings.expectation = match description.expectation.as_str() {
        "panics" => Expectation::Panics,
        "panics-with" => Expectation::PanicsWithText,
        _ => Expectation::Returns,
    };
    let found = explore(engine, entry, &settings, options.solvers()?);
    let inputs: Vec<Vec<u8>> = found.cases.iter().map(|case| case.input.clone()).collect();
    let replayed = native.run(&inputs)?;
    let _ = std::fs::remove_dir_all(&folder);
    Ok(settle(options, package, engine, module, description, found, &replayed))
}

/// Brings the prediction and the native runs together.
fn settle(
    options: &Options,
    package: &Package,
    engine: &mut Engine,
    module: &str,
    description: Description,
    found: Exploration,
    replayed: &[Replayed],
) -> Explored {
    let mut voids: Vec<(String, usize)> =
        found.ledger.voids().map(|(why, count)| (why.to_owned(), count)).collect();
    let mut mismatches = 0;
    let mut seen = BTreeSet::new();
    let mut paths = vec![];
    for (case, native) in found.cases.iter().zip(replayed) {
        if let Some(why) = mismatch(case, native) {
            mismatches += 1;
            voids.push((format!("{}: {why}", native.call), 1));
        }
        let adds_branches = case.covered.iter().any(|side| !seen.contains(side));
        seen.extend(case.covered.iter().copied());
        let explanation = match options.explain {
            true => explain(package, engine, case, native),
            false => vec![],
        };
        paths.push(Path {
            input: case.input.clone(),
            call: native.call.clone(),
            passes: native.fate != Fate::Failed && native.fate != Fate::Died,
            place: native.place.clone(),
            message: native.message.clone(),
            adds_branches,
            explanation,
        });
    }
    let settled = if paths.iter().any(|path| !path.passes) {
        Settled::Fails
    } else if voids.is_empty() {
        Settled::Holds
    } else {
        Settled::Undecided
    };
    let branches = branches(package, engine, module, &found);
    Explored {
        module: module.to_owned(),
        description,
        settled,
        paths,
        rejected: found.rejected,
        cut: found.cut.len(),
        mismatches,
        branches,
        voids,
        assumptions: found
            .ledger
            .assumptions()
            .map(|(assumption, places)| (assumption, places.iter().cloned().collect()))
            .collect(),
        steps: found.steps,
        time: found.time,
        queries: found.queries,
    }
}

/// How the native run differs from the predicted one.
fn mismatch(case: &Case, native: &Replayed) -> Option<String> {
    let native_passes = match native.fate {
        Fate::Passed => true,
        Fate::Failed => false,
        Fate::Rejected => return Some("refused natively, but not when explored".to_owned()),
        Fate::Died if matches!(case.end, End::Crashed(_)) => false,
        Fate::Died => return Some(format!("natively {}", native.message)),
    };
    if native_passes == case.passes {
        return None;
    }
    let says = |passes: bool| if passes { "passes" } else { "fails" };
    Some(format!(
        "{} natively, but {} when explored ({:?})",
        says(native_passes),
        says(case.passes),
        case.end
    ))
}

/// The decisions of a path, with their places and in terms of the parameters.
fn explain(package: &Package, engine: &mut Engine, case: &Case, native: &Replayed) -> Vec<String> {
    let folder = format!("{}/", package.folder.display());
    let names = Names::new(&mut engine.pool, &native.names);
    let mut lines = vec![];
    for decision in &case.decisions {
        let condition = describe(&engine.pool, &names, decision.holds);
        lines.push(match decision.reason {
            Reason::Branch(site, _) => {
                let site = engine.program.site(site);
                // Files of std stand under a folder of the machine that built it.
                let file = site.file.strip_prefix(&folder).unwrap_or(&site.file);
                let file = file.split_once("/library/").map_or(file, |(_, inside)| inside);
                format!("{file}:{}: {condition}", site.line)
            }
            Reason::HashedAlike => format!("hashing: {condition}"),
            _ => format!("address or length: {condition}"),
        });
    }
    lines
}

/// Sides taken and sides there are, in reached functions whose source is in the package.
fn branches(
    package: &Package,
    engine: &Engine,
    module: &str,
    found: &Exploration,
) -> (usize, usize) {
    let folder = package.folder.to_string_lossy().into_owned();
    let own =
        |function: &str| function.starts_with(module) && function[module.len()..].starts_with("::");
    let sites = engine.program.sites();
    let ours = |site: &testsmith_symbolic::ir::Site| {
        // What only unwinding reaches belongs to no path that is asked for.
        site.file.starts_with(&folder) && !own(&site.function) && !site.cleanup
    };
    let reached: BTreeSet<&str> = found
        .covered
        .iter()
        .map(|(site, _)| &sites[site.0 as usize])
        .filter(|site| ours(site))
        .map(|site| site.function.as_str())
        .collect();
    let all = sites.iter().filter(|site| ours(site) && reached.contains(site.function.as_str()));
    let all: u32 = all.map(|site| site.ways).sum();
    let taken = found.covered.iter().filter(|(site, _)| ours(&sites[site.0 as usize])).count();
    (taken, all as usize)
}
