//! Instruments chosen crates, through cargo, on stable Rust.
//!
//! Cargo runs the program in `RUSTC_WRAPPER` in place of every rustc. Ours is
//! the tool itself: when [`WRAPPER_VARIABLE`] is set, `main` hands over to
//! [`wrap`], which adds LLVM's SanitizerCoverage pass to the crates named in
//! [`CRATES_VARIABLE`] and runs all others as they are. The engine is never
//! instrumented, or it would count itself.
//!
//! Cargo does not know of these variables: use a target folder of its own per
//! set of crates and [`Detail`].

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, exit};

/// Set to 1 when our executable stands in for rustc.
pub const WRAPPER_VARIABLE: &str = "TESTSMITH_RUSTC_WRAPPER";
/// The names of the crates to instrument, separated by commas, each with
/// `@version` if only that version is meant.
pub const CRATES_VARIABLE: &str = "TESTSMITH_INSTRUMENT";

/// How much is instrumented: `full` or `counters`.
pub const DETAIL_VARIABLE: &str = "TESTSMITH_INSTRUMENT_DETAIL";

/// Set to 1 when nothing is to be said of the style of these crates.
pub const UNLINTED_VARIABLE: &str = "TESTSMITH_UNLINTED";

/// How much instrumented code tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Every block is counted, also those whose count follows from another's,
    /// so that a block says exactly which lines ran; and compared values are
    /// told to the worker. For the build that is attributed to the source.
    #[default]
    Full,
    /// Only as many counters as tell runs apart, and no compared values. For
    /// the fast build.
    Counters,
}

impl Detail {
    fn word(self) -> &'static str {
        match self {
            Detail::Full => "full",
            Detail::Counters => "counters",
        }
    }

    /// What is added to the command line of rustc.
    fn flags(self) -> impl Iterator<Item = &'static str> {
        const COUNTERS: &[&str] = &[
            "-Cpasses=sancov-module",
            "-Cllvm-args=-sanitizer-coverage-level=3",
            "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
            "-Cllvm-args=-sanitizer-coverage-pc-table",
        ];
        const MORE: &[&str] = &[
            "-Cllvm-args=-sanitizer-coverage-trace-compares",
            "-Cllvm-args=-sanitizer-coverage-prune-blocks=0",
        ];
        let more = if self == Detail::Full { MORE } else { &[] };
        COUNTERS.iter().chain(more).copied()
    }
}

/// The variables with which cargo builds these crates (`name` or
/// `name@version`) instrumented.
/// `executable` is ours, whose `main` calls [`wrap`].
pub fn environment(
    executable: &Path,
    crates: &[&str],
    detail: Detail,
) -> [(&'static str, OsString); 4] {
    [
        ("RUSTC_WRAPPER", executable.into()),
        (WRAPPER_VARIABLE, "1".into()),
        (CRATES_VARIABLE, crates.join(",").into()),
        (DETAIL_VARIABLE, detail.word().into()),
    ]
}

/// Stands in for rustc and never comes back. `arguments` are those of the
/// process without its own name: first rustc, then what rustc is told.
pub fn wrap(arguments: impl IntoIterator<Item = OsString>) -> ! {
    let names = std::env::var(CRATES_VARIABLE).unwrap_or_default();
    // Cargo tells rustc which package it compiles.
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let names: Vec<&str> = names.split(',').filter_map(|name| of_version(name, &version)).collect();
    let counters = std::env::var_os(DETAIL_VARIABLE).is_some_and(|word| word == "counters");
    let detail = if counters { Detail::Counters } else { Detail::Full };
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut arguments = instrumented(&arguments, &names, detail);
    let is_capped = |word: &OsString| word.to_string_lossy().starts_with("--cap-lints");
    if std::env::var_os(UNLINTED_VARIABLE).is_some()
        && wanted(&arguments, &names)
        && !arguments.iter().any(is_capped)
    {
        arguments.push("--cap-lints=allow".into());
    }
    let Some((rustc, rest)) = arguments.split_first() else {
        eprintln!("testsmith stands in for rustc here, but cargo named no rustc to run");
        exit(101);
    };
    let mut command = Command::new(rustc);
    command.args(rest);
    let error = run(&mut command);
    eprintln!("failed to run {}: {error}", Path::new(rustc).display());
    exit(101)
}

/// The name in `name@version`, if the version is this one or none is given: a
/// build can hold two versions of a crate, and only one is under test.
fn of_version<'a>(entry: &'a str, version: &str) -> Option<&'a str> {
    match entry.split_once('@') {
        Some((name, wanted)) => (wanted == version).then_some(name),
        None => Some(entry).filter(|name| !name.is_empty()),
    }
}

