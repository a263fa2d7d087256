//! What a program can look at although no input decides it: hashes and addresses.
//!
//! Each gets a variable of its own beside those of the input, so terms show
//! whatever was computed from it, wherever it went. A choice that such a term
//! decides is never turned. The hash table's own code may choose by a hash,
//! because a table means the same under every hash; anyone else has used it as
//! a number, and nothing is claimed. Addresses get variables only where the
//! program itself takes them for numbers or compares them; distances inside an
//! object and the alignment it is owed are facts, everything else is not.

use super::memory::AddressFacts;
use super::{End, Machine, Reason, Value};
use crate::ir::Origin;
use testsmith_solver::term::{FastMap, Op, Term, fold, mask};

/// What a variable that is not of the input stands for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Hidden {
    Hash,
    /// Where an object begins; it is aligned like this.
    Address {
        align: u64,
    },
    /// How two addresses compare.
    Order,
}

/// The variables beside those of the input.
#[derive(Default)]
pub(super) struct HiddenVariables {
    /// The number of the first one; none are made in a run without terms.
    first: Option<u32>,
    kinds: Vec<Hidden>,
    /// Where objects begin, by the number of their birth.
    bases: FastMap<u32, Term>,
    /// Terms that are a known distance from where an object begins, with its birth.
    distances: FastMap<Term, Distance>,
}

#[derive(Copy, Clone)]
struct Distance {
    birth: u32,
    align: u64,
    bytes: Value,
    /// Whether an address in it differs from that of every other such object.
    distinct: bool,
}

/// What a term depends on.
#[derive(Copy, Clone, Default)]
struct Seen {
    hash: bool,
    address: bool,
    input: bool,
}

impl HiddenVariables {
    pub fn new(input_len: usize, symbolic: bool) -> HiddenVariables {
        HiddenVariables { first: symbolic.then_some(input_len as u32), ..Default::default() }
    }
}

