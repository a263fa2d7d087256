//! Locks the worker process up before any code under test runs.
//!
//! Random calls on unknown code must not harm the machine they run on. After
//! [`enter`] the process cannot open a socket, start a program or another
//! process, signal anybody else, or change a file outside its scratch folder,
//! and its memory, threads and files are bounded. What is refused fails with an
//! ordinary error (`EPERM`, `EACCES`), so the code under test sees a machine
//! that says no rather than one that kills it.
//!
//! What stays possible: threads, time, randomness, memory maps, reading files,
//! writing beneath the scratch folder, and whatever was opened before (pipes,
//! shared maps). `abort` and signals to oneself work as usual.
//!
//! This deliberately is not a jail for an attacker: files can be read, time can
//! be measured, and the scratch folder can be filled as far as the disk goes in
//! files of bounded size. It holds on Linux (x86-64 and AArch64); elsewhere it
//! does what it can and the [`Report`] says what is missing.

use std::fmt;
use std::path::Path;

#[cfg(target_os = "linux")]
mod landlock;
mod output;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(unix)]
mod rlimits;
// Pure, and checked for every architecture on every machine; used on Linux.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod seccomp;
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
mod syscalls;

pub use output::{PrintTo, silence};
#[cfg(target_os = "linux")]
pub use privileges::die_with_parent;

/// How much of the machine the code under test may use. `None` leaves a limit
/// as the process found it; no limit is ever raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Address space, the engine's own share included.
    pub memory_bytes: Option<u64>,
    /// Threads beside those that the user runs already. The kernel counts per
    /// user, not per process, so a small number would fail when the user opens
    /// a browser; address space is what bounds ordinary threads.
    pub threads: Option<u64>,
    /// The size of any one file; a longer write fails with `EFBIG`.
    pub file_bytes: Option<u64>,
    /// Open descriptors.
    pub open_files: Option<u64>,
    /// The stack of the main thread; it is only ever lowered.
    pub stack_bytes: Option<u64>,
    /// Processor time of the whole worker, after which it is killed.
    pub cpu_seconds: Option<u64>,
    /// The newest Landlock interface to use, 0 for none: lets tests see what an
    /// older kernel gives.
    pub landlock_abi: u32,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        ResourceLimits {
            memory_bytes: Some(2 << 30),
            threads: Some(4096),
            file_bytes: Some(64 << 20),
            open_files: Some(512),
            stack_bytes: Some(8 << 20),
            cpu_seconds: None,
            landlock_abi: u32::MAX,
        }
    }
}

/// What a rule of the sandbox is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protection {
    /// No change to files outside the scratch folder.
    Files,
    /// No sockets.
    Network,
    /// No new process and no program.
    Processes,
    /// No signal to another process.
    Signals,
    /// No change to the machine: mounts, clocks, keys, modules, limits.
    Machine,
    Memory,
    Threads,
    FileSize,
    OpenFiles,
    Stack,
    Cpu,
    CoreDumps,
}

/// One rule: what it is about, whether it holds, and that in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtectionStatus {
    pub protection: Protection,
    pub in_force: bool,
    pub words: String,
}

/// What [`enter`] achieved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub rules: Vec<ProtectionStatus>,
}

impl Report {
    /// Whether a protection is in force in full.
    pub fn holds(&self, protection: Protection) -> bool {
        let mut about = self.rules.iter().filter(|rule| rule.protection == protection).peekable();
        about.peek().is_some() && about.all(|rule| rule.in_force)
    }

    /// The rules that hold, in words.
    pub fn in_force(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter(|rule| rule.in_force).map(|rule| rule.words.as_str())
    }

    /// What is missing on this machine, in words.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().filter(|rule| !rule.in_force).map(|rule| rule.words.as_str())
    }

    fn add(&mut self, protection: Protection, in_force: bool, words: impl Into<String>) {
        self.rules.push(ProtectionStatus { protection, in_force, words: words.into() });
    }
}

/// One line per rule: `in force: …` or `missing: …`.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rule in &self.rules {
            let state = if rule.in_force { "in force" } else { "missing" };
            writeln!(f, "{state}: {}", rule.words)?;
        }
        Ok(())
    }
}

