//! Paths made short: what a file imports, and how its code then names things.
//!
//! Works on templates and types only, before any literal is put into them, so
//! no text of a literal is ever taken for a path.

use std::collections::{BTreeMap, BTreeSet};
use testsmith_model::Plan;
use testsmith_model::call::Form;
use testsmith_model::troubled;
use testsmith_model::ty::Ty;

/// Names that every file has without importing them.
const PRELUDE: [&str; 16] = [
    "std::option::Option",
    "std::result::Result",
    "std::vec::Vec",
    "std::string::String",
    "std::boxed::Box",
    "std::clone::Clone",
    "std::default::Default",
    "std::iter::Iterator",
    "std::iter::DoubleEndedIterator",
    "std::iter::ExactSizeIterator",
    "std::iter::Extend",
    "std::iter::FromIterator",
    "std::iter::IntoIterator",
    "std::convert::From",
    "std::convert::AsRef",
    "std::string::ToString",
];

/// Traits that are among these names only since 2021, with the function that needs them.
const LATE: [(&str, &str); 2] =
    [("std::iter::FromIterator", "::from_iter("), ("std::convert::TryFrom", "::try_from(")];

/// What may be imported, and what one file came to import.
pub(crate) struct Imports {
    /// Paths of types and traits that the plan mentions.
    known: BTreeSet<String>,
    /// Those of traits: whoever imports one has its methods, too.
    traits: BTreeSet<String>,
    /// Short name to path.
    used: BTreeMap<String, String>,
    /// Whether the edition has all the names that are there without importing them.
    has_late: bool,
}

impl Imports {
    pub(crate) fn new(plan: &Plan) -> Imports {
        let mut known: BTreeSet<String> = PRELUDE.iter().map(|path| (*path).to_owned()).collect();
        for info in &plan.types {
            info.ty.walk(&mut |ty| {
                // What stands beside the tests has its name from there.
                if let Ty::Adt { path, .. } = ty
                    && !troubled::is_named_in(path)
                {
                    known.insert(path.clone());
                }
            });
        }
        let traits = plan.operations.iter().filter_map(|operation| match &operation.call.form {
            Form::TraitMember { of: Some(_), trait_, .. } => Some(trait_.path.clone()),
            _ => None,
        });
        let traits: BTreeSet<String> = traits.collect();
        known.extend(traits.iter().cloned());
        let has_late = !matches!(plan.edition.as_str(), "2015" | "2018");
        Imports { known, traits, used: BTreeMap::new(), has_late }
    }

    /// Imports the traits whose functions a test calls on a type, where the edition does not.
    pub(crate) fn add_late(&mut self, test: &str) {
        for (path, call) in LATE {
            if !self.has_late && test.contains(call) {
                self.short(path);
            }
        }
    }

    /// The text with every known path in it made short.
    pub(crate) fn shorten(&mut self, text: &str) -> String {
        self.shortened(text, true)
    }

    /// The same for the paths of types only, which changes nothing but the text.
    pub(crate) fn shorten_types(&mut self, text: &str) -> String {
        self.shortened(text, false)
    }

    fn shortened(&mut self, text: &str, traits: bool) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = path_end(rest);
            out.push_str(&self.shorten_path(&rest[..end], traits));
            rest = &rest[end..];
        }
        out.push_str(rest);
        out
    }

    /// `a::b::Type::f` as `Type::f`.
    fn shorten_path(&mut self, path: &str, traits: bool) -> String {
        let mut end = path.len();
        loop {
            let head = &path[..end];
            if self.known.contains(head) && (traits || !self.traits.contains(head)) {
                return match self.short(head) {
                    Some(short) => format!("{short}{}", &path[end..]),
                    None => path.to_owned(),
                };
            }
            match head.rfind("::") {
                Some(cut) => end = cut,
                None => return path.to_owned(),
            }
        }
    }

    /// The last word of a path, unless it already stands for something else.
    fn short(&mut self, path: &str) -> Option<String> {
        let name = path.rsplit("::").next().unwrap_or(path).to_owned();
        let is_there = |known: &&&str| self.has_late || LATE.iter().all(|(late, _)| late != *known);
        let is_it = |known: &&&str| known.rsplit("::").next() == Some(&name);
        let prelude = PRELUDE.iter().filter(is_there).find(is_it);
        if let Some(known) = prelude {
            return (*known == path).then_some(name);
        }
        if !path.contains("::") {
            return None;
        }
        let taken = self.used.entry(name.clone()).or_insert_with(|| path.to_owned());
        (taken == path).then_some(name)
    }

    /// The `use` lines, one for each folder of names.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for path in self.used.values() {
            if let Some((folder, name)) = path.rsplit_once("::") {
                folders.entry(folder).or_default().push(name);
            }
        }
        let line = |(folder, mut names): (&str, Vec<&str>)| {
            names.sort_unstable();
            match names.as_slice() {
                [name] => format!("use {folder}::{name};"),
                names => format!("use {folder}::{{{}}};", names.join(", ")),
            }
        };
        folders.into_iter().map(line).collect()
    }
}

/// Where the words joined by `::` at the start of the text end.
fn path_end(text: &str) -> usize {
    let mut at = 0;
    loop {
        let word = text[at..].find(|c: char| !c.is_alphanumeric() && c != '_');
        at += word.unwrap_or(text.len() - at);
        let more = text[at..].strip_prefix("::");
        match more {
            Some(more) if more.starts_with(|c: char| c.is_alphabetic() || c == '_') => at += 2,
            _ => return at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports() -> Imports {
        let mut imports = Imports::new(&Plan::default());
        for path in ["a::Shelf", "a::map::Iter", "a::set::Iter", "std::cmp::Ordering"] {
            imports.known.insert(path.to_owned());
        }
        imports
    }

    #[test]
    fn paths_are_shortened_and_imported() {
        let mut imports = imports();
        let text = "<a::Shelf<std::option::Option<i32>>>::new(std::cmp::Ordering::Less)";
        assert_eq!(imports.shorten(text), "<Shelf<Option<i32>>>::new(Ordering::Less)");
        assert_eq!(imports.lines(), ["use a::Shelf;", "use std::cmp::Ordering;"]);
    }

    #[test]
    fn a_name_stands_for_one_thing() {
        let mut imports = imports();
        assert_eq!(imports.shorten("a::map::Iter"), "Iter");
        assert_eq!(imports.shorten("a::set::Iter"), "a::set::Iter");
        assert_eq!(imports.shorten("other::Iter"), "other::Iter");
    }
}
