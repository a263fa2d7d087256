//! One worker: a child process with a pipe each way, a journal and a watchdog.
//!
//! Knows how it died, and not what to do about it: that is the supervisor's.

use crate::output::Tail;
use crate::{Error, cargo, watchdog};
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testsmith_model::Sequence;
use testsmith_model::journal;
use testsmith_model::message::{Job, Reply};
use testsmith_model::outcome::{ANOTHER_PANIC, Ending, Outcome, Phase, STACK_OVERFLOW};
use testsmith_model::pipe::{receive, send};

#[derive(Clone, Debug)]
pub struct WorkerLimits {
    /// How long one call, drop or observation may take.
    pub call: Duration,
    /// Address space of the worker.
    pub memory_bytes: u64,
}

impl Default for WorkerLimits {
    fn default() -> WorkerLimits {
        WorkerLimits { call: Duration::from_secs(2), memory_bytes: 2 << 30 }
    }
}

/// How much of what the code under test prints is kept.
const KEPT_OUTPUT: usize = 64 << 10;

/// How a worker died, and what it was doing.
pub(crate) struct Death {
    /// The sequence under way, or the one that was just over; empty before the first.
    pub(crate) sequence: Sequence,
    pub(crate) outcome: Outcome,
    /// Whether nothing of the code under test was running, so that an earlier sequence may
    /// be to blame.
    pub(crate) at_rest: bool,
    /// Earlier sequences, the last first.
    pub(crate) recent: Vec<Sequence>,
    pub(crate) sequences: u64,
    pub(crate) calls: u64,
    /// The mutant that was active; zero if none was.
    pub(crate) mutant: u32,
}

/// What the watchdog and the supervisor share.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) busy: AtomicBool,
    pub(crate) timed_out: AtomicBool,
    /// Whether the call that timed out did nothing but wait, most of the time.
    pub(crate) waited: AtomicBool,
    pub(crate) over: AtomicBool,
}

pub(crate) struct Worker {
    child: Arc<std::sync::Mutex<Child>>,
    jobs: BufWriter<ChildStdin>,
    replies: BufReader<ChildStdout>,
    tail: Option<Tail>,
    pub(crate) watch: Arc<Watch>,
    journal: PathBuf,
    /// Whether it has an engine of its own by now.
    pub(crate) walked: bool,
    /// Sequences and calls up to the last answer.
    pub(crate) counted: (u64, u64),
}

/// Starts a program that was copied a moment ago. A child that another thread started
/// meanwhile holds the copy open for writing until it becomes what it is to run.
fn start(command: &mut Command) -> std::io::Result<Child> {
    for _ in 0..200 {
        match command.spawn() {
            Err(busy) if busy.kind() == ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(10));
            }
            done => return done,
        }
    }
    command.spawn()
}

impl Worker {
    pub(crate) fn spawn(
        harness: &Path,
        scratch: &Path,
        limits: &WorkerLimits,
        interrupt: &Arc<AtomicBool>,
    ) -> Result<Worker, Error> {
        // What an earlier worker left behind must not be seen by this one.
        let _ = std::fs::remove_dir_all(scratch);
        std::fs::create_dir_all(scratch).map_err(Error::io(scratch))?;
        let path = scratch.join("journal");
        let file = File::create(&path).map_err(Error::io(&path))?;
        file.set_len(journal::SIZE as u64).map_err(Error::io(&path))?;
        let mut command = Command::new(harness);
        command
            .arg(scratch)
            .arg(limits.memory_bytes.to_string())
            .env_clear()
            .env("TMPDIR", scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .current_dir(scratch);
        cargo::own_process_group(&mut command);
        let spawned = start(&mut command);
        let program = harness.display().to_string();
        let mut child = spawned.map_err(|source| Error::Spawn { program, source })?;
        let jobs = BufWriter::new(child.stdin.take().expect("it was piped"));
        let replies = BufReader::new(child.stdout.take().expect("it was piped"));
        let tail = Tail::drain(child.stderr.take().expect("it was piped"), KEPT_OUTPUT);
        let worker = Worker {
            child: Arc::new(std::sync::Mutex::new(child)),
            jobs,
            replies,
            tail: Some(tail),
            watch: Arc::new(Watch::default()),
            journal: path,
            walked: false,
            counted: (0, 0),
        };
        if let Ok(journal) = File::open(&worker.journal) {
            let (watch, child) = (Arc::clone(&worker.watch), Arc::clone(&worker.child));
            watchdog::start(watch, child, journal, limits.call, Arc::clone(interrupt));
        }
        Ok(worker)
    }

    /// Sequences and calls since it started.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let mut header = [0; journal::RECENT];
        let read = File::open(&self.journal).and_then(|mut file| file.read_exact(&mut header));
        match read {
            Ok(()) => (long(&header, journal::SEQUENCES), long(&header, journal::CALLS)),
            Err(_) => self.counted,
        }
    }

    pub(crate) fn send(&mut self, job: &Job) -> std::io::Result<()> {
        send(job, &mut self.jobs)
    }

    pub(crate) fn receive(&mut self) -> std::io::Result<Reply> {
        receive(&mut self.replies)
    }

