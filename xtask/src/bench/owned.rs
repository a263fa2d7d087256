//! Emitted tests in the crates' own packages, as an owner would keep them: the
//! command runs on a copy of the published sources, and what it leaves in
//! `tests/` is linted and run there on another day, in another time zone and
//! locale, in a release build, and with pointers of 32 bits.
//!
//! A regression test has to pass everywhere. A failing one has to fail
//! everywhere but in the release build, where wrapping may hide its cause, and
//! where numbers are narrower.
//!
//! For 32 bits the variable `RUSTC_32` names a compiler that has the standard
//! library of `i686-unknown-linux-gnu`, and `CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER`
//! a linker for it; without the first that column stays empty.

use super::emitted::EmittedTests;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask bench owned [SECONDS] CRATE@VERSION...";

/// Where tests are run: what it is called, a program in front of cargo with its
/// arguments, variables, and further arguments of cargo.
struct Setting {
    name: &'static str,
    through: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    /// The variable that names another compiler, which has to be set.
    compiler: Option<&'static str>,
    /// Whether what fails elsewhere may pass here.
    milder: bool,
}

const PLAIN: Setting = Setting {
    name: "plain",
    through: &[],
    variables: &[],
    arguments: &[],
    compiler: None,
    milder: false,
};

const SETTINGS: [Setting; 6] = [
    PLAIN,
    Setting { name: "day", through: &["faketime", "-f", "+400d"], ..PLAIN },
    // A zone that is no whole number of hours away, without any table of zones.
    Setting { name: "zone", variables: &[("TZ", "XXX-12:45")], ..PLAIN },
    Setting { name: "locale", variables: &[("LC_ALL", "tr_TR.UTF-8"), ("LANG", "tr_TR")], ..PLAIN },
    Setting { name: "release", arguments: &["--release"], milder: true, ..PLAIN },
    // Nothing of this machine is of that width, so nothing can be linked in while it runs.
    Setting {
        name: "32 bits",
        variables: &[(
            "CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_RUSTFLAGS",
            "-Ctarget-feature=+crt-static",
        )],
        arguments: &["--target", "i686-unknown-linux-gnu"],
        compiler: Some("RUSTC_32"),
        milder: true,
        ..PLAIN
    },
];

/// The files that a run leaves, without their ending.
const FAILURES: &str = "testsmith_failures";
const REGRESSIONS: &str = "testsmith_regressions";

pub fn run(args: &[String]) -> Result<()> {
    let seconds = args.first().filter(|text| text.parse::<u32>().is_ok());
    let crates = &args[usize::from(seconds.is_some())..];
    if crates.is_empty() {
        bail!(USAGE);
    }
    print!("{:<26} {:>8} {:>11} {:>6}", "crate", "failing", "regressions", "lints");
    for setting in &SETTINGS {
        print!(" {:>8}", setting.name);
    }
    println!("\nlints: warnings of clippy in the tests; then tests that end otherwise than meant.");
    let mut unmeant = 0;
    for krate in crates {
        let owned = Owned::new(krate)?;
        owned.search(seconds.map_or("60", String::as_str))?;
        let lints = owned.lints()?;
        let mut row = String::new();
        let mut counts = (0, 0);
        for setting in &SETTINGS {
            let Some(ends) = owned.ends(setting)? else {
                row.push_str("        -");
                continue;
            };
            counts = (ends.failing.len(), ends.regressions.len());
            let wrong = ends.unmeant(setting);
            for name in &wrong {
                eprintln!("{krate}, {}: {name}", setting.name);
            }
            unmeant += wrong.len();
            row.push_str(&format!(" {:>8}", wrong.len()));
        }
        unmeant += lints;
        println!("{krate:<26} {:>8} {:>11} {lints:>6}{row}", counts.0, counts.1);
    }
    if unmeant > 0 {
        bail!("{unmeant} lints, and tests that end otherwise than meant");
    }
    Ok(())
}

/// A copy of a published package, to be treated as one's own.
struct Owned {
    folder: PathBuf,
}

/// How each test ended: whether it passed.
#[derive(Default)]
struct Ends {
    failing: BTreeMap<String, bool>,
    regressions: BTreeMap<String, bool>,
}

impl Ends {
    fn unmeant(&self, setting: &Setting) -> Vec<&String> {
        let failing = self.failing.iter().filter(|(_, passed)| **passed && !setting.milder);
        let regressions = self.regressions.iter().filter(|(_, passed)| !**passed);
        failing.chain(regressions).map(|(name, _)| name).collect()
    }
}

