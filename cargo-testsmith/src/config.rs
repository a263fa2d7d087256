//! Options that stand in a file: `testsmith.toml` beside the manifest, or the
//! table `[package.metadata.testsmith]` in it.
//!
//! Only fills in what the command line leaves open. A key that nobody knows
//! and a value of another type are errors, told with file and line.

use crate::args::{Mutants, Paths, Run, Target, duration};
use crate::exit::Usage;
use crate::pipeline::manifest_of;
use anyhow::{Context, Result};
use clap::ArgMatches;
use clap::parser::ValueSource;
use serde::{Deserialize, Deserializer};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testsmith_mutate::operators::OPERATORS;

const FILE: &str = "testsmith.toml";

/// The keys are the long names of the options.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Config {
    #[serde(deserialize_with = "time")]
    budget: Option<Duration>,
    calls: Option<u64>,
    seed: Option<u64>,
    only: Option<Vec<String>>,
    skip: Option<Vec<String>>,
    features: Option<Vec<String>>,
    all_features: Option<bool>,
    no_default_features: Option<bool>,
    suspicious: Option<bool>,
    no_regressions: Option<bool>,
    max_tests: Option<usize>,
    /// Beside the manifest, unless it is absolute.
    output: Option<PathBuf>,
    mutants: MutantsConfig,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MutantsConfig {
    skip: Vec<MutantSkip>,
}

/// Mutants that are not wanted: all that contain what is given here.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutantSkip {
    /// A part of the path of a function.
    #[serde(default)]
    pub function: String,
    /// A part of the path of a file.
    #[serde(default)]
    pub file: String,
    /// An operator, by its whole name.
    pub operator: Option<String>,
    pub why: String,
}

fn time<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    duration(&text).map(Some).map_err(serde::de::Error::custom)
}

/// As much of a manifest as we read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Manifest {
    package: ManifestPackage,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ManifestPackage {
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    testsmith: Option<Config>,
}

impl Config {
    /// The configuration of the package under test; a published crate has none.
    fn find(target: &Target) -> Result<Config> {
        let Some(manifest) = manifest_of(target)? else { return Ok(Config::default()) };
        let folder = manifest.parent().expect("a manifest lies in a folder").to_owned();
        let mut found = Config::read(&manifest, &folder)?;
        if let Some(output) = &mut found.output {
            *output = folder.join(&output);
        }
        Ok(found)
    }

    fn read(manifest: &Path, folder: &Path) -> Result<Config> {
        let inside: Manifest = parse(manifest)?.unwrap_or_default();
        let file = folder.join(FILE);
        match (parse(&file)?, inside.package.metadata.testsmith) {
            (Some(_), Some(_)) => Err(Usage(format!(
                "{} and [package.metadata.testsmith] in {} both hold options; keep one",
                file.display(),
                manifest.display()
            ))
            .into()),
            (Some(config), None) | (None, Some(config)) => Ok(config),
            (None, None) => Ok(Config::default()),
        }
    }
}

fn parse<T: for<'d> Deserialize<'d>>(file: &Path) -> Result<Option<T>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", file.display()));
        }
    };
    match toml::from_str(&text) {
        Ok(read) => Ok(Some(read)),
        Err(error) => Err(Usage(format!("{}: {error}", file.display())).into()),
    }
}

/// Whether an option was given on the command line or in the environment.
fn is_given(matches: &ArgMatches, option: &str) -> bool {
    // `replay` has no paths; what is no option of a command is not given to it.
    let source = matches.try_contains_id(option).ok().and_then(|_| matches.value_source(option));
    matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
}

fn fill<T>(matches: &ArgMatches, option: &str, value: Option<T>, into: &mut T) {
    if let Some(value) = value.filter(|_| !is_given(matches, option)) {
        *into = value;
    }
}

/// Fills in what is common to all commands that look at a crate.
fn fill_target(config: &mut Config, matches: &ArgMatches, target: &mut Target, paths: &mut Paths) {
    fill(matches, "features", config.features.take(), &mut target.features);
    fill(matches, "all_features", config.all_features, &mut target.all_features);
    let no_default = config.no_default_features;
    fill(matches, "no_default_features", no_default, &mut target.no_default_features);
    fill(matches, "only", config.only.take(), &mut paths.only);
    fill(matches, "skip", config.skip.take(), &mut paths.skip);
}

