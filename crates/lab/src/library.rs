//! The `testsmith` library that a harness is built against.
//!
//! A package that has it already has it from somewhere, and its types implement
//! the traits of that one: so must the harness. Any other package gets the
//! sources that are part of this command.

use std::path::Path;

use crate::Error;
use crate::lab::write_if_changed;
use serde_json::Value;

include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// How to depend on the library that is among the packages, if it is.
pub(crate) fn dependency_among(packages: &[Value]) -> Option<String> {
    let library = packages.iter().find(|package| package["name"] == "testsmith")?;
    let Some(source) = library["source"].as_str() else {
        let folder = Path::new(library["manifest_path"].as_str()?).parent()?;
        return Some(by_path(folder));
    };
    let Some(git) = source.strip_prefix("git+") else {
        return Some(format!("\"={}\"", library["version"].as_str()?));
    };
    let git = git.split('#').next()?;
    let (url, reference) = git.split_once('?').unwrap_or((git, ""));
    let reference = match reference.split_once('=') {
        Some((kind, name)) => format!(", {kind} = {name:?}"),
        None => String::new(),
    };
    Some(format!("{{ git = {url:?}{reference} }}"))
}

/// Writes the sources of this command below a folder, and says how to depend on them.
pub(crate) fn unpack(folder: &Path) -> Result<String, Error> {
    for (path, text) in LIBRARY {
        write_if_changed(&folder.join(path), text.as_bytes())?;
    }
    Ok(by_path(&folder.join("testsmith")))
}

fn by_path(folder: &Path) -> String {
    format!("{{ path = {:?} }}", folder.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn dependency(source: Value) -> Option<String> {
        let manifest = "/somewhere/testsmith/Cargo.toml";
        let package = json!({"name": "testsmith", "version": "0.3.1", "source": source,
            "manifest_path": manifest});
        dependency_among(&[json!({"name": "other"}), package])
    }

    #[test]
    fn the_harness_takes_the_library_from_where_the_package_has_it() {
        let path = dependency(Value::Null).expect("it is there");
        assert_eq!(path, "{ path = \"/somewhere/testsmith\" }");
        let registry = dependency(json!("registry+https://index.example"));
        assert_eq!(registry.expect("it is there"), "\"=0.3.1\"");
        let git = dependency(json!("git+https://host.example/repo?branch=next#0a1b2c"));
        let expected = "{ git = \"https://host.example/repo\", branch = \"next\" }";
        assert_eq!(git.expect("it is there"), expected);
        assert_eq!(dependency_among(&[json!({"name": "other"})]), None);
    }

    #[test]
    fn the_embedded_manifests_need_no_workspace() {
        let manifests = LIBRARY.iter().filter(|(path, _)| path.ends_with("Cargo.toml"));
        let manifests: Vec<_> = manifests.collect();
        assert_eq!(manifests.len(), 2);
        for (path, text) in manifests {
            assert!(!text.contains("workspace"), "{path}: {text}");
            assert!(text.contains("version = \"") && text.contains("edition = "), "{path}: {text}");
        }
    }
}
