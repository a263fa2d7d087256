//! Bit-vector terms, shared and simplified as they are made.
//!
//! A [`Pool`] owns every term of one exploration; a [`Term`] is an index into
//! it. Equal terms are the same index, so equality of terms is equality of
//! numbers. Widths go from 1 to 128 bits; a condition is a term one bit wide.
//! There are no arrays, quantifiers or uninterpreted functions: memory is
//! concrete in shape, and only its bytes are symbolic.

mod build;
mod compare;
mod evaluate;
mod float;
mod linear;
mod parity;
mod range;
mod support;
mod text;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::num::NonZeroU32;

pub use evaluate::{Assignment, Evaluator, fold};
pub use float::{Format, Rounding};
pub use range::Range;
pub use support::{Support, SupportSet};

/// The widest term there is.
pub const MAX_WIDTH: u32 = 128;

/// An index into a [`Pool`]. Never zero, so an `Option<Term>` costs four bytes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(NonZeroU32);

impl Term {
    fn at(index: usize) -> Term {
        let index = u32::try_from(index + 1).expect("a pool holds fewer than 2^32 terms");
        Term(NonZeroU32::new(index).expect("one was added"))
    }

    /// The position in the pool, from zero.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What a term does with its operands. SMT-LIB names, SMT-LIB meaning: division
/// by zero gives all ones, remainder by zero gives the dividend, shifts by the
/// width or more give zero (or the sign).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Const,
    Var,
    Add,
    Sub,
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
    Ite,
    ZExt,
    SExt,
    Extract,
    Concat,
}

impl Op {
    /// Whether the result is one bit whatever the width of the operands.
    pub fn is_comparison(self) -> bool {
        matches!(self, Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle)
    }
}

/// One node: an operation, its width, its operands, and one number (the bits of
/// a constant, the index of a variable, the lowest bit of an extract).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub op: Op,
    pub width: u32,
    pub args: [Option<Term>; 3],
    pub number: u128,
}

impl Node {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = Term> + '_ {
        self.args.iter().flatten().copied()
    }

    /// The first operand, which every node but a constant or a variable has.
    pub fn first(&self) -> Term {
        self.args[0].expect("the node has an operand")
    }

    /// The second operand.
    pub fn second(&self) -> Term {
        self.args[1].expect("the node has two operands")
    }

    /// The third operand.
    pub fn third(&self) -> Term {
        self.args[2].expect("the node has three operands")
    }
}

/// All ones, `width` bits wide.
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// Reads `bits` as a two's complement number of `width` bits.
pub fn signed(bits: u128, width: u32) -> i128 {
    ((bits << (128 - width)) as i128) >> (128 - width)
}

/// A fast hasher for small fixed keys; nothing hostile is ever hashed here.
#[derive(Default, Clone)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_u128(&mut self, value: u128) {
        self.write_u64(value as u64);
        self.write_u64((value >> 64) as u64);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

/// A map keyed by something small, hashed by [`Mixer`].
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// The terms of one exploration. It only grows.
#[derive(Default)]
pub struct Pool {
    nodes: Vec<Node>,
    index: FastMap<Node, Term>,
    ranges: Vec<Range>,
    supports: Vec<Support>,
    support_sets: support::Sets,
    /// By index; none if one index was used in two widths.
    variables: FastMap<u32, Option<Term>>,
    /// Bits of terms as exclusive ors, of those that were asked for.
    parities: FastMap<Term, parity::Parities>,
}

impl Pool {
    pub fn new() -> Pool {
        Pool::default()
    }

    /// How many different terms were made.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The conditions that a condition is the `and` of, and true; or those that it is the `or`
    /// of, and false. What is neither is its own only part.
    pub fn parts_of(&self, term: Term) -> (Vec<Term>, bool) {
        let op = self.node(term).op;
        let is_joined = self.width(term) == 1 && matches!(op, Op::And | Op::Or);
        if !is_joined {
            return (vec![term], false);
        }
        let (mut parts, mut open) = (vec![], vec![term]);
        let mut seen: HashSet<Term, BuildHasherDefault<Mixer>> = HashSet::default();
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            match self.node(next).op == op {
                true => open.extend(self.node(next).operands()),
                false => parts.push(next),
            }
        }
        (parts, op == Op::And)
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    pub fn width(&self, term: Term) -> u32 {
        self.nodes[term.index()].width
    }

    /// The unsigned values the term can take, as far as its shape tells.
    pub fn range(&self, term: Term) -> Range {
        self.ranges[term.index()]
    }

    /// The variables the term depends on.
    pub fn support(&self, term: Term) -> &SupportSet {
        self.support_sets.get(self.supports[term.index()])
    }

    /// The variable of this index, if it was made and in one width only.
    pub fn variable_of(&self, index: u32) -> Option<Term> {
        self.variables.get(&index).copied().flatten()
    }

    /// The bits of a constant term.
    pub fn constant(&self, term: Term) -> Option<u128> {
        let node = self.node(term);
        (node.op == Op::Const).then_some(node.number)
    }

    /// Enters a node as it stands, with no simplification but sharing.
    fn intern(&mut self, node: Node) -> Term {
        if let Some(&term) = self.index.get(&node) {
            return term;
        }
        let range = range::of(self, &node);
        let mut support = if node.op == Op::Var {
            self.support_sets.single(node.number as u32)
        } else {
            Support::EMPTY
        };
        for operand in node.operands() {
            support = self.support_sets.union(support, self.supports[operand.index()]);
        }
        let term = Term::at(self.nodes.len());
        if node.op == Op::Var {
            self.variables
                .entry(node.number as u32)
                .and_modify(|known| *known = None)
                .or_insert(Some(term));
        }
        self.nodes.push(node);
        self.ranges.push(range);
        self.supports.push(support);
        self.index.insert(node, term);
        term
    }
}
