//! The sequence under way, slot by slot, and the part of it that makes one
//! value.
//!
//! A component that was placed is one slot here, however long its recipe is:
//! its steps are only written out when a new recipe is made of them.

use super::steps::{Digest, Outline, Recipe, Steps};
use std::rc::Rc;
use std::sync::Arc;
use testsmith_model::operation::{FlowKind, MAX_INPUTS, Signature};
use testsmith_model::{OpId, TypeId};

/// How a slot of the sequence came to be.
#[derive(Clone, Copy, Debug)]
enum SlotOrigin {
    /// The n-th literal of a type.
    Literal(TypeId, u32),
    /// A text that is not in the pool, with its place among those of the sequence.
    Text(TypeId, u32),
    /// A call, with the place of its first argument in the list of all, and
    /// their number.
    Call(OpId, u32, u8),
    /// A component, with its place among those of the sequence.
    Placed(u32),
}

/// The arguments of a call, in place.
#[derive(Clone, Copy, Default)]
pub(super) struct Args {
    all: [u32; MAX_INPUTS],
    len: usize,
}

impl Args {
    /// Most calls have no more.
    const FEW: usize = 4;

    #[inline]
    pub(super) fn push(&mut self, slot: u32) {
        self.all[self.len] = slot;
        self.len += 1;
    }

    /// With whatever is behind the last of them.
    #[inline]
    fn all(&self) -> &[u32; MAX_INPUTS] {
        &self.all
    }
}

impl std::ops::Deref for Args {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.all[..self.len]
    }
}

impl FromIterator<u32> for Args {
    #[inline]
    fn from_iter<I: IntoIterator<Item = u32>>(slots: I) -> Args {
        let mut args = Args::default();
        slots.into_iter().for_each(|slot| args.push(slot));
        args
    }
}

#[derive(Default)]
pub(super) struct Trace {
    origins: Vec<SlotOrigin>,
    args: Vec<u32>,
    placed: Vec<Rc<Recipe>>,
    texts: Vec<Arc<str>>,
    /// Per slot, the step that made it if all are written out.
    steps: Vec<u32>,
    written: u32,
    digest: Digest,
    /// Per slot, the first of those with which it shares what a change reaches, once that
    /// was asked for: a sequence is asked for several recipes when it is over.
    groups: Vec<u32>,
    marks: Vec<Mark>,
}

/// What is found out about a slot while a recipe is made.
#[derive(Clone, Copy, Default)]
struct Mark {
    needed: bool,
    /// Whether changes of the group that begins with it count.
    changing: bool,
    /// Its step in the recipe.
    number: u32,
}

