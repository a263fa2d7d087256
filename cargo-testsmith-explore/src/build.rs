//! Packages, targets, and one build of each with its bitcode.
//!
//! The build has a folder of its own, because its profile is: unoptimised, so
//! that the branches of the source are there, and linked as one module, so that
//! the bodies of std and of the dependencies are there too.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::identity::{self, Identity};
use crate::library;
use crate::options::Options;

/// A package of the user.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    pub folder: PathBuf,
    pub manifest: PathBuf,
    pub target_dir: PathBuf,
    targets: Vec<(Target, PathBuf)>,
    /// The name of its library in Rust.
    krate: String,
    /// How it depends on the `testsmith` library, if it does.
    pub testsmith: Option<String>,
    lock: Rc<Lock>,
    /// The folders of all packages that can change under our feet.
    local_folders: Vec<PathBuf>,
}

impl Package {
    /// The library's name and the file it starts with.
    pub fn library(&self) -> Option<(&str, &Path)> {
        let library = self.targets.iter().find(|(target, _)| *target == Target::Library);
        library.map(|(_, file)| (self.krate.as_str(), file.as_path()))
    }

    /// Where the versions of its dependencies are locked.
    pub fn lock(&self) -> &Path {
        &self.lock.path
    }
}

/// The lock file of the user's workspace. Cargo makes one where there is none; it is
/// taken away again with the last that knows of the package.
#[derive(Debug)]
struct Lock {
    path: PathBuf,
    was_there: bool,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if !self.was_there {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// What cargo builds as one executable of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Library,
    Test(String),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Library => write!(f, "the unit tests"),
            Target::Test(name) => write!(f, "the test {name}"),
        }
    }
}

impl Target {
    /// The arguments that select it.
    pub fn args(&self) -> Vec<String> {
        match self {
            Target::Library => vec!["--lib".to_owned()],
            Target::Test(name) => vec!["--test".to_owned(), name.clone()],
        }
    }
}

/// A built target.
#[derive(Clone, Debug)]
pub struct Built {
    pub executable: PathBuf,
    pub bitcode: PathBuf,
    /// What both of them have to say they are.
    pub identity: String,
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The package that the options name.
pub fn package(options: &Options) -> Result<Package> {
    let mut command = cargo();
    command.args(["metadata", "--format-version=1"]);
    if let Some(manifest) = &options.manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    // Before cargo makes one.
    let lock = Rc::new(lock(options)?);
    let output = command.stderr(Stdio::inherit()).output().context("failed to start cargo")?;
    if !output.status.success() {
        bail!("cargo metadata failed");
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists packages")?;
    let members: Vec<&str> = metadata["workspace_members"]
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let local =
        packages.iter().filter(|p| p["id"].as_str().is_some_and(|id| members.contains(&id)));
    let local: Vec<&Value> = local.collect();
    let found = choose(&local, options)?;
    let manifest = path(&found["manifest_path"]);
    Ok(Package {
        name: text(&found["name"]),
        folder: manifest.parent().context("a manifest has a folder")?.to_owned(),
        manifest: manifest.clone(),
        target_dir: path(&metadata["target_directory"]).join("testsmith"),
        targets: targets(found),
        krate: library_name(found),
        testsmith: library::dependency_among(packages),
        lock,
        local_folders: local_folders(packages),
    })
}

fn local_folders(packages: &[Value]) -> Vec<PathBuf> {
    let local = packages.iter().filter(|package| package["source"].is_null());
    let folder = |package: &Value| Some(path(&package["manifest_path"]).parent()?.to_owned());
    local.filter_map(folder).collect()
}

fn lock(options: &Options) -> Result<Lock> {
    let mut command = cargo();
    command.args(["locate-project", "--workspace", "--message-format=plain"]);
    if let Some(manifest) = &options.manifest {
        command.arg("--manifest-path").arg(manifest);
    }
    let output = command.stderr(Stdio::inherit()).output().context("failed to start cargo")?;
    if !output.status.success() {
        bail!("cargo finds no package here");
    }
    let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let path = root.with_file_name("Cargo.lock");
    // In doubt it was there: nothing of the user's is ever taken away.
    let was_there = path.try_exists().unwrap_or(true);
    Ok(Lock { path, was_there })
}

fn choose<'a>(local: &[&'a Value], options: &Options) -> Result<&'a Value> {
    if let Some(name) = &options.package {
        let found = local.iter().find(|package| package["name"] == name.as_str());
        return found.copied().with_context(|| format!("the workspace has no package {name}"));
    }
    let here = match &options.manifest {
        Some(manifest) => manifest.canonicalize()?,
        None => std::env::current_dir()?.join("Cargo.toml"),
    };
    if let Some(package) = local.iter().find(|package| path(&package["manifest_path"]) == here) {
        return Ok(package);
    }
    match local {
        [only] => Ok(only),
        _ => bail!("the workspace has several packages: name one with --package"),
    }
}

