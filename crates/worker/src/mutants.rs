//! Judges mutants in this process: a sequence runs on the original, and then once for each live
//! mutant that it reaches.
//!
//! What is compared is what is seen of each value when it is made and of all that were changed
//! at the end, and how the sequence ends. What the original shows differently when it runs again is
//! not compared, nor is a text with an address in it. A mutant that ends the process is known
//! by the journal. Nobody here decides whether a difference is worth a test.

use crate::executor::Executor;
use crate::run::grow;
use crate::timing::processor_ns;
use std::collections::BTreeMap;
use testsmith_engines::random::Engine;
use testsmith_engines::{Halt, Stage};
use testsmith_model::judging::{Difference, Judged, Judging, LiveMutant, RECORDING, Shown, Tried};
use testsmith_model::message::Walk;
use testsmith_model::operation::Sameness;
use testsmith_model::outcome::Ending;
use testsmith_model::{Mode, OpId, Outcome, Sequence, Step};

/// What the crate with the switch offers, which only a harness with mutants is linked with.
#[derive(Clone, Copy)]
pub struct Switch {
    /// Where to note what is reached: eight bytes that count, and one for each mutant.
    pub record_in: unsafe fn(*mut u8, u32),
    /// Switches a mutant on, which may pass so many guards.
    pub try_out: fn(u32, u64),
    /// Says what is noted of what is reached for the first time.
    pub stamp: fn(u8),
}

const NONE: u32 = 0;
/// How many times as many guards as the original a mutant may pass, and how many in any case.
const TIMES: u64 = 10;
const VISITS_AT_LEAST: u64 = 1_000_000;
/// Mutants that one sequence is run with, those that were tried least; fewer where all of these
/// runs would pass more guards than this, because short sequences tell as much in less time.
const MUTANTS_A_SEQUENCE: std::ops::RangeInclusive<u64> = 4..=64;
const GUARDS_A_SEQUENCE: u64 = 500_000;

/// A switch with the record that it writes to.
pub(crate) struct Switchboard {
    switch: Switch,
    /// A counter, then a byte for each number, eight to a word. Never moved or freed.
    record: &'static mut [u64],
}

/// What was seen of one run.
struct Look {
    outcome: Outcome,
    /// Per slot, what its value shows at the end.
    left: Vec<Option<String>>,
}

impl Switchboard {
    pub(crate) fn new(switch: Switch, numbers: u32) -> Switchboard {
        let record = vec![0u64; 1 + (numbers as usize).div_ceil(8)].leak();
        // SAFETY: the record is as long as is said, is never freed, and is read and cleared
        // only between runs.
        unsafe { (switch.record_in)(record.as_mut_ptr().cast(), numbers) };
        Switchboard { switch, record }
    }

    /// Runs a sequence with one mutant, or with none. `None` if it is not legal.
    pub(crate) fn try_one(
        &mut self,
        executor: &mut Executor,
        sequence: &Sequence,
        mutant: u32,
        visits: u64,
    ) -> Option<Tried> {
        self.record.fill(0);
        let outcome = self.with(executor, mutant, visits, |executor| {
            executor.look(sequence).map(|(outcome, _)| outcome)
        })?;
        Some(Tried { outcome, visits: self.record[0], reached: self.reached() })
    }

    /// The first mutants of the places that were reached while recording.
    fn reached(&self) -> Vec<u32> {
        let mut reached = vec![];
        for (n, word) in self.record[1..].iter().enumerate().filter(|(_, word)| **word != 0) {
            let bytes = word.to_ne_bytes();
            let noted = (0..8).filter(|byte| bytes[*byte] != 0);
            reached.extend(noted.map(|byte| (8 * n + byte) as u32));
        }
        reached
    }

    fn with<T>(
        &self,
        executor: &mut Executor,
        mutant: u32,
        visits: u64,
        run: impl FnOnce(&mut Executor) -> T,
    ) -> T {
        let noted = if mutant == RECORDING { NONE } else { mutant };
        executor.journal.mutant(noted);
        executor.stamp = (mutant == RECORDING).then_some(self.switch.stamp);
        (self.switch.try_out)(mutant, visits);
        let done = run(executor);
        (self.switch.try_out)(NONE, u64::MAX);
        executor.stamp = None;
        executor.journal.mutant(NONE);
        done
    }

    fn look(
        &self,
        executor: &mut Executor,
        sequence: &Sequence,
        mutant: u32,
        visits: u64,
    ) -> Option<Look> {
        let (outcome, left) =
            self.with(executor, mutant, visits, |executor| executor.look(sequence))?;
        Some(Look { outcome, left })
    }
}

/// Whoever is told of a difference.
pub(crate) type Tell<'t> = &'t mut dyn FnMut(Difference) -> std::io::Result<()>;

