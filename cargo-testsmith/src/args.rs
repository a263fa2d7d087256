//! The arguments, as written by the user.

use crate::config::MutantSkip;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use testsmith_model::{Heuristic, Heuristics};

/// Writes tests for Rust crates, finds the bugs in them, and explains both.
///
/// Without a subcommand: calls the public API of the crate at random for the
/// budget, keeps what fails, makes it small, and writes each violation as a
/// test to `tests/testsmith_failures.rs`. What the crate does now is written
/// down in `tests/testsmith_regressions.rs`, as few tests as reach much of it.
///
/// Exit codes: 0 nothing was found, 100 a violation was found, 101 the run
/// could not be completed, 2 the arguments or the configuration make no sense.
///
/// Options can stand in `testsmith.toml` beside the manifest, or under
/// `[package.metadata.testsmith]` in it, by their long names; the command line
/// comes first.
#[derive(Parser, Debug)]
#[command(
    name = "cargo testsmith",
    bin_name = "cargo testsmith",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true
)]
pub struct Command {
    #[command(subcommand)]
    pub action: Option<Action>,
    #[command(flatten)]
    pub run: Run,
}

#[derive(Args, Debug, Clone)]
pub struct Run {
    #[command(flatten)]
    pub target: Target,
    /// How long to search: 90s, 5m. What was found is made small and written within
    /// half of that again, or 15s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub budget: std::time::Duration,
    /// How many calls to make at random instead; stateful testing adds a fifth of that, and
    /// 60,000 at least, unless it is left out. The same seed then gives the same result
    #[arg(long, value_name = "N")]
    pub calls: Option<u64>,
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How many workers search at once, each from a seed of its own [default:
    /// one less than there are cores, but 1 with --calls]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Start from nothing, not from what earlier runs have left in the out-dir;
    /// with --calls this is so anyway
    #[arg(long)]
    pub fresh: bool,
    /// Search no more: take up what the last run has found and had no time left for
    #[arg(long = "continue", conflicts_with_all = ["calls", "fresh", "jobs", "without"])]
    pub take_up: bool,
    /// Switch parts of the random engine off, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = heuristics())]
    pub without: Vec<Heuristic>,
    /// Compare with a build without overflow checks, whatever the budget
    /// [default: with a budget of 20s or more]
    #[arg(long)]
    pub compare_release: bool,
    #[command(flatten)]
    pub paths: Paths,
    /// Also write suspicious failures: undocumented panics that may be misuse
    #[arg(long)]
    pub suspicious: bool,
    /// Write no tests, only show what was found
    #[arg(long)]
    pub no_write: bool,
    /// Where to write the tests [default: tests beside the manifest, or in the
    /// out-dir for a published crate]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Write no regression tests
    #[arg(long)]
    pub no_regressions: bool,
    /// How many regression tests to write at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub max_tests: usize,
    /// Replace regression tests that the crate no longer passes
    #[arg(long)]
    pub accept: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl Run {
    /// What directs the search.
    pub fn heuristics(&self) -> Heuristics {
        self.without.iter().fold(Heuristics::ALL, |rest, one| rest.without(*one))
    }
}

/// The names of the heuristics, each with what it does.
fn heuristics() -> impl TypedValueParser<Value = Heuristic> {
    let value = |one: Heuristic| PossibleValue::new(one.name()).help(one.what());
    PossibleValuesParser::new(Heuristic::ALL.map(value))
        .map(|name| Heuristic::named(&name).expect("only these are possible"))
}

/// Which operations are meant.
#[derive(Args, Debug, Clone, Default)]
pub struct Paths {
    /// Only operations whose path contains this; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// No operation whose path contains this; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub skip: Vec<String>,
}

/// `90s`, `5m`, `1h 30m`, or a plain number of seconds.
pub(crate) fn duration(text: &str) -> Result<std::time::Duration, String> {
    let plain = text.parse().map(std::time::Duration::from_secs).ok();
    let time = plain.or_else(|| humantime::parse_duration(text).ok());
    time.ok_or_else(|| format!("{text:?} is no time; try 60s or 5m"))
}

#[derive(Subcommand, Debug)]
pub enum Action {
    /// Explore `#[put]` tests by symbolic execution, or any function with --fn.
    ///
    /// Visits the paths of every put, or of those whose path contains NAME, writes
    /// closed tests, and says whether the put holds, fails, or is not decided. Exit
    /// codes: 0 no violation, 100 a put fails, 101 could not complete, 102 something
    /// is not decided (with --strict), 2 wrong usage.
    Explore(Explore),
    /// Show what each function needs and promises, inferred from many calls.
    ///
    /// Calls everything at random, infers contracts from what the public queries of the
    /// values say before and after each call, and makes calls that would break them.
    Infer(Infer),
    /// Change the package in many small ways, and show which changes its tests do not notice.
    ///
    /// All mutants are compiled into one copy of the package, each behind a switch. A test
    /// executable is started once and forks for each run; only the tests that reach a mutant
    /// judge it. Exit codes: 0 done, 100 fewer were noticed than --fail-under asks for, 101
    /// could not complete, 2 wrong usage.
    Mutants(Mutants),
    /// Find calls that bring objects into a state, by the contracts of the crate.
    ///
    /// Looks for the fewest calls after which a precondition or a condition holds, makes
    /// them, and shows what queries answer then. Says of a precondition that nothing meets
    /// whether it contradicts itself or is only out of reach. Exit codes: 0 all was reached,
    /// 100 something was not or a contract is wrong, 101 could not complete, 2 wrong usage.
    ///
    /// Examples:
    ///   cargo testsmith reach Stack::pop
    ///   cargo testsmith reach --state 'Stack: len() == 3 && !is_full()' --count 2
    ///   cargo testsmith reach --all
    #[command(verbatim_doc_comment)]
    Reach(Reach),
    /// Show what earlier runs have left in the store, or take other stores in.
    Store(Store),
    /// Show the rules by which failures are judged, or the laws.
    Explain(Explain),
    /// Remove what runs have left: `testsmith.out` and unedited test files.
    Clean(Clean),
    /// Show what can be called, and what cannot and why.
    ///
    /// Every public function, method, constructor and trait method of the
    /// crate is either an operation, with concrete types that the compiler
    /// accepted, or a skip with its reason.
    List(List),
    /// Run a stored sequence in a fresh process and show each call.
    ///
    /// Exits with 100 if the sequence fails, with 0 if it completes.
    Replay(Replay),
}

/// Which crate is under test.
#[derive(Args, Debug, Clone, Default)]
pub struct Target {
    /// The manifest of the package; the current folder's by default
    #[arg(long, value_name = "PATH", conflicts_with = "krate")]
    pub manifest_path: Option<PathBuf>,
    /// The package of a workspace
    #[arg(short, long, value_name = "NAME")]
    pub package: Option<String>,
    /// A published crate instead: NAME or NAME@VERSION
    #[arg(long = "crate", value_name = "NAME@VERSION", conflicts_with = "package")]
    pub krate: Option<String>,
    /// Features to switch on, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "FEATURES")]
    pub features: Vec<String>,
    /// Switch on all features
    #[arg(long)]
    pub all_features: bool,
    /// Leave the default features off
    #[arg(long)]
    pub no_default_features: bool,
    /// Also call this unsafe function, by its path as `list` shows it or by the end of that;
    /// may be given more than once. What fails after such a call is suspicious at most: nobody
    /// knows whether what it demands was kept
    #[arg(long = "unsafe", value_name = "PATH")]
    pub unsafe_paths: Vec<String>,
    /// Where to keep what is built and learned [default: testsmith.out beside
    /// the manifest, or in the current folder for a published crate]
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,
    /// Where cargo builds the harness; may be shared [default: in the out-dir]
    #[arg(long, value_name = "DIR", env = "TESTSMITH_TARGET_DIR")]
    pub target_dir: Option<PathBuf>,
    /// The executable that stands in for rustc and rustdoc; our own, but for tests
    #[arg(skip)]
    pub executable: Option<PathBuf>,
    /// Say nothing about progress
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    /// For programs; see docs/output.md
    Json,
}

#[derive(Args, Debug, Clone, Default)]
pub struct List {
    #[command(flatten)]
    pub target: Target,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    pub paths: Paths,
    /// Also show the operations on types of the standard library that make arguments
    #[arg(long)]
    pub builders: bool,
    /// Show the contracts written with the testsmith library instead
    #[arg(long)]
    pub contracts: bool,
    /// Show the types instead, and by what two values of each are told apart;
    /// this builds the harness and asks it
    #[arg(long, conflicts_with = "contracts")]
    pub types: bool,
}

#[derive(Args, Debug, Clone)]
pub struct Replay {
    /// The stored sequence, a JSON file
    pub file: PathBuf,
    #[command(flatten)]
    pub target: Target,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Build without debug assertions and overflow checks
    #[arg(long)]
    pub release: bool,
    /// How long one call may take, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 2000)]
    pub call_timeout: u64,
}

#[derive(Args, Debug, Clone)]
pub struct Store {
    #[command(subcommand)]
    pub action: StoreAction,
}

#[derive(Subcommand, Debug, Clone)]
pub enum StoreAction {
    /// How much there is of what
    Stats {
        #[command(flatten)]
        target: Target,
    },
    /// The stored objects of a type that answer so
    Objects {
        /// As in 'Vec: !is_empty && len > 3'
        #[arg(long = "where", value_name = "CONDITION")]
        condition: String,
        /// No more than these
        #[arg(long, value_name = "N", default_value_t = 20)]
        most: usize,
        #[command(flatten)]
        target: Target,
    },
    /// All of it as lines of JSON
    Export {
        #[command(flatten)]
        target: Target,
    },
    /// Take other stores in, as of several machines
    Merge {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        target: Target,
    },
}

#[derive(Args, Debug, Clone)]
pub struct Infer {
    /// Only types and functions whose path contains this
    pub path: Option<String>,
    #[command(flatten)]
    pub target: Target,
    /// How long to call and to try
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration)]
    pub budget: std::time::Duration,
    /// How many calls to make instead; the same seed then gives the same result
    #[arg(long, value_name = "N")]
    pub calls: Option<u64>,
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[arg(long, value_enum, default_value_t)]
    pub format: InferFormat,
    /// For benches: look at each clause again in an independent search with so many calls
    #[arg(long, value_name = "N", hide = true)]
    pub check_calls: Option<u64>,
    /// Print a patch that adds the clauses to the sources as attributes of the testsmith
    /// library, or write it to a file. It was compiled, and the tests of the crate pass with
    /// it; the sources themselves stay as they are
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with = "format"
    )]
    pub patch: Option<Option<PathBuf>>,
    /// Write the clauses as tests to `tests/testsmith_contracts.rs`: each function is tried
    /// with a few of the values that were seen. They were compiled and run before
    #[arg(long, conflicts_with_all = ["patch", "format"])]
    pub tests: bool,
    /// Where to write the tests [default: tests beside the manifest, or in the out-dir for a
    /// published crate]
    #[arg(long, value_name = "DIR", requires = "tests")]
    pub output: Option<PathBuf>,
    /// Tell what changed since another version: NAME@VERSION, or a revision of the git
    /// repository that the package is in. Both are called as often [default: 300000 calls],
    /// with the same seed. Exits with 100 if something changed
    #[arg(long, value_name = "NAME@VERSION|REV", conflicts_with_all = ["patch", "tests"])]
    pub against: Option<String>,
    /// Call nothing: show what earlier runs have left in the store
    #[arg(long, conflicts_with_all = ["patch", "tests", "against", "budget", "calls", "seed"])]
    pub stored: bool,
    /// With --patch and --tests: also clauses that nothing was tried against
    #[arg(long)]
    pub untried: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum InferFormat {
    #[default]
    Text,
    /// One clause a line, for programs
    Json,
    /// Attributes of the testsmith library
    Rust,
}