/// The options of the default run, with those of the file.
pub fn for_run(run: &mut Run, matches: &ArgMatches) -> Result<()> {
    let mut config = Config::find(&run.target)?;
    fill_target(&mut config, matches, &mut run.target, &mut run.paths);
    fill(matches, "budget", config.budget, &mut run.budget);
    fill(matches, "seed", config.seed, &mut run.seed);
    fill(matches, "suspicious", config.suspicious, &mut run.suspicious);
    fill(matches, "no_regressions", config.no_regressions, &mut run.no_regressions);
    fill(matches, "max_tests", config.max_tests, &mut run.max_tests);
    fill(matches, "output", config.output.map(Some), &mut run.output);
    // Whoever gives a time does not want calls to be counted.
    if !is_given(matches, "budget") {
        fill(matches, "calls", config.calls.map(Some), &mut run.calls);
    }
    Ok(())
}

/// The options of `list` and `replay`, with those of the file.
pub fn for_target(target: &mut Target, paths: &mut Paths, matches: &ArgMatches) -> Result<()> {
    let mut config = Config::find(target)?;
    fill_target(&mut config, matches, target, paths);
    Ok(())
}

/// The options of `mutants`, with those of the file.
pub fn for_mutants(options: &mut Mutants, matches: &ArgMatches) -> Result<()> {
    let mut config = Config::find(&options.target)?;
    fill_target(&mut config, matches, &mut options.target, &mut Paths::default());
    for skip in &config.mutants.skip {
        let names_nothing =
            skip.function.is_empty() && skip.file.is_empty() && skip.operator.is_none();
        let is_known = |name: &String| OPERATORS.iter().any(|operator| operator.name == name);
        if names_nothing || skip.why.trim().is_empty() {
            let what = "[[mutants.skip]] names a function, a file or an operator, and says why";
            return Err(Usage(what.to_owned()).into());
        }
        if let Some(name) = skip.operator.as_ref().filter(|name| !is_known(name)) {
            return Err(Usage(format!("[[mutants.skip]]: there is no operator {name:?}")).into());
        }
    }
    options.skip = config.mutants.skip;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Command;
    use clap::{CommandFactory, FromArgMatches};

    fn run(manifest: &str, config: Option<&str>, args: &[&str]) -> Result<Run> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Cargo.toml");
        std::fs::create_dir_all(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        let head = "[package]\nname = \"it\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        std::fs::write(&path, format!("{head}{manifest}\n[workspace]\n")).unwrap();
        if let Some(config) = config {
            std::fs::write(folder.path().join(FILE), config).unwrap();
        }
        let manifest = path.display().to_string();
        let all =
            ["testsmith", "--manifest-path", &manifest].into_iter().chain(args.iter().copied());
        let matches = Command::command().get_matches_from(all);
        let mut run = Command::from_arg_matches(&matches).unwrap().run;
        for_run(&mut run, &matches)?;
        Ok(run)
    }

    fn error(manifest: &str, config: Option<&str>) -> String {
        let error = run(manifest, config, &[]).unwrap_err();
        assert!(error.is::<Usage>(), "{error}");
        error.to_string()
    }

    #[test]
    fn the_command_line_comes_first() {
        let config = "budget = \"5m\"\nseed = 7\nskip = [\"take\"]\nmax-tests = 3\ncalls = 9\n";
        let plain = run("", Some(config), &[]).unwrap();
        assert_eq!((plain.budget.as_secs(), plain.seed, plain.max_tests), (300, 7, 3));
        assert_eq!((plain.calls, plain.paths.skip), (Some(9), vec!["take".to_owned()]));
        let given = run("", Some(config), &["--seed", "1", "--budget", "9s"]).unwrap();
        assert_eq!((given.budget.as_secs(), given.seed, given.calls), (9, 1, None));
    }

    #[test]
    fn the_manifest_can_hold_the_options() {
        let inside = "[package.metadata.testsmith]\nsuspicious = true\noutput = \"checks\"\n";
        let run = run(inside, None, &[]).unwrap();
        assert!(run.suspicious);
        assert!(
            run.output.is_some_and(|output| output.is_absolute() && output.ends_with("checks"))
        );
    }

    #[test]
    fn what_makes_no_sense_is_told_with_file_and_line() {
        let unknown = error("", Some("seed = 1\nbudgett = \"5s\"\n"));
        assert!(unknown.contains(FILE) && unknown.contains("line 2"), "{unknown}");
        assert!(unknown.contains("unknown field `budgett`"), "{unknown}");
        let wrong = error("[package.metadata.testsmith]\nseed = \"x\"\n", None);
        assert!(wrong.contains("Cargo.toml") && wrong.contains("line 6"), "{wrong}");
        let time = error("", Some("budget = \"soon\"\n"));
        assert!(time.contains("line 1") && time.contains("is no time"), "{time}");
        let both = error("[package.metadata.testsmith]\nseed = 1\n", Some("seed = 1\n"));
        assert!(both.contains("keep one"), "{both}");
    }
}
