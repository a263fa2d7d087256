//! The package of puts that is written around a crate under test.
//!
//! It lies in the scratch workspace's folder but is a workspace of its own, under a
//! name that no other question has: cargo tells packages apart by their names.

use crate::bitcode::json;
use crate::identity::Identity;
use crate::{Error, Lab, TestPackage, library};
use std::path::PathBuf;

impl Lab {
    /// Writes puts about the crate that was prepared, as a package of their own.
    pub fn write_puts(&self, source: &str) -> Result<TestPackage, Error> {
        let probe = self.path("probe/Cargo.toml");
        let probe = std::fs::read_to_string(&probe).map_err(Error::io(probe))?;
        let asked = probe.split_once("[dependencies]\n").map_or("", |(_, lines)| lines);
        let metadata = json(self.cargo("metadata").arg("--format-version=1"), "the harness")?;
        let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
        let testsmith = match library::dependency_among(&packages) {
            Some(dependency) => dependency,
            None => library::unpack(&self.path("library"))?,
        };
        let lock = std::fs::read(self.path("Cargo.lock")).unwrap_or_default();
        let mut identity = Identity::default();
        for part in [asked.as_bytes(), source.as_bytes(), &lock] {
            identity.add(part);
        }
        let name = format!("explored-{}", &identity.text()[..16]);
        // A direct dependency of the crate may be the library itself.
        let others = asked.lines().filter(|line| !line.starts_with("testsmith ="));
        let others: String = others.map(|line| format!("{line}\n")).collect();
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{others}testsmith = {testsmith}\n\n[workspace]\n"
        );
        self.write(&format!("{FOLDER}/{name}/Cargo.toml"), &manifest)?;
        self.write(&format!("{FOLDER}/{name}/src/lib.rs"), source)?;
        let folder: PathBuf = self.path(FOLDER).join(&name);
        if !folder.join("Cargo.lock").exists() && !lock.is_empty() {
            // The versions of the scratch workspace are the ones to explore.
            let copy = folder.join("Cargo.lock");
            std::fs::write(&copy, &lock).map_err(Error::io(copy))?;
        }
        TestPackage::read(&folder.join("Cargo.toml"))
    }
}

const FOLDER: &str = "explored";
