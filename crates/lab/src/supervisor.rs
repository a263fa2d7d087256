//! Keeps a worker running, whatever the code under test does to it.
//!
//! The worker is a child process. When it dies, the journal says which call
//! was under way, and the way it died becomes the outcome of that sequence; a
//! new worker goes on with the next seed. A watchdog ends a worker whose pulse
//! has stopped.

use crate::Error;
use crate::coverage::Edge;
use crate::output::Tail;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testsmith_model::message::{
    Component, Job, Limit, Reply, Timing, Walk, Walked, journal, read_journal, receive, send,
};
use testsmith_model::operation::Abilities;
use testsmith_model::outcome::{Ending, Outcome, Phase};
use testsmith_model::sequence::{Literal, Step};
use testsmith_model::{Heuristic, OpId, Plan, Sequence};

#[derive(Clone, Debug)]
pub struct Limits {
    /// How long one call, drop or observation may take.
    pub call: Duration,
    /// Address space of the worker.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { call: Duration::from_secs(2), memory_bytes: 2 << 30 }
    }
}

/// How much of what the code under test prints is kept.
const KEPT_OUTPUT: usize = 64 << 10;
/// How often the watchdog looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// An operation that ended this many workers is not called again.
const DEATHS_BEFORE_AVOIDED: u32 = 2;
/// A walk is asked for in pieces, short ones after a death: what a worker has
/// not told when it dies is lost.
const PIECE_CALLS: std::ops::Range<u64> = 500..100_000;
/// Where there is an end, a piece that took longer is followed by a shorter one.
const MAX_PIECE: Duration = Duration::from_secs(1);
/// Components kept for workers to come; the oldest make way.
const MAX_COMPONENTS: usize = 4096;
/// A walk that loses this many workers is given up, unless it is told otherwise.
const MAX_DEATHS: u32 = 200;

pub struct Supervisor {
    harness: PathBuf,
    scratch: PathBuf,
    plan: Arc<Plan>,
    limits: Limits,
    worker: Option<Worker>,
    interrupt: Arc<AtomicBool>,
    pub deaths: u32,
    /// How many workers one walk may lose before it ends.
    pub patience: u32,
    /// When walks end, whatever their bounds; for those that need not be the same
    /// each time.
    pub until: Option<Instant>,
    /// The edges that walks have told of, which outlive their workers.
    taken: BTreeSet<u32>,
    /// What walks have taught that a new worker must know.
    lessons: Lessons,
    /// The sandbox in words: what holds, and what this machine lacks.
    pub in_force: Vec<String>,
    pub missing: Vec<String>,
}

/// What outlives a worker.
#[derive(Clone, Default)]
pub struct Lessons {
    /// How many workers each operation has ended, and those that ended too many.
    killers: HashMap<OpId, u32>,
    avoid: Vec<OpId>,
    limits: Vec<Limit>,
    pub components: Vec<Component>,
}

impl Lessons {
    /// Nothing but components of an earlier run.
    pub fn from_components(components: Vec<Component>) -> Lessons {
        Lessons { components, ..Lessons::default() }
    }

    /// What deaths have taught, without the components.
    pub fn of_deaths(&self) -> Lessons {
        Lessons {
            killers: self.killers.clone(),
            avoid: self.avoid.clone(),
            limits: self.limits.clone(),
            components: vec![],
        }
    }

    fn add(&mut self, components: Vec<Component>) {
        self.components.extend(components);
        let surplus = self.components.len().saturating_sub(MAX_COMPONENTS);
        self.components.drain(..surplus);
    }

