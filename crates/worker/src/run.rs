//! The worker's one loop: take a job, do it, answer.
//!
//! Messages travel over the descriptors that were standard input and output
//! when the process began; the code under test never sees those.

use crate::executor::{Executor, Thunk};
use crate::journal::Journal;
use crate::mutants::{self, Switch, Switchboard};
use crate::observer::Observer;
use crate::orphan;
use crate::panics;
use crate::sandbox::{self, PrintTo, ResourceLimits};
use crate::table::TypeTable;
use crate::timing;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufReader, BufWriter};
use std::os::fd::FromRawFd;
use std::path::PathBuf;
use testsmith_engines::Stage;
use testsmith_engines::random::Engine;
use testsmith_model::judging::{Judging, Tried};
use testsmith_model::message::{
    ArgumentLimit, IDENTITY, Job, Reply, SANDBOX_LACKS, STRICTLY, UNWATCHED, Walk, Walked,
};
use testsmith_model::operation::Sameness;
use testsmith_model::outcome::{Ending, Panic};
use testsmith_model::pipe::{receive, send};
use testsmith_model::{Heuristics, OpId, Outcome, Plan, Sequence, Step};

/// Where the journal lies, below the scratch folder.
const JOURNAL: &str = "journal";

/// Serves the supervisor until it closes the pipe. Called by the generated
/// harness with all that it knows.
pub fn run(thunks: &'static [Thunk], tables: &'static [TypeTable], identity: &str) {
    serve(thunks, tables, identity, None);
}

/// The same in a harness of a crate with mutants in it.
pub fn run_with_mutants(
    thunks: &'static [Thunk],
    tables: &'static [TypeTable],
    identity: &str,
    switch: Switch,
) {
    serve(thunks, tables, identity, Some(switch));
}

