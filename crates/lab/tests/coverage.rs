//! Coverage from end to end: a crate is instrumented through the wrapper, run
//! with the worker's runtime, and its edges are turned into lines.
//!
//! This binary is also the wrapper: cargo starts it in place of rustc. The
//! ordinary test harness has a `main` of its own, which leaves no room for that.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testsmith_lab::coverage::{self, Detail, Edge, FileCoverage, Sources};

const SUBJECT: &str = "\
pub mod inner;

pub fn classify(x: i32, s: &str) -> u32 {
    if x == 123456 {
        return 1;
    }
    if (x as u64).wrapping_mul(3) > 77777 {
        return 2;
    }
    match s.len() as u16 {
        5 => 3,
        9 => 4,
        _ => other(s),
    }
}

fn other(s: &str) -> u32 {
    let first = s.as_bytes().first();
    if first == Some(&b'Q') { 5 } else { 6 }
}

pub fn never(x: u8) -> u8 {
    x.wrapping_add(1)
}

pub fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if a < b {
        a
    } else {
        b
    }
}
";

const INNER: &str = "\
pub struct Counter(u32);

impl Counter {
    pub fn new() -> Self {
        Counter(0)
    }

    pub fn count(&mut self, to: u32) -> u32 {
        while self.0 < to {
            self.0 += 1;
        }
        self.0
    }
}
";

/// Generic code is compiled where it is used, so thunks are instrumented too.
const THUNKS: &str = "\
use std::hint::black_box;

pub fn run(call: &str) -> u32 {
    match call {
        \"one\" => subject::classify(black_box(1), black_box(\"hello\")),
        \"magic\" => subject::classify(black_box(123456), \"\"),
        \"other\" => subject::classify(2, \"Qx\"),
        \"count\" => subject::inner::Counter::new().count(3),
        \"smaller\" => subject::smaller(1.5, 2.5) as u32,
        \"never\" => subject::never(1).into(),
        _ => 0,
    }
}
";

/// Runs the calls named on its command line and prints what it learns.
const PROBE: &str = "\
use testsmith_worker::coverage::{self, Coverage, Novelty, compares};

