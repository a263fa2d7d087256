//! Carries out sequences: finds arguments, keeps loans, calls thunks.
//!
//! The one room where erased pointers become calls. Whatever the code under
//! test does short of ending the process comes back as a failure of the step.
//! What an engine may ask of it is in `stage`.

mod observe;
mod stage;
mod watch;

use crate::arena::{Frame, Slot};
use crate::coverage::{Coverage, Novelty};
use crate::journal::{Blocks, Encoded, Journal};
use crate::literal::{Kind, Ready};
use crate::memory;
use crate::observer::Observer;
use crate::panics::{catching, clip};
use crate::shelf::{Shelf, WrittenRecipe};
use crate::table::TypeTable;
use std::sync::Arc;
use testsmith_engines::Halt;
use testsmith_engines::random::{Made, Recipe, numbered};
use testsmith_model::operation::{MAX_INPUTS, OperationKind, Signature};
use testsmith_model::outcome::{Ending, MAX_TEXT, Outcome, Panic, Phase, Value};
use testsmith_model::sequence::{Literal, Step};
use testsmith_model::troubled;
use testsmith_model::wire::Wire;
use testsmith_model::{Loans, OpId, Plan, Sequence, TypeId};

/// One operation: reads its arguments from the frame, calls, puts its result.
/// False means that it does not apply to its argument, or that the frame was
/// told that a precondition does not hold.
pub type Thunk = fn(&mut Frame) -> bool;

/// How many calls share one reading of the counters: fewer while readings
/// bring news, because those calls share the credit.
const COLLECT_EVERY: std::ops::RangeInclusive<u64> = 256..=4096;
/// A call that asks for more memory than this takes as long as hundreds of
/// others.
const HEAVY_BYTES: usize = 64 << 10;
/// A sequence with more steps than this has gone wrong.
const MAX_STEPS: u32 = 4096;
/// The longest step in the journal, but for a literal text.
const STEP_BYTES: usize = 8 + 4 * MAX_INPUTS;

/// A literal of the plan: what it is, what is put, what the journal says.
pub(crate) struct Pooled {
    pub(crate) literal: Literal,
    pub(crate) ready: Option<Ready>,
    step: Encoded,
}

impl Pooled {
    pub(crate) fn new(ty: TypeId, kind: Option<Kind>, literal: &Literal) -> Pooled {
        Pooled {
            literal: literal.clone(),
            ready: kind.and_then(|kind| Ready::new(kind, literal)),
            step: Encoded::new(&Step::Literal(ty, literal.clone())),
        }
    }
}

pub struct Executor {
    pub plan: Arc<Plan>,
    pub(crate) signatures: Vec<Signature>,
    /// Which operations are laws.
    laws: Vec<bool>,
    pub(crate) thunks: &'static [Thunk],
    pub(crate) tables: &'static [TypeTable],
    /// Per type, as in the tables but close together: asked for every value.
    needs_drop: Vec<bool>,
    pub(crate) frame: Frame,
    pub(crate) slots: Vec<Slot>,
    /// Per slot, the step of the journal that made it. They differ once a clone
    /// stands for many steps.
    steps: Vec<u32>,
    /// The steps in the journal.
    written: u32,
    loans: Loans,
    pub journal: Journal,
    pub coverage: Coverage,
    /// Edges taken for the first time that nobody was told of.
    pub(crate) new_edges: Vec<u32>,
    pub(crate) kinds: Vec<Option<Kind>>,
    /// Per type, the literals of the plan that can be put.
    pub(crate) pool: Vec<Vec<Pooled>>,
    /// Texts of this sequence that are not in the pool.
    texts: Vec<Arc<str>>,
    /// Bytes of a step that is written to the journal.
    spelled: Vec<u8>,
    ended: Vec<u32>,
    failure: Option<(Ending, u32, Phase)>,
    observe: bool,
    /// Whether memory is watched while a sequence runs, and whether all of it is looked at
    /// after every call.
    pub(crate) watch: bool,
    thorough: bool,
    /// What the last watched sequence has not freed, in bytes.
    pub(crate) unfreed: usize,
    values: Vec<Value>,
    pub calls: u64,
    /// The operation called last.
    last: Option<OpId>,
    /// Whether it asked for much memory.
    heavy: bool,
    /// The number of calls when the counters were last read.
    collected: u64,
    collect_every: u64,
    /// What the last reading brought, until it is asked for.
    reading: Option<u32>,
    pub(crate) shelf: Shelf,
    /// Watches the calls, where that was asked for.
    pub(crate) observer: Option<Box<Observer>>,
    /// What the values at the end of a sequence are known by, where that was asked for.
    pub(crate) left: Option<Vec<Option<String>>>,
    /// Values that were lent to be changed, where that was asked for.
    pub(crate) changed: Vec<u32>,
    /// The first step whose value is looked at.
    pub(crate) look_from: u32,
    /// Is told of every step of a sequence from outside before it is carried out.
    pub(crate) stamp: Option<fn(u8)>,
    /// Whether the counters of edges are left alone.
    quiet: bool,
}

