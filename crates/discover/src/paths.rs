//! Importable paths: the walk over modules and re-exports.
//!
//! rustdoc's own `paths` hold definition paths, which may lead through
//! private modules; only the walk knows what a user can write.

use crate::{prose, std_paths};
use rustdoc_types::{Attribute, Crate, Id, Item, ItemEnum, ItemKind, Use, Visibility};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use testsmith_model::api::{ForeignKind, Reexport};

/// Definition paths of other crates, and how they can really be imported, if
/// at all.
pub type Renames = BTreeMap<String, Option<String>>;

pub struct Paths<'c> {
    krate: &'c Crate,
    public: BTreeMap<Id, Vec<String>>,
    /// What the documentation hides can still be named.
    hidden: BTreeMap<Id, Vec<String>>,
    renames: &'c Renames,
    /// Every path of another crate that was asked for.
    foreign: RefCell<BTreeMap<String, ForeignKind>>,
    reexports: Vec<Reexport>,
    /// Modules and items that are public for the crate's own sake, as they say.
    internals: Vec<String>,
}

/// Modules nest less than this in any crate a person wrote.
const MAX_DEPTH: usize = 24;

impl<'c> Paths<'c> {
    pub fn walk(krate: &'c Crate, renames: &'c Renames) -> Paths<'c> {
        let mut paths = Paths::none(krate, renames);
        let name = krate.index[&krate.root].name.clone().unwrap_or_default();
        paths.module(krate.root, &mut Way { path: vec![name], hidden: false }, &mut HashSet::new());
        paths
    }

    /// The paths of another crate that shows these items of this one.
    pub fn shown(krate: &'c Crate, renames: &'c Renames, shown: &[Reexport]) -> Paths<'c> {
        let mut paths = Paths::none(krate, renames);
        for Reexport { of, at, is_glob } in shown {
            let defined = krate.paths.iter().filter(|(_, item)| item.crate_id == 0);
            let found = defined.filter(|(_, item)| item.path == *of).map(|(id, _)| *id);
            let root = (of.len() == 1).then_some(krate.root);
            for id in found.chain(root).collect::<std::collections::BTreeSet<Id>>() {
                let Some(item) = krate.index.get(&id) else { continue };
                let mut way = Way { path: at.clone(), hidden: is_hidden(item) };
                match (&item.inner, way.path.pop()) {
                    (ItemEnum::Module(_), last) => {
                        way.path.extend(last);
                        paths.module(id, &mut way, &mut HashSet::new());
                    }
                    (_, Some(name)) if !is_glob => paths.put(id, &way, &name),
                    _ => {}
                }
            }
        }
        paths
    }

    fn none(krate: &'c Crate, renames: &'c Renames) -> Paths<'c> {
        let (public, hidden, foreign, reexports, internals) = Default::default();
        Paths { krate, public, hidden, renames, foreign, reexports, internals }
    }

    /// The paths of what says that it is there for the crate itself.
    pub fn internals(&self) -> Vec<String> {
        self.internals.clone()
    }

    /// What is shown of other crates than those of Rust itself, none of it hidden.
    pub fn reexports(&self) -> Vec<Reexport> {
        self.reexports.clone()
    }

    /// All public items with their shortest importable path.
    pub fn public(&self) -> impl Iterator<Item = (Id, String)> + '_ {
        self.public.iter().map(|(id, path)| (*id, path.join("::")))
    }

    pub fn is_public(&self, id: Id) -> bool {
        self.public.contains_key(&id)
    }

    /// How code outside the crate names the item, or `None` if it cannot.
    pub fn importable(&self, id: Id) -> Option<String> {
        if let Some(path) = self.public.get(&id).or_else(|| self.hidden.get(&id)) {
            return Some(path.join("::"));
        }
        let summary = self.krate.paths.get(&id)?;
        if summary.crate_id == 0 {
            return None;
        }
        match summary.path.first().map(String::as_str) {
            Some("core" | "alloc" | "std") => Some(std_paths::importable(&summary.path)),
            _ => {
                let path = summary.path.join("::");
                let known = self.renames.get(&path).cloned().flatten();
                let kind = match summary.kind {
                    ItemKind::Trait | ItemKind::TraitAlias => ForeignKind::Trait,
                    _ => ForeignKind::Type,
                };
                self.foreign.borrow_mut().insert(path.clone(), kind);
                Some(known.unwrap_or(path))
            }
        }
    }

    /// Whether no path is known under which a type of another crate can be
    /// imported.
    pub fn is_lost(&self, path: &str) -> bool {
        self.renames.get(path).is_some_and(Option::is_none)
    }

    /// The definition paths of other crates that the API mentions.
    pub fn foreign(&self) -> BTreeMap<String, ForeignKind> {
        self.foreign.borrow().clone()
    }

    fn module(&mut self, id: Id, way: &mut Way, seen: &mut HashSet<Id>) {
        let Some(Item { inner: ItemEnum::Module(module), .. }) = self.krate.index.get(&id) else {
            return;
        };
        // A module that re-exports itself through a glob would not end.
        if way.path.len() > MAX_DEPTH || !seen.insert(id) {
            return;
        }
        // What the crate as a whole says of itself is about all users alike.
        if id != self.krate.root {
            self.note_internal(id, way.path.join("::"));
        }
        for item in module.items.iter().filter_map(|id| self.krate.index.get(id)) {
            if item.visibility == Visibility::Public {
                let outside = way.hidden;
                way.hidden |= is_hidden(item);
                self.item(item, way, seen);
                way.hidden = outside;
            }
        }
        seen.remove(&id);
    }

    fn item(&mut self, item: &'c Item, way: &mut Way, seen: &mut HashSet<Id>) {
        match &item.inner {
            ItemEnum::Module(_) => {
                way.path.push(item.name.clone().unwrap_or_default());
                self.module(item.id, way, seen);
                way.path.pop();
            }
            ItemEnum::Use(import) => {
                let Some(target) = import.id else { return };
                self.note_reexport(target, import, way);
                let is_module = self
                    .krate
                    .index
                    .get(&target)
                    .is_some_and(|item| matches!(item.inner, ItemEnum::Module(_)));
                match (is_module, import.is_glob) {
                    (true, true) => self.module(target, way, seen),
                    (true, false) => {
                        way.path.push(import.name.clone());
                        self.module(target, way, seen);
                        way.path.pop();
                    }
                    (false, true) => {}
                    (false, false) => self.put(target, way, &import.name),
                }
            }
            _ => {
                if let Some(name) = &item.name {
                    self.put(item.id, way, name);
                }
            }
        }
    }

    fn note_reexport(&mut self, target: Id, import: &Use, way: &Way) {
        let Some(summary) = self.krate.paths.get(&target) else { return };
        let rust = ["core", "alloc", "std", "proc_macro"];
        let is_rust = summary.path.first().is_none_or(|first| rust.contains(&first.as_str()));
        if summary.crate_id == 0 || is_rust || way.hidden {
            return;
        }
        let mut at = way.path.clone();
        at.extend((!import.is_glob).then(|| import.name.clone()));
        let of = summary.path.clone();
        self.reexports.push(Reexport { of, at, is_glob: import.is_glob });
    }

    fn note_internal(&mut self, id: Id, path: String) {
        let docs = self.krate.index.get(&id).and_then(|item| item.docs.as_deref());
        if docs.is_some_and(prose::is_internal) {
            self.internals.push(path);
        }
    }

    fn put(&mut self, id: Id, way: &Way, name: &str) {
        self.note_internal(id, format!("{}::{name}", way.path.join("::")));
        let known = if way.hidden { &mut self.hidden } else { &mut self.public };
        let shorter = known.get(&id).is_none_or(|known| known.len() > way.path.len() + 1);
        if shorter {
            let mut path = way.path.clone();
            path.push(name.to_owned());
            known.insert(id, path);
        }
    }
}

