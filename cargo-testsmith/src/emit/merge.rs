//! Adds tests to a file of ours that has others already.

use super::source::TestSource;
use std::collections::{BTreeMap, BTreeSet};

/// The new file with the tests of an old one before its own; none if one of them is no Rust.
/// What both import is imported once. Tests of the same name are those of the new file.
pub fn merged(old: &str, new: &str) -> Option<String> {
    let (before, after) = (TestSource::read(old).ok()?, TestSource::read(new).ok()?);
    let mut imports = imports_of(old)?;
    imports.extend(imports_of(new)?);
    let is_new = |name: &str| after.tests.iter().any(|test| test.name == name);
    let kept = before.tests.iter().filter(|test| !is_new(&test.name));
    let tests: Vec<&str> = kept.chain(&after.tests).map(|test| test.text.trim_end()).collect();
    let head: String = head_of(new).map(|line| format!("{line}\n")).collect();
    let head = head.trim_end();
    let imports: String = lines(&imports).iter().map(|line| format!("{line}\n")).collect();
    let text = format!("{head}\n\n{imports}\n{}\n", tests.join("\n\n"));
    Some(testsmith_lab::format(&text))
}

/// All that stands above the imports.
fn head_of(text: &str) -> impl Iterator<Item = &str> {
    let is_head = |line: &&str| {
        let starts = ["//!", "#![", "extern crate"];
        line.is_empty() || starts.iter().any(|start| line.starts_with(start))
    };
    text.lines().take_while(is_head)
}

/// What a file imports, path by path.
fn imports_of(text: &str) -> Option<BTreeSet<String>> {
    let file = syn::parse_file(text).ok()?;
    let mut found = BTreeSet::new();
    for item in &file.items {
        if let syn::Item::Use(item) = item {
            flatten(&item.tree, "", &mut found);
        }
    }
    Some(found)
}

fn flatten(tree: &syn::UseTree, before: &str, found: &mut BTreeSet<String>) {
    match tree {
        syn::UseTree::Path(path) => {
            flatten(&path.tree, &format!("{before}{}::", path.ident), found)
        }
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|tree| flatten(tree, before, found));
        }
        syn::UseTree::Name(name) => drop(found.insert(format!("{before}{}", name.ident))),
        syn::UseTree::Rename(name) => {
            found.insert(format!("{before}{} as {}", name.ident, name.rename));
        }
        _ => drop(found.insert(format!("{before}*"))),
    }
}

/// One line for each folder of names.
fn lines(imports: &BTreeSet<String>) -> Vec<String> {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in imports {
        let (folder, name) = path.rsplit_once("::").unwrap_or(("", path));
        folders.entry(folder).or_default().push(name);
    }
    let line = |(folder, names): (&str, Vec<&str>)| match (folder, &names[..]) {
        ("", names) => names.iter().map(|name| format!("use {name};")).collect::<String>(),
        (folder, [name]) => format!("use {folder}::{name};"),
        (folder, names) => format!("use {folder}::{{{}}};", names.join(", ")),
    };
    folders.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_both_stand_in_one_file() {
        let old = "//! Old.\n#![allow(clippy::all)]\n\nuse a::{Shelf, b::C};\n\n\
                   /// One.\n#[test]\nfn one() {\n    x();\n}\n";
        let new = "//! New.\n#![allow(clippy::all)]\n\nuse a::Pantry;\nuse a::Shelf;\n\n\
                   #[test]\nfn two() {\n    y();\n}\n";
        let wanted = "//! New.\n#![allow(clippy::all)]\n\nuse a::b::C;\nuse a::{Pantry, Shelf};\n\n\
                      /// One.\n#[test]\nfn one() {\n    x();\n}\n\n#[test]\nfn two() {\n    y();\n}\n";
        let text = merged(old, new).expect("both are Rust");
        assert_eq!(imports_of(&text), imports_of(wanted));
        let parts = |text: &str| text.split("\n\n").skip(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(parts(&text), parts(wanted));
        assert!(text.starts_with("//! New.\n#![allow(clippy::all)]\n"));
        assert_eq!(merged("fn (", new), None);
    }
}
