//! Sequences: operations applied to numbered earlier results.
//!
//! A sequence is also our serialised object: replaying it rebuilds the value.
//! Arguments are distances back to the step that made them, so the steps of a
//! sequence mean the same wherever it is put, and concatenation only shares
//! the pieces.

use crate::loans::{Conflict, Loans};
use crate::operation::{OpId, Plan, TypeId};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value of a primitive type, written down.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Literal {
    Bool(bool),
    Char(char),
    /// Any integer; `u128` values past the range wrap.
    Int(i128),
    /// The bits of an `f64`, so that equality is exact.
    Float(u64),
    /// A `&str` or a `String`.
    Str(Arc<str>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Literal(TypeId, Literal),
    /// Each argument is the distance back to the step that made it.
    Call(OpId, Box<[u32]>),
}

impl Step {
    /// The type of the value that it makes.
    pub fn ty(&self, plan: &Plan) -> TypeId {
        match self {
            Step::Literal(ty, _) => *ty,
            Step::Call(op, _) => plan.operation(*op).output,
        }
    }

    /// The steps that made the arguments of a call, if it is step number `here`.
    pub fn args(&self, here: usize) -> impl Iterator<Item = usize> + '_ {
        let back = match self {
            Step::Literal(..) => &[][..],
            Step::Call(_, back) => back,
        };
        back.iter().filter_map(move |distance| here.checked_sub(*distance as usize))
    }
}

/// An immutable list of steps. Cloning and concatenating are cheap.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pieces: Arc<[Arc<[Step]>]>,
    len: usize,
    hash: u64,
}

