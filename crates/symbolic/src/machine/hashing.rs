//! The model of std's keyed hasher.
//!
//! SipHash of symbolic bytes is beyond any solver, and its keys are random
//! anyway. Under the model a hasher collects the bytes it is given; two hashes
//! are equal exactly if the collected bytes are, and unequal ones get numbers
//! in the order in which they are first asked for. So a `Hash` that disagrees
//! with `Eq` shows as it would for real. Collisions are not explored, which is
//! said wherever the model is used. The numbers are hidden: see [`super::hidden`].

use super::{Assumption, End, Layout, Machine, Reason, Value};
use testsmith_solver::term::Term;

/// Marks the first word of a hasher's memory as a stream number.
const MAGIC: u64 = 0x7e57_5317_0000_0000;
/// How much of a fresh hasher tells its keys apart.
const KEY_BYTES: u64 = 32;

/// The bytes collected so far, by hasher, and the hashes given out.
#[derive(Default)]
pub struct Streams {
    streams: Vec<Vec<Value>>,
    finished: Vec<(u32, Value)>,
}

impl Streams {
    /// Whether nothing was hashed yet.
    pub fn is_unused(&self) -> bool {
        self.finished.is_empty()
    }

    /// How many different hashes were made.
    fn made(&self) -> usize {
        self.finished.len()
    }

    /// Which of them this is.
    pub fn index_of(&self, hash: Term) -> Option<usize> {
        self.finished.iter().position(|(_, value)| value.term == Some(hash))
    }
}

impl Machine<'_> {
    /// `hasher.write(&bytes)`, with bytes at `data`; `terminated` as strings are.
    pub(super) fn hash_write(
        &mut self,
        hasher: Value,
        data: Value,
        len: Value,
        terminated: bool,
    ) -> Result<(), End> {
        self.assume(Assumption::Hashing);
        let hasher = self.address(hasher)?;
        let (data, len) = (self.address(data)?, self.address(len)?);
        let mut stream = self.stream_of(hasher)?;
        for index in 0..len {
            stream.push(self.fetch(data + index, 1)?);
        }
        if terminated {
            stream.push(Value::concrete(0xff));
        }
        let number = self.streams.streams.len() as u32;
        self.streams.streams.push(stream);
        self.store(hasher, 8, Value::concrete(u128::from(MAGIC | u64::from(number))))
    }

    /// What the hasher at an address has collected; its keys, if nothing yet.
    fn stream_of(&mut self, hasher: u64) -> Result<Vec<Value>, End> {
        let word = self.fetch(hasher, 8)?;
        let number = word.bits as u64 ^ MAGIC;
        if word.term.is_none() && (number as usize) < self.streams.streams.len() {
            return Ok(self.streams.streams[number as usize].clone());
        }
        (0..KEY_BYTES / 8).map(|index| self.fetch(hasher + index * 8, 8)).collect()
    }

    /// `hasher.finish()`.
    pub(super) fn hash_finish(&mut self, hasher: Value) -> Result<Value, End> {
        self.assume(Assumption::Hashing);
        let hasher = self.address(hasher)?;
        let stream = self.stream_of(hasher)?;
        for index in 0..self.streams.finished.len() {
            let (other, hash) = self.streams.finished[index];
            if self.same_stream(&stream, other)? {
                return Ok(hash);
            }
        }
        let bits = u128::from(self.number(self.streams.made()));
        let hash = Value { bits, term: self.hidden_hash() };
        let number = self.streams.streams.len() as u32;
        self.streams.streams.push(stream);
        self.streams.finished.push((number, hash));
        Ok(hash)
    }

    /// The number of a hash. Its low bits lead to a place of the table, and so to the order
    /// of the elements.
    fn number(&self, index: usize) -> u64 {
        if self.memory.layout() == Layout::Scattered {
            return spread(index as u64 ^ 0x5ca7);
        }
        let order = &self.hash_order;
        let place = order.iter().position(|first| *first == index).unwrap_or(order.len() + index);
        spread(index as u64) & !0xff | place as u64 & 0xff
    }

    fn same_stream(&mut self, stream: &[Value], other: u32) -> Result<bool, End> {
        let other = self.streams.streams[other as usize].clone();
        if stream.len() != other.len() {
            return Ok(false);
        }
        let equal = stream.iter().zip(&other).all(|(a, b)| a.bits == b.bits);
        let mut condition = self.interpreter.pool.truth(true);
        for (index, (a, b)) in stream.iter().zip(&other).enumerate() {
            let width = if (index as u64) < KEY_BYTES / 8 { 64 } else { 8 };
            let (a, b) = (self.term(*a, width), self.term(*b, width));
            let same = self.interpreter.pool.equal(a, b);
            condition = self.interpreter.pool.and(condition, same);
        }
        self.decide(condition, equal, Reason::HashedAlike)?;
        Ok(equal)
    }
}

/// Numbers that differ in their high and low bits alike, as hash tables expect.
fn spread(number: u64) -> u64 {
    let mut value = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
