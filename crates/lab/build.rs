//! Puts the sources of the worker and of the `testsmith` library into the lab, so
//! that the tool can build a harness wherever it was installed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let crates = here.parent().expect("the lab lies among its siblings");
    let mut text = String::from("pub const SOURCES: &[(&str, &str)] = &[\n");
    for name in ["engines", "model", "sandbox", "worker"] {
        let source = crates.join(name).join("src");
        println!("cargo::rerun-if-changed={}", source.display());
        let mut files = vec![];
        list(&source, &mut files);
        files.sort();
        for file in files {
            let inside = file.strip_prefix(crates).expect("found below it").display().to_string();
            let inside = inside.replace('\\', "/");
            writeln!(text, "    ({inside:?}, include_str!({:?})),", file.display().to_string())
                .expect("a string takes all");
        }
    }
    text.push_str("];\n");
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("sources.rs"), text).expect("the build folder is writable");
    // What is linked into shadow builds of mutants.
    let switch = crates.join("switch/src");
    println!("cargo::rerun-if-changed={}", switch.display());
    let mut files = vec![];
    list(&switch, &mut files);
    files.sort();
    let mut text = String::from("pub const SWITCH: &[(&str, &str)] = &[\n");
    for file in files {
        let inside = file.strip_prefix(&switch).expect("found below it").display().to_string();
        writeln!(text, "    ({inside:?}, include_str!({:?})),", file.display().to_string())
            .expect("a string takes all");
    }
    text.push_str("];\n");
    std::fs::write(out.join("switch.rs"), text).expect("the build folder is writable");
    let library = library(crates.parent().expect("the crates lie in the workspace"));
    std::fs::write(out.join("library.rs"), library).expect("the build folder is writable");
}

/// The library that puts are written with, and its macros.
fn library(workspace: &Path) -> String {
    let mut text = String::from("pub const LIBRARY: &[(&str, &str)] = &[\n");
    println!("cargo::rerun-if-changed={}", workspace.join("Cargo.toml").display());
    for name in ["testsmith", "testsmith-macros"] {
        let package = workspace.join(name);
        println!("cargo::rerun-if-changed={}", package.join("Cargo.toml").display());
        println!("cargo::rerun-if-changed={}", package.join("src").display());
        let manifest = manifest(&package.join("Cargo.toml"), workspace);
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
    text
}

/// The manifest with what it takes from the workspace written out, and without its
/// tests' needs. The version of the whole workspace is that of this package.
fn manifest(path: &Path, workspace: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("the library lies in the workspace");
    let mut kept = String::new();
    let mut section = "";
    for line in text.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let line = match line.trim() {
            "version.workspace = true" => variable("version", "CARGO_PKG_VERSION"),
            "rust-version.workspace = true" => variable("rust-version", "CARGO_PKG_RUST_VERSION"),
            "edition.workspace = true" => "edition = \"2024\"".to_owned(),
            _ if matches!(section, "[lints]" | "[dev-dependencies]") => continue,
            _ if section == "[dependencies]" => dependency(line, workspace),
            line if line.ends_with("workspace = true") => continue,
            line => line.to_owned(),
        };
        writeln!(kept, "{line}").expect("a string takes all");
    }
    kept
}

fn variable(key: &str, variable: &str) -> String {
    format!("{key} = {:?}", std::env::var(variable).expect("cargo sets it"))
}

/// A dependency with what the workspace says of it.
fn dependency(line: &str, workspace: &Path) -> String {
    let Some((name, rest)) = line.split_once('=') else { return line.to_owned() };
    let name = name.trim().trim_end_matches(".workspace").to_owned();
    if !line.contains("workspace = true") {
        return line.to_owned();
    }
    let rest = rest.replace("workspace = true", "");
    let rest = rest.trim().trim_start_matches('{').trim_end_matches('}');
    let rest = rest.trim().trim_start_matches("true").trim_start_matches(',').trim();
    let text = std::fs::read_to_string(workspace.join("Cargo.toml")).expect("the root's manifest");
    let known = text.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
    let known = known.expect("the workspace knows what its members take from it");
    let known = match known.strip_prefix('{') {
        None => format!("version = {known}"),
        Some(table) => table.trim_end().trim_end_matches('}').trim().to_owned(),
    };
    // The library and its macros lie beside each other.
    let known = known.replace("path = \"", "path = \"../");
    let comma = if rest.is_empty() { "" } else { ", " };
    format!("{name} = {{ {known}{comma}{rest} }}")
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the sources lie beside the lab");
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "txt")
        {
            files.push(path);
        }
    }
}