/// Where the walk is, and whether something on the way there is hidden.
struct Way {
    path: Vec<String>,
    hidden: bool,
}

/// Hidden from the documentation, or by the convention of two underscores that
/// macros follow for what they add.
pub fn is_hidden(item: &Item) -> bool {
    if item.name.as_deref().is_some_and(|name| name.starts_with("__")) {
        return true;
    }
    item.attrs.iter().any(|attr| match attr {
        Attribute::Other(text) => text.contains("doc(hidden)") || text.contains("Hidden"),
        _ => false,
    })
}

/// How an item of another crate may be imported, by its definition path: the
/// modules on the way may be private, so each shorter path is worth a try. A crate that is none
/// of the `roots` that a test can name may be shown by one of them.
pub fn candidates(definition: &str, roots: &[&str]) -> Vec<String> {
    let parts: Vec<&str> = definition.split("::").collect();
    let Some((name, modules)) = parts.split_last() else { return vec![] };
    let shorter = (1..modules.len()).rev().map(|n| format!("{}::{name}", modules[..n].join("::")));
    let paths: Vec<String> = std::iter::once(definition.to_owned()).chain(shorter).collect();
    if roots.contains(&parts[0]) {
        return paths;
    }
    let through =
        |root: &&str| paths.iter().map(|path| format!("{root}::{path}")).collect::<Vec<_>>();
    roots.iter().flat_map(through).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_may_be_importable_from_any_module_above_it() {
        assert_eq!(candidates("a::b::c::D", &["a"]), ["a::b::c::D", "a::b::D", "a::D"]);
        assert_eq!(candidates("a::D", &["z", "a"]), ["a::D"]);
    }

    #[test]
    fn what_a_test_cannot_name_may_be_shown_by_what_it_can() {
        let through = ["y::a::b::D", "y::a::D", "z::a::b::D", "z::a::D"];
        assert_eq!(candidates("a::b::D", &["y", "z"]), through);
    }
}
