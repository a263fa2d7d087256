//! Random sequences judge the mutants that are left, and variations of those that reached one,
//! in turn, until the time is over.
//!
//! What a worker tells is a difference; here it becomes a witness, and whatever mutants the
//! witness tells as well are no longer hunted. Nothing is written here.

use super::vary::Variations;
use super::witness::{Checker, Witness};
use crate::pipeline::Session;
use crate::suite::is_worth_showing;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testsmith_lab::mutants::JudgeEnd;
use testsmith_lab::{Error, Supervisor};
use testsmith_model::judging::{Difference, Judged, Judging, LiveMutant, Shown};
use testsmith_model::message::Walk;
use testsmith_model::{OpId, Plan, Sequence};

/// Calls of a random sequence: short ones judge quickly, long ones reach more.
const LENGTHS: [u32; 4] = [2, 4, 8, 16];
/// Sequences of one job: what a worker counted is lost if it dies.
const SEQUENCES: std::ops::RangeInclusive<u64> = 20..=4000;
/// How long a job should take.
const JOB: Duration = Duration::from_millis(400);
/// Differences of one mutant that no test could show, after which it is left alone for a while.
const MAX_FAILURES: u32 = 8;
/// Workers that a mutant may end before it is left alone, whatever a fresh process says: the
/// first may have died of what others left behind.
const MAX_DEATHS: u32 = 2;
/// Sequences that reach a mutant, which are varied.
const MAX_SEEDS: usize = 4;
/// A part of the time that is left, for one witness; but never less than this, or it would be
/// hard to read.
const SHARE: u32 = 8;
const MAKING_SMALL: Duration = Duration::from_secs(2);

pub struct Hunt<'h> {
    session: &'h Session,
    hunter: Supervisor,
    checker: Checker<'h>,
    judging: Judging,
    walk: Walk,
    /// By mutant, its place; all that were ever hunted.
    places: BTreeMap<u32, u32>,
    /// By mutant, how many workers it ended.
    deaths: BTreeMap<u32, u32>,
    failures: BTreeMap<u32, u32>,
    /// By mutant, sequences that reach it and do not tell it, the latest last.
    seeds: BTreeMap<u32, Vec<Sequence>>,
    variations: Variations<'h>,
    hunted: Hunted,
}

/// What a hunt leaves.
#[derive(Default)]
pub struct Hunted {
    pub witnesses: Vec<Witness>,
    /// By mutant, how many runs reached it.
    pub tried: BTreeMap<u32, u64>,
    pub sequences: u64,
    pub judging_ns: u64,
}