/// Only Linux can tie a process to its parent.
#[cfg(not(target_os = "linux"))]
pub fn die_with_parent(_parent: u32) -> bool {
    true
}

/// Locks this process up for good. `scratch` must exist and is the one folder
/// that stays writable.
///
/// To be called once, early, while the process has a single thread: Landlock
/// binds only the calling thread and those that it starts later. Nothing fails
/// here; a rule that could not be set is reported as missing.
#[cfg(target_os = "linux")]
pub fn enter(scratch: &Path, limits: &ResourceLimits) -> Report {
    let mut report = Report::default();
    rlimits::set(limits, &mut report);
    let locked = privileges::forbid_new();
    privileges::drop_capabilities();
    let landlock =
        if locked { landlock::restrict(scratch, limits.landlock_abi) } else { Default::default() };
    let filtered = locked && seccomp::install(&landlock.policy(std::process::id()));
    describe(&landlock, filtered, &mut report);
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads > 1 {
        let words = format!("{} threads started before the sandbox may write files", threads - 1);
        report.add(Protection::Files, false, words);
    }
    report
}

/// Locks this process up so that trying is enough to end it: to change a file,
/// to open a socket, to start a process. For programs that will be run without
/// a sandbox later, to see beforehand that they need none.
///
/// It watches all or nothing: where the report says that files are not watched,
/// nothing is.
#[cfg(target_os = "linux")]
pub fn enter_strictly(limits: &ResourceLimits) -> Report {
    let mut report = Report::default();
    rlimits::set(limits, &mut report);
    let policy = seccomp::Policy {
        pid: std::process::id(),
        writes: seccomp::Writes::Anywhere,
        signals_scoped: false,
        refusal: seccomp::OnRefusal::Death,
    };
    let filtered = privileges::forbid_new() && seccomp::install(&policy);
    let words = match filtered {
        true => "to change a file, use the network or start a program ends the process".to_owned(),
        false => format!("what it does to files is not seen: {}", seccomp::why_missing()),
    };
    report.add(Protection::Files, filtered, words);
    report
}

/// Confines this process as the tests of a user need it: they may start programs and open
/// sockets, as they do without us, but change files in these folders only, and their memory
/// and files are bounded.
#[cfg(target_os = "linux")]
pub fn enter_for_tests(folders: &[&Path], limits: &ResourceLimits) -> Report {
    let mut report = Report::default();
    rlimits::set(limits, &mut report);
    let confined =
        privileges::forbid_new() && landlock::restrict_writes(folders, limits.landlock_abi);
    let words = match confined {
        true => "files are changed in the folders of the run only (Landlock)",
        false => "files can be changed anywhere: this kernel has no Landlock",
    };
    report.add(Protection::Files, confined, words);
    report
}

/// Nothing but the limits of POSIX could be set here.
#[cfg(not(target_os = "linux"))]
pub fn enter_for_tests(_folders: &[&Path], _limits: &ResourceLimits) -> Report {
    let mut report = Report::default();
    let words = format!("files can be changed anywhere: no sandbox for {}", std::env::consts::OS);
    report.add(Protection::Files, false, words);
    report
}

/// Becomes another program that is confined as [`enter_for_tests`] says. The words are the
/// number of folders, the folders, the program and its arguments.
pub fn run_confined(lacks: &str, mut words: impl Iterator<Item = std::ffi::OsString>) -> ! {
    let count = words.next().and_then(|word| word.to_str()?.parse().ok());
    let count: usize = count.expect("the number of folders is given");
    let folders: Vec<std::path::PathBuf> =
        words.by_ref().take(count).map(std::path::PathBuf::from).collect();
    let folders: Vec<&Path> = folders.iter().map(std::path::PathBuf::as_path).collect();
    let limits = ResourceLimits {
        threads: None,
        file_bytes: Some(256 << 20),
        open_files: None,
        ..ResourceLimits::default()
    };
    let report = enter_for_tests(&folders, &limits);
    for words in report.missing() {
        eprintln!("{lacks}{words}");
    }
    become_program(words)
}

