//! The scratch workspace: a package for probes, one for the harness and one for tests,
//! all resolved together with the crate under test, so that each thing is compiled once.
//! The worker's sources lie in the target folder: what is built of them serves
//! every workspace that has the same target folder.
//!
//! What is linked into a harness has no dependency but libc, and is compiled in
//! the user's own build: that is why hashing, the wire format and the journal are
//! written by hand there.

use crate::emitted::EMITTED_HEAD;
use crate::identity::Identity;
use crate::lab::write_if_changed;
use crate::mutants::SWITCH_PACKAGE;
use crate::package::{self, Features, Package, Subject};
use crate::{Error, Lab, cargo};
use cargo_metadata::Metadata;
use std::fmt::Write;
use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

/// The crates of ours that are linked into a harness, with their dependencies.
const OURS: [(&str, &str); 4] = [
    ("model", "[features]\nserde = []\n"),
    ("sandbox", "[dependencies]\nlibc = \"0.2\"\n"),
    ("engines", "[dependencies]\ntestsmith-model = { path = \"../model\" }\n"),
    (
        "worker",
        "[dependencies]\nlibc = \"0.2\"\ntestsmith-engines = { path = \"../engines\" }\n\
         testsmith-model = { path = \"../model\" }\n\
         testsmith-sandbox = { path = \"../sandbox\" }\n",
    ),
];

/// How the harness is built. Ours is always optimised: it is the loop.
const PROFILES: &str = r#"
[profile.dev]
opt-level = 0
debug = "line-tables-only"
debug-assertions = true
overflow-checks = true
panic = "unwind"

[profile.optimised]
inherits = "release"
opt-level = 2
debug = "line-tables-only"
debug-assertions = true
overflow-checks = true
codegen-units = 16
panic = "unwind"

[profile.released]
inherits = "release"
opt-level = 2
debug = "line-tables-only"
panic = "unwind"
"#;

const MAIN: &str = r"use testsmith_thunks::{IDENTITY, THUNKS, tables};

fn main() {
    testsmith_worker::run(THUNKS, tables(), IDENTITY);
}
";
/// With mutants in the crate under test.
const MUTANTS_MAIN: &str = r"use testsmith_switch::{record_in, stamp, try_out};
use testsmith_thunks::{IDENTITY, THUNKS, tables};

fn main() {
    let switch = testsmith_worker::Switch { record_in, stamp, try_out };
    testsmith_worker::run_with_mutants(THUNKS, tables(), IDENTITY, switch);
}
";

/// The edition of what only we compile.
const OUR_EDITION: &str = "2021";

impl Lab {
    /// Lays out the workspace around the crate under test and resolves it.
    pub fn prepare(&self, subject: &Subject, features: &Features) -> Result<Package, Error> {
        self.write_ours()?;
        for member in ["emitted", "probe", "thunks"] {
            let file = format!("{member}/src/lib.rs");
            if !self.path(&file).exists() {
                self.write(&file, "")?;
            }
        }
        self.write(
            "thunks/src/main.rs",
            if self.switch().is_some() { MUTANTS_MAIN } else { MAIN },
        )?;
        self.take_lock(subject)?;
        let mut asked = dependency(subject, features);
        self.write_manifests(&asked, "", OUR_EDITION)?;
        let mut package = self.resolve(subject)?;
        if features.all {
            let named = Features { named: package.features.clone(), ..features.clone() };
            asked = dependency(subject, &named);
            self.write_manifests(&asked, "", OUR_EDITION)?;
            package = self.resolve(subject)?;
        }
        let mut extra = String::new();
        for (name, package, version) in &package.dependencies {
            writeln!(
                extra,
                "{name} = {{ package = {package:?}, version = \"={version}\", default-features = false }}"
            )
            .expect("a string takes all");
        }
        if !self.mounted().is_empty() {
            extra.push_str(&package.test_dependencies);
        }
        self.write_manifests(&asked, &extra, &package.edition)?;
        // In the first edition the root of a crate names those that it uses.
        let first = package.edition == "2015";
        let head =
            if first { format!("extern crate {};\n", package.library) } else { String::new() };
        self.write(EMITTED_HEAD, &head)?;
        if !extra.is_empty() {
            self.resolve(subject)?;
        }
        Ok(package)
    }

    fn resolve(&self, subject: &Subject) -> Result<Package, Error> {
        package::resolved(subject, &self.metadata(subject.name())?)
    }

    /// What is built here, for this machine: a dependency of another does not even compile.
    fn metadata(&self, name: &str) -> Result<Metadata, Error> {
        let mut command = self.cargo("metadata");
        command.arg("--format-version=1");
        if let Some(host) = cargo::host(self.root()) {
            command.args(["--filter-platform", &host]);
        }
        package::metadata(&mut command, name)
    }

    /// A dependency of the package that was prepared here, by the name that its code has
    /// for it, with the features that it is built with.
    pub fn dependency(
        &self,
        package: &Package,
        name: &str,
    ) -> Result<Option<(Subject, Features)>, Error> {
        Ok(package::dependency_called(package, name, &self.metadata(&package.name)?))
    }

    /// Starts from the versions of another workspace.
    pub fn take_lock_of(&self, other: &Lab) -> Result<(), Error> {
        self.take_lock_at(&other.path("Cargo.lock"))
    }

    /// Where the sources of ours are, which are the same for all of this build of the tool.
    fn ours(&self) -> PathBuf {
        let mut identity = Identity::default();
        for (path, text) in our_files() {
            identity.add(path.as_bytes());
            identity.add(text.as_bytes());
        }
        self.target().join(format!("testsmith-{}", identity.text()))
    }