impl Trace {
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.origins.clear();
        self.args.clear();
        self.placed.clear();
        self.texts.clear();
        self.steps.clear();
        self.written = 0;
        self.digest = Digest::default();
    }

    pub(super) fn len(&self) -> usize {
        self.origins.len()
    }

    #[inline]
    pub(super) fn literal(&mut self, ty: TypeId, n: u32) {
        self.digest = self.digest.literal(ty, n);
        self.push(SlotOrigin::Literal(ty, n));
    }

    pub(super) fn text(&mut self, ty: TypeId, text: &Arc<str>) {
        self.digest = self.digest.text(ty, text);
        self.push(SlotOrigin::Text(ty, self.texts.len() as u32));
        self.texts.push(Arc::clone(text));
    }

    #[inline]
    fn push(&mut self, origin: SlotOrigin) {
        self.origins.push(origin);
        self.steps.push(self.written);
        self.written += 1;
    }

    /// What the sequence would be known by with one more call.
    #[inline]
    pub(super) fn with(&self, op: OpId, args: &[u32]) -> Digest {
        self.digest.call(op, args.iter().map(|arg| self.written - self.steps[*arg as usize]))
    }

    /// Notes a call, and what the sequence is known by with it.
    #[inline]
    pub(super) fn call(&mut self, op: OpId, args: &Args, digest: Digest) {
        self.digest = digest;
        let first = self.args.len();
        self.push(SlotOrigin::Call(op, first as u32, args.len() as u8));
        // A copy of a fixed size takes no guess at how long it is.
        let (few, more) = args.all().split_at(Args::FEW);
        self.args.extend_from_slice(few);
        if args.len() > Args::FEW {
            self.args.extend_from_slice(more);
        }
        self.args.truncate(first + args.len());
    }

    /// Notes a component.
    #[inline]
    pub(super) fn place(&mut self, recipe: &Rc<Recipe>, outline: Outline) {
        self.digest = self.digest.append(outline.digest);
        self.origins.push(SlotOrigin::Placed(self.placed.len() as u32));
        self.steps.push(self.written + outline.value);
        self.written += outline.steps;
        self.placed.push(Rc::clone(recipe));
    }

    /// The literal that a slot was made as, if it was.
    #[inline]
    pub(super) fn literal_of(&self, slot: u32) -> Option<(TypeId, u32)> {
        match self.origins[slot as usize] {
            SlotOrigin::Literal(ty, n) => Some((ty, n)),
            _ => None,
        }
    }

    /// The text that a slot was made as, if it is not in the pool.
    pub(super) fn text_of(&self, slot: u32) -> Option<&Arc<str>> {
        match self.origins[slot as usize] {
            SlotOrigin::Text(_, n) => Some(&self.texts[n as usize]),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn args_of(&self, slot: usize) -> &[u32] {
        match self.origins[slot] {
            SlotOrigin::Call(_, first, count) => {
                &self.args[first as usize..first as usize + usize::from(count)]
            }
            _ => &[],
        }
    }

    /// The calls of the sequence and their arguments.
    fn calls(&self) -> impl DoubleEndedIterator<Item = (usize, OpId, &[u32])> {
        self.origins.iter().enumerate().filter_map(|(here, origin)| match origin {
            SlotOrigin::Call(op, ..) => Some((here, *op, self.args_of(here))),
            _ => None,
        })
    }

    /// Marks the slots whose values this sequence has made or changed: all but
    /// literals and components that were only looked at. Those are known.
    pub(super) fn mark_news<'s>(
        &self,
        news: &mut Vec<bool>,
        signature: &impl Fn(OpId) -> &'s Signature,
    ) {
        news.clear();
        news.extend(self.origins.iter().map(|origin| matches!(origin, SlotOrigin::Call(..))));
        for (_, op, args) in self.calls() {
            for (arg, input) in args.iter().zip(&signature(op).inputs) {
                news[*arg as usize] |= input.exclusive;
            }
        }
    }

    /// The steps that a value depends on as it is now: what made it, what
    /// changed it since, through whichever borrow, and what these needed. A
    /// change behind a shared reference is not seen; a finding that builds on
    /// such a value is not confirmed.
    pub(super) fn recipe<'s>(
        &mut self,
        value: u32,
        signature: &impl Fn(OpId) -> &'s Signature,
    ) -> Recipe {
        // Whatever is done to a sequence adds a slot.
        if self.groups.len() != self.len() {
            self.groups = self.grouped(signature);
        }
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        marks.resize(self.len(), Mark::default());
        let group = |slot: u32| self.groups[slot as usize] as usize;
        marks[value as usize].needed = true;
        marks[group(value)].changing = true;
        for (here, op, args) in self.calls().rev() {
            let needed = marks[here].needed || {
                let mut inputs = args.iter().zip(&signature(op).inputs);
                inputs.any(|(arg, input)| input.exclusive && marks[group(*arg)].changing)
            };
            if needed {
                marks[here].needed = true;
                for arg in args {
                    marks[*arg as usize].needed = true;
                    marks[group(*arg)].changing = true;
                }
            }
        }
        let recipe = self.written_out(value, &mut marks);
        self.marks = marks;
        recipe
    }

    /// The steps of the slots that are needed.
    fn written_out(&self, value: u32, marks: &mut [Mark]) -> Recipe {
        let mut steps = Steps::with_room(self.room(marks));
        for here in 0..self.len() {
            if !marks[here].needed {
                continue;
            }
            marks[here].number = steps.len() as u32;
            match self.origins[here] {
                SlotOrigin::Literal(ty, n) => steps.literal(ty, n),
                SlotOrigin::Text(ty, n) => steps.text(ty, &self.texts[n as usize]),
                SlotOrigin::Call(op, ..) => {
                    let number = |arg: &u32| marks[*arg as usize].number;
                    steps.call(op, self.args_of(here).iter().map(number));
                }
                SlotOrigin::Placed(n) => {
                    let recipe = &self.placed[n as usize];
                    marks[here].number += recipe.value;
                    steps.append(&recipe.steps);
                }
            }
        }
        Recipe { value: marks[value as usize].number, steps }
    }

    /// How many steps and arguments of them the slots that are needed come to.
    fn room(&self, marks: &[Mark]) -> (usize, usize) {
        let needed = self.origins.iter().zip(marks).filter(|(_, mark)| mark.needed);
        needed.fold((0, 0), |(steps, args), (origin, _)| match *origin {
            SlotOrigin::Literal(..) | SlotOrigin::Text(..) => (steps + 1, args),
            SlotOrigin::Call(.., count) => (steps + 1, args + usize::from(count)),
            SlotOrigin::Placed(n) => {
                let placed = &self.placed[n as usize].steps;
                (steps + placed.len(), args + placed.args().len())
            }
        })
    }

    /// For every slot the first of those with which it shares what a change
    /// reaches: a value and whatever borrows it to change it.
    fn grouped<'s>(&self, signature: &impl Fn(OpId) -> &'s Signature) -> Vec<u32> {
        let mut groups: Vec<u32> = (0..self.len() as u32).collect();
        let mut join = |a: u32, b: u32| {
            let (a, b) = (groups[a as usize], groups[b as usize]);
            let (least, other) = (a.min(b), a.max(b));
            if least != other {
                groups.iter_mut().filter(|group| **group == other).for_each(|g| *g = least);
            }
        };
        for (here, op, args) in self.calls() {
            let signature = signature(op);
            for flow in &signature.flows {
                if flow.kind != (FlowKind::Loan { mutable: false }) {
                    join(here as u32, args[flow.input as usize]);
                }
            }
            for acquire in &signature.acquires {
                join(args[acquire.into as usize], args[acquire.from as usize]);
            }
        }
        groups
    }
}
