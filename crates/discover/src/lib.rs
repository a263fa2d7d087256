//! From rustdoc JSON and source text to what they say: the public API of a
//! crate, its literals, its oracles, the code at a place.
//!
//! Reads what it is given and runs nothing. Types stay generic; nothing is
//! normalised, because rustc will be asked about every concrete choice.
#![forbid(unsafe_code)]

mod branches;
mod callables;
mod constants;
mod contracts;
mod documented;
mod examples;
mod fakes;
mod ids;
mod literals;
mod oracles;
mod origin;
mod panics;
mod paths;
mod prose;
mod std_paths;
mod types;

use paths::Paths;
use rustdoc_types as doc;
use serde::Deserialize;
use testsmith_model::Api;
use testsmith_model::api::Reexport;

pub use branches::branches;
pub use examples::{Examples, examples};
pub use fakes::fakes;
pub use literals::mine;
pub use oracles::oracles;
pub use origin::origin;
pub use paths::{Renames, candidates};

/// The versions of rustdoc's JSON that this build can read.
pub const SUPPORTED_FORMAT: u32 = doc::FORMAT_VERSION;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "rustdoc wrote JSON format {found}, but this testsmith reads format {SUPPORTED_FORMAT} \
         (rustc 1.95); use that toolchain, or a testsmith built for yours"
    )]
    Format { found: u32 },
    #[error("rustdoc's JSON could not be read: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{place}: the oracle `{name}` cannot be used: {why}")]
    Oracle { place: String, name: String, why: String },
}

/// Reads the JSON that rustdoc wrote for one crate. Paths of other crates are
/// where they are defined; `renames` says where they can be imported.
pub fn read(json: &str, renames: &Renames) -> Result<Api, Error> {
    let krate = parse(json)?;
    let contracts = contracts::read(&krate);
    Ok(Api { contracts, ..callables::collect(&krate, Paths::walk(&krate, renames)) })
}

/// Reads the JSON that rustdoc wrote for a crate of which another one shows these items, under
/// the paths that they have there. What it does not show has no path.
pub fn read_shown(json: &str, renames: &Renames, shown: &[Reexport]) -> Result<Api, Error> {
    let krate = parse(json)?;
    Ok(callables::collect(&krate, Paths::shown(&krate, renames, shown)))
}

/// Where the items are defined that another crate shows, and where they can be imported there.
pub fn shown_at(json: &str, shown: &[Reexport]) -> Result<Renames, Error> {
    let krate = parse(json)?;
    let renames = Renames::new();
    let paths = Paths::shown(&krate, &renames, shown);
    let defined =
        |(id, path): (doc::Id, String)| Some((krate.paths.get(&id)?.path.join("::"), Some(path)));
    Ok(paths.public().filter_map(defined).collect())
}

fn parse(json: &str) -> Result<doc::Crate, Error> {
    #[derive(Deserialize)]
    struct Version {
        format_version: u32,
    }
    let Version { format_version } = serde_json::from_str(json)?;
    if format_version != SUPPORTED_FORMAT {
        return Err(Error::Format { found: format_version });
    }
    let deep = || {
        let mut reader = serde_json::Deserializer::from_str(json);
        reader.disable_recursion_limit();
        doc::Crate::deserialize(&mut reader)
    };
    // Numbers that are types are as deep as they have digits.
    let read = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        thread.spawn_scoped(scope, deep).map(|reading| reading.join())
    });
    match read {
        Ok(Ok(krate)) => Ok(krate?),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // There is no other thread to be had; most JSON is flat.
        Err(_) => Ok(serde_json::from_str(json)?),
    }
}

/// Enough for types of a hundred thousand levels; only what is used of it is taken.
const STACK: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_may_be_deep() {
        let deep = |levels: usize| {
            let ty = r#"{"slice":"#.repeat(levels) + r#"{"primitive":"u8"}"# + &"}".repeat(levels);
            let item = format!(
                r#"{{"id":1,"crate_id":0,"name":"n","span":null,"visibility":"public","docs":null,
                "links":{{}},"attrs":[],"deprecation":null,"inner":{{"type_alias":{{"type":{ty},
                "generics":{{"params":[],"where_predicates":[]}}}}}}}}"#
            );
            let krate = format!(
                r#"{{"root":0,"crate_version":null,"includes_private":false,"index":{{"1":{item}}},
                "paths":{{}},"external_crates":{{}},"target":{{"triple":"","target_features":[]}},
                "format_version":{SUPPORTED_FORMAT}}}"#
            );
            parse(&krate).map(|krate| krate.index.len())
        };
        assert_eq!(deep(1).expect("a type"), 1);
        assert_eq!(deep(300).expect("a deep type"), 1);
    }

    #[test]
    fn an_unknown_format_is_refused_with_the_versions_named() {
        let error = read(r#"{"format_version": 12}"#, &Renames::new()).unwrap_err().to_string();
        assert!(error.contains("format 12"), "{error}");
        assert!(error.contains(&format!("format {SUPPORTED_FORMAT}")), "{error}");
    }
}