impl Machine<'_> {
    fn hide(&mut self, width: u32, kind: Hidden) -> Option<Term> {
        let number = self.hidden.first? + self.hidden.kinds.len() as u32;
        self.hidden.kinds.push(kind);
        Some(self.interpreter.pool.variable(width, number))
    }

    /// A hash that was not given out before.
    pub(super) fn hidden_hash(&mut self) -> Option<Term> {
        self.hide(64, Hidden::Hash)
    }

    /// The hashes that a term depends on.
    pub(super) fn hashes_in(&self, term: Term) -> Vec<u32> {
        let Some(first) = self.hidden.first.filter(|_| !self.hidden.kinds.is_empty()) else {
            return vec![];
        };
        let support = self.interpreter.pool.support(term);
        let is_hash = |v: &u32| {
            *v >= first && self.hidden.kinds.get((*v - first) as usize) == Some(&Hidden::Hash)
        };
        support.iter().filter(is_hash).collect()
    }

    fn seen(&self, term: Term) -> Seen {
        let mut seen = Seen::default();
        let Some(first) = self.hidden.first.filter(|_| !self.hidden.kinds.is_empty()) else {
            return seen;
        };
        for variable in self.interpreter.pool.support(term).iter() {
            match variable.checked_sub(first).map(|index| self.hidden.kinds[index as usize]) {
                None => seen.input = true,
                Some(Hidden::Hash) => seen.hash = true,
                Some(Hidden::Address { .. } | Hidden::Order) => seen.address = true,
            }
        }
        seen
    }

    /// Whether a term depends on what is hidden.
    pub(super) fn is_hidden(&self, term: Term) -> bool {
        let seen = self.seen(term);
        seen.hash || seen.address
    }

    /// Whether a choice depends on what is hidden: then it is no decision about the input,
    /// and unless it is the table's own, nothing can be claimed.
    pub(super) fn settled(&mut self, term: Term) -> bool {
        let seen = self.seen(term);
        if seen.hash && (seen.input || seen.address || self.owner() != Origin::Table) {
            self.void_here("a hash is used as a number, which random keys decide");
        } else if seen.address {
            self.void_here("the outcome may depend on where memory lies");
        }
        seen.hash || seen.address
    }

    /// The same for a pointer that is followed: a known distance into an object leads to the
    /// same place wherever the object lies.
    pub(super) fn settled_pointer(&mut self, term: Term) -> Result<bool, End> {
        match self.hidden.distances.get(&term).copied() {
            Some(distance) => {
                self.enumerate(distance.bytes, 64)?;
                Ok(true)
            }
            None => Ok(self.settled(term)),
        }
    }

    /// An address is written down for whoever reads it.
    pub(super) fn address_shown(&mut self) {
        self.void_here("an address becomes text: the outcome may depend on where memory lies");
    }

    fn void_here(&mut self, why: &str) {
        self.guessed = true;
        let site = self.site();
        let why = match site.line {
            0 => why.to_owned(),
            line => format!("{why} ({}:{line})", site.file),
        };
        self.voids.insert(why);
    }

    /// Whose code is running, seen through the library.
    pub(super) fn owner(&self) -> Origin {
        let origins = self.frames.iter().rev().map(|frame| frame.function.origin);
        origins
            .into_iter()
            .find(|origin| matches!(origin, Origin::User | Origin::Table))
            .unwrap_or(Origin::User)
    }

    /// Whether the program itself runs, or a method of pointers that it called.
    fn program_looks(&self) -> bool {
        let mut origins = self.frames.iter().rev().map(|frame| frame.function.origin);
        origins.find(|origin| *origin != Origin::Pointer) == Some(Origin::User)
    }

    fn standing(&mut self, address: u64) -> Result<Option<AddressFacts>, End> {
        let super::Interpreter { program, image, .. } = &mut *self.interpreter;
        self.memory.standing(program, image, address)
    }

    /// Decides that a pointer is into the object, or to the place, that it is into here:
    /// one that was chosen by the input may lead elsewhere for another, to null as well.
    fn keeps_to_object(&mut self, pointer: Value) -> Result<(), End> {
        let Some(term) = pointer.term.filter(|term| !self.is_hidden(*term)) else {
            return Ok(());
        };
        let super::Interpreter { program, image, pool, .. } = &mut *self.interpreter;
        match self.memory.extent(program, image, pointer.bits as u64, 0) {
            Ok((base, size)) => {
                let (base, size) =
                    (pool.number(64, u128::from(base)), pool.number(64, u128::from(size)));
                let offset = pool.binary(Op::Sub, term, base);
                let inside = pool.binary(Op::Ule, offset, size);
                self.one_of(term, inside, Reason::InBounds)
            }
            Err(_) => self.enumerate(pointer, 64).map(|_| ()),
        }
    }

    /// A pointer becomes a number.
    pub(super) fn expose(&mut self, pointer: Value) -> Result<Value, End> {
        if self.hidden.first.is_none() || !self.program_looks() {
            return Ok(pointer);
        }
        self.keeps_to_object(pointer)?;
        let Some(object) = self.standing(pointer.bits as u64)? else { return Ok(pointer) };
        let base = match self.hidden.bases.get(&object.birth) {
            Some(base) => *base,
            None => {
                self.for_good()?;
                let Some(base) = self.hide(64, Hidden::Address { align: object.align }) else {
                    return Ok(pointer);
                };
                self.hidden.bases.insert(object.birth, base);
                base
            }
        };
        let start = Value::concrete(u128::from(object.start));
        let distance = self.binary(Op::Sub, 64, pointer, start);
        let bytes = self.term(distance, 64);
        let term = self.interpreter.pool.binary(Op::Add, base, bytes);
        let AddressFacts { birth, align, distinct, .. } = object;
        // Another input may lead to the end of the object, where another may begin.
        let distinct = distinct && distance.term.is_none();
        self.hidden.distances.insert(term, Distance { birth, align, bytes: distance, distinct });
        Ok(Value { bits: pointer.bits, term: Some(term) })
    }

    /// Two pointers are compared by the program.
    pub(super) fn compare_pointers(&mut self, op: Op, a: Value, b: Value) -> Result<Value, End> {
        let plain = self.binary(op, 64, a, b);
        if self.hidden.first.is_none() || !self.program_looks() {
            return Ok(plain);
        }
        self.keeps_to_object(a)?;
        self.keeps_to_object(b)?;
        let (one, other) = (self.standing(a.bits as u64)?, self.standing(b.bits as u64)?);
        let known = match (one, other) {
            (Some(one), Some(other)) => {
                one.birth == other.birth || op == Op::Eq && one.distinct && other.distinct
            }
            // Null and the places of what has no size are the same everywhere.
            _ => op == Op::Eq,
        };
        if known {
            return Ok(plain);
        }
        self.for_good()?;
        let term = self.hide(1, Hidden::Order);
        Ok(Value { bits: plain.bits, term })
    }

    /// Arithmetic on addresses whose result is known wherever their objects lie.
    pub(super) fn distance_of(&mut self, op: Op, a: Value, b: Value) -> Option<Value> {
        if self.hidden.distances.is_empty() {
            return None;
        }
        let find = |value: Value| value.term.and_then(|t| self.hidden.distances.get(&t)).copied();
        let (one, other) = (find(a), find(b));
        let truth = |value: bool| Some(Value::concrete(u128::from(value)));
        match (one, other) {
            (Some(one), Some(other)) if one.birth == other.birth => match op {
                Op::Sub | Op::Eq | Op::Ult | Op::Ule => {
                    Some(self.binary(op, 64, one.bytes, other.bytes))
                }
                _ => None,
            },
            (Some(one), Some(other)) => {
                let apart = op == Op::Eq && self.is_apart(one, a) && self.is_apart(other, b);
                apart.then(|| Value::concrete(0))
            }
            (Some(one), None) => self.with_number(op, a, one, b),
            (None, Some(other)) => match op {
                Op::Add | Op::And | Op::Or | Op::Xor | Op::Eq => self.with_number(op, b, other, a),
                Op::Ult if a.term.is_none() && a.bits == 0 => truth(true),
                _ => None,
            },
            (None, None) => None,
        }
    }

    /// Whether an address lies in an object that still lives, so that no other has it.
    fn is_apart(&mut self, distance: Distance, address: Value) -> bool {
        let standing = self.standing(address.bits as u64).ok().flatten();
        let lives = standing.is_some_and(|now| now.birth == distance.birth && now.distinct);
        lives && distance.distinct
    }

    fn with_number(&mut self, op: Op, a: Value, from: Distance, number: Value) -> Option<Value> {
        if number.term.is_some_and(|term| self.seen(term).address || self.seen(term).hash) {
            return None;
        }
        if matches!(op, Op::Add | Op::Sub) {
            let bytes = self.binary(op, 64, from.bytes, number);
            return Some(self.moved(op, a, from, number, bytes));
        }
        if number.term.is_some() {
            return None;
        }
        // The first address of the object has none of these bits.
        let low = u128::from(from.align - 1);
        let bits = number.bits;
        match op {
            Op::And if bits <= low => Some(self.binary(op, 64, from.bytes, number)),
            Op::URem if bits.is_power_of_two() && bits <= low + 1 => {
                let low = Value::concrete(bits - 1);
                Some(self.binary(Op::And, 64, from.bytes, low))
            }
            Op::Eq if bits == 0 || bits == mask(64) => Some(Value::concrete(0)),
            Op::Or | Op::Xor if bits <= low => {
                let bytes = self.binary(op, 64, from.bytes, number);
                Some(self.moved(op, a, from, number, bytes))
            }
            Op::And if !bits & mask(64) <= low => {
                let bytes = self.binary(op, 64, from.bytes, number);
                Some(self.moved(op, a, from, number, bytes))
            }
            _ => None,
        }
    }

    /// The same object, at another distance from its first address.
    fn moved(&mut self, op: Op, a: Value, from: Distance, by: Value, bytes: Value) -> Value {
        let bits = fold(op, 64, a.bits, by.bits);
        let base = self.hidden.bases[&from.birth];
        let number = self.term(bytes, 64);
        let term = self.interpreter.pool.binary(Op::Add, base, number);
        // Outside its object an address may be that of another one.
        self.hidden.distances.entry(term).or_insert(Distance { bytes, distinct: false, ..from });
        Value { bits, term: Some(term) }
    }
}