/// Becomes another program, in a sandbox that ends it when it tries to change
/// anything outside itself. Each part that is missing is told in a line of standard
/// error that begins with `lacks`. Where the program could not be watched it is not
/// started, and the process ends with the code `unwatched`.
pub fn run_strictly(
    lacks: &str,
    unwatched: i32,
    command: impl Iterator<Item = std::ffi::OsString>,
) -> ! {
    let report = enter_strictly(&ResourceLimits::default());
    for words in report.missing() {
        eprintln!("{lacks}{words}");
    }
    if !report.holds(Protection::Files) {
        std::process::exit(unwatched)
    }
    become_program(command)
}

fn become_program(mut command: impl Iterator<Item = std::ffi::OsString>) -> ! {
    let program = command.next().expect("a program is given");
    let mut command_line = std::process::Command::new(&program);
    command_line.args(command);
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command_line);
    #[cfg(not(unix))]
    let error = match command_line.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(101)),
        Err(error) => error,
    };
    eprintln!("{}: {error}", program.display());
    std::process::exit(101)
}

/// Nothing but the limits of POSIX could be set here.
#[cfg(not(target_os = "linux"))]
pub fn enter_strictly(_limits: &ResourceLimits) -> Report {
    let mut report = Report::default();
    let system = std::env::consts::OS;
    let words = format!("what it does to files is not seen: no sandbox for {system}");
    report.add(Protection::Files, false, words);
    report
}

/// Where the kernel is not Linux, only the limits of POSIX are left.
#[cfg(not(target_os = "linux"))]
pub fn enter(_scratch: &Path, limits: &ResourceLimits) -> Report {
    let mut report = Report::default();
    #[cfg(unix)]
    rlimits::set(limits, &mut report);
    #[cfg(not(unix))]
    report.add(
        Protection::Memory,
        false,
        format!("memory is unbounded ({:?} asked for)", limits.memory_bytes),
    );
    let system = std::env::consts::OS;
    for (protection, what) in [
        (Protection::Files, "files can be changed anywhere"),
        (Protection::Network, "the network can be used"),
        (Protection::Processes, "programs and processes can be started"),
        (Protection::Signals, "other processes can be signalled"),
        (Protection::Machine, "the machine can be changed as far as the user may"),
    ] {
        report.add(protection, false, format!("{what}: no sandbox for {system}"));
    }
    report
}

/// Says in words what Landlock and seccomp give together.
#[cfg(target_os = "linux")]
fn describe(landlock: &landlock::Confinement, filtered: bool, report: &mut Report) {
    use Protection::{Files, Machine, Network, Processes, Signals};
    match (landlock.files, filtered) {
        (true, _) if landlock.scratch => {
            report.add(Files, true, "files are changed in the scratch folder only (Landlock)");
        }
        (true, _) => report.add(Files, true, "no file can be changed (Landlock, no scratch)"),
        (false, true) => report.add(
            Files,
            true,
            "no file can be opened for writing, created, moved or deleted, \
             not even in scratch (seccomp; this kernel has no Landlock)",
        ),
        (false, false) => report.add(Files, false, "files can be changed anywhere"),
    }
    if landlock.files && !filtered {
        report.add(Files, false, "modes, owners and times of files can be changed anywhere");
    }
    if filtered {
        report.add(Network, true, "no sockets of any kind (seccomp)");
        report.add(Processes, true, "no new process, no program (seccomp)");
        report.add(Signals, true, "no signal to another process (seccomp)");
        report.add(Machine, true, "no mounts, clocks, keys, tracing, modules, limits (seccomp)");
        return;
    }
    let reason = seccomp::why_missing();
    if landlock.network {
        report.add(Network, true, "no TCP (Landlock)");
    }
    report.add(Network, false, format!("sockets can be opened: {reason}"));
    if landlock.files {
        report.add(Processes, true, "no program (Landlock)");
    }
    report.add(Processes, false, format!("new processes can be started: {reason}"));
    if landlock.signals {
        report.add(Signals, true, "no signal to a process outside the sandbox (Landlock)");
    } else {
        report.add(Signals, false, format!("other processes can be signalled: {reason}"));
    }
    report.add(Machine, false, format!("system calls are not filtered: {reason}"));
}