    /// Writes them, unless they are there. Another process may do so at the same time, or
    /// build what is there already, so no file is ever seen half written.
    fn write_ours(&self) -> Result<(), Error> {
        let folder = self.ours();
        if folder.exists() {
            return Ok(());
        }
        let draft = self.target().join(format!(".testsmith-ours-{}", std::process::id()));
        for (path, text) in our_files() {
            write_if_changed(&draft.join(path), text.as_bytes())?;
        }
        match std::fs::rename(&draft, &folder) {
            Err(error) if !folder.exists() => Err(Error::io(&folder)(error)),
            Err(_) => std::fs::remove_dir_all(&draft).map_err(Error::io(&draft)),
            Ok(()) => Ok(()),
        }
    }

    /// Starts from the user's own lock, so that the same versions are tested.
    fn take_lock(&self, subject: &Subject) -> Result<(), Error> {
        let lock = self.path("Cargo.lock");
        if let Subject::Published { name, version: Some(version) } = subject
            && !lock.exists()
        {
            self.write("Cargo.lock", &lock_naming(name, version))?;
        }
        match subject.workspace_root() {
            Some(root) => self.take_lock_at(&root.join("Cargo.lock")),
            None => Ok(()),
        }
    }

    fn take_lock_at(&self, theirs: &Path) -> Result<(), Error> {
        let lock = self.path("Cargo.lock");
        let Ok(text) = std::fs::read(theirs) else { return Ok(()) };
        // Once taken, ours has more in it; take theirs again only if it changed.
        let seen = self.path("Cargo.lock.theirs");
        if std::fs::read(&seen).ok().as_ref() != Some(&text) || !lock.exists() {
            std::fs::write(&lock, &text).map_err(Error::io(&lock))?;
            std::fs::write(&seen, &text).map_err(Error::io(&seen))?;
        }
        Ok(())
    }

    /// `asked` and `extra` are lines of dependencies.
    /// `edition` is that of the package under test: its owner compiles the tests with it.
    fn write_manifests(&self, asked: &str, extra: &str, edition: &str) -> Result<(), Error> {
        let members =
            "[workspace]\nresolver = \"2\"\nmembers = [\"emitted\", \"probe\", \"thunks\"]\n";
        let mut profiles = PROFILES.to_owned();
        let switch = self.switch().map(|_| SWITCH_PACKAGE.to_owned());
        let ours = OURS.iter().map(|(name, _)| format!("testsmith-{name}"));
        let ours: Vec<String> = ours.chain(switch).collect();
        for profile in ["dev", "optimised", "released"] {
            for name in &ours {
                write!(
                    profiles,
                    "\n[profile.{profile}.package.{name}]\nopt-level = 3\n\
                     codegen-units = 1\ndebug-assertions = false\noverflow-checks = false\n"
                )
                .expect("a string takes all");
            }
        }
        self.write("Cargo.toml", &format!("{members}{profiles}"))?;
        let manifest = |name: &str, edition: &str, rest: &str| {
            format!(
                "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\npublish = false\n\n\
                 [dependencies]\n{asked}{extra}{rest}"
            )
        };
        self.write("probe/Cargo.toml", &manifest("testsmith-probe", OUR_EDITION, ""))?;
        self.write("emitted/Cargo.toml", &manifest("testsmith-emitted", edition, ""))?;
        let worker = self.ours().join("worker").display().to_string();
        let switch = self.switch().map_or(String::new(), |folder| {
            format!("{SWITCH_PACKAGE} = {{ path = {:?} }}\n", folder.display().to_string())
        });
        let ours = format!(
            "testsmith-worker = {{ path = {worker:?} }}\n{switch}\n\
             [[bin]]\nname = \"testsmith-harness\"\npath = \"src/main.rs\"\n"
        );
        self.write("thunks/Cargo.toml", &manifest("testsmith-thunks", OUR_EDITION, &ours))
    }
}

/// The sources and manifests of what is linked into a harness.
fn our_files() -> impl Iterator<Item = (String, String)> {
    let sources = SOURCES.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let manifests = OURS.iter().map(|(name, rest)| {
        let manifest = format!(
            "[package]\nname = \"testsmith-{name}\"\nversion = \"{}\"\nedition = \"2024\"\n\n{rest}",
            env!("CARGO_PKG_VERSION")
        );
        (format!("{name}/Cargo.toml"), manifest)
    });
    sources.chain(manifests)
}

/// A lock that names one version of a published crate: cargo takes a version
/// that was yanked only if a lock already names it. It completes the rest.
pub fn lock_naming(name: &str, version: &str) -> String {
    format!(
        "version = 3\n\n[[package]]\nname = {name:?}\nversion = {version:?}\n\
         source = \"registry+https://github.com/rust-lang/crates.io-index\"\n"
    )
}

/// The line that makes the crate under test a dependency.
fn dependency(subject: &Subject, features: &Features) -> String {
    let mut parts = match subject {
        Subject::Path { manifest, .. } => {
            let folder = manifest.parent().expect("a manifest lies in a folder");
            vec![format!("path = {:?}", folder.display().to_string())]
        }
        Subject::Published { version: Some(version), .. } => {
            vec![format!("version = \"={version}\"")]
        }
        Subject::Published { version: None, .. } => vec!["version = \"*\"".to_owned()],
    };
    if features.no_default {
        parts.push("default-features = false".to_owned());
    }
    if !features.named.is_empty() {
        parts.push(format!("features = {:?}", features.named));
    }
    format!("{} = {{ {} }}\n", subject.name(), parts.join(", "))
}