#[derive(Args, Debug, Clone)]
pub struct Mutants {
    #[command(flatten)]
    pub target: Target,
    /// Show the mutants, and what has none and why; build and run nothing but that
    #[arg(long)]
    pub list: bool,
    /// Only in files whose path contains this; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub file: Vec<String>,
    /// Only in functions whose path contains this; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub function: Vec<String>,
    /// Only by these operators, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = operators())]
    pub operator: Vec<String>,
    /// Only on lines that this diff adds or changes
    #[arg(long, value_name = "FILE")]
    pub in_diff: Option<PathBuf>,
    /// Only on lines that were added or changed since a revision of the git repository
    #[arg(long, value_name = "REV", conflicts_with = "in_diff")]
    pub since: Option<String>,
    /// Only the K-th of N parts of the mutants, for several machines
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<(usize, usize)>,
    /// How much of the processor's time a run of tests may take [default: ten times what it
    /// takes without mutants, and a quarter of a second]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<std::time::Duration>,
    /// How many mutants are judged at once [default: as many as there are cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Write tests for mutants that no test notices, to tests/testsmith_mutants.rs: search so
    /// long for calls that tell them from the original [default: 60s]
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "60s",
          value_parser = duration, conflicts_with = "list")]
    pub kill: Option<std::time::Duration>,
    /// Exit with 100 if less than this percentage of the mutants was noticed
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub fail_under: Option<f64>,
    /// Let the tests change files anywhere, as they may without us
    #[arg(long)]
    pub no_sandbox: bool,
    /// Judge all mutants, also in functions that did not change since the last run
    #[arg(long)]
    pub fresh: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Only in the file of options.
    #[arg(skip)]
    pub skip: Vec<MutantSkip>,
}

