//! The worker's one loop: take a job, do it, answer.
//!
//! Messages travel over the descriptors that were standard input and output
//! when the process began; the code under test never sees those.

use crate::executor::{Executor, Thunk};
use crate::journal::Journal;
use crate::panics;
use crate::sandbox::{self, Limits, Output};
use crate::table::TypeTable;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::os::fd::FromRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use testsmith_engines::random;
use testsmith_model::message::{Job, Reply, Timing, Walk, Walked, receive, send};
use testsmith_model::outcome::Ending;
use testsmith_model::{OpId, Outcome, Plan, Sequence, Step};

/// Where the journal lies, below the scratch folder.
const JOURNAL: &str = "journal";

/// Serves the supervisor until it closes the pipe. Called by the generated
/// harness with all that it knows.
pub fn run(thunks: &'static [Thunk], tables: &'static [TypeTable]) {
    let scratch = PathBuf::from(std::env::args_os().nth(1).expect("the scratch folder is given"));
    let memory = std::env::args().nth(2).and_then(|text| text.parse().ok());
    let journal = Journal::open(&scratch.join(JOURNAL)).expect("the supervisor made the journal");
    let (mut jobs, mut replies) = take_standard_streams();
    std::env::set_current_dir(&scratch).expect("the scratch folder is there");
    let limits = Limits { memory_bytes: memory, ..Limits::default() };
    let report = sandbox::enter(&scratch, &limits);
    panics::install_hook();
    let owned = |words: &mut dyn Iterator<Item = &str>| words.map(str::to_owned).collect();
    let hello = Reply::Hello {
        in_force: owned(&mut report.in_force()),
        missing: owned(&mut report.missing()),
    };
    if send(&hello, &mut replies).is_err() {
        return;
    }
    let mut worker = Worker { thunks, tables, executor: None, journal: Some(journal) };
    // An error means that the supervisor is gone.
    while let Ok(job) = receive::<Job>(&mut jobs) {
        if worker.serve(job, &mut replies).is_err() {
            return;
        }
    }
}

/// Moves the pipes out of reach of `print!` and `stdin`.
fn take_standard_streams() -> (BufReader<File>, BufWriter<File>) {
    let beyond = 100;
    // SAFETY: the duplicates are new descriptors that only we own.
    let (jobs, replies) = unsafe {
        let jobs = libc::fcntl(0, libc::F_DUPFD_CLOEXEC, beyond);
        let replies = libc::fcntl(1, libc::F_DUPFD_CLOEXEC, beyond);
        assert!(jobs >= 0 && replies >= 0, "the supervisor gives two pipes");
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY);
        libc::dup2(null, 0);
        libc::close(null);
        (File::from_raw_fd(jobs), File::from_raw_fd(replies))
    };
    // What the code under test prints joins standard error, which is drained.
    let _ = sandbox::silence(Output::Descriptor(2));
    (BufReader::new(jobs), BufWriter::new(replies))
}

struct Worker {
    thunks: &'static [Thunk],
    tables: &'static [TypeTable],
    executor: Option<Executor>,
    journal: Option<Journal>,
}

impl Worker {
    fn serve(&mut self, job: Job, replies: &mut BufWriter<File>) -> std::io::Result<()> {
        let refuse = |why: &str| Reply::Refused { why: why.to_owned() };
        let reply = match job {
            Job::Describe => {
                Reply::Types { abilities: self.tables.iter().map(TypeTable::abilities).collect() }
            }
            Job::Use { plan } => match self.take_up(*plan) {
                Ok(()) => Reply::Ready,
                Err(why) => refuse(why),
            },
            Job::Edges => {
                let edges = crate::coverage::edges();
                let edges: Vec<_> = edges.iter().map(|edge| (edge.address, edge.entry)).collect();
                let taken = match &mut self.executor {
                    Some(executor) => {
                        executor.collect();
                        (0..edges.len() as u32)
                            .filter(|edge| executor.coverage.is_covered(*edge))
                            .collect()
                    }
                    None => vec![],
                };
                Reply::Edges { edges, taken }
            }
            Job::Run { sequence, values } => match &mut self.executor {
                Some(executor) => match executor.run(&sequence, values) {
                    Some(outcome) => Reply::Ran { sequence, outcome },
                    None => refuse("the sequence is not legal for this plan"),
                },
                None => refuse("no plan was given"),
            },
            Job::Walk { walk } => match &mut self.executor {
                Some(executor) => {
                    let walked = self::walk(executor, &walk, &mut |sequence, outcome| {
                        send(&Reply::Ran { sequence, outcome }, replies)
                    })?;
                    Reply::Walked { walked }
                }
                None => refuse("no plan was given"),
            },
            Job::Time { walk } => match &mut self.executor {
                Some(executor) => Reply::Timed { timing: time(executor, &walk)? },
                None => refuse("no plan was given"),
            },
        };
        send(&reply, replies)
    }

