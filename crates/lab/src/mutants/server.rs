//! The other end of `crates/switch/src/serve.rs`: a test executable that was started once and
//! runs tests with one mutant active, or none, as often as it is asked.

use super::{TestExecutable, Tests};
use crate::Error;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use testsmith_model::message::SANDBOX_LACKS;

/// In place of a mutant: none is active, and what is reached is told.
pub const RECORDING: u32 = u32::MAX;
/// As many tests can be named in one run.
const MAX_NAMES: usize = 64;
/// All names together, each with a byte at its end.
const MAX_NAMES_BYTES: usize = 1 << 16;
const LOOPED: i32 = 86;
const GREETING: &[u8; 8] = b"TSSERVE1";

/// A started test executable.
pub struct TestServer {
    child: Child,
    requests: ChildStdin,
    answers: ChildStdout,
    /// Where its tests put temporary files.
    temporary: PathBuf,
    /// What this machine lacks to confine it, in words.
    pub missing: Vec<String>,
}

/// Which tests to run, and how long they may take.
#[derive(Clone, Debug)]
pub struct Run<'t> {
    pub mutant: u32,
    pub tests: &'t [&'t str],
    /// How many guards may be passed.
    pub visits: u64,
    pub cpu: Duration,
    pub wall: Duration,
}

impl Run<'_> {
    /// How many of these tests fit into one run.
    pub fn fitting(tests: &[&str]) -> usize {
        let mut bytes = 0;
        let fits = |test: &&&str| {
            bytes += test.len() + 1;
            bytes <= MAX_NAMES_BYTES
        };
        tests.iter().take(MAX_NAMES).take_while(fits).count()
    }
}

/// How the process of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Passed,
    /// A test failed.
    Failed,
    /// It passed more guards than it may.
    Looped,
    /// It took longer than it may, of the processor's time or of ours.
    Late,
    /// A signal ended it.
    Crashed(i32),
}

#[derive(Clone, Debug)]
pub struct RunEnd {
    pub end: End,
    /// While recording: how many guards were passed.
    pub visits: u64,
    pub cpu: Duration,
    /// The end of what was printed.
    pub output: String,
    /// While recording: the first mutants of the places that were reached.
    pub reached: Vec<u32>,
}

impl Tests {
    /// Starts an executable; none if it does not serve, because it has nothing of the package
    /// in it. `mutants` is how many numbers of mutants there are.
    pub fn serve(
        &self,
        executable: &TestExecutable,
        mutants: u32,
    ) -> Result<Option<TestServer>, Error> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let temporary = self.scratch.join(format!("tmp-{number}"));
        std::fs::create_dir_all(&temporary).map_err(Error::io(&temporary))?;
        let mut command = self.command(&executable.path);
        command.env("TMPDIR", &temporary);
        command.args(["--exact", "--test-threads=1"]).args([""; MAX_NAMES]);
        command
            .env("TESTSMITH_SERVE", "1")
            .env("TESTSMITH_SERVE_OUTPUT", self.scratch.join(format!("output-{number}")))
            .env("TESTSMITH_SERVE_RECORD", self.scratch.join(format!("record-{number}")))
            .env("TESTSMITH_SERVE_MUTANTS", mutants.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        crate::cargo::own_process_group(&mut command);
        let program = executable.path.display().to_string();
        let mut child = command.spawn().map_err(|source| Error::Spawn { program, source })?;
        let requests = child.stdin.take().expect("it was piped");
        let mut answers = child.stdout.take().expect("it was piped");
        let mut greeting = [0; 8];
        if answers.read_exact(&mut greeting).is_err() || greeting != *GREETING {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        // The server has let go of it before it greeted.
        let mut told = String::new();
        let _ = child.stderr.take().expect("it was piped").read_to_string(&mut told);
        let lacks = told.lines().filter_map(|line| line.strip_prefix(SANDBOX_LACKS));
        let missing = lacks.map(str::to_owned).collect();
        Ok(Some(TestServer { child, requests, answers, temporary, missing }))
    }
}

impl TestServer {
    /// Runs tests in a process of their own, with a mutant active.
    pub fn run(&mut self, run: &Run) -> Result<RunEnd, Error> {
        let silent = |error| format!("a test executable no longer answers: {error}");
        let end = self.exchange(run).map_err(|error| Error::Worker(silent(error)))?;
        if end.end != End::Passed {
            // What it left behind might fail the next.
            let _ = std::fs::remove_dir_all(&self.temporary);
            let again = std::fs::create_dir_all(&self.temporary);
            again.map_err(Error::io(&self.temporary))?;
        }
        Ok(end)
    }

    fn exchange(&mut self, run: &Run) -> std::io::Result<RunEnd> {
        let names: Vec<u8> =
            run.tests.iter().flat_map(|test| test.bytes().chain(std::iter::once(0))).collect();
        let milliseconds = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let mut request = run.visits.to_ne_bytes().to_vec();
        let (cpu, wall) = (milliseconds(run.cpu), milliseconds(run.wall));
        for number in [run.mutant, cpu, wall, names.len() as u32] {
            request.extend(number.to_ne_bytes());
        }
        request.extend(names);
        self.requests.write_all(&request)?;
        self.requests.flush()?;
        let visits = u64::from_ne_bytes(self.bytes()?);
        let cpu = Duration::from_micros(u64::from_ne_bytes(self.bytes()?));
        let status = i32::from_ne_bytes(self.bytes()?);
        let output = u32::from_ne_bytes(self.bytes()?);
        let record = u32::from_ne_bytes(self.bytes()?);
        let _: [u8; 4] = self.bytes()?;
        let mut printed = vec![0; output as usize];
        self.answers.read_exact(&mut printed)?;
        let mut reached = vec![0; record as usize];
        self.answers.read_exact(&mut reached)?;
        let is_reached = |(id, byte): (usize, u8)| (byte != 0).then_some(id as u32);
        Ok(RunEnd {
            end: end_of(status),
            visits,
            cpu,
            output: String::from_utf8_lossy(&printed).into_owned(),
            reached: reached.into_iter().enumerate().filter_map(is_reached).collect(),
        })
    }

    fn bytes<const N: usize>(&mut self) -> std::io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.answers.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// What `wait` says, on Linux.
fn end_of(status: i32) -> End {
    const SIGALRM: i32 = 14;
    const SIGPROF: i32 = 27;
    match (status & 0x7f, status >> 8 & 0xff) {
        (0, 0) => End::Passed,
        (0, LOOPED) => End::Looped,
        (0, _) => End::Failed,
        (SIGALRM | SIGPROF, _) => End::Late,
        (signal, _) => End::Crashed(signal),
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_read_as_the_kernel_writes_them() {
        let ends = [0, 101 << 8, LOOPED << 8, 27, 14, 6, 11 | 0x80].map(end_of);
        let crashed = (End::Crashed(6), End::Crashed(11));
        let wanted =
            [End::Passed, End::Failed, End::Looped, End::Late, End::Late, crashed.0, crashed.1];
        assert_eq!(ends, wanted);
    }

    #[test]
    fn no_more_tests_are_named_than_there_is_room_for() {
        let long = "n".repeat(MAX_NAMES_BYTES / 2);
        assert_eq!(Run::fitting(&["a"; 100]), MAX_NAMES);
        assert_eq!(Run::fitting(&["a", &long, &long]), 2);
    }
}
