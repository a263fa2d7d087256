//! Which crate is under test, and what cargo knows of it.

use crate::{Error, cargo};
use cargo_metadata::{
    DepKindInfo, Dependency, DependencyKind, Metadata, Node, NodeDep, Package as MetaPackage,
    PackageId, Target, TargetKind,
};
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
    /// The edition that its tests are compiled with.
    pub edition: String,
    /// The name of the library as code imports it.
    pub library: String,
    /// The folder of its manifest.
    pub root: PathBuf,
    /// The folder of its library's sources.
    pub sources: PathBuf,
    /// Direct dependencies that a test may name: crate name, package, version.
    pub dependencies: Vec<(String, String, String)>,
    /// All libraries that it depends on directly.
    pub neighbours: Vec<Neighbour>,
    /// Lines of a manifest for everything else that its tests may name.
    pub test_dependencies: String,
    /// The names of its features.
    pub features: Vec<String>,
    /// Folders of all packages that can change under our feet.
    pub local_roots: Vec<PathBuf>,
}

/// A library that the package under test depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its name as its own documentation has it.
    pub library: String,
    /// How cargo is told which package is meant.
    pub spec: String,
    /// Whether the same people keep both in one place.
    pub same_origin: bool,
}

impl Package {
    /// How cargo is told which package is meant, whatever else has its name.
    pub fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

impl Subject {
    /// Finds the package that a folder or manifest stands for, which has to have a
    /// library. Reads only.
    pub fn find(manifest: &Path, package: Option<&str>) -> Result<Subject, Error> {
        Subject::find_if(manifest, package, &|found| library_of(found).map(|_| ()))
    }

    /// The same for any package, be it of binaries alone.
    pub fn find_any(manifest: &Path, package: Option<&str>) -> Result<Subject, Error> {
        Subject::find_if(manifest, package, &|_| Ok(()))
    }

    fn find_if(
        manifest: &Path,
        package: Option<&str>,
        accepts: &dyn Fn(&MetaPackage) -> Result<(), Error>,
    ) -> Result<Subject, Error> {
        let metadata = workspace_of(manifest)?;
        let members = metadata.workspace_packages();
        let known = || members.iter().map(|found| found.name.to_string()).collect();
        let same = |path: &Path| path.canonicalize().ok() == manifest.canonicalize().ok();
        let found = match package {
            Some(name) => match members.iter().find(|found| found.name == name) {
                Some(found) => found,
                None => return Err(Error::NoPackage { name: name.to_owned(), known: known() }),
            },
            None => {
                let here = members.iter().find(|found| same(found.manifest_path.as_std_path()));
                match (here, &members[..]) {
                    (Some(found), _) | (None, [found]) => found,
                    _ => return Err(Error::Ambiguous { known: known() }),
                }
            }
        };
        accepts(found)?;
        let manifest = found.manifest_path.clone().into_std_path_buf();
        Ok(Subject::Path { manifest, name: found.name.to_string() })
    }

    /// The folder of the workspace that the package belongs to, for its lock.
    pub fn workspace_root(&self) -> Option<PathBuf> {
        let Subject::Path { manifest, .. } = self else { return None };
        workspace_of(manifest).ok().map(|found| found.workspace_root.into_std_path_buf())
    }

