//! Packages around emitted tests, built and run as a user would.
//!
//! What is written here is below the folder of the benches; the crate under
//! test is a dependency in exactly one version.

use anyhow::{Context, Result};
use quote::ToTokens;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Makes a package that depends on one version of a crate, with these files in
/// its folder of tests: path below it, and text.
pub fn package(
    folder: &Path,
    name: &str,
    version: &str,
    files: &[(PathBuf, String)],
) -> Result<()> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"tests-of-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
         [dependencies]\n{name} = \"={version}\"\n[workspace]\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("Cargo.lock"), testsmith_lab::lock_naming(name, version))?;
    for (inside, text) in files {
        let file = folder.join("tests").join(inside);
        std::fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
        std::fs::write(&file, text)?;
    }
    Ok(())
}

/// Takes a file of tests apart: each test by name, with the text of a file that
/// holds it and no other. One that does not compile then stands in nobody's way.
pub fn one_by_one(source: &str) -> Result<Vec<(String, String)>> {
    let file = syn::parse_file(source).context("emitted tests are Rust")?;
    let test = |item: &syn::Item| match item {
        syn::Item::Fn(function) => {
            let is_test = function.attrs.iter().any(|attribute| attribute.path().is_ident("test"));
            is_test.then(|| function.sig.ident.to_string())
        }
        _ => None,
    };
    let alone = |name: String| {
        let belongs = |item: &&syn::Item| test(item).is_none_or(|other| other == name);
        let items = file.items.iter().filter(belongs).cloned().collect();
        let text = syn::File { items, ..file.clone() }.to_token_stream().to_string();
        (name, text)
    };
    Ok(file.items.iter().filter_map(test).map(alone).collect())
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    DoesNotCompile,
}

/// Builds a package whose test files hold one test each, named like the file,
/// and runs each in a process of its own, ignored ones too.
pub fn verdicts(
    folder: &Path,
    target: &Path,
    names: impl Iterator<Item = String>,
) -> Result<BTreeMap<String, Verdict>> {
    let built = Command::new("cargo")
        .args(["build", "--tests", "--keep-going", "--quiet", "--message-format=json"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .stdin(Stdio::null())
        .output()?;
    let mut programs: BTreeMap<String, PathBuf> = BTreeMap::new();
    for line in String::from_utf8_lossy(&built.stdout).lines() {
        let message: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        if let (Some(name), Some(program)) =
            (message["target"]["name"].as_str(), message["executable"].as_str())
        {
            programs.insert(name.to_owned(), program.into());
        }
    }
    let mut verdicts = BTreeMap::new();
    for name in names {
        let verdict = match programs.get(&name) {
            None => Verdict::DoesNotCompile,
            Some(program) => {
                let done = Command::new(program)
                    .args(["--include-ignored", "--exact", &name])
                    .current_dir(folder)
                    .stdin(Stdio::null())
                    .output()?;
                if done.status.success() { Verdict::Passed } else { Verdict::Failed }
            }
        };
        verdicts.insert(name, verdict);
    }
    Ok(verdicts)
}
