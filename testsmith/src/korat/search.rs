//! The search: run the predicate, keep what is valid, move to the next
//! candidate. The whole of it is [`Run::advance`].
//!
//! Everything typed is here and in `space`; the order of candidates is the
//! trail's business.

mod limits;

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cell::Lazy;
use super::deep::{self, Types};
use super::finitize::{Finitization, FinitizeError};
use super::guard;
use super::necessary::{self, PLAIN, Word};
use super::outcome::DESCRIBED_TROUBLES;
use super::reach::Reach;
use super::realize::realize;
use super::show::{Shower, Shown};
use super::space::Space;
use super::state::State;
use super::trail::{OutOfObjects, Switches};
use super::{Korat, TwinType};

pub(crate) use limits::SearchLimits;

type Progress = Arc<dyn Fn(&Stats) + Send + Sync>;

pub use super::outcome::{Outcome, Stats, Stop, Trouble};

/// A search to be made: the type, the bounds, the switches.
pub struct Search<T: Korat> {
    pub(crate) finitization: Finitization,
    /// In place of `rep_ok` and those of the values inside.
    pub(crate) predicate: Option<fn(&T::Twin) -> bool>,
    /// Whether that fails where one of `rep_ok` and those does.
    pub(crate) conjunctive: bool,
    pub(crate) switches: Switches,
    pub(crate) limits: SearchLimits,
    pub(crate) progress: Option<(u64, Progress)>,
    pub(crate) resume: Option<State>,
    pub(crate) repeat: u32,
    pub(crate) checkpoints: bool,
    pub(crate) at_once: bool,
    pub(crate) counts: bool,
}

impl<T: Korat> Clone for Search<T> {
    fn clone(&self) -> Self {
        Search {
            finitization: self.finitization.clone(),
            predicate: self.predicate,
            conjunctive: self.conjunctive,
            switches: self.switches,
            limits: self.limits,
            progress: self.progress.clone(),
            resume: self.resume.clone(),
            repeat: self.repeat,
            checkpoints: self.checkpoints,
            at_once: self.at_once,
            counts: self.counts,
        }
    }
}

impl<T: Korat> Search<T> {
    /// Searches the default space of a scope.
    pub fn new(scope: usize) -> Self {
        Search::within(Finitization::new(scope))
    }

    /// Searches the space of a finitization.
    pub fn within(finitization: Finitization) -> Self {
        Search {
            finitization,
            predicate: None,
            conjunctive: false,
            switches: Switches { pruning: true, isomorphism: true, generators: true, reuse: true },
            limits: SearchLimits::default(),
            progress: None,
            resume: None,
            repeat: 1,
            checkpoints: true,
            at_once: false,
            counts: false,
        }
    }

    /// Searches for structures that satisfy another predicate than `rep_ok`.
    /// Generators are plain checks in it: what fails may be what it looks for.
    pub fn satisfying(mut self, predicate: fn(&T::Twin) -> bool) -> Self {
        self.predicate = Some(predicate);
        self
    }

    /// As `satisfying`, for a predicate that fails where `rep_ok` does.
    pub(crate) fn satisfying_also(self, predicate: fn(&T::Twin) -> bool) -> Self {
        Search { conjunctive: true, ..self.satisfying(predicate) }
    }

    /// Whether fields that the predicate did not read are left alone.
    pub fn pruning(mut self, on: bool) -> Self {
        self.switches.pruning = on;
        self
    }

    /// Whether isomorphic candidates are left out.
    pub fn isomorphism(mut self, on: bool) -> Self {
        self.switches.isomorphism = on;
        self
    }

    /// Whether generators direct the search; off, they are plain checks.
    pub fn generators(mut self, on: bool) -> Self {
        self.switches.generators = on;
        self
    }

    /// Whether structures that differ only in unread fields share one run.
    pub fn reuse(mut self, on: bool) -> Self {
        self.switches.reuse = on;
        self
    }

    /// Whether a check that fails is made again by itself for the next
    /// candidate; off, the predicate starts from its beginning. Said to be on,
    /// that is tried from the first candidate, and not only in longer searches.
    pub fn checkpoints(mut self, on: bool) -> Self {
        (self.checkpoints, self.at_once) = (on, on);
        self
    }

    /// Stops after so many candidates.
    pub fn max_candidates(mut self, count: u64) -> Self {
        self.limits.candidates = Some(count);
        self
    }

