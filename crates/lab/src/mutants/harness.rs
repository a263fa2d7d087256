//! The harness of a plan on the copy with mutants, and tests that were written for it.

use super::MutantTree;
use crate::lab::write_if_changed;
use crate::{Error, Features, Lab, Package, Subject, cargo};
use std::path::{Path, PathBuf};

/// A lab around the copy: what is built there can switch its mutants on.
pub struct MutantLab {
    pub lab: Lab,
    pub package: Package,
}

impl MutantTree {
    /// Prepares to build harnesses on the copy, whose mutants have been written, for plans that
    /// were made in the lab of the original.
    pub fn mutant_lab(&self, original: &Lab, features: &Features) -> Result<MutantLab, Error> {
        let ours = self.lab();
        let root = ours.path("mutants-lab");
        let mut lab = Lab::open(&root, ours.target(), ours.executable())?;
        lab.mount(original.mounts().to_vec());
        lab.link_switch(ours.path("switch"));
        let manifest = self.package().join("Cargo.toml");
        let subject = Subject::Path { manifest, name: self.name().to_owned() };
        let package = lab.prepare(&subject, features)?;
        Ok(MutantLab { lab, package })
    }

    /// Adds a file of tests to the copy and builds it; the errors of the compiler are ours.
    pub fn build_test(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let file = format!("tests/{name}.rs");
        self.write(Path::new(&file), text)?;
        let path = self.package().join("Cargo.toml");
        let manifest = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        // What was published names each of its targets, and finds no others.
        let section = format!("[[test]]\nname = {name:?}\npath = {file:?}\n");
        if !manifest.contains(&section) {
            write_if_changed(&path, format!("{manifest}\n{section}").as_bytes())?;
        }
        let mut command = self.build_command();
        let done = cargo::messages(command.args(["--test", name]))?;
        let built = done.tests.iter().find(|(target, _)| target == name);
        match built {
            Some((_, executable)) if done.success => Ok(executable.clone()),
            _ => Err(Error::Build { what: file, why: done.explanation() }),
        }
    }
}