    /// Learns from a death: the number that was too large, or else the operation.
    fn learn(&mut self, death: &Death, limits: bool) {
        // A component that ends the worker would end the next one too.
        let steps: Vec<&Step> = death.sequence.steps().collect();
        self.components.retain(|component| {
            !component.sequence.steps().zip(&steps).all(|(ours, theirs)| ours == *theirs)
                || component.sequence.len() < steps.len()
        });
        let Some(op) = operation_at(&death.sequence, death.outcome.step) else { return };
        let calling = death.outcome.phase == Phase::Calling;
        let costly =
            matches!(death.outcome.ending, Ending::TimedOut { .. } | Ending::OutOfMemory { .. });
        if limits
            && calling
            && costly
            && let Some(limit) = largest_number(&death.sequence, death.outcome.step)
        {
            self.limits.push(limit);
            return;
        }
        let deaths = self.killers.entry(op).or_default();
        // Waiting for a call that does not return costs as much as many deaths.
        let hung = matches!(death.outcome.ending, Ending::TimedOut { .. });
        *deaths += if hung { DEATHS_BEFORE_AVOIDED } else { 1 };
        if *deaths >= DEATHS_BEFORE_AVOIDED && !self.avoid.contains(&op) {
            self.avoid.push(op);
            let calls = |step: &Step| matches!(step, Step::Call(called, _) if *called == op);
            self.components.retain(|component| !component.sequence.steps().any(calls));
        }
    }
}

/// What a worker answered, or how it died.
enum Answer {
    Reply(Reply),
    Died(Box<Death>),
}

struct Death {
    sequence: Sequence,
    outcome: Outcome,
    sequences: u64,
    calls: u64,
}

impl Supervisor {
    /// `scratch` is the one folder the worker may write to; it is emptied.
    pub fn new(
        harness: &Path,
        scratch: &Path,
        plan: Arc<Plan>,
        limits: Limits,
        interrupt: Arc<AtomicBool>,
    ) -> Supervisor {
        Supervisor {
            harness: harness.to_owned(),
            scratch: scratch.to_owned(),
            plan,
            limits,
            worker: None,
            interrupt,
            deaths: 0,
            patience: MAX_DEATHS,
            until: None,
            taken: BTreeSet::new(),
            lessons: Lessons::default(),
            in_force: vec![],
            missing: vec![],
        }
    }

    /// Asks the harness what its types can do, and completes the plan with it.
    pub fn describe(&mut self) -> Result<(), Error> {
        match self.ask(&Job::Describe)? {
            Answer::Reply(Reply::Types { abilities }) => {
                let plan = Arc::make_mut(&mut self.plan);
                if abilities.len() != plan.types.len() {
                    return Err(Error::Worker("the harness is not that of this plan".to_owned()));
                }
                take_abilities(plan, &abilities);
                self.worker = None;
                Ok(())
            }
            answer => Err(unexpected(answer)),
        }
    }

    pub fn plan(&self) -> Arc<Plan> {
        Arc::clone(&self.plan)
    }

    /// What the walks so far have taught.
    pub fn lessons(&self) -> &Lessons {
        &self.lessons
    }

    /// Starts from what another's walks have taught.
    pub fn take_lessons(&mut self, lessons: Lessons) {
        self.lessons = lessons;
    }

    /// Runs one sequence from scratch.
    pub fn run(&mut self, sequence: &Sequence, values: bool) -> Result<Outcome, Error> {
        match self.ask(&Job::Run { sequence: sequence.clone(), values })? {
            Answer::Reply(Reply::Ran { outcome, .. }) => Ok(outcome),
            Answer::Died(death) => Ok(death.outcome),
            answer => Err(unexpected(answer)),
        }
    }

    /// Runs one sequence in a process of its own.
    pub fn run_afresh(&mut self, sequence: &Sequence, values: bool) -> Result<Outcome, Error> {
        self.renew();
        let outcome = self.run(sequence, values);
        self.renew();
        outcome
    }

    /// Runs one sequence from scratch; the edges that it takes, new or not, are
    /// none if the worker died of it.
    pub fn trace(&mut self, sequence: &Sequence) -> Result<(Outcome, Vec<u32>), Error> {
        match self.ask(&Job::Trace { sequence: sequence.clone() })? {
            Answer::Reply(Reply::Traced { outcome, edges }) => Ok((outcome, edges)),
            Answer::Died(death) => Ok((death.outcome, vec![])),
            answer => Err(unexpected(answer)),
        }
    }

