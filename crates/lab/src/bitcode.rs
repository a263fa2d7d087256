//! Test executables together with their bitcode.
//!
//! The build has a folder of its own, because its profile is: unoptimised, so
//! that the branches of the source are there, and linked as one module, so that
//! the bodies of std and of the dependencies are there too. What is built carries
//! a number of all that it was built from; see [`crate::check_identity`].

use crate::identity::{Identity, VARIABLE};
use crate::{Error, Features, Lab, cargo};
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package whose tests are explored.
#[derive(Debug)]
pub struct TestPackage {
    pub name: String,
    pub folder: PathBuf,
    pub manifest: PathBuf,
    targets: Vec<(TestTarget, PathBuf)>,
    /// The folders of all packages that can change under our feet.
    local_folders: Vec<PathBuf>,
    workspace: PathBuf,
    /// Where cargo builds for the user.
    target_folder: PathBuf,
    lock: Lock,
}

/// What cargo builds as one executable of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestTarget {
    Library,
    Binary(String),
    Test(String),
}

/// An executable of tests with its bitcode, and what both have to say they are.
#[derive(Clone, Debug)]
pub struct Built {
    pub executable: PathBuf,
    pub bitcode: PathBuf,
    pub identity: String,
}

/// The lock file of the user's workspace. Cargo makes one where there is none; it is
/// taken away again with the package.
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

impl fmt::Display for TestTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestTarget::Library => write!(f, "the unit tests"),
            TestTarget::Binary(name) => write!(f, "the tests of the binary {name}"),
            TestTarget::Test(name) => write!(f, "the test {name}"),
        }
    }
}

impl TestTarget {
    fn args(&self) -> Vec<String> {
        match self {
            TestTarget::Library => vec!["--lib".to_owned()],
            TestTarget::Binary(name) => vec!["--bin".to_owned(), name.clone()],
            TestTarget::Test(name) => vec!["--test".to_owned(), name.clone()],
        }
    }
}

impl TestPackage {
    /// Reads a package by its manifest.
    pub fn read(manifest: &Path) -> Result<TestPackage, Error> {
        let (workspace, lock) = lock_of(manifest)?;
        let mut command = Command::new("cargo");
        command.args(["metadata", "--format-version=1", "--manifest-path"]).arg(manifest);
        let metadata = json(&mut command, &manifest.display().to_string())?;
        let none = vec![];
        let packages = metadata["packages"].as_array().unwrap_or(&none);
        let same = |package: &&Value| path(&package["manifest_path"]) == manifest;
        let found = packages.iter().find(same).ok_or_else(|| Error::NoPackage {
            name: manifest.display().to_string(),
            known: packages.iter().map(|package| text(&package["name"])).collect(),
        })?;
        let local = packages.iter().filter(|package| package["source"].is_null());
        let folder = |package: &Value| Some(path(&package["manifest_path"]).parent()?.to_owned());
        Ok(TestPackage {
            name: text(&found["name"]),
            folder: manifest.parent().expect("a manifest lies in a folder").to_owned(),
            manifest: manifest.to_owned(),
            targets: targets(found),
            local_folders: local.filter_map(folder).collect(),
            workspace,
            target_folder: path(&metadata["target_directory"]),
            lock,
        })
    }

    /// The targets in whose sources the attribute `#[put]` may stand.
    pub fn targets_with_puts(&self) -> Vec<TestTarget> {
        let has_library = self.targets.iter().any(|(target, _)| *target == TestTarget::Library);
        let around = |source: &Path| {
            any_source(source.parent().expect("a source lies in a folder"), &mentions_put)
        };
        let has = |(target, source): &&(TestTarget, PathBuf)| match target {
            TestTarget::Library => around(source),
            // The modules of a binary are beside it, where those of the library are, too.
            TestTarget::Binary(_) if !has_library && source.ends_with("src/main.rs") => {
                around(source)
            }
            // What a test includes lies in a folder beside it, by convention of its name.
            TestTarget::Binary(_) | TestTarget::Test(_) => {
                mentions_put(source) || any_source(&source.with_extension(""), &mentions_put)
            }
        };
        self.targets.iter().filter(has).map(|(target, _)| target.clone()).collect()
    }

