//! The `explore` command.
//!
//! find puts, or write them for functions -> build once (executable and bitcode) ->
//! explore each -> run its inputs natively -> write closed tests -> run them -> report.
//! The interpreter is in `testsmith-symbolic`, cargo and processes are the lab's; here is
//! what is asked of them and what may be said of the answers.

mod climb;
mod closed;
mod crates;
mod function_tests;
mod functions;
mod ladder;
mod native;
mod put;
mod report;
mod settle;
mod solvers;
mod spelled;

pub use put::{Explored, Settled};

use crate::Exit;
use crate::args::Explore;
use crate::console::Console;
use crate::exit::Usage;
use crate::pipeline::{features, open_lab, subject_of_tests};
use anyhow::Result;
use put::Puts;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testsmith_lab::{Subject, TestPackage};
use testsmith_symbolic::ir::Site;

/// Runs the command.
pub fn run(options: &Explore, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let console = Console::new(options.target.quiet, options.format);
    let each = &mut |put: &Explored| report::put(&console, put, options.explain);
    let explored = explore(options, &console, &interrupt, each)?;
    let interrupted = interrupt.load(Ordering::Acquire);
    let exit = exit(options, &explored, interrupted);
    report::summary(&console, &explored, exit);
    if interrupted {
        eprintln!("interrupted: what is left was not explored, nothing more was written");
    }
    Ok(exit)
}

fn exit(options: &Explore, explored: &[Explored], interrupted: bool) -> Exit {
    let documented = |put: &Explored| put.function.as_ref().is_some_and(|f| f.documented);
    let fails = |put: &&Explored| put.settled == Settled::Fails && !documented(put);
    if interrupted {
        Exit::Incomplete
    } else if explored.iter().any(|put| fails(&put)) {
        Exit::Found
    } else if explored.iter().any(|put| put.mismatches > 0) {
        Exit::Incomplete
    } else if options.strict && explored.iter().any(|put| put.settled == Settled::Undecided) {
        Exit::Undecided
    } else {
        Exit::Clean
    }
}

/// Explores what the options name, and returns what was found of each put; `each` is
/// told as soon as there is something to tell.
pub fn explore(
    options: &Explore,
    console: &Console,
    interrupt: &Arc<AtomicBool>,
    each: &mut dyn FnMut(&Explored),
) -> Result<Vec<Explored>> {
    // A solver that is not there is told before anything is built.
    solvers::solvers(options).map_err(|error| Usage(error.to_string()))?;
    if options.all || !options.functions.is_empty() {
        let mut explored = vec![];
        for options in crates::apart(options, console)? {
            explored.extend(ladder::explore(&options, console, interrupt, each)?);
            if interrupt.load(Ordering::Acquire) {
                break;
            }
        }
        return Ok(explored);
    }
    let subject = subject_of_tests(&options.target)?;
    let Subject::Path { manifest, name } = &subject else {
        let why = "a published crate has no puts here: name functions with --fn, or all with --all";
        return Err(Usage(why.to_owned()).into());
    };
    let (lab, _) = open_lab(&options.target, &subject)?;
    let package = TestPackage::read(manifest)?;
    let features = features(&options.target);
    let settings = solvers::settings(options, interrupt);
    let mut explored = vec![];
    for target in package.targets_with_puts() {
        console.say(&format!("building {target} of {name}"));
        let built =
            lab.build_bitcode(&package, &target, &features, &mut |line| console.tell(line))?;
        let mut puts = Puts::open(options, console, interrupt, &lab, &package.folder, built)?;
        let wanted = |module: &String| {
            options.name.as_ref().is_none_or(|name| module.contains(name.as_str()))
        };
        let mut found = vec![];
        for module in puts.modules().into_iter().filter(wanted) {
            let put = puts.explore(&module, &settings, &in_package(&package, &module))?;
            each(&put);
            found.push(put);
            if puts.interrupted() {
                break;
            }
        }
        drop(puts);
        if !options.no_write && !interrupt.load(Ordering::Acquire) {
            closed::write(options, console, &lab, &package, &target, &found)?;
        }
        explored.extend(found);
        if interrupt.load(Ordering::Acquire) {
            return Ok(explored);
        }
    }
    if explored.is_empty() {
        match &options.name {
            Some(asked) => anyhow::bail!("no put of {name} is called {asked}"),
            None => anyhow::bail!("{name} has no put in its library, its binaries or its tests"),
        }
    }
    Ok(explored)
}

/// The functions whose source is in the package, but for what the attribute made.
fn in_package(package: &TestPackage, module: &str) -> impl Fn(&Site) -> bool + use<> {
    let folder = package.folder.to_string_lossy().into_owned();
    let made = format!("{module}::");
    // What only unwinding reaches belongs to no path that is asked for.
    move |site| site.file.starts_with(&folder) && !site.function.starts_with(&made) && !site.cleanup
}
