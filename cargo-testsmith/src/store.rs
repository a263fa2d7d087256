//! `cargo testsmith store`: what earlier runs have left, and stores of other machines.

use crate::Exit;
use crate::args::{Store as Options, StoreAction, Target};
use crate::exit::Usage;
use crate::pipeline::{out_dir, subject_of_tests};
use anyhow::{Result, bail};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use testsmith_store::{Condition, Error, FILE, Store};

pub(crate) fn run(options: &Options) -> Result<Exit> {
    // A closed pipe, as with `| head`, is no failure.
    let mut out = std::io::stdout().lock();
    match &options.action {
        StoreAction::Stats { target } => stats(&open(target)?, &mut out),
        StoreAction::Objects { condition, most, target } => {
            // What is no condition is the user's mistake, whatever is stored.
            let condition = Condition::parse(condition).map_err(|why| Usage(why.to_string()))?;
            objects(&open(target)?, &condition, *most, &mut out)
        }
        StoreAction::Export { target } => export(&open(target)?, &mut out),
        StoreAction::Merge { files, target } => merge(&file(target)?, files, &mut out),
    }
}

fn file(target: &Target) -> Result<PathBuf> {
    Ok(out_dir(target, &subject_of_tests(target)?)?.join(FILE))
}

/// A store that is only looked at.
fn open(target: &Target) -> Result<Store> {
    let file = file(target)?;
    if !file.exists() {
        bail!("there is no {}; a run of cargo testsmith makes it", file.display());
    }
    Ok(Store::open_to_read(&file)?)
}

fn stats(store: &Store, out: &mut impl Write) -> Result<Exit> {
    for krate in store.crates()? {
        let stats = store.stats(&krate)?;
        let rows = [
            ("sequences", stats.sequences),
            ("components", stats.components),
            ("objects", stats.objects),
            ("observations", stats.observations),
            ("transitions", stats.transitions),
            ("contracts", stats.contracts),
            ("of them refuted", stats.refuted),
            ("findings", stats.findings),
        ];
        let _ = writeln!(out, "{krate}");
        for (what, count) in rows {
            let _ = writeln!(out, "  {count:>8} {what}");
        }
        for (ty, count) in &stats.types {
            let _ = writeln!(out, "  {count:>8} objects of {ty}");
        }
    }
    Ok(Exit::Clean)
}

fn objects(store: &Store, wanted: &Condition, most: usize, out: &mut impl Write) -> Result<Exit> {
    let mut found = 0;
    for krate in store.crates()? {
        for object in store.objects(&krate, wanted, most)? {
            found += 1;
            let _ =
                writeln!(out, "{} (step {}): {}", object.ty, object.value.slot, object.identity);
            let _ = writeln!(out, "  {}", object.value.steps);
        }
    }
    if found == 0 {
        eprintln!("no stored object is like that");
    }
    Ok(Exit::Clean)
}

/// One line of JSON for each thing that is stored.
fn export(store: &Store, out: &mut impl Write) -> Result<Exit> {
    for krate in store.crates()? {
        let mut line = |kind: &str, of: serde_json::Value| {
            let _ = writeln!(out, "{}", json!({ "crate": krate, "kind": kind, "is": of }));
        };
        for component in store.components(&krate)? {
            line("component", json!(component));
        }
        let seen = store.seen(&krate)?;
        for object in &seen.objects {
            line("object", json!(object));
        }
        for observation in &seen.observations {
            line("observation", json!(observation));
        }
        for transition in &seen.transitions {
            line("transition", json!(transition));
        }
        for contract in store.contracts(&krate)? {
            line("contract", json!(contract));
        }
        for finding in store.findings(&krate)? {
            line("finding", json!(finding));
        }
    }
    Ok(Exit::Clean)
}

/// Takes other stores in, one after the other; what cannot be read ends it there.
fn merge(into: &std::path::Path, files: &[PathBuf], out: &mut impl Write) -> Result<Exit> {
    if let Some(folder) = into.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let others: Vec<Store> =
        files.iter().map(|file| Store::open_to_read(file)).collect::<Result<_, Error>>()?;
    let mut store = Store::open(into)?;
    for (file, other) in files.iter().zip(&others) {
        let kept = store.merge(other)?;
        let _ = writeln!(
            out,
            "{}: took in {}, and {} had to go",
            file.display(),
            kept.stored,
            kept.dropped
        );
    }
    Ok(Exit::Clean)
}