/// Becomes rustc, so that no process stands between cargo and it.
#[cfg(unix)]
fn run(command: &mut Command) -> std::io::Error {
    use std::os::unix::process::CommandExt;
    command.exec()
}

#[cfg(not(unix))]
fn run(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => exit(status.code().unwrap_or(101)),
        Err(error) => error,
    }
}

/// The command line to run instead of `arguments` (rustc first) when the crates
/// named are to be instrumented. Names may be those of packages: dashes count
/// as underscores.
pub fn instrumented(arguments: &[OsString], crates: &[&str], detail: Detail) -> Vec<OsString> {
    let mut arguments = arguments.to_vec();
    if wanted(&arguments, crates) {
        arguments.extend(detail.flags().map(OsString::from));
    }
    arguments
}

/// Whether this is the compilation of a crate to instrument. A procedural macro
/// runs inside rustc, which has none of our callbacks.
fn wanted(arguments: &[OsString], crates: &[&str]) -> bool {
    let Some(name) = value(arguments, "--crate-name").and_then(OsStr::to_str) else { return false };
    let named = crates.iter().any(|wanted| wanted.replace('-', "_") == name);
    named && value(arguments, "--crate-type").is_none_or(|kind| kind != "proc-macro")
}

/// The value of an option given as `--option value` or `--option=value`.
fn value<'a>(arguments: &'a [OsString], option: &str) -> Option<&'a OsStr> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == option {
            return arguments.next().map(OsString::as_os_str);
        }
        let joined = argument.to_str().and_then(|text| text.strip_prefix(option));
        if let Some(value) = joined.and_then(|rest| rest.strip_prefix('=')) {
            return Some(OsStr::new(value));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, crates: &[&str], expected: bool) {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let result = instrumented(&arguments, crates, Detail::Full);
        assert_eq!(result[..arguments.len()], arguments, "arguments are only added");
        assert_eq!(result.len() > arguments.len(), expected, "{line}");
    }

    #[test]
    fn only_the_named_crates_are_instrumented() {
        let line = "rustc --crate-name my_crate --edition=2024 src/lib.rs --crate-type lib";
        check(line, &["other", "my_crate"], true);
        check(line, &["my-crate"], true);
        check(line, &["my"], false);
        check(line, &[], false);
        check("rustc --crate-name=my_crate src/lib.rs", &["my_crate"], true);
    }

    #[test]
    fn questions_of_cargo_pass_untouched() {
        check("rustc -vV", &["my_crate"], false);
        check("rustc - --crate-name ___ --print=file-names", &["my_crate"], false);
        check("rustc --crate-name", &["my_crate"], false);
    }

    #[test]
    fn procedural_macros_are_left_alone() {
        let line = "rustc --crate-name my_crate --crate-type proc-macro src/lib.rs";
        check(line, &["my_crate"], false);
    }

    #[test]
    fn a_version_may_be_named() {
        assert_eq!(of_version("semver@1.0.2", "1.0.2"), Some("semver"));
        assert_eq!(of_version("semver@1.0.2", "0.9.0"), None);
        assert_eq!(of_version("semver", "0.9.0"), Some("semver"));
        assert_eq!(of_version("", "0.9.0"), None);
    }

    #[test]
    fn the_environment_names_the_wrapper_and_the_crates() {
        let [(wrapper, path), (flag, one), (names, crates), (detail, word)] =
            environment(Path::new("/bin/tool"), &["a", "b"], Detail::Counters);
        assert_eq!((wrapper, path.to_str()), ("RUSTC_WRAPPER", Some("/bin/tool")));
        assert_eq!((flag, one.to_str()), (WRAPPER_VARIABLE, Some("1")));
        assert_eq!((names, crates.to_str()), (CRATES_VARIABLE, Some("a,b")));
        assert_eq!((detail, word.to_str()), (DETAIL_VARIABLE, Some("counters")));
    }
}
