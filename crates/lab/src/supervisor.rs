//! Keeps a worker running, whatever the code under test does to it.
//!
//! The worker is a child process. When it dies, the journal says which call
//! was under way, and the way it died becomes the outcome of that sequence; a
//! new worker goes on with the next seed. A watchdog ends a worker whose pulse
//! has stopped. Where the damage shows later than it is done, the sequences
//! before are run again, one by one, until one of them is seen to do it.

mod observe;

use crate::Error;
use crate::coverage::Edge;
use crate::lessons::Lessons;
use crate::worker::{Death, HEAP_NOTES, Worker, WorkerLimits};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testsmith_model::message::{Job, Reply, Timing, Walk, Walked};
use testsmith_model::operation::Abilities;
use testsmith_model::outcome::{Ending, Outcome};
use testsmith_model::{Heuristic, Plan, Sequence, Step};

/// A walk is asked for in pieces, short ones after a death: what a worker has
/// not told when it dies is lost.
const PIECE_CALLS: std::ops::Range<u64> = 500..100_000;
/// Where one worker dies after the other, a piece is never shorter than this.
const MIN_PIECE_CALLS: u64 = 16;
/// Where there is an end, a piece that took longer is followed by a shorter one.
const MAX_PIECE: Duration = Duration::from_secs(1);
/// A walk that loses this many workers is given up, unless it is told otherwise.
const MAX_DEATHS: u32 = 200;
/// When so many calls of walks that end at some time did not return, the next may take only
/// such a part of the time: waiting for them would be all that there is time for.
const HUNG_BEFORE_HURRY: u32 = 4;
const HURRY: u32 = 5;
/// A worker that does not start is started again.
const STARTS: u32 = 3;
/// So many deaths that no sequence explains, and walks without an end in time are over for
/// this supervisor: the next workers would die of the same. Where there is an end, what is
/// left of the time is worth a try.
const MAX_UNEXPLAINED: u32 = 20;

pub struct Supervisor {
    harness: PathBuf,
    scratch: PathBuf,
    plan: Arc<Plan>,
    limits: WorkerLimits,
    /// How long a call may take by the limits as they were given.
    call_limit: Duration,
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
    pub(crate) lessons: Lessons,
    /// Whether memory was seen to be damaged, so that from now on all of it is watched.
    damaged: bool,
    /// Workers that died between two sequences of what could not be found out.
    unexplained: u32,
    /// Calls of walks that did not return.
    hung: u32,
    /// What this machine lacks of the sandbox, in words.
    pub missing: Vec<String>,
}

/// What a worker answered, or how it died.
pub(crate) enum Answer {
    Reply(Reply),
    Died(Box<Death>),
}