/// The names of the operators, each with what it does.
fn operators() -> impl TypedValueParser<Value = String> {
    let value =
        |one: &testsmith_mutate::operators::Operator| PossibleValue::new(one.name).help(one.what);
    PossibleValuesParser::new(testsmith_mutate::operators::OPERATORS.iter().map(value))
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    let parts = parts.filter(|(k, n)| 1 <= *k && k <= n);
    parts.ok_or_else(|| format!("{text:?} is no part; try 1/4"))
}

fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| format!("{text:?} is no percentage; try 80"))
}

#[derive(Args, Debug, Clone)]
pub struct Reach {
    /// Methods whose precondition is to be met: Type::method, or the name of a function
    #[arg(value_name = "METHOD")]
    pub methods: Vec<String>,
    #[command(flatten)]
    pub target: Target,
    /// A state to be reached: a type, a colon and a condition on its queries; may be given
    /// several times
    #[arg(long, value_name = "STATE")]
    pub state: Vec<String>,
    /// Every method with a precondition: which of them can be met, and which cannot
    #[arg(long, conflicts_with_all = ["methods", "state"])]
    pub all: bool,
    /// How many different states to show for each goal
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub count: usize,
    /// Write a test of the calls that lead to each state: tests/testsmith_reach.rs
    #[arg(long)]
    pub write: bool,
    /// How many calls to try at most; 6 by default, and more while that is worth it
    #[arg(long, value_name = "K")]
    pub bound: Option<usize>,
    /// How long to search for each goal
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration)]
    pub time: std::time::Duration,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args, Debug, Clone)]
