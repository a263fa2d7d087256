//! The engine: picks an operation, finds or makes its arguments, calls.
//!
//! What is drawn and when something is repeated or given up is here; where an
//! argument comes from is in `arguments`. A sequence that completes leaves its
//! new values as components.

mod arguments;
mod seen;

use self::arguments::{Need, maker_origin};
use self::seen::Seen;
use super::components::Components;
use super::learned::Learned;
use super::sizes::{SIZES, Sizes};
use super::sources::{COUNTED, Source, is_taken, sources};
use super::steps::Recipe;
use super::texts::Texts;
use super::trace::{Args, Trace};
use crate::rng::Rng;
use crate::stage::{Halt, Stage};
use std::rc::Rc;
use testsmith_model::message::{ArgumentLimit, Component};
use testsmith_model::operation::Access;
use testsmith_model::{Heuristic, Heuristics, Mode, OpId, Plan, TypeId};

/// Tries to find a call that the borrow rules allow.
const MAX_TRIES: usize = 12;
/// One sequence in so many repeats a call.
const REPEATS_ONCE_IN: usize = 10;
/// How often a call is repeated at most.
const MAX_REPEATS: usize = 100;
/// The call that is repeated is among the first so many of its sequence.
const REPEATED_WITHIN: usize = 8;
/// One call in so many goes to an operation of the first kind, if there is one:
/// of all texts few are worth anything to it.
const READS_ONCE_IN: usize = 8;
/// When nothing new is found, up to this many sequences are not looked at.
const MAX_PAUSE: u32 = 31;

pub struct Engine {
    rng: Rng,
    heuristics: Heuristics,
    plan: Rc<Plan>,
    learned: Learned,
    components: Components,
    sources: Vec<Source>,
    texts: Texts,
    sizes: Sizes,
    /// Per type: whether any operation takes it; most numbers and `()` are not
    /// worth keeping track of.
    useful: Vec<bool>,
    /// Per operation: arguments with the least number, without its sign, that
    /// they must not have.
    limits: Vec<Vec<(usize, u128)>>,
    /// Per operation: whether it has such arguments. Most have none.
    limited: Vec<bool>,
    /// The sequence under way.
    trace: Trace,
    /// Per slot of it, what its value is known by as an argument.
    origins: Vec<u32>,
    /// Per slot of it, at its end: whether its value may be a new one.
    news: Vec<bool>,
    /// Types of which this sequence has slots.
    touched: Vec<TypeId>,
    /// Clones may stand for recipes in this sequence.
    cloning: bool,
    /// It is legal so far, and no call of it was heavy.
    worth_keeping: bool,
    extended: usize,
    /// From which extension on one is repeated.
    repeated: Option<usize>,
    /// The calls that were repetitions.
    repetitions: u64,
    /// While a call is repeated with numbers in turn: the next, and its
    /// distance from the one before.
    counting: Option<(usize, usize)>,
    /// Whether the sequence has made a call, and whether the one before made none:
    /// a small API has no other calls than those made before.
    called: bool,
    fruitless: bool,
    /// Sequences that ended with a call that did not complete.
    illegal: Seen,
    /// Sequences up to their first call under test. One that is new there is
    /// new for good.
    made: Seen,
    pause: u32,
    paused: u32,
}

/// Numbers up to this are limited one by one.
const LIMITED_ONE_BY_ONE: u128 = 1 << 20;
/// No smaller number is ruled out by a larger one.
const NEVER_RULED_OUT: u128 = 1 << 16;

/// What is too large as well if this number ended a worker. Each one that does takes seconds,
/// so they are not tried one after the other: of half as many digits is the next.
fn well_below(magnitude: u128) -> u128 {
    if magnitude <= LIMITED_ONE_BY_ONE {
        return magnitude;
    }
    let bits = u128::BITS - magnitude.leading_zeros();
    (1 << (bits / 2)).max(NEVER_RULED_OUT)
}