    fn take_up(&mut self, plan: Plan) -> Result<(), &'static str> {
        if plan.operations.len() != self.thunks.len() || plan.types.len() != self.tables.len() {
            return Err("the plan is not that of this harness");
        }
        let journal = match self.executor.take() {
            Some(executor) => executor.into_journal(),
            None => self.journal.take().expect("a worker has one journal"),
        };
        self.executor = Some(Executor::new(plan, self.thunks, self.tables, journal));
        Ok(())
    }
}

type Keep<'k> = &'k mut dyn FnMut(Sequence, Outcome) -> std::io::Result<()>;

/// The random walk, call by call.
fn walk(executor: &mut Executor, bounds: &Walk, keep: Keep<'_>) -> std::io::Result<Walked> {
    crate::random_keys::seed(bounds.seed);
    let plan = Arc::clone(&executor.plan);
    let mut engine = random::Walk::new(&plan, bounds.seed, &bounds.avoid);
    let mut walked = Walked::default();
    let mut seen = Failures::default();
    let start = executor.calls;
    while walked.sequences < bounds.max_sequences && executor.calls - start < bounds.max_calls {
        let kept = walked.sequences < u64::from(bounds.keep);
        executor.begin(kept);
        engine.begin();
        let before = executor.calls;
        while executor.calls - before < u64::from(bounds.max_length) {
            let calls = executor.calls;
            if engine.extend(&plan, executor).is_err() || executor.calls == calls {
                break;
            }
        }
        let sequence = kept.then(|| executor.sequence());
        let outcome = executor.finish();
        walked.sequences += 1;
        match outcome.ending {
            Ending::Panicked(_) => walked.panics += 1,
            Ending::Inapplicable => walked.inapplicable += 1,
            _ => {}
        }
        match sequence {
            Some(sequence) => keep(sequence, outcome)?,
            None if bounds.failures && seen.is_new(executor, &outcome) => {
                keep(executor.sequence(), outcome)?;
            }
            None => {}
        }
    }
    walked.calls = executor.calls - start;
    walked.completed = engine.completed;
    walked.panicked = engine.panicked;
    Ok(walked)
}

/// The failures seen in a walk: one of each kind is enough.
#[derive(Default)]
struct Failures(HashSet<(Option<OpId>, String, u32)>);

impl Failures {
    fn is_new(&mut self, executor: &Executor, outcome: &Outcome) -> bool {
        let (file, line) = match &outcome.ending {
            Ending::Panicked(panic) => (panic.file.clone(), panic.line),
            Ending::Broken => (String::new(), 0),
            _ => return false,
        };
        let op = match executor.sequence().steps().nth(outcome.step as usize) {
            Some(Step::Call(op, _)) => Some(*op),
            _ => None,
        };
        self.0.insert((op, file, line))
    }
}

/// Sequences replayed this often, so that a run is long enough to time.
const ROUNDS: u32 = 20;

/// Times the walk, then the sequences that completed with and without checks.
fn time(executor: &mut Executor, bounds: &Walk) -> std::io::Result<Timing> {
    let mut sequences = vec![];
    let sample = Walk { keep: bounds.max_sequences as u32, ..bounds.clone() };
    walk(executor, &sample, &mut |sequence, outcome| {
        if outcome.ending == Ending::Completed {
            sequences.push(sequence);
        }
        Ok(())
    })?;
    let begin = Instant::now();
    let quiet = Walk { keep: 0, ..bounds.clone() };
    let walked = walk(executor, &quiet, &mut |_, _| Ok(()))?;
    let walk_ns = begin.elapsed().as_nanos() as u64 / walked.calls.max(1);
    // A sequence may look at state that earlier ones left; keep what is stable.
    let mut bare = vec![];
    let mut flat = vec![];
    for sequence in &sequences {
        let completed =
            executor.run(sequence, false).is_some_and(|o| o.ending == Ending::Completed);
        if completed && let Some(steps) = executor.bare_steps(sequence) {
            flat.push(sequence.clone());
            bare.push(steps);
        }
    }
    let calls: usize = flat.iter().map(Sequence::calls).sum();
    let begin = Instant::now();
    for _ in 0..ROUNDS {
        for steps in &bare {
            executor.checked_run(steps);
        }
    }
    let replay_ns = begin.elapsed().as_nanos() as u64;
    let begin = Instant::now();
    for _ in 0..ROUNDS {
        for steps in &bare {
            executor.bare_run(steps);
        }
    }
    let bare_ns = begin.elapsed().as_nanos() as u64;
    let calls = calls as u64 * u64::from(ROUNDS);
    Ok(Timing { calls, sequences: flat.len() as u64, walk_ns: walk_ns * calls, replay_ns, bare_ns })
}