    /// Lets the worker go; the next job is done in a fresh process.
    pub fn renew(&mut self) {
        self.worker = None;
    }

    /// Walks until the bounds are reached, over as many workers as it takes.
    /// `each` sees the sequences kept and all that ended a worker.
    pub fn walk(
        &mut self,
        walk: &Walk,
        each: &mut dyn FnMut(Sequence, Outcome),
    ) -> Result<Walked, Error> {
        let mut left = walk.clone();
        left.components = vec![];
        let mut total = Walked {
            completed: vec![0; self.plan.operations.len()],
            panicked: vec![0; self.plan.operations.len()],
            ..Walked::default()
        };
        let mut piece = PIECE_CALLS.start;
        let mut deaths = 0;
        while deaths < self.patience
            && left.max_sequences > 0
            && left.max_calls > 0
            && !self.is_late()
        {
            let begin = Instant::now();
            let mut next = self.warned(&left);
            next.max_calls = left.max_calls.min(piece);
            // A worker that has walked before has its own.
            if self.worker.as_ref().is_none_or(|worker| !worker.walked) {
                next.components = [walk.components.as_slice(), &self.lessons.components].concat();
            }
            let mut kept = 0;
            let answer = self.ask_and_listen(&Job::Walk { walk: next }, &mut |s, o| {
                kept += 1;
                each(s, o);
            })?;
            let (sequences, calls) = match answer {
                Answer::Reply(Reply::Walked { walked }) => {
                    add(&mut total, &walked);
                    self.lessons.add(walked.components);
                    self.taken.extend(walked.edges);
                    let slow = self.until.is_some() && begin.elapsed() > MAX_PIECE;
                    piece =
                        if slow { (piece / 2).max(1) } else { (2 * piece).min(PIECE_CALLS.end) };
                    (walked.sequences, walked.calls)
                }
                Answer::Died(death) => {
                    total.sequences += death.sequences;
                    total.calls += death.calls;
                    self.lessons.learn(&death, walk.heuristics.has(Heuristic::Limits));
                    let counts = (death.sequences, death.calls);
                    each(death.sequence, death.outcome);
                    piece = PIECE_CALLS.start;
                    deaths += 1;
                    counts
                }
                answer => return Err(unexpected(answer)),
            };
            left.max_sequences = left.max_sequences.saturating_sub(sequences);
            left.max_calls = left.max_calls.saturating_sub(calls.max(1));
            left.keep = left.keep.saturating_sub(kept);
            left.seed = left.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        }
        Ok(total)
    }

    /// Whether the time for walks is over.
    pub fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Times the same calls with and without all that surrounds them.
    /// What ends the worker is learnt and left out the next time.
    pub fn time(&mut self, walk: &Walk) -> Result<Timing, Error> {
        for _ in 0..MAX_DEATHS {
            match self.ask(&Job::Time { walk: self.warned(walk) })? {
                Answer::Reply(Reply::Timed { timing }) => return Ok(timing),
                Answer::Died(death) => self.lessons.learn(&death, true),
                answer => return Err(unexpected(answer)),
            }
        }
        Err(Error::Worker(format!("it died {MAX_DEATHS} times")))
    }

    /// The walk with what earlier ones have taught.
    fn warned(&self, walk: &Walk) -> Walk {
        Walk {
            avoid: [walk.avoid.as_slice(), &self.lessons.avoid].concat(),
            limits: [walk.limits.as_slice(), &self.lessons.limits].concat(),
            ..walk.clone()
        }
    }

    /// All edges of the instrumented code, and those taken so far, by workers that
    /// are gone too.
    pub fn edges(&mut self) -> Result<(Vec<Edge>, Vec<u32>), Error> {
        match self.ask(&Job::Edges)? {
            Answer::Reply(Reply::Edges { edges, taken }) => {
                self.taken.extend(taken);
                let edge = |(address, entry)| Edge { address, entry };
                let taken = self.taken.iter().copied().collect();
                Ok((edges.into_iter().map(edge).collect(), taken))
            }
            answer => Err(unexpected(answer)),
        }
    }