impl Executor {
    pub fn new(
        plan: Plan,
        thunks: &'static [Thunk],
        tables: &'static [TypeTable],
        journal: Journal,
    ) -> Executor {
        let kinds: Vec<Option<Kind>> =
            plan.types.iter().map(|info| Kind::of(&info.ty.to_string())).collect();
        let mut pool: Vec<Vec<Pooled>> = plan.types.iter().map(|_| vec![]).collect();
        for (ty, literals) in &plan.literals {
            let pooled = |literal: Literal| Pooled::new(*ty, kinds[ty.index()], &literal);
            pool[ty.index()] = numbered(literals).map(pooled).collect();
        }
        Executor {
            laws: plan.operations.iter().map(|op| op.kind == OperationKind::Law).collect(),
            signatures: plan.signatures(),
            plan: Arc::new(plan),
            thunks,
            tables,
            needs_drop: tables.iter().map(|table| table.needs_drop).collect(),
            frame: Frame::new(),
            slots: vec![],
            steps: vec![],
            written: 0,
            loans: Loans::default(),
            journal,
            coverage: Coverage::new(Novelty::Hit),
            new_edges: vec![],
            kinds,
            pool,
            texts: vec![],
            spelled: vec![],
            ended: vec![],
            failure: None,
            observe: false,
            watch: false,
            thorough: false,
            unfreed: 0,
            values: vec![],
            calls: 0,
            last: None,
            heavy: false,
            collected: 0,
            collect_every: *COLLECT_EVERY.start(),
            reading: None,
            shelf: Shelf::default(),
            observer: None,
            left: None,
            changed: vec![],
            look_from: 0,
            stamp: None,
            quiet: false,
        }
    }

    /// Gives the journal up, so that another executor can write it.
    pub fn into_journal(self) -> Journal {
        self.journal
    }

    /// Clears the stage for a new sequence.
    pub fn begin(&mut self, observe: bool) {
        self.frame.clear();
        self.slots.clear();
        self.steps.clear();
        self.written = 0;
        self.loans.clear();
        self.texts.clear();
        self.journal.begin();
        self.failure = None;
        self.observe = observe;
        self.values.clear();
    }

    /// Drops what is left and says what happened.
    pub fn finish(&mut self) -> Outcome {
        let first = self.loans.close_scope();
        for slot in first {
            self.drop_slot(slot);
        }
        for slot in (0..self.slots.len() as u32).rev() {
            if self.loans.is_live(slot) {
                self.drop_slot(slot);
            }
        }
        self.end_watch();
        self.journal.rest();
        // A harness has tens of thousands of counters; reading them costs as
        // much as hundreds of calls, so it is done once for many.
        let due = self.observe || self.calls - self.collected > self.collect_every;
        let due = due && !self.quiet;
        let new_edges = if due { self.collect() } else { 0 };
        let completed = || (Ending::Completed, self.written, Phase::Calling);
        let (ending, step, phase) = self.failure.take().unwrap_or_else(completed);
        Outcome { ending, step, phase, values: std::mem::take(&mut self.values), new_edges }
    }

    /// Reads the counters: how many edges are new since they were last read.
    pub fn collect(&mut self) -> u32 {
        self.collected = self.calls;
        let fresh = self.coverage.collect();
        self.new_edges.extend(fresh);
        let new = fresh.len() as u32;
        let every = if new > 0 { self.collect_every / 2 } else { self.collect_every * 2 };
        self.collect_every = every.clamp(*COLLECT_EVERY.start(), *COLLECT_EVERY.end());
        *self.reading.get_or_insert(0) += new;
        new
    }