    /// Stops after so many structures.
    pub fn max_valid(mut self, count: u64) -> Self {
        self.limits.valid = Some(count);
        self
    }

    /// Stops after some time.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.limits.time = Some(limit);
        self
    }

    /// Reports after every so many candidates and structures, or a little
    /// later.
    pub fn progress(mut self, every: u64, report: impl Fn(&Stats) + Send + Sync + 'static) -> Self {
        self.progress = Some((every.max(1), Arc::new(report)));
        self
    }

    /// Goes on from where another search stopped.
    pub fn resume(mut self, state: State) -> Self {
        self.resume = Some(state);
        self
    }

    /// Runs the predicate so many times on each candidate, to measure its
    /// share of the time.
    #[doc(hidden)]
    pub fn repeat(mut self, times: u32) -> Self {
        self.repeat = times;
        self
    }

    /// Counts the fields that the predicate reads, from its start at every
    /// candidate; see [`Run::reads`].
    #[doc(hidden)]
    pub fn count_reads(mut self) -> Self {
        (self.checkpoints, self.counts) = (false, true);
        self
    }

    /// The fields of the space and their domains, one per line.
    pub fn skeleton(&self) -> Result<String, FinitizeError> {
        let (space, _) = Space::build::<T>(&self.finitization)?;
        let mut lines = space.skeleton.clone();
        lines.dedup();
        Ok(lines.join("\n"))
    }

    /// Starts the search. Structures are found as the iterator is asked.
    ///
    /// # Panics
    /// When the finitization describes no space; see [`Search::try_run`].
    pub fn run(&self) -> Run<T> {
        self.try_run().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Starts the search, or says why the space is empty.
    pub fn try_run(&self) -> Result<Run<T>, FinitizeError> {
        let (space, root) = Space::build::<T>(&self.finitization)?;
        let switches =
            Switches { reuse: self.switches.reuse && self.switches.pruning, ..self.switches };
        space.trail.inner.borrow_mut().switch(switches);
        let stats = Stats { space_log2: space.candidates_log2, ..Stats::default() };
        let types = Types::of::<T>();
        let deep = self.predicate.is_none() && types.nested();
        let mut run = Run {
            root,
            space,
            predicate: self.predicate.unwrap_or(T::twin_rep_ok),
            deep: deep.then_some(types),
            switches,
            limits: self.limits,
            progress: self.progress.clone(),
            stats,
            phase: Phase::Check,
            outcome: Outcome::Running,
            started: Instant::now(),
            skip: 0,
            yielded: 0,
            sharing: None,
            poll_at: 0,
            report_at: 0,
            repeat: self.repeat,
            must: PLAIN,
            repeats: false,
            reads: self.counts.then(Reads::default),
            real: PhantomData,
        };
        let own = self.predicate.is_none();
        run.repeats = self.checkpoints && switches.pruning && self.repeat == 1 && own;
        let directs = switches.generators && (own || self.conjunctive);
        run.must = Word::new(&run.space.trail, directs, run.repeats);
        if !self.at_once {
            run.space.trail.tally.wait();
        }
        if let Some(state) = &self.resume {
            run.restore(state);
        }
        Ok(run)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Run the predicate on the current candidate.
    Check,
    /// Vary what the outcome of the last run does not depend on.
    Vary,
    /// Move to the next candidate.
    Backtrack,
    Done,
}

/// A search in progress; an iterator over the valid structures.
pub struct Run<T: Korat> {
    root: Lazy<T::Twin>,
    pub(crate) space: Space,
    predicate: fn(&T::Twin) -> bool,
    /// The types inside, if some of them have predicates too.
    deep: Option<Rc<Types>>,
    switches: Switches,
    limits: SearchLimits,
    progress: Option<(u64, Progress)>,
    stats: Stats,
    phase: Phase,
    outcome: Outcome,
    started: Instant,
    /// Structures of the current candidate that an earlier search yielded.
    skip: u64,
    /// Structures of the current candidate yielded so far.
    yielded: u64,
    sharing: Option<Sharing>,
    /// The number of steps at which to look at limits and progress again.
    poll_at: u64,
    /// The number of steps at which to report progress again.
    report_at: u64,
    repeat: u32,
    /// What the predicate's checks may do.
    must: Word,
    /// Whether checks that fail may be made again, when that pays.
    repeats: bool,
    /// What the predicate read, if that is counted.
    reads: Option<Reads>,
    real: PhantomData<fn() -> T>,
}

/// How many fields the runs of a predicate read, each once a run.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Reads {
    pub made: u64,
    /// Those before the first whose value is new, which the run before read
    /// just so.
    pub made_again: u64,
}