    fn ask(&mut self, job: &Job) -> Result<Answer, Error> {
        self.ask_and_listen(job, &mut |_, _| ())
    }

    /// Sends a job and reads until the last reply to it.
    fn ask_and_listen(
        &mut self,
        job: &Job,
        each: &mut dyn FnMut(Sequence, Outcome),
    ) -> Result<Answer, Error> {
        let streams = matches!(job, Job::Walk { .. });
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.spawn(!matches!(job, Job::Describe))?,
        };
        worker.watch.busy.store(true, Ordering::Release);
        let mut answer = worker.send(job).and_then(|()| worker.receive());
        while let (true, Ok(Reply::Ran { .. })) = (streams, &answer) {
            if let Ok(Reply::Ran { sequence, outcome }) =
                std::mem::replace(&mut answer, worker.receive())
            {
                each(sequence, outcome);
            }
        }
        worker.watch.busy.store(false, Ordering::Release);
        match answer {
            Ok(reply) => {
                worker.walked |= streams;
                worker.counted = worker.counts();
                self.worker = Some(worker);
                Ok(Answer::Reply(reply))
            }
            Err(_) if self.interrupt.load(Ordering::Acquire) => Err(Error::Interrupted),
            Err(_) => {
                self.deaths += 1;
                let limits = self.limits.clone();
                worker.bury(&limits).map(|death| Answer::Died(Box::new(death)))
            }
        }
    }

    fn spawn(&mut self, with_plan: bool) -> Result<Worker, Error> {
        let mut worker =
            Worker::spawn(&self.harness, &self.scratch, &self.limits, &self.interrupt)?;
        let failed = |why: &str| Error::Worker(why.to_owned());
        match worker.receive() {
            Ok(Reply::Hello { in_force, missing }) => {
                self.in_force = in_force;
                self.missing = missing;
            }
            _ => return Err(Error::Worker(worker.last_words())),
        }
        if with_plan {
            let job = Job::Use { plan: Box::new((*self.plan).clone()) };
            match worker.send(&job).and_then(|()| worker.receive()) {
                Ok(Reply::Ready) => {}
                Ok(Reply::Refused { why }) => return Err(failed(&why)),
                _ => return Err(Error::Worker(worker.last_words())),
            }
        }
        Ok(worker)
    }
}

/// Puts what the compiler said of the types into the plan.
fn take_abilities(plan: &mut Plan, abilities: &[Abilities]) {
    for (info, abilities) in plan.types.iter_mut().zip(abilities) {
        info.abilities = *abilities;
    }
}

fn unexpected(answer: Answer) -> Error {
    match answer {
        Answer::Reply(Reply::Refused { why }) => Error::Worker(why),
        Answer::Reply(reply) => Error::Worker(format!("an unexpected reply: {reply:?}")),
        Answer::Died(death) => Error::Worker(format!("it died: {:?}", death.outcome.ending)),
    }
}

fn operation_at(sequence: &Sequence, step: u32) -> Option<OpId> {
    match sequence.steps().nth(step as usize) {
        Some(Step::Call(op, _)) => Some(*op),
        _ => None,
    }
}

