//! The steps of the sequence under way, and the part of them that makes one
//! value.
//!
//! A [`Recipe`] is a sequence in the engine's own terms: literals by their
//! place in the pool, texts that are not in it and arguments in one list each,
//! so that noting a call allocates nothing.

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;
use testsmith_model::message::Component;
use testsmith_model::operation::{FlowKind, Signature};
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
    hash: u64,
}

/// Odd, as in a multiplicative hash.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

impl Steps {
    pub(super) fn clear(&mut self) {
        self.made.clear();
        self.args.clear();
        self.texts.clear();
        self.hash = 0;
    }

    pub fn len(&self) -> usize {
        self.made.len()
    }

    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Two lists of steps with the same hash are taken for the same.
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    pub(super) fn literal(&mut self, ty: TypeId, n: u32) {
        self.hash = mix(self.hash, u64::from(ty.0) << 32 | u64::from(n));
        self.made.push(Made::Literal(ty, n));
    }

    pub(super) fn text(&mut self, ty: TypeId, text: &Arc<str>) {
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        self.hash = mix(self.hash, u64::from(ty.0) ^ hasher.finish());
        self.made.push(Made::Text(ty, self.texts.len() as u32));
        self.texts.push(Arc::clone(text));
    }

    /// The texts that are not in the pool, in their order.
    pub fn texts(&self) -> &[Arc<str>] {
        &self.texts
    }

    /// The hash that the steps would have with one more call.
    #[inline]
    pub(super) fn hash_with(&self, op: OpId, args: &[u32]) -> u64 {
        let hash = mix(self.hash, u64::from(op.0) | 1 << 63);
        args.iter().fold(hash, |hash, arg| mix(hash, u64::from(*arg)))
    }

    #[inline]
    pub(super) fn call(&mut self, op: OpId, args: &[u32]) {
        self.hash = self.hash_with(op, args);
        self.made.push(Made::Call(op, self.args.len() as u32, args.len() as u8));
        self.args.extend_from_slice(args);
    }

    /// Adds the steps of another list, its slots counted from where it begins.
    pub(super) fn append(&mut self, other: &Steps) {
        let base = self.len() as u32;
        for (made, args) in other.iter() {
            match made {
                Made::Literal(ty, n) => self.literal(ty, n),
                Made::Text(ty, n) => self.text(ty, &other.texts[n as usize]),
                Made::Call(op, ..) => {
                    let first = self.args.len();
                    self.args.extend(args.iter().map(|arg| base + arg));
                    self.hash = self.hash_with(op, &self.args[first..]);
                    self.made.push(Made::Call(op, first as u32, args.len() as u8));
                }
            }
        }
    }

    /// Every step with its arguments.
    pub fn iter(&self) -> impl Iterator<Item = (Made, &[u32])> {
        (0..self.len()).map(|n| (self.made[n], self.args_of(n)))
    }

    #[inline]
    pub(super) fn made(&self, slot: u32) -> Made {
        self.made[slot as usize]
    }

    #[inline]
    pub(super) fn args_of(&self, slot: usize) -> &[u32] {
        match self.made[slot] {
            Made::Literal(..) | Made::Text(..) => &[],
            Made::Call(_, first, count) => {
                &self.args[first as usize..first as usize + usize::from(count)]
            }
        }
    }

    /// The steps that a value depends on as it is now: what made it, what
    /// changed it since, through whichever borrow, and what these needed. A
    /// change behind a shared reference is not seen; a finding that builds on
    /// such a value is not confirmed.
    pub(super) fn recipe<'s>(
        &self,
        value: u32,
        signature: &impl Fn(OpId) -> &'s Signature,
    ) -> Recipe {
        let groups = self.groups(signature);
        let mut needed = vec![false; self.len()];
        let mut changing = vec![false; self.len()];
        needed[value as usize] = true;
        changing[groups[value as usize] as usize] = true;
        for here in (0..self.len()).rev() {
            let Made::Call(op, ..) = self.made[here] else { continue };
            let args = self.args_of(here);
            let changes = args
                .iter()
                .zip(&signature(op).inputs)
                .any(|(arg, input)| input.exclusive && changing[groups[*arg as usize] as usize]);
            if needed[here] || changes {
                needed[here] = true;
                for arg in args {
                    needed[*arg as usize] = true;
                    changing[groups[*arg as usize] as usize] = true;
                }
            }
        }
        let mut number = vec![0; self.len()];
        let mut steps = Steps::default();
        for (here, (made, args)) in self.iter().enumerate().filter(|(here, _)| needed[*here]) {
            number[here] = steps.len() as u32;
            match made {
                Made::Literal(ty, n) => steps.literal(ty, n),
                Made::Text(ty, n) => steps.text(ty, &self.texts[n as usize]),
                Made::Call(op, ..) => {
                    let args: Vec<u32> = args.iter().map(|arg| number[*arg as usize]).collect();
                    steps.call(op, &args);
                }
            }
        }
        Recipe { value: number[value as usize], steps }
    }

    /// For every slot the first of those with which it shares what a change
    /// reaches: a value and whatever borrows it to change it.
    fn groups<'s>(&self, signature: &impl Fn(OpId) -> &'s Signature) -> Vec<u32> {
        let mut groups: Vec<u32> = (0..self.len() as u32).collect();
        let mut join = |a: u32, b: u32| {
            let (a, b) = (groups[a as usize], groups[b as usize]);
            let (least, other) = (a.min(b), a.max(b));
            if least != other {
                groups.iter_mut().filter(|group| **group == other).for_each(|g| *g = least);
            }
        };
        for (here, (made, args)) in self.iter().enumerate() {
            let Made::Call(op, ..) = made else { continue };
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

/// The steps that make one value, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    pub steps: Steps,
    /// The step that made the value.
    pub value: u32,
}

impl Recipe {
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
                    match (pool.iter().position(|known| known == literal), literal) {
                        (Some(n), _) => steps.literal(*ty, n as u32),
                        (None, Literal::Str(text)) => steps.text(*ty, text),
                        (None, _) => return None,
                    }
                }
                Step::Call(op, back) => {
                    let here = steps.len() as u32;
                    let args: Option<Vec<u32>> =
                        back.iter().map(|distance| here.checked_sub(*distance)).collect();
                    steps.call(*op, &args?);
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
                let (_, pool) = pool.expect("it came from the pool");
                Step::Literal(ty, pool[n as usize].clone())
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
