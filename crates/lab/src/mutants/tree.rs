//! The shadow copy: the switch beside it, texts in it, cargo in it.

use super::WRAPPER_VARIABLE;
use crate::lab::write_if_changed;
use crate::package::metadata;
use crate::shadow::Shadow;
use crate::{Error, Features, Lab, cargo};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

include!(concat!(env!("OUT_DIR"), "/switch.rs"));

pub(crate) const SWITCH_PACKAGE: &str = "testsmith-switch";

/// A copy of a package that holds mutants.
pub struct MutantTree {
    shadow: Shadow,
    lab: Lab,
    name: String,
    /// How cargo is told which package is meant.
    spec: String,
    /// What the package is compiled with, as `rustc --print cfg` would show it.
    pub cfgs: Vec<String>,
    /// Where its targets begin.
    pub entries: Vec<Entry>,
    /// Packages that are compiled too, and lie outside of the copy.
    elsewhere: Vec<PathBuf>,
}

/// The first file of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of a binary; none for the library.
    pub binary: Option<String>,
    /// Inside the package.
    pub file: PathBuf,
}

/// An error, with the places that the compiler shows: files of the package, and bytes.
#[derive(Clone, Debug)]
pub struct CompilerError {
    /// The compiler's name for it, as `E0382`.
    pub code: Option<String>,
    pub text: String,
    pub rendered: String,
    pub places: Vec<ErrorPlace>,
}

#[derive(Clone, Debug)]
pub struct ErrorPlace {
    /// Inside the package.
    pub file: PathBuf,
    pub bytes: Range<usize>,
    /// Whether it is what the error is about, and not only has to do with it.
    pub is_primary: bool,
}

pub enum MutantBuild {
    Refused(Vec<CompilerError>),
    /// The test executables, by the names of their targets.
    Built(Vec<(String, PathBuf)>),
}

impl Lab {
    /// Copies a workspace, and finds out what of the package in it is compiled.
    pub fn mutant_tree(
        &self,
        workspace: &Path,
        package: &Path,
        name: &str,
        features: &Features,
    ) -> Result<MutantTree, Error> {
        let mut shadow = self.shadow(workspace, package, features)?;
        // Tests start programs of the package by their paths, for as long as mutants are judged;
        // nobody else may build others of the same names there meanwhile.
        shadow.target = self.path("mutants-target");
        let name = name.to_owned();
        let (spec, cfgs, entries, elsewhere) = (String::new(), vec![], vec![], vec![]);
        let lab = self.clone();
        let mut tree = MutantTree { shadow, lab, name, spec, cfgs, entries, elsewhere };
        if tree.find_entries()? {
            let cfgs = tree.check()?;
            tree.cfgs.extend(cfgs);
        }
        Ok(tree)
    }
}

impl MutantTree {
    /// The folder of the package.
    pub fn package(&self) -> &Path {
        &self.shadow.package
    }

    pub(super) fn root(&self) -> &Path {
        &self.shadow.root
    }

    pub(super) fn target(&self) -> &Path {
        &self.shadow.target
    }

    pub(super) fn spec(&self) -> &str {
        &self.spec
    }

    pub(super) fn features(&self) -> &Features {
        self.shadow.features()
    }

    pub(super) fn elsewhere(&self) -> &[PathBuf] {
        &self.elsewhere
    }