pub struct Explain {
    #[arg(value_enum)]
    pub topic: Topic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Topic {
    /// What counts as a violation, as suspicious, as illegal
    Policy,
    /// The claims that are checked on values
    Laws,
}

#[derive(Args, Debug, Clone)]
pub struct Clean {
    /// The manifest of the package; the current folder's by default
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
}

#[derive(Args, Debug, Clone)]
pub struct Explore {
    /// Only puts whose path contains this
    #[arg(conflicts_with_all = ["functions", "all"])]
    pub name: Option<String>,
    #[command(flatten)]
    pub target: Target,
    /// A public function instead, of the package or of a dependency: it may not panic,
    /// whatever it is given. `module::*` means all below a module; may be given several
    /// times
    #[arg(long = "fn", value_name = "PATH")]
    pub functions: Vec<String>,
    /// All public functions that can be explored, in one build
    #[arg(long, conflicts_with = "functions")]
    pub all: bool,
    /// Elements per collection and bytes per text for --fn and --all [default: 2, and
    /// then more while there is time]
    #[arg(long, value_name = "N")]
    pub len: Option<u8>,
    /// Time for all functions of --all or of a pattern together
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub budget: std::time::Duration,
    /// auto: the embedded solver, and what it does not decide goes to those of
    /// bitwuzla, cvc5, z3 on the PATH; embedded: nothing else; or one of these, or the
    /// path of one
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub solver: String,
    /// What an external solver may take for one question
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration)]
    pub solver_time: std::time::Duration,
    /// In which order paths are tried
    #[arg(long, value_enum, default_value_t)]
    pub strategy: Strategy,
    /// Paths per put
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub max_paths: usize,
    /// Time per put or function
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub max_time: std::time::Duration,
    /// Instructions per path
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub max_steps: u64,
    /// Decisions per branch and path
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub max_unroll: u32,
    /// Which closed tests to write
    #[arg(long, value_enum, default_value_t)]
    pub keep: Keep,
    /// Show the condition of every path
    #[arg(long)]
    pub explain: bool,
    /// Write no tests, only show what was found
    #[arg(long, alias = "no-emit")]
    pub no_write: bool,
    /// Exit with 102 if something was not decided
    #[arg(long)]
    pub strict: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The crate is another's dependency, whose tests are not ours to write
    #[arg(skip)]
    pub is_dependency: bool,
}

impl Explore {
    /// The arguments as they would be written on the command line after `explore`.
    pub fn from_words(words: &[&str]) -> Result<Explore, clap::Error> {
        let all = ["testsmith", "explore"].into_iter().chain(words.iter().copied());
        match Command::try_parse_from(all)?.action {
            Some(Action::Explore(explore)) => Ok(explore),
            _ => unreachable!("the subcommand is given"),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Deepest first
    #[default]
    Depth,
    /// Shortest first
    Breadth,
    /// Branches not yet taken first
    Coverage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// As many as the branches need, and one for each place that fails
    #[default]
    Branches,
    /// One per path
    Paths,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_those_beyond_all_measure_refused() {
        let seconds = |text: &str| duration(text).map(|time| time.as_secs());
        for (text, wanted) in [("90s", 90), ("5m", 300), ("1h", 3600), ("7", 7), ("1h 1m", 3660)] {
            assert_eq!(seconds(text), Ok(wanted), "{text}");
        }
        for text in ["", "soon", "-3s", "5 parsecs", "18446744073709551615h"] {
            assert!(duration(text).is_err_and(|why| why.contains("is no time")), "{text}");
        }
    }
}