    pub fn name(&self) -> &str {
        match self {
            Subject::Path { name, .. } | Subject::Published { name, .. } => name,
        }
    }
}

/// The library of a package, or why it has none to test.
fn library_of(package: &MetaPackage) -> Result<&Target, Error> {
    let is_lib = |kind: &TargetKind| {
        use TargetKind::{CDyLib, DyLib, Lib, RLib, StaticLib};
        matches!(kind, Lib | RLib | DyLib | CDyLib | StaticLib)
    };
    let found = package.targets.iter().find(|target| target.kind.iter().any(is_lib));
    found.ok_or_else(|| match package.targets.iter().any(Target::is_proc_macro) {
        true => Error::ProcMacro { name: package.name.to_string() },
        false => Error::NoLibrary { manifest: package.manifest_path.clone().into() },
    })
}

/// What cargo knows of the workspace around a manifest, dependencies left out.
fn workspace_of(manifest: &Path) -> Result<Metadata, Error> {
    let mut command = Command::new("cargo");
    command.args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"]);
    metadata(command.arg(manifest), &manifest.display().to_string())
}

pub(crate) fn metadata(command: &mut Command, what: &str) -> Result<Metadata, Error> {
    let text = cargo::answer(command, what)?;
    cargo_metadata::MetadataCommand::parse(text).map_err(|error| Error::Cargo(error.to_string()))
}

/// Picks the subject out of the resolved graph of the scratch workspace.
pub(crate) fn resolved(subject: &Subject, metadata: &Metadata) -> Result<Package, Error> {
    let is_it = |package: &&MetaPackage| match subject {
        Subject::Path { manifest, .. } => {
            package.manifest_path.as_std_path().canonicalize().ok() == manifest.canonicalize().ok()
        }
        Subject::Published { name, version } => {
            package.name == *name
                && package.source.is_some()
                && version.as_ref().is_none_or(|version| package.version.to_string() == *version)
        }
    };
    let direct = direct_dependencies(metadata);
    let mut found: Vec<&MetaPackage> = metadata.packages.iter().filter(is_it).collect();
    // Two versions of one crate: the one that the scratch package asked for.
    found.sort_by_key(|package| !direct.contains(&&package.id));
    let package = *found
        .first()
        .ok_or_else(|| Error::Cargo(format!("{} is not among the packages", subject.name())))?;
    let target = library_of(package)?;
    let folder = |file: &Path| file.parent().expect("a file lies in a folder").to_owned();
    let root = |package: &MetaPackage| folder(package.manifest_path.as_std_path());
    let dependencies = dependencies_of(package, metadata);
    let local = metadata.packages.iter().filter(|package| package.source.is_none());
    Ok(Package {
        test_dependencies: test_dependencies_of(package, &dependencies),
        name: package.name.to_string(),
        version: package.version.to_string(),
        edition: package.edition.to_string(),
        library: target.name.replace('-', "_"),
        root: root(package),
        sources: folder(target.src_path.as_std_path()),
        dependencies,
        neighbours: neighbours_of(package, metadata),
        features: package.features.keys().cloned().collect(),
        local_roots: local.map(root).collect(),
    })
}

/// A dependency of a package, by the name that its code has for it, as a subject of its
/// own with the features that it is built with there.
pub(crate) fn dependency_called(
    package: &Package,
    name: &str,
    metadata: &Metadata,
) -> Option<(Subject, Features)> {
    let nodes = &metadata.resolve.as_ref()?.nodes;
    let by_id = |id: &PackageId| metadata.packages.iter().find(|found| found.id == *id);
    let manifest = package.root.join("Cargo.toml");
    let is_it = |found: &MetaPackage| found.manifest_path.as_std_path() == manifest;
    let node = nodes.iter().find(|node| by_id(&node.id).is_some_and(is_it))?;
    let normal = |kind: &DepKindInfo| kind.kind == DependencyKind::Normal;
    let dep = node.deps.iter().find(|dep| dep.name == name && dep.dep_kinds.iter().any(normal))?;
    let found = by_id(&dep.pkg)?;
    library_of(found).ok()?;
    let of = found.source.as_ref().filter(|source| source.repr.contains("registry"));
    let subject = match of {
        Some(_) => Subject::Published {
            name: found.name.to_string(),
            version: Some(found.version.to_string()),
        },
        None => Subject::Path {
            manifest: found.manifest_path.clone().into(),
            name: found.name.to_string(),
        },
    };
    let on = nodes.iter().find(|node| node.id == dep.pkg).map(|node| &node.features);
    let named = on.into_iter().flatten().map(ToString::to_string).collect();
    Some((subject, Features { all: false, no_default: true, named }))
}

fn direct_dependencies(metadata: &Metadata) -> Vec<&PackageId> {
    let Some(resolve) = &metadata.resolve else { return vec![] };
    let members = resolve.nodes.iter().filter(|node| metadata.workspace_members.contains(&node.id));
    members.flat_map(|node| node.deps.iter().map(|dep| &dep.pkg)).collect()
}

fn dependencies_of(package: &MetaPackage, metadata: &Metadata) -> Vec<(String, String, String)> {
    let Some(resolve) = &metadata.resolve else { return vec![] };
    let Some(node) = resolve.nodes.iter().find(|node| node.id == package.id) else { return vec![] };
    let normal =
        |dep: &&NodeDep| dep.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal);
    let each = |dep: &NodeDep| {
        let found = metadata.packages.iter().find(|package| package.id == dep.pkg)?;
        // A dependency from elsewhere than a registry would need its source.
        let published =
            found.source.as_ref().is_some_and(|source| source.repr.contains("registry"));
        let usable = published && library_of(found).is_ok() && is_built(package, node, dep);
        usable.then(|| (dep.name.clone(), found.name.to_string(), found.version.to_string()))
    };
    node.deps.iter().filter(normal).filter_map(each).collect()
}

