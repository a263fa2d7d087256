//! Which crate is under test, and what cargo knows of it.

use crate::{Error, cargo};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the user asked to test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A package on this machine, by its manifest.
    Path { manifest: PathBuf, name: String },
    /// A published crate; the newest version unless one is given.
    Published { name: String, version: Option<String> },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    pub all: bool,
    pub no_default: bool,
    pub named: Vec<String>,
}

/// The package under test as resolved.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// The name of the library as code imports it.
    pub library: String,
    /// The folder of its manifest.
    pub root: PathBuf,
    /// The folder of its library's sources.
    pub sources: PathBuf,
    /// Direct dependencies that a test may name: crate name, package, version.
    pub dependencies: Vec<(String, String, String)>,
    /// Lines of a manifest for everything else that its tests may name.
    pub test_dependencies: String,
    /// The names of its features.
    pub features: Vec<String>,
    /// Folders of all packages that can change under our feet.
    pub local_roots: Vec<PathBuf>,
}

impl Package {
    /// How cargo is told which package is meant, whatever else has its name.
    pub fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

#[derive(Deserialize)]
pub(crate) struct Metadata {
    packages: Vec<MetaPackage>,
    #[serde(default)]
    workspace_members: Vec<String>,
    workspace_root: PathBuf,
    resolve: Option<Resolve>,
}

#[derive(Deserialize)]
struct MetaPackage {
    id: String,
    name: String,
    version: String,
    source: Option<String>,
    manifest_path: PathBuf,
    targets: Vec<MetaTarget>,
    features: BTreeMap<String, serde_json::Value>,
    dependencies: Vec<Declared>,
}

/// A dependency as the manifest has it.
#[derive(Deserialize)]
struct Declared {
    name: String,
    rename: Option<String>,
    req: String,
    kind: Option<String>,
    source: Option<String>,
    path: Option<PathBuf>,
    features: Vec<String>,
    uses_default_features: bool,
    optional: bool,
    target: Option<String>,
}

#[derive(Deserialize)]
struct MetaTarget {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

impl Subject {
    /// Finds the package that a folder or manifest stands for. Reads only.
    pub fn find(manifest: &Path, package: Option<&str>) -> Result<Subject, Error> {
        let mut command = Command::new("cargo");
        command.args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"]);
        let metadata = metadata(command.arg(manifest), &manifest.display().to_string())?;
        let members: Vec<&MetaPackage> = metadata
            .packages
            .iter()
            .filter(|found| metadata.workspace_members.contains(&found.id))
            .collect();
        let known = || members.iter().map(|found| found.name.clone()).collect();
        let same = |path: &Path| path.canonicalize().ok() == manifest.canonicalize().ok();
        let found = match package {
            Some(name) => match members.iter().find(|found| found.name == name) {
                Some(found) => found,
                None => return Err(Error::NoPackage { name: name.to_owned(), known: known() }),
            },
            None => match (members.iter().find(|found| same(&found.manifest_path)), &members[..]) {
                (Some(found), _) | (None, [found]) => found,
                _ => return Err(Error::Ambiguous { known: known() }),
            },
        };
        let manifest = found.manifest_path.clone();
        match library_of(found) {
            Some(_) => Ok(Subject::Path { manifest, name: found.name.clone() }),
            None if is_macro(found) => Err(Error::ProcMacro { name: found.name.clone() }),
            None => Err(Error::NoLibrary { manifest }),
        }
    }

    /// The folder of the workspace that the package belongs to, for its lock.
    pub(crate) fn workspace_root(&self) -> Option<PathBuf> {
        let Subject::Path { manifest, .. } = self else { return None };
        let mut command = Command::new("cargo");
        command.args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"]);
        metadata(command.arg(manifest), "").ok().map(|found| found.workspace_root)
    }

    pub fn name(&self) -> &str {
        match self {
            Subject::Path { name, .. } | Subject::Published { name, .. } => name,
        }
    }
}

fn is_macro(package: &MetaPackage) -> bool {
    package.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "proc-macro"))
}

fn library_of(package: &MetaPackage) -> Option<&MetaTarget> {
    let is_lib =
        |kind: &String| matches!(kind.as_str(), "lib" | "rlib" | "dylib" | "cdylib" | "staticlib");
    package.targets.iter().find(|target| target.kind.iter().any(is_lib))
}

pub(crate) fn metadata(command: &mut Command, what: &str) -> Result<Metadata, Error> {
    let done = cargo::output(command)?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(Error::Resolve { what: what.to_owned(), why });
    }
    serde_json::from_slice(&done.stdout).map_err(|error| Error::Cargo(error.to_string()))
}