    /// How many edges were new when the counters were last read, once.
    pub fn take_reading(&mut self) -> Option<u32> {
        self.reading.take()
    }

    /// The sequence carried out so far.
    pub fn sequence(&self) -> Sequence {
        self.journal.sequence()
    }

    /// The operation at which the sequence just finished came to its end.
    pub fn failing(&self, outcome: &Outcome) -> Option<OpId> {
        match (outcome.phase, self.last) {
            // The call under way is the last that was made.
            (Phase::Calling, last) => last,
            _ => match self.sequence().steps().nth(outcome.step as usize) {
                Some(Step::Call(op, _)) => Some(*op),
                _ => None,
            },
        }
    }

    /// Carries out a whole sequence from scratch. `None` if it is not legal.
    fn carry_out(&mut self, sequence: &Sequence, observe: bool) -> Option<Outcome> {
        self.begin(observe);
        let mut legal = true;
        for (n, step) in sequence.steps().enumerate() {
            if let Some(stamp) = self.stamp {
                stamp(u8::try_from(n + 1).unwrap_or(u8::MAX));
            }
            let done = match step {
                Step::Literal(ty, literal) => self.put_literal(*ty, literal).map(drop),
                Step::Call(op, back) => {
                    let here = self.slots.len() as u32;
                    let args: Option<Vec<u32>> =
                        back.iter().map(|distance| here.checked_sub(*distance)).collect();
                    match args.filter(|args| self.fits(*op, args)) {
                        Some(args) => match self.call_noting(*op, &args) {
                            Some(result) => result.map(drop),
                            None if self.frame.refused => {
                                self.fail(Ending::Inapplicable, here, Phase::Calling);
                                Err(Halt::Inapplicable)
                            }
                            None => {
                                legal = false;
                                Err(Halt::Full)
                            }
                        },
                        None => {
                            legal = false;
                            Err(Halt::Full)
                        }
                    }
                }
            };
            if done.is_err() {
                break;
            }
        }
        self.observe_end();
        self.note_left();
        let outcome = self.finish();
        legal.then_some(outcome)
    }

    /// The same with values, and without a look at the counters.
    pub(crate) fn carry_out_quietly(&mut self, sequence: &Sequence) -> Option<Outcome> {
        self.quiet = true;
        let outcome = self.carry_out(sequence, true);
        self.quiet = false;
        outcome
    }

    /// As [`Executor::run`], and also says which edges the sequence takes.
    pub fn trace(&mut self, sequence: &Sequence) -> Option<(Outcome, Vec<u32>)> {
        self.collect();
        // Nobody else may read the counters before we do.
        let every = std::mem::replace(&mut self.collect_every, u64::MAX);
        let outcome = self.carry_out(sequence, false);
        self.collect_every = every;
        self.collected = self.calls;
        let mut outcome = outcome?;
        let mut edges = vec![];
        outcome.new_edges = self.coverage.collect_each(|edge, _| edges.push(edge)).len() as u32;
        Some((outcome, edges))
    }

    /// Whether a call from outside has arguments of the right types.
    fn fits(&self, op: OpId, args: &[u32]) -> bool {
        let Some(operation) = self.plan.operations.get(op.index()) else { return false };
        operation.inputs.len() == args.len()
            && operation.inputs.iter().zip(args).all(|(input, arg)| {
                (*arg as usize) < self.slots.len() && self.plan.accepts(input, self.loans.ty(*arg))
            })
    }

    fn put_literal(&mut self, ty: TypeId, literal: &Literal) -> Result<u32, Halt> {
        let step = Encoded::new(&Step::Literal(ty, literal.clone()));
        let kind = self.kinds.get(ty.index()).copied().flatten().ok_or(Halt::Full)?;
        let ready = Ready::new(kind, literal).ok_or(Halt::Full)?;
        if !self.journal.has_room(step.room() + STEP_BYTES) {
            return Err(Halt::Full);
        }
        self.watched(|executor| ready.put(&mut executor.frame));
        self.journal.literal(&step);
        Ok(self.push(ty))
    }