/// Other threads that may want a part of the work.
pub(crate) type Sharing = Arc<super::parallel::Pool>;

/// A valid structure, not yet turned into a real value.
pub struct Candidate<'a, T: Korat> {
    run: &'a Run<T>,
}

/// A realized structure with its picture.
pub struct Found<T> {
    pub value: T,
    pub shown: Shown,
}

impl<T: Korat> Candidate<'_, T> {
    /// The real value.
    pub fn realize(&self) -> T {
        realize::<T>(self.run.root.peek(), &self.run.space.trail)
    }

    /// The structure for people.
    pub fn shown(&self) -> Shown {
        self.run.picture()
    }

    /// What the predicate sees.
    pub fn twin(&self) -> &T::Twin {
        self.run.root.peek()
    }

    /// The index of each field's value in its domain, in the order of the
    /// skeleton; unreachable fields are at zero. Isomorphic structures found
    /// by one search would have the same vector.
    pub fn vector(&self) -> Vec<u32> {
        let inner = self.run.space.trail.inner.borrow();
        (0..inner.fields.len() as u32).map(|field| inner.header(field).index.get()).collect()
    }
}

impl<T: Korat> Run<T> {
    /// Moves to the next valid structure; `false` at the end or at a limit.
    #[inline]
    pub fn advance(&mut self) -> bool {
        // Where one run stands for many structures, this is nearly all there is.
        let next = self.phase == Phase::Vary && self.skip == 0 && self.sharing.is_none();
        if next && !self.due() {
            if self.space.trail.inner.borrow_mut().next_free() {
                return self.accept(true);
            }
            self.phase = Phase::Backtrack;
        }
        self.advance_on()
    }

    fn advance_on(&mut self) -> bool {
        loop {
            match self.phase {
                Phase::Check => {
                    if (self.due() || self.wanted()) && self.poll() {
                        return false;
                    }
                    self.stats.candidates += 1;
                    self.phase = Phase::Backtrack;
                    let valid = self.check();
                    if !valid && !self.switches.pruning {
                        self.expand();
                    }
                    if valid && self.expand() {
                        self.phase = Phase::Vary;
                        if self.accept(false) {
                            return true;
                        }
                    }
                }
                Phase::Vary => {
                    if (self.due() || self.wanted()) && self.poll() {
                        return false;
                    }
                    if !self.space.trail.inner.borrow_mut().next_free() {
                        self.phase = Phase::Backtrack;
                    } else if self.accept(true) {
                        return true;
                    }
                }
                Phase::Backtrack => {
                    self.yielded = 0;
                    let more = self.space.trail.inner.borrow_mut().backtrack();
                    self.phase = if more { Phase::Check } else { Phase::Done };
                }
                Phase::Done => {
                    if self.outcome == Outcome::Running {
                        self.outcome = Outcome::Complete;
                    }
                    return false;
                }
            }
        }
    }

