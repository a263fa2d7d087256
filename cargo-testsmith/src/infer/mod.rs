//! `cargo testsmith infer`: what each function needs and promises, as far as it was seen.
//!
//! Told on a screen, as a patch that adds attributes, as tests, or as what changed since
//! another version.

mod against;
mod against_report;
mod assertion;
mod checks;
mod choose;
mod manifest;
mod other;
mod patch;
mod phrase;
mod search;
mod source;
mod told;

use crate::Exit;
use crate::args::{Format, Infer, InferFormat};
use crate::console::Console;
use crate::emit::{LeftOut, Written};
use crate::keep::Keeper;
use crate::pipeline::{Session, out_dir, subject};
use crate::stateful::{contracts, seen};
use anyhow::{Context, Result, bail};
pub(crate) use checks::CONTRACTS;
use checks::Made;
use patch::Patch;
use search::{Opened, learn, try_again, walk};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use testsmith_store::{FILE, Store};
use told::{Told, summary};

pub(crate) fn run(options: &Infer, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    if options.stored {
        return print_stored(options, interrupt);
    }
    if let Some(other) = &options.against {
        return against::run(options, other, interrupt);
    }
    let mut opened = Opened::new(console(options), &options.target, interrupt)?;
    let plan = Arc::clone(&opened.plan);
    let walked = walk(options, &mut opened)?;
    let fit = |op| walked.is_fit(op);
    let (mut learned, failures) = learn(options, &mut opened, &plan, &fit)?;
    if options.patch.is_some() || options.tests {
        try_again(options, &mut opened, &mut learned)?;
    }
    let checked = search::check(options, &opened, &plan, &fit)?;
    let session = &opened.session;
    let mut keeper = Keeper::open(session);
    keeper.put_learned(&seen(&plan, &learned), &contracts(&plan, &learned));
    session.console.clear();
    if let Some(file) = &options.patch {
        let patch = patch::make(options, session, &plan, &learned)?;
        return print_patch(options, session, &patch, file.as_deref());
    }
    if options.tests {
        let made = checks::make(options, session, &plan, &learned)?;
        return Ok(print_tests(session, &made));
    }
    let told = Told::new(&plan, &learned, options.path.as_deref(), checked.as_ref());
    if learned.data.watches.is_empty() {
        eprintln!("{NO_QUERIES}");
    }
    Ok(print(options, &told, &summary(&learned, failures)))
}

const NO_QUERIES: &str = "nothing can be asked of the values of this crate: it has no public field or method with &self \
     that gives a number, a truth value, a text, a collection, an option or a result";

fn print(options: &Infer, told: &Told, summary: &str) -> Exit {
    match options.format {
        InferFormat::Text => print!("{}", told.text(summary)),
        InferFormat::Json => told.print_events(),
        InferFormat::Rust => print!("{}", told.rust()),
    }
    Exit::Clean
}

/// What earlier runs have left; nothing is called.
fn print_stored(options: &Infer, interrupt: Arc<AtomicBool>) -> Result<Exit> {
    let file = out_dir(&options.target, &subject(&options.target)?)?.join(FILE);
    if !file.exists() {
        bail!("there is no {}; `cargo testsmith infer` without --stored makes it", file.display());
    }
    let store = Store::open_to_read(&file)?;
    let session = Session::open_on(console(options), &options.target, interrupt)?;
    let contracts = store.contracts(&session.plan.krate)?;
    let told = Told::stored(&session.plan, contracts, options.path.as_deref());
    session.console.clear();
    if told.is_empty() {
        eprintln!("the store has no contracts of {} like that", session.plan.krate);
    }
    let clauses = told.len();
    let summary = format!("{clauses} clauses that earlier runs have left; nothing was called\n");
    Ok(print(options, &told, &summary))
}

/// Prints the patch, or writes it to a file; what is said of it goes to standard error.
fn print_patch(
    options: &Infer,
    session: &Session,
    patch: &Patch,
    file: Option<&Path>,
) -> Result<Exit> {
    session.console.clear();
    patch.left_out().for_each(|line| eprintln!("{line}"));
    patch.notes.iter().for_each(|line| eprintln!("{line}"));
    let (clauses, of) = patch.size();
    if clauses == 0 {
        eprintln!("there is nothing to add; more calls may show more, and so may --untried");
        return Ok(Exit::Clean);
    }
    let base = patch::base(session, options.target.krate.is_some());
    let text = patch.text(&base);
    match file {
        None => print!("{text}"),
        Some(file) => std::fs::write(file, text)
            .with_context(|| format!("cannot write {}", file.display()))?,
    }
    let place = match &options.target.krate {
        Some(_) => format!("in the sources of {}", session.package.spec()),
        None => format!("in {}", base.display()),
    };
    eprintln!(
        "{clauses} clauses of {of} functions and types; apply it {place} with `git apply` or \
         `patch -p1`"
    );
    Ok(Exit::Clean)
}

/// Says what became of the tests.
fn print_tests(session: &Session, made: &Made) -> Exit {
    session.console.clear();
    for LeftOut { name, why } in &made.left_out {
        println!("left out: {name}: {why}");
    }
    match &made.file {
        Some((file, Written::Kept)) => println!("kept {}: it was edited", file.display()),
        Some((file, Written::Removed)) => println!("removed {}: nothing is left", file.display()),
        Some((file, Written::Yes | Written::Same)) => {
            println!("{} tests in {}", made.tests, file.display());
        }
        None => {
            println!("there is nothing to test; more calls may show more, and so may --untried")
        }
    }
    Exit::Clean
}

/// Tells of progress, but not between what programs read.
fn console(options: &Infer) -> Console {
    let format = match options.format {
        InferFormat::Json => Format::Json,
        InferFormat::Text | InferFormat::Rust => Format::Text,
    };
    Console::new(options.target.quiet || format == Format::Json, format)
}
