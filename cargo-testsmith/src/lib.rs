//! The command and the pipeline behind it.
//!
//! ```text
//! discover -> plan -> build harness -> [ propose -> execute -> judge ]* -> shrink -> emit -> report
//! ```
//! One direction. This is the only crate that sees all the others.
#![forbid(unsafe_code)]

pub mod args;
mod budget;
mod candidate;
mod clean;
mod config;
pub mod console;
mod emit;
mod exit;
mod explain;
pub mod explore;
pub mod finding;
mod infer;
mod keep;
mod list;
mod locks;
mod mutants;
mod origin;
pub mod pipeline;
mod reach;
mod replay;
mod run;
pub mod selection;
mod stateful;
mod store;
pub mod stored;
mod suite;

pub use exit::Exit;

use clap::{CommandFactory, FromArgMatches};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testsmith_model::message::{CONFINED, SANDBOX_LACKS, STRICTLY, UNWATCHED};

/// Cargo runs our own executable in the place of rustc and of rustdoc, and tests
/// are run through it, since it knows how to lock them up. Any
/// program that opens a lab has to call this first thing in `main`.
pub fn stand_in_if_asked() {
    let rest = || std::env::args_os().skip(1);
    if rest().next().is_some_and(|first| first == STRICTLY) {
        testsmith_sandbox::run_strictly(SANDBOX_LACKS, UNWATCHED, rest().skip(1));
    }
    if rest().next().is_some_and(|first| first == CONFINED) {
        testsmith_sandbox::run_confined(SANDBOX_LACKS, rest().skip(1));
    }
    if std::env::var_os(testsmith_lab::mutants::WRAPPER_VARIABLE).is_some() {
        testsmith_lab::mutants::wrap(rest());
    }
    if std::env::var_os(testsmith_lab::RUSTDOC_VARIABLE).is_some() && is_rustdoc_call() {
        testsmith_lab::stand_in_for_rustdoc(rest());
    }
    if std::env::var_os(testsmith_lab::coverage::WRAPPER_VARIABLE).is_some() {
        testsmith_lab::coverage::wrap(rest());
    }
}

/// Build scripts inherit the variable too, and may run us as themselves: only
/// a call that cargo makes of rustdoc has such arguments.
fn is_rustdoc_call() -> bool {
    let first = std::env::args().nth(1).unwrap_or_default();
    first.starts_with('-') || first.ends_with(".rs")
}

/// Runs the command with the arguments of the process.
pub fn main() -> Exit {
    // As a subcommand of cargo, our own name comes first.
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "testsmith") {
        arguments.remove(1);
    }
    let parsed = args::Command::command().try_get_matches_from(arguments).and_then(|matches| {
        let command = args::Command::from_arg_matches(&matches)?;
        Ok((command, matches))
    });
    let (command, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Clean };
        }
    };
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    // A second Ctrl-C ends us at once; the first lets us tidy up.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::AcqRel) {
            std::process::exit(Exit::Incomplete.code().into());
        }
    });
    match dispatch(command, &matches, interrupt) {
        Ok(exit) => exit,
        Err(error) if error.is::<exit::NothingToDo>() => {
            eprintln!("{error:#}");
            Exit::Clean
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            if error.is::<exit::Usage>() { Exit::Usage } else { Exit::Incomplete }
        }
    }
}

/// Fills in what stands in a file, and does what was asked for.
fn dispatch(
    command: args::Command,
    matches: &clap::ArgMatches,
    interrupt: Arc<AtomicBool>,
) -> anyhow::Result<Exit> {
    let inner = matches.subcommand().map_or(matches, |(_, inner)| inner);
    match command.action {
        None => {
            let mut options = command.run;
            config::for_run(&mut options, matches)?;
            run::run(&options, interrupt)
        }
        Some(args::Action::List(mut options)) => {
            config::for_target(&mut options.target, &mut options.paths, inner)?;
            list::run(&options, interrupt)
        }
        Some(args::Action::Replay(mut options)) => {
            config::for_target(&mut options.target, &mut args::Paths::default(), inner)?;
            replay::run(&options, interrupt)
        }
        Some(args::Action::Explore(mut options)) => {
            config::for_target(&mut options.target, &mut args::Paths::default(), inner)?;
            explore::run(&options, interrupt)
        }
        Some(args::Action::Infer(mut options)) => {
            config::for_target(&mut options.target, &mut args::Paths::default(), inner)?;
            infer::run(&options, interrupt)
        }
        Some(args::Action::Mutants(mut options)) => {
            config::for_mutants(&mut options, inner)?;
            mutants::run(&options, &interrupt)
        }
        Some(args::Action::Reach(mut options)) => {
            config::for_target(&mut options.target, &mut args::Paths::default(), inner)?;
            reach::run(&options, interrupt)
        }
        Some(args::Action::Store(options)) => store::run(&options),
        Some(args::Action::Explain(options)) => Ok(explain::run(&options)),
        Some(args::Action::Clean(options)) => clean::run(&options),
    }
}