impl Engine {
    pub fn new(
        plan: &Plan,
        heuristics: Heuristics,
        avoid: &[OpId],
        limits: &[ArgumentLimit],
    ) -> Engine {
        let useful: Vec<bool> =
            (0..plan.types.len()).map(|n| is_taken(plan, TypeId(n as u32))).collect();
        let texts = Texts::new(plan, avoid);
        let sizes = Sizes::new(plan, avoid, limits, heuristics, &texts);
        let mut engine = Engine {
            rng: Rng::new(0),
            heuristics,
            learned: Learned::new(plan, avoid, heuristics),
            components: Components::new(plan, &useful, heuristics),
            sources: sources(plan, avoid),
            texts,
            sizes,
            useful,
            limits: vec![vec![]; plan.operations.len()],
            limited: vec![false; plan.operations.len()],
            plan: Rc::new(plan.clone()),
            trace: Trace::default(),
            origins: vec![],
            news: vec![],
            touched: vec![],
            cloning: false,
            worth_keeping: true,
            extended: 0,
            repeated: None,
            repetitions: 0,
            counting: None,
            called: true,
            fruitless: false,
            illegal: Seen::new(),
            made: Seen::new(),
            pause: 0,
            paused: 0,
        };
        for limit in limits.iter().filter(|_| heuristics.has(Heuristic::Limits)) {
            let magnitude = well_below(limit.number.unsigned_abs());
            engine.lower(limit.op, limit.input as usize, magnitude);
        }
        engine
    }

    /// Starts the random numbers at a seed and the counts at zero; what was
    /// learnt stays.
    pub fn start(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
        self.learned.count_anew();
    }

    /// Per operation: completed calls since the start.
    pub fn completed(&self) -> Vec<u32> {
        self.learned.completed()
    }

    /// Per operation: calls since the start that panicked.
    pub fn panicked(&self) -> Vec<u32> {
        self.learned.panicked()
    }

    /// The components made since this was last asked.
    pub fn take_components(&mut self) -> Vec<Component> {
        let news = self.components.take_news();
        news.iter().map(|recipe| recipe.component(&self.plan)).collect()
    }

    /// Coverage was read after the last sequence: so many edges were new.
    pub fn credit(&mut self, new_edges: u32) {
        self.learned.credit(new_edges);
        self.sizes.credit(new_edges);
    }

    /// A new sequence begins. Where all of its steps must really run, nothing
    /// is cloned in place.
    pub fn begin(&mut self, cloning: bool) {
        for ty in self.touched.drain(..) {
            self.sources[ty.index()].slots.clear();
        }
        self.trace.clear();
        self.origins.clear();
        self.cloning = cloning && self.heuristics.has(Heuristic::Clones);
        self.worth_keeping = true;
        self.fruitless = !std::mem::replace(&mut self.called, false);
        self.extended = 0;
        self.repetitions = 0;
        let repeats =
            self.heuristics.has(Heuristic::Repetition) && self.rng.chance(1, REPEATS_ONCE_IN);
        self.repeated = repeats.then(|| self.rng.below(REPEATED_WITHIN));
        self.sizes.begin(&mut self.rng);
    }

    /// Makes one more call under test, and whatever it needs.
    pub fn extend(&mut self, stage: &mut impl Stage) -> Result<(), Halt> {
        if self.extended > 0 && !self.heuristics.has(Heuristic::Growing) {
            return Err(Halt::Full);
        }
        for _ in 0..MAX_TRIES {
            let op = self.draw().ok_or(Halt::Full)?;
            if self.learned.doubts(op, &mut self.rng) || self.is_too_large_for(op) {
                continue;
            }
            if let Some(slot) = self.attempt(stage, op, None, 0)? {
                let repeats = self.repeated.is_some_and(|from| from <= self.extended);
                self.extended += 1;
                return if repeats { self.repeat(stage, op, slot) } else { Ok(()) };
            }
        }
        Ok(())
    }

    /// Whether what is large in this sequence has taken an operation too long before.
    #[inline]
    fn is_too_large_for(&self, op: OpId) -> bool {
        self.sizes.drawn().is_some_and(|at| {
            let mut limits = self.limits[op.index()].iter();
            limits.any(|(_, least)| SIZES[at] as u128 >= *least)
        })
    }

