//! Where an argument comes from: a value already in the sequence, a component,
//! a literal or a text, or a value made for the purpose.

use super::Engine;
use crate::random::sizes::{GREATEST, SIZES};
use crate::random::sources::numbered_size;
use crate::random::steps::{Made, Recipe};
use crate::random::trace::Args;
use crate::stage::{Halt, Stage};
use std::rc::Rc;
use std::sync::Arc;
use testsmith_model::operation::{Access, OperationKind};
use testsmith_model::{Heuristic, Mode, OpId, TypeId};

/// How deep arguments are made from arguments before the cheapest way is taken.
const MAX_DEPTH: usize = 3;
/// Draws of a literal or a component that suits an operation.
const MAX_DRAWS: usize = 3;
/// A recipe up to this long is now and then run instead of cloned: all of its
/// values are there then, and what a clone leaves out.
const MAX_REPLAYED: usize = 16;
const REPLAYED_ONCE_IN: usize = 8;
/// An operation on two values of a type that has twins gets some once in so many times.
const TWINS_ONCE_IN: usize = 4;
/// One text in so many is put together from others, for operations that are
/// likely to look into it; and for all others, which are better off with few.
const COMPOSED_ONCE_IN: (usize, usize) = (2, 8);

/// One text in so many is made of one that the same call is given.
const KIN_ONCE_IN: usize = 2;
/// One number or letter in so many is none of the pool.
const VARIED_ONCE_IN: usize = 4;

/// An argument that is looked for.
pub(super) struct Need<'n> {
    pub(super) op: OpId,
    /// Which of its arguments it is.
    pub(super) n: usize,
    pub(super) access: Access,
    /// The arguments before it.
    pub(super) earlier: &'n [u32],
    pub(super) depth: usize,
}

/// What a value is known by as an argument: the literal, the component, or the
/// operation that made it.
fn literal_origin(n: usize) -> u32 {
    n as u32
}

fn component_origin(id: u32) -> u32 {
    id | 1 << 30
}

/// The component that an origin stands for.
fn component_of(origin: u32) -> Option<u32> {
    (origin >> 30 == 1).then_some(origin & !(1 << 30))
}

pub(super) fn maker_origin(op: OpId) -> u32 {
    op.0 | 1 << 31
}

impl Engine {
    /// A slot already there, a component, a literal, or a value made for the
    /// purpose.
    pub(super) fn argument(
        &mut self,
        stage: &mut impl Stage,
        need: Need<'_>,
    ) -> Result<Option<u32>, Halt> {
        let ty = need.access.ty;
        if self.sizes.is_size(need.op, need.n) {
            return self.size(stage, &need);
        }
        if let Some(at) = self.sizes.drawn()
            && let Some(slot) = self.large(stage, &need, at)?
        {
            return Ok(Some(slot));
        }
        let literals = self.sources[ty.index()].literals;
        if let Some((number, _)) = self.counting
            && let n = literals + number
            && n < self.sources[ty.index()].magnitudes.len()
            && !self.exceeds(&need, ty, n)
        {
            return self.put(stage, ty, n).map(Some);
        }
        if self.components.has_twins(ty)
            && let Some(slot) = self.twin(stage, &need)?
        {
            return Ok(Some(slot));
        }
        let reuse = if literals > 0 { self.rng.chance(1, 3) } else { !self.rng.chance(1, 6) };
        if reuse
            && let Some(slot) = self.live(stage, need.access)
            // A value and itself are a pair worth trying, but not most of the time; what
            // things are put together from is as often the same.
            && (!need.earlier.contains(&slot) || self.builds(need.op) || self.rng.chance(1, 3))
            && self.suits(&need, self.origins[slot as usize])
            && !self.is_beyond(&need, slot)
        {
            return Ok(Some(slot));
        }
        if self.components.count(ty) > 0
            && self.rng.chance(if literals > 0 { 1 } else { 6 }, 12)
            && let Some(slot) = self.component(stage, &need)?
        {
            return Ok(Some(slot));
        }
        if literals > 0 && self.composes(&need) {
            let kin = self.kin(&need);
            let text = self.texts.compose(need.op, kin, &mut self.rng);
            return self.put_text(stage, ty, &text).map(Some);
        }
        if literals > 0 {
            return self.literal(stage, &need);
        }
        if let Some(maker) = self.maker(ty, need.depth) {
            let made = self.attempt(stage, maker, None, need.depth + 1)?;
            if made.is_some() {
                return Ok(made);
            }
        }
        Ok(self.live(stage, need.access))
    }

