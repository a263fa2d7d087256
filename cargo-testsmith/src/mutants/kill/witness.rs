//! From a difference to a small sequence of which a test would notice the mutant.
//!
//! What counts is what the written test would say: a sequence tells a mutant if the assertions
//! that are made of what the original shows are not those that would be made of the mutant, or
//! if the mutant ends where the original does not. So nothing is told by what no test can say.

use crate::suite::{
    Observed, all_queries, assertable_text, first_look, is_documented_panic, takers,
};
use std::collections::BTreeSet;
use std::time::Instant;
use testsmith_engines::shrink::shrink;
use testsmith_lab::{Error, Supervisor};
use testsmith_model::judging::{Difference, RECORDING, Shown, Tried};
use testsmith_model::outcome::{Ending, Outcome};
use testsmith_model::{Builder, Edit, EditStep, Mode, OpId, Plan, Sequence};
use testsmith_render::{Style, Test, TestEnding, test_function};

/// A sequence, and the mutants that a test of it would notice.
#[derive(Clone, Debug)]
pub struct Witness {
    pub sequence: Sequence,
    pub kills: BTreeSet<u32>,
}

const NONE: u32 = 0;
/// How many times as many guards as the original a mutant may pass, and how many in any case.
const TIMES: u64 = 10;
const VISITS_AT_LEAST: u64 = 1_000_000;
/// A small sequence has to tell the mutant so often, in a fresh process.
const LOOKS: usize = 3;

pub struct Checker<'c> {
    plan: &'c Plan,
    supervisor: Supervisor,
    numbers: u32,
}