    fn push(&mut self, ty: TypeId) -> u32 {
        self.add(ty);
        if self.observe {
            self.values.push(Value::default());
            // A literal is what it is, with every mutant.
            if !self.quiet {
                self.look_at(self.slots.len() as u32 - 1);
            }
        }
        self.loans.push(ty)
    }

    /// The result in the frame is the value of the next step.
    #[inline(always)]
    fn add(&mut self, ty: TypeId) {
        self.slots.push(Slot { place: self.frame.result, table: &self.tables[ty.index()] });
        self.steps.push(self.written);
        self.written += 1;
    }

    /// What a law returned.
    fn holds(&self, slot: u32) -> bool {
        // SAFETY: the result of a law is a `bool`, as its thunk says.
        unsafe { self.slots[slot as usize].place.cast::<bool>().read() }
    }

    /// Describes a value that was just made, where its type can be described.
    fn look_at(&mut self, number: u32) {
        let mut value = Value::default();
        match self.text_of(number) {
            Ok(text) => value.text = text,
            Err(panic) => {
                let step = self.steps[number as usize];
                self.fail(Ending::Panicked(panic), step, Phase::Observing);
            }
        }
        *self.values.last_mut().expect("one was just pushed") = value;
    }

    /// What a live value shows of itself.
    pub(crate) fn text_of(&mut self, number: u32) -> Result<Option<String>, Panic> {
        let (slot, step) = (self.slots[number as usize], self.steps[number as usize]);
        self.journal.doing(step, Phase::Observing);
        let mut text = Clipped(String::new());
        let shown = catching(|| {
            // SAFETY: whoever asks knows that the value is there.
            slot.table.debug.map(|debug| unsafe { debug(slot.place, &mut text) })
        });
        shown.map(|shown| shown.map(|_| clip(text.0)))
    }

    fn fail(&mut self, ending: Ending, step: u32, phase: Phase) {
        self.failure.get_or_insert((ending, step, phase));
    }

    /// A panic of code under test. Elements of the test panic where they are misused.
    #[cold]
    fn fail_by(&mut self, panic: Panic, step: u32, phase: Phase) {
        match troubled::misuse(&panic.message) {
            Some(error) => self.fail_by_memory(error, step, phase),
            None => self.fail(Ending::Panicked(panic), step, phase),
        }
    }

    fn drop_slot(&mut self, number: u32) {
        if self.needs_drop[self.loans.ty(number).index()] {
            let (slot, step) = (self.slots[number as usize], self.steps[number as usize]);
            self.journal.doing(step, Phase::Dropping);
            // SAFETY: the loans say that the value is there and unborrowed; it
            // is not used again.
            let dropped = self.watched(|_| catching(|| unsafe { (slot.table.drop)(slot.place) }));
            if let Err(panic) = dropped {
                self.fail_by(panic, step, Phase::Dropping);
            }
            if self.watch {
                self.look_at_memory(step, Phase::Dropping);
            }
        }
    }

    /// Points the frame at the arguments.
    #[inline(always)]
    fn aim(&mut self, op: OpId, args: &[u32]) {
        let signature = &self.signatures[op.index()];
        let inputs = &signature.inputs[..args.len()];
        for (n, (&arg, input)) in args.iter().zip(inputs).enumerate() {
            let place = self.slots[arg as usize].place;
            self.frame.args[n] = reached(place, self.loans.ty(arg) != input.ty);
        }
    }

    /// Whether so many more steps may be written, of so many bytes in all.
    #[inline(always)]
    fn has_room(&self, steps: u32, bytes: usize) -> bool {
        self.written + steps <= MAX_STEPS && self.journal.has_room(bytes)
    }

    /// A recipe as it stands in the journal.
    fn write(&self, recipe: &Recipe) -> WrittenRecipe {
        let (mut steps, mut ty) = (vec![], TypeId(0));
        for (n, (made, args)) in recipe.steps.iter().enumerate() {
            let output = match made {
                Made::Literal(ty, literal) => {
                    steps.extend_from_slice(self.pool[ty.index()][literal as usize].step.bytes());
                    ty
                }
                Made::Text(ty, text) => {
                    text_step(ty, &recipe.steps.texts()[text as usize]).put(&mut steps);
                    ty
                }
                Made::Call(op, ..) => {
                    let back = args.iter().map(|arg| n as u32 - arg).collect();
                    Step::Call(op, back).put(&mut steps);
                    self.signatures[op.index()].output
                }
            };
            if n as u32 == recipe.value {
                ty = output;
            }
        }
        let count = recipe.steps.len() as u32;
        WrittenRecipe { steps: Blocks::new(&steps), count, value: recipe.value, ty }
    }

