//! Bits as parities, to see that two terms of exclusive ors are equal whatever their
//! order.
//!
//! Every bit of a term is read as the exclusive or of bits of other terms and
//! a constant: shifts, masks and choices that flip known bits keep that form, so
//! a checksum by bits, by a table and by several tables at once is one form. A SAT
//! solver has no end with such equalities. Only what cancels out is used.

use std::rc::Rc;

use super::{Op, Pool, Term};

/// A bit that depends on more bits than this is one of its own.
const MOST_PARTS: usize = 512;
/// Terms looked at for one comparison.
const MOST_VISITS: usize = 20_000;
/// Parts of a term that are looked through for an exclusive or.
const MOST_NESTED: u32 = 4;

/// The exclusive or of bits of terms, in ascending order, and a constant.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Parity {
    parts: Vec<(Term, u32)>,
    odd: bool,
}

impl Parity {
    fn constant(odd: bool) -> Parity {
        Parity { parts: vec![], odd }
    }

    fn xor(&self, other: &Parity) -> Parity {
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut a, mut b) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(_), None) => a.next(),
                (None, Some(_)) => b.next(),
                (Some(x), Some(y)) if x < y => a.next(),
                (Some(x), Some(y)) if y < x => b.next(),
                // Twice is not at all.
                _ => {
                    a.next();
                    b.next();
                    continue;
                }
            };
            parts.extend(next);
        }
        Parity { parts, odd: self.odd != other.odd }
    }
}

/// The bits of a term, the lowest first.
pub(super) type Parities = Rc<[Parity]>;

impl Pool {
    /// Whether two terms of one width are equal, if their parities tell.
    pub(super) fn equal_parities(&mut self, a: Term, b: Term) -> Option<bool> {
        if !self.is_parity(a, MOST_NESTED) && !self.is_parity(b, MOST_NESTED) {
            return None;
        }
        let (a, b) = (self.parities_of(a)?, self.parities_of(b)?);
        let mut same = true;
        for (x, y) in a.iter().zip(b.iter()) {
            if x.parts == y.parts {
                if x.odd != y.odd {
                    return Some(false);
                }
            } else {
                same = false;
            }
        }
        same.then_some(true)
    }

    fn is_parity(&self, term: Term, nested: u32) -> bool {
        let node = self.node(term);
        match node.op {
            Op::Xor => node.width > 1,
            Op::ZExt | Op::SExt | Op::Extract if nested > 0 => {
                self.is_parity(node.first(), nested - 1)
            }
            Op::Concat if nested > 0 => {
                self.is_parity(node.first(), nested - 1)
                    || self.is_parity(node.second(), nested - 1)
            }
            Op::Ite if nested > 0 && node.width > 1 => {
                self.is_parity(node.second(), nested - 1)
                    || self.is_parity(node.third(), nested - 1)
            }
            _ => false,
        }
    }

    /// The parities of a term, its operands first on a stack of our own; they are kept.
    fn parities_of(&mut self, term: Term) -> Option<Parities> {
        let mut stack = vec![term];
        let mut visits = 0;
        while let Some(&top) = stack.last() {
            if self.parities.contains_key(&top) {
                stack.pop();
                continue;
            }
            visits += 1;
            if visits > MOST_VISITS {
                return None;
            }
            let before = stack.len();
            if self.keeps_parities(top) {
                let node = *self.node(top);
                let missing = |operand: &Term| !self.parities.contains_key(operand);
                stack.extend(node.operands().filter(missing));
            }
            if stack.len() == before {
                let parities = self.combined(top).unwrap_or_else(|| self.own_parities(top));
                self.parities.insert(top, parities);
                stack.pop();
            }
        }
        self.parities.get(&term).cloned()
    }

    /// Whether the bits of a term are read off its operands.
    fn keeps_parities(&self, term: Term) -> bool {
        let node = self.node(term);
        match node.op {
            Op::Xor | Op::Extract | Op::Concat | Op::ZExt | Op::SExt | Op::Ite => true,
            Op::And => self.constant(node.second()).is_some(),
            _ => false,
        }
    }

    /// The bits of a term that is nothing but itself.
    fn own_parities(&self, term: Term) -> Parities {
        let node = self.node(term);
        let bit = |bit: u32| match node.op {
            Op::Const => Parity::constant(node.number >> bit & 1 == 1),
            _ => Parity { parts: vec![(term, bit)], odd: false },
        };
        (0..node.width).map(bit).collect()
    }

    /// The bits of a term, from those of its operands, which are known.
    fn combined(&self, term: Term) -> Option<Parities> {
        if !self.keeps_parities(term) {
            return None;
        }
        let node = self.node(term);
        let of = |index: usize| -> &[Parity] {
            &self.parities[&node.args[index].expect("the operand is there")]
        };
        let width = node.width as usize;
        let bits: Vec<Parity> = match node.op {
            Op::Xor => of(0).iter().zip(of(1)).map(|(a, b)| a.xor(b)).collect(),
            Op::And => {
                let kept = self.constant(node.second())?;
                let bit = |(at, bit): (usize, &Parity)| match kept >> at & 1 == 1 {
                    true => bit.clone(),
                    false => Parity::default(),
                };
                of(0).iter().enumerate().map(bit).collect()
            }
            Op::Extract => of(0)[node.number as usize..][..width].to_vec(),
            Op::Concat => [of(1), of(0)].concat(),
            Op::ZExt | Op::SExt => {
                let mut bits = of(0).to_vec();
                let fill = match node.op {
                    Op::ZExt => Parity::default(),
                    _ => bits.last()?.clone(),
                };
                bits.resize(width, fill);
                bits
            }
            Op::Ite => {
                let condition = &of(0)[0];
                let bit = |(then, other): (&Parity, &Parity)| {
                    let flipped = then.odd != other.odd;
                    (then.parts == other.parts).then(|| match flipped {
                        true => other.xor(condition),
                        false => other.clone(),
                    })
                };
                of(1).iter().zip(of(2)).map(bit).collect::<Option<Vec<Parity>>>()?
            }
            _ => return None,
        };
        bits.iter().all(|bit| bit.parts.len() <= MOST_PARTS).then(|| bits.into())
    }
}