impl<'c> Checker<'c> {
    pub fn new(plan: &'c Plan, supervisor: Supervisor, numbers: u32) -> Checker<'c> {
        Checker { plan, supervisor, numbers }
    }

    /// A small sequence that tells the mutant of a difference from the original, each time and
    /// in a fresh process too.
    pub fn witness(
        &mut self,
        difference: &Difference,
        until: Instant,
    ) -> Result<Option<Sequence>, Error> {
        let mutant = difference.mutant;
        for candidate in candidates(self.plan, difference) {
            if !self.tells(&candidate, mutant)? {
                continue;
            }
            let small = self.smaller(&candidate, mutant, until)?;
            if self.tells_afresh(&small, mutant)? {
                return Ok(Some(small));
            }
        }
        Ok(None)
    }

    /// Whether what the original shows in this process and in a fresh one tells the mutant, each
    /// time.
    fn tells_afresh(&mut self, sequence: &Sequence, mutant: u32) -> Result<bool, Error> {
        let Some((mut observed, _)) = self.original(sequence)? else { return Ok(false) };
        self.supervisor.renew();
        for _ in 0..LOOKS {
            let Some((_, tried)) = self.original(sequence)? else { return Ok(false) };
            let same = observed.agrees(&tried.outcome);
            let outcome = self.mutated(sequence, mutant, tried.visits)?;
            let told = outcome.is_some_and(|outcome| notices(self.plan, &observed, &outcome));
            if !same || !told {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The sequence with a query on what its last call changed, if that says nothing itself.
    pub fn with_a_query(&mut self, sequence: &Sequence) -> Result<Sequence, Error> {
        let edit = Edit::of(sequence);
        let last = edit.len().saturating_sub(1);
        let Some(EditStep::Call(op, args)) = edit.steps.last() else { return Ok(sequence.clone()) };
        let operation = self.plan.operation(*op);
        let inputs = operation.inputs.iter().zip(args.iter());
        let mut changed = inputs.filter(|(input, _)| input.mode == Mode::Exclusive);
        if !self.plan.ty(operation.output).ty.is_unit() {
            return Ok(sequence.clone());
        }
        let Some((_, value)) = changed.next() else { return Ok(sequence.clone()) };
        for longer in asked(self.plan, sequence, *value as usize, last) {
            let seen = self.original(&longer)?;
            if seen.is_some_and(|(observed, _)| observed.seen.last().is_some_and(Option::is_some)) {
                return Ok(longer);
            }
        }
        Ok(sequence.clone())
    }

    /// The mutants among these that a test of the sequence would notice.
    pub fn told(
        &mut self,
        sequence: &Sequence,
        among: &[(u32, u32)],
    ) -> Result<BTreeSet<u32>, Error> {
        match self.original(sequence)? {
            Some((observed, tried)) => self.noticed(&observed, &tried, among),
            None => Ok(BTreeSet::new()),
        }
    }

    /// The same for what was observed of it.
    pub fn noticed(
        &mut self,
        observed: &Observed,
        tried: &Tried,
        among: &[(u32, u32)],
    ) -> Result<BTreeSet<u32>, Error> {
        let mut kills = BTreeSet::new();
        for (mutant, place) in among {
            if tried.reached.binary_search(place).is_err() {
                continue;
            }
            let outcome = self.mutated(&observed.sequence, *mutant, tried.visits)?;
            if outcome.is_some_and(|outcome| notices(self.plan, observed, &outcome)) {
                kills.insert(*mutant);
            }
        }
        Ok(kills)
    }

    /// What the original does, if that can be said in a test, and what it reaches.
    pub fn original(&mut self, sequence: &Sequence) -> Result<Option<(Observed, Tried)>, Error> {
        let Some(tried) = self.try_out(sequence, RECORDING, u64::MAX)? else { return Ok(None) };
        let outcome = &tried.outcome;
        let fits = outcome.ending == Ending::Completed
            || is_documented_panic(self.plan, sequence, outcome);
        let last = sequence.len().saturating_sub(1);
        let observed = first_look(self.plan, sequence, last, outcome).filter(|_| fits);
        Ok(observed.map(|observed| (observed, tried)))
    }

    fn mutated(
        &mut self,
        sequence: &Sequence,
        mutant: u32,
        visits: u64,
    ) -> Result<Option<Outcome>, Error> {
        let visits = visits.saturating_mul(TIMES).saturating_add(VISITS_AT_LEAST);
        Ok(self.try_out(sequence, mutant, visits)?.map(|tried| tried.outcome))
    }

    /// Runs a sequence; nothing if the worker refuses it by its loan rules.
    fn try_out(
        &mut self,
        sequence: &Sequence,
        mutant: u32,
        visits: u64,
    ) -> Result<Option<Tried>, Error> {
        match self.supervisor.try_out(sequence, mutant, visits, self.numbers) {
            Err(Error::Worker(_)) => Ok(None),
            tried => tried.map(Some),
        }
    }

    fn tells(&mut self, sequence: &Sequence, mutant: u32) -> Result<bool, Error> {
        let Some((mut observed, tried)) = self.original(sequence)? else { return Ok(false) };
        let Some(outcome) = self.mutated(sequence, mutant, tried.visits)? else {
            return Ok(false);
        };
        if !notices(self.plan, &observed, &outcome) {
            return Ok(false);
        }
        // What the original shows differently the next time tells nothing.
        let again = self.try_out(sequence, NONE, u64::MAX)?;
        let same = again.is_some_and(|again| observed.agrees(&again.outcome));
        Ok(same && notices(self.plan, &observed, &outcome))
    }

    fn smaller(
        &mut self,
        sequence: &Sequence,
        mutant: u32,
        until: Instant,
    ) -> Result<Sequence, Error> {
        let mut error = None;
        let plan = self.plan;
        let mut keeps = |candidate: &Sequence| {
            if error.is_some() || Instant::now() >= until {
                return false;
            }
            match self.tells(candidate, mutant) {
                Ok(tells) => tells,
                Err(why) => {
                    error = Some(why);
                    false
                }
            }
        };
        let small = shrink(plan, sequence, sequence.len() - 1, &[], &mut keeps);
        error.map_or(Ok(small), Err)
    }
}

/// Whether a test of what was observed fails on a run that ended so.
pub fn notices(plan: &Plan, observed: &Observed, mutant: &Outcome) -> bool {
    match (&observed.panic, &mutant.ending) {
        (Some(_), Ending::Panicked(_)) => false,
        (Some(_), _) => true,
        (None, Ending::Completed) => {
            let text = |step: usize| {
                observed.seen[step].as_ref()?;
                assertable_text(plan, &observed.sequence, mutant, step)
            };
            let seen: Vec<Option<String>> = (0..observed.seen.len()).map(text).collect();
            let said = |seen: &[Option<String>]| said(plan, &observed.sequence, seen);
            seen != observed.seen && said(&seen) != said(&observed.seen)
        }
        (None, _) => true,
    }
}

/// A sequence as a test that asserts this.
fn said(plan: &Plan, sequence: &Sequence, seen: &[Option<String>]) -> String {
    let test = Test {
        name: String::new(),
        comment: vec![],
        sequence,
        ending: TestEnding::Open,
        seen,
        style: Style::Plain,
    };
    test_function(plan, &test)
}

/// Sequences that may show a difference in their last step, the plainest first.
fn candidates(plan: &Plan, difference: &Difference) -> Vec<Sequence> {
    let Difference { sequence, step, shown, .. } = difference;
    let (edit, step) = (Edit::of(sequence), *step as usize);
    if step >= edit.len() {
        return vec![];
    }
    let until = |last: usize| {
        let before: Vec<bool> = (0..edit.len()).map(|at| at <= last).collect();
        let whole = edit.keep(&before);
        let needed = edit.needed(plan, last);
        [needed, whole].into_iter().filter_map(|edit| edit.build(plan).ok())
    };
    let asked_at = |last: usize| asked(plan, sequence, step, last);
    match shown {
        Shown::Ending => until(step).collect(),
        Shown::Value => until(step).chain(asked_at(step)).collect(),
        Shown::State => asked_at(edit.len() - 1),
    }
}

/// The sequence up to a step, with a query on one of its values, or on what is inside of it: one
/// for each query.
fn asked(plan: &Plan, sequence: &Sequence, value: usize, last: usize) -> Vec<Sequence> {
    let edit = Edit::of(sequence);
    let ty = edit.steps[value].ty(plan);
    let before: Vec<bool> = (0..edit.len()).map(|at| at <= last).collect();
    let Ok(before) = edit.keep(&before).build(plan) else { return vec![] };
    let with = |query: OpId, through: Option<OpId>| {
        let mut builder = Builder::new(plan);
        builder.append(&before).ok()?;
        let slot = match through {
            Some(taker) => builder.call(taker, &[value as u32]).ok()?,
            None => value as u32,
        };
        builder.call(query, &[slot]).ok()?;
        Some(builder.finish())
    };
    let own = all_queries(plan, ty).into_iter().filter_map(|query| with(query, None));
    let inside = takers(plan, ty).flat_map(|taker| {
        let queries = all_queries(plan, plan.operation(taker).output);
        queries.into_iter().map(move |query| (query, taker))
    });
    own.chain(inside.filter_map(|(query, taker)| with(query, Some(taker)))).collect()
}