impl Owned {
    fn new(krate: &str) -> Result<Owned> {
        let source = EmittedTests::new(krate, &[], &[])?.source_of(krate)?;
        let folder = super::folder().join("owned").join(krate);
        let _ = std::fs::remove_dir_all(&folder);
        copy(&source, &folder)?;
        // The copy lies below a workspace that it does not belong to.
        let manifest = folder.join("Cargo.toml");
        // Publishing writes down which tests there are; an owner has them found.
        let text = std::fs::read_to_string(&manifest)?.replace("autotests = false\n", "");
        if !text.lines().any(|line| line.starts_with("[workspace")) {
            std::fs::write(&manifest, text + "\n[workspace]\n")?;
        } else {
            std::fs::write(&manifest, text)?;
        }
        Ok(Owned { folder })
    }

    fn search(&self, seconds: &str) -> Result<()> {
        let tool = std::env::current_exe()?.with_file_name("cargo-testsmith");
        let done = Command::new(&tool)
            .args(["--budget", seconds, "--accept", "--quiet", "--format", "json"])
            .arg("--target-dir")
            .arg(super::folder().join("target"))
            .current_dir(&self.folder)
            .output()
            .with_context(|| format!("{} is not built", tool.display()))?;
        super::report_of(&done).map(|_| ())
    }

    fn cargo(&self, setting: &Setting, arguments: &[&str]) -> Command {
        let mut words = setting.through.iter().chain(&["cargo"]);
        let mut command = Command::new(words.next().expect("there is cargo at least"));
        command.args(words).args(arguments).args(setting.arguments);
        command.envs(setting.variables.iter().copied()).current_dir(&self.folder);
        command.env("CARGO_TARGET_DIR", super::folder().join("owned/target"));
        if let Some(compiler) = setting.compiler.and_then(std::env::var_os) {
            command.env("RUSTC", compiler);
        }
        command
    }

    /// Warnings and errors of clippy whose place is in an emitted test.
    fn lints(&self) -> Result<usize> {
        let files = self.files();
        let mut arguments = vec!["clippy", "--message-format=json", "--quiet"];
        arguments.extend(files.iter().flat_map(|file| ["--test", *file]));
        let done = self.cargo(&PLAIN, &arguments).output()?;
        let printed = String::from_utf8_lossy(&done.stdout);
        let messages = printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut lints = 0;
        for message in messages.filter(|message| message["reason"] == "compiler-message") {
            let spans = message["message"]["spans"].as_array().cloned().unwrap_or_default();
            let file = |span: &Value| span["file_name"].as_str().unwrap_or_default().to_owned();
            if spans.iter().any(|span| file(span).starts_with("tests/testsmith_")) {
                let text = message["message"]["rendered"].as_str().unwrap_or_default();
                eprintln!("{}: {text}", self.folder.display());
                lints += 1;
            }
        }
        Ok(lints)
    }

    /// The emitted files that are there.
    fn files(&self) -> Vec<&'static str> {
        let is_there = |file: &&str| self.folder.join("tests").join(format!("{file}.rs")).exists();
        [FAILURES, REGRESSIONS].into_iter().filter(is_there).collect()
    }

    /// Runs the tests; nothing if the program in front of cargo or the compiler is not there.
    fn ends(&self, setting: &Setting) -> Result<Option<Ends>> {
        if setting.compiler.is_some_and(|variable| std::env::var_os(variable).is_none()) {
            return Ok(None);
        }
        let mut ends = Ends::default();
        for file in self.files() {
            // Built in the present: cargo compares the times of files.
            let build = Setting { through: &[], ..*setting };
            let built =
                self.cargo(&build, &["test", "--no-run", "--quiet", "--test", file]).output()?;
            if !built.status.success() {
                bail!("{file} does not build:\n{}", String::from_utf8_lossy(&built.stderr));
            }
            let arguments = ["test", "--no-fail-fast", "--test", file];
            let done = match self.cargo(setting, &arguments).output() {
                Err(_) if !setting.through.is_empty() => return Ok(None),
                done => done?,
            };
            let printed = String::from_utf8_lossy(&done.stdout);
            let into = if file == FAILURES { &mut ends.failing } else { &mut ends.regressions };
            for line in printed.lines().filter_map(|line| line.strip_prefix("test ")) {
                if let Some((name, end)) = line.split_once(" ... ")
                    && !end.starts_with("ignored")
                {
                    into.insert(name.to_owned(), end == "ok");
                }
            }
        }
        Ok(Some(ends))
    }
}

/// Copies a folder with all that is in it.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