/// All libraries that a package depends on and that are built for it.
fn neighbours_of(package: &MetaPackage, metadata: &Metadata) -> Vec<Neighbour> {
    let Some(resolve) = &metadata.resolve else { return vec![] };
    let Some(node) = resolve.nodes.iter().find(|node| node.id == package.id) else { return vec![] };
    let each = |dep: &NodeDep| {
        let found = metadata.packages.iter().find(|package| package.id == dep.pkg)?;
        let library = library_of(found).ok().filter(|_| is_built(package, node, dep))?;
        let place = |package: &MetaPackage| package.repository.clone();
        Some(Neighbour {
            library: library.name.replace('-', "_"),
            spec: format!("{}@{}", found.name, found.version),
            same_origin: found.source.is_none()
                || place(found).is_some_and(|it| place(package) == Some(it)),
        })
    };
    node.deps.iter().filter_map(each).collect()
}

/// Whether a dependency is built with the features that are on. Cargo lists one that is
/// only named weakly (`name?/feature`) too, which nothing builds.
fn is_built(package: &MetaPackage, node: &Node, dep: &NodeDep) -> bool {
    let name = |declared: &Dependency| declared.rename.as_ref().unwrap_or(&declared.name).clone();
    let mut declared = package.dependencies.iter().filter(|declared| {
        let normal = declared.kind == DependencyKind::Normal;
        normal && name(declared).replace('-', "_") == dep.name
    });
    let on: Vec<&str> = node.features.iter().map(|feature| feature.as_str()).collect();
    declared.any(|one| !one.optional || asks_for(&package.features, &on, &name(one)))
}

/// Whether one of the features that are on switches an optional dependency on.
fn asks_for(features: &BTreeMap<String, Vec<String>>, on: &[&str], name: &str) -> bool {
    let (explicit, through) = (format!("dep:{name}"), format!("{name}/"));
    on.iter().any(|on| {
        let mut wants = features.get(*on).into_iter().flatten();
        *on == name || wants.any(|want| *want == explicit || want.starts_with(&through))
    })
}

/// What the tests of a package may name besides its published dependencies.
fn test_dependencies_of(package: &MetaPackage, known: &[(String, String, String)]) -> String {
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    let usable = |declared: &&Dependency| {
        let plain = !declared.optional && declared.target.is_none();
        plain && declared.kind != DependencyKind::Build && package.name != declared.name
    };
    for declared in package.dependencies.iter().filter(usable) {
        let name = declared.rename.as_ref().unwrap_or(&declared.name);
        if known.iter().any(|(known, _, _)| *known == name.replace('-', "_")) {
            continue;
        }
        let published =
            declared.source.as_ref().is_some_and(|source| source.repr.contains("registry"));
        let origin = match &declared.path {
            Some(path) => format!("path = {:?}", path.as_str()),
            None if published => format!("version = {:?}", declared.req.to_string()),
            // What comes from elsewhere cannot be asked for again; rustc will
            // point at the place where it is missed.
            None => continue,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_that_is_only_named_weakly_is_not_built() {
        let feature = |name: &str, wants: &[&str]| {
            (name.to_owned(), wants.iter().map(|want| (*want).to_owned()).collect())
        };
        let features: BTreeMap<String, Vec<String>> = BTreeMap::from([
            feature("std", &["json?/std", "bytes/std"]),
            feature("text", &["dep:json"]),
        ]);
        assert!(!asks_for(&features, &["std"], "json"));
        assert!(asks_for(&features, &["std"], "bytes"));
        assert!(asks_for(&features, &["std", "text"], "json"));
        assert!(asks_for(&features, &["json"], "json"));
    }
}
