//! The library as a dependency in a manifest that does not have it yet.

use super::source::{Insertions, inserted};
use anyhow::{Context, Result, bail};

/// The lines that make the library a dependency; none if it is one.
pub(super) fn with_library(manifest: &str) -> Result<Insertions> {
    let table: toml::Table = toml::from_str(manifest).context("the manifest cannot be read")?;
    if has_library(&table) {
        return Ok(Insertions::new());
    }
    let line = format!("testsmith = {:?}", env!("CARGO_PKG_VERSION"));
    let lines: Vec<&str> = manifest.lines().collect();
    let header = |line: &str| line.split('#').next().unwrap_or_default().trim() == "[dependencies]";
    let insertions = match lines.iter().position(|line| header(line)) {
        Some(at) => {
            let section =
                lines[at + 1..].iter().take_while(|line| !line.trim_start().starts_with('['));
            let used = section.enumerate().filter(|(_, line)| !line.trim().is_empty());
            let last = used.last().map_or(0, |(n, _)| n + 1);
            Insertions::from([(at + last + 2, vec![line])])
        }
        None => {
            let new = vec![String::new(), "[dependencies]".to_owned(), line];
            Insertions::from([(lines.len() + 1, new)])
        }
    };
    let new: Option<toml::Table> = toml::from_str(&inserted(manifest, &insertions)).ok();
    if !new.as_ref().is_some_and(has_library) {
        bail!(
            "the manifest is written in a way to which `testsmith` cannot be added as a dependency; add it first"
        );
    }
    Ok(insertions)
}

fn has_library(manifest: &toml::Table) -> bool {
    let section = manifest.get("dependencies").and_then(toml::Value::as_table);
    section.is_some_and(|section| section.contains_key("testsmith"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(manifest: &str, wanted: &str) {
        let insertions = with_library(manifest).unwrap();
        let wanted = wanted.replace("VERSION", env!("CARGO_PKG_VERSION"));
        assert_eq!(inserted(manifest, &insertions), wanted);
    }

    #[test]
    fn the_library_becomes_a_dependency_once() {
        check(
            "[package]\nname = \"a\"\n\n[dependencies]\nb = \"1\"\n\n[features]\n",
            "[package]\nname = \"a\"\n\n[dependencies]\nb = \"1\"\ntestsmith = \"VERSION\"\n\n[features]\n",
        );
        check(
            "[package]\nname = \"a\"\n",
            "[package]\nname = \"a\"\n\n[dependencies]\ntestsmith = \"VERSION\"\n",
        );
        check(
            "[dependencies] # few\n[lints]\n",
            "[dependencies] # few\ntestsmith = \"VERSION\"\n[lints]\n",
        );
        check(
            "[dependencies.b]\nversion = \"1\"",
            "[dependencies.b]\nversion = \"1\"\n\n[dependencies]\ntestsmith = \"VERSION\"\n",
        );
        let there = "[dependencies]\ntestsmith = { path = \"x\" }\n";
        check(there, there);
        check(
            "[dependencies.testsmith]\npath = \"x\"\n",
            "[dependencies.testsmith]\npath = \"x\"\n",
        );
        assert!(with_library("dependencies = { b = \"1\" }\n").is_err());
        assert!(with_library("[dependencies\n").is_err());
    }
}
