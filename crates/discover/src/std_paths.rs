//! Where the standard library lets one import what it defines.
//!
//! Definitions sit in private modules of `core` and `alloc`; what is
//! importable is nearly always the first module and the name. The exceptions
//! are listed.

/// `core::iter::traits::iterator::Iterator` becomes `std::iter::Iterator`.
pub fn importable(definition: &[String]) -> String {
    let name = definition.last().map_or("", String::as_str);
    let modules: Vec<&str> = definition.iter().skip(1).map(String::as_str).collect();
    let first = modules.first().copied().unwrap_or("");
    let has = |module: &str| modules.iter().rev().skip(1).any(|m| *m == module);
    if modules.len() <= 1 {
        return format!("std::{name}");
    }
    if first == "collections" {
        return collection(&modules, name);
    }
    match name {
        "RandomState" | "DefaultHasher" => return format!("std::hash::{name}"),
        "CStr" | "CString" | "OsStr" | "OsString" => return format!("std::ffi::{name}"),
        _ => {}
    }
    for (outer, inner) in [("sync", "atomic"), ("sync", "mpsc"), ("str", "pattern"), ("task", "")] {
        if first == outer && has(inner) {
            return format!("std::{outer}::{inner}::{name}");
        }
    }
    match first {
        "core_arch" | "core_simd" => format!("std::{}", modules.join("::")),
        "unicode" => format!("std::char::{name}"),
        "bstr" => format!("std::bstr::{name}"),
        // The whole of `os` has no re-exports to go by.
        "os" => format!("std::{}", modules.join("::")),
        _ => format!("std::{first}::{name}"),
    }
}

fn collection(modules: &[&str], name: &str) -> String {
    const TOP: [&str; 8] = [
        "BTreeMap",
        "BTreeSet",
        "HashMap",
        "HashSet",
        "VecDeque",
        "BinaryHeap",
        "LinkedList",
        "TryReserveError",
    ];
    if TOP.contains(&name) {
        return format!("std::collections::{name}");
    }
    let module = match (modules.get(1), modules.get(2)) {
        (Some(&"btree"), Some(&"map")) => "btree_map",
        (Some(&"btree"), Some(&"set")) => "btree_set",
        (Some(&"hash"), Some(&"map")) => "hash_map",
        (Some(&"hash"), Some(&"set")) => "hash_set",
        (Some(module), _) => module,
        _ => "",
    };
    format!("std::collections::{module}::{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(definition: &str, expected: &str) {
        let path: Vec<String> = definition.split("::").map(str::to_owned).collect();
        assert_eq!(importable(&path), expected);
    }

    #[test]
    fn definitions_become_what_a_person_would_import() {
        check("core::option::Option", "std::option::Option");
        check("core::iter::traits::iterator::Iterator", "std::iter::Iterator");
        check("alloc::collections::btree::map::BTreeMap", "std::collections::BTreeMap");
        check("alloc::collections::btree::map::Range", "std::collections::btree_map::Range");
        check("std::collections::hash::map::HashMap", "std::collections::HashMap");
        check("alloc::collections::vec_deque::iter::Iter", "std::collections::vec_deque::Iter");
        check("std::hash::random::RandomState", "std::hash::RandomState");
        check("core::slice::iter::Iter", "std::slice::Iter");
        check("core::net::ip_addr::Ipv4Addr", "std::net::Ipv4Addr");
        check("core::sync::atomic::AtomicUsize", "std::sync::atomic::AtomicUsize");
    }
}
