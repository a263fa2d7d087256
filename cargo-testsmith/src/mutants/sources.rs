//! The files of a package, found from its targets by the modules that they declare.

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use testsmith_lab::mutants::MutantTree;
use testsmith_mutate::{Cfg, ModuleFile, Mutant, Scope, Source, scan};

/// All mutants of a package, numbered through.
pub struct Sources {
    pub files: Vec<File>,
}

pub struct File {
    /// Inside the package, with `/`.
    pub path: String,
    pub source: Source,
    /// Whether it belongs to a program alone, so that no call of the library gets there.
    pub of_program: bool,
}

impl Sources {
    pub fn count(&self) -> u32 {
        self.files.iter().map(|file| file.source.mutants.len() as u32).sum()
    }

    pub fn mutants(&self) -> impl Iterator<Item = (&File, &Mutant)> {
        self.files.iter().flat_map(|file| file.source.mutants.iter().map(move |m| (file, m)))
    }

    /// One mutant by its number, and its file.
    pub fn mutant(&self, id: u32) -> Option<(&File, &Mutant)> {
        self.files.iter().find_map(|file| Some((file, file.source.mutant(id)?)))
    }

    /// The number of the guard that a mutant stands behind.
    pub fn place_of(&self, id: u32) -> u32 {
        self.mutant(id).map_or(id, |(file, _)| file.source.place_of(id))
    }
}

/// A file that is still to be read.
struct Waiting {
    path: PathBuf,
    module: Vec<String>,
    /// Where its modules lie.
    children: PathBuf,
    of_program: bool,
}

/// Reads and scans the library and the binaries.
pub fn find(tree: &MutantTree) -> Result<Sources> {
    let cfg = Cfg::new(tree.cfgs.iter().cloned());
    let mut seen = BTreeSet::new();
    let mut files: Vec<File> = vec![];
    let mut waiting = vec![];
    for entry in tree.entries.iter().rev() {
        let children = entry.file.parent().map(PathBuf::from).unwrap_or_default();
        let module = entry.binary.iter().cloned().collect();
        let of_program = entry.binary.is_some();
        waiting.push(Waiting { path: entry.file.clone(), module, children, of_program });
    }
    let mut first = 1;
    while let Some(Waiting { path, module, children, of_program }) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let text = tree.read(&path)?;
        let scope = Scope { module: module.clone(), cfg: &cfg, first };
        let source = scan(&text, &scope).with_context(|| path.display().to_string())?;
        for declared in source.modules.iter().rev() {
            let found = located(tree, &path, &children, &module, declared);
            waiting.extend(found.map(|found| Waiting { of_program, ..found }));
        }
        first += source.mutants.len() as u32;
        let path = path.to_string_lossy().replace('\\', "/");
        files.push(File { path, source, of_program });
    }
    Ok(Sources { files })
}

/// The file of a module; none where the compiler finds one that we do not.
fn located(
    tree: &MutantTree,
    file: &Path,
    children: &Path,
    module: &[String],
    declared: &ModuleFile,
) -> Option<Waiting> {
    let mut inside = module.to_vec();
    inside.extend(declared.inside.iter().cloned());
    inside.push(declared.name.clone());
    let mut folder = children.to_owned();
    folder.extend(&declared.inside);
    let exists = |path: &PathBuf| tree.package().join(path).is_file();
    if let Some(path) = &declared.path {
        // Beside the file, unless modules stand around it.
        let from = if declared.inside.is_empty() { file.parent()? } else { &folder };
        let path = normal(&from.join(path));
        let children = path.parent()?.to_owned();
        let of_program = false;
        return exists(&path).then_some(Waiting { path, module: inside, children, of_program });
    }
    let name = declared.name.trim_start_matches("r#");
    let children = folder.join(name);
    let candidates = [folder.join(format!("{name}.rs")), children.join("mod.rs")];
    let path = candidates.into_iter().find(exists)?;
    Some(Waiting { path, module: inside, children, of_program: false })
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(normal.pop()),
            std::path::Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}
