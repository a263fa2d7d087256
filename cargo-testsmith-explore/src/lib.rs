//! The `explore` command.
//!
//! find targets with puts -> build each once (executable and bitcode) -> explore
//! every put -> replay each input natively -> write closed tests -> compile and
//! run them -> report. The engine is in `testsmith-symbolic`; what touches
//! cargo, files and processes is here.
#![forbid(unsafe_code)]

mod build;
mod emit;
mod identity;
mod library;
mod options;
mod put;
mod replay;
mod report;
mod robustness;

pub use options::{Options, USAGE};
pub use put::{Explored, Settled};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};

/// Nothing was violated.
pub const CLEAN: u8 = 0;
/// A put fails for some input.
pub const VIOLATED: u8 = 100;
/// Something could not be built, run or written.
pub const INCOMPLETE: u8 = 101;
/// The arguments make no sense.
pub const USAGE_ERROR: u8 = 2;

/// Runs the command with its arguments; returns the exit code. Once `interrupt` is set,
/// it ends with what was found so far.
pub fn run(args: &[String], interrupt: Arc<AtomicBool>) -> u8 {
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{USAGE}");
        return CLEAN;
    }
    let mut options = match Options::parse(args) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("error: {why}\n\n{USAGE}");
            return USAGE_ERROR;
        }
    };
    options.settings.interrupt = interrupt;
    match explore(&options) {
        Ok(explored) => {
            report::summary(&explored);
            if options.interrupted() {
                eprintln!("interrupted: what is left was not explored, nothing more was written");
                return INCOMPLETE;
            }
            exit_code(&explored)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            INCOMPLETE
        }
    }
}

fn exit_code(explored: &[Explored]) -> u8 {
    if explored.iter().any(|put| put.settled == Settled::Fails) {
        VIOLATED
    } else if explored.iter().any(|put| put.mismatches > 0) {
        INCOMPLETE
    } else {
        CLEAN
    }
}

/// Explores the puts that the options name, and returns what was found of each.
pub fn explore(options: &Options) -> Result<Vec<Explored>> {
    if let Some(path) = &options.function {
        return robustness::explore(options, path);
    }
    let package = build::package(options)?;
    let mut explored = vec![];
    for target in build::targets_with_puts(&package)? {
        let built = build::build(options, &package, &target)
            .with_context(|| format!("failed to build {target}"))?;
        let found = put::explore_target(options, &package, &built)?;
        if options.emit && !options.interrupted() {
            emit::write(options, &package, &target, &found)?;
        }
        explored.extend(found);
        if options.interrupted() {
            return Ok(explored);
        }
    }
    if explored.is_empty() {
        match &options.name {
            Some(name) => anyhow::bail!("no put of {} is called {name}", package.name),
            None => anyhow::bail!("{} has no put", package.name),
        }
    }
    Ok(explored)
}