fn serve(
    thunks: &'static [Thunk],
    tables: &'static [TypeTable],
    identity: &str,
    switch: Option<Switch>,
) {
    if std::env::args().nth(1).as_deref() == Some(IDENTITY) {
        println!("{identity}");
        return;
    }
    if std::env::args().nth(1).as_deref() == Some(STRICTLY) {
        sandbox::run_strictly(SANDBOX_LACKS, UNWATCHED, std::env::args_os().skip(2));
    }
    let scratch = PathBuf::from(std::env::args_os().nth(1).expect("the scratch folder is given"));
    let memory = std::env::args().nth(2).and_then(|text| text.parse().ok());
    let journal = Journal::open(&scratch.join(JOURNAL)).expect("the supervisor made the journal");
    let (mut jobs, mut replies) = take_standard_streams();
    std::env::set_current_dir(&scratch).expect("the scratch folder is there");
    let limits = ResourceLimits { memory_bytes: memory, ..ResourceLimits::default() };
    orphan::end_without_parent();
    let report = sandbox::enter(&scratch, &limits);
    panics::install_hook();
    let hello = Reply::Hello { missing: report.missing().map(str::to_owned).collect() };
    if send(&hello, &mut replies).is_err() {
        return;
    }
    let mut worker = Worker {
        thunks,
        tables,
        executor: None,
        engine: None,
        journal: Some(journal),
        switch,
        board: None,
    };
    // The hook prints nothing, so a mistake of our own is told here.
    let served = panics::catching(|| {
        // An error means that the supervisor is gone.
        while let Ok(job) = receive::<Job>(&mut jobs) {
            if worker.serve(job, &mut replies).is_err() {
                return;
            }
        }
    });
    if let Err(panic) = served {
        eprintln!("{}:{}: {}", panic.file, panic.line, panic.message);
        std::process::exit(101);
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
    let _ = sandbox::silence(PrintTo::Descriptor(2));
    (BufReader::new(jobs), BufWriter::new(replies))
}

struct Worker {
    thunks: &'static [Thunk],
    tables: &'static [TypeTable],
    executor: Option<Executor>,
    engine: Option<Learnt>,
    journal: Option<Journal>,
    switch: Option<Switch>,
    /// The switch once a job with mutants came.
    board: Option<Switchboard>,
}

/// An engine with what it has learnt, and what it was told to begin with.
struct Learnt {
    engine: Engine,
    heuristics: Heuristics,
    avoid: Vec<OpId>,
    limits: Vec<ArgumentLimit>,
    census: Option<Census>,
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
            Job::Trace { sequence } => match &mut self.executor {
                Some(executor) => match executor.trace(&sequence) {
                    Some((outcome, edges)) => Reply::Traced { outcome, edges },
                    None => refuse("the sequence is not legal for this plan"),
                },
                None => refuse("no plan was given"),
            },
            Job::Walk { walk } => match &mut self.executor {
                Some(executor) => {
                    let learnt = go_on(&mut self.engine, executor, &walk);
                    let mut keep =
                        |sequence, outcome| send(&Reply::Ran { sequence, outcome }, replies);
                    let census = learnt.census.as_mut();
                    let walked = walk_with(executor, &mut learnt.engine, census, &walk, &mut keep)?;
                    Reply::Walked { walked }
                }
                None => refuse("no plan was given"),
            },
            Job::Observe { watching, walk, sequences } => match &mut self.executor {
                Some(executor) => {
                    let learnt = go_on(&mut self.engine, executor, &walk);
                    // What the engine starts from is no part of what was asked for.
                    executor.observer = Some(Box::new(Observer::new(&executor.plan, watching)));
                    let mut keep =
                        |sequence, outcome| send(&Reply::Ran { sequence, outcome }, replies);
                    let engine = &mut learnt.engine;
                    let walked = walk_with(executor, engine, None, &walk, &mut keep)?;
                    let observed = Box::new(executor.observe_all(&sequences));
                    executor.observer = None;
                    Reply::Observed { observed, walked }
                }
                None => refuse("no plan was given"),
            },
            Job::Time { walk } => match &mut self.executor {
                Some(executor) => Reply::Timed { timing: timing::time(executor, &walk)? },
                None => refuse("no plan was given"),
            },
            Job::Judge { judging, walk, sequences } => {
                self.judge(&judging, &walk, &sequences, replies)?
            }
            Job::Try { sequence, mutant, visits, numbers } => {
                match self.try_out(&sequence, mutant, visits, numbers) {
                    Some(tried) => Reply::Tried { tried },
                    None => refuse("the sequence is not legal for this plan"),
                }
            }
        };
        send(&reply, replies)
    }

    fn judge(
        &mut self,
        judging: &Judging,
        walk: &Walk,
        sequences: &[Sequence],
        replies: &mut BufWriter<File>,
    ) -> std::io::Result<Reply> {
        let board = board(&mut self.board, self.switch, judging.numbers);
        let (Some(executor), Some(board)) = (&mut self.executor, board) else {
            return Ok(Reply::Refused { why: "there is no plan, or no mutant".to_owned() });
        };
        let engine = &mut go_on(&mut self.engine, executor, walk).engine;
        let mut tell = |difference| send(&Reply::Differs { difference }, replies);
        let with = (walk, sequences);
        let judged = mutants::judge(executor, engine, board, judging, with, &mut tell)?;
        Ok(Reply::Judged { judged })
    }

    fn try_out(
        &mut self,
        sequence: &Sequence,
        mutant: u32,
        visits: u64,
        numbers: u32,
    ) -> Option<Tried> {
        let board = board(&mut self.board, self.switch, numbers)?;
        board.try_one(self.executor.as_mut()?, sequence, mutant, visits)
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
        self.engine = None;
        Ok(())
    }
}

/// The switch with its record, if there is one.
fn board(
    board: &mut Option<Switchboard>,
    switch: Option<Switch>,
    numbers: u32,
) -> Option<&mut Switchboard> {
    let switch = switch?;
    Some(board.get_or_insert_with(|| Switchboard::new(switch, numbers)))
}

pub(crate) type Keep<'k> = &'k mut dyn FnMut(Sequence, Outcome) -> std::io::Result<()>;