/// The literal number furthest from zero that went into a step, and where it
/// was an argument: of the step itself, or else of what made its arguments.
fn largest_number(sequence: &Sequence, step: u32) -> Option<Limit> {
    let steps: Vec<&Step> = sequence.steps().collect();
    let mut makers = vec![step];
    while !makers.is_empty() {
        let mut numbers = vec![];
        let mut further = vec![];
        for at in makers {
            let Some(Step::Call(op, back)) = steps.get(at as usize) else { continue };
            for (input, distance) in back.iter().enumerate() {
                let from = at.saturating_sub(*distance);
                match steps.get(from as usize) {
                    Some(Step::Literal(_, Literal::Int(number))) => {
                        numbers.push(Limit { op: *op, input: input as u32, number: *number });
                    }
                    _ => further.push(from),
                }
            }
        }
        let size = |limit: &Limit| limit.number.unsigned_abs();
        let large = numbers.into_iter().filter(|limit| size(limit) >= Limit::LEAST);
        if let Some(limit) = large.max_by_key(size) {
            return Some(limit);
        }
        further.sort_unstable();
        further.dedup();
        makers = further;
    }
    None
}

fn add(total: &mut Walked, walked: &Walked) {
    total.census.extend(&walked.census);
    total.extensions += walked.extensions;
    total.repeated += walked.repeated;
    total.sequences += walked.sequences;
    total.calls += walked.calls;
    total.panics += walked.panics;
    total.inapplicable += walked.inapplicable;
    for (sum, n) in total.completed.iter_mut().zip(&walked.completed) {
        *sum += n;
    }
    for (sum, n) in total.panicked.iter_mut().zip(&walked.panicked) {
        *sum += n;
    }
}

/// What the watchdog and the supervisor share.
#[derive(Default)]
struct Watch {
    busy: AtomicBool,
    timed_out: AtomicBool,
    over: AtomicBool,
}

struct Worker {
    child: Arc<std::sync::Mutex<Child>>,
    jobs: BufWriter<ChildStdin>,
    replies: BufReader<ChildStdout>,
    tail: Option<Tail>,
    watch: Arc<Watch>,
    journal: PathBuf,
    /// Whether it has an engine of its own by now.
    walked: bool,
    /// Sequences and calls up to the last answer.
    counted: (u64, u64),
}

impl Worker {
    fn spawn(
        harness: &Path,
        scratch: &Path,
        limits: &Limits,
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
        own_process_group(&mut command);
        let spawned = command.spawn();
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
        worker.start_watchdog(limits.call, Arc::clone(interrupt));
        Ok(worker)
    }

    /// Looks at the pulse; a call that takes too long ends the worker.
    fn start_watchdog(&self, limit: Duration, interrupt: Arc<AtomicBool>) {
        let watch = Arc::clone(&self.watch);
        let child = Arc::clone(&self.child);
        let Ok(mut file) = File::open(&self.journal) else { return };
        std::thread::spawn(move || {
            let mut last = (0, Instant::now());
            while !watch.over.load(Ordering::Acquire) {
                std::thread::sleep(LOOK_EVERY);
                let (pulse, phase) = pulse_of(&mut file);
                let working = watch.busy.load(Ordering::Acquire) && phase != journal::AT_REST;
                if !working || pulse != last.0 {
                    last = (pulse, Instant::now());
                }
                let stalled = last.1.elapsed() > limit;
                if stalled || interrupt.load(Ordering::Acquire) {
                    watch.timed_out.store(stalled, Ordering::Release);
                    let mut child = child.lock().unwrap_or_else(|e| e.into_inner());
                    let _ = child.kill();
                    return;
                }
            }
        });
    }

    /// Sequences and calls since it started.
    fn counts(&self) -> (u64, u64) {
        let mut header = [0; journal::STEPS];
        let read = File::open(&self.journal).and_then(|mut file| file.read_exact(&mut header));
        match read {
            Ok(()) => (long(&header, journal::SEQUENCES), long(&header, journal::CALLS)),
            Err(_) => self.counted,
        }
    }

    fn send(&mut self, job: &Job) -> std::io::Result<()> {
        send(job, &mut self.jobs)
    }

    fn receive(&mut self) -> std::io::Result<Reply> {
        receive(&mut self.replies)
    }

    fn last_words(mut self) -> String {
        self.kill();
        let words = self.tail.take().map(|tail| tail.finish().0).unwrap_or_default();
        if words.trim().is_empty() { "it ended without a word".to_owned() } else { words }
    }