fn targets(package: &Value) -> Vec<(Target, PathBuf)> {
    let list = package["targets"].as_array().cloned().unwrap_or_default();
    let target = |target: &Value| {
        let kinds = target["kind"].as_array()?.clone();
        let is = |kind: &str| kinds.iter().any(|k| k == kind);
        let path = path(&target["src_path"]);
        if is("test") {
            Some((Target::Test(text(&target["name"])), path))
        } else if is("lib") || is("rlib") {
            Some((Target::Library, path))
        } else {
            None
        }
    };
    list.iter().filter_map(target).collect()
}

fn library_name(package: &Value) -> String {
    let targets = package["targets"].as_array().cloned().unwrap_or_default();
    let is_library = |target: &&Value| {
        let kinds = target["kind"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib" || kind == "rlib"))
    };
    let name = targets.iter().find(is_library).map(|target| text(&target["name"]));
    name.unwrap_or_default().replace('-', "_")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn path(value: &Value) -> PathBuf {
    PathBuf::from(value.as_str().unwrap_or_default())
}

/// The targets in whose sources the attribute occurs.
pub fn targets_with_puts(package: &Package) -> Result<Vec<Target>> {
    let mut found = vec![];
    for (target, source) in &package.targets {
        let has = match target {
            Target::Library => {
                let folder = source.parent().context("a source has a folder")?;
                any_source(folder, &mentions_put)?
            }
            // What a test includes lies in a folder beside it, by convention of its name.
            Target::Test(_) => {
                mentions_put(source) || any_source(&source.with_extension(""), &mentions_put)?
            }
        };
        if has {
            found.push(target.clone());
        }
    }
    Ok(found)
}

fn mentions_put(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    ["#[put]", "#[put(", "testsmith::put]", "testsmith::put("]
        .iter()
        .any(|form| text.contains(form))
}

fn any_source(folder: &Path, accepts: &dyn Fn(&Path) -> bool) -> Result<bool> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(false) };
    for entry in entries {
        let path = entry?.path();
        let rust = path.extension().is_some_and(|extension| extension == "rs");
        if path.is_dir() && any_source(&path, accepts)? || rust && accepts(&path) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Everything that the build of a target depends on, as one number.
fn identity(options: &Options, package: &Package, target: &Target) -> Result<String> {
    let mut identity = Identity::default();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let rustc = Command::new(rustc).arg("-vV").current_dir(&package.folder).output();
    identity.add(&rustc.context("failed to start rustc")?.stdout);
    identity.add(env!("CARGO_PKG_VERSION").as_bytes());
    let asked = (&package.manifest, target.args(), &options.features);
    identity.add(format!("{asked:?}").as_bytes());
    identity.add(&std::fs::read(package.lock()).unwrap_or_default());
    for folder in &package.local_folders {
        identity.add_sources(folder);
    }
    Ok(identity.text())
}

/// Builds a target with its bitcode.
pub fn build(options: &Options, package: &Package, target: &Target) -> Result<Built> {
    let identity = identity(options, package, target)?;
    let mut command = cargo();
    command.env(identity::VARIABLE, &identity);
    command.arg("rustc").arg("--manifest-path").arg(&package.manifest).args(target.args());
    command.args(["--profile", "test", "--message-format=json-render-diagnostics", "--quiet"]);
    command.arg("--target-dir").arg(&package.target_dir);
    if let Some(features) = &options.features {
        command.args(["--features", features]);
    }
    for profile in ["dev", "test"] {
        for setting in [
            "lto=\"fat\"",
            "opt-level=0",
            "codegen-units=1",
            "debug=1",
            "debug-assertions=true",
            "overflow-checks=true",
            "incremental=false",
        ] {
            command.arg("--config").arg(format!("profile.{profile}.{setting}"));
        }
    }
    command.args(["--", "--emit=llvm-bc,link", "-Cno-vectorize-loops", "-Cno-vectorize-slp"]);
    let output = command.stderr(Stdio::inherit()).output().context("failed to start cargo")?;
    if !output.status.success() {
        bail!("cargo could not build it");
    }
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back()
        .context("cargo built no executable")?;
    let bitcode = executable.with_extension("bc");
    if !bitcode.is_file() {
        bail!("rustc wrote no bitcode beside {}", executable.display());
    }
    Ok(Built { executable, bitcode, identity })
}

/// The folder of the rustc in use.
pub fn sysroot(package: &Package) -> Result<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "sysroot"])
        .current_dir(&package.folder)
        .output()
        .context("failed to start rustc")?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Builds and runs the closed tests of a target; the output of cargo if that fails.
pub fn run_closed_tests(
    options: &Options,
    package: &Package,
    target: &Target,
) -> Result<(), String> {
    let mut command = cargo();
    command.arg("test").arg("--manifest-path").arg(&package.manifest).args(target.args());
    command.args(["--quiet"]);
    if let Some(features) = &options.features {
        command.args(["--features", features]);
    }
    command.args(["--", "::case_"]);
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(text(&output.stderr) + &text(&output.stdout))
}