fn main() {
    let mut coverage = Coverage::new(Novelty::Hit);
    for edge in coverage::edges() {
        println!(\"edge {} {}\", edge.address, edge.entry);
    }
    assert_eq!(coverage::edge_count(), coverage::edges().len());
    for call in std::env::args().skip(1) {
        compares::record(!call.starts_with('-'));
        coverage.discard();
        std::hint::black_box(thunks::run(call.trim_start_matches('-')));
        let new = coverage.collect().to_vec();
        println!(\"call {call} {}\", new.len());
        for edge in new {
            println!(\"new {edge}\");
        }
        let log = compares::take();
        for c in log.compares {
            println!(\"compare {} {} {} {} {}\", c.site, c.bits, c.left, c.right, c.constant);
        }
    }
}
";

fn main() {
    if std::env::var_os(coverage::WRAPPER_VARIABLE).is_some() {
        coverage::wrap(std::env::args_os().skip(1));
    }
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    if !cfg!(target_os = "linux") {
        println!("skipped: only tried with the executables of Linux so far");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Through a link, as a temporary folder may be.
    let root = folder.path().canonicalize().expect("a real path");
    write_packages(&root);
    for profile in ["dev", "release"] {
        let harness = Harness::build(&root, profile, Detail::Full);
        for (name, test) in TESTS {
            if profile == "dev" || name.contains("values") {
                test(&harness);
                println!("test {name} ({profile}) ... ok");
            }
        }
    }
    counters_alone_tell_news(&Harness::build(&root, "dev", Detail::Counters));
    println!("test counters_alone_tell_news (dev) ... ok");
}

/// The fast build tells news from no news, and no values.
fn counters_alone_tell_news(harness: &Harness) {
    the_same_call_again_is_no_news(harness);
    let run = harness.run(&["one"]);
    assert!(run.compares.is_empty());
    assert!(!run.covered.is_empty());
}

/// Names with `values` hold for optimised code, too; lines are exact in
/// unoptimised code only.
type Test = (&'static str, fn(&Harness));
const TESTS: &[Test] = &[
    ("a_call_covers_its_lines_and_no_others", a_call_covers_its_lines_and_no_others),
    ("the_same_call_again_is_no_news_to_values", the_same_call_again_is_no_news),
    ("generic_code_belongs_to_the_crate_that_wrote_it", generic_code_belongs_to_its_crate),
    ("functions_are_counted_with_those_never_run", functions_are_counted),
    ("compared_values_are_seen", compared_values_are_seen),
    ("compared_values_are_found_in_the_source", compares_are_found_in_the_source),
    ("nothing_outside_the_root_is_counted", nothing_outside_the_root_is_counted),
];

fn a_call_covers_its_lines_and_no_others(harness: &Harness) {
    let run = harness.run(&["one"]);
    assert_eq!(run.lines("src/lib.rs", true), [3, 4, 7, 10, 11, 15]);
    assert!(run.lines("src/inner.rs", true).is_empty());
    let uncovered = run.lines("src/lib.rs", false);
    for line in [5, 8, 12, 13, 17, 18, 19, 22, 23] {
        assert!(uncovered.contains(&line), "{line} should be coverable: {uncovered:?}");
    }
    let run = harness.run(&["magic", "count"]);
    assert_eq!(run.lines("src/lib.rs", true), [3, 4, 5, 15]);
    assert_eq!(run.lines("src/inner.rs", true), [4, 6, 8, 9, 10, 12, 13]);
    assert_eq!(run.lines("src/inner.rs", false), [0; 0]);
}

fn the_same_call_again_is_no_news(harness: &Harness) {
    let run = harness.run(&["one", "one", "magic", "one"]);
    let counts: Vec<bool> = run.news.iter().map(|count| *count > 0).collect();
    assert_eq!(counts, [true, false, true, false]);
}

fn generic_code_belongs_to_its_crate(harness: &Harness) {
    let run = harness.run(&["smaller"]);
    assert_eq!(run.lines("src/lib.rs", true), [26, 27, 28, 32]);
    assert!(run.lines("src/lib.rs", false).contains(&30));
}

fn functions_are_counted(harness: &Harness) {
    let run = harness.run(&["other", "count"]);
    let file = run.file("src/lib.rs");
    let functions: Vec<(&str, u32, bool)> =
        file.functions.iter().map(|f| (f.name.as_str(), f.line, f.covered)).collect();
    let expected = [
        ("subject::classify", 3, true),
        ("subject::other", 17, true),
        ("subject::never", 22, false),
        ("subject::smaller", 26, false),
    ];
    assert_eq!(functions, expected);
    let summary = run.sources.summary(|edge| run.covered.contains(&edge));
    assert_eq!((summary.functions_covered(), summary.functions()), (4, 6));
    assert!(summary.lines_covered() < summary.lines());
    assert!(file.edges_covered > 0 && file.edges_covered < file.edges);
}

fn compared_values_are_seen(harness: &Harness) {
    let run = harness.run(&["one"]);
    let seen =
        |left, right| run.compares.iter().any(|c| c.left == left && c.right == right && c.constant);
    assert!(seen(123_456, 1), "{:?}", run.compares);
    assert!(seen(9, 5), "the other case of the match: {:?}", run.compares);
    let run = harness.run(&["-one"]);
    assert!(run.compares.is_empty(), "nothing is kept when the log is off");
}

fn compares_are_found_in_the_source(harness: &Harness) {
    if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return;
    }
    let run = harness.run(&["one"]);
    let magic = run.compares.iter().find(|c| c.left == 123_456).expect("the comparison");
    let place = run.sources.locate(magic.site).expect("a place in the crate");
    assert_eq!(place.file, Path::new("src/lib.rs"));
    assert_eq!(place.line, 4);
    if harness.profile == "dev" {
        assert_eq!(place.function, "subject::classify");
    }
}

fn nothing_outside_the_root_is_counted(harness: &Harness) {
    let run = harness.run(&["one", "smaller"]);
    let summary = run.sources.summary(|_| true);
    let files: Vec<&Path> = summary.files.iter().map(|file| file.file.as_path()).collect();
    assert_eq!(files, [Path::new("src/inner.rs"), Path::new("src/lib.rs")]);
    let elsewhere = (0..run.edges).filter(|edge| run.sources.place(*edge).is_none());
    assert!(elsewhere.count() > 0, "the thunks have edges, too");
}

/// A built probe.
struct Harness {
    root: PathBuf,
    executable: PathBuf,
    profile: &'static str,
}

/// What one run of it said.
struct Run {
    sources: Sources,
    edges: usize,
    covered: BTreeSet<usize>,
    /// New edges per call.
    news: Vec<usize>,
    compares: Vec<Compare>,
}

#[derive(Debug)]
struct Compare {
    site: u64,
    left: u64,
    right: u64,
    constant: bool,
}

impl Harness {
    fn build(root: &Path, profile: &'static str, detail: Detail) -> Harness {
        let executable = std::env::current_exe().expect("our own path");
        let status = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
            .args(["build", "--quiet", "--package=probe", "--profile", profile])
            .current_dir(root)
            .envs(coverage::environment(&executable, &["subject", "thunks"], detail))
            .env("CARGO_TARGET_DIR", root.join(format!("target-{detail:?}")))
            .env_remove("RUSTFLAGS")
            .status()
            .expect("cargo runs");
        assert!(status.success(), "the probe does not build");
        let folder = if profile == "dev" { "debug" } else { profile };
        Harness {
            root: root.into(),
            executable: root.join(format!("target-{detail:?}")).join(folder).join("probe"),
            profile,
        }
    }

    fn run(&self, calls: &[&str]) -> Run {
        let output = Command::new(&self.executable).args(calls).output().expect("the probe runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("the probe prints text");
        let (mut edges, mut covered, mut news, mut compares) =
            (Vec::new(), BTreeSet::new(), Vec::new(), Vec::new());
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<u64>().expect("a number");
            match words[0] {
                "edge" => edges.push(Edge { address: number(1), entry: words[2] == "true" }),
                "call" => news.push(number(2) as usize),
                "new" => drop(covered.insert(number(1) as usize)),
                "compare" => compares.push(Compare {
                    site: number(1),
                    left: number(3),
                    right: number(4),
                    constant: words[5] == "true",
                }),
                other => panic!("the probe said {other:?}"),
            }
        }
        let subject = self.root.join("subject");
        let sources = Sources::read(&self.executable, &edges, &subject).expect("debug information");
        Run { sources, edges: edges.len(), covered, news, compares }
    }
}

impl Run {
    fn file(&self, file: &str) -> FileCoverage {
        let summary = self.sources.summary(|edge| self.covered.contains(&edge));
        summary.files.into_iter().find(|f| f.file == Path::new(file)).unwrap_or_default()
    }

    fn lines(&self, file: &str, covered: bool) -> Vec<u32> {
        let lines = self.file(file).lines.into_iter();
        lines.filter(|(_, c)| *c == covered).map(|(line, _)| line).collect()
    }
}

fn write_packages(root: &Path) {
    let worker = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worker");
    let worker = worker.canonicalize().expect("the worker lies beside the lab");
    let worker = format!("testsmith-worker = {{ path = {:?} }}", worker.display().to_string());
    let package = |name: &str, dependencies: &str| {
        format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependencies}\n"
        )
    };
    let workspace = "[workspace]\nresolver = \"3\"\nmembers = [\"subject\", \"thunks\", \"probe\"]\n\
                     [profile.release]\ndebug = true\n[profile.dev.package.testsmith-worker]\n\
                     opt-level = 3\n";
    for (path, text) in [
        ("Cargo.toml", workspace.to_owned()),
        ("subject/Cargo.toml", package("subject", "")),
        ("subject/src/lib.rs", SUBJECT.to_owned()),
        ("subject/src/inner.rs", INNER.to_owned()),
        ("thunks/Cargo.toml", package("thunks", "subject = { path = \"../subject\" }")),
        ("thunks/src/lib.rs", THUNKS.to_owned()),
        (
            "probe/Cargo.toml",
            package("probe", &format!("{worker}\nthunks = {{ path = \"../thunks\" }}")),
        ),
        ("probe/src/main.rs", PROBE.to_owned()),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    // The same versions as ours, so that nothing is looked up or downloaded.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    fs::copy(lock, root.join("Cargo.lock")).expect("a lock file");
}
