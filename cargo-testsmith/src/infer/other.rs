//! The other side of a comparison: a published version, or a revision of the repository
//! that the package lies in.
//!
//! A revision is written to a folder of ours by an index of ours: neither the files of the
//! user nor the state of the repository are touched.

use crate::args::Target;
use crate::exit::Usage;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate to compare with, by what the user calls it.
pub(super) struct Other {
    pub(super) name: String,
    pub(super) target: Target,
}

/// Finds the version or the revision. `package` is the folder of the package, `out` where
/// its runs leave what they built.
pub(super) fn find(
    asked: &str,
    target: &Target,
    name: &str,
    package: &Path,
    out: &Path,
) -> Result<Other> {
    if let Some((krate, version)) = published(asked) {
        if krate != name {
            let why =
                format!("--against compares versions of one crate, and {krate} is not {name}");
            return Err(Usage(why).into());
        }
        let target = Target {
            manifest_path: None,
            package: None,
            krate: Some(asked.to_owned()),
            out_dir: Some(out.to_owned()),
            ..target.clone()
        };
        return Ok(Other { name: version.to_owned(), target });
    }
    if target.krate.is_some() {
        let why = format!("with --crate, --against takes NAME@VERSION, not {asked:?}");
        return Err(Usage(why).into());
    }
    let (checkout, inside) = check_out(asked, package, out)?;
    let manifest = checkout.join(inside).join("Cargo.toml");
    if !manifest.exists() {
        bail!("{asked} has no package where {} is now", package.display());
    }
    stand_alone(&checkout, &manifest)?;
    let target = Target {
        manifest_path: Some(manifest),
        out_dir: Some(checkout.with_extension("out")),
        ..target.clone()
    };
    Ok(Other { name: asked.to_owned(), target })
}

/// `NAME@VERSION`; a revision may have an `@` in it, but no number behind it.
fn published(asked: &str) -> Option<(&str, &str)> {
    let (name, version) = asked.split_once('@')?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_name = !name.is_empty() && name.chars().all(word);
    (is_name && version.starts_with(|c: char| c.is_ascii_digit())).then_some((name, version))
}

/// Writes a revision to a folder of its own, unless it is there; with where the package is
/// inside of it.
fn check_out(asked: &str, package: &Path, out: &Path) -> Result<(PathBuf, PathBuf)> {
    let no_repository = || {
        Usage(format!(
            "--against takes NAME@VERSION, or a revision; but {} is not in a git repository",
            package.display()
        ))
    };
    let top = git(package, &["rev-parse", "--show-toplevel"]).map_err(|_| no_repository())?;
    let top = PathBuf::from(top).canonicalize()?;
    let wanted = format!("{asked}^{{commit}}");
    let commit = git(package, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])
        .map_err(|_| {
        Usage(format!(
            "{asked:?} is neither NAME@VERSION nor a revision of the repository at {}",
            top.display()
        ))
    })?;
    let package = package.canonicalize()?;
    let inside = package.strip_prefix(&top).context("the package lies outside its repository")?;
    let out = std::path::absolute(out)?;
    let folder = out.join("revisions").join(&commit[..commit.len().min(16)]);
    if !folder.exists() {
        let half = folder.with_extension("part");
        let _ = std::fs::remove_dir_all(&half);
        std::fs::create_dir_all(&half)
            .with_context(|| format!("cannot write {}", half.display()))?;
        let index = half.with_extension("index");
        let with_index = |args: &[&str]| run(&top, args, Some(&index));
        with_index(&["read-tree", &commit])?;
        let prefix = format!("--prefix={}/", half.display());
        with_index(&["checkout-index", "--all", &prefix])?;
        let _ = std::fs::remove_file(&index);
        // Only what is whole has the name.
        std::fs::rename(&half, &folder)?;
    }
    Ok((folder, inside.to_owned()))
}

fn git(folder: &Path, args: &[&str]) -> Result<String> {
    run(folder, args, None)
}

fn run(folder: &Path, args: &[&str], index: Option<&Path>) -> Result<String> {
    let mut command = Command::new("git");
    command.args(args).current_dir(folder);
    // A hook that runs us has set these for its own work.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    let done = command.output().context("failed to run git")?;
    if !done.status.success() {
        bail!("git {}: {}", args[0], String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// The folder may lie inside of a workspace that does not know it.
fn stand_alone(checkout: &Path, manifest: &Path) -> Result<()> {
    let has_workspace = |folder: &Path| {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        text.lines().any(|line| line.trim_start().starts_with("[workspace"))
    };
    let mut folders =
        manifest.ancestors().skip(1).take_while(|folder| folder.starts_with(checkout));
    if !folders.any(has_workspace) {
        let text = std::fs::read_to_string(manifest)?;
        std::fs::write(manifest, format!("{text}\n[workspace]\n"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_told_from_a_revision() {
        assert_eq!(published("slab@0.4.9"), Some(("slab", "0.4.9")));
        assert_eq!(published("HEAD@{1}"), None);
        assert_eq!(published("main"), None);
        assert_eq!(published("@1"), None);
        assert_eq!(published("a/b@1"), None);
    }
}
