//! The scratch workspace: everything the lab writes lies below its root.
//!
//! It holds the worker's sources, a package for probes and a package for the
//! harness, all resolved together with the crate under test, so that each
//! thing is compiled once. Files are only written when they change: cargo
//! looks at times.

use crate::package::{self, Features, Package, Subject};
use crate::{Error, cargo};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use testsmith_model::operation::Mount;
use testsmith_model::wire::Wire;

include!(concat!(env!("OUT_DIR"), "/sources.rs"));

pub struct Lab {
    root: PathBuf,
    target: PathBuf,
    /// Our own executable, which stands in for rustc and rustdoc.
    executable: PathBuf,
    /// Files of the user's that the code built here refers to.
    mounts: Vec<Mount>,
}

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

impl Lab {
    /// Opens or makes the scratch workspace at `root`. Build products go to
    /// `target`, which labs may share.
    pub fn open(root: &Path, target: &Path, executable: &Path) -> Result<Lab, Error> {
        std::fs::create_dir_all(root).map_err(Error::io(root))?;
        let root = root.canonicalize().map_err(Error::io(root))?;
        std::fs::create_dir_all(target).map_err(Error::io(target))?;
        let target = target.canonicalize().map_err(Error::io(target))?;
        Ok(Lab { root, target, executable: executable.to_owned(), mounts: vec![] })
    }

    /// Lets the code that is built here refer to files of the user's tests, with
    /// all that those may depend on.
    pub fn mount(&mut self, mounts: Vec<Mount>) {
        self.mounts = mounts;
    }

    /// The items that mount them.
    pub(crate) fn mounted(&self) -> String {
        self.mounts.iter().map(|mount| mount.item(None)).collect()
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn executable(&self) -> &Path {
        &self.executable
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// Writes a file below the root, unless it is already so.
    pub(crate) fn write(&self, inside: &str, text: &str) -> Result<(), Error> {
        write_if_changed(&self.path(inside), text.as_bytes())
    }

    /// Keeps other labs that share the target folder out while cargo builds
    /// something under a name that they would use too, until it is fetched.
    pub(crate) fn exclusively<T>(
        &self,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let path = self.target.join(".testsmith-lock");
        let lock = std::fs::File::create(&path).map_err(Error::io(&path))?;
        lock.lock().map_err(Error::io(&path))?;
        // Released when the file is closed, also if the process dies.
        work()
    }

    /// Cargo, set up for this workspace.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut command = Command::new("cargo");
        command
            .arg(subcommand)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            // Colours and flags of the user's own runs are not for us.
            .env("CARGO_TERM_COLOR", "never")
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("RUSTC_BOOTSTRAP");
        command
    }

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
            "fn main() {\n    testsmith_worker::run(testsmith_thunks::THUNKS, testsmith_thunks::tables());\n}\n",
        )?;
        self.take_lock(subject)?;
        let mut asked = dependency(subject, features);
        self.write_manifests(&asked, "")?;
        let mut package = self.resolve(subject)?;
        if features.all {
            let named = Features { named: package.features.clone(), ..features.clone() };
            asked = dependency(subject, &named);
            self.write_manifests(&asked, "")?;
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
        if !self.mounts.is_empty() {
            extra.push_str(&package.test_dependencies);
        }
        if !extra.is_empty() {
            self.write_manifests(&asked, &extra)?;
            self.resolve(subject)?;
        }
        Ok(package)
    }

    fn resolve(&self, subject: &Subject) -> Result<Package, Error> {
        let mut command = self.cargo("metadata");
        let metadata = package::metadata(command.arg("--format-version=1"), subject.name())?;
        package::resolved(subject, &metadata)
    }

    fn write_ours(&self) -> Result<(), Error> {
        for (path, text) in SOURCES {
            self.write(&format!("ours/{path}"), text)?;
        }
        for (name, rest) in OURS {
            let manifest = format!(
                "[package]\nname = \"testsmith-{name}\"\nversion = \"{}\"\nedition = \"2024\"\n\n{rest}",
                env!("CARGO_PKG_VERSION")
            );
            self.write(&format!("ours/{name}/Cargo.toml"), &manifest)?;
        }
        Ok(())
    }