    /// An operation to call next.
    fn draw(&mut self) -> Option<OpId> {
        if self.extended == 0
            && let Some(taker) = self.sizes.first(&mut self.rng)
        {
            return Some(taker);
        }
        if self.heuristics.has(Heuristic::Texts)
            && self.rng.chance(1, READS_ONCE_IN)
            && let Some(reader) = self.texts.reader(&mut self.rng)
        {
            return Some(reader);
        }
        self.learned.draw(&mut self.rng)
    }

    /// Calls an operation that changes its receiver again and again, with other
    /// arguments. Every other time, numbers are passed in turn: drawn from a
    /// pool, they would soon all be in a set.
    fn repeat(&mut self, stage: &mut impl Stage, op: OpId, slot: u32) -> Result<(), Halt> {
        let changes = |input: &Access| input.mode == Mode::Exclusive;
        if !stage.signature(op).inputs.first().is_some_and(changes) {
            return Ok(());
        }
        self.repeated = None;
        let receiver = self.trace.args_of(slot as usize)[0];
        if self.rng.chance(1, 2) {
            // Up, down, or in leaps; an odd distance leaves none out.
            let distances = [1, COUNTED - 1, 2 * self.rng.below(COUNTED / 2) + 1];
            self.counting = Some((0, distances[self.rng.below(distances.len())]));
        }
        let mut result = Ok(());
        for _ in 0..self.rng.below(MAX_REPEATS + 1) {
            if !stage.loans().is_live(receiver) {
                break;
            }
            match self.attempt(stage, op, Some(receiver), 0) {
                Ok(Some(_)) => self.repetitions += 1,
                Ok(None) => break,
                Err(halt) => {
                    result = Err(halt);
                    break;
                }
            }
            if let Some((next, distance)) = &mut self.counting {
                *next = (*next + *distance) % COUNTED;
            }
        }
        self.counting = None;
        result
    }

    /// How many calls of the sequence were repetitions of one.
    pub fn repetitions(&self) -> u64 {
        self.repetitions
    }

    /// The sequence is over but its values are still there: keeps what is new
    /// among them, if all went well.
    pub fn end(&mut self, stage: &mut impl Stage) {
        let worth_keeping = self.worth_keeping && self.sizes.allows_keeping();
        if !worth_keeping || !self.heuristics.has(Heuristic::Components) {
            return;
        }
        if self.paused < self.pause {
            self.paused += 1;
            return;
        }
        self.paused = 0;
        let mut found = false;
        self.trace.mark_news(&mut self.news, &|op| stage.signature(op));
        for slot in 0..self.trace.len() as u32 {
            found |= self.news[slot as usize] && self.offer(stage, slot);
        }
        self.pause = if found { self.pause / 2 } else { (self.pause + 1).min(MAX_PAUSE) };
    }

    /// Keeps the value of a slot if it can be had and is new.
    fn offer(&mut self, stage: &mut impl Stage, slot: u32) -> bool {
        let loans = stage.loans();
        loans.is_live(slot)
            && !loans.is_lent(slot)
            && self.components.keeps(loans.ty(slot))
            // All texts are new, and others can be had any time.
            && self.trace.text_of(slot).is_none()
            && self.components.offer(stage, &mut self.trace, slot, self.repetitions, &mut self.rng)
    }

    /// Runs the sequence of a component of an earlier run, as a sequence of its
    /// own, and keeps its value.
    pub fn adopt(&mut self, stage: &mut impl Stage, component: &Component) {
        let Some(recipe) = Recipe::new(&self.plan, component) else { return };
        if let Ok(Some(slot)) = self.replay(stage, &recipe) {
            self.offer(stage, slot);
        }
        // Whoever sent it knows it.
        self.components.take_news();
    }