    /// How large a thing is that is made of a given size.
    fn size(&mut self, stage: &mut impl Stage, need: &Need<'_>) -> Result<Option<u32>, Halt> {
        let ty = need.access.ty;
        let at = self.sizes.drawn().unwrap_or_default();
        match numbered_size(&self.sources[ty.index()], at) {
            Some(n) if !self.exceeds(need, ty, n) => self.put(stage, ty, n).map(Some),
            _ => Ok(None),
        }
    }

    /// A text or a list of the size of this sequence, every other time.
    fn large(
        &mut self,
        stage: &mut impl Stage,
        need: &Need<'_>,
        at: usize,
    ) -> Result<Option<u32>, Halt> {
        let ty = need.access.ty;
        // Many of what is large would be too large.
        if self.sizes.is_sized(need.op) {
            return Ok(None);
        }
        // What is seldom made at all is made for the first call.
        let always = SIZES[at] == GREATEST && self.extended == 0;
        if self.texts.takes(ty) {
            if need.depth > MAX_DEPTH || (!always && self.rng.chance(1, 2)) {
                return Ok(None);
            }
            let text = self.texts.stretch(need.op, SIZES[at], &mut self.rng);
            return self.put_text(stage, ty, &text).map(Some);
        }
        let makers = self.sources[ty.index()].sized.len();
        if makers == 0 || (!always && self.rng.chance(1, 2)) {
            return Ok(None);
        }
        let maker = self.sources[ty.index()].sized[self.rng.below(makers)];
        self.attempt(stage, maker, None, need.depth + 1)
    }

    /// Whether an operation only puts values together.
    #[cold]
    fn builds(&self, op: OpId) -> bool {
        self.plan.operation(op).kind == OperationKind::Builder
    }

    /// Now and then the text that the same call was given before: texts that are compared or
    /// searched for each other have most in common.
    fn kin(&mut self, need: &Need<'_>) -> Option<Arc<str>> {
        let text = |slot: &u32| match self.trace.literal_of(*slot) {
            Some((ty, n)) if self.texts.takes(ty) => self.texts.piece(n as usize),
            _ => self.trace.text_of(*slot).cloned(),
        };
        let kin = need.earlier.iter().rev().find_map(text)?;
        self.rng.chance(1, KIN_ONCE_IN).then_some(kin)
    }

    #[inline]
    fn suits(&mut self, need: &Need<'_>, origin: u32) -> bool {
        self.learned.suits(need.op, need.n, origin, &mut self.rng)
    }

    fn literal(&mut self, stage: &mut impl Stage, need: &Need<'_>) -> Result<Option<u32>, Halt> {
        let ty = need.access.ty;
        let source = &self.sources[ty.index()];
        let (literals, varied) = (source.literals, source.varied.clone());
        let varies = !varied.is_empty()
            && self.heuristics.has(Heuristic::Variety)
            && self.rng.chance(1, VARIED_ONCE_IN);
        let mut drawn = None;
        for _ in 0..MAX_DRAWS {
            let n = match varies {
                true => varied.start + self.rng.below(varied.len()),
                false => self.rng.below(literals),
            };
            if self.exceeds(need, ty, n) {
                continue;
            }
            drawn = Some(n);
            if self.suits(need, literal_origin(n)) {
                break;
            }
        }
        match drawn {
            Some(n) => self.put(stage, ty, n).map(Some),
            None => Ok(None),
        }
    }