    /// Starts from the user's own lock, so that the same versions are tested.
    fn take_lock(&self, subject: &Subject) -> Result<(), Error> {
        let lock = self.path("Cargo.lock");
        if let Subject::Published { name, version: Some(version) } = subject
            && !lock.exists()
        {
            self.write("Cargo.lock", &lock_naming(name, version))?;
        }
        let Some(theirs) = subject.workspace_root().map(|root| root.join("Cargo.lock")) else {
            return Ok(());
        };
        let Ok(text) = std::fs::read(&theirs) else { return Ok(()) };
        // Once taken, ours has more in it; take theirs again only if it changed.
        let seen = self.path("Cargo.lock.theirs");
        if std::fs::read(&seen).ok().as_ref() != Some(&text) || !lock.exists() {
            std::fs::write(&lock, &text).map_err(Error::io(&lock))?;
            std::fs::write(&seen, &text).map_err(Error::io(&seen))?;
        }
        Ok(())
    }

    /// `asked` and `extra` are lines of dependencies.
    fn write_manifests(&self, asked: &str, extra: &str) -> Result<(), Error> {
        let members =
            "[workspace]\nresolver = \"2\"\nmembers = [\"emitted\", \"probe\", \"thunks\"]\n";
        let mut profiles = PROFILES.to_owned();
        for profile in ["dev", "optimised", "released"] {
            for (name, _) in OURS {
                write!(
                    profiles,
                    "\n[profile.{profile}.package.testsmith-{name}]\nopt-level = 3\n\
                     codegen-units = 1\ndebug-assertions = false\noverflow-checks = false\n"
                )
                .expect("a string takes all");
            }
        }
        self.write("Cargo.toml", &format!("{members}{profiles}"))?;
        let manifest = |name: &str, rest: &str| {
            format!(
                "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
                 [dependencies]\n{asked}{extra}{rest}"
            )
        };
        self.write("probe/Cargo.toml", &manifest("testsmith-probe", ""))?;
        self.write("emitted/Cargo.toml", &manifest("testsmith-emitted", ""))?;
        let ours = "testsmith-worker = { path = \"../ours/worker\" }\n\n\
                    [[bin]]\nname = \"testsmith-harness\"\npath = \"src/main.rs\"\n";
        self.write("thunks/Cargo.toml", &manifest("testsmith-thunks", ours))
    }

    /// What everything built or learned here depends on, as one number.
    pub fn stamp(&self, package: &Package, features: &Features) -> Result<u64, Error> {
        let mut text = vec![];
        format!("{features:?} {} {}", package.spec(), env!("CARGO_PKG_VERSION")).put(&mut text);
        let rustc = cargo::output(Command::new("rustc").arg("-vV").current_dir(&self.root))?;
        text.extend_from_slice(&rustc.stdout);
        text.extend(std::fs::read(self.path("Cargo.lock")).unwrap_or_default());
        text.extend(std::fs::read(self.path("probe/Cargo.toml")).unwrap_or_default());
        // Our own code decides too: what is proposed, and what is linked.
        if let Ok(own) = std::fs::metadata(&self.executable).and_then(|meta| meta.modified()) {
            format!("{own:?}").put(&mut text);
        }
        for root in package.local_roots.iter().filter(|root| !root.starts_with(&self.root)) {
            sources_of(root, &self.root, &mut text, 0);
        }
        Ok(hash(&text))
    }
}

/// Reads every source of a package in a fixed order.
fn sources_of(folder: &Path, except: &Path, text: &mut Vec<u8>, depth: usize) {
    const MAX_DEPTH: usize = 16;
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // What we write ourselves after a run must not make the next one plan anew.
        let ours = name.starts_with("testsmith_") && folder.ends_with("tests");
        let foreign = name == "target" || name == "testsmith.out" || name.starts_with('.');
        if ours {
            continue;
        }
        if path.is_dir() {
            if !foreign && !except.starts_with(&path) && depth < MAX_DEPTH {
                sources_of(&path, except, text, depth + 1);
            }
        } else if name.ends_with(".rs") || name == "Cargo.toml" {
            path.display().to_string().put(text);
            text.extend(std::fs::read(&path).unwrap_or_default());
        }
    }
}

pub(crate) fn hash(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if std::fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    }
    std::fs::write(path, bytes).map_err(Error::io(path))
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