    /// The structure that [`Run::advance`] moved to.
    pub fn current(&self) -> Candidate<'_, T> {
        Candidate { run: self }
    }

    /// Counts the rest of the structures.
    pub fn count_valid(&mut self) -> u64 {
        while self.advance() {}
        self.stats.valid
    }

    /// What has been done so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// What the predicate read, if [`Search::count_reads`] asked for it.
    #[doc(hidden)]
    pub fn reads(&self) -> Reads {
        self.reads.unwrap_or_default()
    }

    /// Whether and why the search ended.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// How far the search has come, in words.
    pub fn position(&self) -> String {
        self.space.trail.inner.borrow().position()
    }

    /// Where the search stands: resume it with [`Search::resume`].
    pub fn state(&self) -> State {
        let inner = self.space.trail.inner.borrow();
        let advance = matches!(self.phase, Phase::Backtrack | Phase::Done);
        let skip = if self.phase == Phase::Vary { self.yielded } else { self.skip };
        inner.save(advance, skip, inner.base, inner.stack.len())
    }

    fn accept(&mut self, inferred: bool) -> bool {
        self.yielded += 1;
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        self.stats.valid += 1;
        self.stats.inferred += u64::from(inferred);
        true
    }

    pub(crate) fn restore(&mut self, state: &State) {
        let mut inner = self.space.trail.inner.borrow_mut();
        assert_eq!(
            inner.fingerprint(),
            state.fingerprint,
            "the state belongs to a search of another type or finitization"
        );
        inner.restore(state);
        self.skip = state.skip;
        self.yielded = 0;
        self.phase = if state.advance { Phase::Backtrack } else { Phase::Check };
        self.outcome = Outcome::Running;
    }

    /// Shares the work with other threads from now on.
    pub(crate) fn share_with(&mut self, pool: Sharing) {
        self.sharing = Some(pool);
    }

    pub(crate) fn into_stats(self) -> Stats {
        self.stats
    }

    /// Hands a part of the remaining search to another thread.
    fn split(&mut self) -> Option<State> {
        let mut inner = self.space.trail.inner.borrow_mut();
        if let Some(at) = inner.splittable() {
            let state = inner.save(true, 0, at, at + 1);
            inner.base = at + 1;
            return Some(state);
        }
        if self.phase == Phase::Vary { inner.split_product() } else { None }
    }

    /// Runs the predicate on the current candidate.
    fn check(&mut self) -> bool {
        let repeats = self.must.repeats();
        if repeats {
            let most = self.poll_at.saturating_sub(self.steps());
            self.space.trail.repeats_left.set(most);
        }
        let known = self.reads.map(|_| self.space.trail.inner.borrow().stack.len());
        let mut result = self.run_once(repeats);
        while result.is_err() && self.space.trail.recover() {
            result = self.run_once(repeats);
        }
        for _ in 1..self.repeat {
            result = self.run_once(repeats);
        }
        if repeats {
            self.stats.candidates += self.space.trail.repeats.take();
            self.space.trail.tally.run(self.space.trail.passed.get());
        }
        if let (Some(known), Some(reads)) = (known, &mut self.reads) {
            reads.made += self.space.trail.inner.borrow().stack.len() as u64;
            // The last of those that were known has another value now.
            reads.made_again += known.saturating_sub(1) as u64;
        }
        match result {
            Ok(valid) => valid,
            Err(payload) => {
                guard::end();
                self.trouble(payload);
                false
            }
        }
    }

    #[inline(always)]
    fn run_once(&self, repeats: bool) -> std::thread::Result<bool> {
        self.space.trail.begin(repeats);
        guard::begin(guard::STEPS);
        necessary::begin(self.must);
        let (predicate, root) = (self.predicate, &self.root);
        let result = catch_unwind(AssertUnwindSafe(|| match &self.deep {
            None => predicate(root),
            Some(types) => deep::valid::<T>(root, types),
        }));
        necessary::end();
        super::scratch::undo();
        result
    }

    #[cold]
    fn trouble(&mut self, payload: Box<dyn std::any::Any + Send>) {
        if payload.is::<OutOfObjects>() {
            return;
        }
        self.stats.troubled += 1;
        if self.stats.troubles.len() >= DESCRIBED_TROUBLES {
            return;
        }
        let what = guard::what_ended(&*payload, "the predicate");
        let shown = self.picture();
        let candidate = shown.picture();
        self.stats.troubles.push(Trouble { what, candidate, shown });
    }

    fn picture(&self) -> Shown {
        let mut shower = Shower::new(&self.space.trail);
        self.root.peek().show(&mut shower)
    }

    /// After a valid run: every reachable field joins the trail, or the fields
    /// to vary. `false` when the candidate is no structure after all.
    fn expand(&mut self) -> bool {
        let all = self.space.trail.inner.borrow().all_reached();
        let mut unread = Vec::new();
        if !all {
            let mut reach = Reach::new(&self.space.trail);
            reach.cell(&self.root);
            if !reach.weak_targets_live() {
                return false;
            }
            unread = reach.unread;
        }
        let mut inner = self.space.trail.inner.borrow_mut();
        inner.arenas_are_full() && inner.free(&unread)
    }
}

impl<T: Korat> Iterator for Run<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        guard::quietly(|| self.advance()).then(|| self.current().realize())
    }
}