    /// Puts a literal on the stage.
    fn put(&mut self, stage: &mut impl Stage, ty: TypeId, n: usize) -> Result<u32, Halt> {
        let slot = stage.literal(ty, n)?;
        self.trace.literal(ty, n as u32);
        self.origins.push(literal_origin(n));
        self.note(ty, slot);
        Ok(slot)
    }

    /// Puts a text on the stage that is not in the pool. What is learnt of such
    /// texts as arguments is learnt of all of them.
    fn put_text(
        &mut self,
        stage: &mut impl Stage,
        ty: TypeId,
        text: &Arc<str>,
    ) -> Result<u32, Halt> {
        let slot = stage.text(ty, text)?;
        self.trace.text(ty, text);
        self.origins.push(literal_origin(self.sources[ty.index()].literals));
        self.note(ty, slot);
        Ok(slot)
    }

    /// Whether a slot holds a number that this argument must not have.
    #[inline]
    fn is_beyond(&self, need: &Need<'_>, slot: u32) -> bool {
        self.trace.literal_of(slot).is_some_and(|(ty, n)| self.exceeds(need, ty, n as usize))
    }

    /// Whether a number is one that this argument must not have.
    #[inline]
    fn exceeds(&self, need: &Need<'_>, ty: TypeId, n: usize) -> bool {
        self.limited[need.op.index()] && self.is_past_limit(need, ty, n)
    }

    #[cold]
    fn is_past_limit(&self, need: &Need<'_>, ty: TypeId, n: usize) -> bool {
        let mut limits = self.limits[need.op.index()].iter();
        limits.any(|(input, least)| {
            *input == need.n && self.magnitude(ty, n).is_some_and(|magnitude| magnitude >= *least)
        })
    }

    /// A component that the operation gets on with, put on the stage.
    fn component(&mut self, stage: &mut impl Stage, need: &Need<'_>) -> Result<Option<u32>, Halt> {
        let ty = need.access.ty;
        let mut n = 0;
        for _ in 0..MAX_DRAWS {
            // The first to come are the simplest.
            n = self.rng.low_below(self.components.count(ty) as u32) as usize;
            let origin = component_origin(self.components.member(ty, n).id);
            if self.suits(need, origin) {
                break;
            }
        }
        self.place(stage, ty, n)
    }

    /// For an operation on two values of a type: now and then the first is one that has an
    /// equal one which can be told apart, and the second, if the first is one, is that.
    fn twin(&mut self, stage: &mut impl Stage, need: &Need<'_>) -> Result<Option<u32>, Halt> {
        let ty = need.access.ty;
        let inputs = &stage.signature(need.op).inputs;
        let at = |n: usize| inputs[n].ty == ty;
        let first = (0..need.n).find(|n| at(*n));
        let of = match first {
            Some(n) => match component_of(self.origins[need.earlier[n] as usize]) {
                Some(id) if self.rng.chance(1, 2) => Some(id),
                _ => return Ok(None),
            },
            None if (need.n + 1..inputs.len()).any(at) && self.rng.chance(1, TWINS_ONCE_IN) => None,
            None => return Ok(None),
        };
        match self.components.twin(ty, of, &mut self.rng) {
            Some(n) => self.place(stage, ty, n),
            None => Ok(None),
        }
    }

    /// Puts a component on the stage.
    fn place(&mut self, stage: &mut impl Stage, ty: TypeId, n: usize) -> Result<Option<u32>, Halt> {
        let member = self.components.member(ty, n);
        let id = member.id;
        let short = member.outline.steps as usize <= MAX_REPLAYED;
        let replayed = !self.cloning || (short && self.rng.chance(1, REPLAYED_ONCE_IN));
        let slot = match member.shelved.filter(|_| !replayed) {
            Some(shelved) => {
                let slot = stage.place(shelved)?;
                self.trace.place(&member.recipe, member.outline);
                self.origins.push(component_origin(id));
                self.note(ty, slot);
                slot
            }
            None => {
                let recipe = Rc::clone(&member.recipe);
                match self.replay(stage, &recipe) {
                    Ok(Some(slot)) => slot,
                    Ok(None) => return Ok(None),
                    Err(halt) => {
                        if halt != Halt::Full {
                            self.components.remove(ty, n);
                        }
                        return Err(halt);
                    }
                }
            }
        };
        self.origins[slot as usize] = component_origin(id);
        Ok(Some(slot))
    }

