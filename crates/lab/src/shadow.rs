//! A copy of the user's sources that may be changed: compiled and tested there, so that a
//! change is known to be good before anybody is offered it.
//!
//! The whole workspace is copied, without what was built, because its members may need
//! each other. Nothing is ever written to where it was copied from.

use crate::lab::write_if_changed;
use crate::{Error, Features, Lab, cargo, library};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The tests of a crate, doc tests included, may take as long as this.
const MAX_TESTS: Duration = Duration::from_secs(900);
/// More files than this are no sources.
const MAX_FILES: usize = 20_000;

const UNNEEDED: [(&str, &str); 2] = [("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_INCREMENTAL", "0")];

pub struct Shadow {
    /// The copy of the folder that was copied.
    pub(crate) root: PathBuf,
    /// The package inside of it.
    pub(crate) package: PathBuf,
    pub(crate) target: PathBuf,
    /// The library of contracts that is part of this command.
    library: PathBuf,
    features: Features,
}

/// What the compiler says of the copy.
#[derive(Debug, Default)]
pub struct ShadowCheck {
    pub success: bool,
    /// File, line and text of each error; files as the compiler names them.
    pub errors: Vec<(String, usize, String)>,
    /// All of it as it was shown.
    pub explanation: String,
}

/// What came of the tests of the copy.
#[derive(Debug, Default)]
pub struct ShadowTests {
    pub success: bool,
    pub output: String,
    /// Whether they did not end, so that we ended them.
    pub hung: bool,
}

impl Lab {
    /// Copies the folder of a workspace with a package in it.
    pub fn shadow(
        &self,
        workspace: &Path,
        package: &Path,
        features: &Features,
    ) -> Result<Shadow, Error> {
        let root = self.path("shadow");
        let _ = std::fs::remove_dir_all(&root);
        let inside = package.strip_prefix(workspace).unwrap_or(Path::new(""));
        let whole = workspace.canonicalize().map_err(Error::io(workspace))?;
        copy(workspace, &root, &mut Copied { workspace: whole, files: 0 })?;
        let shadow = Shadow {
            package: root.join(inside),
            root,
            target: self.target().join("shadow"),
            library: self.path("library"),
            features: features.clone(),
        };
        library::unpack(&shadow.library)?;
        // It may lie inside of another workspace, which knows nothing of it.
        let manifest = shadow.root.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).map_err(Error::io(&manifest))?;
        if !text.lines().any(|line| line.trim_start().starts_with("[workspace")) {
            write_if_changed(&manifest, format!("{text}\n[workspace]\n").as_bytes())?;
        }
        Ok(shadow)
    }
}

impl Shadow {
    /// Replaces a file of the package.
    pub fn write(&self, inside: &Path, text: &str) -> Result<(), Error> {
        let path = self.package.join(inside);
        let is_root_manifest = path == self.root.join("Cargo.toml");
        let own = is_root_manifest && !text.contains("[workspace");
        let text = if own { format!("{text}\n[workspace]\n") } else { text.to_owned() };
        write_if_changed(&path, text.as_bytes())
    }

    /// Compiles the library and its tests.
    pub fn check(&self, tests: bool) -> Result<ShadowCheck, Error> {
        let mut command = self.cargo("check");
        command.args(["--lib", "--message-format=json"]);
        if tests {
            command.arg("--tests");
        }
        let built = cargo::messages(&mut command)?;
        let explanation = if built.success { String::new() } else { built.explanation() };
        let places = |error: cargo::Diagnostic| {
            let text = error.text;
            error.places.into_iter().map(move |(file, line)| (file, line, text.clone()))
        };
        let errors = built.errors.into_iter().flat_map(places).collect();
        Ok(ShadowCheck { success: built.success, errors, explanation })
    }

    /// Runs all tests of the package, as its author would.
    pub fn test(&self) -> Result<ShadowTests, Error> {
        let mut command = self.cargo("test");
        let (done, hung) = cargo::output_within(command.arg("--no-fail-fast"), MAX_TESTS)?;
        let mut output = String::from_utf8_lossy(&done.stdout).into_owned();
        output.push_str(&String::from_utf8_lossy(&done.stderr));
        Ok(ShadowTests { success: done.status.success() && !hung, output, hung })
    }