/// The engine of the walk before if it was told the same, or a new one that
/// starts from the components given.
fn go_on<'e>(
    learnt: &'e mut Option<Learnt>,
    executor: &mut Executor,
    walk: &Walk,
) -> &'e mut Learnt {
    let same = learnt.take_if(|old| {
        let told = (old.heuristics, &old.avoid, &old.limits, old.census.is_some());
        told != (walk.heuristics, &walk.avoid, &walk.limits, walk.census)
    });
    drop(same);
    learnt.get_or_insert_with(|| {
        executor.shelf.clear();
        let mut engine = Engine::new(&executor.plan, walk.heuristics, &walk.avoid, &walk.limits);
        for component in &walk.components {
            executor.begin(false);
            engine.begin(false);
            engine.adopt(executor, component);
            executor.finish();
        }
        Learnt {
            engine,
            heuristics: walk.heuristics,
            avoid: walk.avoid.clone(),
            limits: walk.limits.clone(),
            census: walk.census.then(Census::default),
        }
    })
}

/// Sequences in a row without a call, after which there is nothing to call: all that is left
/// may have to be avoided.
const MAX_IDLE: u32 = 10_000;

/// Random sequences, call by call, until the bounds are reached.
pub(crate) fn walk_with(
    executor: &mut Executor,
    engine: &mut Engine,
    mut census: Option<&mut Census>,
    bounds: &Walk,
    keep: Keep<'_>,
) -> std::io::Result<Walked> {
    crate::random_keys::seed(bounds.seed);
    engine.start(bounds.seed);
    let mut walked = Walked::default();
    let mut seen = Failures::default();
    let start = executor.calls;
    let mut idle = 0;
    while walked.sequences < bounds.max_sequences
        && executor.calls - start < bounds.max_calls
        && idle < MAX_IDLE
    {
        let before = executor.calls;
        let kept = walked.sequences < u64::from(bounds.keep);
        executor.watch = is_watched(walked.sequences, bounds);
        grow(executor, engine, bounds.max_length, kept, &mut |executor| {
            if let Some(census) = census.as_deref_mut() {
                census.extended(executor);
            }
        });
        if let Some(census) = census.as_deref_mut() {
            census.take(executor);
        }
        executor.observe_end();
        let sequence = kept.then(|| executor.sequence());
        let outcome = executor.finish();
        if let Some(new_edges) = executor.take_reading() {
            engine.credit(new_edges);
        }
        walked.sequences += 1;
        idle = if executor.calls > before { 0 } else { idle + 1 };
        match outcome.ending {
            Ending::Panicked(_) => walked.panics += 1,
            Ending::Inapplicable => walked.inapplicable += 1,
            _ => {}
        }
        let again = bounds.failures && seen.wants_another_look(executor, &outcome);
        match sequence {
            Some(sequence) => keep(sequence, outcome)?,
            None if again => {
                let sequence = executor.sequence();
                match executor.run(&sequence, false) {
                    Some(outcome) if seen.is_new(executor, &outcome) => keep(sequence, outcome)?,
                    _ => {}
                }
            }
            None if bounds.failures && seen.is_new(executor, &outcome) => {
                keep(executor.sequence(), outcome)?;
            }
            None => {}
        }
    }
    executor.watch = false;
    walked.calls = executor.calls - start;
    walked.completed = engine.completed();
    walked.panicked = engine.panicked();
    walked.components = engine.take_components();
    walked.edges = std::mem::take(&mut executor.new_edges);
    if let Some(census) = census {
        walked.census = std::mem::take(&mut census.new);
        walked.extensions = std::mem::take(&mut census.extensions);
        walked.repeated = std::mem::take(&mut census.repeated);
    }
    Ok(walked)
}

/// Whether the memory of a sequence of a walk is watched: one in some.
pub(crate) fn is_watched(sequence: u64, bounds: &Walk) -> bool {
    bounds.watch_every > 0 && sequence.is_multiple_of(u64::from(bounds.watch_every))
}

/// The distinct values at the ends of sequences, of types that can tell, and
/// how often a call under test came after exactly the same steps.
#[derive(Default)]
pub(crate) struct Census {
    seen: HashSet<u64>,
    new: Vec<u64>,
    /// The hashes of all sequences up to a call under test.
    sequences: HashSet<u64>,
    extensions: u64,
    repeated: u64,
}

impl Census {
    fn extended(&mut self, executor: &Executor) {
        let mut hasher = DefaultHasher::new();
        hasher.write(executor.journal.bytes());
        self.extensions += 1;
        self.repeated += u64::from(!self.sequences.insert(hasher.finish()));
    }