    /// Lets cargo build the user's tests anew the next time, without touching a source:
    /// what it remembers of them goes. Whatever cannot be removed is left.
    pub fn forget_tests(&self) {
        let folders = |path: PathBuf| std::fs::read_dir(path).into_iter().flatten().flatten();
        for profile in folders(self.target_folder.clone()) {
            for unit in folders(profile.path().join(".fingerprint")) {
                let name = unit.file_name().to_string_lossy().into_owned();
                if !name.starts_with(&format!("{}-", self.name)) {
                    continue;
                }
                for file in folders(unit.path()) {
                    if file.file_name().to_string_lossy().starts_with("dep-test-") {
                        let _ = std::fs::remove_file(file.path());
                    }
                }
            }
        }
    }

    /// Everything that the build of a target depends on, as one number.
    fn identity(&self, target: &TestTarget, features: &Features) -> Result<String, Error> {
        let mut identity = Identity::default();
        let rustc = cargo::output(Command::new("rustc").arg("-vV").current_dir(&self.folder))?;
        identity.add(&rustc.stdout);
        identity.add(env!("CARGO_PKG_VERSION").as_bytes());
        identity.add(format!("{:?}", (&self.manifest, target, features)).as_bytes());
        identity.add(&std::fs::read(&self.lock.path).unwrap_or_default());
        for folder in &self.local_folders {
            identity.add_sources(folder);
        }
        Ok(identity.text())
    }
}