/// Odd, so that it has an inverse and long sequences keep their entropy.
const HASH_BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Sequence {
    pub fn from_steps(steps: Vec<Step>) -> Sequence {
        let hash = steps
            .iter()
            .fold(0u64, |hash, step| hash.wrapping_mul(HASH_BASE).wrapping_add(step_hash(step)));
        let len = steps.len();
        let pieces: Arc<[Arc<[Step]>]> =
            if len == 0 { Arc::from([]) } else { Arc::from([Arc::from(steps)]) };
        Sequence { pieces, len, hash }
    }

    /// The steps of `self`, then those of `other`.
    pub fn concat(&self, other: &Sequence) -> Sequence {
        let pieces = self.pieces.iter().chain(other.pieces.iter()).cloned().collect();
        let shift = HASH_BASE.wrapping_pow(other.len as u32);
        Sequence {
            pieces,
            len: self.len + other.len,
            hash: self.hash.wrapping_mul(shift).wrapping_add(other.hash),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }

    /// Steps that call an operation of the plan, literals left out.
    pub fn calls(&self) -> usize {
        self.steps().filter(|step| matches!(step, Step::Call(..))).count()
    }
}

fn step_hash(step: &Step) -> u64 {
    // The default hasher of std has fixed keys when made by `new`.
    let mut hasher = std::hash::DefaultHasher::new();
    step.hash(&mut hasher);
    hasher.finish()
}

impl PartialEq for Sequence {
    fn eq(&self, other: &Sequence) -> bool {
        self.hash == other.hash && self.len == other.len && self.steps().eq(other.steps())
    }
}

impl Eq for Sequence {}

impl Hash for Sequence {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Why the builder refused a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such operation, type or slot.
    Unknown,
    /// The number of arguments is not that of the operation.
    Arity { expected: usize, given: usize },
    /// The argument has another type.
    IllTyped { argument: usize },
    /// The argument was moved or its borrow has ended.
    Borrow(Conflict),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Unknown => write!(f, "no such operation, type or value"),
            Refusal::Arity { expected, given } => {
                write!(f, "takes {expected} arguments but {given} were given")
            }
            Refusal::IllTyped { argument } => write!(f, "argument {argument} has another type"),
            Refusal::Borrow(Conflict::UsedTwice(slot)) => {
                write!(f, "v{slot} is used twice, and not only read")
            }
            Refusal::Borrow(Conflict::Gone(slot)) => {
                write!(f, "v{slot} was moved or its borrow has ended")
            }
            Refusal::Borrow(Conflict::Outlived(slot)) => {
                write!(f, "v{slot} would hold a borrow of a value made after it")
            }
            Refusal::Borrow(Conflict::Ended(slot)) => {
                write!(f, "using the other arguments ends the borrow that v{slot} holds")
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// Builds legal sequences: well-typed, no use after move, no borrow conflict.
pub struct Builder<'p> {
    plan: &'p Plan,
    loans: Loans,
    steps: Vec<Step>,
}

impl<'p> Builder<'p> {
    pub fn new(plan: &'p Plan) -> Builder<'p> {
        Builder { plan, loans: Loans::default(), steps: vec![] }
    }

    /// Adds a literal and returns its slot.
    pub fn literal(&mut self, ty: TypeId, literal: Literal) -> Result<u32, Refusal> {
        if ty.index() >= self.plan.types.len() {
            return Err(Refusal::Unknown);
        }
        self.steps.push(Step::Literal(ty, literal));
        Ok(self.loans.push(ty))
    }

    /// Adds a call on earlier slots and returns the slot of its result.
    pub fn call(&mut self, op: OpId, args: &[u32]) -> Result<u32, Refusal> {
        let operation = self.plan.operations.get(op.index()).ok_or(Refusal::Unknown)?;
        let (expected, given) = (operation.inputs.len(), args.len());
        if expected != given {
            return Err(Refusal::Arity { expected, given });
        }
        for (argument, (&arg, input)) in args.iter().zip(&operation.inputs).enumerate() {
            if arg as usize >= self.loans.len() {
                return Err(Refusal::Unknown);
            }
            if !self.plan.accepts(input, self.loans.ty(arg)) {
                return Err(Refusal::IllTyped { argument });
            }
        }
        let signature = self.plan.signature(op);
        self.loans.access(&signature, args).map_err(Refusal::Borrow)?;
        let here = self.steps.len() as u32;
        self.steps.push(Step::Call(op, args.iter().map(|arg| here - arg).collect()));
        Ok(self.loans.commit(&signature, args))
    }

    /// Adds all steps of another sequence and returns the slot of its first.
    pub fn append(&mut self, sequence: &Sequence) -> Result<u32, Refusal> {
        let base = self.steps.len() as u32;
        for step in sequence.steps() {
            match step {
                Step::Literal(ty, literal) => self.literal(*ty, literal.clone())?,
                Step::Call(op, back) => {
                    let here = self.steps.len() as u32;
                    let far = back.iter().any(|distance| *distance > here - base);
                    if far {
                        return Err(Refusal::Unknown);
                    }
                    let args: Vec<u32> = back.iter().map(|distance| here - distance).collect();
                    self.call(*op, &args)?
                }
            };
        }
        Ok(base)
    }

    pub fn finish(self) -> Sequence {
        Sequence::from_steps(self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{Abilities, Flow, FlowKind, Mode, Operation, TypeInfo};
    use crate::ty::Ty;

    const NUMBER: TypeId = TypeId(0);
    const LIST: TypeId = TypeId(1);
    const ITER: TypeId = TypeId(2);

    fn operation(inputs: &[(TypeId, Mode)], output: TypeId, flows: Vec<Flow>) -> Operation {
        Operation { flows, ..Operation::of_types(inputs, output) }
    }

    /// `new() -> List`, `push(&mut List, Number)`, `iter(&List) -> Iter`,
    /// `next(&mut Iter) -> Number`, `consume(List) -> Number`.
    fn plan() -> Plan {
        let info = |name: &str, copy| {
            TypeInfo::owned(Ty::prim(name), Abilities { copy, ..Default::default() })
        };
        let loan = Flow { input: 0, kind: FlowKind::Loan { mutable: false } };
        Plan {
            types: vec![info("number", true), info("list", false), info("iter", false)],
            operations: vec![
                operation(&[], LIST, vec![]),
                operation(&[(LIST, Mode::Exclusive), (NUMBER, Mode::Own)], NUMBER, vec![]),
                operation(&[(LIST, Mode::Shared)], ITER, vec![loan]),
                operation(&[(ITER, Mode::Exclusive)], NUMBER, vec![]),
                operation(&[(LIST, Mode::Own)], NUMBER, vec![]),
            ],
            ..Default::default()
        }
    }

    #[test]
    fn the_builder_refuses_ill_typed_calls() {
        let plan = plan();
        let mut builder = Builder::new(&plan);
        let one = builder.literal(NUMBER, Literal::Int(1)).unwrap();
        assert_eq!(builder.call(OpId(4), &[one]), Err(Refusal::IllTyped { argument: 0 }));
        assert_eq!(builder.call(OpId(4), &[]), Err(Refusal::Arity { expected: 1, given: 0 }));
        assert_eq!(builder.call(OpId(9), &[]), Err(Refusal::Unknown));
    }

    #[test]
    fn the_builder_refuses_a_use_after_a_move() {
        let plan = plan();
        let mut builder = Builder::new(&plan);
        let list = builder.call(OpId(0), &[]).unwrap();
        builder.call(OpId(4), &[list]).unwrap();
        let refused = builder.call(OpId(2), &[list]);
        assert_eq!(refused, Err(Refusal::Borrow(Conflict::Gone(list))));
    }

    #[test]
    fn an_exclusive_use_ends_the_borrower() {
        let plan = plan();
        let mut builder = Builder::new(&plan);
        let list = builder.call(OpId(0), &[]).unwrap();
        let iter = builder.call(OpId(2), &[list]).unwrap();
        let number = builder.call(OpId(3), &[iter]).unwrap();
        builder.call(OpId(1), &[list, number]).unwrap();
        let refused = builder.call(OpId(3), &[iter]);
        assert_eq!(refused, Err(Refusal::Borrow(Conflict::Gone(iter))));
    }

    #[test]
    fn a_literal_may_be_used_twice() {
        let plan = plan();
        let mut builder = Builder::new(&plan);
        let list = builder.call(OpId(0), &[]).unwrap();
        let one = builder.literal(NUMBER, Literal::Int(1)).unwrap();
        builder.call(OpId(1), &[list, one]).unwrap();
        builder.call(OpId(1), &[list, one]).unwrap();
        assert_eq!(builder.finish().len(), 4);
    }

    #[test]
    fn concatenation_equals_building_in_one_go() {
        let plan = plan();
        let mut first = Builder::new(&plan);
        first.call(OpId(0), &[]).unwrap();
        let first = first.finish();
        let mut both = Builder::new(&plan);
        both.append(&first).unwrap();
        let base = both.append(&first).unwrap();
        assert_eq!(base, 1);
        let both = both.finish();
        let joined = first.concat(&first);
        assert_eq!(joined, both);
        assert_eq!(joined.hash, both.hash);
        assert_ne!(joined, first);
    }
}