    fn take(&mut self, executor: &mut Executor) {
        for slot in 0..executor.loans().len() as u32 {
            let (loans, plan) = (executor.loans(), &executor.plan);
            if !loans.is_live(slot) || loans.is_lent(slot) {
                continue;
            }
            let ty = loans.ty(slot);
            let info = plan.ty(ty);
            // Values that only compare with each other are known by their text.
            let sameness = match info.abilities.sameness() {
                Sameness::PartialEq => Sameness::Debug,
                sameness => sameness,
            };
            if !info.may_borrow()
                && let Some(identity) = executor.identity(slot, sameness)
            {
                // Types may share a hash, as zero does in all numbers.
                let known_by = identity.rotate_left(ty.0 % 64) ^ u64::from(ty.0);
                if self.seen.insert(known_by) {
                    self.new.push(known_by);
                }
            }
        }
    }
}

/// The failures seen in a walk: one of each kind is enough, unless it came about by other
/// calls.
#[derive(Default)]
struct Failures {
    kinds: HashMap<(Option<OpId>, String, u32), Ways>,
    /// How many sequences were run again because of their memory.
    looked_again: u32,
}

/// The calls that led to failures of one kind.
#[derive(Default)]
struct Ways {
    looked_at: u32,
    sets: Vec<BTreeSet<OpId>>,
}

/// So many failures of one kind are looked at in a walk; what fails often would take up all
/// the time.
const LOOKED_AT: u32 = 8;
/// Letters of what a panic says by which it is known.
const MAX_SAID: usize = 60;
/// And so many whose memory is looked at again: a crate may keep what it was given.
const RUN_AGAIN: u32 = 64;

impl Failures {
    /// Whether a sequence has misused memory, or left some behind, and is worth a second
    /// look, from scratch and thoroughly.
    fn wants_another_look(&mut self, executor: &Executor, outcome: &Outcome) -> bool {
        let left = executor.watch && outcome.ending == Ending::Completed && executor.unfreed > 0;
        let misused = matches!(outcome.ending, Ending::Memory(_));
        self.looked_again += u32::from(left || misused);
        (left || misused) && self.looked_again <= RUN_AGAIN
    }

    fn is_new(&mut self, executor: &Executor, outcome: &Outcome) -> bool {
        let (file, line) = match &outcome.ending {
            Ending::Panicked(panic) => (place(panic), panic.line),
            Ending::Broken => (String::new(), 0),
            Ending::Memory(error) => (error.words().to_owned(), 0),
            _ => return false,
        };
        let ways = self.kinds.entry((executor.failing(outcome), file, line)).or_default();
        if ways.looked_at == LOOKED_AT {
            return false;
        }
        ways.looked_at += 1;
        let called = |step: &Step| match step {
            Step::Call(op, _) => Some(*op),
            Step::Literal(..) => None,
        };
        let set: BTreeSet<OpId> = executor.sequence().steps().filter_map(called).collect();
        let new = !ways.sets.iter().any(|known| known.is_subset(&set));
        if new {
            ways.sets.push(set);
        }
        new
    }
}

/// The file of a panic and the beginning of what it says: a function that blames its caller has
/// the caller's place, whatever is wrong.
fn place(panic: &Panic) -> String {
    let said = panic.message.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    let said: String = said.chars().take(MAX_SAID).collect();
    format!("{}: {said}", panic.file)
}

/// Grows one sequence, up to `max_length` calls without repetitions, and keeps
/// its new values. Shows the stage after every call under test.
pub(crate) fn grow(
    executor: &mut Executor,
    engine: &mut Engine,
    max_length: u32,
    observe: bool,
    each: &mut dyn FnMut(&Executor),
) {
    executor.begin(observe);
    engine.begin(!observe);
    let before = executor.calls;
    while executor.calls - before < u64::from(max_length) + engine.repetitions() {
        let calls = executor.calls;
        let extended = engine.extend(executor);
        if executor.calls > calls {
            each(executor);
        }
        if extended.is_err() || executor.calls == calls {
            break;
        }
    }
    engine.end(executor);
}