/// Judges with sequences that are given, and then with random ones until the bounds of the
/// walk are reached.
pub(crate) fn judge(
    executor: &mut Executor,
    engine: &mut Engine,
    board: &mut Switchboard,
    judging: &Judging,
    (walk, sequences): (&Walk, &[Sequence]),
    tell: Tell<'_>,
) -> std::io::Result<Judged> {
    let mut judge = Judge::new(board, judging);
    for sequence in sequences {
        judge.sequence(executor, sequence, tell)?;
    }
    crate::random_keys::seed(walk.seed);
    engine.start(walk.seed);
    let start = executor.calls;
    while judge.judged.sequences < walk.max_sequences
        && executor.calls - start < walk.max_calls
        && !judge.live.is_empty()
    {
        let before = executor.calls;
        grow(executor, engine, walk.max_length, false, &mut |_| ());
        let sequence = executor.sequence();
        executor.finish();
        if let Some(new_edges) = executor.take_reading() {
            engine.credit(new_edges);
        }
        // What is called while judging is no part of the bounds.
        let grown = executor.calls;
        if grown == before {
            judge.judged.sequences += 1;
            continue;
        }
        judge.sequence(executor, &sequence, tell)?;
        executor.calls = grown;
    }
    Ok(Judged { components: engine.take_components(), ..judge.into_judged() })
}

struct Judge<'j> {
    board: &'j mut Switchboard,
    live: Vec<LiveMutant>,
    panicking: &'j [OpId],
    tried: BTreeMap<u32, u64>,
    reaching: BTreeMap<u32, Sequence>,
    judged: Judged,
}