    /// Runs the steps of a recipe. Returns the slot of its value.
    pub(super) fn replay(
        &mut self,
        stage: &mut impl Stage,
        recipe: &Recipe,
    ) -> Result<Option<u32>, Halt> {
        let base = self.trace.len() as u32;
        for (made, args) in recipe.steps.iter() {
            match made {
                Made::Literal(ty, n) => {
                    self.put(stage, ty, n as usize)?;
                }
                Made::Text(ty, n) => {
                    self.put_text(stage, ty, &recipe.steps.texts()[n as usize])?;
                }
                Made::Call(op, ..) => {
                    let args: Args = args.iter().map(|arg| base + arg).collect();
                    let Some(result) = stage.call(op, &args) else { return Ok(None) };
                    let slot =
                        result.inspect_err(|halt| self.worth_keeping &= *halt == Halt::Full)?;
                    self.trace.call(op, &args, self.trace.with(op, &args));
                    self.origins.push(maker_origin(op));
                    self.note(stage.signature(op).output, slot);
                }
            }
        }
        Ok(Some(base + recipe.value))
    }

    /// Whether a text is put together for this argument.
    #[inline]
    fn composes(&mut self, need: &Need<'_>) -> bool {
        if !self.texts.takes(need.access.ty) || !self.heuristics.has(Heuristic::Texts) {
            return false;
        }
        let (often, seldom) = COMPOSED_ONCE_IN;
        self.rng.chance(1, if self.texts.reads(need.op) { often } else { seldom })
    }

    /// An operation that makes the type: the cheapest or any, but rather none
    /// than one that is likely to end the sequence.
    fn maker(&mut self, ty: TypeId, depth: usize) -> Option<OpId> {
        if depth > 2 * MAX_DEPTH {
            return None;
        }
        let makers = self.sources[ty.index()].makers.len();
        if depth < MAX_DEPTH && makers > 0 && self.rng.chance(1, 2) {
            let maker = self.sources[ty.index()].makers[self.rng.below(makers)];
            if !self.learned.doubts(maker, &mut self.rng) {
                return Some(maker);
            }
        }
        let cheapest = self.sources[ty.index()].cheapest?;
        (!self.learned.doubts(cheapest, &mut self.rng)).then_some(cheapest)
    }

    /// A live slot that can be passed for an input, the latest more likely.
    fn live(&mut self, stage: &impl Stage, input: Access) -> Option<u32> {
        if let Some(slot) = self.pick(stage, input.ty) {
            return Some(slot);
        }
        if !matches!(input.mode, Mode::Shared | Mode::Exclusive) {
            return None;
        }
        for n in 0..self.sources[input.ty.index()].behind.len() {
            let (reference, mutable) = self.sources[input.ty.index()].behind[n];
            if (mutable || input.mode == Mode::Shared)
                && let Some(slot) = self.pick(stage, reference)
            {
                return Some(slot);
            }
        }
        None
    }

    fn pick(&mut self, stage: &impl Stage, ty: TypeId) -> Option<u32> {
        let slots = &mut self.sources[ty.index()].slots;
        while !slots.is_empty() {
            let back = self.rng.low_below(slots.len() as u32);
            let at = slots.len() - 1 - back as usize;
            if stage.loans().is_live(slots[at]) {
                return Some(slots[at]);
            }
            slots.swap_remove(at);
        }
        None
    }
}
