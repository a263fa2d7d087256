//! Runs a program on concrete input and keeps the terms alongside.
//!
//! One run follows one path. Whenever the way depends on the input, the
//! condition that held is noted as a [`Decision`]; whoever explores turns them
//! one at a time. The machine itself never asks a solver, never forks, and
//! never prints.

mod arithmetic;
mod assumption;
mod call;
mod choice;
mod float;
mod hashing;
mod hidden;
mod intrinsic;
mod journal;
mod lookup;
mod memory;
mod merge;
mod model;
mod region;
mod step;
mod tables;
mod text;
mod unwind;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use assumption::Assumption;
pub use memory::{Image, Layout, Memory, STACK, Statics, Value};
pub use model::Role;
pub(crate) use tables::ORDER;

use crate::ir::{Function, FunctionId, SiteId};
use crate::llvm::Program;
use testsmith_solver::term::{FastMap, Op, Pool, Term, mask};

/// How a path ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// The entry returned.
    Returned,
    /// It panicked at this place; `text_matches` is decided when a text was expected.
    Panicked { place: Place, text_matches: Option<bool> },
    /// An assumption was not met: the input is none of those the claim is about.
    Rejected,
    /// Abort, trap, or leaving the process.
    Crashed(String),
    /// What no safe program does, such as an access outside every object. Natively anything
    /// may come of it.
    Undefined(String),
    /// Something the machine does not know. Voids every claim.
    Unsupported(String),
    /// A bound was reached. Voids every claim.
    Limit(String),
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Why a condition entered the path.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A branch of the program, with the way taken.
    Branch(SiteId, u32),
    /// A number had to be known: an address, a length, an operand of float arithmetic.
    Enumerated,
    /// A number was fixed and the others are not visited; the claim is void.
    Pinned,
    /// A load through a computed address stays inside its object.
    InBounds,
    /// Two streams of hashed bytes are equal, or not.
    HashedAlike,
    /// One of the ways was taken that meet again, or none of them.
    Joined,
}

/// A condition that held in this run and need not hold in another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub holds: Term,
    pub reason: Reason,
}

/// The bounds of a single run.
#[derive(Clone, Debug)]
pub struct Bounds {
    pub steps: u64,
    pub depth: usize,
    pub memory_bytes: u64,
    /// Less than a thread has, whose frames hold more than what the program put there.
    pub stack_bytes: u64,
    pub decisions: usize,
    /// How often one branch may be decided by the input on one path: bounds loops.
    pub unrollings: u32,
    /// Whether ways that meet again soon are one path.
    pub merging: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            steps: 20_000_000,
            depth: 1_000,
            memory_bytes: 64 << 20,
            stack_bytes: 1 << 20,
            decisions: 20_000,
            unrollings: 2_000,
            merging: true,
        }
    }
}

/// What one run showed.
#[derive(Debug)]
pub struct Run {
    pub end: End,
    pub decisions: Vec<Decision>,
    /// Every way out of a branch that was taken, whether the input decided it or not.
    pub covered: BTreeSet<(SiteId, u32)>,
    /// Ways out of branches that some inputs of this path take and others do not, each with
    /// its condition.
    pub joined: BTreeMap<(SiteId, u32), Term>,
    pub steps: u64,
    /// What the outcome rests on beside the code, with the first place that made use of it.
    pub assumptions: BTreeMap<Assumption, Place>,
    /// What makes a claim about all paths untrue.
    pub voids: BTreeSet<String>,
    /// The scalars the entry returned.
    pub returned: Vec<Value>,
    /// Whether the run left the script it was to follow.
    pub diverged: bool,
    /// Whether a hash or an address decided something: then the input alone does not lead to
    /// this end.
    pub guessed: bool,
    /// The hashes of the elements of tables whose order could be seen, by the order in which
    /// they were asked for.
    pub ordered: BTreeSet<usize>,
    /// Statics of the program that were read as they were found, and those written.
    pub statics: Statics,
}

/// What survives from run to run: the program, the terms, what was learnt of functions.
pub struct Interpreter {
    pub program: Program,
    pub pool: Pool,
    image: Image,
    roles: Vec<Option<Role>>,
    /// Conditions made by turning an enumeration, with the term that was enumerated.
    misses: FastMap<(Term, Term), ()>,
    /// Where the ways out of branches meet.
    regions: region::Regions,
}

