//! Fakes: types that `#[testsmith::fake]` has made, which implement a trait by its contracts.
//!
//! Those of the crate show by a trait of the library that they implement. Those of traits
//! that were written elsewhere stand in the user's test code, as `#[fake(of = path::to::Trait)]`
//! on a public trait, in a file directly in `tests/`; as with oracles, that is read and
//! nothing is resolved.

use rustdoc_types as doc;
use rustdoc_types::{Id, Item, ItemEnum};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use testsmith_model::api::{Fake, MountedFake};

/// What every fake implements.
const MARKER: &str = "testsmith::fakes::Faked";
/// The names of methods of implementations under `#[contract_trait]` begin so.
const WRITTEN: &str = "__write_contract_trait_above_this_impl_for_";

/// The fakes of a crate.
pub fn of(krate: &doc::Crate) -> BTreeSet<Id> {
    let marked = krate.index.values().filter_map(|item| {
        let ItemEnum::Impl(block) = &item.inner else { return None };
        let summary = krate.paths.get(&block.trait_.as_ref()?.id)?;
        match &block.for_ {
            doc::Type::ResolvedPath(path) if summary.path.join("::") == MARKER => Some(path.id),
            _ => None,
        }
    });
    marked.collect()
}

/// Whether a trait is one of those that fakes and their values implement.
pub fn is_ours(krate: &doc::Crate, id: Id) -> bool {
    krate.paths.get(&id).is_some_and(|it| it.path.join("::").starts_with("testsmith::fakes::"))
}

/// The methods that an implementation under `#[contract_trait]` has of its own.
pub fn written<'i>(items: &[&'i Item]) -> HashSet<&'i str> {
    let names = items.iter().filter_map(|item| item.name.as_deref());
    names.map(|name| name.strip_prefix(WRITTEN).unwrap_or(name)).collect()
}

/// Reads the files of a folder of tests, not those of its subfolders.
pub fn fakes(tests: &Path) -> Vec<Fake> {
    let Ok(entries) = std::fs::read_dir(tests) else { return vec![] };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let text = std::fs::read_to_string(file).ok().filter(|text| text.contains("fake"))?;
        Some(of_file(&syn::parse_file(&text).ok()?, file))
    };
    files.iter().filter_map(read).flatten().collect()
}

fn of_file(parsed: &syn::File, file: &Path) -> Vec<Fake> {
    let module = file.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
    let fake = |item: &syn::Item| {
        let syn::Item::Trait(definition) = item else { return None };
        // What is private is for the tests of its own file.
        if !matches!(definition.vis, syn::Visibility::Public(_)) {
            return None;
        }
        let of = definition.attrs.iter().find_map(is_of)?;
        let line = definition.ident.span().start().line as u32;
        let place = (file.display().to_string(), line);
        let path = format!("{module}::Fake{}", definition.ident);
        Some(Fake { path, mounted: Some(MountedFake { module: module.clone(), of, place }) })
    };
    parsed.items.iter().filter_map(fake).collect()
}

/// The trait of `#[fake(of = path::to::Trait)]`.
fn is_of(attribute: &syn::Attribute) -> Option<String> {
    if attribute.path().segments.last()?.ident != "fake" {
        return None;
    }
    let mut found = None;
    let _ = attribute.parse_nested_meta(|meta| {
        if meta.path.is_ident("of") {
            let path: syn::Path = meta.value()?.parse()?;
            let words = path.segments.iter().map(|segment| segment.ident.to_string());
            found = Some(words.collect::<Vec<String>>().join("::"));
        }
        Ok(())
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fakes_of_traits_that_stand_elsewhere_are_read() {
        let source = "#[testsmith::fake(of = shop::Till)]\n#[contract_trait]\npub trait Till {}\n\
                      #[fake(of = Till)]\ntrait Private {}\n#[fake]\npub trait Own {}\n";
        let found = of_file(&syn::parse_file(source).unwrap(), Path::new("tests/my-fakes.rs"));
        let [fake] = found.as_slice() else { panic!("one: {found:?}") };
        let mounted = fake.mounted.as_ref().expect("it stands in the tests");
        assert_eq!(fake.path, "my_fakes::FakeTill");
        assert_eq!((mounted.module.as_str(), mounted.of.as_str()), ("my_fakes", "shop::Till"));
        assert_eq!(mounted.place.1, 3);
    }
}