    /// Calls the operation if its arguments can be had.
    fn attempt(
        &mut self,
        stage: &mut impl Stage,
        op: OpId,
        receiver: Option<u32>,
        depth: usize,
    ) -> Result<Option<u32>, Halt> {
        stage.expect(op);
        let mut args = Args::default();
        let inputs = stage.signature(op).inputs.len();
        for n in 0..inputs {
            let access = stage.signature(op).inputs[n];
            let need = Need { op, n, access, earlier: &args, depth };
            let found = match receiver {
                Some(receiver) if n == 0 => Some(receiver),
                _ => self.argument(stage, need)?,
            };
            match found {
                Some(slot) => args.push(slot),
                None => return Ok(None),
            }
        }
        let args = &args;
        let digest = self.trace.with(op, args);
        if self.heuristics.has(Heuristic::Duplicates) && !self.fruitless {
            let first = depth == 0 && self.extended == 0;
            if self.learned.is_risky(op) && self.illegal.contains(digest.hash)
                || first && !self.made.insert(digest.hash)
            {
                return Ok(None);
            }
        }
        let Some(result) = stage.call(op, args) else { return Ok(None) };
        self.called = true;
        let origins = args.iter().map(|arg| self.origins[*arg as usize]);
        self.learned.learn(op, origins, result);
        match result {
            Ok(slot) => {
                let heavy = stage.was_heavy();
                let excess = self.learned.is_excess(op, heavy);
                if heavy && self.heuristics.has(Heuristic::Limits) {
                    // What is large on purpose is nobody's fault.
                    if self.sizes.drawn().is_none() {
                        self.limit(op, args);
                    }
                    // What has grown so large here hangs the calls that follow;
                    // but some operations never make anything small.
                    if excess && !self.sizes.is_sized(op) {
                        return Err(Halt::Full);
                    }
                }
                if self.texts.reads(op) {
                    self.keep_texts(stage, op, args, slot);
                }
                self.trace.call(op, args, digest);
                self.origins.push(maker_origin(op));
                self.note(stage.signature(op).output, slot);
                Ok(Some(slot))
            }
            Err(halt) => {
                self.worth_keeping &= halt == Halt::Full;
                if halt != Halt::Full {
                    self.illegal.insert(digest.hash);
                }
                Err(halt)
            }
        }
    }

    /// Blames the largest number among the arguments, or else the operation,
    /// for a call that took much memory. No sequence should start with it.
    #[cold]
    fn limit(&mut self, op: OpId, args: &[u32]) {
        self.worth_keeping = false;
        let number = |(n, arg): (usize, &u32)| {
            let (ty, literal) = self.trace.literal_of(*arg)?;
            self.magnitude(ty, literal as usize).map(|magnitude| (magnitude, n))
        };
        match args.iter().enumerate().filter_map(number).max() {
            Some((magnitude, n)) if magnitude >= ArgumentLimit::LEAST => {
                self.lower(op, n, magnitude);
            }
            _ => self.learned.burden(op),
        }
    }

    /// An argument must not have this number, nor a larger one.
    fn lower(&mut self, op: OpId, input: usize, magnitude: u128) {
        self.limited[op.index()] = true;
        let limits = &mut self.limits[op.index()];
        match limits.iter_mut().find(|(n, _)| *n == input) {
            Some((_, least)) => *least = magnitude.min(*least),
            None => limits.push((input, magnitude)),
        }
    }

    /// How far a literal is from zero, if it is a whole number.
    fn magnitude(&self, ty: TypeId, n: usize) -> Option<u128> {
        self.sources[ty.index()].magnitudes.get(n).copied()
    }

    #[inline]
    fn note(&mut self, ty: TypeId, slot: u32) {
        if !self.useful[ty.index()] {
            return;
        }
        let slots = &mut self.sources[ty.index()].slots;
        if slots.is_empty() {
            self.touched.push(ty);
        }
        slots.push(slot);
    }

    /// Keeps the texts that an operation took and did not refuse.
    fn keep_texts(&mut self, stage: &mut impl Stage, op: OpId, args: &[u32], slot: u32) {
        let mut accepted = None;
        for arg in args {
            if let Some(text) = self.trace.text_of(*arg)
                && *accepted.get_or_insert_with(|| !stage.is_refusal(slot))
            {
                self.texts.keep(op, text, &mut self.rng);
            }
        }
    }
}