impl Supervisor {
    /// `scratch` is the one folder the worker may write to; it is emptied.
    pub fn new(
        harness: &Path,
        scratch: &Path,
        plan: Arc<Plan>,
        limits: WorkerLimits,
        interrupt: Arc<AtomicBool>,
    ) -> Supervisor {
        Supervisor {
            harness: harness.to_owned(),
            scratch: scratch.to_owned(),
            plan,
            call_limit: limits.call,
            limits,
            worker: None,
            interrupt,
            deaths: 0,
            patience: MAX_DEATHS,
            until: None,
            taken: BTreeSet::new(),
            lessons: Lessons::default(),
            damaged: false,
            unexplained: 0,
            hung: 0,
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
        match self.ask_about(&Job::Run { sequence: sequence.clone(), values }, sequence)? {
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
        match self.ask_about(&Job::Trace { sequence: sequence.clone() }, sequence)? {
            Answer::Reply(Reply::Traced { outcome, edges }) => Ok((outcome, edges)),
            Answer::Died(death) => Ok((death.outcome, vec![])),
            answer => Err(unexpected(answer)),
        }
    }

    /// From now on, a call may take so many times as long as the limits say, or only such a
    /// part of it.
    pub fn set_patience(&mut self, times: f64) {
        self.worker = None;
        self.limits.call = self.call_limit.mul_f64(times);
    }

    /// Has less patience with the workers to come, if too many calls did not return. Where
    /// no time is set, all results have to be the same each time.
    fn hurry(&mut self, ending: &Ending) {
        self.hung += u32::from(matches!(ending, Ending::TimedOut { .. }));
        if self.until.is_some() && self.hung == HUNG_BEFORE_HURRY {
            self.limits.call = self.call_limit / HURRY;
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
        let mut died = false;
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
                    died = false;
                    add(&mut total, &walked);
                    self.lessons.add(walked.components);
                    self.taken.extend(walked.edges);
                    let slow = self.until.is_some() && begin.elapsed() > MAX_PIECE;
                    piece =
                        if slow { (piece / 2).max(1) } else { (2 * piece).min(PIECE_CALLS.end) };
                    // There is nothing to call, and nothing that could change that.
                    if walked.calls == 0 {
                        break;
                    }
                    (walked.sequences, walked.calls)
                }
                Answer::Died(death) => {
                    total.sequences += death.sequences;
                    total.calls += death.calls;
                    add_completed(&mut total.completed, &death);
                    let counts = (death.sequences, death.calls);
                    self.hurry(&death.outcome.ending);
                    self.account_for(*death, walk.heuristics.has(Heuristic::Limits), each)?;
                    piece = match died {
                        true => (piece / 4).max(MIN_PIECE_CALLS),
                        false => PIECE_CALLS.start,
                    };
                    died = true;
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

    /// Walks from nothing, and where time counts not for long, whatever the time is. What walks
    /// before have left, and the time for those to come, stay as they are.
    pub fn walk_afresh(
        &mut self,
        walk: &Walk,
        each: &mut dyn FnMut(Sequence, Outcome),
    ) -> Result<Walked, Error> {
        let (until, before) = (self.until, std::mem::take(&mut self.lessons.components));
        self.until = until.map(|_| Instant::now() + MAX_PIECE);
        self.renew();
        let walked = self.walk(walk, each);
        self.renew();
        (self.until, self.lessons.components) = (until, before);
        walked
    }

    /// How many edges all walks so far have taken.
    pub fn reached(&self) -> usize {
        self.taken.len()
    }

    /// Learns from a death and tells of the sequence that did it. If it was not under way
    /// when the worker died, those before are run again to find it.
    pub(crate) fn account_for(
        &mut self,
        death: Death,
        limits: bool,
        each: &mut dyn FnMut(Sequence, Outcome),
    ) -> Result<(), Error> {
        self.lessons.learn(&self.plan, &death, limits);
        if !death.sequence.is_empty() {
            each(death.sequence.clone(), death.outcome.clone());
        }
        if !may_show_late(&death) {
            return Ok(());
        }
        self.damaged = true;
        self.renew();
        let suspects = std::iter::once(&death.sequence).chain(&death.recent);
        let mut found = false;
        for sequence in suspects.filter(|sequence| !sequence.is_empty()) {
            let outcome = match self.run(sequence, false) {
                // A clone stood for steps that a worker does not take from outside.
                Err(Error::Worker(_)) => continue,
                outcome => outcome?,
            };
            found = is_damage(&outcome.ending);
            if found {
                self.lessons.blame(&self.plan, sequence, &outcome);
                each(sequence.clone(), outcome);
                break;
            }
        }
        self.renew();
        if !found && death.at_rest {
            self.unexplained += 1;
            // Perhaps it is what workers start from.
            self.lessons.components.clear();
        }
        Ok(())
    }

    /// Whether walks are over before their time: too many workers died of what cannot be
    /// found out.
    pub fn gave_up(&self) -> bool {
        self.until.is_none() && self.unexplained >= MAX_UNEXPLAINED
    }

    /// Whether the time for walks is over.
    pub fn is_late(&self) -> bool {
        self.gave_up() || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Times the same calls with and without all that surrounds them.
    /// What ends the worker is learnt and left out the next time.
    pub fn time(&mut self, walk: &Walk) -> Result<Timing, Error> {
        for _ in 0..MAX_DEATHS {
            match self.ask(&Job::Time { walk: self.warned(walk) })? {
                Answer::Reply(Reply::Timed { timing }) => return Ok(timing),
                Answer::Died(death) => self.lessons.learn(&self.plan, &death, true),
                answer => return Err(unexpected(answer)),
            }
        }
        Err(Error::Worker(format!("it died {MAX_DEATHS} times")))
    }

    /// The walk with what earlier ones have taught.
    pub(crate) fn warned(&self, walk: &Walk) -> Walk {
        Walk {
            avoid: [walk.avoid.as_slice(), &self.lessons.avoid].concat(),
            limits: [walk.limits.as_slice(), &self.lessons.limits].concat(),
            watch_every: if self.damaged { 1 } else { walk.watch_every },
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

    /// Asks for one sequence to be run. A worker that an earlier one has damaged may die
    /// before it gets there; then a fresh one is asked.
    pub(crate) fn ask_about(&mut self, job: &Job, sequence: &Sequence) -> Result<Answer, Error> {
        match self.ask(job)? {
            Answer::Died(death) if death.at_rest && death.sequence != *sequence => self.ask(job),
            answer => Ok(answer),
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
        self.ask_and_hear(job, &mut |reply| {
            if let Reply::Ran { sequence, outcome } = reply {
                each(sequence, outcome);
            }
        })
    }

    /// The same with all that is told before the last reply.
    pub(crate) fn ask_and_hear(
        &mut self,
        job: &Job,
        hear: &mut dyn FnMut(Reply),
    ) -> Result<Answer, Error> {
        let streams = matches!(job, Job::Walk { .. } | Job::Observe { .. } | Job::Judge { .. });
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.start(!matches!(job, Job::Describe))?,
        };
        worker.watch.busy.store(true, Ordering::Release);
        let mut answer = worker.send(job).and_then(|()| worker.receive());
        while let (true, Ok(Reply::Ran { .. } | Reply::Differs { .. })) = (streams, &answer) {
            if let Ok(reply) = std::mem::replace(&mut answer, worker.receive()) {
                hear(reply);
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
                worker.into_death(&limits).map(|death| Answer::Died(Box::new(death)))
            }
        }
    }

    /// A worker that is ready, in a few tries.
    fn start(&mut self, with_plan: bool) -> Result<Worker, Error> {
        for _ in 1..STARTS {
            match self.spawn(with_plan) {
                Err(Error::Worker(_)) if !self.interrupt.load(Ordering::Acquire) => {}
                worker => return worker,
            }
        }
        self.spawn(with_plan)
    }

    fn spawn(&mut self, with_plan: bool) -> Result<Worker, Error> {
        let mut worker =
            Worker::spawn(&self.harness, &self.scratch, &self.limits, &self.interrupt)?;
        let failed = |why: &str| Error::Worker(why.to_owned());
        match worker.receive() {
            Ok(Reply::Hello { missing }) => self.missing = missing,
            _ => return Err(Error::Worker(worker.into_output(&self.limits))),
        }
        if with_plan {
            let job = Job::Use { plan: Box::new((*self.plan).clone()) };
            match worker.send(&job).and_then(|()| worker.receive()) {
                Ok(Reply::Ready) => {}
                Ok(Reply::Refused { why }) => return Err(failed(&why)),
                _ => return Err(Error::Worker(worker.into_output(&self.limits))),
            }
        }
        Ok(worker)
    }
}

/// Whether the damage may have been done before the step at which the worker died: it died
/// between two sequences, or of what the heap looked like.
fn may_show_late(death: &Death) -> bool {
    match &death.outcome.ending {
        Ending::Signal { note, .. } => {
            death.at_rest || note.is_empty() || HEAP_NOTES.contains(&note.as_str())
        }
        _ => death.at_rest,
    }
}

/// Whether a sequence that ends so, from scratch, has damaged its process.
fn is_damage(ending: &Ending) -> bool {
    matches!(ending, Ending::Signal { .. } | Ending::Exited { .. } | Ending::Memory(_))
}

/// Puts what the compiler said of the types into the plan.
fn take_abilities(plan: &mut Plan, abilities: &[Abilities]) {
    for (info, abilities) in plan.types.iter_mut().zip(abilities) {
        info.abilities = *abilities;
    }
}

pub(crate) fn unexpected(answer: Answer) -> Error {
    match answer {
        Answer::Reply(Reply::Refused { why }) => Error::Worker(why),
        Answer::Reply(reply) => Error::Worker(format!("an unexpected reply: {reply:?}")),
        Answer::Died(death) => Error::Worker(format!("it died: {:?}", death.outcome.ending)),
    }
}

/// Adds the calls of the sequence under way that were over when the worker died.
fn add_completed(completed: &mut [u32], death: &Death) {
    for step in death.sequence.steps().take(death.outcome.step as usize) {
        if let Step::Call(op, _) = step
            && let Some(count) = completed.get_mut(op.index())
        {
            *count += 1;
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How long a call may take after so many that did not return.
    fn limit_after(hung: u32, until: Option<Instant>) -> Duration {
        let nowhere = Path::new("nowhere");
        let (plan, limits) = (Arc::default(), WorkerLimits::default());
        let mut supervisor = Supervisor::new(nowhere, nowhere, plan, limits, Arc::default());
        supervisor.until = until;
        (0..hung).for_each(|_| supervisor.hurry(&Ending::TimedOut { after_ms: 1, waits: false }));
        supervisor.hurry(&Ending::Completed);
        supervisor.limits.call
    }

    #[test]
    fn patience_ends_where_time_is_set_and_many_calls_hang() {
        let (usual, now) = (WorkerLimits::default().call, Some(Instant::now()));
        assert_eq!(limit_after(HUNG_BEFORE_HURRY - 1, now), usual);
        assert_eq!(limit_after(HUNG_BEFORE_HURRY, now), usual / HURRY);
        assert_eq!(limit_after(2 * HUNG_BEFORE_HURRY, now), usual / HURRY);
        assert_eq!(limit_after(2 * HUNG_BEFORE_HURRY, None), usual);
    }
}
