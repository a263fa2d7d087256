//! The lab: a folder of ours, and cargo set up to work in it.
//!
//! Everything the lab writes lies below its root or in the target folder. Files
//! are only written when they change: cargo looks at times.

use crate::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use testsmith_model::operation::Mount;
use testsmith_model::troubled;

#[derive(Clone, Debug)]
pub struct Lab {
    root: PathBuf,
    target: PathBuf,
    /// Our own executable, which stands in for rustc and rustdoc.
    executable: PathBuf,
    /// Files of the user's that the code built here refers to.
    mounts: Vec<Mount>,
    /// The crate that says which mutant is active, if those of a copy are in what is built here.
    switch: Option<PathBuf>,
}

impl Lab {
    /// Opens or makes the scratch workspace at `root`. Build products go to
    /// `target`, which labs may share.
    pub fn open(root: &Path, target: &Path, executable: &Path) -> Result<Lab, Error> {
        std::fs::create_dir_all(root).map_err(Error::io(root))?;
        let root = root.canonicalize().map_err(Error::io(root))?;
        std::fs::create_dir_all(target).map_err(Error::io(target))?;
        let target = target.canonicalize().map_err(Error::io(target))?;
        Ok(Lab { root, target, executable: executable.to_owned(), mounts: vec![], switch: None })
    }

    /// Lets the code that is built here refer to files of the user's tests, with
    /// all that those may depend on.
    pub fn mount(&mut self, mounts: Vec<Mount>) {
        self.mounts = mounts;
    }

    pub(crate) fn mounts(&self) -> &[Mount] {
        &self.mounts
    }

    /// Links the crate in this folder into harnesses, so that they can switch mutants on.
    pub(crate) fn link_switch(&mut self, folder: PathBuf) {
        self.switch = Some(folder);
    }

    pub(crate) fn switch(&self) -> Option<&Path> {
        self.switch.as_deref()
    }

    /// The items that mount them.
    pub(crate) fn mounted(&self) -> String {
        self.mounts.iter().map(|mount| mount.item(None)).collect()
    }

    /// These, and the module of ours that some code refers to.
    pub(crate) fn modules<'c>(&self, mut code: impl Iterator<Item = &'c str>) -> String {
        let ours = if code.any(troubled::is_named_in) { troubled::SOURCE } else { "" };
        format!("{}{ours}", self.mounted())
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
            // Of what nobody has chosen, the newest that this toolchain can build.
            .env("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback")
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("RUSTC_BOOTSTRAP");
        command
    }
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