    pub(crate) fn features(&self) -> &Features {
        &self.features
    }

    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let library = self.library.join("testsmith").display().to_string();
        let mut command = Command::new("cargo");
        command.arg("--config").arg(format!("patch.crates-io.testsmith.path={library:?}"));
        command.arg(subcommand).current_dir(&self.package);
        command.env("CARGO_TARGET_DIR", &self.target).env("CARGO_TERM_COLOR", "never");
        // It is built to be run once, not to be debugged or built again.
        for (variable, off) in UNNEEDED {
            command.env(variable, off);
        }
        for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_BOOTSTRAP"] {
            command.env_remove(variable);
        }
        let Features { all, no_default, named } = &self.features;
        if *all {
            command.arg("--all-features");
        }
        if *no_default {
            command.arg("--no-default-features");
        }
        if !named.is_empty() {
            command.arg("--features").arg(named.join(","));
        }
        command
    }
}

/// How a copy is made.
struct Copied {
    workspace: PathBuf,
    /// How many files there were so far.
    files: usize,
}

/// Copies sources; what cargo has built, and what others keep beside them, is left.
fn copy(from: &Path, to: &Path, copied: &mut Copied) -> Result<(), Error> {
    std::fs::create_dir_all(to).map_err(Error::io(to))?;
    for entry in std::fs::read_dir(from).map_err(Error::io(from))?.flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if !is_aside(&from) {
                copy(&from, &to, copied)?;
            }
        } else if from.is_file() {
            copied.files += 1;
            if copied.files > MAX_FILES {
                let what = copied.workspace.display().to_string();
                let why = format!("it has more than {MAX_FILES} files, which are not copied");
                return Err(Error::Build { what, why });
            }
            copy_file(&from, &to, &copied.workspace)?;
        }
    }
    Ok(())
}

/// A copy that can be written, whatever the original is.
fn copy_file(from: &Path, to: &Path, workspace: &Path) -> Result<(), Error> {
    let text = std::fs::read(from).map_err(Error::io(from))?;
    let is_manifest = from.file_name().is_some_and(|name| name == "Cargo.toml");
    match (is_manifest, String::from_utf8(text)) {
        (true, Ok(text)) => {
            let folder = from.parent().expect("a file lies in a folder");
            let text = with_whole_paths(&text, folder, workspace);
            std::fs::write(to, text).map_err(Error::io(to))
        }
        (_, Ok(text)) => std::fs::write(to, text).map_err(Error::io(to)),
        (_, Err(bytes)) => std::fs::write(to, bytes.as_bytes()).map_err(Error::io(to)),
    }
}

/// Dependencies that are not copied are found from anywhere.
fn with_whole_paths(manifest: &str, folder: &Path, workspace: &Path) -> String {
    const PATH: &str = "path = \"../";
    let mut text = String::new();
    let mut rest = manifest;
    while let Some(at) = rest.find(PATH) {
        let (before, path) = rest.split_at(at + "path = \"".len());
        text.push_str(before);
        let end = path.find('"').unwrap_or(path.len());
        let whole = folder.join(&path[..end]).canonicalize();
        match whole {
            Ok(whole) if !whole.starts_with(workspace) => {
                text.push_str(&whole.display().to_string())
            }
            _ => text.push_str(&path[..end]),
        }
        rest = &path[end..];
    }
    text + rest
}

fn is_aside(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    matches!(name, ".git" | "target" | "testsmith.out" | "node_modules")
        || folder.join("CACHEDIR.TAG").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_are_sources_and_paths_above_are_whole() {
        let (theirs, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = theirs.path().join("mine");
        for folder in ["src", "target/debug", ".git", "testsmith.out"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
            std::fs::write(root.join(folder).join("a.rs"), "fn a() {}").unwrap();
        }
        std::fs::create_dir_all(theirs.path().join("other")).unwrap();
        let manifest = "[dependencies]\nother = { path = \"../other\", version = \"1\" }\n";
        std::fs::write(root.join("Cargo.toml"), manifest).unwrap();
        let lab = Lab::open(ours.path(), &ours.path().join("target"), Path::new("none")).unwrap();
        let shadow = lab.shadow(&root, &root, &Features::default()).unwrap();
        assert!(shadow.root.join("src/a.rs").exists());
        for folder in ["target", ".git", "testsmith.out"] {
            assert!(!shadow.root.join(folder).exists(), "{folder}");
        }
        let copied = std::fs::read_to_string(shadow.root.join("Cargo.toml")).unwrap();
        let other = theirs.path().join("other").canonicalize().unwrap();
        assert!(copied.contains(&format!("path = \"{}\"", other.display())), "{copied}");
        assert!(copied.ends_with("\n[workspace]\n"), "{copied}");
        shadow.write(Path::new("src/a.rs"), "fn b() {}").unwrap();
        assert_eq!(std::fs::read_to_string(root.join("src/a.rs")).unwrap(), "fn a() {}");
        assert_eq!(std::fs::read_to_string(root.join("Cargo.toml")).unwrap(), manifest);
    }
}