/// Where the entry gets its input: a pointer to bytes and their number.
pub struct RunRequest<'a> {
    pub entry: FunctionId,
    pub input: &'a [u8],
    /// The decisions the run is to begin with.
    pub script: &'a [Term],
    pub bounds: &'a Bounds,
    /// A function that is given the arguments of a panic and says whether its text is the
    /// expected one.
    pub text_check: Option<FunctionId>,
    /// Whether the bytes are symbolic. A concrete run measures the bare interpreter.
    pub symbolic: bool,
    pub layout: Layout,
    /// Whether it matters what happens after a panic that nothing catches: a destructor may
    /// panic again, exit or loop. It does not where every panic is a failure.
    pub unwind: bool,
    /// Hashes, by the order in which they are asked for, as the elements of a table are to
    /// lie; the others lie behind them.
    pub hash_order: &'a [usize],
}

impl Interpreter {
    pub fn new(program: Program) -> Interpreter {
        Interpreter {
            program,
            pool: Pool::new(),
            image: Image::default(),
            roles: vec![],
            misses: FastMap::default(),
            regions: region::Regions::default(),
        }
    }

    /// Starts with no terms, keeping what was lowered of the program.
    pub fn forget_terms(&mut self) {
        self.pool = Pool::new();
        self.misses.clear();
    }

    /// Runs the entry once.
    pub fn run(&mut self, request: &RunRequest<'_>) -> Run {
        let mut machine = Machine::new(self, request);
        let end = match machine.start(request) {
            Ok(()) => machine.execute().unwrap_or_else(|end| end),
            Err(end) => end,
        };
        machine.finish(end)
    }
}

/// What happens when a frame returns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum OnReturn {
    Continue,
    /// The run ends as a panic; the returned bit says whether the text matched.
    PanicText,
}

struct Frame {
    function: Rc<Function>,
    pc: usize,
    base: usize,
    dst: u32,
    stack_mark: u32,
    on_return: OnReturn,
}

/// One run in progress.
struct Machine<'e> {
    interpreter: &'e mut Interpreter,
    bounds: Bounds,
    script: Vec<Term>,
    text_check: Option<FunctionId>,
    memory: Memory,
    frames: Vec<Frame>,
    slots: Vec<Value>,
    moves: Vec<Value>,
    steps: u64,
    decisions: Vec<Decision>,
    known: FastMap<Term, ()>,
    /// The greatest values that the path admits, of terms that were compared with one.
    highest: FastMap<Term, u128>,
    unrolled: FastMap<SiteId, u32>,
    covered: FastMap<(SiteId, u32), ()>,
    /// A branch whose ways are tried, and what came of others.
    merging: Option<Box<merge::Merging>>,
    /// Ways out of joined branches, with their conditions, and whether this input takes them.
    joined: BTreeMap<(SiteId, u32), (Term, bool)>,
    /// How often in a row the ways of a branch were not joined.
    unjoined: FastMap<(usize, usize), u32>,
    assumptions: BTreeMap<Assumption, Place>,
    voids: BTreeSet<String>,
    returned: Vec<Value>,
    streams: hashing::Streams,
    clock: u64,
    errno: Option<u64>,
    /// Frames from this depth on run without terms: what they compute is decided already.
    blind_above: Option<usize>,
    unwinding: unwind::Unwinding,
    hidden: hidden::HiddenVariables,
    /// A table is gone through by its own code.
    zone: Option<tables::Zone>,
    orders: tables::Orders,
    guessed: bool,
    /// See [`RunRequest::hash_order`].
    hash_order: Vec<usize>,
    diverged: bool,
}