    /// Makes a call; see [`testsmith_engines::Stage::call`].
    #[inline(always)]
    fn call_on(&mut self, op: OpId, args: &[u32]) -> Option<Result<u32, Halt>> {
        if self.failure.is_some() || !self.has_room(1, STEP_BYTES) {
            return Some(Err(Halt::Full));
        }
        self.frame.refused = false;
        let ended = self.loans.access(&self.signatures[op.index()], args).ok()?;
        let changed = !ended.is_empty();
        if changed {
            self.ended.clear();
            self.ended.extend_from_slice(ended);
            for n in 0..self.ended.len() {
                self.drop_slot(self.ended[n]);
            }
            if self.failure.is_some() {
                return Some(Err(Halt::Panicked));
            }
        }
        if self.observer.is_some() {
            self.observe_before(op, args);
        }
        let here = self.written;
        let steps = &self.steps;
        self.journal.call(op, args.iter().map(|arg| steps[*arg as usize]), here);
        self.aim(op, args);
        self.calls += 1;
        self.last = Some(op);
        let thunk = self.thunks[op.index()];
        let asked = memory::asked();
        let result = self.watched(|executor| catching(|| thunk(&mut executor.frame)));
        self.heavy = memory::asked().wrapping_sub(asked) > HEAVY_BYTES;
        let signature = &self.signatures[op.index()];
        Some(match result {
            Ok(true) => self.take_result(op, args, here),
            Ok(false) if self.frame.refused => {
                // With borrowers gone, the steps no longer say how it came
                // about; otherwise it is as if nobody had asked.
                if !changed {
                    self.calls -= 1;
                    self.journal.retract(args.len());
                    return None;
                }
                self.fail(Ending::Inapplicable, here, Phase::Calling);
                Err(Halt::Inapplicable)
            }
            Ok(false) => {
                self.loans.consume(signature, args);
                self.fail(Ending::Inapplicable, here, Phase::Calling);
                Err(Halt::Inapplicable)
            }
            Err(panic) => {
                self.loans.consume(signature, args);
                self.fail_by(panic, here, Phase::Calling);
                if self.watch {
                    self.look_at_memory(here, Phase::Calling);
                }
                Err(Halt::Panicked)
            }
        })
    }

    /// Takes the result of a call that returned into the arena, and looks at what it did.
    #[inline(always)]
    fn take_result(&mut self, op: OpId, args: &[u32], here: u32) -> Result<u32, Halt> {
        let signature = &self.signatures[op.index()];
        let slot = self.loans.commit(signature, args);
        self.add(signature.output);
        if self.watch {
            self.look_at_value(slot, here);
            if self.failure.is_some() {
                return Err(Halt::Panicked);
            }
        }
        if self.observe {
            self.values.resize(self.slots.len(), Value::default());
            if here >= self.look_from {
                self.look_at(slot);
            }
        }
        if self.observer.is_some() {
            self.observe_after(op, args, slot, here);
        }
        if self.laws[op.index()] && !self.holds(slot) {
            self.fail(Ending::Broken, here, Phase::Calling);
        }
        if self.watch {
            self.look_at_memory(here, Phase::Calling);
        }
        if self.failure.is_some() { Err(Halt::Panicked) } else { Ok(slot) }
    }
}

/// The argument itself, or what the reference in the slot points at.
#[inline]
pub(crate) fn reached(place: *mut u8, through: bool) -> *mut u8 {
    // SAFETY: a slot that is reached through holds a thin reference.
    if through { unsafe { *place.cast::<*mut u8>() } } else { place }
}

/// A text as a step.
fn text_step(ty: TypeId, text: &Arc<str>) -> Step {
    Step::Literal(ty, Literal::Str(Arc::clone(text)))
}

/// Text that stops growing at the bound; `Debug` may print without end.
struct Clipped(String);

impl std::fmt::Write for Clipped {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.push_str(text);
        // An error ends the formatting early in well-behaved code.
        if self.0.len() > 2 * MAX_TEXT { Err(std::fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
