//! Which mutants are wanted: by file, function, operator, lines of a diff, part of several.

use super::diff::{Changes, changes};
use super::sources::{File, Sources};
use crate::args::Mutants;
use crate::config::MutantSkip;
use crate::exit::Usage;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use testsmith_mutate::Mutant;

/// The numbers of those that are wanted.
pub type Chosen = BTreeSet<u32>;

pub fn choose(sources: &Sources, options: &Mutants, package: &Path) -> Result<Chosen> {
    let changes = changed(options, package)?;
    let any = |texts: &[String], in_what: &str| {
        texts.is_empty() || texts.iter().any(|text| in_what.contains(text.as_str()))
    };
    let is_changed = |file: &File, mutant: &Mutant| {
        changes.as_ref().is_none_or(|changes| {
            let path = package.join(&file.path);
            changes.touch(&path, mutant.start.line..=mutant.end.line)
        })
    };
    let wanted = |(file, mutant): &(&File, &Mutant)| {
        skip_of(&options.skip, file, mutant).is_none()
            && any(&options.file, &file.path)
            && any(&options.function, &mutant.function)
            && (options.operator.is_empty()
                || options.operator.iter().any(|o| o == mutant.operator))
            && is_changed(file, mutant)
    };
    let (part, parts) = options.shard.unwrap_or((1, 1));
    let chosen = sources.mutants().filter(wanted).enumerate();
    let chosen = chosen.filter(|(n, _)| n % parts == part - 1);
    Ok(chosen.map(|(_, (_, mutant))| mutant.id).collect())
}

/// What the file of options leaves a mutant out by.
pub fn skip_of<'s>(
    skips: &'s [MutantSkip],
    file: &File,
    mutant: &Mutant,
) -> Option<&'s MutantSkip> {
    skips.iter().find(|skip| {
        mutant.function.contains(&skip.function)
            && file.path.contains(&skip.file)
            && skip.operator.as_ref().is_none_or(|operator| operator == mutant.operator)
    })
}

fn changed(options: &Mutants, package: &Path) -> Result<Option<Changes>> {
    if let Some(file) = &options.in_diff {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Usage(format!("cannot read {}: {error}", file.display())))?;
        return Ok(Some(changes(&text)));
    }
    let Some(revision) = &options.since else { return Ok(None) };
    let mut git = Command::new("git");
    git.args(["diff", "--unified=0", "--no-color", "--no-ext-diff", "--relative"]);
    let done = git.arg(revision).args(["--", "."]).current_dir(package).output();
    let done = done.context("--since needs git")?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(Usage(format!("git does not know what changed since {revision}: {why}")).into());
    }
    Ok(Some(changes(&String::from_utf8_lossy(&done.stdout))))
}
