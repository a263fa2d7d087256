//! `cargo testsmith mutants`: which changes of the package its own tests do not notice.
//!
//! ```text
//! copy -> find mutants -> choose -> build, withdrawing what does not compile -> baseline -> trials -> [ kill ] -> report
//! ```
//! One direction. The user's tree is only read.

mod baseline;
mod build;
mod choose;
mod diff;
mod doubts;
mod elements;
mod kept;
mod kill;
mod pool;
mod report;
mod sources;
mod trials;

use crate::Exit;
use crate::args::Mutants;
use crate::console::Console;
use crate::pipeline::{features, open_lab, subject_of_tests};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use testsmith_lab::{Lab, Subject};

pub fn run(options: &Mutants, interrupt: &Arc<AtomicBool>) -> Result<Exit> {
    if cfg!(not(all(target_os = "linux", target_env = "gnu"))) {
        bail!("mutants are judged by processes that fork before `main`, on Linux with glibc only");
    }
    let console = Console::new(options.target.quiet, options.format);
    let subject = subject_of_tests(&options.target)?;
    let (lab, out) = open_lab(&options.target, &subject)?;
    let place = place_of(&lab, &subject, options)?;
    if options.kill.is_some() {
        kill::refuse_edited(&lab, &place.package, options)?;
    }
    console.say(&format!("reading a copy of {}", place.name));
    let tree =
        lab.mutant_tree(&place.workspace, &place.package, &place.name, &features(&options.target))?;
    let sources = sources::find(&tree)?;
    let chosen = choose::choose(&sources, options, &place.package)?;
    if options.list {
        report::list(&sources, &chosen, options);
        return Ok(Exit::Clean);
    }
    if chosen.is_empty() {
        bail!(nothing_chosen(&sources));
    }
    console.say(&format!("building {} mutants", chosen.len()));
    let kept = kept::Kept::load(lab.root(), &tree, &sources, options)?;
    let withdrawn = kept.withdrawn();
    let built = build::build(&tree, &sources, &chosen, withdrawn, &console, interrupt)?;
    let tests = tree.tests(!options.no_sandbox)?;
    let pool = pool::Pool::new(options.jobs, &tests, sources.count() + 1, interrupt);
    let baseline = baseline::run(&tests, &built, &pool, &console, options.kill.is_some())?;
    let before = trials::Before {
        sources: &sources,
        chosen: &chosen,
        built: &built,
        baseline: &baseline,
        kept: &kept,
    };
    let verdicts = trials::run(&before, options, &pool, &console)?;
    kept.save(&sources, &verdicts)?;
    console.clear();
    let report = report::Report::new(&place.name, &sources, &verdicts, &baseline, options);
    elements::write(&out, &sources, &report)?;
    let Some(time) = options.kill else { return report.tell(options) };
    let kill = kill::Kill {
        options,
        time,
        tree: &tree,
        sources: &sources,
        tests: &tests,
        pool: &pool,
        survivors: report.survivors(false),
        in_programs: report.survivors(true).len(),
        interrupt,
    };
    match kill.run() {
        Ok(killed) => {
            let report = report.with(killed);
            elements::write(&out, &sources, &report)?;
            report.tell(options)
        }
        // What was judged is worth telling, whatever became of the rest.
        Err(error) => report.tell(options).and(Err(error)),
    }
}

/// Where the package lies.
struct Located {
    name: String,
    workspace: PathBuf,
    package: PathBuf,
}

fn place_of(lab: &Lab, subject: &Subject, options: &Mutants) -> Result<Located> {
    let name = subject.name().to_owned();
    let Subject::Path { manifest, .. } = subject else {
        let package = lab.prepare(subject, &features(&options.target))?.root;
        return Ok(Located { name, workspace: package.clone(), package });
    };
    let package = manifest.canonicalize()?.parent().map(PathBuf::from).unwrap_or_default();
    let workspace = subject.workspace_root().unwrap_or_else(|| package.clone()).canonicalize()?;
    // A package outside of its workspace's folder is copied alone.
    let inside = package.starts_with(&workspace);
    let workspace = if inside { workspace } else { package.clone() };
    Ok(Located { name, workspace, package })
}

fn nothing_chosen(sources: &sources::Sources) -> String {
    match sources.count() {
        0 => "there is nothing to mutate: no function has a body that is compiled".to_owned(),
        all => format!("none of the {all} mutants is on what was asked for"),
    }
}