/// Picks the subject out of the resolved graph of the scratch workspace.
pub(crate) fn resolved(subject: &Subject, metadata: &Metadata) -> Result<Package, Error> {
    let is_it = |package: &&MetaPackage| match subject {
        Subject::Path { manifest, .. } => {
            package.manifest_path.canonicalize().ok() == manifest.canonicalize().ok()
        }
        Subject::Published { name, version } => {
            package.name == *name
                && package.source.is_some()
                && version.as_ref().is_none_or(|version| package.version == *version)
        }
    };
    let direct = direct_dependencies(metadata);
    let mut found: Vec<&MetaPackage> = metadata.packages.iter().filter(is_it).collect();
    // Two versions of one crate: the one that the scratch package asked for.
    found.sort_by_key(|package| !direct.contains(&package.id));
    let package = *found
        .first()
        .ok_or_else(|| Error::Cargo(format!("{} is not among the packages", subject.name())))?;
    let (library, sources) = match library_of(package) {
        Some(target) => (
            target.name.replace('-', "_"),
            target.src_path.parent().expect("a file lies in a folder").to_owned(),
        ),
        None if is_macro(package) => return Err(Error::ProcMacro { name: package.name.clone() }),
        None => return Err(Error::NoLibrary { manifest: package.manifest_path.clone() }),
    };
    let root = |package: &MetaPackage| {
        package.manifest_path.parent().expect("a manifest lies in a folder").to_owned()
    };
    let dependencies = dependencies_of(package, metadata);
    Ok(Package {
        test_dependencies: test_dependencies_of(package, &dependencies),
        name: package.name.clone(),
        version: package.version.clone(),
        library,
        root: root(package),
        sources,
        dependencies,
        features: package.features.keys().cloned().collect(),
        local_roots: metadata
            .packages
            .iter()
            .filter(|package| package.source.is_none())
            .map(root)
            .collect(),
    })
}

fn direct_dependencies(metadata: &Metadata) -> Vec<String> {
    let Some(resolve) = &metadata.resolve else { return vec![] };
    let members = resolve.nodes.iter().filter(|node| metadata.workspace_members.contains(&node.id));
    members.flat_map(|node| node.deps.iter().map(|dep| dep.pkg.clone())).collect()
}

fn dependencies_of(package: &MetaPackage, metadata: &Metadata) -> Vec<(String, String, String)> {
    let Some(resolve) = &metadata.resolve else { return vec![] };
    let Some(node) = resolve.nodes.iter().find(|node| node.id == package.id) else { return vec![] };
    let normal = |dep: &&Dependency| dep.dep_kinds.iter().any(|kind| kind.kind.is_none());
    let each = |dep: &Dependency| {
        let found = metadata.packages.iter().find(|package| package.id == dep.pkg)?;
        // A dependency from elsewhere than a registry would need its source.
        let published = found.source.as_ref().is_some_and(|source| source.contains("registry"));
        let usable = published && library_of(found).is_some();
        usable.then(|| (dep.name.clone(), found.name.clone(), found.version.clone()))
    };
    node.deps.iter().filter(normal).filter_map(each).collect()
}

/// What the tests of a package may name besides its published dependencies.
fn test_dependencies_of(package: &MetaPackage, known: &[(String, String, String)]) -> String {
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    let usable = |declared: &&Declared| {
        let kind = declared.kind.as_deref();
        let plain = !declared.optional && declared.target.is_none();
        plain && kind != Some("build") && declared.name != package.name
    };
    for declared in package.dependencies.iter().filter(usable) {
        let name = declared.rename.as_ref().unwrap_or(&declared.name);
        if known.iter().any(|(known, _, _)| *known == name.replace('-', "_")) {
            continue;
        }
        let origin = match (&declared.path, &declared.source) {
            (Some(path), _) => format!("path = {:?}", path.display().to_string()),
            (None, Some(source)) if source.contains("registry") => {
                format!("version = {:?}", declared.req)
            }
            // What comes from elsewhere cannot be asked for again; rustc will
            // point at the place where it is missed.
            _ => continue,
        };
        let line = format!(
            "{name} = {{ package = {:?}, {origin}, features = {:?}, default-features = {} }}\n",
            declared.name, declared.features, declared.uses_default_features
        );
        // The section for tests comes last and adds to the one for all.
        lines.insert(name.clone(), line);
    }
    lines.into_values().collect()
}