    fn kill(&mut self) -> Option<ExitStatus> {
        self.watch.over.store(true, Ordering::Release);
        let mut child = self.child.lock().unwrap_or_else(|e| e.into_inner());
        let _ = child.kill();
        child.wait().ok()
    }

    /// Says how the worker died and what it was doing.
    fn bury(mut self, limits: &Limits) -> Result<Death, Error> {
        self.watch.over.store(true, Ordering::Release);
        let status = {
            let mut child = self.child.lock().unwrap_or_else(|e| e.into_inner());
            // The pipe is closed; a process that lives on without it is killed.
            wait_or_kill(&mut child, limits.call)
        };
        let words = self.tail.take().map(|tail| tail.finish().0).unwrap_or_default();
        let bytes = std::fs::read(&self.journal).map_err(Error::io(&self.journal))?;
        let Some((sequence, step, phase)) = read_journal(&bytes) else {
            let how = status.map_or(String::new(), |status| format!(", {status}"));
            return Err(Error::Worker(format!("it died between two sequences{how}: {words}")));
        };
        let ending = if self.watch.timed_out.load(Ordering::Acquire) {
            Ending::TimedOut { after_ms: limits.call.as_millis() as u64 }
        } else {
            ending_of(status, long(&bytes, journal::REFUSED), &words)
        };
        Ok(Death {
            sequence,
            outcome: Outcome { ending, step, phase, values: vec![], new_edges: 0 },
            sequences: long(&bytes, journal::SEQUENCES) - self.counted.0,
            calls: long(&bytes, journal::CALLS) - self.counted.1,
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

fn pulse_of(file: &mut File) -> (u64, u32) {
    let mut header = [0; 16];
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut header));
    if read.is_err() {
        return (0, journal::AT_REST);
    }
    let pulse = long(&header, journal::PULSE);
    let phase = u32::from_le_bytes(
        header[journal::PHASE..journal::PHASE + 4].try_into().expect("four bytes are four"),
    );
    (pulse, phase)
}

#[cfg(unix)]
fn ending_of(status: Option<ExitStatus>, refused: u64, words: &str) -> Ending {
    use std::os::unix::process::ExitStatusExt;
    match status.map(|status| (status.signal(), status.code())) {
        Some((Some(_), _)) if refused > 0 => Ending::OutOfMemory { requested: refused },
        Some((Some(number), _)) => Ending::Signal { number, note: note_in(words) },
        Some((None, Some(code))) => Ending::Exited { code },
        _ => Ending::Signal { number: 0, note: note_in(words) },
    }
}

#[cfg(not(unix))]
fn ending_of(status: Option<ExitStatus>, refused: u64, words: &str) -> Ending {
    match status.and_then(|status| status.code()) {
        Some(_) if refused > 0 => Ending::OutOfMemory { requested: refused },
        Some(code) => Ending::Exited { code },
        None => Ending::Signal { number: 0, note: note_in(words) },
    }
}

/// What the runtime said before it aborted, in our words.
fn note_in(words: &str) -> String {
    let known = [
        ("overflowed its stack", "stack overflow"),
        ("panic in a destructor during cleanup", "panic in a destructor while panicking"),
        ("panic in a function that cannot unwind", "panic in a function that cannot unwind"),
        ("thread panicked while processing panic", "panic while panicking"),
        ("non-unwinding panic", "panic while panicking"),
        ("memory allocation of", "out of memory"),
        ("unsafe precondition(s) violated", "unsafe precondition violated"),
        ("corrupted", "heap corruption"),
        ("double free", "double free"),
        ("free(): invalid", "invalid free"),
    ];
    let found = known.iter().find(|(needle, _)| words.contains(needle));
    found.map_or(String::new(), |(_, note)| (*note).to_owned())
}

/// A Ctrl-C on the terminal is for us; the worker goes when we say so.
#[cfg(unix)]
fn own_process_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_process_group(_command: &mut Command) {}
