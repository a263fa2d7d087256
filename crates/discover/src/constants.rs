//! Constants that types are written with: `Aligned<T, ConstAlign<CACHELINE>>`.
//!
//! rustdoc gives the argument as it is written, which means something only inside of the crate.

use crate::paths::Paths;
use rustdoc_types::{Crate, GenericParamDefKind, Generics, Item, ItemEnum};
use std::collections::{BTreeMap, HashSet};

/// By the names that the crate has for them, what stands for them elsewhere: their value, or a
/// path. A name that is also one of a parameter may be either, and is left out.
pub fn named(krate: &Crate, paths: &Paths) -> BTreeMap<String, String> {
    let ours = || krate.index.values().filter(|item| item.crate_id == 0);
    let parameters: HashSet<&str> = ours().filter_map(generics).flat_map(constant_names).collect();
    let each = |item: &Item| {
        let ItemEnum::Constant { const_, .. } = &item.inner else { return None };
        let name = item.name.clone().filter(|name| !parameters.contains(name.as_str()))?;
        let value = const_.value.as_deref().or(Some(&const_.expr)).and_then(number);
        let meaning = value.or_else(|| paths.importable(item.id))?;
        Some((name, meaning))
    };
    let mut found = BTreeMap::new();
    let mut twice = HashSet::new();
    for (name, meaning) in ours().filter_map(each) {
        if found.insert(name.clone(), meaning.clone()).is_some_and(|before| before != meaning) {
            twice.insert(name);
        }
    }
    found.retain(|name, _| !twice.contains(name));
    found
}

fn generics(item: &Item) -> Option<&Generics> {
    match &item.inner {
        ItemEnum::Struct(it) => Some(&it.generics),
        ItemEnum::Enum(it) => Some(&it.generics),
        ItemEnum::Union(it) => Some(&it.generics),
        ItemEnum::Function(it) => Some(&it.generics),
        ItemEnum::Trait(it) => Some(&it.generics),
        ItemEnum::Impl(it) => Some(&it.generics),
        ItemEnum::TypeAlias(it) => Some(&it.generics),
        _ => None,
    }
}

fn constant_names(generics: &Generics) -> impl Iterator<Item = &str> {
    let constants = generics
        .params
        .iter()
        .filter(|param| matches!(param.kind, GenericParamDefKind::Const { .. }));
    constants.map(|param| param.name.as_str())
}

/// A whole number as the compiler writes it, however the crate has spelled it (`3_600`, `0x10`,
/// `7usize`): the same type is to have one name.
pub fn number(spelled: &str) -> Option<String> {
    if !spelled.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number: syn::LitInt = syn::parse_str(spelled).ok()?;
    matches!(number.suffix().as_bytes().first(), None | Some(b'u' | b'i'))
        .then(|| number.base10_digits().to_owned())
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_number_has_one_name_however_it_is_spelled() {
        assert_eq!(number("64usize").as_deref(), Some("64"));
        assert_eq!(number("1_024_u32").as_deref(), Some("1024"));
        assert_eq!(number("0x10").as_deref(), Some("16"));
        assert_eq!(number("7").as_deref(), Some("7"));
        assert_eq!(number("size_of::<T>()"), None);
        assert_eq!(number("0.5f32"), None);
        assert_eq!(number("_"), None);
        assert_eq!(number("{ N + 1 }"), None);
    }
}
