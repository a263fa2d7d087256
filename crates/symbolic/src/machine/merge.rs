//! Both ways of a branch as one path, where they meet again soon.
//!
//! Each way is run up to the place where they meet, with everything it writes
//! taken back, and what differs becomes a choice between the two: `c` upper or
//! lower case is then one path and not two. A way that panics, leaves, or does
//! what cannot be taken back (allocating, hashing, a decision of another kind)
//! keeps its own path: that none of them is taken is the one decision made.
//!
//! Whether ways are joined depends on the path and never on the input, so runs
//! that share a path join the same branches. The input decides only which of
//! the joined ways counts as taken.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::choice::{Arrived, Joined, phis};
use super::region::{self, Region};
use super::{Assumption, End, Interpreter, Machine, Place, Reason, Value};
use crate::ir::{Function, SiteId, SwitchTable};
use testsmith_solver::term::{Op, Term};

/// What is done to join the ways of one branch, branches inside included.
const MOST_STEPS: u64 = 4_000;
/// Branches inside branches.
const MOST_NESTED: usize = 12;
/// Ways out of one branch.
const MOST_WAYS: usize = 16;
/// Ways that are not joined, of all branches inside.
const MOST_EXITS: usize = 8;
/// A branch whose ways were not joined so often on a path is not tried there again.
const MOST_FAILURES: u32 = 3;

/// A way out of a branch.
pub(super) struct Way {
    condition: Value,
    edge: u32,
    /// Its numbers at the site, each with its own condition.
    numbers: Vec<(u32, Value)>,
}

/// A branch whose ways are tried now.
pub(super) struct Merging {
    goal: Goal,
    /// What holds where the machine is, beside the path.
    guard: Value,
    assumed: Vec<Term>,
    /// When a way is taken that is not joined.
    exits: Vec<Value>,
    /// Whether some way was given up that might go on.
    gave_up: bool,
    /// The sides of branches that were run, each with what has to hold for it.
    sides: Vec<(SiteId, u32, Value)>,
    nested: usize,
    last_step: u64,
    arrived: bool,
}

/// Where a way is to arrive: in the frame at this depth.
#[derive(Clone)]
struct Goal {
    depth: usize,
    region: Rc<Region>,
}

/// What a way may leave behind beside memory and slots; one that does is not joined.
struct Traces {
    voids: BTreeSet<String>,
    assumptions: Vec<Assumption>,
    guessed: bool,
}

pub(super) fn given_up() -> End {
    End::Unsupported("a way that cannot be joined".to_owned())
}