    /// Ends a worker that did not start as it should, and says how it ended and what it
    /// printed.
    pub(crate) fn into_output(mut self, limits: &WorkerLimits) -> String {
        let (status, output) = self.end(limits);
        let printed = if output.trim().is_empty() { "it printed nothing" } else { &output };
        match status {
            Some(status) => format!("it ended with {status}; {printed}"),
            None => printed.to_owned(),
        }
    }

    fn kill(&mut self) -> Option<ExitStatus> {
        self.watch.over.store(true, Ordering::Release);
        let mut child = self.child.lock().unwrap_or_else(|e| e.into_inner());
        let _ = child.kill();
        child.wait().ok()
    }

    /// How the process ended and what it printed last. The pipe is closed; a process that
    /// lives on without it is killed.
    fn end(&mut self, limits: &WorkerLimits) -> (Option<ExitStatus>, String) {
        self.watch.over.store(true, Ordering::Release);
        let mut child = self.child.lock().unwrap_or_else(|e| e.into_inner());
        let status = wait_or_kill(&mut child, limits.call);
        drop(child);
        (status, self.tail.take().map(|tail| tail.finish().0).unwrap_or_default())
    }

    /// Says how the worker died and what it was doing. One that dies between two sequences
    /// is taken to die of the last: what it does to the heap shows after its end.
    pub(crate) fn into_death(mut self, limits: &WorkerLimits) -> Result<Death, Error> {
        let (status, output) = self.end(limits);
        let bytes = std::fs::read(&self.journal).map_err(Error::io(&self.journal))?;
        let journal::Read { sequence, step, phase, mutant, recent } = journal::read(&bytes);
        let at_rest = phase.is_none();
        let step = if at_rest { sequence.len().saturating_sub(1) as u32 } else { step };
        let phase = phase.unwrap_or(Phase::Dropping);
        let ending = if self.watch.timed_out.load(Ordering::Acquire) {
            let waits = self.watch.waited.load(Ordering::Acquire);
            Ending::TimedOut { after_ms: limits.call.as_millis() as u64, waits }
        } else {
            ending_of(status, long(&bytes, journal::REFUSED), &output)
        };
        Ok(Death {
            sequence,
            outcome: Outcome { ending, step, phase, values: vec![], new_edges: 0 },
            at_rest,
            recent,
            // Whatever corrupts memory may have written over the counts.
            sequences: long(&bytes, journal::SEQUENCES).saturating_sub(self.counted.0),
            calls: long(&bytes, journal::CALLS).saturating_sub(self.counted.1),
            mutant,
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

fn wait_or_kill(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if begin.elapsed() < patience => {
                std::thread::sleep(Duration::from_millis(1));
            }
            _ => {
                let _ = child.kill();
                return child.wait().ok();
            }
        }
    }
}

/// A number of the journal.
fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes are eight"))
}

#[cfg(unix)]
fn ending_of(status: Option<ExitStatus>, refused: u64, output: &str) -> Ending {
    use std::os::unix::process::ExitStatusExt;
    match status.map(|status| (status.signal(), status.code())) {
        Some((Some(_), _)) if refused > 0 => Ending::OutOfMemory { requested: refused },
        Some((Some(number), _)) => Ending::Signal { number, note: note_in(output) },
        Some((None, Some(code))) => Ending::Exited { code },
        _ => Ending::Signal { number: 0, note: note_in(output) },
    }
}

#[cfg(not(unix))]
fn ending_of(status: Option<ExitStatus>, refused: u64, output: &str) -> Ending {
    match status.and_then(|status| status.code()) {
        Some(_) if refused > 0 => Ending::OutOfMemory { requested: refused },
        Some(code) => Ending::Exited { code },
        None => Ending::Signal { number: 0, note: note_in(output) },
    }
}

/// What the allocator of the system says of a heap that was damaged before.
pub(crate) const HEAP_NOTES: [&str; 3] = ["heap corruption", "double free", "invalid free"];

/// What the runtime said before it aborted, in our words.
fn note_in(output: &str) -> String {
    let known = [
        ("overflowed its stack", STACK_OVERFLOW),
        ("unsafe precondition(s) violated", "unsafe precondition violated"),
        ("misaligned pointer dereference", "misaligned pointer dereferenced"),
        ("null pointer dereference occurred", "null pointer dereferenced"),
        ("panic in a destructor during cleanup", "panic in a destructor while panicking"),
        ("panic in a function that cannot unwind", "panic in a function that cannot unwind"),
        ("thread panicked while processing panic", "panic while panicking"),
        ("non-unwinding panic", "panic while panicking"),
        ("memory allocation of", "out of memory"),
        ("corrupted", HEAP_NOTES[0]),
        ("malloc(): ", HEAP_NOTES[0]),
        ("realloc(): ", HEAP_NOTES[0]),
        ("double free", HEAP_NOTES[1]),
        ("munmap_chunk()", HEAP_NOTES[2]),
        ("free(): ", HEAP_NOTES[2]),
    ];
    let found = known.iter().find(|(needle, _)| output.contains(needle));
    let note = found.map_or(String::new(), |(_, note)| (*note).to_owned());
    let another = output.lines().rev().find_map(|line| line.strip_prefix(ANOTHER_PANIC));
    // What unsafe code of the standard library asks for has no place in the crate.
    let placed = ["while panicking", "dereferenced"];
    match another.filter(|_| placed.iter().any(|words| note.contains(words))) {
        Some(place) => format!("{note} at {place}"),
        None => note,
    }
}