impl Lab {
    /// Builds the tests of a target with their bitcode. `tell` is told how far it is.
    pub fn build_bitcode(
        &self,
        package: &TestPackage,
        target: &TestTarget,
        features: &Features,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Built, Error> {
        let identity = package.identity(target, features)?;
        let mut command = self.test_build("rustc", package, target, features, &identity);
        command.args(["--profile", "test"]);
        for profile in ["dev", "test"] {
            for setting in SETTINGS {
                command.arg("--config").arg(format!("profile.{profile}.{setting}"));
            }
        }
        command.args(["--", "--emit=llvm-bc,link", "-Cno-vectorize-loops", "-Cno-vectorize-slp"]);
        let executable = self.executable_of(&mut command, package, target, tell)?;
        let bitcode = executable.with_extension("bc");
        if !bitcode.is_file() {
            let why = format!("rustc wrote no bitcode beside {}", executable.display());
            return Err(Error::Cargo(why));
        }
        Ok(Built { executable, bitcode, identity })
    }

    /// Builds the same tests as `cargo test` would. The error holds the compiler's words
    /// by file and line.
    pub fn build_test_target(
        &self,
        package: &TestPackage,
        target: &TestTarget,
        features: &Features,
        tell: &mut dyn FnMut(&str),
    ) -> Result<PathBuf, Error> {
        let identity = package.identity(target, features)?;
        let mut command = self.test_build("test", package, target, features, &identity);
        self.executable_of(command.arg("--no-run"), package, target, tell)
    }

    fn test_build(
        &self,
        subcommand: &str,
        package: &TestPackage,
        target: &TestTarget,
        features: &Features,
        identity: &str,
    ) -> Command {
        let mut command = Command::new("cargo");
        command.arg(subcommand).arg("--manifest-path").arg(&package.manifest).args(target.args());
        command.arg("--message-format=json").current_dir(&package.folder);
        command.env(VARIABLE, identity).env("CARGO_TERM_COLOR", "never");
        command.env("CARGO_TARGET_DIR", self.bitcode_folder(package, subcommand));
        if features.all {
            command.arg("--all-features");
        }
        if features.no_default {
            command.arg("--no-default-features");
        }
        if !features.named.is_empty() {
            command.arg("--features").arg(features.named.join(","));
        }
        command
    }

    /// Cargo takes packages at the same place of two workspaces for one. What is explored
    /// says what it is, but not its neighbours in the workspace, so those that have some
    /// get a folder of their own.
    fn bitcode_folder(&self, package: &TestPackage, subcommand: &str) -> PathBuf {
        let folder = match subcommand {
            "rustc" => self.target().join("explore"),
            _ => self.target().join("closed"),
        };
        let inside = |folder: &&PathBuf| folder.starts_with(&package.workspace);
        if package.local_folders.iter().filter(inside).count() <= 1 {
            return folder;
        }
        let mut name = Identity::default();
        name.add(package.workspace.to_string_lossy().as_bytes());
        folder.join(&name.text()[..16])
    }

    fn executable_of(
        &self,
        command: &mut Command,
        package: &TestPackage,
        target: &TestTarget,
        tell: &mut dyn FnMut(&str),
    ) -> Result<PathBuf, Error> {
        let built = cargo::messages_telling(command, tell)?;
        if !built.success {
            let what = format!("{target} of {}", package.name);
            let places = built.errors.iter().flat_map(|error| {
                error.places.iter().map(|(file, line)| (file.clone(), *line, error.text.clone()))
            });
            let places = places.collect();
            return Err(Error::Refused { what, why: built.explanation(), places });
        }
        let last = built.executables.into_iter().next_back();
        last.map(|(_, path)| path).ok_or_else(|| Error::Cargo("no executable was built".to_owned()))
    }

    /// The folder of the rustc in use.
    pub fn sysroot(&self) -> Result<PathBuf, Error> {
        let mut command = Command::new("rustc");
        let done = cargo::output(command.args(["--print", "sysroot"]).current_dir(self.root()))?;
        Ok(PathBuf::from(String::from_utf8_lossy(&done.stdout).trim()))
    }
}

/// The profile in which code is explored.
const SETTINGS: [&str; 7] = [
    "lto=\"fat\"",
    "opt-level=0",
    "codegen-units=1",
    "debug=1",
    "debug-assertions=true",
    "overflow-checks=true",
    "incremental=false",
];

/// The folder of the workspace and its lock, as they are before cargo is asked anything.
fn lock_of(manifest: &Path) -> Result<(PathBuf, Lock), Error> {
    let mut command = Command::new("cargo");
    command.args(["locate-project", "--workspace", "--message-format=plain", "--manifest-path"]);
    let root = cargo::answer(command.arg(manifest), &manifest.display().to_string())?;
    let root = Path::new(root.trim());
    let path = root.with_file_name("Cargo.lock");
    // In doubt it was there: nothing of the user's is ever taken away.
    let was_there = path.try_exists().unwrap_or(true);
    let folder = root.parent().expect("a manifest lies in a folder").to_owned();
    Ok((folder, Lock { path, was_there }))
}

pub(crate) fn json(command: &mut Command, what: &str) -> Result<Value, Error> {
    let text = cargo::answer(command, what)?;
    serde_json::from_str(&text).map_err(|error| Error::Cargo(error.to_string()))
}

fn targets(package: &Value) -> Vec<(TestTarget, PathBuf)> {
    let list = package["targets"].as_array().cloned().unwrap_or_default();
    let target = |target: &Value| {
        let kinds = target["kind"].as_array()?.clone();
        let is = |kind: &str| kinds.iter().any(|k| k == kind);
        let path = path(&target["src_path"]);
        if is("test") {
            Some((TestTarget::Test(text(&target["name"])), path))
        } else if is("lib") || is("rlib") {
            Some((TestTarget::Library, path))
        } else if is("bin") {
            Some((TestTarget::Binary(text(&target["name"])), path))
        } else {
            None
        }
    };
    list.iter().filter_map(target).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn path(value: &Value) -> PathBuf {
    PathBuf::from(value.as_str().unwrap_or_default())
}

fn mentions_put(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    // By any name: `use testsmith::put as property` is one too.
    text.contains("#[put") || text.contains("testsmith") && text.contains("put")
}

fn any_source(folder: &Path, accepts: &dyn Fn(&Path) -> bool) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().map(|entry| entry.path()).any(|path| {
        let rust = path.extension().is_some_and(|extension| extension == "rs");
        path.is_dir() && any_source(&path, accepts) || rust && accepts(&path)
    })
}