impl<'j> Judge<'j> {
    fn new(board: &'j mut Switchboard, judging: &'j Judging) -> Judge<'j> {
        Judge {
            board,
            live: judging.live.clone(),
            panicking: &judging.panicking,
            tried: BTreeMap::new(),
            reaching: BTreeMap::new(),
            judged: Judged::default(),
        }
    }

    fn into_judged(self) -> Judged {
        Judged {
            tried: self.tried.into_iter().collect(),
            reaching: self.reaching.into_iter().collect(),
            ..self.judged
        }
    }

    /// Judges with one sequence.
    fn sequence(
        &mut self,
        executor: &mut Executor,
        sequence: &Sequence,
        tell: Tell<'_>,
    ) -> std::io::Result<()> {
        let begin = processor_ns();
        self.judged.sequences += 1;
        let differing = self.differing(executor, sequence);
        self.judged.judging_ns += processor_ns() - begin;
        for (mutant, step, shown) in differing {
            self.live.retain(|live| live.id != mutant);
            tell(Difference { mutant, sequence: sequence.clone(), step, shown })?;
        }
        Ok(())
    }

    /// The mutants that a sequence tells from the original, each with where.
    fn differing(
        &mut self,
        executor: &mut Executor,
        sequence: &Sequence,
    ) -> Vec<(u32, u32, Shown)> {
        self.board.record.fill(0);
        let first = self.board.look(executor, sequence, RECORDING, u64::MAX);
        let Some(first) = first.filter(|look| !look.outcome.ending.is_fatal()) else {
            return vec![];
        };
        let reached = self.reached_live();
        if reached.is_empty() {
            return vec![];
        }
        let visits = self.board.record[0].saturating_mul(TIMES).saturating_add(VISITS_AT_LEAST);
        let Some(original) = self.again(executor, sequence, first) else { return vec![] };
        let counts = self.counts(sequence, &original.outcome);
        let mut found = vec![];
        for (mutant, first) in reached {
            *self.tried.entry(mutant).or_default() += 1;
            let known = self.reaching.get(&mutant);
            if known.is_none_or(|known| known.len() > sequence.len()) {
                self.reaching.insert(mutant, sequence.clone());
            }
            // Before its place is reached, it is the original.
            executor.look_from = first;
            let look = self.board.look(executor, sequence, mutant, visits);
            executor.look_from = 0;
            let differs = look.and_then(|look| difference(&original, &look, counts));
            if let Some((step, shown)) = differs
                && self.is_as_before(executor, sequence, &original)
            {
                found.push((mutant, step, shown));
            }
        }
        found
    }

    /// Whether the original still does the same: a mutant may have left something behind.
    fn is_as_before(&self, executor: &mut Executor, sequence: &Sequence, before: &Look) -> bool {
        let now = self.board.look(executor, sequence, NONE, u64::MAX);
        now.is_some_and(|now| difference(before, &now, true).is_none())
    }

    /// The live mutants that were reached, those that were tried least first, each with the step
    /// that reached it first.
    fn reached_live(&mut self) -> Vec<(u32, u32)> {
        let stamp = |place: u32| {
            let word = self.board.record[1 + place as usize / 8];
            u32::from(word.to_ne_bytes()[place as usize % 8])
        };
        let tried = |live: &LiveMutant| live.tried + self.tried.get(&live.id).unwrap_or(&0);
        let reached = self.live.iter().filter_map(|live| {
            let first = stamp(live.place).checked_sub(1)?;
            Some((tried(live), live.id, first))
        });
        let mut reached: Vec<(u64, u32, u32)> = reached.collect();
        reached.sort_unstable();
        let (few, many) = (*MUTANTS_A_SEQUENCE.start(), *MUTANTS_A_SEQUENCE.end());
        let most = (GUARDS_A_SEQUENCE / self.board.record[0].max(1)).clamp(few, many);
        reached.truncate(most as usize);
        reached.into_iter().map(|(_, mutant, first)| (mutant, first)).collect()
    }

    /// What the original shows each time.
    fn again(&self, executor: &mut Executor, sequence: &Sequence, first: Look) -> Option<Look> {
        let second = self.board.look(executor, sequence, NONE, u64::MAX)?;
        if first.outcome.ending != second.outcome.ending
            || first.outcome.step != second.outcome.step
        {
            return None;
        }
        let Look { mut outcome, mut left } = first;
        for (value, other) in outcome.values.iter_mut().zip(&second.outcome.values) {
            if *value != *other || value.text.as_deref().is_some_and(has_address) {
                value.text = None;
            }
        }
        for (shown, other) in left.iter_mut().zip(&second.left) {
            if shown != other {
                *shown = None;
            }
        }
        Some(Look { outcome, left })
    }

    /// Whether it counts how the original ends.
    fn counts(&self, sequence: &Sequence, original: &Outcome) -> bool {
        match &original.ending {
            Ending::Completed => true,
            Ending::Panicked(_) => match sequence.steps().nth(original.step as usize) {
                Some(Step::Call(op, _)) => self.panicking.contains(op),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Where a run with a mutant differs from the original first.
fn difference(original: &Look, mutant: &Look, ending_counts: bool) -> Option<(u32, Shown)> {
    let (one, other) = (&original.outcome, &mutant.outcome);
    let values = one.values.iter().zip(&other.values);
    let differs =
        values.enumerate().find_map(|(step, (one, other))| match (&one.text, &other.text) {
            (Some(one), Some(other)) if one != other => Some((step as u32, Shown::Value)),
            _ => None,
        });
    if differs.is_some() {
        return differs;
    }
    let same_end = match (&one.ending, &other.ending) {
        // What a panic says is no part of what is promised.
        (Ending::Panicked(_), Ending::Panicked(_)) => one.step <= other.step,
        (one, other) => one == other,
    };
    if !same_end {
        let earlier = other.step < one.step;
        let step = one.step.min(other.step);
        return (ending_counts || earlier).then_some((step, Shown::Ending));
    }
    let mut left = original.left.iter().zip(&mutant.left);
    let differs = left.position(|(one, other)| one.is_some() && other.is_some() && one != other);
    differs.map(|slot| (slot as u32, Shown::State))
}

/// Whether a text may show where something lies in memory.
fn has_address(text: &str) -> bool {
    text.match_indices("0x").any(|(at, _)| {
        let digits = text[at + 2..].bytes().take_while(u8::is_ascii_hexdigit);
        digits.count() >= 6
    })
}

impl Executor {
    /// Runs a sequence from scratch, with its values, and says what all that is left at its
    /// end shows. Neither memory nor the counters of edges are looked at.
    fn look(&mut self, sequence: &Sequence) -> Option<(Outcome, Vec<Option<String>>)> {
        self.left = Some(vec![]);
        self.changed.clear();
        let outcome = self.carry_out_quietly(sequence);
        let left = self.left.take().unwrap_or_default();
        outcome.map(|outcome| (outcome, left))
    }

    /// As [`Stage::call`], and notes what is lent to be changed.
    pub(crate) fn call_noting(&mut self, op: OpId, args: &[u32]) -> Option<Result<u32, Halt>> {
        if self.left.is_some() {
            let inputs = self.signatures[op.index()].inputs.iter().zip(args);
            let lent = inputs.filter(|(input, _)| input.mode == Mode::Exclusive);
            self.changed.extend(lent.map(|(_, arg)| *arg));
        }
        self.call(op, args)
    }

    /// Notes what each value shows that was lent to be changed and that nobody borrows now: its
    /// text, which may show what `Eq` leaves out, or its hash where it has no text.
    pub(crate) fn note_left(&mut self) {
        if self.left.is_none() {
            return;
        }
        let mut all = vec![];
        for slot in 0..self.loans().len() as u32 {
            let free = self.loans().is_live(slot) && !self.loans().is_lent(slot);
            if !free || !self.changed.contains(&slot) {
                all.push(None);
                continue;
            }
            let hashes = self.plan.ty(self.loans().ty(slot)).abilities.hash;
            let text = self.text_of(slot).ok().flatten();
            let hash = |executor: &mut Executor| executor.identity(slot, Sameness::Hash);
            all.push(match text {
                Some(text) => Some(text).filter(|text| !has_address(text)),
                None if hashes => hash(self).map(|hash| hash.to_string()),
                None => None,
            });
        }
        self.left = Some(all);
    }
}

#[cfg(test)]
mod tests;