impl<'h> Hunt<'h> {
    pub fn new(
        session: &'h Session,
        hunter: Supervisor,
        checker: Supervisor,
        places: BTreeMap<u32, u32>,
        numbers: u32,
    ) -> Hunt<'h> {
        let plan = &*session.plan;
        let live = |(id, place): (&u32, &u32)| LiveMutant { id: *id, place: *place, tried: 0 };
        let judging = Judging {
            live: places.iter().map(live).collect(),
            numbers,
            panicking: ops(plan, |op| plan.operation(op).docs.panics_section),
        };
        let avoid = ops(plan, |op| !is_worth_showing(plan.operation(op)) || plan.makes_a_fake(op));
        let walk = Walk { avoid, max_calls: u64::MAX, ..Walk::default() };
        let tried = places.keys().map(|id| (*id, 0)).collect();
        Hunt {
            session,
            hunter,
            checker: Checker::new(plan, checker, numbers),
            judging,
            walk,
            places,
            deaths: BTreeMap::new(),
            failures: BTreeMap::new(),
            seeds: BTreeMap::new(),
            variations: Variations::new(plan),
            hunted: Hunted { tried, ..Hunted::default() },
        }
    }

    pub fn finish(self) -> Hunted {
        self.hunted
    }

    /// Hunts until then, or until nothing is left. An interruption keeps what was found.
    pub fn run(&mut self, until: Instant, interrupt: &AtomicBool) -> Result<()> {
        let mut sizes = [*SEQUENCES.start(); 2];
        for round in 0u64.. {
            let over = Instant::now() >= until || interrupt.load(Ordering::Acquire);
            if over || self.judging.live.is_empty() || self.hunter.gave_up() {
                break;
            }
            let begin = Instant::now();
            let varies = round % 2 == 1 && !self.seeds.is_empty();
            let size = &mut sizes[usize::from(varies)];
            let done = match varies {
                true => self.varied(*size, until),
                false => self.random(round, *size, until),
            };
            match done {
                Err(Error::Interrupted) => break,
                Err(Error::Worker(why)) => {
                    self.session.console.say(&format!("a search ends early: {why}"));
                    break;
                }
                done => done?,
            }
            let next = if begin.elapsed() > JOB { *size / 2 } else { *size * 2 };
            *size = next.clamp(*SEQUENCES.start(), *SEQUENCES.end());
            self.tell();
        }
        Ok(())
    }

    /// Judges with random sequences.
    fn random(&mut self, round: u64, size: u64, until: Instant) -> Result<(), Error> {
        let walk = Walk {
            seed: round.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            max_sequences: size,
            max_length: LENGTHS[round as usize / 2 % LENGTHS.len()],
            ..self.walk.clone()
        };
        self.round(&walk, &[], until)
    }

    /// Judges with variations of what reached a mutant, those that were tried least more often.
    fn varied(&mut self, size: u64, until: Instant) -> Result<(), Error> {
        let mut live: Vec<(u64, u32)> =
            self.judging.live.iter().map(|live| (live.tried, live.id)).collect();
        live.retain(|(_, id)| self.seeds.contains_key(id));
        live.sort_unstable();
        let mut sequences = vec![];
        for _ in 0..if live.is_empty() { 0 } else { size } {
            let (_, id) = live[self.variations.early(live.len())];
            let seeds = &self.seeds[&id];
            let seed = &seeds[self.variations.early(seeds.len())];
            sequences.extend(self.variations.vary(seed));
        }
        self.round(&Walk { max_sequences: 0, ..self.walk.clone() }, &sequences, until)
    }

    fn round(&mut self, walk: &Walk, given: &[Sequence], until: Instant) -> Result<(), Error> {
        let mut found = vec![];
        let end = self.hunter.judge(&self.judging, walk, given, &mut |one| found.push(one))?;
        match end {
            JudgeEnd::Done(judged) => self.count(judged),
            JudgeEnd::DiedAlone => {}
            JudgeEnd::Died { mutant, sequence, outcome } => {
                *self.hunted.tried.entry(mutant).or_default() += 1;
                *self.deaths.entry(mutant).or_default() += 1;
                let step = outcome.step.min(sequence.len().saturating_sub(1) as u32);
                found.push(Difference { mutant, sequence, step, shown: Shown::Ending });
            }
        }
        for difference in found {
            if Instant::now() >= until {
                break;
            }
            self.take(&difference, until)?;
        }
        let (deaths, failures) = (&self.deaths, &self.failures);
        let many =
            |counts: &BTreeMap<u32, u32>, id, most| counts.get(&id).is_some_and(|n| *n >= most);
        self.judging.live.retain(|live| {
            !many(deaths, live.id, MAX_DEATHS) && !many(failures, live.id, MAX_FAILURES)
        });
        Ok(())
    }

    fn count(&mut self, judged: Judged) {
        self.hunted.sequences += judged.sequences;
        self.hunted.judging_ns += judged.judging_ns;
        for (mutant, runs) in &judged.tried {
            *self.hunted.tried.entry(*mutant).or_default() += runs;
        }
        for (mutant, sequence) in judged.reaching {
            let seeds = self.seeds.entry(mutant).or_default();
            if !seeds.contains(&sequence) {
                seeds.truncate(MAX_SEEDS - 1);
                seeds.push(sequence);
            }
        }
        for live in &mut self.judging.live {
            live.tried = self.hunted.tried.get(&live.id).copied().unwrap_or(0);
        }
    }

    /// Makes a witness of a difference, if a test can show it.
    fn take(&mut self, difference: &Difference, until: Instant) -> Result<(), Error> {
        let mutant = difference.mutant;
        if self.is_told(mutant) {
            return Ok(());
        }
        let now = Instant::now();
        let until = now + (until.saturating_duration_since(now) / SHARE).max(MAKING_SMALL);
        let Some(sequence) = self.checker.witness(difference, until)? else {
            *self.failures.entry(mutant).or_default() += 1;
            return Ok(());
        };
        let sequence = self.checker.with_a_query(&sequence)?;
        let witness = self.witness(sequence, mutant)?;
        let told = &witness.kills;
        self.judging.live.retain(|live| !told.contains(&live.id));
        self.hunted.witnesses.push(witness);
        Ok(())
    }

    fn is_told(&self, mutant: u32) -> bool {
        self.hunted.witnesses.iter().any(|witness| witness.kills.contains(&mutant))
    }

    /// All that a sequence tells beside the mutant that it was found for.
    fn witness(&mut self, sequence: Sequence, mutant: u32) -> Result<Witness, Error> {
        let deaths = &self.deaths;
        let among: Vec<(u32, u32)> = self
            .places
            .iter()
            .filter(|(id, _)| !deaths.contains_key(id))
            .map(|(id, place)| (*id, *place))
            .collect();
        let mut kills = self.checker.told(&sequence, &among)?;
        kills.insert(mutant);
        Ok(Witness { sequence, kills })
    }

    fn tell(&self) {
        let told: BTreeSet<u32> =
            self.hunted.witnesses.iter().flat_map(|witness| witness.kills.clone()).collect();
        self.session.console.tell(&format!(
            "hunting {} mutants: {} sequences, {} told from the original",
            self.places.len(),
            self.hunted.sequences,
            told.len()
        ));
    }
}

fn ops(plan: &Plan, wanted: impl Fn(OpId) -> bool) -> Vec<OpId> {
    plan.op_ids().filter(|op| wanted(*op)).collect()
}