    pub(super) fn lab(&self) -> &Lab {
        &self.lab
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What cargo knows of the package: its targets, and which features are on. Says whether
    /// a build script decides about more.
    fn find_entries(&mut self) -> Result<bool, Error> {
        let mut command = self.shadow.cargo("metadata");
        command.arg("--format-version=1");
        let metadata = metadata(&mut command, &self.name)?;
        let manifest = self.shadow.package.join("Cargo.toml").canonicalize();
        let manifest = manifest.map_err(Error::io(&self.shadow.package))?;
        let is_it = |found: &&cargo_metadata::Package| {
            found.manifest_path.as_std_path().canonicalize().is_ok_and(|path| path == manifest)
        };
        let package = metadata.packages.iter().find(is_it);
        let package = package.ok_or_else(|| Error::Cargo(format!("{} is missing", self.name)))?;
        if package.targets.iter().any(|target| target.is_proc_macro()) {
            return Err(Error::MacroMutants { name: self.name.clone() });
        }
        let local = metadata.packages.iter().filter(|package| package.source.is_none());
        let roots = local.filter_map(|package| Some(package.manifest_path.parent()?.into()));
        self.elsewhere = roots.filter(|root: &PathBuf| !root.starts_with(self.root())).collect();
        self.spec = format!("{}@{}", package.name, package.version);
        let folder = manifest.parent().expect("a manifest lies in a folder");
        for target in &package.targets {
            let is_binary = target.is_bin();
            let is_library = target.is_lib()
                || target.is_rlib()
                || target.is_dylib()
                || target.is_cdylib()
                || target.is_staticlib();
            let path = target.src_path.as_std_path().canonicalize();
            if let Ok(path) = path.map(|path| path.strip_prefix(folder).map(Path::to_owned))
                && let Ok(file) = path
                && (is_library || is_binary)
            {
                let binary = is_binary.then(|| target.name.clone());
                self.entries.push(Entry { binary, file });
            }
        }
        let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
        let on = nodes.filter(|node| node.id == package.id).flat_map(|node| &node.features);
        self.cfgs.extend(on.map(|feature| format!("feature={:?}", feature.as_str())));
        let rustc = cargo::answer(Command::new("rustc").args(["--print", "cfg"]), "rustc")?;
        self.cfgs.extend(rustc.lines().map(str::to_owned));
        self.cfgs.push("debug_assertions".to_owned());
        Ok(package.targets.iter().any(|target| target.is_custom_build()))
    }

    /// Compiles the copy as it is, and says what build scripts switched on.
    pub fn check(&self) -> Result<Vec<String>, Error> {
        let mut command = self.cargo("check");
        let done = cargo::messages(command.args(["--tests", "--message-format=json"]))?;
        if !done.success {
            return Err(Error::Build { what: self.name.clone(), why: done.explanation() });
        }
        Ok(done.cfgs)
    }

    fn cargo(&self, subcommand: &str) -> Command {
        let mut command = self.shadow.cargo(subcommand);
        command.args(["-p", &self.spec]);
        command.env("RUSTC_WORKSPACE_WRAPPER", self.lab.executable()).env(WRAPPER_VARIABLE, "1");
        // Tests that look around where they were built find what a build leaves, and no more.
        if subcommand == "check" {
            command.env("CARGO_TARGET_DIR", self.target().join("check"));
        }
        command
    }

    /// Makes the switch a dependency of the copy.
    pub fn add_switch(&self) -> Result<(), Error> {
        let folder = self.lab.path("switch");
        for (file, text) in SWITCH {
            write_if_changed(&folder.join("src").join(file), text.as_bytes())?;
        }
        let manifest = format!(
            "[package]\nname = \"{SWITCH_PACKAGE}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [workspace]\n"
        );
        write_if_changed(&folder.join("Cargo.toml"), manifest.as_bytes())?;
        let path = self.shadow.package.join("Cargo.toml");
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        let folder = folder.display().to_string();
        let section = format!("\n[dependencies.{SWITCH_PACKAGE}]\npath = {folder:?}\n");
        if text.contains(&section) {
            return Ok(());
        }
        write_if_changed(&path, format!("{text}{section}").as_bytes())
    }

    /// A file of the package as it was copied.
    pub fn read(&self, inside: &Path) -> Result<String, Error> {
        let path = self.shadow.package.join(inside);
        std::fs::read_to_string(&path).map_err(Error::io(&path))
    }

    pub fn write(&self, inside: &Path, text: &str) -> Result<(), Error> {
        write_if_changed(&self.shadow.package.join(inside), text.as_bytes())
    }

    /// What the compiler refuses of the library and the binaries with what was written.
    pub fn refused(&self) -> Result<Vec<CompilerError>, Error> {
        let done = cargo::messages(self.cargo("check").arg("--message-format=json"))?;
        if done.success { Ok(vec![]) } else { self.errors(done) }
    }

    /// Builds something of the copy, with a switch that costs little.
    pub(super) fn build_command(&self) -> Command {
        let mut command = self.cargo("build");
        command.arg("--message-format=json");
        let profile = format!("profile.dev.package.{SWITCH_PACKAGE}");
        command.args(["--config", &format!("{profile}.opt-level=3")]);
        command.args(["--config", &format!("{profile}.codegen-units=1")]);
        command
    }

    /// Builds the test targets with what was written.
    pub fn build(&self) -> Result<MutantBuild, Error> {
        let done = cargo::messages(self.build_command().args(["--tests", "--keep-going"]))?;
        if done.success {
            return Ok(MutantBuild::Built(done.tests));
        }
        Ok(MutantBuild::Refused(self.errors(done)?))
    }

    /// The errors of a build that failed.
    fn errors(&self, done: cargo::BuildOutput) -> Result<Vec<CompilerError>, Error> {
        if done.errors.is_empty() {
            let what = format!("{} with mutants", self.name);
            return Err(Error::Build { what, why: done.explanation() });
        }
        let inside = |span: cargo::Span| {
            let path = self.shadow.root.join(span.file);
            let file = path.strip_prefix(&self.shadow.package).ok()?.to_owned();
            Some(ErrorPlace { file, bytes: span.bytes, is_primary: span.is_primary })
        };
        let error = |error: cargo::Diagnostic| CompilerError {
            code: error.code,
            text: error.text,
            rendered: error.rendered,
            places: error.spans.into_iter().filter_map(inside).collect(),
        };
        Ok(done.errors.into_iter().map(error).collect())
    }
}
