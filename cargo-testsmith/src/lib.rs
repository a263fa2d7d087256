//! The command and the pipeline behind it.
//!
//! ```text
//! discover -> plan -> build harness -> [ propose -> execute -> judge ]* -> shrink -> emit -> report
//! ```
//! One direction. This is the only crate that sees all the others.
#![forbid(unsafe_code)]

pub mod args;
mod clean;
mod emit;
mod exit;
mod explain;
pub mod finding;
mod list;
mod origin;
pub mod pipeline;
mod replay;
mod run;
pub mod stored;

pub use exit::Exit;

use clap::Parser;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cargo runs our own executable in the place of rustc and of rustdoc. Any
/// program that opens a lab has to call this first thing in `main`.
pub fn stand_in_if_asked() {
    let rest = || std::env::args_os().skip(1);
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
    let command = match args::Command::try_parse_from(arguments) {
        Ok(command) => command,
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
            std::process::exit(101);
        }
    });
    let done = match &command.action {
        None => run::run(&command.run, interrupt),
        Some(args::Action::List(options)) => list::run(options, interrupt),
        Some(args::Action::Replay(options)) => replay::run(options, interrupt),
        Some(args::Action::Explore(options)) => {
            Ok(Exit::from(cargo_testsmith_explore::run(&options.args, interrupt)))
        }
        Some(args::Action::Explain(options)) => Ok(explain::run(options)),
        Some(args::Action::Clean(options)) => clean::run(options),
    };
    match done {
        Ok(exit) => exit,
        Err(error) => {
            eprintln!("error: {error:#}");
            Exit::Incomplete
        }
    }
}
