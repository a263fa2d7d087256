//! Puts the sources of the worker into the lab, so that the tool can build a
//! harness wherever it was installed.

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
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the sources lie beside the lab");
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