impl<'e> Machine<'e> {
    fn new(interpreter: &'e mut Interpreter, request: &RunRequest<'_>) -> Machine<'e> {
        let memory = Memory::new(
            interpreter.program.global_count(),
            (request.bounds.memory_bytes, request.bounds.stack_bytes),
            request.layout,
        );
        Machine {
            interpreter,
            bounds: request.bounds.clone(),
            script: request.script.to_vec(),
            text_check: request.text_check,
            memory,
            frames: vec![],
            slots: vec![],
            moves: vec![],
            steps: 0,
            decisions: vec![],
            known: FastMap::default(),
            highest: FastMap::default(),
            unrolled: FastMap::default(),
            covered: FastMap::default(),
            merging: None,
            joined: BTreeMap::new(),
            unjoined: FastMap::default(),
            assumptions: BTreeMap::new(),
            voids: BTreeSet::new(),
            returned: vec![],
            streams: hashing::Streams::default(),
            clock: 0,
            errno: None,
            blind_above: None,
            unwinding: unwind::Unwinding::new(request.unwind),
            hidden: hidden::HiddenVariables::new(request.input.len(), request.symbolic),
            zone: None,
            orders: tables::Orders::default(),
            guessed: false,
            hash_order: request.hash_order.to_vec(),
            diverged: false,
        }
    }

    /// Puts the input into memory and calls the entry with its address and length.
    fn start(&mut self, request: &RunRequest<'_>) -> Result<(), End> {
        let address = self.memory.allocate(request.input.len() as u64, 16)?;
        for (index, byte) in request.input.iter().enumerate() {
            let term = request.symbolic.then(|| self.interpreter.pool.variable(8, index as u32));
            let value = Value { bits: u128::from(*byte), term };
            self.store(address + index as u64, 1, value)?;
        }
        let args =
            [Value::concrete(u128::from(address)), Value::concrete(request.input.len() as u128)];
        self.enter(request.entry, &args, 0, OnReturn::Continue)
    }

    fn finish(mut self, end: End) -> Run {
        if self.decisions.len() < self.script.len() {
            self.diverged = true;
        }
        let mut covered: BTreeSet<(SiteId, u32)> = self.covered.into_keys().collect();
        self.joined.retain(|side, _| !covered.contains(side));
        covered.extend(self.joined.iter().filter(|(_, (_, taken))| *taken).map(|(side, _)| *side));
        Run {
            end,
            decisions: self.decisions,
            covered,
            joined: self
                .joined
                .into_iter()
                .map(|(side, (condition, _))| (side, condition))
                .collect(),
            steps: self.steps,
            assumptions: self.assumptions,
            voids: self.voids,
            returned: self.returned,
            diverged: self.diverged,
            guessed: self.guessed,
            ordered: self.orders.seen,
            statics: self.memory.statics(&self.interpreter.program),
        }
    }

    /// Notes that a condition held, unless that is known or certain.
    fn decide(&mut self, condition: Term, held: bool, reason: Reason) -> Result<(), End> {
        if self.interpreter.pool.constant(condition).is_some() || self.settled(condition) {
            return Ok(());
        }
        let holds = if held { condition } else { self.interpreter.pool.not(condition) };
        if self.known.contains_key(&holds) {
            return Ok(());
        }
        self.push(Decision { holds, reason })
    }

    fn push(&mut self, decision: Decision) -> Result<(), End> {
        self.for_good()?;
        let at = self.decisions.len();
        if self.script.get(at).is_some_and(|expected| *expected != decision.holds) {
            self.diverged = true;
        }
        if at >= self.bounds.decisions {
            return Err(End::Limit(format!("{} decisions on one path", self.bounds.decisions)));
        }
        self.known.insert(decision.holds, ());
        self.note_highest(decision.holds);
        self.decisions.push(decision);
        Ok(())
    }

    /// Keeps what a condition says about the greatest value of a term.
    fn note_highest(&mut self, holds: Term) {
        let pool = &self.interpreter.pool;
        let node = pool.node(holds);
        if node.op == Op::Ult
            && let Some(bound) = pool.constant(node.second())
        {
            let highest = self.highest.entry(node.first()).or_insert(u128::MAX);
            *highest = (*highest).min(bound.saturating_sub(1));
        }
    }

    /// A branch of the program: which way, and what it means for the input.
    fn branch(&mut self, value: Value, site: SiteId) -> Result<bool, End> {
        let taken = value.bits == 1;
        let way = u32::from(!taken);
        self.cover(site, way);
        if let Some(condition) = value.term {
            let before = self.decisions.len();
            self.decide(condition, taken, Reason::Branch(site, way))?;
            if self.decisions.len() > before {
                self.count_unrolling(site)?;
            }
        }
        Ok(taken)
    }

    fn count_unrolling(&mut self, site: SiteId) -> Result<(), End> {
        let count = self.unrolled.entry(site).or_default();
        *count += 1;
        if *count > self.bounds.unrollings {
            let limit = self.bounds.unrollings;
            return Err(End::Limit(format!("{limit} decisions at one branch of one path")));
        }
        Ok(())
    }

    /// Fixes a number that has to be known, such that turning the decision gives the
    /// next possible value: all of them are visited, one path each.
    fn enumerate(&mut self, value: Value, width: u32) -> Result<u128, End> {
        let Some(term) = value.term else { return Ok(value.bits) };
        if self.settled_pointer(term)? {
            return Ok(value.bits);
        }
        let number = self.interpreter.pool.number(width, value.bits);
        let hit = self.interpreter.pool.equal(term, number);
        self.one_of(term, hit, Reason::Enumerated)?;
        Ok(value.bits)
    }

    /// One of several exclusive alternatives held: first the ones tried before, which
    /// the script lists as misses, then this one.
    fn one_of(&mut self, subject: Term, hit: Term, reason: Reason) -> Result<(), End> {
        let certain =
            self.interpreter.pool.constant(hit).is_some() || self.known.contains_key(&hit);
        if certain || self.settled(hit) {
            return Ok(());
        }
        while let Some(&next) = self.script.get(self.decisions.len()) {
            if !self.interpreter.misses.contains_key(&(next, subject)) {
                break;
            }
            self.push(Decision { holds: next, reason })?;
        }
        let miss = self.interpreter.pool.not(hit);
        self.interpreter.misses.insert((miss, subject), ());
        self.decide(hit, true, reason)
    }

    /// What depends on one byte of the input has no more values than that.
    fn depends_on_one_byte(&self, term: Term) -> bool {
        let pool = &self.interpreter.pool;
        let mut variables = pool.support(term).iter();
        let (first, second) = (variables.next(), variables.next());
        let variable = first.and_then(|index| pool.variable_of(index));
        second.is_none() && variable.is_some_and(|variable| pool.width(variable) <= 8)
    }

    /// Fixes a number without visiting the others, which voids every claim.
    fn pin(&mut self, value: Value, width: u32, why: &str) -> Result<u128, End> {
        let Some(term) = value.term else { return Ok(value.bits) };
        if self.settled(term) {
            return Ok(value.bits);
        }
        // Few possible values: visit them all, and the claim stands.
        const WORTH_VISITING: u128 = 256;
        let pool = &self.interpreter.pool;
        let few = pool.range(term).count().is_some_and(|count| count <= WORTH_VISITING);
        if few || self.depends_on_one_byte(term) {
            return self.enumerate(value, width);
        }
        self.voids.insert(why.to_owned());
        let number = self.interpreter.pool.number(width, value.bits);
        let hit = self.interpreter.pool.equal(term, number);
        self.decide(hit, true, Reason::Pinned)?;
        Ok(value.bits)
    }

    fn address(&mut self, value: Value) -> Result<u64, End> {
        Ok(self.enumerate(value, 64)? as u64)
    }

    fn term(&mut self, value: Value, width: u32) -> Term {
        match value.term {
            Some(term) => term,
            None => self.interpreter.pool.number(width, value.bits),
        }
    }

    /// A value with its term, dropping terms that turned out constant.
    fn value(&self, bits: u128, term: Term) -> Value {
        let term = self.interpreter.pool.constant(term).is_none().then_some(term);
        Value { bits, term }
    }

    fn store(&mut self, address: u64, len: u64, value: Value) -> Result<(), End> {
        if self.zone.is_some() {
            self.written_in_zone(address);
        }
        let Interpreter { program, image, .. } = &mut *self.interpreter;
        self.memory.write((program, image), address, len, value)
    }

    fn fetch(&mut self, address: u64, len: u64) -> Result<Value, End> {
        let Interpreter { program, image, pool, .. } = &mut *self.interpreter;
        self.memory.read((program, image, pool), address, len)
    }

    fn copy(&mut self, to: u64, from: u64, len: u64) -> Result<(), End> {
        if self.zone.is_some() && len > 0 {
            self.written_in_zone(to);
        }
        let Interpreter { program, image, .. } = &mut *self.interpreter;
        self.memory.copy((program, image), to, from, len)
    }

    fn load_scalar(&mut self, pointer: Value, offset: u32, width: u8) -> Result<Value, End> {
        let len = u64::from(width.div_ceil(8));
        let value = match pointer.term {
            None => self.fetch((pointer.bits as u64).wrapping_add(u64::from(offset)), len)?,
            Some(_) => self.load_anywhere(pointer, offset, len)?,
        };
        if self.blind_above.is_some() {
            return Ok(Value::concrete(value.bits & mask(u32::from(width))));
        }
        if width.is_multiple_of(8) {
            return Ok(value);
        }
        let bits = value.bits & mask(u32::from(width));
        match value.term {
            None => Ok(Value::concrete(bits)),
            Some(term) => {
                let term = self.interpreter.pool.extract(term, 0, u32::from(width));
                Ok(self.value(bits, term))
            }
        }
    }

    fn store_scalar(
        &mut self,
        pointer: Value,
        offset: u32,
        width: u8,
        value: Value,
    ) -> Result<(), End> {
        let len = u64::from(width.div_ceil(8));
        let address = self.address(pointer)?.wrapping_add(u64::from(offset));
        let term = value.term.map(|term| self.interpreter.pool.zero_extend(term, 8 * len as u32));
        self.store(address, len, Value { bits: value.bits, term })
    }
}