impl Machine<'_> {
    pub(super) fn is_merging(&self) -> bool {
        self.merging.is_some()
    }

    /// What cannot be taken back ends the way on which it is tried.
    pub(super) fn for_good(&self) -> Result<(), End> {
        if self.is_merging() { Err(given_up()) } else { Ok(()) }
    }

    /// A panic on a way that is tried.
    pub(super) fn panics_for_good(&self) -> Result<(), End> {
        match self.is_merging() {
            true => Err(End::Panicked { place: Place::default(), text_matches: None }),
            false => Ok(()),
        }
    }

    /// The way out of a branch was taken.
    pub(super) fn cover(&mut self, site: SiteId, way: u32) {
        match &mut self.merging {
            Some(merging) => merging.sides.push((site, way, merging.guard)),
            None => {
                self.covered.insert((site, way), ());
            }
        }
    }

    /// Whether a way that is tried has come to where it is to arrive.
    pub(super) fn arrives(&mut self, pc: usize) -> Result<bool, End> {
        let depth = self.frames.len();
        let Some(merging) = &mut self.merging else { return Ok(false) };
        if self.steps > merging.last_step {
            return Err(given_up());
        }
        if merging.goal.depth != depth {
            return Ok(false);
        }
        if !merging.goal.region.leads_to_join(pc as u32) {
            return Err(given_up());
        }
        merging.arrived = pc as u32 == merging.goal.region.join;
        Ok(merging.arrived)
    }

    /// A frame is left: not the one in which a way is to arrive.
    pub(super) fn may_leave(&self) -> Result<(), End> {
        match &self.merging {
            Some(merging) if merging.goal.depth >= self.frames.len() => Err(given_up()),
            _ => Ok(()),
        }
    }

    /// The two ways of a branch, joined if that can be: then where they meet.
    pub(super) fn join_branch(
        &mut self,
        at: (&Rc<Function>, usize, usize),
        condition: Value,
        edges: [u32; 2],
        site: SiteId,
    ) -> Result<Option<usize>, End> {
        if !self.bounds.merging || condition.term.is_none() {
            return Ok(None);
        }
        let other = self.not(1, condition);
        let ways = [(condition, edges[0], 0), (other, edges[1], 1)];
        let ways = ways.map(|(condition, edge, way)| {
            let numbers = vec![(way, condition)];
            Way { condition, edge, numbers }
        });
        self.join(at, ways.into(), site)
    }

    /// The ways of a switch; numbers that lead the same way are one.
    pub(super) fn join_switch(
        &mut self,
        at: (&Rc<Function>, usize, usize),
        (width, value): (u32, Value),
        table: &SwitchTable,
    ) -> Result<Option<usize>, End> {
        if !self.bounds.merging || value.term.is_none() {
            return Ok(None);
        }
        let mut ways: Vec<Way> = vec![];
        let mut none = Value::concrete(1);
        for (index, (number, edge)) in table.arms.iter().enumerate() {
            let equal = self.binary(Op::Eq, width, value, Value::concrete(*number));
            let differs = self.not(1, equal);
            none = self.binary(Op::And, 1, none, differs);
            self.add_way(&mut ways, equal, *edge, index as u32 + 1);
        }
        self.add_way(&mut ways, none, table.default, 0);
        if ways.len() > MOST_WAYS {
            return self.for_good().map(|()| None);
        }
        self.join(at, ways, table.site)
    }

    fn add_way(&mut self, ways: &mut Vec<Way>, condition: Value, edge: u32, number: u32) {
        match ways.iter_mut().find(|way| way.edge == edge) {
            Some(way) => {
                way.condition = self.binary(Op::Or, 1, way.condition, condition);
                way.numbers.push((number, condition));
            }
            None => ways.push(Way { condition, edge, numbers: vec![(number, condition)] }),
        }
    }

    fn join(
        &mut self,
        at: (&Rc<Function>, usize, usize),
        ways: Vec<Way>,
        site: SiteId,
    ) -> Result<Option<usize>, End> {
        let mut open = vec![];
        for way in ways {
            match self.certainty(way.condition) {
                Some(true) => {
                    open = vec![way];
                    break;
                }
                Some(false) => {}
                None => open.push(way),
            }
        }
        let hidden = |way: &Way| way.condition.term.is_some_and(|term| self.is_hidden(term));
        if open.iter().any(hidden) {
            return self.for_good().map(|()| None);
        }
        match self.is_merging() {
            true => self.join_inside(at, &open, site).map(Some),
            false if open.len() < 2 || self.zone.is_some() || self.blind_above.is_some() => {
                Ok(None)
            }
            false => self.join_first(at, &open, site),
        }
    }

    /// What is known of a condition without a solver.
    fn certainty(&mut self, condition: Value) -> Option<bool> {
        let Some(term) = condition.term else { return Some(condition.bits == 1) };
        let not = self.interpreter.pool.not(term);
        let assumed = |term: &Term| {
            self.known.contains_key(term)
                || self.merging.as_ref().is_some_and(|merging| merging.assumed.contains(term))
        };
        if assumed(&term) {
            Some(true)
        } else if assumed(&not) {
            Some(false)
        } else {
            None
        }
    }

    /// A branch of the path itself.
    fn join_first(
        &mut self,
        at: (&Rc<Function>, usize, usize),
        ways: &[Way],
        site: SiteId,
    ) -> Result<Option<usize>, End> {
        let (function, base, pc) = at;
        let place = (Rc::as_ptr(function) as usize, pc);
        if self.unjoined.get(&place).is_some_and(|failures| *failures >= MOST_FAILURES) {
            return Ok(None);
        }
        let regions = self.regions(function, pc, ways, None);
        let several = regions.len() > 1;
        for (index, region) in regions.into_iter().enumerate() {
            let join = region.join;
            let merging = Merging {
                goal: Goal { depth: self.frames.len(), region },
                guard: Value::concrete(1),
                assumed: vec![],
                exits: vec![],
                gave_up: false,
                sides: vec![],
                nested: 0,
                last_step: self.steps + MOST_STEPS,
                arrived: false,
            };
            self.merging = Some(Box::new(merging));
            self.memory.begin_journal();
            let joined = self.try_ways(at, ways, site);
            self.memory.end_journal();
            let merging = self.merging.take().expect("the ways were tried");
            let Ok(joined) = joined else { continue };
            // Where the ways may meet earlier, what meets late is joined as a whole or not.
            let many = merging.exits.len() > MOST_EXITS;
            if joined.ways < 2 || many || several && index == 0 && merging.gave_up {
                continue;
            }
            self.unjoined.remove(&place);
            if self.leaves(&merging.exits, site)? {
                return Ok(None);
            }
            self.apply(base, joined)?;
            self.count_sides(merging.sides);
            return Ok(Some(join as usize));
        }
        *self.unjoined.entry(place).or_default() += 1;
        Ok(None)
    }

    /// Decides whether one of the ways is taken that are not joined: one by one, because
    /// a solver is quicker with each than with all.
    fn leaves(&mut self, exits: &[Value], site: SiteId) -> Result<bool, End> {
        for exit in exits {
            if let Some(condition) = exit.term {
                let before = self.decisions.len();
                self.decide(condition, exit.bits == 1, Reason::Joined)?;
                if self.decisions.len() > before {
                    self.count_unrolling(site)?;
                }
            }
            if exit.bits == 1 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn count_sides(&mut self, sides: Vec<(SiteId, u32, Value)>) {
        for (site, way, guard) in sides {
            let Some(condition) = guard.term else {
                self.covered.insert((site, way), ());
                continue;
            };
            let (of_all, taken) = self.joined.entry((site, way)).or_insert((condition, false));
            *of_all = self.interpreter.pool.binary(Op::Or, *of_all, condition);
            *taken |= guard.bits == 1;
        }
    }

    /// A branch on a way that is tried.
    fn join_inside(
        &mut self,
        at: (&Rc<Function>, usize, usize),
        ways: &[Way],
        site: SiteId,
    ) -> Result<usize, End> {
        let (function, base, pc) = at;
        let depth = self.frames.len();
        let merging = self.merging.as_mut().expect("ways are tried");
        if let [way] = ways {
            self.take_sides(way, site);
            return Ok(self.follow(function, base, way.edge));
        }
        merging.nested += 1;
        if merging.nested > MOST_NESTED {
            merging.nested -= 1;
            return Err(given_up());
        }
        let outer = merging.goal.clone();
        let around = (outer.depth == depth).then_some(&outer.region);
        let region = self.regions(function, pc, ways, around).into_iter().next();
        // One way that stays inside needs no place to meet another.
        let region = match (region, around) {
            (Some(region), _) => Some(region),
            (None, Some(_)) => Some(Rc::clone(&outer.region)),
            (None, None) => None,
        };
        let outcome = region.ok_or_else(given_up).and_then(|region| {
            let join = region.join;
            let goal = Goal { depth, region };
            self.merging.as_mut().expect("ways are tried").goal = goal;
            let joined = self.try_ways(at, ways, site)?;
            self.apply(base, joined)?;
            Ok(join as usize)
        });
        let merging = self.merging.as_mut().expect("ways are tried");
        merging.goal = outer;
        merging.nested -= 1;
        outcome
    }

    /// Notes the sides of a way that is about to be run, under the guard it is run under.
    fn take_sides(&mut self, way: &Way, site: SiteId) {
        let guard = self.merging.as_ref().expect("ways are tried").guard;
        for (number, condition) in &way.numbers {
            let guard = self.binary(Op::And, 1, guard, *condition);
            self.merging.as_mut().expect("ways are tried").sides.push((site, *number, guard));
        }
    }

    fn regions(
        &mut self,
        function: &Rc<Function>,
        pc: usize,
        ways: &[Way],
        outer: Option<&Rc<Region>>,
    ) -> Vec<Rc<Region>> {
        let mut targets: Vec<u32> =
            ways.iter().map(|way| function.edges[way.edge as usize].target).collect();
        targets.sort_unstable();
        targets.dedup();
        let around = outer.map_or(0, |outer| Rc::as_ptr(outer) as usize);
        let key = (Rc::as_ptr(function) as usize, pc as u32, around, targets);
        if let Some(regions) = self.interpreter.regions.get(&key) {
            return regions.clone();
        }
        let regions = region::of(function, pc as u32, &key.3, outer.map(Rc::as_ref));
        self.interpreter.regions.insert(key, regions.clone());
        regions
    }

    /// Runs every way to the goal and takes it back.
    fn try_ways(
        &mut self,
        at: (&Rc<Function>, usize, usize),
        ways: &[Way],
        site: SiteId,
    ) -> Result<Joined, End> {
        let (function, base, pc) = at;
        let merging = self.merging.as_ref().expect("ways are tried");
        let (goal, guard) = (merging.goal.clone(), merging.guard);
        let phis = phis(function, goal.region.join);
        let slots = self.slots[base..].to_vec();
        let stack = self.memory.stack_mark();
        let mut arrived = vec![];
        let mut last = given_up();
        for way in ways {
            let mark = self.memory.journal_mark();
            let traces = self.traces();
            let condition = self.binary(Op::And, 1, guard, way.condition);
            let merging = self.merging.as_mut().expect("ways are tried");
            let (exits, sides) = (merging.exits.len(), merging.sides.len());
            let assumed = merging.assumed.len();
            merging.guard = condition;
            merging.assumed.extend(way.condition.term);
            self.take_sides(way, site);
            let outcome = self.run_way(function, base, way.edge, &goal);
            let outcome = outcome.and_then(|()| self.arrived_way(way, base, &phis, mark, stack));
            let outcome = outcome.and_then(|way| self.without_traces(&traces).map(|()| way));
            self.clear_traces(traces);
            self.frames.truncate(goal.depth);
            self.slots.truncate(base);
            self.slots.extend_from_slice(&slots);
            let Interpreter { program, image, .. } = &mut *self.interpreter;
            self.memory.take_back((program, image), mark, stack)?;
            let merging = self.merging.as_mut().expect("ways are tried");
            (merging.guard, merging.arrived) = (guard, false);
            merging.assumed.truncate(assumed);
            merging.goal = goal.clone();
            match outcome {
                Ok(way) => arrived.push(way),
                Err(end) => {
                    merging.gave_up |= matches!(end, End::Unsupported(_) | End::Limit(_));
                    merging.sides.truncate(sides);
                    merging.exits.truncate(exits);
                    merging.exits.push(condition);
                    last = end;
                }
            }
        }
        self.frames.last_mut().expect("a frame is running").pc = pc;
        match arrived.is_empty() {
            true => Err(last),
            false => self.joined(function, &phis, &arrived, stack),
        }
    }

    fn run_way(
        &mut self,
        function: &Rc<Function>,
        base: usize,
        edge: u32,
        goal: &Goal,
    ) -> Result<(), End> {
        let target = function.edges[edge as usize].target;
        if !goal.region.leads_to_join(target) {
            // Out of a whole region lead only panics.
            return match goal.region.whole {
                true => self.panics_for_good(),
                false => self.for_good(),
            };
        }
        let pc = self.follow(function, base, edge);
        self.frames.last_mut().expect("a frame is running").pc = pc;
        if pc as u32 == goal.region.join {
            return Ok(());
        }
        loop {
            let frame = self.frames.last().expect("a frame is running");
            let (function, base, pc) = (frame.function.clone(), frame.base, frame.pc);
            if self.run_frame(&function, base, pc)?.is_some() {
                return Err(given_up());
            }
            let merging = self.merging.as_mut().expect("ways are tried");
            if std::mem::take(&mut merging.arrived) {
                return Ok(());
            }
        }
    }

    fn arrived_way(
        &mut self,
        way: &Way,
        base: usize,
        phis: &[u32],
        mark: usize,
        stack: u32,
    ) -> Result<Arrived, End> {
        if self.memory.stack_mark() != stack {
            return Err(given_up());
        }
        let slots = phis.iter().map(|slot| self.slots[base + *slot as usize]).collect();
        let mut spans = self.memory.written_since(mark, stack);
        spans.sort_unstable();
        spans.dedup();
        let Interpreter { program, image, .. } = &mut *self.interpreter;
        let stretch = |(address, len)| self.memory.stretch((program, image), address, len);
        let written = spans.into_iter().map(stretch).collect::<Result<Vec<_>, End>>()?;
        Ok(Arrived { condition: way.condition, slots, written })
    }

    fn traces(&self) -> Traces {
        let assumptions = self.assumptions.keys().copied().collect();
        Traces { voids: self.voids.clone(), assumptions, guessed: self.guessed }
    }

    fn without_traces(&self, before: &Traces) -> Result<(), End> {
        let same = self.voids == before.voids
            && self.assumptions.len() == before.assumptions.len()
            && self.guessed == before.guessed;
        if same { Ok(()) } else { Err(given_up()) }
    }

    fn clear_traces(&mut self, before: Traces) {
        self.assumptions.retain(|assumption, _| before.assumptions.contains(assumption));
        self.voids = before.voids;
        self.guessed = before.guessed;
    }
}
