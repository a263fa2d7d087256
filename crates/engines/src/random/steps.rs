//! A sequence in the engine's own terms: literals by their place in the pool,
//! texts that are not in it and arguments in one list each, so that noting a
//! call allocates nothing.

use super::sources::numbered;
use crate::hash::mix;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;
use testsmith_model::message::Component;
use testsmith_model::sequence::{Literal, Sequence, Step};
use testsmith_model::{OpId, Plan, TypeId};

/// How a slot came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// The n-th literal of a type.
    Literal(TypeId, u32),
    /// A text that is not in the pool, by its place in the list of all.
    Text(TypeId, u32),
    /// A call, with the place of its first argument in the list of all, and
    /// their number.
    Call(OpId, u32, u8),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    made: Vec<Made>,
    args: Vec<u32>,
    texts: Vec<Arc<str>>,
    digest: Digest,
}

/// What a list of steps is known by: two with the same hash are taken for the
/// same. That of two lists one after the other follows from theirs, because
/// arguments count as distances and words are put together as digits of a
/// number are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) hash: u64,
    /// The weight of a digit before the list.
    weight: u64,
}

impl Default for Digest {
    fn default() -> Digest {
        Digest { hash: 0, weight: 1 }
    }
}

impl Digest {
    const BASE: u64 = 0xd134_2543_de82_ef95;

    #[inline]
    pub(super) fn literal(self, ty: TypeId, n: u32) -> Digest {
        self.step(mix(0, u64::from(ty.0) << 32 | u64::from(n)))
    }

    pub(super) fn text(self, ty: TypeId, text: &str) -> Digest {
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        self.step(mix(hasher.finish(), u64::from(ty.0)))
    }

    /// With one more call, its arguments so many steps back.
    #[inline]
    pub(super) fn call(self, op: OpId, back: impl Iterator<Item = u32>) -> Digest {
        let first = mix(0, u64::from(op.0) | 1 << 63);
        self.step(back.fold(first, |hash, distance| mix(hash, u64::from(distance))))
    }

    #[inline]
    fn step(self, word: u64) -> Digest {
        self.append(Digest { hash: word, weight: Digest::BASE })
    }

    #[inline]
    pub(super) fn append(self, other: Digest) -> Digest {
        Digest {
            hash: self.hash.wrapping_mul(other.weight).wrapping_add(other.hash),
            weight: self.weight.wrapping_mul(other.weight),
        }
    }
}

impl Steps {
    /// None yet, with room for so many and for so many arguments.
    pub(super) fn with_room((steps, args): (usize, usize)) -> Steps {
        let (made, args) = (Vec::with_capacity(steps), Vec::with_capacity(args));
        Steps { made, args, ..Steps::default() }
    }

    pub(super) fn digest(&self) -> Digest {
        self.digest
    }

    pub fn len(&self) -> usize {
        self.made.len()
    }

    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    #[inline]
    pub(super) fn literal(&mut self, ty: TypeId, n: u32) {
        self.digest = self.digest.literal(ty, n);
        self.made.push(Made::Literal(ty, n));
    }

    pub(super) fn text(&mut self, ty: TypeId, text: &Arc<str>) {
        self.digest = self.digest.text(ty, text);
        self.made.push(Made::Text(ty, self.texts.len() as u32));
        self.texts.push(Arc::clone(text));
    }

    /// The arguments of all steps.
    pub(super) fn args(&self) -> &[u32] {
        &self.args
    }

    /// The texts that are not in the pool, in their order.
    pub fn texts(&self) -> &[Arc<str>] {
        &self.texts
    }

    #[inline]
    pub(super) fn call(&mut self, op: OpId, args: impl Iterator<Item = u32>) {
        let first = self.args.len();
        self.args.extend(args);
        let (here, args) = (self.len() as u32, &self.args[first..]);
        self.digest = self.digest.call(op, args.iter().map(|arg| here - arg));
        let count = args.len() as u8;
        self.made.push(Made::Call(op, first as u32, count));
    }

    /// Adds the steps of another list, its slots counted from where it begins.
    pub(super) fn append(&mut self, other: &Steps) {
        let base = self.len() as u32;
        for (made, args) in other.iter() {
            match made {
                Made::Literal(ty, n) => self.literal(ty, n),
                Made::Text(ty, n) => self.text(ty, &other.texts[n as usize]),
                Made::Call(op, ..) => self.call(op, args.iter().map(|arg| base + arg)),
            }
        }
    }

    /// Every step with its arguments.
    pub fn iter(&self) -> impl Iterator<Item = (Made, &[u32])> {
        (0..self.len()).map(|n| (self.made[n], self.args_of(n)))
    }

    fn args_of(&self, slot: usize) -> &[u32] {
        match self.made[slot] {
            Made::Literal(..) | Made::Text(..) => &[],
            Made::Call(_, first, count) => {
                &self.args[first as usize..first as usize + usize::from(count)]
            }
        }
    }
}

/// The steps that make one value, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    pub steps: Steps,
    /// The step that made the value.
    pub value: u32,
}

/// A recipe without its steps: how many there are, which of them makes the value, and what
/// they are known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    pub(super) steps: u32,
    pub(super) value: u32,
    pub(super) digest: Digest,
}

impl Recipe {
    pub(super) fn outline(&self) -> Outline {
        let Recipe { steps, value } = self;
        Outline { steps: steps.len() as u32, value: *value, digest: steps.digest() }
    }

    pub(super) fn calls(&self) -> usize {
        self.steps.made.iter().filter(|made| matches!(made, Made::Call(..))).count()
    }

    /// `None` if a literal is neither in the pool of the plan nor a text.
    pub(super) fn new(plan: &Plan, component: &Component) -> Option<Recipe> {
        let mut steps = Steps::default();
        for step in component.sequence.steps() {
            match step {
                Step::Literal(ty, literal) => {
                    let (_, pool) = plan.literals.iter().find(|(of, _)| of == ty)?;
                    match (numbered(pool).position(|known| known == *literal), literal) {
                        (Some(n), _) => steps.literal(*ty, n as u32),
                        (None, Literal::Str(text)) => steps.text(*ty, text),
                        (None, _) => return None,
                    }
                }
                Step::Call(op, back) => {
                    let here = steps.len() as u32;
                    let args: Option<Vec<u32>> =
                        back.iter().map(|distance| here.checked_sub(*distance)).collect();
                    steps.call(*op, args?.into_iter());
                }
            }
        }
        ((component.value as usize) < steps.len())
            .then_some(Recipe { value: component.value, steps })
    }

    pub(super) fn component(&self, plan: &Plan) -> Component {
        let step = |(here, (made, args)): (usize, (Made, &[u32]))| match made {
            Made::Literal(ty, n) => {
                let pool = plan.literals.iter().find(|(of, _)| *of == ty);
                let (_, pool) = pool.expect("its type has a pool");
                let literal = numbered(pool).nth(n as usize);
                Step::Literal(ty, literal.expect("it came from the pool"))
            }
            Made::Text(ty, n) => {
                Step::Literal(ty, Literal::Str(Arc::clone(&self.steps.texts[n as usize])))
            }
            Made::Call(op, ..) => {
                Step::Call(op, args.iter().map(|arg| here as u32 - arg).collect())
            }
        };
        let steps = self.steps.iter().enumerate().map(step).collect();
        Component { sequence: Sequence::from_steps(steps), value: self.value }
    }
}
