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
}

impl Sources {
    pub fn count(&self) -> u32 {
        self.files.iter().map(|file| file.source.mutants.len() as u32).sum()
    }

    pub fn mutants(&self) -> impl Iterator<Item = (&File, &Mutant)> {
        self.files.iter().flat_map(|file| file.source.mutants.iter().map(move |m| (file, m)))
    }
}

/// A file that is still to be read.
struct Waiting {
    path: PathBuf,
    module: Vec<String>,
    /// Where its modules lie.
    children: PathBuf,
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
        waiting.push(Waiting { path: entry.file.clone(), module, children });
    }
    let mut first = 1;
    while let Some(Waiting { path, module, children }) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let text = tree.read(&path)?;
        let scope = Scope { module: module.clone(), cfg: &cfg, first };
        let source = scan(&text, &scope).with_context(|| path.display().to_string())?;
        for declared in source.modules.iter().rev() {
            waiting.extend(located(tree, &path, &children, &module, declared));
        }
        first += source.mutants.len() as u32;
        files.push(File { path: path.to_string_lossy().replace('\\', "/"), source });
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
        return exists(&path).then_some(Waiting { path, module: inside, children });
    }
    let name = declared.name.trim_start_matches("r#");
    let children = folder.join(name);
    let candidates = [folder.join(format!("{name}.rs")), children.join("mod.rs")];
    let path = candidates.into_iter().find(exists)?;
    Some(Waiting { path, module: inside, children })
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
