//! Puts the sources of the `testsmith` library into the command, so that it can
//! build a harness wherever it was installed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let workspace = here.parent().expect("the package lies in the workspace");
    let mut text = String::from("pub const SOURCES: &[(&str, &str)] = &[\n");
    for name in ["testsmith", "testsmith-macros"] {
        let package = workspace.join(name);
        println!("cargo::rerun-if-changed={}", package.join("Cargo.toml").display());
        println!("cargo::rerun-if-changed={}", package.join("src").display());
        let manifest = manifest(&package.join("Cargo.toml"));
        writeln!(text, "    (\"{name}/Cargo.toml\", {manifest:?}),").expect("a string takes all");
        let mut files = vec![];
        list(&package.join("src"), &mut files);
        files.sort();
        for file in files {
            let inside = file.strip_prefix(workspace).expect("found below it");
            let inside = inside.display().to_string().replace('\\', "/");
            writeln!(text, "    ({inside:?}, include_str!({:?})),", file.display().to_string())
                .expect("a string takes all");
        }
    }
    text.push_str("];\n");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("library.rs"), text).expect("the build folder is writable");
}

/// The manifest without what it takes from the workspace, and without its tests' needs.
/// The version of the whole workspace is that of this package.
fn manifest(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("the library lies beside this package");
    let mut kept = String::new();
    let mut section = "";
    for line in text.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let inherited = match line.trim() {
            "version.workspace = true" => Some(("version", "CARGO_PKG_VERSION")),
            "rust-version.workspace = true" => Some(("rust-version", "CARGO_PKG_RUST_VERSION")),
            "edition.workspace = true" => {
                kept.push_str("edition = \"2024\"\n");
                continue;
            }
            _ => None,
        };
        if let Some(dependency) = dependency(line).filter(|_| section == "[dependencies]") {
            writeln!(kept, "{dependency}").expect("a string takes all");
        } else if let Some((key, variable)) = inherited {
            let value = std::env::var(variable).expect("cargo sets it");
            writeln!(kept, "{key} = {value:?}").expect("a string takes all");
        } else if !matches!(section, "[lints]" | "[dev-dependencies]")
            && !line.ends_with("workspace = true")
        {
            writeln!(kept, "{line}").expect("a string takes all");
        }
    }
    kept
}

/// A dependency with what the workspace says of it; none if the line is no such thing.
fn dependency(line: &str) -> Option<String> {
    let (name, more) = match line.strip_suffix(".workspace = true") {
        Some(name) => (name, ""),
        None => line.strip_suffix('}')?.split_once(" = { workspace = true")?,
    };
    println!("cargo::rerun-if-changed=../Cargo.toml");
    let root = std::fs::read_to_string("../Cargo.toml").expect("the workspace has a manifest");
    let given = root.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    let given = given.unwrap_or_else(|| panic!("the workspace names no version of {name}"));
    let given = match given.strip_prefix('{') {
        // The libraries lie side by side where they are unpacked.
        Some(table) => table.trim_end_matches('}').replace("path = \"", "path = \"../"),
        None => format!("version = {given}"),
    };
    Some(format!("{name} = {{ {}{} }}", given.trim(), more.trim_end()))
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the sources lie beside this package");
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
